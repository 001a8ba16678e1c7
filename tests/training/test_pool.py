"""Who a learner meets: the mixture, past checkpoints that beat it more often, and what is remembered of them."""

import numpy as np
import pytest

import kgb_env
from agents import AgentError, make_agent
from experiments.outside import OutsideError, SteadyAgent
from experiments.training.pool import CURRENT, OpponentPool, Past
from experiments.training.settings import Pool
from kgb_env import LearnerBatch
from kgb_env.learner import Record

GAME = kgb_env.game("confusion-mini")


class Model:
    """Stands for a model, whose policy is never asked here."""

    policy = object()


def pool_of(tmp_path, monkeypatch, **settings):
    monkeypatch.setattr("experiments.training.pool.save_policy", lambda model, path: path.write_bytes(b"policy"))
    monkeypatch.setattr("experiments.training.pool.load_policy", lambda game, path: (path.name, "dict"))
    return OpponentPool(GAME, Pool.parse(settings), {"random": make_agent(GAME, "random")}, tmp_path / "past")


def shares(pool, seed=0):
    drawn = pool.draw(object(), np.random.default_rng(seed))
    return dict(zip(pool._drawn, (share for _, share in drawn), strict=True))


def test_the_mixture_is_what_the_configuration_says(tmp_path, monkeypatch):
    pool = pool_of(tmp_path, monkeypatch, current=0.5, past=0.3, scripted={"random": 0.2}, at_a_time=2)
    assert shares(pool) == {CURRENT: 0.8, "random": 0.2}  # as long as there is no past
    for number in range(1, 6):
        pool.add(number, Model())
    drawn = shares(pool)
    assert drawn.pop(CURRENT) == 0.5
    assert drawn.pop("random") == 0.2
    assert list(drawn.values()) == [0.15, 0.15]


def test_who_has_no_share_does_not_play(tmp_path, monkeypatch):
    pool = pool_of(tmp_path, monkeypatch, current=0.0, scripted={"random": 1.0})
    assert pool.add(1, Model()) == []
    assert shares(pool) == {"random": 1.0}
    assert not (tmp_path / "past").exists()


@pytest.mark.parametrize(("priority", "least", "most"), [(0.0, 0.2, 0.3), (1.0, 0.45, 0.6), (4.0, 0.85, 1.0)])
def test_who_wins_more_often_is_met_more_often(priority, least, most, tmp_path, monkeypatch):
    pool = pool_of(tmp_path, monkeypatch, past=1.0, current=0.0, at_a_time=1, priority=priority)
    pool.restore([{"file": "strong", "wins": 0.8}, *({"file": f"weak{i}", "wins": 0.25} for i in range(3))])
    drawn = [next(iter(shares(pool, seed))) for seed in range(2000)]
    assert least < drawn.count("strong") / 2000 < most


def test_draws_owe_everything_to_the_seed(tmp_path, monkeypatch):
    pool = pool_of(tmp_path, monkeypatch, past=1.0, at_a_time=3)
    pool.restore([{"file": str(i), "wins": 0.5} for i in range(20)])
    assert shares(pool, 7) == shares(pool, 7)
    assert any(shares(pool, 7) != shares(pool, seed) for seed in range(5))


def test_what_is_known_of_a_checkpoint_comes_near_to_how_often_it_wins(tmp_path, monkeypatch):
    pool = pool_of(tmp_path, monkeypatch, past=1.0, at_a_time=1)
    pool.restore([{"file": "a", "wins": 0.5}])
    shares(pool)
    assert pool._drawn == [CURRENT, "a"]
    record = Record(np.array([10, 100]), np.array([10.0, 25.0]))
    pool.learn_from(record)
    assert pool.state() == [{"file": "a", "wins": 0.625}]  # 100 meetings count as much as all before
    for _ in range(20):
        pool.learn_from(record)
    assert pool.state()[0]["wins"] == pytest.approx(0.75, abs=0.001)
    pool.learn_from(Record(np.array([3, 0]), np.zeros(2)))
    assert pool.state()[0]["wins"] == pytest.approx(0.75, abs=0.001)
    assert pool.told(record) == {CURRENT: [10, 1.0], "a": [100, 0.25]}


def test_a_full_pool_gives_up_who_wins_least(tmp_path, monkeypatch):
    pool = pool_of(tmp_path, monkeypatch, past=1.0, keep=3)
    for number in range(1, 4):
        assert pool.add(number, Model()) == []
    pool._past[1].wins = 0.1
    (gone,) = pool.add(4, Model())
    assert gone == tmp_path / "past" / "00002.zip"
    assert gone.exists()  # until the checkpoint is written that does without it
    assert [one.file for one in pool._past] == ["00001.zip", "00003.zip", "00004.zip"]
    assert pool._past[-1] == Past("00004.zip", 0.5)


COUNTED = {
    "confusion-mini": {},
    "double_agent-mini": {},
    "secret_formula-mini": {},
    "suspicious-mini": {},
    "suspicious": {"rounds": 1, "director": "neutral"},
}


@pytest.mark.parametrize("id", COUNTED)
def test_a_batch_counts_who_was_beaten(id):
    """Against every other seat that has decided something, of another role where there are roles: more is a win."""
    game = kgb_env.game(id, **COUNTED[id])
    batch = LearnerBatch(game, 16, opponents=[make_agent(game, "random"), make_agent(game, "random")], seed=3)
    met, won = np.zeros(2), np.zeros(2)
    rng = np.random.default_rng(0)
    for _ in range(150):
        who = batch._whose.copy()
        step = batch.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.frame.action_mask]))
        roles = game.roles_in(step.final_states)
        for i, (row, state, seat) in enumerate(zip(step.ended, step.final_states, step.final_seats, strict=True)):
            for other in set(range(game.seats)) - {int(seat)}:
                if roles is not None and (
                    roles[i, other] == roles[i, seat] or game.roles[roles[i, other]] == "director"
                ):
                    continue
                difference = float(state.returns[seat] - state.returns[other])
                met[who[row, other]] += 1
                won[who[row, other]] += 1 if difference > 0 else 0.5 if difference == 0 else 0
    assert met.min() > 2
    assert (batch.record.met == met).all()
    np.testing.assert_allclose(batch.record.won, won)
    batch.set_opponents("random")
    assert batch.record.met.tolist() == [0]


def test_no_share_vanishes_however_strong_the_priority(tmp_path, monkeypatch):
    pool = pool_of(tmp_path, monkeypatch, past=1.0, current=0.0, at_a_time=2, priority=2000.0)
    pool.restore([{"file": "a", "wins": 0.9}, {"file": "b", "wins": 0.1}])
    assert set(shares(pool)) == {"a", "b"}


def test_files_of_checkpoints_that_are_no_more_in_the_pool_go(tmp_path, monkeypatch):
    pool = pool_of(tmp_path, monkeypatch, past=1.0)
    for number in (1, 2):
        pool.add(number, Model())
    pool.restore([{"file": "00002.zip", "wins": 0.5}])
    assert [path.name for path in (tmp_path / "past").iterdir()] == ["00002.zip"]


def test_an_agent_from_outside_that_is_slow_is_asked_row_by_row():
    """And one that fails about a single decision is named."""

    class Slow:
        def initial_carry(self, n):
            return np.zeros(n)

        def act(self, views, seeds, carry=None):
            if views.size > 1:
                raise OutsideError("no answer within 10 s")
            if seeds[0] == 7:
                raise OutsideError("it died")
            return np.array([int(seeds[0])]), carry + 1

    steady = SteadyAgent("mine:Slow", Slow())
    views = GAME.view(GAME.start(np.arange(3, dtype=np.uint64)), 0)
    actions, carry = steady.act(views, np.array([3, 1, 2], np.uint64), np.zeros(3))
    assert (actions.tolist(), carry.tolist()) == ([3, 1, 2], [1, 1, 1])
    with pytest.raises(AgentError, match="agent 'mine:Slow': it died"):
        steady.act(views, np.array([3, 7, 2], np.uint64), np.zeros(3))

"""Who a learner meets: the mixture, past checkpoints that beat it more often, and what is remembered of them."""

import numpy as np
import pytest

import kgb_env
from agents import make_agent
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


@pytest.mark.parametrize("id", ["confusion-mini", "double_agent-mini", "secret_formula-mini", "suspicious-mini"])
def test_a_batch_counts_who_was_beaten(id):
    """Against every other seat of a game that has ended: more is a win, as much is half of one."""
    game = kgb_env.game(id)
    batch = LearnerBatch(game, 16, opponents=[make_agent(game, "random"), make_agent(game, "random")], seed=3)
    met, won = np.zeros(2), np.zeros(2)
    rng = np.random.default_rng(0)
    for _ in range(150):
        who = batch._whose.copy()
        step = batch.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.frame.action_mask]))
        for row, state, seat in zip(step.ended, step.final_states, step.final_seats, strict=True):
            for other in set(range(game.seats)) - {int(seat)}:
                difference = float(state.returns[seat] - state.returns[other])
                met[who[row, other]] += 1
                won[who[row, other]] += 1 if difference > 0 else 0.5 if difference == 0 else 0
    assert met.min() > 2
    assert (batch.record.met == met).all()
    np.testing.assert_allclose(batch.record.won, won)
    batch.set_opponents("random")
    assert batch.record.met.tolist() == [0]

"""Batches in which one seat learns: rewards, seats, opponents, and what a row owes to its seed alone."""

import numpy as np
import pytest

import kgb_env
from agents import make_agent
from kgb_env import IllegalActionError, LearnerBatch, OptionError
from kgb_env.learner import make_players

GAMES = ["confusion-mini", "double_agent-mini", "secret_formula-mini", "suspicious-mini"]


def play(batch, steps, seed=0):
    """Let learners choose at random, and yield what comes of it."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        masks = batch.frame.action_mask
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        yield actions, batch.step(actions)


class Counting:
    """Plays the first legal action and remembers how many decisions it has made, which the view must confirm."""

    def __init__(self, game):
        self.game, self.made = game, []

    def initial_carry(self, n):
        return np.zeros(n, np.int64)

    def act(self, views, seeds, carry=None):
        self.made += carry.tolist()
        return self.game.encode(views).action_mask.argmax(axis=1), carry + 1


class Cheat(Counting):
    def act(self, views, seeds, carry=None):
        return np.full(views.size, self.game.actions.size - 1), carry


@pytest.mark.parametrize("id", [*GAMES, "suspicious"])
def test_every_reward_reaches_the_learner_once(id):
    """Also what others' decisions bring, and what is paid before its first one: together, what the game paid."""
    batch = LearnerBatch(kgb_env.game(id), 16, seed=3)
    sums, episodes = np.zeros(16), 0
    for _, step in play(batch, 160 if id != "suspicious" else 400):
        sums += step.rewards
        for i, row in enumerate(step.ended):
            expected = step.final_states["returns"][i, step.final_seats[i]]
            assert sums[row] == pytest.approx(float(expected), abs=1e-5)
            sums[row], episodes = 0, episodes + 1
    assert episodes > 3


@pytest.mark.parametrize("id", GAMES)
def test_what_the_learner_sees_is_its_view(id):
    game = kgb_env.game(id)
    batch = LearnerBatch(game, 8, seed=1)
    for _, step in play(batch, 30):
        assert (batch.states["to_move"] == batch.seats).all()
        assert (step.frame.views["viewer"] == batch.seats).all()
        again = game.encode(game.view(batch.states, batch.seats))
        assert all(np.array_equal(one, other) for one, other in zip(step.frame, again, strict=True))
        assert step.ended.tolist() == sorted(set(step.ended.tolist()), key=step.ended.tolist().index)
        assert (step.terminated | step.truncated).sum() == step.ended.size == step.final.views.size
        assert not step.final.action_mask.any()


@pytest.mark.parametrize("id", GAMES)
def test_a_row_is_the_same_in_any_batch(id):
    """It owes nothing to its neighbours, with mixtures, random seats and opponents that have a memory."""
    game = kgb_env.game(id)

    def opponents():
        return [(make_agent(game, "random"), 2.0), (Counting(game), 1.0)]

    many = LearnerBatch(game, 5, opponents=opponents(), seed=7)
    alone = [LearnerBatch(game, 1, opponents=opponents(), seed=7, first_env=i) for i in range(5)]
    for _ in range(40):
        actions = many.frame.action_mask.argmax(axis=1)
        step = many.step(actions)
        for i, batch in enumerate(alone):
            own = batch.step(actions[i : i + 1])
            assert own.rewards[0] == step.rewards[i]
            assert own.terminated[0] == step.terminated[i]
            assert np.array_equal(own.frame.observation[0], step.frame.observation[i])
            assert batch.seats[0] == many.seats[i]


def test_same_seed_same_games_and_the_next_episodes_differ():
    def observations(batch):
        return [step.frame.observation.copy() for _, step in play(batch, 20)]

    game = kgb_env.game("confusion-mini")
    first, again = (observations(LearnerBatch(game, 4, seed=5)) for _ in range(2))
    assert all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))
    other = observations(LearnerBatch(game, 4, seed=6))
    assert not all(np.array_equal(one, two) for one, two in zip(first, other, strict=True))
    batch = LearnerBatch(game, 4, seed=5)
    begun = batch.states["rng"].copy()
    batch.reset()
    assert (batch.episodes == 1).all()
    assert not (batch.states["rng"] == begun).any()
    batch.reset(5)
    assert (batch.states["rng"] == begun).all()


def test_seats_are_fixed_dealt_or_of_a_role():
    game = kgb_env.game("double_agent-mini")
    assert (LearnerBatch(game, 50, seat=2).seats == 2).all()
    seats = np.bincount(LearnerBatch(game, 3000).seats, minlength=3)
    assert np.abs(seats / 3000 - 1 / 3).max() < 0.04
    for role in game.roles:
        batch = LearnerBatch(game, 600, seat=role)
        for _, _ in play(batch, 5):
            roles = game.roles_in(batch.states)
            assert (roles[np.arange(600), batch.seats] == game.roles.index(role)).all()
        assert len(set(batch.seats.tolist())) == 3


@pytest.mark.parametrize("seat", [-1, 3, "spy", 1.5, True, None])
def test_what_is_no_seat_is_refused(seat):
    with pytest.raises(OptionError, match=r"a seat from 0 to 2, 'random', or a role: security_agent, double_agent"):
        LearnerBatch(kgb_env.game("double_agent-mini"), 1, seat=seat)


def test_games_that_end_before_the_learner_decides_are_no_episodes():
    """In a round of Suspicious with a neutral Director one seat of four has nothing to decide."""
    batch = LearnerBatch(kgb_env.game("suspicious-mini", director="neutral"), 100, seat=0)
    ended = 0
    for _, step in play(batch, 30):
        ended += step.ended.size
        assert (step.final_states["first"] != 0).all()
    assert 1.2 < batch.episodes.sum() / ended < 1.5


def test_a_seat_that_never_decides_is_refused():
    game = kgb_env.game("suspicious-mini", director="neutral")
    with pytest.raises(OptionError, match=r"seat='director' was not to decide in \d+ games"):
        LearnerBatch(game, 2, seat="director")


def test_opponents_come_in_their_shares():
    game = kgb_env.game("confusion-mini")
    batch = LearnerBatch(game, 4000, opponents={"random": 3, "greedy": 1})
    others = batch._whose[np.arange(4000), 1 - batch.seats]
    assert np.abs(np.bincount(others) / 4000 - [0.75, 0.25]).max() < 0.03
    names = [type(player).__name__ for player in make_players(game, ["random", make_agent(game, "greedy")])[0]]
    assert names == ["RandomAgent", "GreedyAgent"]


def test_better_opponents_are_harder():
    game = kgb_env.game("confusion-mini")
    results = []
    for opponents in ("random", "greedy"):
        batch = LearnerBatch(game, 200, opponents=opponents)
        got = [step.rewards[step.ended] for _, step in play(batch, 120)]
        results.append(np.concatenate(got).mean())
    assert results[0] > results[1] + 0.3


def test_memories_are_of_one_game_and_seat():
    game = kgb_env.game("secret_formula-mini")
    counting = Counting(game)
    batch = LearnerBatch(game, 30, opponents=counting, seed=2)
    for _, _ in play(batch, 60):
        pass
    assert counting.made.count(0) > 30  # began anew with every episode
    assert max(counting.made) > 5


@pytest.mark.parametrize("opponents", [[], {}, {"random": 0.0}, {"random": -1.0}, [("random", float("nan"))], [3]])
def test_what_is_no_opponent_is_refused(opponents):
    with pytest.raises(OptionError):
        LearnerBatch(kgb_env.game("confusion-mini"), 1, opponents=opponents)


def test_an_opponent_that_cheats_is_named():
    game = kgb_env.game("double_agent-mini")
    with pytest.raises(IllegalActionError, match="opponent Cheat chose"):
        for _, _ in play(LearnerBatch(game, 4, seat=1, opponents=Cheat(game)), 10):
            pass


def test_illegal_actions():
    game = kgb_env.game("confusion-mini")
    batch = LearnerBatch(game, 3, seed=1)
    bad = batch.frame.action_mask.argmin(axis=1)
    before = batch.states
    with pytest.raises(IllegalActionError):
        batch.step(bad)
    assert (batch.states == before).all()
    for mode, reward in (("terminate", 0.0), ("penalty", -2.0)):
        batch = LearnerBatch(game, 3, seed=1, illegal=mode, penalty=2.0)
        step = batch.step(bad)
        assert step.terminated.all()
        assert step.rewards.tolist() == [reward] * 3
        assert (step.final_states["reason"] == -1).all()


def test_opponents_can_be_exchanged():
    game = kgb_env.game("confusion-mini")
    batch = LearnerBatch(game, 20)
    counting = Counting(game)
    batch.set_opponents(counting)
    for _, _ in play(batch, 5):
        pass
    assert counting.made
    with pytest.raises(OptionError):
        batch.set_opponents([])
    assert batch.players == [counting]


@pytest.mark.parametrize("id", [*GAMES, "confusion"])
def test_forced_decisions_are_made_without_asking(id):
    """The games are the same; the learner only never has a choice of one."""
    game = kgb_env.game(id)
    asked, skipped = LearnerBatch(game, 1, seed=4), LearnerBatch(game, 1, seed=4, skip_forced=True)
    sums, ends = [0.0, 0.0], [[], []]
    for _ in range(400):
        for i, batch in enumerate((asked, skipped)):
            while len(ends[i]) < 2 and (i == 0 or len(ends[0]) == 2):
                mask = batch.frame.action_mask[0]
                assert i == 0 or mask.sum() > 1
                step = batch.step(np.array([np.flatnonzero(mask)[int(batch.states["rng"][0] % 97) % mask.sum()]]))
                sums[i] += float(step.rewards[0])
                ends[i] += [(state.tobytes(), round(sums[i], 5)) for state in step.final_states]
    assert ends[0] == ends[1]


def test_agents_with_a_memory_are_asked_even_without_a_choice():
    game = kgb_env.game("confusion")
    counting = [Counting(game) for _ in range(2)]
    batches = [LearnerBatch(game, 4, opponents=one, seed=1, skip_forced=i) for i, one in enumerate(counting)]
    masks = []
    for batch, one in zip(batches, counting, strict=True):
        act, asked = one.act, []
        one.act = lambda views, seeds, carry, act=act, asked=asked: (
            asked.extend(game.encode(views).action_mask.sum(axis=1).tolist()),
            act(views, seeds, carry),
        )[1]
        for _ in range(30):
            batch.step(batch.frame.action_mask.argmax(axis=1))
        masks.append(min(asked))
    assert masks == [1, 1]


@pytest.mark.parametrize("id", GAMES)
def test_rewards_reach_the_learner_once_without_forced_decisions_too(id):
    batch = LearnerBatch(kgb_env.game(id), 16, seed=3, skip_forced=True)
    sums, episodes = np.zeros(16), 0
    for _, step in play(batch, 160):
        assert (batch.frame.action_mask.sum(axis=1) > 1).all()
        sums += step.rewards
        assert len(set(step.ended.tolist())) == step.ended.size
        for i, row in enumerate(step.ended):
            expected = step.final_states["returns"][i, step.final_seats[i]]
            assert sums[row] == pytest.approx(float(expected), abs=1e-5)
            sums[row], episodes = 0, episodes + 1
    assert episodes > 3

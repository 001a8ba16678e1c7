"""The match runner: seatings, seeds, memory, errors; the same figures whatever the batch."""

from itertools import permutations, product

import numpy as np
import pytest

import kgb_env
from agents import make_agent
from experiments.match import MatchError, play_match, whole_sets
from experiments.seating import balanced_seatings, count_seatings
from experiments.statistics import deal_scores, summarize
from kgb_env import derive_seed

TURNS = 12


@pytest.fixture(scope="module")
def game():
    return kgb_env.game("confusion", max_turns=TURNS)


class Scripted:
    """Plays a fixed rule, without luck or memory."""

    def __init__(self, game, choose=lambda legal: legal[0]):
        self.game, self.choose = game, choose

    def initial_carry(self, n):
        return None

    def act(self, views, seeds, carry=None):
        assert carry is None
        rows = [views[i : i + 1] for i in range(views.size)]
        return np.array([self.choose(self.game.legal(row)) for row in rows]), None


class Counting(Scripted):
    """Remembers how often each seat of each game has acted, and what it was given."""

    def __init__(self, game):
        super().__init__(game)
        self.seen = []

    def initial_carry(self, n):
        return np.zeros((n, 1), np.int64)

    def act(self, views, seeds, carry=None):
        self.seen += zip(views["viewer"].tolist(), carry[:, 0].tolist(), seeds.tolist(), strict=True)
        actions, _ = super().act(views, seeds)
        return actions, carry + 1


def randoms(game, *labels):
    return {label: make_agent(game, "random") for label in labels}


@pytest.mark.parametrize(("agents", "seats"), list(product(range(1, 9), range(1, 7))))
def test_seatings_are_balanced(agents, seats):
    seatings = balanced_seatings(agents, seats)
    for seat in range(seats):
        assert np.bincount(seatings[:, seat], minlength=agents).tolist() == [len(seatings) / agents] * agents
    assert len(np.unique(seatings, axis=0)) == len(seatings)
    assert {len(set(row)) for row in seatings.tolist()} == {min(agents, seats)}
    assert len(seatings) <= 60 + 2 * agents
    if count_seatings(agents, seats) <= 60:
        assert len(seatings) == count_seatings(agents, seats)


@pytest.mark.parametrize("most", [24, 60])
@pytest.mark.parametrize(
    ("agents", "seats"), [(2, 8), (3, 5), (4, 5), (6, 3), (8, 4), (9, 2), (12, 2), (12, 4), (12, 6)]
)
def test_all_pairs_meet_and_as_often_the_one_way_as_the_other(agents, seats, most):
    """Else who has the better seat of a pair would decide its pay-off."""
    seatings = balanced_seatings(agents, seats, most)
    met = np.zeros((seats, seats, agents, agents), int)
    for one, other in permutations(range(seats), 2):
        np.add.at(met[one, other], (seatings[:, one], seatings[:, other]), 1)
    assert (met == met.swapaxes(0, 1)).all()
    between = met.sum(axis=(0, 1))[~np.eye(agents, dtype=bool)]
    assert between.min() > 0
    if agents <= seats:
        assert between.max() <= 1.1 * between.min()


def test_many_agents_still_sit_everywhere():
    for agents, seats in ((70, 2), (40, 4)):
        seatings = balanced_seatings(agents, seats)
        assert all((np.bincount(column) == len(seatings) / agents).all() for column in seatings.T)


def test_two_agents_swap_seats():
    assert balanced_seatings(2, 2).tolist() == [[0, 1], [1, 0]]


def test_games_are_rounded_up_to_whole_sets(game):
    assert [whole_sets(games, 6) for games in (1, 6, 7)] == [6, 6, 12]
    played = play_match(game, randoms(game, "a", "b", "c"), games=7)
    assert (played.games, played.deals, len(played.seatings)) == (12, 2, 6)


def test_the_batch_changes_no_figure(game):
    def results(batch):
        played = play_match(game, {**randoms(game, "r"), "c": Counting(game)}, games=14, seed=5, batch=batch)
        return played.returns.tobytes(), played.reasons.tobytes(), played.plies.tobytes(), summarize(played)

    expected = results(2048)
    assert all(results(batch) == expected for batch in (1, 3, 14))


@pytest.mark.nojit
def test_seeds_and_memory_belong_to_a_game_and_a_seat(game):
    agent, seed, games = Counting(game), 2**63 - 1, 4
    played = play_match(game, {"c": agent, "r": make_agent(game, "random")}, games, seed=seed, batch=3)
    expected = set()
    for number in range(games):
        deal, seating = divmod(number, 2)
        seat = int(np.flatnonzero(played.seatings[seating] == 0)[0])
        stream = np.uint64(derive_seed(np.uint64(seed), deal, 1 + seat))
        expected |= {(seat, n, int(derive_seed(stream, n, 0))) for n in range(3 * TURNS)}
    assert set(agent.seen) <= expected
    assert len(set(agent.seen)) == len(agent.seen) > games * TURNS / 2


def test_only_who_plays_differs_between_the_games_of_a_deal(game):
    """The same agent under two names plays the same game in both seatings."""
    played = play_match(game, randoms(game, "a", "b"), games=20)
    assert (played.returns[::2] == played.returns[1::2]).all()
    assert (played.plies[::2] == played.plies[1::2]).all()
    assert len(set(played.plies[::2].tolist())) > 1


def test_a_deal_is_the_same_in_all_seatings_and_equals_the_environments(game):
    starts = []

    class Watching(Scripted):
        def act(self, views, seeds, carry=None):
            starts.append(views[views["turn"] == 0].copy())
            return super().act(views, seeds, carry)

    play_match(game, {"a": Watching(game), "b": Watching(game)}, games=2, seed=9)
    env = kgb_env.make("confusion", max_turns=TURNS)
    env.reset(seed=9)
    first = env.view("player_0")[0]
    by_seating = [views[i] for views in starts[:2] for i in range(views.size) if views[i]["viewer"] == 0]
    assert len(by_seating) == 2
    assert all(view.tobytes() == first.tobytes() for view in by_seating)


def test_different_seeds_play_different_games(game):
    plies = [play_match(game, randoms(game, "a", "b"), games=20, seed=seed).plies.tolist() for seed in (1, 2)]
    assert plies[0] != plies[1]


def test_the_advantage_of_a_seat_cancels(game):
    agents = {name: Scripted(game, lambda legal: legal[len(legal) // 2]) for name in ("same", "same#2")}
    played = play_match(game, agents, games=20)
    assert deal_scores(played, 0).tolist() == [0.5] * 10
    assert (played.plies[::2] == played.plies[1::2]).all()


def test_plies_and_endings_are_those_of_the_games(game):
    class Recorder(Scripted):
        decisions = 0

        def act(self, views, seeds, carry=None):
            self.decisions += views.size
            return super().act(views, seeds, carry)

    agents = {"a": Recorder(game), "b": Recorder(game)}
    played = play_match(game, agents, games=6)
    assert played.plies.sum() == agents["a"].decisions + agents["b"].decisions
    assert set(summarize(played)["endings"]) <= {ending.name for ending in game.endings}


@pytest.mark.parametrize(
    ("choose", "fault"),
    [
        (lambda legal: -1, "no action -1"),
        (lambda legal: 10**6, "no action 1000000"),
        (lambda legal: min(set(range(500)) - set(legal.tolist())), "is illegal for seat"),
    ],
)
def test_an_illegal_action_names_agent_and_game(game, choose, fault):
    agents = {"good": Scripted(game), "bad": Scripted(game, choose)}
    with pytest.raises(MatchError, match=rf"agent 'bad', game 1: .*{fault}"):
        play_match(game, agents, games=2)


def test_a_late_fault_names_the_right_game(game):
    stream = np.uint64(derive_seed(np.uint64(1), 2, 1 + 0))
    faulty = derive_seed(stream, 3, 0)  # the fourth decision of seat 0 in deal 2: in game 4 that is `late`

    class Late(Scripted):
        def act(self, views, seeds, carry=None):
            actions, _ = super().act(views, seeds)
            return np.where(seeds == faulty, -7, actions), None

    with pytest.raises(MatchError, match=r"agent 'late', game 4: no action -7"):
        play_match(game, {"late": Late(game), **randoms(game, "r")}, games=6, batch=3)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (lambda n: (np.zeros(n + 1, np.int64), None), "expected 1 integer"),
        (lambda n: (np.zeros(n), None), "float64"),
        (lambda n: np.zeros(n, np.int64), "unpack"),
        (lambda n: 1 / 0, "ZeroDivisionError: division by zero"),
    ],
)
def test_an_exception_names_agent_and_game(game, answer, fault):
    class Broken(Scripted):
        def act(self, views, seeds, carry=None):
            return answer(views.size)

    with pytest.raises(MatchError, match=rf"agent 'broken' failed in game 0: .*{fault}") as caught:
        play_match(game, {"broken": Broken(game), "good": Scripted(game)}, games=2, batch=1)
    assert caught.value.__cause__ is not None


def test_progress_ends_complete(game):
    calls = []
    play_match(game, randoms(game, "a", "b"), games=10, batch=4, on_progress=lambda *call: calls.append(call))
    finished = [call[0] for call in calls]
    assert finished == sorted(finished)
    assert calls[-1] == (10, 10, 0)
    assert {call[1] for call in calls} == {10}


@pytest.mark.parametrize(("agents", "games", "batch"), [(0, 1, 1), (2, 0, 1), (2, 1, 0)])
def test_an_empty_match_is_refused(game, agents, games, batch):
    with pytest.raises(ValueError, match="at least one of each"):
        play_match(game, randoms(game, *"ab"[:agents]), games, batch=batch)


def test_a_bad_seed_is_refused(game):
    with pytest.raises(kgb_env.SeedError):
        play_match(game, randoms(game, "a"), 1, seed=-1)

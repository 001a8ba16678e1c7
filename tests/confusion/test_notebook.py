"""The exact notebook and possible worlds (C13), against brute force.

Brute force deals a seat's pieces in every way, replays the game, and keeps what looks the same to the seat.
"""

from collections import Counter
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from scipy.stats import chisquare

import kgb_env
from kgb_env import derive_seed
from kgb_env.errors import GameOverError, IllegalActionError, RecordError
from kgb_env.games.confusion import notebook
from kgb_env.games.confusion.spec import ACTION_BITS, ANSWER, ANSWERED_NO, ANSWERED_YES, DOUBLE_AGENT, NO, OUT, YES
from tests.confusion.positions import (
    DA,
    DEAL,
    RED,
    SMALL_DEAL,
    WHITE,
    dealt,
    own_game,
    pieces_in,
    play,
    position,
    possible,
)

pytestmark = pytest.mark.nojit

GAME = kgb_env.game("confusion")
WIDE_DEAL = {"A": 1, "C": 2, "D": 3, "F": 4, "H": DA}
WIDE_PIECES = "Lance F FL 3 promotable\nMan F B L R 1\nBishop FL FR BL BR 2\nRook F B L 2 promotable"
WIDE_SETUP = "board 7 x 5\nrow 2 ..F.H..\nrow 1 ..ACD.."


@pytest.fixture
def small(tmp_path):
    return own_game(tmp_path, max_turns=20)


@pytest.fixture
def wide(tmp_path):
    return own_game(tmp_path, WIDE_PIECES, WIDE_SETUP, max_turns=20)


# Brute force


def replayed(game, start, log):
    """Return the state after the same events from another start, or None if they could not have happened."""
    states = start.copy()
    for entry in log:
        try:
            game.play(states, entry & ACTION_BITS)
            if entry & (ANSWERED_YES | ANSWERED_NO) and states["phase"][0] == ANSWER and states["to_move"][0] >= 0:
                game.play(states, YES if entry & ANSWERED_YES else NO)
        except (IllegalActionError, GameOverError):
            return None
    return states


def worlds_by_force(game, start, states, seat):
    """Return all deals of the seat's pieces after which it would have seen the same; {pieces by spy: state}."""
    seen, log = game.view(states, seat).tobytes(), states["log"][0, : states["events"][0]].tolist()
    spies, found = int(game.tables[0].spies), {}
    for pieces in permutations(start["piece"][0, seat, :spies].tolist()):
        other = start.copy()
        other["piece"][0, seat, :spies] = pieces
        after = replayed(game, other, log)
        if after is not None and game.view(after, seat).tobytes() == seen:
            found[pieces] = after
    return found


def counted(game, worlds):
    """Count in how many worlds each spy has each piece, the Double Agent's last."""
    spies = int(game.tables[0].spies)
    columns = [*range(spies - 1), DOUBLE_AGENT]
    return [[sum(pieces[spy] == piece for pieces in worlds) for piece in columns] for spy in range(spies)]


def random_positions(game, deal, seeds, plies):
    """Yield (start, state) of random games after some plies."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        letters, pieces = list(deal), list(deal.values())
        sides = [
            dict(zip(letters, [pieces[i] for i in rng.permutation(len(pieces))], strict=True)) for _ in (WHITE, RED)
        ]
        start = dealt(game, *sides)
        states = start.copy()
        for _ in range(plies):
            if states["over"][0]:
                break
            options = game.legal(states)
            weights = np.where(options < OUT, 1.0, 0.1)
            game.play(states, rng.choice(options, p=weights / weights.sum()))
        yield start, states


# The notebook


def test_at_the_start_every_deal_is_possible():
    for seat in (WHITE, RED):
        found = notebook(GAME, GAME.view(dealt(GAME), WHITE), seat)
        assert found.deals == factorial(13)
        assert (found.counts == factorial(12)).all()
        assert found.possible.all()
        assert found.letters == "".join(DEAL)
        assert found.pieces[0] == "Runner"
        assert found.pieces[-1] == "Double Agent"


def test_it_equals_brute_force_on_small_games(small, wide):
    cases = [*random_positions(small, SMALL_DEAL, range(8), 30), *random_positions(wide, WIDE_DEAL, range(2), 40)]
    games = [small] * 8 + [wide] * 2
    sizes = []
    for game, (start, states) in zip(games, cases, strict=True):
        for seat in (WHITE, RED):
            worlds = worlds_by_force(game, start, states, seat)
            truth = tuple(states["piece"][0, seat, : int(game.tables[0].spies)].tolist())
            assert truth in worlds
            for viewer in (WHITE, RED):  # both hear the same answers
                found = notebook(game, game.view(states, viewer), seat)
                assert found.deals == len(worlds)
                assert found.counts.tolist() == counted(game, worlds)
            sizes.append(len(worlds))
    assert min(sizes) < 6
    assert max(sizes) > 12


def test_it_equals_brute_force_with_auto_answer_at_own_decisions(tmp_path):
    game = own_game(tmp_path, auto_answer=True, max_turns=20)
    for start, states in random_positions(game, SMALL_DEAL, range(8), 20):
        if states["phase"][0] != ANSWER:
            for seat in (WHITE, RED):
                worlds = worlds_by_force(game, start, states, seat)
                assert notebook(game, game.view(states, seat), seat).counts.tolist() == counted(game, worlds)


def test_each_piece_is_dealt_once():
    # Two spies that can only be 2 or the Double Agent have both: nobody else is either.
    states = position(GAME, {"C": "a1", "A": "k2"}, {"A": "k8"}, "e6")
    states["possible"][0, WHITE, :2] = 1 << 1 | 1 << DOUBLE_AGENT
    found = notebook(GAME, GAME.view(states, WHITE), WHITE)
    assert found.deals == 2 * factorial(11)
    assert found.counts[:2, [1, 12]].tolist() == [[factorial(11)] * 2] * 2
    assert not found.possible[2:, [1, 12]].any()
    assert (found.counts[2:, [0, *range(2, 12)]] == 2 * factorial(10)).all()


def test_all_but_one_known_gives_the_last(small):
    start = dealt(small, SMALL_DEAL, SMALL_DEAL)
    states = play(small, start, "D d1-e2", "answer yes", "expose", "A d5-d4", "answer yes")
    states = play(small, states, "C c1-b2", "answer no", "A d4-e4", "answer no", "A b1-b3", "answer yes")
    found = notebook(small, small.view(states, WHITE), WHITE)
    assert possible(small, states, WHITE) == {"A": {1}, "C": {1, 2}, "D": {3}, "F": {DA}}
    assert found.deals == 1
    assert found.possible.tolist() == np.eye(4, dtype=bool).tolist()


def test_a_double_agent_may_have_answered_anything(small):
    deal = {"A": DA, "C": 1, "D": 3, "F": 2}
    start = dealt(small, deal, SMALL_DEAL)
    one = play(small, start, "D d1-e2", "answer yes", "A d5-d4", "answer yes")
    found = notebook(small, small.view(one, WHITE), WHITE)
    assert found.possible[:, -1].all()  # anybody may be the Double Agent, D too, who went like a bishop
    assert found.possible[2].tolist() == [False, False, True, True]
    states = play(small, one, "A b1-b2", "answer no", "A d4-e4", "answer no", "A b1-a2", "answer no")
    assert possible(small, states, WHITE)["A"] == {DA}
    found = notebook(small, small.view(states, WHITE), WHITE)
    assert found.possible[:, -1].tolist() == [True, False, False, False]
    assert found.possible[2].tolist() == [False, False, True, False]
    assert found.deals == 2


def test_it_prints_as_a_table(small):
    states = play(small, dealt(small, SMALL_DEAL, SMALL_DEAL), "D d1-e2", "answer yes")
    assert str(notebook(small, small.view(states, RED), WHITE)) == (
        "     1  2  3 DA\n  A  ?  ?  ?  ?\n  C  ?  ?  ?  ?\n  D  .  .  ?  ?\n  F  ?  ?  ?  ?\n12 deals are possible"
    )


def test_what_is_no_single_view_or_no_seat_is_refused(small):
    views = small.view(small.start(np.arange(2, dtype=np.uint64)), WHITE)
    with pytest.raises(RecordError, match="one view by a seat of confusion, got 2"):
        notebook(small, views, WHITE)
    with pytest.raises(ValueError, match="seat=2"):
        notebook(small, views[:1], 2)
    with pytest.raises(RecordError):
        notebook(small, np.zeros(1), WHITE)


def test_memory_that_was_never_started_is_refused(small):
    with pytest.raises(RecordError):
        notebook(small, small.new(), WHITE)


# Possible worlds


def positions_with_few_worlds(small):
    """Return (start, state, seat) with 2 to 12 possible deals, by different kinds of knowledge."""
    start = dealt(small, SMALL_DEAL, SMALL_DEAL)
    other = dealt(small, {"A": DA, "C": 1, "D": 3, "F": 2}, {"A": 3, "C": DA, "D": 1, "F": 2})
    return [
        (start, play(small, start, "D d1-e2", "answer yes"), WHITE),
        (start, play(small, start, "A b1-b3", "answer yes"), WHITE),
        (start, play(small, start, "D d1-e2", "answer yes", "expose", "A d5-d4", "answer yes"), WHITE),
        (start, play(small, start, "A b1-b3", "answer yes", "A d5-d3", "answer yes", "A b3-b4", "answer yes"), WHITE),
        (other, play(small, other, "D d1-e2", "answer yes", "A d5-e4", "answer yes", "A b1-a2", "answer no"), WHITE),
        (other, play(small, other, "expose", "D d1-e2", "answer yes", "A d5-e4", "answer yes"), RED),
        (other, play(small, other, "D d1-e2", "answer yes", "A d5-e4", "answer yes", "out A"), RED),
    ]


def test_worlds_are_all_possible_deals_equally_often(small):
    for number, (start, states, seat) in enumerate(positions_with_few_worlds(small)):
        worlds = worlds_by_force(small, start, states, seat)
        assert 2 <= len(worlds) <= 12, number
        seeds = np.array([derive_seed(number, 0, k) for k in range(100 * len(worlds))], np.uint64)
        drawn = small.determinize(small.view(states, seat), seeds)
        times = Counter(map(tuple, drawn["piece"][:, seat, :4].tolist()))
        assert set(times) == set(worlds)
        assert chisquare(list(times.values())).pvalue > 0.001


def test_a_world_is_the_state_that_the_replayed_deal_leads_to(small):
    start, states, seat = positions_with_few_worlds(small)[0]
    worlds = worlds_by_force(small, start, states, seat)
    for world in small.determinize(small.view(states, seat), np.arange(20, dtype=np.uint64)):
        expected = worlds[tuple(world["piece"][seat, :4].tolist())].copy()
        expected["rng"] = world["rng"]
        assert world.tobytes() == expected[0].tobytes()


def test_worlds_keep_what_is_known_and_the_opponents_pieces():
    states = play(GAME, dealt(GAME), "L c2-c4", "answer yes", "expose", "L i10-h9", "answer no")
    drawn = GAME.determinize(GAME.view(states, WHITE), np.arange(10, dtype=np.uint64))
    assert (drawn["piece"][:, RED] == states["piece"][0, RED]).all()
    assert (drawn["piece"][:, WHITE, 12] == DOUBLE_AGENT).all()  # exposed
    fitting = pieces_in(int(states["possible"][0, WHITE, 6]))
    assert {piece + 1 for piece in drawn["piece"][:, WHITE, 6].tolist()} <= fitting
    assert all(sorted(pieces) == list(range(13)) for pieces in drawn["piece"][:, WHITE].tolist())
    assert len({pieces.tobytes() for pieces in drawn["piece"][:, WHITE]}) == 10

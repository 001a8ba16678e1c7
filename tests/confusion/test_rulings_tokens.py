"""Rulings C14 and C21: the tokens, and Reveal 1; with them C18 and C19.

The expected answers come from the rulings and the rulebook; positions.py says which letter has which piece.
"""

from dataclasses import replace

import numpy as np
import pytest

import kgb_env
from kgb_env import PUBLIC, UNKNOWN
from kgb_env.errors import IllegalActionError
from kgb_env.games.confusion import notebook
from kgb_env.games.confusion.spec import BEYOND, TOKENS
from tests.confusion.positions import (
    DA,
    DEAL,
    EVERYTHING,
    RED,
    WHITE,
    dealt,
    legal,
    play,
    position,
    possible,
    promoted,
    proposers,
    result,
    revealed,
    squares,
    to_move,
    tokens,
)

pytestmark = pytest.mark.nojit

GAME = kgb_env.game("confusion", special_actions=True)
WHITE_WINS = [1, -1]
ALL = set(TOKENS)


def at(white, red, briefcase="k6", turn=0, game=GAME, **others):
    return position(game, white, red, briefcase, turn, **others)


def after(states, *texts, game=GAME):
    return play(game, states, *texts)


def special(states, game=GAME):
    """Return the words with which the legal tokens and removals begin."""
    words = {text.split()[0] for text in legal(game, states)}
    return words & {"reveal", "move", "swap", "out", "expose"}


# C14: who has which, and when


def test_c14_no_tokens_unless_asked_for():
    states = dealt(kgb_env.game("confusion"))
    assert special(states, kgb_env.game("confusion")) == {"out", "expose"}
    assert tokens(states, WHITE) == tokens(states, RED) == set()


def test_c14_all_three_for_both_seats():
    states = dealt(GAME)
    assert special(states) == {"reveal", "move", "swap", "out", "expose"}
    assert {f"reveal {letter}" for letter in DEAL} <= legal(GAME, states)
    assert sum(text.startswith("swap") for text in legal(GAME, states)) == 13 * 12 // 2
    states = after(states, "L c2-c3", "answer yes")
    assert special(states) == {"reveal", "move", "swap", "out", "expose"}
    assert tokens(states, WHITE) == tokens(states, RED) == ALL


@pytest.mark.parametrize(
    ("given", "white", "red"),
    [
        ([["swap"], []], {"swap"}, set()),
        ([[], ["reveal", "move"]], set(), {"reveal", "move"}),
        ([["reveal"], ["reveal", "move", "swap"]], {"reveal"}, ALL),
        ([["move"], ["move"]], {"move"}, {"move"}),
    ],
)
def test_c14_fewer_for_a_handicap(given, white, red):
    game = kgb_env.game("confusion", special_actions=given)
    states = dealt(game)
    assert special(states, game) == white | {"out", "expose"}
    states = play(game, states, "L c2-c3", "answer yes")
    assert special(states, game) == red | {"out", "expose"}
    assert tokens(states, WHITE) == white
    assert tokens(states, RED) == red


@pytest.mark.parametrize(("text", "token"), [("reveal A", "reveal"), ("move two", "move"), ("swap A C", "swap")])
def test_c14_one_a_turn_and_each_once_in_a_game(text, token):
    states = after(dealt(GAME), text)
    assert to_move(states) == WHITE
    assert special(states) == set()
    for viewer in (WHITE, RED, PUBLIC):
        view = GAME.view(states, viewer)
        assert tokens(view, WHITE) == ALL - {token}
        assert tokens(view, RED) == ALL
    states = after(states, "L c2-c3")
    assert special(states) == set()  # not while an answer is due
    states = after(states, "answer yes", *(["N d2-d3", "answer no"] if token == "move" else []))
    assert special(states) == {"reveal", "move", "swap", "out", "expose"}  # Red has all of its own
    states = after(states, "L i10-i9", "answer yes")
    assert special(states) == ({"reveal", "move", "swap"} - {token}) | {"out", "expose"}
    with pytest.raises(IllegalActionError):
        after(states, text)


@pytest.mark.parametrize("removal", ["out X", "expose"])
def test_c14_not_in_a_turn_with_c9_nor_the_other_way_round(removal):
    assert special(after(dealt(GAME), removal)) == set()
    for token in ("reveal A", "move two", "swap A C"):
        states = after(dealt(GAME), token)
        assert special(states) == set()
        with pytest.raises(IllegalActionError):
            after(states, removal)
    states = after(dealt(GAME), removal, "L c2-c3", "answer yes", "reveal A", "L i10-i9", "answer yes")
    assert {"reveal", "move", "swap", "out"} <= special(states)  # the next turn is another


def test_c14_the_tokens_are_in_the_observation_of_both():
    game = kgb_env.game("confusion", special_actions=[["reveal", "swap"], ["move"]])
    states = play(game, dealt(game), "reveal A")
    for viewer, expected in ((WHITE, [[0, 0, 1], [0, 1, 0]]), (RED, [[0, 1, 0], [0, 0, 1]])):
        frame = game.encode(game.view(states, viewer))
        entries = GAME.observation.tokens
        assert frame.observation[0, entries.start : entries.stop].reshape(2, 3).tolist() == expected
        assert frame.observation_mask[0, entries.start : entries.stop].all()
        barred = GAME.observation.barred
        assert np.flatnonzero(frame.observation[0, barred.start : barred.stop]).tolist() == [0]


# Reveal 1


def test_c14_reveal_shows_the_piece_to_its_owner_and_both_know_it():
    before = dealt(GAME)
    states = after(before, "reveal H")
    assert GAME.view(before, WHITE)["piece"][0, WHITE, 4] == UNKNOWN
    for viewer in (WHITE, RED, PUBLIC):
        view = GAME.view(states, viewer)
        assert revealed(GAME, view, WHITE) == {"H": 5}
        assert revealed(GAME, view, RED) == {}
        assert possible(GAME, view, WHITE)["H"] == {5}
        assert GAME.notation.log(GAME, view) == ["White: reveal H"]
    hidden = GAME.view(states, WHITE)["piece"][0, WHITE] == UNKNOWN
    assert hidden.sum() == 12  # nothing else
    assert (GAME.view(states, RED)["piece"][0, RED] == UNKNOWN).all()
    assert squares(GAME, states, WHITE) == squares(GAME, before, WHITE)  # it stays where it is


def test_c14_reveal_shows_a_removed_spy_too():
    states = at({"C": "a1", "L": "c4"}, {"J": "c6", "A": "k8"}, turn=1)
    states = after(states, "J c6xc4", "answer yes")  # L is captured
    assert {"reveal L", "reveal C", "reveal X"} <= legal(GAME, states)
    states = after(states, "reveal L")
    assert revealed(GAME, states, WHITE) == {"L": 7}
    assert squares(GAME, states, WHITE) == {"C": "a1"}
    assert proposers(GAME, states) == "C"
    states = after(dealt(GAME), "out X", "L c2-c3", "answer yes", "L i10-i9", "answer yes", "reveal X")
    assert revealed(GAME, states, WHITE) == {"X": DA}
    assert proposers(GAME, states) == "ACDFJLNPSTV"  # H is shut in


def test_c14_the_revealed_spy_may_not_be_proposed_this_turn_but_in_the_next():
    states = after(dealt(GAME), "reveal L")
    assert proposers(GAME, states) == "ADFJNPSTVX"  # C and H are shut in
    with pytest.raises(IllegalActionError):
        after(states, "L c2-c3")
    states = after(states, "N d2-d3", "answer no", "L i10-i9", "answer yes")
    assert "L" in proposers(GAME, states)


def test_c14_the_revealed_spy_may_not_pass_the_briefcase_either():
    states = at({"J": "f6", "A": "a1"}, {"A": "k8"}, "f6")
    assert {"pass f6-f7", "J f6-f7 leave"} <= legal(GAME, states)
    shown = after(states, "reveal J")
    assert all(text.startswith("A a1-") for text in legal(GAME, shown))
    other = after(states, "reveal A")
    assert {"pass f6-f7", "J f6-f7 leave", "J f6-f7"} <= legal(GAME, other)
    assert proposers(GAME, other) == "J"


def test_c14_reds_reveal():
    states = after(dealt(GAME), "L c2-c3", "answer yes", "reveal X")
    assert to_move(states) == RED
    assert revealed(GAME, GAME.view(states, RED), RED) == {"X": DA}
    assert possible(GAME, states, RED)["X"] == {DA}
    assert possible(GAME, states, WHITE)["X"] == EVERYTHING
    assert "X" not in proposers(GAME, states)
    assert tokens(states, RED) == {"move", "swap"}
    assert tokens(states, WHITE) == ALL


def test_c14_a_revealed_double_agent_is_still_answered_for_freely():
    states = after(dealt(GAME), "reveal X", "L c2-c3", "answer yes", "L i10-i9", "answer yes", "X f2-f4")
    assert legal(GAME, states) == {"answer yes", "answer no"}
    for answer in ("answer yes", "answer no"):
        assert possible(GAME, after(states, answer), WHITE)["X"] == {DA}


def test_c14_a_reveal_tells_the_notebook():
    states = after(dealt(GAME), "reveal H")
    for viewer in (WHITE, RED):
        page = notebook(GAME, GAME.view(states, viewer), WHITE)
        assert page.deals == 479001600  # 12!
        assert page.possible[4].tolist() == [piece == 5 for piece in range(1, 14)]
        assert not page.possible[:4, 4].any()
    worlds = GAME.determinize(GAME.view(states, WHITE), np.arange(20, dtype=np.uint64))
    assert (worlds["piece"][:, WHITE, 4] == 4).all()
    assert len(set(worlds["piece"][:, WHITE, 0].tolist())) > 1
    assert GAME.view(worlds, WHITE).tobytes() == np.repeat(GAME.view(states, WHITE), 20).tobytes()


def test_c14_a_reveal_is_all_that_tells_two_deals_apart():
    other_deal = DEAL | {"A": 5, "H": 1}
    one, two = dealt(GAME), dealt(GAME, other_deal)
    assert GAME.view(one, WHITE).tobytes() == GAME.view(two, WHITE).tobytes()
    one, two = after(one, "reveal J"), after(two, "reveal J")  # another spy: nothing about these
    assert GAME.view(one, WHITE).tobytes() == GAME.view(two, WHITE).tobytes()
    one, two = after(dealt(GAME), "reveal A"), after(dealt(GAME, other_deal), "reveal A")
    assert GAME.view(one, WHITE).tobytes() != GAME.view(two, WHITE).tobytes()
    assert GAME.view(one, WHITE).tobytes() != GAME.view(after(dealt(GAME), "reveal C"), WHITE).tobytes()


def test_c18_a_shown_piece_is_struck_from_all_other_spies_of_that_side_at_once():
    states = after(at({"A": "a1", "C": "b1"}, {"X": "f6", "A": "k8"}), "reveal C")
    assert possible(GAME, states, WHITE) == dict.fromkeys(DEAL, EVERYTHING - {2}) | {"C": frozenset({2})}
    assert possible(GAME, states, RED) == dict.fromkeys(DEAL, EVERYTHING)
    states = after(states, "A a1-a2", "answer yes", "X f6-f5", "answer yes", "expose")
    assert possible(GAME, states, RED) == dict.fromkeys(DEAL, EVERYTHING - {DA}) | {"X": frozenset({DA})}


def test_c19_after_the_end_nothing_more_is_revealed():
    states = after(at({"J": "c3", "A": "a1"}, {"A": "c5"}), "reveal A", "J c3xc5", "answer yes")
    assert result(GAME, states) == ("elimination", WHITE_WINS)
    for viewer, expected in ((WHITE, [1, 13]), (RED, [13, 0]), (PUBLIC, [1, 0])):
        known = GAME.view(states, viewer)["piece"][0] != UNKNOWN
        assert known.sum(axis=1).tolist() == expected
    assert (GAME.oracle(states, WHITE)["piece"] != UNKNOWN).all()


def test_c21_reveal_may_name_shown_ones_and_spends_the_token():
    states = after(at({"A": "a1", "C": "b1"}, {"X": "f6", "A": "k8"}, turn=1), "X f6-f5", "answer yes", "expose")
    states = after(states, "A a1-a2", "answer yes")  # Red's X is shown and gone
    states = after(states, "reveal X")
    assert revealed(GAME, states, RED) == {"X": DA}
    assert tokens(states, RED) == {"move", "swap"}
    assert special(states) == set()
    assert proposers(GAME, states) == "A"


def test_c21_reveal_of_a_promoted_spy_shows_the_original_piece():
    states = after(at({"A": "f9", "C": "a1"}, {"A": "k8"}), "A f9-f11", "answer yes", "A k8-k7", "answer yes")
    states = after(states, "reveal A")
    assert revealed(GAME, states, WHITE) == {"A": 1}
    assert possible(GAME, states, WHITE)["A"] == {1}
    assert promoted(GAME, states, WHITE) == {"A"}
    states = after(states, "C a1-b2", "answer yes", "A k7-k6", "answer yes", "A f11-e10")
    assert legal(GAME, states) == {"answer yes"}  # it stays promoted: 2 in all eight directions
    assert possible(GAME, after(states, "answer yes"), WHITE)["A"] == {1}


def test_c21_reveal_may_leave_nothing_but_a_skip_and_a_seat_that_can_only_skip_may_reveal():
    states = after(at({"A": "a1"}, {"A": "k8"}), "reveal A")
    assert legal(GAME, states) == {"skip"}
    states = after(states, "skip")
    assert to_move(states) == RED
    assert squares(GAME, states, WHITE) == {"A": "a1"}
    assert possible(GAME, states, WHITE)["A"] == {1}
    assert states["turn"][0] == 1


def test_c21_a_seat_that_can_only_skip_may_use_tokens():
    tables = GAME.tables.copy()
    tables["path"] = BEYOND
    game = replace(GAME, tables=tables)
    states = at({"A": "a1", "C": "a2"}, {"A": "k8"}, game=game)
    assert {"skip", "reveal A", "move two", "swap A C", "out A"} <= legal(game, states)
    for token in ("reveal A", "move two", "swap A C"):
        assert legal(game, play(game, states, token)) == {"skip"}


# The log


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["swap A J", "L c2-c4", "answer yes"], ["swap A J", "L c2-c4: yes"]),
        (["swap L V", "S g2-g4", "answer yes"], ["swap L V", "S g2-g4: yes"]),
        (["reveal X", "S g2-g4", "answer yes"], ["reveal X", "S g2-g4: yes"]),
        (
            ["move two", "X f2-f3", "answer no", "S g2-g4", "answer yes"],
            ["move two", "X f2-f3: no", "S g2-g4: yes"],
        ),
    ],
)
def test_the_log_tells_tokens_to_everybody(texts, expected):
    states = after(dealt(GAME), *texts, "L i10-i8", "answer yes")
    for viewer in (WHITE, RED, PUBLIC):
        log = GAME.notation.log(GAME, GAME.view(states, viewer))
        assert log == [*(f"White: {line}" for line in expected), "Red: L i10-i8: yes"]


def test_the_log_follows_swapped_spies():
    states = after(dealt(GAME), "swap A L", "N d2-d3", "answer no", "S e10-e9")
    states = after(states, "answer yes", "A c2-c4", "answer yes")
    assert GAME.notation.log(GAME, GAME.view(states, PUBLIC))[-1] == "White: A c2-c4: yes"


def test_with_auto_answer_tokens_look_the_same_at_own_decisions():
    games = [kgb_env.game("confusion", special_actions=True, auto_answer=is_auto) for is_auto in (False, True)]
    slow, quick = (dealt(game) for game in games)
    slow = play(games[0], slow, "move two", "L c2-c4", "answer yes")
    quick = play(games[1], quick, "move two", "L c2-c4")
    assert legal(games[0], slow) == legal(games[1], quick)
    quick = play(games[1], quick, "X f2-f4")
    assert legal(games[1], quick) == {"answer yes", "answer no"}  # he is asked about the Double Agent
    assert to_move(play(games[1], quick, "answer no")) == RED
    views = []
    for deal in (DEAL, DEAL | {"L": DA, "X": 7}):
        states = play(games[1], dealt(games[1], deal), "move two", "L c2-c4")
        states = states if to_move(states) == WHITE else play(games[1], states, "answer yes")
        views.append(games[1].view(states, WHITE).tobytes())
    assert views[0] == views[1]  # whether Red was asked does not show

"""Notation, drawings, the log and positions from text: read as written, wrong texts refused, nothing hidden shown."""

import numpy as np
import pytest

from kgb_env import PUBLIC, kernels
from kgb_env.errors import NotationError
from kgb_env.games.secret_formula import parse_position
from tests.secret_formula.positions import at, carried, guard, is_down, known, lying, own_game, run, where

pytestmark = pytest.mark.nojit


@pytest.fixture
def camp(tmp_path):
    return own_game(tmp_path)


def positions(game):
    return {
        "formula": game.begin(),
        "first": run(game, game.begin(), "formula d5"),
        "gate": run(game, game.begin(), "formula d5", "first 1"),
        "throw": at(game, "seat 0 d2"),
        "move": at(game, "guard GAR", "seat 0 d2", "then throw 1 2"),
        "hit": at(game, "seat 0 d2 woken", "seat 1 d2"),
        "return": at(game, "seat 1 d2"),
        "escape": at(game, "seat 0 e4", "then throw 1 1, throw 1 2"),
        "over": at(game, "formula d5", "seat 0 d2", "envelope d5 seat 0", "then throw 1 2, leave elm"),
    }


def test_every_action_is_read_back_as_written(camp):
    for states in positions(camp).values():
        for records in (states, *(camp.view(states, seat) for seat in (0, 3, PUBLIC))):
            texts = [camp.notation.action(camp, records, action) for action in range(camp.actions.size)]
            assert [camp.notation.parse_action(camp, records, text) for text in texts] == list(range(camp.actions.size))
            assert len(set(texts)) == len(texts)


def test_the_notation_is_that_of_the_page(camp):
    states = positions(camp)["move"]
    texts = [camp.notation.action(camp, states, action) for action in range(camp.actions.size)]
    gates = ["elm", "oak", "west", "east"]
    assert texts[:3] == ["stay", "wait", "hit"]
    assert texts[3:11] == [f"gate {gate}" for gate in gates] + [f"leave {gate}" for gate in gates]
    assert texts[11:13] == ["go d1", "go j1"]
    assert "surrender d5" in texts
    assert "go d5" in [camp.notation.action(camp, positions(camp)["escape"], a) for a in range(camp.actions.size)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no action; write for instance 'go d1', 'surrender d1', 'leave elm', 'gate elm'"),
        ("go", "is no action"),
        ("go a1", "there is no 'a1' on the board; there are d1 to "),
        ("go d5", "one surrenders; write 'surrender d5'"),
        ("surrender d2", "write 'go d2'"),
        ("leave north", "no 'north' on the board; there are elm, oak, west, east"),
        ("fly d2", "is no action"),
    ],
)
def test_other_texts_are_refused(camp, text, message):
    with pytest.raises(NotationError, match=message):
        camp.notation.parse_action(camp, positions(camp)["move"], text)


def test_outcomes_are_read_back_as_written(camp):
    throws = [f"throw {low} {high}" for low in range(1, 7) for high in range(low, 7)]
    for name, texts in (
        ("formula", [f"formula {cell}" for cell in ("d5", "i5", "n5", "c6", "h6", "p7")]),
        ("first", [f"first {seat}" for seat in range(4)]),
        ("throw", throws),
    ):
        states, weights = positions(camp)[name], camp.weights()
        kernels.chance(states[0], weights, camp.tables[0])
        outcomes = np.flatnonzero(weights)
        assert [camp.notation.outcome(camp, states, int(outcome)) for outcome in outcomes] == texts
        assert [camp.notation.parse_outcome(camp, states, text) for text in texts] == outcomes.tolist()


def test_throws_have_the_weights_of_two_dice(camp):
    states, weights = positions(camp)["throw"], camp.weights()
    kernels.chance(states[0], weights, camp.tables[0])
    assert weights.sum() == 36
    for throw in np.flatnonzero(weights):
        _, low, high = camp.notation.outcome(camp, states, int(throw)).split()
        assert weights[throw] == (1 if low == high else 2)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("throw", "throw 5 3", "the lower first"),
        ("throw", "first 0", "due is 'throw A B'"),
        ("first", "first 4", "N from 0 to 3"),
        ("formula", "formula a2", "one of the hiding places d5, "),
    ],
)
def test_other_outcomes_are_refused(camp, name, text, message):
    with pytest.raises(NotationError, match=message):
        camp.notation.parse_outcome(camp, positions(camp)[name], text)


def test_the_map_shows_envelopes_the_guard_and_the_seats(camp):
    states = at(camp, "guard KIT", "seat 0 g4", "seat 1 c2", "envelope d5 seat 1")
    assert camp.notation.draw(camp, camp.view(states, PUBLIC)).splitlines()[:8] == [
        "###=#####=#######",
        "=:1:::::::::::::=",
        "#+##+#+##+#+###+#",
        "#....#0...#&..#.#",
        "#G...#H.X.+K.X#.#",
        "#.X..#.X..#...#.#",
        "###############X#",
        "#################",
    ]


def test_a_drawing_says_what_its_viewer_knows(camp):
    states = at(camp, "formula d5", "seat 0 g4", "seat 1 c2 knocked-out", "envelope d5 seat 0", "envelope h6 b2")
    mine, other = (camp.notation.draw(camp, camp.view(states, seat)) for seat in (0, 2))
    assert "carries d5 FORMULA" in mine
    assert "h6 on b2" in mine
    assert "?" not in mine.replace("? unknown", "")
    assert "carries d5?" in other
    assert "knocked out" in other
    assert "FORMULA" not in other


def test_a_drawing_says_what_is_due(camp):
    due = {
        "formula": "being drawn",
        "gate": "is to choose a gate.",
        "throw": "Round 1 of 60, guard in TOW: seat 0 is to throw.",
        "move": "guard in GAR: seat 0 has thrown 1 2 and is to move, 3 left.",
        "hit": "may hit who stands on its cell",
        "return": "is to choose a gate to come in by",
        "escape": "has thrown 1 2 and is to escape, 3 left.",
        "over": "The game is over: escape. Seat 0 wins.",
    }
    for name, text in due.items():
        assert text in camp.notation.draw(camp, camp.view(positions(camp)[name], PUBLIC))


def test_the_log_tells_the_game(camp):
    states = run(camp, camp.begin(), "formula i5", "first 1", "gate oak", "gate east", "gate elm", "gate west")
    states = run(camp, states, "throw 2 5", "go i4", "throw 1 1", "go p2", "throw 1 1", "go d2", "throw 1 1", "go b2")
    states = run(camp, states, "throw 1 1", "throw 1 2", "stay", "throw 1 2", "go o2")
    log = camp.notation.log(camp, camp.view(states, PUBLIC))
    assert log == [
        "seat 1: gate oak",
        "seat 2: gate east",
        "seat 3: gate elm",
        "seat 0: gate west",
        "seat 1: throw 2 5, go i4",
        "seat 2: throw 1 1, go p2",
        "seat 3: throw 1 1, go d2",
        "seat 0: throw 1 1, go b2",
        "guard: GAR",
        "seat 1: throw 1 1",
        "guard: alarm in HUT",
        "seat 1: throw 1 2 to escape, stay",
        "seat 1: captured",
        "seat 2: throw 1 2, go o2",
    ]
    states = at(camp, "seat 0 d2 woken", "seat 1 d2", "seat 2 m2", "then hit, throw 1 2, go d2, go e2, throw 1 1")
    assert camp.notation.log(camp, states) == [
        "seat 0: hits, then throw 1 2, go d2, go e2",
        "seat 1: wakes up",
        "seat 2: throw 1 1",
    ]


# Positions


def test_a_position_is_what_its_text_says(camp):
    states = parse_position(
        camp,
        """
        # all that can be said
        guard HUT
        formula c6
        first 2
        round 5
        turn 3
        seat 0 d4
        seat 1 e3 knocked-out
        seat 2 outside oak woken
        seat 3 m2
        envelope c6 seat 0
        envelope n5 q2
        examined 3 h6 d5
        """,
    )
    assert (guard(camp, states), states["first"][0], states["turn"][0]) == ("HUT", 2, 17)
    assert [where(camp, states, seat) for seat in range(4)] == ["d4", "e3", None, "m2"]
    assert is_down(states, 1)
    assert carried(camp, states, 0) == {"c6"}
    assert lying(camp, states)["n5"] == "q2"
    assert known(camp, states, 3) == {"h6": False, "d5": False}
    assert known(camp, states, 0)["c6"]
    assert states["actor"][0] == 3
    assert camp.view(states, 3).size == 1


def test_a_position_can_be_played_on_with_luck_of_its_own(camp):
    states = parse_position(camp, "seat 0 d2\nthen throw 1 2")
    states["rng"] = 7
    camp.play(states, int(camp.legal(states)[0]))
    assert states["turn"][0] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seat 0 d2\nseat 0 e2", "line 2, 'seat 0 e2': seat 0 has a place already"),
        ("seat 4 d2", "'4' is not a seat; there are 0, 1, 2, 3"),
        ("seat 0 a1", "'a1' is not a cell"),
        ("seat 0 d2 asleep", "knocked-out or woken"),
        ("seat 0 outside north", "'north' is not a gate; there are elm"),
        ("seat 0", "write for instance 'seat 0 f5'"),
        ("guard", "expected a sector"),
        ("guard BAR", "'BAR' is not a sector; there are GAR, HUT, KIT, TOW"),
        ("round 61", "'61' is not a round"),
        ("envelope d5 with 0", "'envelope m14 seat 0'"),
        ("envelope d5 seat 0\nthen throw 1 2", "seat 0 is outside the camp and can carry no envelopes"),
        ("guard HUT\nseat 0 h4", "nobody is when a turn begins"),
        ("seat 0 d2\nthen throw 7 7", "line 2, 'then throw 7 7': 'throw 7 7' is no outcome"),
        ("seat 0 d2\nthen throw 1 2, go p3", "'go p3' is illegal for seat 0"),
        ("seat 0 d2\nthen throw 1 2\nguard HUT", "comes last"),
        ("stand 0 d2", "a line begins with guard, formula"),
        ("examined", "write for instance 'examined 1"),
    ],
)
def test_other_positions_are_refused(camp, text, message):
    with pytest.raises(NotationError, match=message):
        parse_position(camp, text)

"""Notation, drawings and the log: read back as written, wrong texts refused, nothing hidden shown."""

import re

import numpy as np
import pytest

import kgb_env
from kgb_env import PUBLIC, kernels
from kgb_env.errors import NotationError
from kgb_env.games.confusion.files import PIECES, parse_pieces
from kgb_env.games.confusion.spec import ACTIONS
from tests.confusion.positions import DA, DEAL, RED, SMALL_DEAL, WHITE, dealt, legal, own_game, play, position

pytestmark = pytest.mark.nojit

GAME = kgb_env.game("confusion")
NAMES = [piece.name for piece in parse_pieces((PIECES / "standard.txt").read_text(encoding="utf-8"), "standard")]


def at(white, red, briefcase="f6", turn=0):
    return position(GAME, white, red, briefcase, turn)


MIDDLE = at({"J": "f6", "A": "k1", "C": "f8"}, {"A": "h8", "X": "f7"})
POSITIONS = {
    "dealing": GAME.begin(),
    "start": dealt(GAME),
    "white controls the briefcase": MIDDLE,
    "red controls the briefcase": at({"J": "e5", "A": "k1"}, {"A": "f6", "X": "g6"}, turn=1),
    "an answer is due": play(GAME, MIDDLE, "J f6xf7 leave"),
    "in the corners": at({"A": "a1", "C": "k11"}, {"A": "a11", "C": "k1"}, "k1", turn=1),
    "over": play(GAME, at({"J": "f10"}, {"A": "a1"}, "f10"), "J f10-f11", "answer yes"),
}


def parse(states, text):
    return GAME.notation.parse_action(GAME, states, text)


# Actions


@pytest.mark.parametrize("name", POSITIONS)
def test_every_action_is_read_back_as_written(name):
    states = POSITIONS[name]
    for records in (states, GAME.view(states, WHITE), GAME.view(states, RED), GAME.view(states, PUBLIC)):
        texts = [GAME.notation.action(GAME, records, action) for action in range(GAME.actions.size)]
        assert [parse(records, text) for text in texts] == list(range(GAME.actions.size))
        assert len(set(texts)) == len(texts)


def test_every_legal_proposal_names_squares():
    for states in (POSITIONS["start"], MIDDLE, POSITIONS["red controls the briefcase"], POSITIONS["in the corners"]):
        for text in legal(GAME, states):
            assert re.fullmatch(
                r"([A-Z] [a-k]\d+[-x][a-k]\d+( leave)?)|(pass [a-k]\d+-[a-k]\d+)|out [A-Z]|expose", text
            )


@pytest.mark.parametrize(
    ("squares", "way"),
    [
        ("J f6xf7", "J F1"),
        ("J f6-d4", "J BL2"),
        ("J f6-g6 leave", "leave R1"),
        ("J f6-g6 leave", "J R1 leave"),
        ("pass f6-f7", "pass F1"),
        ("A k1-k4", "A F3"),
        ("  A   k1-k4 ", "A F3"),
    ],
)
def test_a_proposal_is_named_by_squares_or_by_the_way(squares, way):
    assert parse(MIDDLE, squares) == parse(MIDDLE, way)


def test_squares_are_absolute_and_ways_are_the_seats_own():
    red = POSITIONS["red controls the briefcase"]
    for squares, way in (("A f6-f5", "A F1"), ("A f6-e6", "A R1"), ("A f6-h8", "A BL2"), ("pass f6xg6", "pass L1")):
        assert parse(red, squares.replace("x", "-")) == parse(red, way)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A k2-k3", "spy A is on k1"),
        ("A a1-a2", "spy A is on k1"),
        ("L c2-c3", "spy L is not there for you to move"),
        ("X f7-f6", "spy X is not there for you to move"),  # Red's
        ("A h8-h7", "spy A is on k1"),  # Red's A is there
        ("pass k1-k2", "the briefcase is on f6"),
        ("J f6-g8", "no straight way of 1 to 4 squares"),
        ("J f6-f6", "no straight way"),
        ("J f6-f11", "no straight way"),
        ("A k1-k0", "no straight way"),
        ("A k1-j0", "no straight way"),
        ("J f6-f12", "no straight way"),
    ],
)
def test_wrong_squares_are_refused_with_what_is_wrong(text, reason):
    with pytest.raises(NotationError, match=rf"'{text}': .*{reason}"):
        parse(MIDDLE, text)


@pytest.mark.parametrize("text", ["A k1-k2 leave", "C f8-f9 leave", "A F1 leave"])
def test_only_the_controller_can_leave_the_briefcase(text):
    with pytest.raises(NotationError):
        parse(MIDDLE, text)  # it must not be read as a proposal by J


@pytest.mark.parametrize("text", ["pass f6-f7", "J f6-f7 leave"])
def test_who_has_no_briefcase_cannot_name_its_square(text):
    with pytest.raises(NotationError):
        parse(at({"J": "f6", "A": "k1"}, {"A": "h8"}, "h8"), text)
    with pytest.raises(NotationError):
        parse(at({"J": "f6", "A": "k1"}, {"A": "h8"}, "e6"), text)


@pytest.mark.parametrize(
    "text",
    ["", "J", "j f6-f7", "J f6-z7", "J f6 f7", "B f6-f7", "J F5", "J F0", "J UP1", "answer", "out B", "deal A=3"],
)
def test_what_is_no_action_is_refused_with_examples(text):
    with pytest.raises(NotationError, match=r"is no action; write for instance 'D f2-f4', .*'skip'"):
        parse(MIDDLE, text)


def test_squares_off_a_small_board_are_refused(tmp_path):
    own = own_game(tmp_path)
    states = own.start(0)
    for text in ("D d1-f1", "D d1-f3", "A b1-b0", "F c2-c6"):
        with pytest.raises(NotationError, match="no straight way"):
            own.notation.parse_action(own, states, text)


@pytest.mark.parametrize("name", ["dealing", "over"])
def test_no_squares_when_no_seat_is_to_move(name):
    with pytest.raises(NotationError, match="no seat is to move"):
        parse(POSITIONS[name], "L c2-c3")


# Outcomes


def test_deals_are_written_and_read_for_the_spy_that_is_due():
    states = GAME.begin()
    assert GAME.notation.outcome(GAME, states, 2) == "deal A=3"
    assert GAME.notation.outcome(GAME, states, 12) == "deal A=DA"
    assert [GAME.notation.parse_outcome(GAME, states, f"deal A={n}") for n in (1, 12, DA)] == [0, 11, 12]
    for text in ("deal C=3", "deal A=0", "deal A=13", "deal A", "A=3", "deal A=X"):
        with pytest.raises(NotationError, match="due is 'deal A=NUMBER' or 'deal A=DA'"):
            GAME.notation.parse_outcome(GAME, states, text)


# Drawings

START = """\
 11 .  .  j  h  f  .  d  c  a  .  .
 10 .  .  v  t  s  x  p  n  l  .  .
  9 .  .  .  .  .  .  .  .  .  .  .
  8 .  .  .  .  .  .  .  .  .  .  .
  7 .  .  .  .  .  .  .  .  .  .  .
  6 .  .  .  .  .  .* .  .  .  .  .
  5 .  .  .  .  .  .  .  .  .  .  .
  4 .  .  .  .  .  .  .  .  .  .  .
  3 .  .  .  .  .  .  .  .  .  .  .
  2 .  .  L  N  P  X  S  T  V  .  .
  1 .  .  A  C  D  .  F  H  J  .  .
    a  b  c  d  e  f  g  h  i  j  k
"""


def board_of(drawing):
    return "".join(f"{line.rstrip()}\n" for line in drawing.splitlines()[:12])


def test_the_board_is_drawn_from_each_side():
    states = dealt(GAME)
    for viewer in (WHITE, PUBLIC):
        assert board_of(GAME.notation.draw(GAME, GAME.view(states, viewer))) == START
    lines = board_of(GAME.notation.draw(GAME, GAME.view(states, RED))).splitlines()
    rows = [line.split() for line in START.splitlines()]
    expected = [row[:1] + row[:0:-1] for row in rows[:11][::-1]] + [rows[11][::-1]]
    assert [line.split() for line in lines] == expected


def sections(drawing):
    """Return the paragraphs about the spies by their heading."""
    blocks = [block.splitlines() for block in drawing.split("\n\n")[2:4]]  # the legend follows
    return {block[0]: block[1:] for block in blocks}


@pytest.mark.parametrize("viewer", [WHITE, RED, PUBLIC])
def test_a_drawing_shows_only_pieces_that_the_viewer_may_know(viewer):
    states = play(GAME, dealt(GAME), "L c2-c4", "answer yes", "L i10-h9", "answer no")
    drawn = sections(GAME.notation.draw(GAME, GAME.view(states, viewer)))
    assert list(drawn) == (["Red's spies", "White's spies"] if viewer == RED else ["White's spies", "Red's spies"])
    for seat, heading in ((WHITE, "White's spies"), (RED, "Red's spies")):
        shown = [name for name in (*NAMES, "Double Agent") if any(name in line for line in drawn[heading])]
        assert shown == ([] if viewer in (seat, PUBLIC) else [*NAMES, "Double Agent"])
    assert "  L c4  one of: 1 3 4 6 7 10 DA" in drawn["White's spies"] or viewer == RED


@pytest.mark.parametrize("viewer", [WHITE, RED, PUBLIC])
def test_drawing_and_log_are_the_same_whatever_the_hidden_pieces_are(viewer):
    turned = dict(zip(DEAL, [*list(DEAL.values())[1:], 1], strict=True))
    deals = {WHITE: [(turned, DEAL)], RED: [(DEAL, turned)], PUBLIC: [(turned, DEAL), (DEAL, turned), (turned, turned)]}
    truth = position(GAME, {"J": "f6", "A": "k1"}, {"A": "h8"})
    shown = [GAME.notation.draw(GAME, GAME.view(truth, viewer)), GAME.notation.log(GAME, GAME.view(truth, viewer))]
    for other in deals[viewer]:
        twin = GAME.view(position(GAME, {"J": "f6", "A": "k1"}, {"A": "h8"}, deals=other), viewer)
        assert [GAME.notation.draw(GAME, twin), GAME.notation.log(GAME, twin)] == shown


def test_a_drawing_shows_what_is_revealed_promoted_out_and_asked():
    states = at({"A": "f9", "C": "a1", "X": "c3"}, {"A": "k8", "C": "k9"}, "k1")
    states = play(GAME, states, "A f9-f11", "answer yes", "expose", "A k8-k7")
    own = GAME.notation.draw(GAME, GAME.view(states, WHITE))
    assert "  A f11 one of: 1 3 4, now promoted (F FR R BR B BL L FL 2)" in own
    assert "  X out Double Agent" in own
    assert "  A k8  Runner (F 4, promotable)" in own
    assert "Turn 1 of 200: Red asks for A k8-k7; White must answer." in own
    assert board_of(own).splitlines()[-2] == "  1 C  .  .  .  .  .  .  .  .  .  .*"


def test_a_drawing_names_the_end():
    game = kgb_env.game("confusion", max_turns=1)
    assert "White has won: extraction." in GAME.notation.draw(GAME, POSITIONS["over"])
    states = play(GAME, at({"J": "c3"}, {"A": "c5"}), "out J")
    assert "Red has won: elimination." in GAME.notation.draw(GAME, states)
    states = play(game, dealt(game), "L c2-c3", "answer yes", "L i10-i9", "answer yes")
    assert "A draw: turn limit." in game.notation.draw(game, states)
    assert "The pieces are being dealt." in GAME.notation.draw(GAME, GAME.begin())


# The log

SHORT_GAME = {
    "L c2-c4": "White: L c2-c4: yes",
    "answer yes": "",
    "expose": "Red: expose X",
    "L i10-h9": "Red: L i10-h9: no",
    "answer no": "",
    "out A": "White: out A",
    "S g2-g5": "White: S g2-g5: yes",
    "answer yes ": "",
    "X f10-f6": "Red: X f10-f6: yes",
    " answer yes": "",
    "S g5-g6": "White: S g5-g6: yes",
    "answer  yes": "",
    "X f6xg6 leave": "Red: X f6xg6 leave: yes",
    "answer yes  ": "",
    "P e2-e5": "White: P e2-e5",
}


def test_the_log_of_a_short_game_is_the_same_for_everybody():
    states = dealt(GAME)
    for text in SHORT_GAME:
        states = play(GAME, states, text)
    expected = [line for line in SHORT_GAME.values() if line]
    for records in (states, *(GAME.view(states, viewer) for viewer in (WHITE, RED, PUBLIC))):
        assert GAME.notation.log(GAME, records) == expected
    assert GAME.notation.log(GAME, play(GAME, states, "answer no"))[-1] == "White: P e2-e5: no"


def test_the_log_tells_captures_promotions_and_passes(tmp_path):
    own = own_game(tmp_path, "Lance F 4 promotable\nMan F B L R 2\nBishop FL FR BL BR 2", max_turns=20)
    start = dealt(own, SMALL_DEAL, SMALL_DEAL)
    states = play(own, start, "A b1-b4", "answer yes", "A d5xd1", "answer yes", "A b4xb5", "answer yes")
    assert own.notation.log(own, states) == [
        "White: A b1-b4: yes",
        "Red: A d5xd1: yes, promoted",
        "White: A b4xb5: yes, promoted",
    ]
    states = play(own, start, "F c2-c3", "answer yes", "C c5-b4", "answer no", "pass c3-c4", "answer yes")
    states = play(own, states, "pass c4-b4", "answer no")
    assert own.notation.log(own, states) == [
        "White: F c2-c3: yes",
        "Red: C c5-b4: no",
        "White: pass c3-c4: yes",
        "Red: pass c4-b4: no",
    ]


def test_the_log_knows_whose_turn_it_is_after_a_pass_for_want_of_a_proposal():
    states = dealt(GAME)
    kernels.step(states[0], ACTIONS.skip.start, GAME.tables[0])
    states = play(GAME, states, "L i10-i9", "answer yes")
    assert GAME.notation.log(GAME, states) == ["White: skip", "Red: L i10-i9: yes"]


def test_the_log_is_the_same_with_auto_answer():
    auto = kgb_env.game("confusion", auto_answer=True)
    told, asked = dealt(auto), dealt(GAME)
    for move in ("L c2-c4", "L i10-h9", "S g2-g5"):
        told, asked = play(auto, told, move), play(GAME, asked, move)
        asked = play(GAME, asked, min(legal(GAME, asked)))
    assert auto.notation.log(auto, told) == GAME.notation.log(GAME, asked)
    assert np.array_equal(told["log"], asked["log"])

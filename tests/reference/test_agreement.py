"""The kernel and the reference engine play the same Confusion (C1 to C15)."""

from collections import Counter

from kgb_env.games.confusion.files import PIECES, SETUPS, parse_pieces, parse_setup
from tests.reference.agree import VARIANTS, play_both
from tests.reference.confusion import DEFAULT_PIECES, STANDARD

GAMES = 100

RARE = {
    "capture",
    "carry",
    "leave",
    "pass to nobody",
    "pass to an own spy",
    "pass to an enemy",
    "out",
    "expose",
    "promotion",
    "skip",
    "extraction",
    "extraction in the other's turn",
    "elimination by capture",
    "elimination by expose",
    "elimination by out",
    "turn limit",
    "reveal",
    "move two",
    "swap",
    "place",
    "promote no",
    "Double Agent uncovered",
    "option auto_answer",
    "option special_actions",
    *(f"option {variant}" for variant in VARIANTS),
}


def test_the_shipped_files_are_the_rulings_pieces_and_set_up():
    pieces = parse_pieces((PIECES / "standard.txt").read_text(encoding="utf-8"), "standard")
    assert [piece[1:] for piece in pieces] == [piece[1:] for piece in DEFAULT_PIECES]
    setup = parse_setup((SETUPS / "standard.txt").read_text(encoding="utf-8"), "standard")
    spies = {letter: (column + 1, row + 1) for letter, (column, row) in setup.spies.items()}
    assert (setup.columns, setup.rows, spies, "f6") == STANDARD


def test_both_engines_agree_at_every_ply_and_everything_rare_occurs():
    happened = sum((play_both(number) for number in range(GAMES)), Counter())
    assert happened["games"] == GAMES
    assert {event for event in RARE if happened[event]} == RARE

"""The kernel, the reference engine and the answers worked out by hand are the same Secret Formula (S1 to S16)."""

from collections import Counter

import pytest

from kgb_env.camp.board import load_board
from tests.reference.agree_secret_formula import PLAYERS, Kernel, plain, play_both
from tests.reference.secret_formula import SecretFormula
from tests.reference.secret_formula_positions import FILES, SITUATIONS, check

GAMES = 50

RARE = {
    *(f"board {board}" for board in PLAYERS),
    *(f"players {players}" for players in (2, 3, 4, 5, 6)),
    "mercy True",
    "alarm",
    "all examined but one",
    "back to the own cell",
    "captured by stay",
    "captured by surrender",
    "captured by throw",
    "captured while knocked out",
    "envelope robbed",
    "gate named again",
    "go on after a waypoint",
    "go to escape",
    "hit",
    "hit before moving again",
    "leave to escape",
    "several captured at once",
    "wait",
    "end: escape",
    "end: turn limit",
    "views alike",
    "views that differ",
}


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_the_reference_gives_the_answers_worked_out_by_hand(situation):
    board = plain(load_board(FILES[situation.board], situation.board))
    check(situation, SecretFormula(board, situation.players, **(situation.options or {})))


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_the_kernel_gives_the_answers_worked_out_by_hand(situation):
    check(situation, Kernel(situation.board, {"players": situation.players, **(situation.options or {})}))


def test_both_engines_agree_at_every_ply_and_everything_rare_occurs():
    happened = sum((play_both(number) for number in range(GAMES)), Counter())
    assert happened["games"] == GAMES
    assert {event for event in RARE if happened[event]} == RARE

"""The kernel, the reference engine and the answers worked out by hand are the same Double Agent (D1 to D15)."""

from collections import Counter

import pytest

from tests.reference.agree_double_agent import BOARDS, Kernel, play_both
from tests.reference.double_agent import DoubleAgent
from tests.reference.double_agent_positions import SECTORS, SITUATIONS, YARD, check, read

GAMES = 60

RARE = {
    *(f"board {board}" for board in BOARDS),
    *(f"players {players}" for players in (3, 4, 5, 6)),
    "rewards individual",
    "rewards team",
    "accuse rightly",
    "accuse wrongly",
    "accuse from the gazebo",
    "an exposed agent accuses",
    "the last Security Agent accuses",
    "a barred monitor",
    "inspect more than once",
    "sabotage",
    "stay",
    "end: exposed",
    "end: escape, standard",
    "end: escape, deluxe",
    "end: turn limit",
    "turn limit, first seat out",
    "views alike",
    "views that differ",
}


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_the_reference_gives_the_answers_worked_out_by_hand(situation):
    board = read(YARD, situation.monitors)
    check(situation, DoubleAgent(board, situation.players, **(situation.options or {})))


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_the_kernel_gives_the_answers_worked_out_by_hand(situation):
    if situation.monitors != tuple(SECTORS.values()):
        pytest.skip("the kernel has sectors without a monitor in the deluxe game alone")
    check(situation, Kernel("yard", {"players": situation.players, **(situation.options or {})}))


def test_both_engines_agree_at_every_ply_and_everything_rare_occurs():
    happened = sum((play_both(number) for number in range(GAMES)), Counter())
    assert happened["games"] == GAMES
    assert {event for event in RARE if happened[event]} == RARE

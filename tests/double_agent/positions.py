"""Positions of The Double Agent by hand, and what is in them, in the words of the rulings.

Most are on a small board of the tests' own, which no tuning of the shipped maps can change.  Cells are
named by column (a from the left) and row (1 at the top):

      abcdefghijklmnopq
    1 #################
    2 =:::::::::::::::=      gates west a2, east q2
    3 ##+###+###+###+##      doors c3, g3, k3, o3
    4 #G..#H..#K..#L..#      Garden, Hut, Kitchen, Laboratory
    5 #.@"#.*X#.*X#.*X#      the gazebo is c5; it touches c4 and b5
    6 #*"##...#...#...#
    7 #################
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import kgb_env
from kgb_env import Game, kernels
from kgb_env.games.double_agent import rules
from kgb_env.games.double_agent.boards import names_of
from kgb_env.games.double_agent.log import security_list
from kgb_env.games.double_agent.spec import GO, NOWHERE, OFF, ON, SABOTAGED, THROW
from kgb_env.record import CHANCE, NOBODY

BOARD = """
title The Test Camp
sector G GAR Garden
sector H HUT Hut
sector K KIT Kitchen
sector L LAB Laboratory
gates west east
route GAR HUT KIT LAB
scenery " hedges
map
#################
=:::::::::::::::=
##+###+###+###+##
#G..#H..#K..#L..#
#.@"#.*X#.*X#.*X#
#*"##...#...#...#
#################
"""
MONITORS = ("GAR", "HUT", "KIT", "LAB")


def own_game(folder: Path, board: str = BOARD, **options: Any) -> Game:
    """Return The Double Agent on the board of this text, written to a file in the folder."""
    path = folder / "board.txt"
    path.write_text(board, encoding="utf-8")
    return kgb_env.game("double_agent", board=str(path), **options)


def dealt(game: Game, double_agent: int = 0, opening: str | None = "HUT", first: int = 0) -> np.ndarray:
    """Return the start of a game after the opening plays; ``opening=None``: before them."""
    states = run(game, game.begin(), f"double agent {double_agent}", f"first {first}")
    while opening and states["to_move"][0] != CHANCE:
        states = run(game, states, f"open {opening}" if states["to_move"][0] == double_agent else "wait")
    return states


def run(game: Game, states: np.ndarray, *texts: str) -> np.ndarray:
    """Return the state after these outcomes and actions, each of which must be possible; the one given stays."""
    states = states.copy()
    for text in texts:
        if states["to_move"][0] == CHANCE:
            action, weights = game.notation.parse_outcome(game, states, text), game.weights()
            kernels.chance(states[0], weights, game.tables[0])
            assert weights[action], f"{text} has no weight"
        else:
            action = game.notation.parse_action(game, states, text)
            assert action in game.legal(states), f"{text!r} is illegal; legal are {sorted(legal(game, states))}"
        kernels.step(states[0], action, game.tables[0])
    return states


def standing(game: Game, states: np.ndarray, cells: Mapping[int, str]) -> np.ndarray:
    """Return the state with these seats on these cells, free to inspect wherever they go next."""
    states = states.copy()
    for seat, name in cells.items():
        states["cell"][0, seat] = names_of(game).cells.index(name)
        states["barred"][0, seat] = NOWHERE
    return states


def inspected(game: Game, states: np.ndarray, *inspections: str) -> np.ndarray:
    """Return the state after inspections wherever the inspectors are: ``"1 GAR"``, ``"2 GAR sabotage"``."""
    states = states.copy()
    for inspection in inspections:
        seat, code, *sabotage = inspection.split()
        sector = names_of(game).sectors.index(code)
        assert not sabotage or states["monitor"][0, sector] == ON
        rules.inspect(states[0], int(seat), sector, bool(sabotage))
    return states


def thrown(states: np.ndarray, seat: int, throw: int) -> np.ndarray:
    """Return the state in which a seat has thrown the dice; the first place is given to it if it has another."""
    states = states.copy()
    players = int(states["players"][0])
    states["first"] = (seat - states["turn"]) % players
    states["throw"], states["phase"], states["to_move"] = throw, GO, seat
    return states


# What is in a position


def legal(game: Game, states: np.ndarray) -> set[str]:
    """Return the texts of what the seat to move may choose."""
    return {game.notation.action(game, states, int(action)) for action in game.legal(states)}


def landings(game: Game, states: np.ndarray) -> set[str]:
    """Return the cells that the seat to move can land on."""
    return {text.removeprefix("go ") for text in legal(game, states) if text.startswith("go ")}


def others(game: Game, states: np.ndarray) -> set[str]:
    """Return what the seat to move may choose besides landing somewhere."""
    return {text for text in legal(game, states) if not text.startswith("go ")}


def where(game: Game, states: np.ndarray, seat: int) -> str | None:
    """Return the cell on which a seat stands, or None."""
    cell = int(states["cell"][0, seat])
    return None if cell == NOWHERE else names_of(game).cells[cell]


def condition(game: Game, states: np.ndarray, code: str) -> str:
    """Return the condition of a monitor, or ``?``."""
    return {ON: "ON", OFF: "OFF", -1: "?"}[int(states["monitor"][0, names_of(game).sectors.index(code)])]


def findings(states: np.ndarray) -> list[str]:
    """Return what is known of the inspections on the Security List."""
    names = {ON: "ON", OFF: "OFF", SABOTAGED: "sabotaged", -1: "?"}
    return [names[int(found)] for found in states["found"][0, : states["listed"][0]]]


def list_of(game: Game, states: np.ndarray, seat: int) -> list[str]:
    """Return a seat's Security List, as the rulebook writes it."""
    return security_list(game, game.view(states, seat))


def is_throw_due(states: np.ndarray) -> bool:
    """Tell if a turn begins."""
    return bool(states["to_move"][0] == CHANCE and states["phase"][0] == THROW)


def whose_turn(game: Game, states: np.ndarray) -> int | None:
    """Return the seat whose turn it is, or None after the end."""
    if states["to_move"][0] == NOBODY:
        return None
    return int((states["first"][0].astype(int) + states["turn"][0]) % game.seats)


def result(game: Game, states: np.ndarray) -> tuple[str, list[float]] | None:
    """Return how the game ended, with the returns by seat, or None."""
    outcome = game.outcome(states)
    return outcome and (outcome.reason, [round(r, 6) for r in outcome.returns])

"""Positions of The Secret Formula by text, and what is in them, in the words of the rulings.

They are on a small board of the tests' own, which no tuning of the shipped maps can change.  Cells are
named by column (a from the left) and row (1 at the top):

      abcdefghijklmnopq
    1 ###=#####=#######      gates elm d1, oak j1
    2 =:::::::::::::::=      gates west a2, east q2
    3 #+##+#+##+#+###+#      doors b3 e3 of the Garage, g3 j3 of the Hut, l3 of the Kitchen, p3 of the Tower
    4 #*...#*...#*..#1#      guard posts b4, g4, l4, p4
    5 #G.X.#H.X.+K.X#2#      the door k5 is the Hut's and the Kitchen's
    6 #.X..#.X..#...#3#      envelopes d5 i5 n5 c6 h6 p7
    7 ###############4#
    8 #################

The guard's route is Tower, Garage, Hut, Kitchen.  Seat 3 of four stays outside unless it is placed.
"""

from pathlib import Path
from typing import Any

import numpy as np

import kgb_env
from kgb_env import Game, kernels
from kgb_env.games.secret_formula import parse_position
from kgb_env.games.secret_formula.boards import names_of
from kgb_env.games.secret_formula.spec import DOWN, FORMULA, NOWHERE, THROW
from kgb_env.record import CHANCE, NOBODY

BOARD = """
title The Test Camp
sector G GAR Garage
sector H HUT Hut
sector K KIT Kitchen
sector W TOW Tower
spiral TOW post 1 hiding 4
gates elm oak west east
route TOW GAR HUT KIT
map
###=#####=#######
=:::::::::::::::=
#+##+#+##+#+###+#
#*...#*...#*..#1#
#G.X.#H.X.+K.X#2#
#.X..#.X..#...#3#
###############4#
#################
"""


def own_game(folder: Path, board: str = BOARD, **options: Any) -> Game:
    """Return The Secret Formula on the board of this text, written to a file in the folder."""
    path = folder / "board.txt"
    path.write_text(board, encoding="utf-8")
    return kgb_env.game("secret_formula", board=str(path), **options)


def at(game: Game, *lines: str) -> np.ndarray:
    """Return the position of these lines."""
    return parse_position(game, "\n".join(lines))


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


# What is in a position


def legal(game: Game, states: np.ndarray) -> set[str]:
    """Return the texts of what the seat to move may choose."""
    return {game.notation.action(game, states, int(action)) for action in game.legal(states)}


def named(game: Game, states: np.ndarray, word: str = "go") -> set[str]:
    """Return the cells, or gates, that can be named with a word."""
    return {text.split()[1] for text in legal(game, states) if text.startswith(f"{word} ")}


def others(game: Game, states: np.ndarray) -> set[str]:
    """Return what the seat to move may choose besides going somewhere."""
    return {text for text in legal(game, states) if not text.startswith("go ")}


def where(game: Game, states: np.ndarray, seat: int) -> str | None:
    """Return the cell on which a seat stands, or None."""
    cell = int(states["cell"][0, seat])
    return None if cell == NOWHERE else names_of(game).cells[cell]


def carried(game: Game, states: np.ndarray, seat: int) -> set[str]:
    """Return the envelopes that a seat carries."""
    return {name for name, holder in zip(names_of(game).envelopes, states["holder"][0], strict=False) if holder == seat}


def lying(game: Game, states: np.ndarray) -> dict[str, str]:
    """Return where each envelope lies that nobody carries."""
    names = names_of(game)
    cells = zip(names.envelopes, states["lies"][0].tolist(), strict=False)
    return {name: names.cells[cell] for name, cell in cells if cell != NOWHERE}


def known(game: Game, states: np.ndarray, seat: int) -> dict[str, bool]:
    """Return the envelopes whose contents a seat knows, and whether they hold the formula."""
    contents = game.view(states, seat)["contents"][0].tolist()
    return {
        name: bool(found == FORMULA)
        for name, found in zip(names_of(game).envelopes, contents, strict=False)
        if found >= 0
    }


def is_down(states: np.ndarray, seat: int) -> bool:
    """Tell if a seat is knocked out."""
    return bool(states["status"][0, seat] == DOWN)


def guard(game: Game, states: np.ndarray) -> str:
    """Return the sector in which the guard is."""
    return names_of(game).sectors[states["guard"][0]]


def throws_next(states: np.ndarray) -> int | None:
    """Return the seat whose throw is due, or None."""
    return int(states["actor"][0]) if states["to_move"][0] == CHANCE else None


def is_turn_due(states: np.ndarray, seat: int) -> bool:
    """Tell if the throw for a turn of this seat is due."""
    return bool(states["phase"][0] == THROW and throws_next(states) == seat)


def result(game: Game, states: np.ndarray) -> tuple[str, list[float]] | None:
    """Return how the game ended, with the returns by seat, or None."""
    outcome = game.outcome(states)
    assert (outcome is None) == (states["to_move"][0] != NOBODY)
    return outcome and (outcome.reason, [round(r, 6) for r in outcome.returns])

"""Positions of Confusion by hand, and what is in them, in the words of the rulings.

Spies by letter, squares by name, pieces by number from 1 in the order of the file, "DA" for the
Double Agent's.  Unless a test deals otherwise, the letters stand for these pieces on both sides:

    A Runner F 4      C Infiltrator FL FR 3   D Patrol F L R 2   F Vanguard F FL FR 2   (promotable)
    H Bodyguard all 1   J Officer F B L R 2   L Saboteur F B BL BR 2   N Smuggler FL FR BL BR 2
    P Driver L R B 3   S Courier F B 3   T Lookout FL FR B 2   V Informer L R BL BR 1   X Double Agent
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import kgb_env
from kgb_env import Game, kernels
from kgb_env.games.confusion.spec import (
    CELLS,
    DOUBLE_AGENT,
    EMPTY,
    LETTERS,
    NOWHERE,
    SEATS,
    SPIES,
    TOKENS,
    cell_name,
    cell_number,
)

WHITE, RED = 0, 1
DA = "DA"
Piece = int | str

DEAL: dict[str, Piece] = {letter: number for number, letter in enumerate(LETTERS[:-1], start=1)} | {"X": DA}
EVERYTHING = frozenset(DEAL.values())
HONEST: dict[str, Piece] = {letter: piece for letter, piece in DEAL.items() if letter != "X"}  # without Double Agent


def dealt(game: Game, white: Mapping[str, Piece] = DEAL, red: Mapping[str, Piece] = DEAL) -> np.ndarray:
    """Return the start of a game after this deal, {letter: piece} a side; one state."""
    states = game.begin()
    for deal in (white, red):
        for letter in sorted(deal):
            outcome = game.notation.parse_outcome(game, states, f"deal {letter}={deal[letter]}")
            kernels.step(states[0], outcome, game.tables[0])
    return states


def position(
    game: Game,
    white: Mapping[str, str],
    red: Mapping[str, str],
    briefcase: str | None = None,
    turn: int = 0,
    deals: tuple[Mapping[str, Piece], Mapping[str, Piece]] = (DEAL, DEAL),
) -> np.ndarray:
    """Return a position in which only these spies, {letter: square} a side, are in play; one state.

    Args:
        game: Confusion with any options.
        white: White's spies.
        red: Red's spies.
        briefcase: its square, if it is not where it starts.
        turn: turns that are over; White is to move if it is even.
        deals: pieces of all spies, those out of play included.
    """
    states = dealt(game, *deals)
    s = states[0]
    s.board[:CELLS] = EMPTY
    s.cell[:] = NOWHERE
    for seat, squares_of_seat in enumerate((white, red)):
        s.in_play[seat] = len(squares_of_seat)
        for letter, square in squares_of_seat.items():
            spy, cell = LETTERS.index(letter), cell_number(square)
            s.cell[seat, spy] = cell
            s.board[cell] = 1 + SPIES * seat + spy
    if briefcase:
        s.briefcase = cell_number(briefcase)
    s.turn = turn
    s.to_move = turn % SEATS
    return states


def play(game: Game, states: np.ndarray, *texts: str) -> np.ndarray:
    """Return the state after these actions; the one given stays as it was."""
    states = states.copy()
    for text in texts:
        game.play(states, game.notation.parse_action(game, states, text))
    return states


# What is in a position


def legal(game: Game, states: np.ndarray) -> set[str]:
    """Return the texts of what the seat to move may choose."""
    return {game.notation.action(game, states, int(action)) for action in game.legal(states)}


def proposers(game: Game, states: np.ndarray) -> str:
    """Return the spies that may be proposed, in alphabetical order."""
    return "".join(sorted({text[0] for text in legal(game, states) if text[0] in LETTERS}))


def letters_of(game: Game) -> str:
    """Return the spies of a side."""
    return LETTERS[: int(game.tables[0].spies)]


def squares(game: Game, states: np.ndarray, seat: int) -> dict[str, str]:
    """Return where the spies in play stand."""
    cells = states["cell"][0, seat].tolist()
    return {letter: cell_name(cell) for letter, cell in zip(letters_of(game), cells, strict=False) if cell != NOWHERE}


def pieces_in(bits: int) -> frozenset[Piece]:
    """Return the pieces of a set that is kept as bits."""
    return frozenset(DA if piece == DOUBLE_AGENT else piece + 1 for piece in range(SPIES) if bits >> piece & 1)


def possible(game: Game, states: np.ndarray, seat: int) -> dict[str, frozenset[Piece]]:
    """Return the raw possibilities for each spy of the seat (C13)."""
    sets = states["possible"][0, seat].tolist()
    return {letter: pieces_in(bits) for letter, bits in zip(letters_of(game), sets, strict=False)}


def promoted(game: Game, states: np.ndarray, seat: int) -> set[str]:
    """Return the seat's spies that are promoted."""
    return {letter for letter, is_so in zip(LETTERS, states["promoted"][0, seat], strict=True) if is_so}


def revealed(game: Game, states: np.ndarray, seat: int) -> dict[str, Piece]:
    """Return the seat's pieces that it has been shown."""
    shown, pieces = states["revealed"][0, seat], states["piece"][0, seat].tolist()
    found = {letter: piece for letter, is_so, piece in zip(LETTERS, shown, pieces, strict=True) if is_so}
    return {letter: DA if piece == DOUBLE_AGENT else piece + 1 for letter, piece in found.items()}


def tokens(states: np.ndarray, seat: int) -> set[str]:
    """Return the tokens that the seat has left (C14)."""
    return {token for token, is_left in zip(TOKENS, states["tokens"][0, seat], strict=True) if is_left}


def briefcase(states: np.ndarray) -> str:
    """Return the square of the briefcase."""
    return cell_name(int(states["briefcase"][0]))


def to_move(states: np.ndarray) -> int | None:
    """Return the seat to move, or None after the end."""
    seat = int(states["to_move"][0])
    return seat if seat >= 0 else None


def result(game: Game, states: np.ndarray) -> tuple[str, list[float]] | None:
    """Return how the game ended, with the returns of White and Red, or None."""
    outcome = game.outcome(states)
    return outcome and (outcome.reason, list(outcome.returns))


# A small game of one's own

SMALL_PIECES = """
Lance   F            2  promotable
Man     F B L R      1
Bishop  FL FR BL BR  1
"""
SMALL_SETUP = """
board 5 x 5
row 2  ..F..
row 1  .ACD.
"""
SMALL_DEAL: dict[str, Piece] = {"A": 1, "C": 2, "D": 3, "F": DA}


def own_game(folder: Path, pieces: str = SMALL_PIECES, setup: str = SMALL_SETUP, **options: Any) -> Game:
    """Return Confusion with the pieces and the set-up of these texts, written to files in the folder."""
    files = {"pieces": folder / "pieces.txt", "setup": folder / "setup.txt"}
    for path, text in zip(files.values(), (pieces, setup), strict=True):
        path.write_text(text, encoding="utf-8")
    return kgb_env.game("confusion", **{name: str(path) for name, path in files.items()}, **options)

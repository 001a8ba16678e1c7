"""Confusion drawn as text."""

from __future__ import annotations

import textwrap

import numpy as np

from kgb_env.game import Game
from kgb_env.games.confusion.files import PROMOTED_SIDE
from kgb_env.games.confusion.spec import (
    ACTION_BITS,
    ANSWER,
    COLUMNS,
    DOUBLE_AGENT,
    EMPTY,
    LETTERS,
    NOWHERE,
    PLACE,
    PROMOTE,
    RED,
    SEATS,
    SPIES,
    TAKE,
    cell_name,
)
from kgb_env.games.confusion.text import SIDES, TOKEN_NAMES, piece_name, pieces_of, text_of
from kgb_env.record import ILLEGAL, UNKNOWN

WIDTH = 100  # of the legend, in characters


def draw(game: Game, records: np.ndarray) -> str:
    """Draw the table as the viewer sees it, the viewer's side (or White's) at the bottom."""
    s, t = records[0], game.tables[0]
    me = max(0, int(s.viewer))
    rows, columns = range(int(t.rows)), range(int(t.columns))
    lines = []
    for row in rows if me == RED else reversed(rows):
        squares = [_square(s, row * COLUMNS + column) for column in (reversed(columns) if me == RED else columns)]
        lines.append(f"{row + 1:3} {' '.join(squares)}".rstrip())
    names = [cell_name(column)[0] for column in (reversed(columns) if me == RED else columns)]
    lines.append("    " + "  ".join(names))
    lines += ["", status(game, records), ""]
    for seat in (me, 1 - me):
        tokens = [name for name, left in zip(TOKEN_NAMES, s.tokens[seat], strict=True) if left]
        lines += [
            f"{SIDES[seat]}'s spies" + (f" (tokens: {', '.join(tokens)})" if tokens else ""),
            *(f"  {line}" for line in _side(game, s, seat)),
            "",
        ]
    if (s.piece[:, : t.spies] == UNKNOWN).any():
        lines += textwrap.wrap(f"Pieces: {_legend(game)}", WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines).rstrip() + "\n"


def _legend(game: Game) -> str:
    """Say what the numbers of pieces mean."""
    named = [f"{number + 1} {piece_name(game, number)}" for number in range(len(pieces_of(game)))]
    return "; ".join([*named, *([] if game.options["honor_among_spies"] else ["DA the double agent"])])


def _square(s: np.record, cell: int) -> str:
    """Return two characters: White's spies in capitals, Red's in small letters, * where the briefcase is."""
    found = int(s.board[cell])
    spy = "." if found == EMPTY else LETTERS[(found - 1) % SPIES]
    return (spy.lower() if (found - 1) // SPIES == RED else spy) + ("*" if cell == s.briefcase else " ")


def status(game: Game, records: np.ndarray) -> str:
    """Say whose turn it is and what is due."""
    s = records[0]
    turn = f"Turn {int(s.turn) // SEATS + 1} of {int(s.max_turns)}"
    if s.over:
        ending = game.ending(int(s.reason))
        if s.reason == ILLEGAL:
            return f"The game was ended by an {ending.name}."
        best = np.flatnonzero(s.returns == 1)
        won = f"{SIDES[best[0]]} has won" if best.size else "A draw"
        return f"{won}: {ending.name}."
    if s.to_move < 0:
        return "The pieces are being dealt."
    if s.phase == PLACE:
        return f"{SIDES[int(s.to_move)]} is to place {LETTERS[s.in_play[int(s.to_move)]]}."
    if s.phase == PROMOTE:
        return f"{turn}: is {SIDES[int(s.to_move)]}'s spy {LETTERS[s.arrived]} to be promoted?"
    if s.phase == TAKE:
        return f"{turn}: {SIDES[int(s.to_move)]} may take the briefcase with its first spy."
    if s.phase == ANSWER:
        seat = int(s.turn) % SEATS
        question = text_of(game, records, int(s.log[s.events - 1]) & ACTION_BITS, seat)
        return f"{turn}: {SIDES[seat]} asks for {question}; {SIDES[1 - seat]} must answer."
    return f"{turn}: {SIDES[int(s.to_move)]} is to propose."


def _side(game: Game, s: np.record, seat: int) -> list[str]:
    """Describe each spy of a side, with its piece if the viewer may know it, else with what it may be."""
    lines = []
    for spy in range(int(game.tables[0].spies)):
        cell, piece = int(s.cell[seat, spy]), int(s.piece[seat, spy])
        where = "out" if cell == NOWHERE else cell_name(cell)
        known = piece_name(game, piece) if piece != UNKNOWN else f"one of: {_numbers(int(s.possible[seat, spy]))}"
        promoted = f", now {PROMOTED_SIDE}" if s.promoted[seat, spy] else ""
        lines.append(f"{LETTERS[spy]} {where:3} {known}{promoted}")
    return lines


def _numbers(possible: int) -> str:
    """List pieces by number, from 1, as in ``deal D=3``."""
    return " ".join("DA" if p == DOUBLE_AGENT else str(p + 1) for p in range(SPIES) if possible >> p & 1) or "nothing"

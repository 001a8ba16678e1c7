"""The Secret Formula drawn as text."""

from __future__ import annotations

import numpy as np

from kgb_env.game import Game
from kgb_env.games.secret_formula.boards import camp_of, names_of
from kgb_env.games.secret_formula.spec import (
    DOWN,
    ESCAPE,
    ESCAPE_THROW,
    FALSE,
    FORMULA,
    GATE,
    HIT,
    MOVE,
    NOWHERE,
    RETURN,
    THROW,
)
from kgb_env.games.secret_formula.text import THROW_TEXTS
from kgb_env.record import ILLEGAL

FLOOR, ENVELOPE, GUARD = ".", "X", "&"
DUE = {
    GATE: "is to choose a gate",
    RETURN: "is to choose a gate to come in by",
    HIT: "may hit who stands on its cell",
    MOVE: "is to move, {left} left",
    ESCAPE: "is to escape, {left} left",
    THROW: "is to throw",
    ESCAPE_THROW: "is to throw to escape",
}


def draw(game: Game, records: np.ndarray) -> str:
    """Draw the camp and what the viewer knows: seats stand on the map as their numbers."""
    s = records[0]
    lines = [
        *draw_map(game, s),
        "",
        status(game, records),
        "",
        *(_seat(game, s, seat) for seat in range(game.seats)),
        "",
        *_envelopes(game, s),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def draw_map(game: Game, s: np.record) -> list[str]:
    """Return the map with the envelopes, the guard and the seats on it."""
    camp = camp_of(game)
    rows, cells = [list(row) for row in camp.rows], list(camp.cells)
    for place, sector in camp.sector_of.items():
        if rows[place[0]][place[1]] != camp.sectors[sector].letter:
            rows[place[0]][place[1]] = FLOOR  # as on the board that is played on
    post = camp.sectors[s.guard].post
    rows[post[0]][post[1]] = GUARD
    drawn = [(cell, ENVELOPE) for cell in s.lies[: len(camp.hiding)]]
    for cell, character in [*drawn, *((s.cell[seat], str(seat)) for seat in range(game.seats))]:
        if cell != NOWHERE:
            row, column = cells[cell]
            rows[row][column] = character
    return ["".join(row) for row in rows]


def status(game: Game, records: np.ndarray) -> str:
    """Say whose turn it is and what is due."""
    s = records[0]
    if s.over:
        ending = game.ending(int(s.reason))
        if s.reason == ILLEGAL:
            return f"The game was ended by an {ending.name}."
        winner = f" Seat {int(s.returns.argmax())} wins." if s.returns.any() else ""
        return f"The game is over: {ending.name}.{winner}"
    if s.phase not in DUE:
        return "The formula or who begins is being drawn."
    thrown = f"has thrown {THROW_TEXTS[s.throw - 1].removeprefix('throw ')} and " if s.throw else ""
    actor = s.to_move if s.to_move >= 0 else s.actor
    due = DUE[int(s.phase)].format(left=s.left)
    guard = names_of(game).sectors[s.guard]
    return f"Round {s.turn // game.seats + 1} of {s.max_rounds}, guard in {guard}: seat {actor} {thrown}{due}."


def _seat(game: Game, s: np.record, seat: int) -> str:
    """Describe a seat: where it is, what it carries."""
    camp, names, cell = camp_of(game), names_of(game), int(s.cell[seat])
    sector = int(game.tables[0].sector[cell]) if cell != NOWHERE else NOWHERE
    if cell != NOWHERE:
        where, inside = names.cells[cell], camp.sectors[sector].name if sector != NOWHERE else ""
    else:
        where, inside = "outside", names.gates[s.gate[seat]] if s.gate[seat] != NOWHERE else ""
    carried = [_envelope(game, s, int(envelope)) for envelope in np.flatnonzero(s.holder == seat)]
    down = "knocked out  " if s.status[seat] == DOWN else ""
    you = " (you)" if seat == s.viewer else ""
    return f"seat {seat}{you:6}  {where:9}{inside:20}{down}{'carries ' if carried else ''}{', '.join(carried)}"


def _envelope(game: Game, s: np.record, envelope: int) -> str:
    """Name an envelope, and what is known to be in it."""
    known = {FALSE: "", FORMULA: " FORMULA"}.get(int(s.contents[envelope]), "?")
    return f"{names_of(game).envelopes[envelope]}{known}"


def _envelopes(game: Game, s: np.record) -> list[str]:
    """List the envelopes that lie about."""
    names, found = names_of(game), []
    for envelope in range(len(names.envelopes)):
        if s.lies[envelope] != NOWHERE:
            cell, text = names.cells[s.lies[envelope]], _envelope(game, s, envelope)
            moved = "" if cell == names.envelopes[envelope] else f" on {cell}"
            found.append(f"{text}{moved}")
    lines = [f"  {', '.join(found[k : k + 9])}" for k in range(0, len(found), 9)]
    return ["Envelopes lying in the camp (? unknown)", *(lines or ["  none"])]

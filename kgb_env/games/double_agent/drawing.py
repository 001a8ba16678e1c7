"""The Double Agent drawn as text."""

from __future__ import annotations

import textwrap

import numpy as np

from kgb_env.game import Game
from kgb_env.games.double_agent.boards import camp_of, names_of
from kgb_env.games.double_agent.log import security_list
from kgb_env.games.double_agent.spec import DOUBLE_AGENT, GO, NEVER, NOWHERE, OFF, ON, OPENING
from kgb_env.record import ILLEGAL, UNKNOWN

WIDTH = 100  # of the Security List, in characters
FLOOR = "."


def draw(game: Game, records: np.ndarray) -> str:
    """Draw the camp and what the viewer knows: seats stand on the map as their numbers."""
    s = records[0]
    listed = textwrap.wrap(", ".join(security_list(game, records)) or "empty", WIDTH)
    lines = [
        *draw_map(game, s),
        "",
        status(game, records),
        "",
        *(_seat(game, s, seat) for seat in range(game.seats)),
        "",
        *_monitors(game, s),
        "",
        "Security List",
        *(f"  {line}" for line in listed),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def draw_map(game: Game, s: np.record) -> list[str]:
    """Return the map with the seats on it."""
    camp = camp_of(game)
    rows, cells = [list(row) for row in camp.rows], list(camp.cells)
    for place, sector in camp.sector_of.items():
        if rows[place[0]][place[1]] != camp.sectors[sector].letter:
            rows[place[0]][place[1]] = FLOOR  # posts and hiding places do not matter here
    for seat in range(game.seats):
        if s.cell[seat] != NOWHERE:
            row, column = cells[s.cell[seat]]
            rows[row][column] = str(seat)
    return ["".join(row) for row in rows]


def status(game: Game, records: np.ndarray) -> str:
    """Say whose turn it is and what is due."""
    s = records[0]
    if s.over:
        ending = game.ending(int(s.reason))
        if s.reason == ILLEGAL:
            return f"The game was ended by an {ending.name}."
        best = np.flatnonzero(s.returns[: game.seats] == s.returns[: game.seats].max())
        return f"The game is over: {ending.name}. Best off: seat {', seat '.join(map(str, best))}."
    if s.to_move < 0:
        return "Roles, seats or dice are being drawn."
    if s.phase == OPENING:
        return f"Opening play: seat {s.to_move} is alone with the board."
    due = "is to go" if s.phase == GO else "stands at a monitor"
    return f"Round {s.turn // game.seats + 1} of {s.max_turns}: seat {s.to_move} has thrown {s.throw} and {due}."


def _seat(game: Game, s: np.record, seat: int) -> str:
    """Describe a seat: where it is, and what it is known to be."""
    camp, cell = camp_of(game), int(s.cell[seat])
    sector = int(game.tables[0].sector[cell]) if cell != NOWHERE else NOWHERE
    where = names_of(game).cells[cell] if cell != NOWHERE else "out" if s.out[seat] else "gazebo"
    inside = camp.sectors[sector].name if sector != NOWHERE else ""
    known = s.role[seat]
    role = "?" if known == UNKNOWN else "Double Agent" if known == DOUBLE_AGENT else "Security Agent"
    you, exposed = " (you)" if seat == s.viewer else "", ", exposed" if s.exposed[seat] else ""
    return f"seat {seat}  {where:7}{inside:22}{role}{you}{exposed}"


def _monitors(game: Game, s: np.record) -> list[str]:
    """Describe the monitors: what the viewer knows, has seen, and who has been there since."""
    camp, lines = camp_of(game), ["Monitors"]
    for number, sector in enumerate(camp.sectors):
        if s.monitor[number] == NEVER:
            continue
        now = {ON: "ON", OFF: "OFF"}.get(int(s.monitor[number]), "?")
        text = f"  {sector.letter} {sector.code} {sector.name:22}{now:5}"
        if s.viewer >= 0:
            mark = {ON: "left ON", OFF: "left OFF"}.get(int(s.mark[s.viewer, number]), "not inspected")
            since = [f"seat {other}" for other in range(game.seats) if s.since[s.viewer, number, other]]
            text += f"{mark:15}{'since then ' if since and mark != 'not inspected' else ''}{', '.join(since)}"
        lines.append(text)
    return lines

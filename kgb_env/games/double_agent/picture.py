"""The Double Agent as a picture: the camp, the seats, the monitors, the Security List."""

from __future__ import annotations

from functools import cache

import numpy as np

from kgb_env.camp.board import Place
from kgb_env.camp.picture import (
    LINE,
    centre,
    draw_board,
    heading,
    label_place,
    panel,
    reachable,
    scale_of,
    size_of,
    tokens,
)
from kgb_env.game import Game
from kgb_env.games.double_agent.boards import camp_of, names_of
from kgb_env.games.double_agent.drawing import status
from kgb_env.games.double_agent.log import security_list
from kgb_env.games.double_agent.spec import DOUBLE_AGENT, NOWHERE, OFF, ON
from kgb_env.games.double_agent.text import teller
from kgb_env.record import UNKNOWN
from kgb_env.render.picture import Picture, seen_by
from kgb_env.render.svg import CHIP, PALETTE, chip, element, group, seat_token, text

MONITORS, LIST = 268, 560  # where these panels begin
FEWEST_LINES = 9  # of the panels
CHIPS = 4  # of the Security List, in a line
CONDITIONS = {ON: (PALETTE.good, "ON"), OFF: (PALETTE.bad, "OFF")}
MARKS = {ON: "left ON", OFF: "left OFF"}


def picture(game: Game, records: np.ndarray) -> Picture:
    """Draw what the viewer knows; to the seat to move dots show where it can go."""
    s, camp = records[0], camp_of(game)
    lines = max(FEWEST_LINES, len(monitors_of(game)))
    width, height = size_of(camp)
    layers = (
        board(game),
        _sectors(game, s) + _landings(game, records) + tokens(camp, _places(game, s)),
        panel(camp, text(0, 14, status(game, records), 15, font_weight="bold")),
        panel(camp, heading(0, 0, "Seats"), *(_seat(game, s, seat) for seat in range(game.seats)), y=42),
        panel(camp, heading(MONITORS, 0, "Monitors"), *_monitors(game, s), y=42),
        panel(camp, heading(LIST, 0, "Security List"), *_security_list(game, records, lines), y=42),
    )
    whole = height + scale_of(camp) * (42 + 12 + LINE * lines + 12)
    return Picture(width, round(whole), layers, f"The Double Agent {seen_by(s)}")


@cache
def board(game: Game) -> str:
    """Return the camp."""
    return draw_board(camp_of(game))


def monitors_of(game: Game) -> list[int]:
    """Return the sectors that have a monitor."""
    return np.flatnonzero(game.tables[0].has_monitor).tolist()


def _places(game: Game, s: np.record) -> list[tuple[int, Place]]:
    """Return where the seats stand; those that have not started, in the gazebo."""
    camp = camp_of(game)
    there = [seat for seat in range(game.seats) if not s.out[seat]]
    return [(seat, camp.places[s.cell[seat]] if s.cell[seat] != NOWHERE else camp.gazebo[0]) for seat in there]


def _sectors(game: Game, s: np.record) -> str:
    """Return the names of the sectors, each with its monitor."""
    camp, drawn = camp_of(game), []
    size = 12 * min(scale_of(camp), 1.35)
    for number, sector in enumerate(camp.sectors):
        x, y = centre(camp, label_place(camp, number, camp.gazebo))
        lamp = _lamp(x, y + 0.75 * size, int(s.monitor[number]), size) if game.tables[0].has_monitor[number] else ""
        name = text(x, y + 0.1 * size, sector.code, size, font_weight="bold", text_anchor="middle")
        drawn.append(group(name, lamp, data_mark=sector.code))
    return "".join(drawn)


def _lamp(x: float, y: float, condition: int, size: float) -> str:
    """Return the screen of a monitor, or its back when the condition is not known."""
    fill, word = CONDITIONS.get(condition, (PALETTE.back, "?"))
    return element(
        "rect", x=x - 1.2 * size, y=y - 0.45 * size, width=2.4 * size, height=1.05 * size, rx=3, fill=fill
    ) + text(x, y + 0.38 * size, word, 0.82 * size, fill="#ffffff", text_anchor="middle", font_weight="bold")


def _landings(game: Game, records: np.ndarray) -> str:
    """Return where the seat to move can go, if that is the viewer."""
    s, camp = records[0], camp_of(game)
    if s.viewer < 0 or s.viewer != s.to_move or s.is_oracle:
        return ""
    kinds = (game.actions.where(int(action)) for action in game.legal(records))
    return reachable(camp, [camp.places[cell[0]] for kind, cell in kinds if kind == "go"])


def _seat(game: Game, s: np.record, seat: int) -> str:
    """Return a line about a seat: where it is, and what it is known to be."""
    camp, cell, y = camp_of(game), int(s.cell[seat]), LINE * seat + 14
    where = names_of(game).cells[cell] if cell != NOWHERE else "out" if s.out[seat] else "gazebo"
    you = " (you)" if seat == s.viewer and not s.is_oracle else " (exposed)" if s.exposed[seat] else ""
    sector = int(game.tables[0].sector[cell]) if cell != NOWHERE else NOWHERE
    inside = f" {camp.sectors[sector].code}" if sector != NOWHERE else ""
    fill = PALETTE.field if seat == s.to_move else PALETTE.paper
    line = element("rect", x=-4, y=y - 8, width=264, height=LINE - 1, rx=5, fill=fill)
    return group(
        line,
        seat_token(9, y + 2, seat, 9),
        text(26, y + 7, f"{where}{inside}", 13),
        _role(int(s.role[seat]), y),
        text(210, y + 6, you.strip(), 12, fill=PALETTE.faint),
        data_mark=f"seat {seat}",
    )


def _role(role: int, y: float) -> str:
    """Return the card of a role, or its back."""
    if role == UNKNOWN:
        return chip(108, y - 6, "?", 96, PALETTE.back, "#ffffff")
    if role == DOUBLE_AGENT:
        return chip(108, y - 6, "Double Agent", 96, PALETTE.gold)
    return chip(108, y - 6, "Security Agent", 96, "#cfe3ef")


def _monitors(game: Game, s: np.record) -> list[str]:
    """Return a line for each monitor: what the viewer knows, has seen, and who has been there since."""
    camp, drawn = camp_of(game), []
    for line, number in enumerate(monitors_of(game)):
        y, sector = LINE * line + 14, camp.sectors[number]
        parts = [
            text(MONITORS, y + 7, sector.code, 13, font_weight="bold"),
            _lamp(MONITORS + 58, y + 2, int(s.monitor[number]), 13),
        ]
        if s.viewer >= 0 and s.mark[s.viewer, number] in MARKS:
            parts.append(text(MONITORS + 84, y + 7, MARKS[int(s.mark[s.viewer, number])], 12))
        elif s.viewer >= 0:
            parts.append(text(MONITORS + 84, y + 7, "not inspected", 12, fill=PALETTE.faint))
        if s.viewer >= 0:
            since = [seat for seat in range(game.seats) if s.since[s.viewer, number, seat]]
            parts += [seat_token(MONITORS + 182 + 17 * n, y + 2, seat, 8) for n, seat in enumerate(since)]
        drawn.append(group(*parts, data_mark=sector.code))
    return drawn


def _security_list(game: Game, records: np.ndarray, lines: int) -> list[str]:
    """Return the viewer's Security List, its own inspections framed; the latest, if there is no room for all."""
    listed, room = security_list(game, records), CHIPS * lines
    left_out = max(0, len(listed) - room)
    if left_out:
        left_out = len(listed) - (room - CHIPS)
    drawn = [text(LIST, 24, f"({left_out} earlier)", 12, fill=PALETTE.faint)] if left_out else []
    for place, entry in enumerate(listed[left_out:], start=CHIPS * bool(left_out)):
        x, y = LIST + 54 * (place % CHIPS), 10 + (CHIP + 4) * (place // CHIPS)
        is_own = entry.startswith("(")
        drawn.append(chip(x, y, entry.strip("()"), 51, "#cfe3ef" if is_own else PALETTE.shade))
    return drawn or [text(LIST, 24, "nothing yet", 12, fill=PALETTE.faint)]


def marks(game: Game, view: np.ndarray, action: int) -> tuple[str, ...]:
    """Return what one points at to choose an action: a cell, a gate, a seat, a sector."""
    kind, (number,) = game.actions.where(action)
    names = names_of(game)
    match kind:
        case "go":
            return (names.cells[number],)
        case "accuse":
            return (f"seat {(teller(view) + 1 + number) % game.seats}",)
        case "leave":
            return (f"gate {names.gates[number]}",)
        case "open":
            return (names.sectors[number],)
    return ()

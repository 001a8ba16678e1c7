"""The Double Agent as a picture: the camp, the seats, the monitors, the Security List."""

from __future__ import annotations

from functools import cache

import numpy as np

from kgb_env.camp.board import Board, Place
from kgb_env.camp.picture import (
    LINE,
    centre,
    draw_board,
    heading,
    headline,
    label_place,
    landings,
    panel,
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

MONITORS, LEGEND = 284, 576  # where these panels begin
FEWEST_LINES = 9  # of the panels
CHIPS, LIST_LINES = 14, 8  # of the Security List: in a line, and how many there are; the size must stay in a game
CONDITIONS = {ON: (PALETTE.good, "ON"), OFF: (PALETTE.bad, "OFF")}
MARKS = {ON: "left ON", OFF: "left OFF"}


def picture(game: Game, records: np.ndarray) -> Picture:
    """Draw what the viewer knows; to the seat to move dots show where it can go."""
    s, camp = records[0], camp_of(game)
    lines = max(FEWEST_LINES, len(monitors_of(game)))
    width, height = size_of(camp)
    layers = (
        board(game),
        _sectors(game, s) + landings(game, records, camp) + tokens(camp, _places(game, s)),
        headline(camp, status(game, records)),
        panel(camp, heading(0, 0, "Seats"), *(_seat(game, s, seat) for seat in range(game.seats)), y=42),
        panel(camp, heading(MONITORS, 0, "Monitors"), *_monitors(game, s), y=42),
        panel(camp, heading(0, 0, "Security List"), *_security_list(game, records), y=LINE * lines + 78),
    )
    whole = height + scale_of(camp) * (LINE * lines + 78 + 12 + (CHIP + 4) * LIST_LINES)
    return Picture(width, round(whole), layers, f"The Double Agent {seen_by(s)}")


@cache
def board(game: Game) -> str:
    """Return the camp, and what the panels mean."""
    camp = camp_of(game)
    kinds = [(*CONDITIONS[ON], ""), (*CONDITIONS[OFF], ", and stays so"), (PALETTE.back, "?", "")]
    signs = [
        element("rect", x=LEGEND, y=14 + LINE * n, width=31, height=14, rx=3, fill=fill)
        + text(LEGEND + 15.5, 25 + LINE * n, word, 10.5, fill="#ffffff", text_anchor="middle", font_weight="bold")
        + text(LEGEND + 40, 25 + LINE * n, f"{'not known' if word == '?' else f'is {word}{more}'}", 12)
        for n, (fill, word, more) in enumerate(kinds)
    ]
    notes = ["left ON, left OFF: as the viewer", "left it; discs: who has inspected", "it since then"]
    lines = [text(LEGEND, 98 + 17 * n, note, 12, fill=PALETTE.faint) for n, note in enumerate(notes)]
    return "".join([draw_board(camp), *_names(game), panel(camp, *signs, *lines, y=42)])


def monitors_of(game: Game) -> list[int]:
    """Return the sectors that have a monitor."""
    return np.flatnonzero(game.tables[0].has_monitor).tolist()


def _places(game: Game, s: np.record) -> list[tuple[int, Place]]:
    """Return where the seats stand; those that have not started, in the gazebo."""
    camp = camp_of(game)
    there = [seat for seat in range(game.seats) if not s.out[seat]]
    return [(seat, camp.places[s.cell[seat]] if s.cell[seat] != NOWHERE else camp.gazebo[0]) for seat in there]


@cache
def _labels(game: Game) -> list[tuple[float, float]]:
    """Return where the name of each sector is written."""
    camp = camp_of(game)
    return [centre(camp, label_place(camp, number, camp.gazebo)) for number in range(len(camp.sectors))]


def _label_size(camp: Board) -> float:
    return 12 * min(scale_of(camp), 1.35)


def _names(game: Game) -> list[str]:
    """Return the names of the sectors on the map, and of those with a monitor in its panel."""
    camp, drawn = camp_of(game), []
    size = _label_size(camp)
    for sector, (x, y) in zip(camp.sectors, _labels(game), strict=True):
        drawn.append(text(x, y + 0.1 * size, sector.code, size, font_weight="bold", text_anchor="middle"))
    codes = [
        text(MONITORS, LINE * line + 21, camp.sectors[number].code, 13, font_weight="bold")
        for line, number in enumerate(monitors_of(game))
    ]
    return [group(*drawn, pointer_events="none"), panel(camp, *codes, y=42)]


def _sectors(game: Game, s: np.record) -> str:
    """Return the monitors on the map, each below the name of its sector."""
    camp, drawn = camp_of(game), []
    size = _label_size(camp)
    for number in monitors_of(game):
        x, y = _labels(game)[number]
        lamp = _lamp(x, y + 0.75 * size, int(s.monitor[number]), size)
        drawn.append(group(lamp, data_mark=camp.sectors[number].code))
    return "".join(drawn)


def _lamp(x: float, y: float, condition: int, size: float) -> str:
    """Return the screen of a monitor, or its back when the condition is not known."""
    fill, word = CONDITIONS.get(condition, (PALETTE.back, "?"))
    return element(
        "rect", x=x - 1.2 * size, y=y - 0.45 * size, width=2.4 * size, height=1.05 * size, rx=3, fill=fill
    ) + text(x, y + 0.38 * size, word, 0.82 * size, fill="#ffffff", text_anchor="middle", font_weight="bold")


def _seat(game: Game, s: np.record, seat: int) -> str:
    """Return a line about a seat: where it is, and what it is known to be."""
    camp, cell, y = camp_of(game), int(s.cell[seat]), LINE * seat + 14
    where = names_of(game).cells[cell] if cell != NOWHERE else "out" if s.out[seat] else "gazebo"
    is_you = seat == s.viewer and not s.is_oracle
    notes = [*(["you"] if is_you else []), *(["exposed"] if s.exposed[seat] else [])]
    sector = int(game.tables[0].sector[cell]) if cell != NOWHERE else NOWHERE
    inside = f" {camp.sectors[sector].code}" if sector != NOWHERE else ""
    fill = PALETTE.field if seat == s.to_move else PALETTE.paper
    line = element("rect", x=-4, y=y - 8, width=280, height=LINE - 1, rx=5, fill=fill)
    return group(
        line,
        seat_token(9, y + 2, seat, 9),
        text(26, y + 7, f"{where}{inside}", 13),
        _role(int(s.role[seat]), y),
        text(200, y + 6, ", ".join(notes), 11, fill=PALETTE.faint),
        data_mark=f"seat {seat}",
    )


def _role(role: int, y: float) -> str:
    """Return the card of a role, or its back."""
    if role == UNKNOWN:
        return chip(104, y - 6, "?", 90, PALETTE.back, "#ffffff")
    if role == DOUBLE_AGENT:
        return chip(104, y - 6, "Double Agent", 90, PALETTE.gold)
    return chip(104, y - 6, "Security Agent", 90, "#cfe3ef")


def _monitors(game: Game, s: np.record) -> list[str]:
    """Return a line for each monitor: what the viewer knows, has seen, and who has been there since."""
    camp, drawn = camp_of(game), []
    for line, number in enumerate(monitors_of(game)):
        y, sector = LINE * line + 14, camp.sectors[number]
        parts = [
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


def _security_list(game: Game, records: np.ndarray) -> list[str]:
    """Return the viewer's Security List, its own inspections framed; the latest, if there is no room for all."""
    listed, room = security_list(game, records), CHIPS * LIST_LINES
    left_out = max(0, len(listed) - room)
    if left_out:
        left_out = len(listed) - (room - CHIPS)  # a line says so
    drawn = [text(0, 22, f"({left_out} earlier)", 12, fill=PALETTE.faint)] if left_out else []
    for place, entry in enumerate(listed[left_out:], start=CHIPS * bool(left_out)):
        x, y = 54 * (place % CHIPS), 8 + (CHIP + 4) * (place // CHIPS)
        is_own = entry.startswith("(")
        drawn.append(chip(x, y, entry.strip("()"), 51, "#cfe3ef" if is_own else PALETTE.shade))
    return drawn or [text(0, 22, "nothing yet", 12, fill=PALETTE.faint)]


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

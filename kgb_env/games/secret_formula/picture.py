"""The Secret Formula as a picture: the camp with its envelopes and the guard, what the seats carry."""

from __future__ import annotations

from functools import cache

import numpy as np

from kgb_env.camp.board import FLOOR, Place
from kgb_env.camp.picture import (
    CELL,
    LINE,
    RULER,
    centre,
    draw_board,
    heading,
    label_place,
    left_of,
    panel,
    reachable,
    scale_of,
    size_of,
    tokens,
)
from kgb_env.game import Game
from kgb_env.games.secret_formula.boards import camp_of, names_of
from kgb_env.games.secret_formula.drawing import status
from kgb_env.games.secret_formula.spec import DOWN, FALSE, FORMULA, NOWHERE, THROWS
from kgb_env.render.picture import Picture, seen_by
from kgb_env.render.svg import PALETTE, dice, element, group, runs, seat_token, text

KINDS = {FALSE: ("#ffffff", "false"), FORMULA: (PALETTE.gold, "the formula")}  # of envelopes whose contents are known
UNKNOWN_KIND = (PALETTE.back, "not known to you")
CARRIED, GUARD = 196, 610  # where these panels begin
SEAT = 30  # height of a seat's line
LEGEND = 108  # where it begins


def picture(game: Game, records: np.ndarray) -> Picture:
    """Draw what the viewer knows; to the seat to move dots show where it can go."""
    s, camp = records[0], camp_of(game)
    width, height = size_of(camp)
    whole = height + scale_of(camp) * (42 + max(SEAT * game.seats, LEGEND + 3 * LINE) + 24)
    layers = (
        board(game),
        _closed(game, s)
        + _envelopes(game, s)
        + _landings(game, records)
        + _guard(game, s)
        + tokens(camp, _places(game, s)),
        panel(camp, text(0, 14, status(game, records), 15, font_weight="bold"), _throw(s)),
        panel(
            camp,
            heading(0, 0, "Seats"),
            heading(CARRIED, 0, "Envelopes carried"),
            *(_seat(game, s, seat, SEAT * seat) for seat in range(game.seats)),
            y=42,
        ),
        panel(camp, heading(GUARD, 0, "Guard's tour"), *_tour(game, s), y=42),
    )
    return Picture(width, round(whole), layers, f"The Secret Formula {seen_by(s)}")


@cache
def board(game: Game) -> str:
    """Return the camp, and what envelopes look like."""
    camp = camp_of(game)
    size = 12 * min(scale_of(camp), 1.35)
    names = []
    for number, sector in enumerate(camp.sectors):
        x, y = centre(camp, label_place(camp, number, (*camp.gazebo, *camp.hiding)))
        names.append(text(x, y + 0.36 * size, sector.code, size, font_weight="bold"))
    labels = group(*names, text_anchor="middle", fill_opacity=0.6, pointer_events="none")
    kinds = [*KINDS.values(), UNKNOWN_KIND]
    legend = [
        _envelope(GUARD + 8, LEGEND + LINE * n, fill, 1) + text(GUARD + 24, LEGEND + 4 + LINE * n, meaning, 12)
        for n, (fill, meaning) in enumerate(kinds)
    ]
    return draw_board(camp) + labels + panel(camp, *legend, y=42)


def _places(game: Game, s: np.record) -> list[tuple[int, Place]]:
    """Return where the seats in the camp stand, and outside which gate the others."""
    camp, found = camp_of(game), []
    for seat in range(game.seats):
        if s.cell[seat] != NOWHERE:
            found.append((seat, camp.places[s.cell[seat]]))
        elif s.gate[seat] != NOWHERE:
            found.append((seat, _outside(game, int(s.gate[seat]))))
    return found


def _outside(game: Game, gate: int) -> Place:
    """Return the place beside a gate that is not on the map."""
    camp = camp_of(game)
    row, column = camp.gates[gate].place
    if row in (0, len(camp.rows) - 1):
        return (-1 if row == 0 else row + 1, column)
    return (row, -1 if column == 0 else column + 1)


def _closed(game: Game, s: np.record) -> str:
    """Return a shade over the sector in which the guard is."""
    camp = camp_of(game)
    floor = [place for place in camp.floor(s.guard) if camp.cells[place] == FLOOR]
    return element(
        "path",
        d=runs(floor, CELL),
        fill=PALETTE.bad,
        fill_opacity=0.22,
        transform=f"translate({left_of(camp):g} {RULER})",
        pointer_events="none",
    )


def _guard(game: Game, s: np.record) -> str:
    """Return the guard at his post."""
    x, y = centre(camp_of(game), camp_of(game).sectors[s.guard].post)
    return _badge(x, y)


def _badge(x: float, y: float) -> str:
    """Return the guard's token, which is no disc like those of the seats."""
    return element(
        "path", d=f"M{x:g} {y - 12:g}l11 6v8l-11 9l-11 -9v-8z", fill=PALETTE.ink, pointer_events="none"
    ) + text(x, y + 5, "G", 13, fill=PALETTE.paper, font_weight="bold", text_anchor="middle", pointer_events="none")


def _envelope(x: float, y: float, fill: str, scale: float) -> str:
    """Return an envelope around a point."""
    line = PALETTE.wall if fill != PALETTE.back else "#c8cfdd"
    return element(
        "path",
        d=f"M{x - 8 * scale:g} {y - 5.5 * scale:g}h{16 * scale:g}v{11 * scale:g}h-{16 * scale:g}z"
        f"l{8 * scale:g} {6.5 * scale:g}l{8 * scale:g} -{6.5 * scale:g}",
        fill=fill,
        stroke=line,
        stroke_width=1.2,
        pointer_events="none",
    )


def _envelopes(game: Game, s: np.record) -> str:
    """Return the envelopes that lie in the camp; several on one cell are stacked."""
    camp, drawn = camp_of(game), []
    stacked: dict[int, int] = {}
    for envelope in range(len(camp.hiding)):
        cell = int(s.lies[envelope])
        if cell != NOWHERE:
            height = stacked[cell] = stacked.get(cell, -1) + 1
            x, y = centre(camp, camp.places[cell])
            drawn.append(_envelope(x + 2.5 * height, y - 2.5 * height, _fill(s, envelope), 1))
    return "".join(drawn)


def _fill(s: np.record, envelope: int) -> str:
    return KINDS.get(int(s.contents[envelope]), UNKNOWN_KIND)[0]


def _landings(game: Game, records: np.ndarray) -> str:
    """Return where the seat to move can go, if that is the viewer."""
    s, camp = records[0], camp_of(game)
    if s.viewer < 0 or s.viewer != s.to_move or s.is_oracle:
        return ""
    kinds = (game.actions.where(int(action)) for action in game.legal(records))
    return reachable(camp, [camp.places[cell[0]] for kind, cell in kinds if kind == "go"])


def _throw(s: np.record) -> str:
    """Return the dice that are being used."""
    return dice(700, -4, THROWS[s.throw - 1]) if s.throw else ""


def _seat(game: Game, s: np.record, seat: int, top: int) -> str:
    """Return the lines about a seat: where it is, what it carries."""
    camp, names, cell, y = camp_of(game), names_of(game), int(s.cell[seat]), top + 14
    if cell != NOWHERE:
        sector = int(game.tables[0].sector[cell])
        where = f"{names.cells[cell]} {camp.sectors[sector].code if sector != NOWHERE else ''}"
    else:
        where = f"outside, {names.gates[s.gate[seat]]}" if s.gate[seat] != NOWHERE else "outside"
    notes = [*(["you"] if seat == s.viewer and not s.is_oracle else []), *(["down"] if s.status[seat] == DOWN else [])]
    is_actor = seat == (s.to_move if s.to_move >= 0 else s.actor) and not s.over
    carried = np.flatnonzero(s.holder[: len(camp.hiding)] == seat)
    step = min(34, (GUARD - CARRIED - 30) / max(1, len(carried) - 1))
    return group(
        element("rect", x=-4, y=y - 9, width=CARRIED - 8, height=LINE, rx=5, fill=PALETTE.field) if is_actor else "",
        seat_token(9, y + 2, seat, 9),
        text(26, y + 7, where, 13),
        text(
            CARRIED - 16,
            y + 6,
            ", ".join(notes),
            11,
            text_anchor="end",
            fill=PALETTE.bad if s.status[seat] == DOWN else PALETTE.faint,
        ),
        *(
            _envelope(CARRIED + 12 + step * n, y + 2, _fill(s, envelope), 1.1)
            + (
                text(CARRIED + 12 + step * n, y + 20, names.envelopes[envelope], 9.5, text_anchor="middle")
                if step > 24
                else ""
            )
            for n, envelope in enumerate(carried.tolist())
        ),
    )


def _tour(game: Game, s: np.record) -> list[str]:
    """Return where the guard is, and his next sectors in order."""
    camp, route = camp_of(game), list(camp_of(game).route)
    here = route.index(int(s.guard)) if int(s.guard) in route else 0
    ahead = [camp.sectors[route[(here + n) % len(route)]].code for n in range(1, len(route) + 1)]
    now = camp.sectors[s.guard].code
    lines = [ahead[n : n + 4] for n in range(0, min(len(ahead), 8), 4)]
    return [
        _badge(GUARD + 10, 16),
        text(GUARD + 28, 21, f"in {now}, then", 13),
        *(text(GUARD, 44 + LINE * n, " > ".join(line), 12) for n, line in enumerate(lines)),
    ]


def marks(game: Game, view: np.ndarray, action: int) -> tuple[str, ...]:
    """Return what one points at to choose an action: a cell or a gate."""
    kind, (number,) = game.actions.where(action)
    names = names_of(game)
    if kind == "go":
        return (names.cells[number],)
    return (f"gate {names.gates[number]}",) if kind in ("leave", "gate") else ()

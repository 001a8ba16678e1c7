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
    headline,
    label_place,
    landings,
    left_of,
    panel,
    scale_of,
    size_of,
    tokens,
)
from kgb_env.game import Game
from kgb_env.games.secret_formula.boards import camp_of, names_of
from kgb_env.games.secret_formula.drawing import status
from kgb_env.games.secret_formula.spec import DOWN, FALSE, FORMULA, NOWHERE, THROWS
from kgb_env.record import UNKNOWN
from kgb_env.render.picture import Picture, seen_by
from kgb_env.render.svg import PALETTE, PLAIN, dice, element, fitting, group, runs, seat_token, text, wrap

KINDS = {FALSE: ("#ffffff", "false"), FORMULA: (PALETTE.gold, "the formula")}  # of envelopes whose contents are known
UNKNOWN_KIND = (PALETTE.back, "not known")
IMPORTANCE = (FALSE, UNKNOWN, FORMULA)  # of what an envelope contains, the least first
SEEN, CARRIED, GUARD, DICE = 156, 240, 614, 700  # where a column ends and these panels begin
SEAT = 30  # height of a seat's line
FULL = 12  # cells
ELSEWHERE = (100, 3)  # letters and lines for the envelopes that do not lie in their places
TOUR, TOUR_LINE = 5, 17  # sectors in a line, its height


def picture(game: Game, records: np.ndarray) -> Picture:
    """Draw what the viewer knows; to the seat to move dots show where it can go."""
    s, camp = records[0], camp_of(game)
    width, height = size_of(camp)
    below = max(SEAT * game.seats, _legend_from(game) + 3 * LINE) + 14
    whole = height + scale_of(camp) * (42 + below + 17 * ELSEWHERE[1])
    layers = (
        board(game),
        _closed(game, s)
        + landings(game, records, camp)
        + _guard(game, s)
        + _envelopes(game, s)
        + tokens(camp, _places(game, s)),
        headline(camp, status(game, records), DICE - 12),
        panel(camp, _throw(s)),
        panel(
            camp,
            heading(0, 0, "Seats"),
            text(SEEN, 0, f"saw, of {len(camp.hiding)}", 11, text_anchor="end", fill=PALETTE.faint),
            heading(CARRIED, 0, "Envelopes carried"),
            *(_seat(game, s, seat, SEAT * seat) for seat in range(game.seats)),
            y=42,
        ),
        panel(camp, heading(GUARD, 0, "Guard's tour"), *_tour(game, s), y=42),
        panel(camp, *_elsewhere(game, s), y=42 + below),
    )
    return Picture(width, round(whole), layers, f"The Secret Formula {seen_by(s)}")


@cache
def board(game: Game) -> str:
    """Return the camp, and what envelopes look like."""
    camp = camp_of(game)
    size = 12 * min(scale_of(camp), 1.35)
    names = []
    for number, sector in enumerate(camp.sectors):
        place = label_place(camp, number, (*camp.gazebo, *camp.hiding))
        is_full = len(camp.floor(number)) < FULL  # of what is to be seen on the floor: the name goes on the wall
        if is_full:
            place = (min(row for row, _ in camp.floor(number)) - 1, place[1])
        x, y = centre(camp, place)
        fill = PALETTE.paper if is_full else PALETTE.ink
        names.append(text(x, y + 0.36 * size, sector.code, size, font_weight="bold", fill=fill))
    labels = group(*names, text_anchor="middle", fill_opacity=0.6, pointer_events="none")
    below = _legend_from(game)
    kinds = [*KINDS.values(), UNKNOWN_KIND]
    legend = [
        _envelope(GUARD + 8, below + LINE * n, fill, 1) + text(GUARD + 24, below + 4 + LINE * n, meaning, 12)
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
    """Return the envelopes that lie in the camp: of several on a cell the one that matters most, and how many."""
    camp, drawn = camp_of(game), []
    together: dict[int, list[int]] = {}
    for envelope in range(len(camp.hiding)):
        if s.lies[envelope] != NOWHERE:
            together.setdefault(int(s.lies[envelope]), []).append(envelope)
    for cell, envelopes in together.items():
        x, y = centre(camp, camp.places[cell])
        top = max(envelopes, key=lambda envelope: IMPORTANCE.index(int(s.contents[envelope])))
        drawn.append(_envelope(x, y, _fill(s, top), 1))
        if len(envelopes) > 1:
            drawn.append(element("circle", cx=x + 8, cy=y - 6, r=6.5, fill=PALETTE.ink, pointer_events="none"))
            count = text(x + 8, y - 2.5, str(len(envelopes)), 10, fill="#ffffff", text_anchor="middle")
            drawn.append(group(count, pointer_events="none"))
    return "".join(drawn)


def _elsewhere(game: Game, s: np.record) -> list[str]:
    """Return which envelopes do not lie where they were hidden."""
    names = names_of(game)
    moved = [
        f"{name} on {names.cells[s.lies[envelope]]}"
        for envelope, name in enumerate(names.envelopes)
        if s.lies[envelope] != NOWHERE and names.cells[s.lies[envelope]] != name
    ]
    letters, room = ELSEWHERE
    lines = wrap(f"Envelopes lying elsewhere than at first: {', '.join(moved)}", letters) if moved else []
    lines = [*lines[: room - 1], f"{lines[room - 1][: letters - 3]}..."] if len(lines) > room else lines
    return [text(0, 8 + 17 * n, line, 12) for n, line in enumerate(lines)]


def _fill(s: np.record, envelope: int) -> str:
    return KINDS.get(int(s.contents[envelope]), UNKNOWN_KIND)[0]


def _throw(s: np.record) -> str:
    """Return the dice that are being used."""
    return dice(DICE, -4, THROWS[s.throw - 1]) if s.throw else ""


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
        text(26, y + 7, where, fitting(where, 13, SEEN - 46, PLAIN)),
        text(SEEN, y + 6, str(int(s.examined[seat]).bit_count()), 11, text_anchor="end", fill=PALETTE.faint),
        text(
            SEEN + 12,
            y + 6,
            ", ".join(notes),
            11,
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
    """Return where the guard is, and all his sectors from the next one on."""
    camp, route = camp_of(game), list(camp_of(game).route)
    here = route.index(int(s.guard)) if int(s.guard) in route else 0
    ahead = [camp.sectors[route[(here + n) % len(route)]].code for n in range(1, len(route) + 1)]
    lines = [ahead[n : n + TOUR] for n in range(0, len(ahead), TOUR)]
    return [
        _badge(GUARD + 10, 16),
        text(GUARD + 28, 21, f"in {camp.sectors[s.guard].code}, then", 13),
        *(text(GUARD, 44 + TOUR_LINE * n, " ".join(line), 12) for n, line in enumerate(lines)),
    ]


def _legend_from(game: Game) -> int:
    """Return where the legend begins, below the tour."""
    return 44 + TOUR_LINE * -(-len(camp_of(game).route) // TOUR) + 14


def marks(game: Game, view: np.ndarray, action: int) -> tuple[str, ...]:
    """Return what one points at to choose an action: a cell or a gate."""
    kind, (number,) = game.actions.where(action)
    names = names_of(game)
    if kind == "go":
        return (names.cells[number],)
    return (f"gate {names.gates[number]}",) if kind in ("leave", "gate") else ()

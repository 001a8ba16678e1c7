"""A camp as a picture: the board, on which the games put what is theirs, and the panels below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kgb_env.camp.board import DOOR, FLOOR, GATE, WALKWAY, Board, Place
from kgb_env.camp.drawing import column_name, place_name
from kgb_env.game import Game
from kgb_env.render.svg import PALETTE, element, fitting, group, runs, seat_token, seats_token, shared_radius, text

CELL = 20
RULER = 22  # room for the names of rows and columns, and a margin
WIDE = 800  # the width that panels are laid out for; on a wider board they are enlarged
LINE = 22  # of a panel
GROUNDS = {
    "#": PALETTE.wall,
    "~": PALETTE.water,
    "%": PALETTE.line,
    '"': "#cdd8b8",
    ",": "#e9d9dd",
}  # scenery that fills its place
FILLS = {FLOOR: "#ffffff", WALKWAY: "#efe6d2", DOOR: "#d9b98a", GATE: PALETTE.gold}


def size_of(camp: Board) -> tuple[int, int]:
    """Return width and height of the board's picture."""
    return max(2 * RULER + CELL * len(camp.rows[0]), WIDE), 2 * RULER + CELL * len(camp.rows)


def left_of(camp: Board) -> float:
    """Return where the map begins: a small one stands in the middle."""
    return (size_of(camp)[0] - CELL * len(camp.rows[0])) / 2


def scale_of(camp: Board) -> float:
    """Return by how much panels are enlarged."""
    return size_of(camp)[0] / WIDE


def centre(camp: Board, place: Place) -> tuple[float, float]:
    """Return the middle of a place."""
    return left_of(camp) + CELL * (place[1] + 0.5), RULER + CELL * (place[0] + 0.5)


def draw_board(camp: Board) -> str:
    """Return all that does not move; every cell is marked with its name, every gate as ``gate NAME``."""
    height, width = len(camp.rows), len(camp.rows[0])
    characters: dict[str, list[Place]] = {}
    for row, line in enumerate(camp.rows):
        for column, character in enumerate(line):
            if (row, column) not in camp.cells:
                characters.setdefault(character, []).append((row, column))
    scenery = [
        element("rect", width=width * CELL, height=height * CELL, fill=PALETTE.ground),
        *(
            element("path", d=runs(characters[character], CELL), fill=fill)
            for character, fill in GROUNDS.items()
            if character in characters
        ),
        _pines(characters.get("^", ())),
        _small(characters.get("o", ()), "#7d9a5b"),
        _small(characters.get("n", ()), "#b9a77c"),
        _fence(characters.get("|", ())),
    ]
    if camp.gazebo:
        scenery.append(element("path", d=runs(camp.gazebo, CELL), fill="#c9b6d8", stroke=PALETTE.wall))
    cells = [
        group(
            *(_cell(place) for place, its in camp.cells.items() if its == kind),
            fill=fill,
            stroke=PALETTE.line,
        )
        for kind, fill in FILLS.items()
    ]
    parts = [*scenery, *cells, _barriers(camp), *(_gate(camp, number) for number in range(len(camp.gates)))]
    board = group(*parts, transform=f"translate({left_of(camp):g} {RULER})")
    return board + _rulers(camp)


def _cell(place: Place) -> str:
    return element("rect", x=place[1] * CELL, y=place[0] * CELL, width=CELL, height=CELL, data_mark=place_name(place))


def _pines(places: Iterable[Place]) -> str:
    points = (f"M{c * CELL + 10} {r * CELL + 3}l6 13h-12z" for r, c in places)
    return element("path", d="".join(points), fill="#8aa57a")


def _small(places: Iterable[Place], fill: str) -> str:
    """Return round things, one a place."""
    points = (f"M{c * CELL + 4} {r * CELL + 10}a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z" for r, c in places)
    return element("path", d="".join(points), fill=fill)


def _fence(places: Iterable[Place]) -> str:
    return element("path", d="".join(f"M{c * CELL + 10} {r * CELL}v{CELL}" for r, c in places), stroke=PALETTE.wall)


def _barriers(camp: Board) -> str:
    """Return lines between neighbours that are not connected, as in a spiral (K6)."""
    lines = []
    for place in camp.cells:
        row, column = place
        for other, start, way in (
            ((row, column + 1), (column + 1, row), f"v{CELL}"),
            ((row + 1, column), (column, row + 1), f"h{CELL}"),
        ):
            if other in camp.cells and other not in camp.links[place] and place not in camp.links[other]:
                lines.append(f"M{start[0] * CELL} {start[1] * CELL}{way}")
    return element("path", d="".join(lines), stroke=PALETTE.wall, stroke_width=2, fill="none")


def _gate(camp: Board, number: int) -> str:
    """Return the name of a gate, on the board's edge beside it or above it."""
    name, (row, column) = camp.gates[number]
    width = len(camp.rows[0])
    if column in (0, width - 1):
        x, anchor = (float(CELL), "start") if column == 0 else (float((width - 1) * CELL), "end")
        y = (row - 0.35) * CELL
    else:
        x, y, anchor = (column + 0.5) * CELL, (row - 0.35) * CELL if row else 1.75 * CELL, "middle"
    label = text(x, y, f"{name} gate", 12, font_weight="bold", text_anchor=anchor, fill=PALETTE.wall)
    door = element(
        "rect", x=column * CELL + 3, y=row * CELL + 3, width=CELL - 6, height=CELL - 6, rx=3, fill=PALETTE.paper
    )
    return group(door, label, data_mark=f"gate {name}")


def _rulers(camp: Board) -> str:
    """Return the names of columns and rows, from which those of cells can be read."""
    left, below = left_of(camp), RULER + CELL * len(camp.rows) + 11
    columns = [
        text(left + CELL * (n + 0.5), y, column_name(n), 9) for n in range(len(camp.rows[0])) for y in (14, below)
    ]
    rows = [
        text(x, RULER + CELL * (n + 0.68), str(n + 1), 9)
        for n in range(len(camp.rows))
        for x in (left - 10, left + CELL * len(camp.rows[0]) + 10)
    ]
    return group(*columns, *rows, text_anchor="middle", fill=PALETTE.faint).replace(f' fill="{PALETTE.ink}"', "")


def label_place(camp: Board, sector: int, taken: Sequence[Place]) -> Place:
    """Return the floor cell in the middle of a sector, on which its name is written, away from what is ``taken``."""
    free = [place for place in camp.floor(sector) if all(_apart(place, other) for other in taken)]
    floor = free or camp.floor(sector)
    row, column = (sum(numbers) / len(floor) for numbers in zip(*floor, strict=True))

    def is_narrow(place: Place) -> bool:
        return any((place[0], place[1] + side) not in camp.cells for side in (-1, 1))

    return min(floor, key=lambda place: (is_narrow(place), abs(place[0] - row) + abs(place[1] - column), place))


def _apart(place: Place, other: Place) -> bool:
    """Tell if what is written on a place leaves the tokens on another one alone."""
    return abs(place[0] - other[0]) > 1 or abs(place[1] - other[1]) > 2


def tokens(camp: Board, where: Sequence[tuple[int, Place]]) -> str:
    """Return the tokens of seats on the map; those on one place share a disc, drawn over those of others."""
    together: dict[Place, list[int]] = {}
    for seat, place in where:
        together.setdefault(place, []).append(seat)
    is_wide = scale_of(camp) > 1.5
    alone, shared = 0.55 * CELL * (1.25 if is_wide else 1), 0.55 * CELL * (1.45 if is_wide else 1)
    drawn = []
    for place, seats in sorted(together.items(), key=lambda item: len(item[1])):
        x, y = centre(camp, place)
        if len(seats) == 1:
            drawn.append(seat_token(x, y, seats[0], alone))
        else:
            radius = shared_radius(len(seats), shared) + 1
            x, y = (_inside(at, radius, length) for at, length in zip((x, y), size_of(camp), strict=True))
            drawn.append(seats_token(x, y, seats, shared))
    return "".join(drawn)


def _inside(at: float, margin: float, length: float) -> float:
    """Return what is nearest to a coordinate so that a disc outside a gate does not leave the picture."""
    return min(max(at, margin), length - margin)


def panel(camp: Board, *parts: str, x: float = RULER, y: float = 0) -> str:
    """Return elements, laid out for the ordinary width, where the panels of this board are."""
    scale, top = scale_of(camp), size_of(camp)[1] + 4
    return group(*parts, transform=f"translate({x * scale:g} {top + y * scale:g}) scale({scale:g})")


def headline(camp: Board, content: str, width: float = WIDE - 2 * RULER) -> str:
    """Return the line below the board: whose turn it is and what is due."""
    return panel(camp, text(0, 14, content, fitting(content, 15, width), font_weight="bold"))


def heading(x: float, y: float, content: str) -> str:
    """Return the title of a panel."""
    return text(x, y, content, 14, font_weight="bold")


def reachable(camp: Board, places: Iterable[Place]) -> str:
    """Return a dot on every cell where the seat to move can go."""
    return group(
        *(element("circle", cx=x, cy=y, r=4) for x, y in (centre(camp, place) for place in places)),
        fill=PALETTE.good,
        fill_opacity=0.55,
        pointer_events="none",
    )


def landings(game: Game, records: np.ndarray, camp: Board) -> str:
    """Return where the seat to move can go, if that is the viewer."""
    s = records[0]
    if s.viewer < 0 or s.viewer != s.to_move or s.is_oracle:
        return ""
    kinds = (game.actions.where(int(action)) for action in game.legal(records))
    return reachable(camp, [camp.places[cell[0]] for kind, cell in kinds if kind == "go"])

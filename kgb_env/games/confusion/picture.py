"""Confusion as a picture: the board, and the notebook on the spies of each side beside it."""

from __future__ import annotations

from functools import cache

import numpy as np

from kgb_env.game import Game
from kgb_env.games.confusion.drawing import status
from kgb_env.games.confusion.files import PROMOTED_SIDE, Piece
from kgb_env.games.confusion.legality import waiting
from kgb_env.games.confusion.notebook import Notebook, keep
from kgb_env.games.confusion.spec import (
    ACTIONS,
    ANSWER,
    COLUMNS,
    DIRECTIONS,
    DOUBLE_AGENT,
    EMPTY,
    LETTERS,
    NOWHERE,
    PROMOTE,
    RED,
    SEATS,
    STEPS,
    WHITE,
    cell_name,
)
from kgb_env.games.confusion.text import SIDES, TOKEN_NAMES, controlled, pieces_of, target
from kgb_env.record import UNKNOWN
from kgb_env.render.picture import Picture, seen_by
from kgb_env.render.svg import PALETTE, element, fitting, group, text

CELL = 46
MARGIN = 30
TOP = 46  # room for the line that says what is due
SPY = 36  # a token
COLOURS = (("#fffdf6", PALETTE.ink), (PALETTE.bad, "#ffffff"))  # of a side's tokens, and of what is written on them
NOTE = 16  # a square of the notebook
HEAD = 16  # room for what is told below its title
SHADES = (0.2, 0.45, 0.7, 1.0)  # of its dots: the more of the possible deals agree, the darker
LEGEND = 110  # width of an entry
NARROWEST = 640  # so that there is room for what is due
SLANT = 0.7071


def picture(game: Game, records: np.ndarray) -> Picture:
    """Draw what the viewer knows, his side (or White's) at the bottom."""
    s, t = records[0], game.tables[0]
    me = RED if s.viewer == RED else WHITE
    left = 2 * MARGIN + int(t.columns) * CELL + 10
    step = NOTE * (int(t.spies) + 2) + 14 + HEAD * _has_tokens(game)
    width = max(NARROWEST, left + NOTE * (len(_numbers(game)) + 1) + MARGIN)
    first = TOP + HEAD * _has_tokens(game)
    below = TOP + max(int(t.rows) * CELL + MARGIN, SEATS * step)
    due = status(game, records)
    legend, height = _legend(game, width - 2 * MARGIN)
    layers = (
        _board(game, me)
        + _at(MARGIN, below, legend)
        + "".join(_at(left, first + step * n, _page(game)) for n in range(SEATS)),
        _proposed(game, records, me) + _spies(game, s, me) + _briefcase(s, game, me),
        text(MARGIN, 27, due, fitting(due, 17, width - 2 * MARGIN), font_weight="bold"),
        *(_at(left, first + step * n, _notebook(game, records, seat)) for n, seat in enumerate((me, 1 - me))),
    )
    return Picture(width, below + height, layers, f"Confusion {seen_by(s)}")


def _at(x: float, y: float, content: str) -> str:
    return group(content, transform=f"translate({x} {y})")


def _corner(game: Game, me: int, cell: int) -> tuple[int, int]:
    """Return the top left corner of a square, from the side of ``me``."""
    t = game.tables[0]
    row, column = divmod(cell, COLUMNS)
    if me == RED:
        return MARGIN + CELL * (int(t.columns) - 1 - column), TOP + CELL * row
    return MARGIN + CELL * column, TOP + CELL * (int(t.rows) - 1 - row)


def _centre(game: Game, me: int, cell: int) -> tuple[float, float]:
    x, y = _corner(game, me, cell)
    return x + CELL / 2, y + CELL / 2


@cache
def _board(game: Game, me: int) -> str:
    """Return the squares, marked with their names, both first rows in the colour of their side."""
    t, squares, names = game.tables[0], [], []
    for row in range(int(t.rows)):
        for column in range(int(t.columns)):
            cell = row * COLUMNS + column
            x, y = _corner(game, me, cell)
            is_goal = row in (0, int(t.rows) - 1)
            shade = "#f4ddcd" if row and is_goal else "#f7efd5" if is_goal else PALETTE.field
            fill = shade if t.open[cell] else PALETTE.shade
            squares.append(element("rect", x=x, y=y, width=CELL, height=CELL, fill=fill, data_mark=cell_name(cell)))
            if row == 0:
                below = TOP + CELL * int(t.rows) + 18
                names.append(text(x + CELL / 2, below, cell_name(cell)[0], 13, text_anchor="middle"))
        names.append(text(MARGIN - 8, y + CELL / 2 + 5, str(row + 1), 13, text_anchor="end"))
    return group(*squares, stroke=PALETTE.line) + group(*names)


def _spies(game: Game, s: np.record, me: int) -> str:
    """Return the tokens: a known piece by its directions and distance, an unknown one by its back."""
    drawn = []
    for seat in range(SEATS):
        for spy in range(int(game.tables[0].spies)):
            if s.cell[seat, spy] != NOWHERE:
                x, y = _centre(game, me, int(s.cell[seat, spy]))
                drawn.append(_at(x, y, _spy(game, s, seat, spy, me)))
    return group(*drawn, pointer_events="none")


def _spy(game: Game, s: np.record, seat: int, spy: int, me: int) -> str:
    """Return a token around the origin."""
    fill, ink = COLOURS[seat]
    piece, half = int(s.piece[seat, spy]), SPY / 2
    is_promoted = bool(s.promoted[seat, spy])
    ring = PALETTE.good if is_promoted else PALETTE.gold if piece == DOUBLE_AGENT else PALETTE.ink
    square = element(
        "rect",
        x=-half,
        y=-half,
        width=SPY,
        height=SPY,
        rx=7,
        fill=fill,
        stroke=ring,
        stroke_width=1 if ring == PALETTE.ink else 3,
    )
    if piece == UNKNOWN and not is_promoted:
        back = element("rect", x=5 - half, y=5 - half, width=SPY - 10, height=SPY - 10, rx=4, fill=PALETTE.back)
        return square + back + _letter(LETTERS[spy], "#ffffff", "")
    shown = PROMOTED_SIDE if is_promoted else pieces_of(game)[piece] if piece != DOUBLE_AGENT else None
    if shown is None:
        return (
            square
            + _letter(LETTERS[spy], ink, "")
            + text(0, 14, "DA", 9, fill=ink, text_anchor="middle", font_weight="bold")
        )
    return square + _arrows(shown, seat != me, ink) + _letter(LETTERS[spy], ink, str(shown.distance))


def _letter(letter: str, ink: str, distance: str) -> str:
    """Return the name of a spy, with how far it goes."""
    name = text(-3 if distance else 0, 5, letter, 15, fill=ink, font_weight="bold", text_anchor="middle")
    return name + (text(4, 10, distance, 10.5, fill=ink) if distance else "")


def _arrows(piece: Piece, is_turned: bool, fill: str, radius: float = 12.0) -> str:
    """Return triangles that point where a piece can go; forward is up, or down for the other side."""
    tips = []
    for direction, (right, up) in zip(DIRECTIONS, STEPS, strict=True):
        if direction in piece.directions:
            scale = (-1 if is_turned else 1) * (SLANT * 1.15 if right and up else 1)
            x, y = scale * right, -scale * up
            across, along = (-y * 5, x * 5), (x * 6, y * 6)
            x, y = radius * x, radius * y
            tips.append(
                f"M{x + across[0]:.1f} {y + across[1]:.1f}L{x + along[0]:.1f} {y + along[1]:.1f}"
                f"L{x - across[0]:.1f} {y - across[1]:.1f}z"
            )
    return element("path", d="".join(tips), fill=fill)


def _briefcase(s: np.record, game: Game, me: int) -> str:
    """Return the briefcase: in the corner of the spy that controls it, else in the middle of its square."""
    right, down = (12.0, -14.0) if s.board[s.briefcase] != EMPTY else (0.0, 0.0)
    x, y = _centre(game, me, int(s.briefcase))
    x, y = x + right, y + down
    return group(
        element("rect", x=x - 9, y=y - 5, width=18, height=13, rx=2.5),
        element("path", d=f"M{x - 4:g} {y - 5:g}v-4h8v4", fill="none", stroke_width=2),
        fill=PALETTE.gold,
        stroke=PALETTE.ink,
        pointer_events="none",
    )


def _proposed(game: Game, records: np.ndarray, me: int) -> str:
    """Return an arrow along the proposal that waits for an answer, or a frame around the spy that has arrived."""
    s = records[0]
    if s.phase == PROMOTE and s.to_move >= 0:
        return _lit(game, me, int(s.cell[s.to_move, s.arrived]))
    if s.phase != ANSWER or s.to_move < 0:
        return ""
    seat = int(s.turn) % SEATS
    _, spy, direction, step = waiting(s)
    start = int(s.cell[seat, spy])
    end = target(game, seat, start, int(direction), int(step) + 1)
    x, y = _centre(game, me, start)
    right, down = _centre(game, me, end)
    return group(
        _lit(game, me, start),
        _lit(game, me, end),
        element("path", d=f"M{x:g} {y:g}L{right:g} {down:g}", stroke=PALETTE.good, stroke_width=5),
        element("circle", cx=right, cy=down, r=9, fill=PALETTE.good),
        pointer_events="none",
    )


def _lit(game: Game, me: int, cell: int) -> str:
    """Return a square that stands out."""
    x, y = _corner(game, me, cell)
    return element("rect", x=x + 1, y=y + 1, width=CELL - 2, height=CELL - 2, fill=PALETTE.mark, pointer_events="none")


def _notebook(game: Game, records: np.ndarray, seat: int) -> str:
    """Return what a seat can know of its own spies: a dot for a possible piece, a square for the real one."""
    s, book = records[0], keep(game, records, seat)
    tokens = [name for name, left in zip(TOKEN_NAMES, s.tokens[seat], strict=True) if left]
    gone = [
        element("rect", x=0, y=_line(row) - 7, width=NOTE - 1, height=14, fill=PALETTE.paper, fill_opacity=0.75)
        for row in range(len(book.letters))
        if s.cell[seat, row] == NOWHERE
    ]
    return "".join(
        [
            text(0, 6 - HEAD * _has_tokens(game), f"{SIDES[seat]}'s spies", 13, font_weight="bold"),
            text(0, 6, f"tokens: {', '.join(tokens) or 'none'}", 11) if _has_tokens(game) else "",
            _real(game, s.piece[seat, : len(book.letters)].tolist()),
            _dots(book),
            *gone,
        ]
    )


def _has_tokens(game: Game) -> bool:
    """Tell if a seat begins with tokens of special actions: they are told below the title of its notebook."""
    return any(game.options["special_actions"])


def _line(row: int) -> float:
    """Return the middle of a line of a notebook."""
    return NOTE * (row + 1.5) + 10


def _page(game: Game) -> str:
    """Return an empty notebook."""
    numbers, spies = _numbers(game), int(game.tables[0].spies)
    heads = [text(NOTE * (n + 1.5), 21, name, 9.5, fill=PALETTE.faint) for n, name in enumerate(numbers)]
    size = {"width": NOTE * len(numbers), "height": NOTE * spies}
    paper = element("rect", x=NOTE, y=NOTE + 10, fill="#ffffff", stroke=PALETTE.line, **size)
    letters = [text(NOTE / 2, _line(row) + 4.5, letter, 12) for row, letter in enumerate(LETTERS[:spies])]
    return group(*heads, text_anchor="middle") + paper + group(*letters, text_anchor="middle", font_weight="bold")


def _dots(book: Notebook) -> str:
    """Return a dot for each piece that a spy may have, the darker the more of the possible deals say so."""
    dots: list[list[str]] = [[] for _ in SHADES]
    for row, column in np.argwhere(book.possible).tolist():
        shade = min(len(SHADES) - 1, int(len(SHADES) * book.counts[row, column] / book.deals))
        dots[shade].append(f"M{NOTE * (column + 1.5):g} {_line(row):g}h.01")
    paths = [
        element("path", d="".join(places), stroke_opacity=shade) for shade, places in zip(SHADES, dots, strict=True)
    ]
    return group(*paths, stroke=PALETTE.ink, stroke_width=7, stroke_linecap="round")


def _real(game: Game, pieces: list[int]) -> str:
    """Return a square for each piece that the viewer knows."""
    last, side = len(_numbers(game)) - 1, NOTE - 2
    squares = [
        element(
            "rect",
            x=NOTE * ((last if piece == DOUBLE_AGENT else piece) + 1) + 1,
            y=_line(row) - side / 2,
            width=side,
            height=side,
            rx=3,
        )
        for row, piece in enumerate(pieces)
        if piece != UNKNOWN
    ]
    return group(*squares, fill=PALETTE.gold, fill_opacity=0.75)


def _numbers(game: Game) -> list[str]:
    """Return what pieces are called at the head of a notebook."""
    ordinary = [str(number) for number in range(1, len(pieces_of(game)) + 1)]
    return ordinary if game.options["honor_among_spies"] else [*ordinary, "DA"]


@cache
def _legend(game: Game, width: int) -> tuple[str, int]:
    """Return what the numbers of pieces mean, in lines of a width, and its height."""
    named: list[tuple[str, str, Piece | None]] = []
    named += [(str(n), piece.name, piece) for n, piece in enumerate(pieces_of(game), start=1)]
    if not game.options["honor_among_spies"]:
        named.append(("DA", "Double Agent", None))
    columns = width // LEGEND
    drawn = []
    for n, (number, name, piece) in enumerate(named):
        line, column = divmod(n, columns)
        star = "*" if piece and piece.is_promotable and not game.options["promotion_sir"] else ""
        drawn.append(_at(LEGEND * column + 9, 22 * line + 10, _entry(number, f"{name}{star}", piece)))
    below, is_sir = 22 * (line + 1) + 14, bool(game.options["promotion_sir"])
    notes = [
        "dots: possible pieces, the darker the more deals agree; gold square: the piece",
        f"{'all but the Double Agent' if is_sir else '*'} may be promoted; blue frame: promoted",
    ]
    lines = [text(0, below + 15 * n, note, 11, fill=PALETTE.faint) for n, note in enumerate(notes)]
    return "".join([*drawn, *lines]), below + 30


def _entry(number: str, name: str, piece: Piece | None) -> str:
    """Return an entry of the legend around its glyph."""
    square = element("rect", x=-9, y=-9, width=18, height=18, rx=4, fill="#ffffff", stroke=PALETTE.line)
    if piece is None:
        return square + text(0, 3, "DA", 9, text_anchor="middle", font_weight="bold") + text(14, 4, name, 11)
    arrows = group(_arrows(piece, False, PALETTE.ink), transform="scale(.5)")
    distance = text(0, 3, str(piece.distance), 8, text_anchor="middle")
    return square + arrows + distance + text(14, 4, f"{number} {name}", 11)


def marks(game: Game, view: np.ndarray, action: int) -> tuple[str, ...]:
    """Return what one points at to choose an action: the square of a spy, and the one where something goes."""
    s, seat = view[0], int(view[0].to_move)
    kind, place = ACTIONS.where(action)
    if seat < 0:
        return ()
    if kind in ("move", "leave", "hand"):
        *spy, direction, step = place
        start = int(s.cell[seat, spy[0]]) if spy else controlled(s, seat)
        end = target(game, seat, start, direction, step + 1)
        return (cell_name(start), cell_name(end)) if end != NOWHERE else ()
    if kind == "place":
        row, column = place
        return (cell_name(int(game.tables[0].turned[seat, row * COLUMNS + column])),)
    spies = {"out": place, "reveal": place, "swap": ()}.get(kind, ())
    if kind == "swap":
        spies = tuple(game.tables[0].pair[place[0]].tolist())
    cells = [int(s.cell[seat, spy]) for spy in spies]
    return tuple(map(cell_name, cells)) if NOWHERE not in cells else ()

"""Fill the generated parts of the camp's page: ``python -m tests.camp.page``."""

import re
from itertools import combinations
from pathlib import Path

import kgb_env.camp
from kgb_env.camp import cells
from kgb_env.camp.board import Board, shipped_board
from kgb_env.camp.compose import compose
from kgb_env.camp.header import GROUND, MEANING
from kgb_env.camp.published import sharing
from kgb_env.camp.tables import BOARD_TABLES
from kgb_env.layout import markdown_table

PAGE = Path(kgb_env.camp.__file__).parent / "README.md"
BLOCK = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
NAMES = ("double_agent", "secret_formula", "mini")


def parts() -> dict[str, str]:
    """Return the generated parts by name."""
    boards = {name: shipped_board(name) for name in NAMES}
    deluxe = compose(boards["double_agent"], boards["secret_formula"])
    maps = {name: "\n".join(["```text", *board.rows, "```"]) for name, board in boards.items()}
    return maps | {
        "boards": markdown_table(
            ("Board", "Cells", "Sectors", "Sharing a door", "Gates", "Hiding places", "Farthest", "Diameter"),
            *(_facts(f"`{name}`", board) for name, board in boards.items()),
            _facts("deluxe", deluxe),
        ),
        "characters": markdown_table(
            ("Character", "Meaning"),
            *((_code(characters), meaning) for characters, meaning in MEANING.items()),
        ),
        "limits": markdown_table(
            ("At most", "Number"),
            ("walkable cells", cells.CELLS),
            ("sectors (at least 2)", cells.SECTORS),
            ("gates (at least 1)", cells.GATES),
            ("hiding places", cells.HIDING_PLACES),
            ("cells beside the gazebo", cells.START_CELLS),
        ),
        "sizes": markdown_table(
            ("Memory", "Bytes"),
            ("all tables of a board", f"{BOARD_TABLES.itemsize:,}"),
            ("of them walks", f"{BOARD_TABLES['walk'].itemsize:,}"),
        ),
    }


def _code(characters: str) -> str:
    if characters == GROUND:
        return "a space"
    if len(characters) > 2:
        return f"`{characters[0]}` to `{characters[-1]}`" + (" but `X`" if "Y" in characters else "")
    return " ".join("`\\|`" if character == "|" else f"`{character}`" for character in characters)


def _facts(name: str, board: Board) -> tuple[object, ...]:
    floors = [board.floor(sector) for sector in range(len(board.sectors))]
    farthest = max(board.nearest(a, b) for a, b in combinations(floors, 2))
    counts = len(board.cells), len(board.sectors), len(sharing(board)), len(board.gates), len(board.hiding)
    return name, *counts, farthest, int(board.steps.max())


def filled(page: str) -> str:
    """Return the page with its generated parts made anew."""
    known = parts()
    return BLOCK.sub(lambda found: f"{found[1]}{known[found[2]]}\n{found[3]}", page)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

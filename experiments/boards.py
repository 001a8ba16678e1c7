"""What ``kgb board`` prints: a camp with its legend, sectors, distances and tables, or what is wrong with a file."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kgb_env.camp.board import KINDS, MAPS, Board, load_board, read_board
from kgb_env.camp.compose import compose
from kgb_env.camp.drawing import distance_rows, draw_map, legend, place_name, route_text, sector_rows
from kgb_env.camp.header import LETTERS, STEPS
from kgb_env.camp.published import differences
from kgb_env.camp.tables import build_board
from kgb_env.options import read_data_file

from .config import ConfigError

COUNTERPART = {"double_agent": "secret_formula", "secret_formula": "double_agent"}
COLOURS = {
    **dict.fromkeys(LETTERS, "bold bright_white"),
    **dict.fromkeys(STEPS, "yellow"),
    **dict.fromkeys(".", "yellow"),
    **dict.fromkeys(":%", "white"),
    **dict.fromkeys("+=@", "bold magenta"),
    **dict.fromkeys("X", "bold cyan"),
    **dict.fromkeys("*&", "bold red"),
    **dict.fromkeys("#|-", "red"),
    "~": "blue",
}
SCENERY = "green"


def print_board(names: list[str], deluxe: bool) -> None:
    """Print a board, or two as one along their fences."""
    if deluxe:
        if len(names) > 1 or names[0] not in COUNTERPART:
            raise ConfigError(
                f"--deluxe goes with one of {', '.join(COUNTERPART)}; for two of your own name both files"
            )
        names = [*names, COUNTERPART[names[0]]]
    if len(names) > 2:
        raise ConfigError(f"at most two boards make a camp, not {len(names)}")
    first, *rest = [load_board(read_data_file("board", name, MAPS), name) for name in names]
    _print(compose(first, rest[0]) if rest else first, Console(highlight=False))


def check_board(name: str, is_published: bool) -> bool:
    """Print every fault of a board's file, and in what it differs from the published ones.

    Args:
        name: of a file of ours, or a path.
        is_published: differences are faults too.

    Returns:
        Whether the board can be used.
    """
    console = Console(highlight=False, soft_wrap=True)
    board, faults = read_board(read_data_file("board", name, MAPS))
    for fault in faults:
        console.print(f"{name}, {fault}", markup=False)
    if board is None:
        console.print(f"{name}: faults: {len(faults)}", markup=False)
        return False
    unlike = differences(board)
    for difference in unlike:
        console.print(f"{name}: {'' if is_published else 'warning: '}{difference}", markup=False)
    if unlike and is_published:
        console.print(f"{name}: differences from the published boards: {len(unlike)}", markup=False)
        return False
    console.print(f"{name}: {board.title} can be played on: {_summary(board)}.", markup=False)
    return True


def _summary(board: Board) -> str:
    return (
        f"cells {len(board.cells)}, sectors {len(board.sectors)}, gates {len(board.gates)}, "
        f"hiding places {len(board.hiding)}"
    )


def _print(board: Board, console: Console) -> None:
    console.print(Text(board.title, "bold"))
    console.print(_coloured(draw_map(board)), soft_wrap=True)
    console.print()
    _print_table(console, [("", ""), *legend(board)], head=False)
    _print_table(console, sector_rows(board))
    _print_table(console, distance_rows(board), numbers=True)
    for gate in board.gates:
        console.print(f"Gate {gate.name}: {place_name(gate.place)}", markup=False)
    console.print(f"The guard's route: {route_text(board)}", soft_wrap=True, markup=False)
    counts = {kind: list(board.cells.values()).count(number) for number, kind in enumerate(KINDS)}
    kinds = ", ".join(f"{kind} {count}" for kind, count in counts.items())
    console.print(f"Counts: {_summary(board)}; {kinds}", soft_wrap=True)
    build_board(board)  # once before, so that compiling is not measured
    start = perf_counter()
    tables = build_board(board)
    seconds, walks = perf_counter() - start, tables["walk"].nbytes
    console.print(f"Tables: {tables.nbytes:,} bytes, walks {walks:,} of them; built in {1000 * seconds:.1f} ms")


def _coloured(text: str) -> Text:
    """Colour a map: what looks nice in green, what matters in its own colour; the rulers dim."""
    drawn = Text()
    for line in text.splitlines(keepends=True):
        is_row = line[:3].strip().isdigit()
        drawn.append(line[:4] if is_row else line, "dim")
        for character in line[4:] if is_row else "":
            drawn.append(character, COLOURS.get(character, SCENERY))
    return drawn


def _print_table(
    console: Console, rows: Iterable[tuple[object, ...]], *, head: bool = True, numbers: bool = False
) -> None:
    names, *body = rows
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=head)
    for column, name in enumerate(names):
        table.add_column(str(name), justify="right" if numbers and column else "left", no_wrap=numbers)
    for row in body:
        table.add_row(*(Text(str(cell)) for cell in row))
    console.print(table)
    console.print()

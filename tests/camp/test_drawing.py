"""A board prints itself back, and cells have names."""

import pytest

from kgb_env.camp.board import MAPS, load_board, shipped_board
from kgb_env.camp.compose import compose
from kgb_env.camp.drawing import (
    board_file,
    cell_name,
    cell_number,
    column_name,
    distance_rows,
    draw_map,
    legend,
    route_text,
    sector_rows,
)
from kgb_env.errors import NotationError
from tests.camp.maps import random_board, small

pytestmark = pytest.mark.nojit

NAMES = ("double_agent", "secret_formula", "mini")
DELUXE = compose(shipped_board("double_agent"), shipped_board("secret_formula"))


@pytest.mark.parametrize("board", [*map(shipped_board, NAMES), small(), *map(random_board, range(20))])
def test_a_board_prints_itself_back(board):
    assert load_board(board_file(board), "again") == board


@pytest.mark.parametrize("name", NAMES)
def test_the_map_is_printed_as_it_stands_in_the_file(name):
    board, text = shipped_board(name), (MAPS / f"{name}.txt").read_text()
    assert text.endswith("\nmap\n" + "\n".join(board.rows) + "\n")
    assert tuple(line[4:] for line in draw_map(board).splitlines() if line[:3].strip()) == board.rows


@pytest.mark.parametrize("board", [*map(shipped_board, NAMES), DELUXE])
def test_names_of_cells_round_trip(board):
    names = [cell_name(board, cell) for cell in range(len(board.cells))]
    assert len(set(names)) == len(names)
    assert [cell_number(board, name) for name in names] == list(range(len(names)))


def test_columns_have_letters_and_rows_numbers_from_the_top_left():
    assert [column_name(column) for column in (0, 25, 26, 51, 52, 701, 702)] == [
        *("a", "z", "aa", "az", "ba", "zz", "aaa")
    ]
    assert cell_name(small(), 0) == "d1"
    assert cell_number(small(), "b5") == small().number[4, 1]


@pytest.mark.parametrize("name", ["", "d", "1", "D1", "a1", "d01", "d1 ", "d99", "zzz1", "Ä1"])
def test_a_name_of_no_cell_is_refused(name):
    with pytest.raises(NotationError, match="is no cell of A test"):
        cell_number(small(), name)


def test_rulers_name_the_columns():
    first, second, row, *_ = draw_map(shipped_board("double_agent")).splitlines()
    assert (first[4 + 25 : 4 + 28], second[4 + 25 : 4 + 28]) == (" aa", "zab")
    assert row.startswith("  1 ###")


def test_the_legend_explains_every_character():
    for board in (*map(shipped_board, NAMES), DELUXE, small()):
        explained = "".join(characters for characters, _ in legend(board))
        letters = {sector.letter for sector in board.sectors}
        assert set("".join(board.rows)) - letters - set("123456789 ") <= set(explained)


def test_sectors_distances_and_route_are_listed():
    board = small()
    assert list(sector_rows(board))[1:] == [
        ("A", "HAL", "Hall", 6, "d4, e5", "d5", "b6"),
        ("B", "DEN", "Den", 4, "e5", "f5", "f6"),
    ]
    assert list(distance_rows(board)) == [
        ("Steps", "HAL", "DEN"),
        ("HAL", "-", "2"),
        ("DEN", "2", "-"),
        ("north", "4", "6"),
    ]
    assert route_text(board) == "HAL > DEN"

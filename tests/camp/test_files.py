"""Files of boards: every fault is named by line and column, and says what is allowed."""

from dataclasses import replace

import pytest

from kgb_env.camp.board import load_board, read_board
from kgb_env.camp.drawing import board_file
from kgb_env.camp.shared import area_of
from kgb_env.errors import DataFileError
from tests.camp.maps import FIRST_ROW, SMALL, changed

pytestmark = pytest.mark.nojit


def faults(text):
    board, found = read_board(text)
    assert board is None
    return [(fault.line, fault.column, fault.reason) for fault in found]


def test_the_small_board_is_right():
    board = load_board(SMALL, "small")
    assert board_file(board).split() == SMALL.split()


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "reason"),
    [
        # the header
        ("title    A test\n", "", 7, 0, "the header has no line 'title TEXT'"),
        ("title    A test", "title", 1, 1, "expected 'title TEXT'"),
        ("title    A test", "name     A test", 1, 1, "'name' begins no line (allowed: title, sector, spiral"),
        ("gates    north\n", "gates north\ngates north\n", 6, 1, "'gates' has been given in line 5 already"),
        ("sector   A  HAL  Hall", "sector   A  HAL", 2, 1, "expected 'sector LETTER CODE NAME'"),
        ("sector   A  HAL  Hall", "sector   X  HAL  Hall", 2, 10, "'X' is no letter for a sector"),
        ("sector   A  HAL  Hall", "sector   A  Hal  Hall", 2, 13, "'Hal' is no code: three capital letters"),
        ("B  DEN  Den", "A  DEN  Den", 3, 1, "letter, code and name must differ from those of the sector in line 2"),
        ("post 1 hiding 4", "post one", 4, 1, "expected 'spiral CODE post STEP hiding STEP ...'"),
        ("spiral   DEN", "spiral   BED", 4, 10, "no sector has the code 'BED' (there are HAL DEN)"),
        ("gates    north", "gates    North", 5, 10, "'North' is no name for a gate"),
        ("gates    north", "gates    north south", 5, 10, "gates named: 2; on the map: 1"),
        ("gates    north", "gates    north north", 5, 16, "there is another gate 'north'"),
        ("route    HAL DEN", "route    HAL BED DEN", 6, 14, "no sector has the code 'BED'"),
        ("route    HAL DEN", "route    HAL DEN HAL", 6, 18, "the guard's route names HAL twice"),
        ("route    HAL DEN", "route    DEN", 6, 0, "the guard's route leaves out HAL"),
        ("route    HAL DEN", "route", 6, 1, "expected 'route CODE ...'"),
        ("route    HAL DEN", "route HAL DEN\nunmonitored LAB", 7, 13, "no sector has the code 'LAB'"),
        ("scenery  ~  pond", "scenery  ~", 7, 1, "expected 'scenery CHARACTER MEANING'"),
        ("scenery  ~  pond", "scenery  ~  pond\nscenery  .  dots", 8, 10, "'.' has a meaning already"),
        ("\nmap\n", "\n", 14, 0, "there is no line 'map' with the map below it"),
        ("sector   A  HAL  Hall", "sector   A  HAL  Ha\x1bll", 2, 20, r"'\x1b' cannot be printed"),
        ("title    A test", "title    A te\ufffft", 1, 14, r"'\uffff' cannot be printed"),
        ("title    A test", "title    A te\u2028t", 1, 14, r"'\u2028' cannot be printed"),
        # characters (K1)
        ("#~~:~~~#", "#~~:~~?#", 10, 7, "'?' means nothing (allowed: .X*&"),
        ("#~~:~~~#", "#~~:~~~", 10, 8, "this row ends after 7 characters; the widest has 8"),
        ("#A.*+12#", "#A,*+12#", 13, 3, "',' means nothing"),
        # sectors (K1, K3)
        ("#A.*+12#", "#..*+12#", 13, 2, "this floor has no sector's letter on it"),
        ("#A.*+12#", "#AC*+12#", 13, 3, "no sector has the letter C (there are A B)"),
        ("#A.*+12#", "#AB*+12#", 13, 3, "this floor is A's too (line 13, column 2): a wall or a door is missing"),
        ("###+####", "###.####", 12, 4, "floor touches a walkway (line 11, column 4): a wall or a door is missing"),
        ("#A.*+12#", "#A.*.12#", 13, 5, "floor touches another sector's (line 13, column 6)"),
        ("#A.*+12#", "#A..+12#", 13, 2, "Hall has no guard post: one of its cells must be '*' or '&'"),
        ("#X..#43#", "#X.*#43#", 14, 4, "HAL has a guard post already (line 13, column 4)"),
        ("spiral   DEN post 1 hiding 4\n", "", 12, 6, "steps of a spiral, but the header has no line 'spiral"),
        # doors, gates, grey cells, the gazebo (K2 to K5)
        ("#~~::~~#", "#~~:+~~#", 11, 5, "a door leads out of a sector: floor on one side, anything else on another"),
        ("#X..#43#", "#X.+#43#", 14, 4, "a door leads out of a sector"),
        ("#~~:~~~#", "#=~:~~~#", 10, 2, "a gate stands in a brick wall: on an edge, in no corner, not in the fence"),
        ("###=####", "=##=####", 9, 1, "a gate stands in a brick wall"),
        ("###=####", "##%=####", 9, 4, "a gate stands in a brick wall"),
        ("###=####", "##%=####", 9, 3, "no cell leads to this grey cell"),
        ("#~~::~~#", "#~~:%~~#", 11, 5, "grey cells stand in the fence"),
        ("###=####", "###=:###", 9, 5, "only gates and grey cells lie on the edge of the map"),
        ("#~~::~~#", "#~~::~@#", 11, 7, "cells of floor beside the gazebo: 0; allowed are 1 to 4"),
        # ways (K1)
        ("#~~:~~~#", "#:~:~~~#", 10, 2, "no way leads from the rest of the camp to this part; its cells: 1"),
        ("###+####", "########", 9, 4, "no way leads from the rest of the camp to this part; its cells: 4"),
        # spirals (K6)
        ("#X..#43#", "#X..#33#", 14, 7, "there is another step 3 (line 14, column 6)"),
        ("#X..#43#", "#X..#53#", 13, 6, "the spiral has no step 4"),
        ("#X..#43#", "#X..#34#", 14, 6, "step 3 is not beside step 2 (line 13, column 7)"),
        ("post 1 hiding 4", "post 1 hiding 5", 4, 10, "the map has no step 5 of this spiral"),
    ],
)
def test_a_fault_is_named_by_line_and_column(old, new, line, column, reason):
    assert FIRST_ROW == 9
    found = faults(changed(old, new))
    assert any((at, there) == (line, column) and text.startswith(reason) for at, there, text in found), found


def test_a_sector_that_is_not_on_the_map_is_named():
    text = changed("#A.*+12#", "#######").replace("#X..#43#", "########")
    assert (2, 0, "Hall has no floor with its letter A on the map") in faults(text)
    assert any(reason == "the map has no steps for this spiral" for *_, reason in faults(text))


def test_all_faults_are_named_at_once_and_in_order():
    text = changed("gates    north", "gates    NORTH").replace("route    HAL DEN", "route    HAL")
    text = text.replace("#~~:~~~#", "#~?:~~~#").replace("#A.*+12#", "#A..+12#").replace("#X..#43#", "#X..#44")
    with pytest.raises(DataFileError) as error:
        load_board(text, "my.txt")
    lines = str(error.value).splitlines()
    assert [line.split(":")[0] for line in lines if "way" not in line] == [
        "my.txt, line 5, column 10",
        "my.txt, line 6",
        "my.txt, line 10, column 3",
        "my.txt, line 13, column 2",
        "my.txt, line 13, column 6",
        "my.txt, line 14, column 7",
        "my.txt, line 14, column 8",
    ]


def test_comments_blank_lines_and_line_ends_do_not_matter():
    text = "# mine\n\n" + changed("title    A test", "title A  test # not the best").replace("\n", "\r\n") + "\r\n\r\n"
    board = load_board(text, "test")
    assert board.title == "A test"
    assert board.rows == load_board(SMALL, "test").rows


def test_an_empty_file_is_refused():
    assert faults("")[0] == (1, 0, "the header has no line 'title TEXT'")
    assert faults("map\n")[-1][2] == "there is no line 'map' with the map below it"


def test_a_post_that_is_a_hiding_place_too():
    board = load_board(changed("#A.*+12#", "#A.&+12#"), "test")
    assert board.sectors[0].post == (4, 3)
    assert (4, 3) in board.hiding


def test_sectors_without_a_monitor_in_the_deluxe_game():
    board = load_board(changed("route ", "unmonitored DEN\nroute "), "test")
    assert [sector.is_monitored for sector in board.sectors] == [True, False]


def test_a_map_that_is_too_large_is_refused_before_it_is_read():
    text = SMALL.partition("map\n")[0] + "map\n" + ("." * 500 + "\n") * 5000
    assert faults(text)[-1][2] == "the map has 5000 rows and 500 columns; at most 126 of each fit, and 8192 places"
    text = SMALL.partition("map\n")[0] + "map\n" + ("." * 100 + "\n") * 100
    assert faults(text)[-1][2].startswith("the map has 100 rows and 100 columns")


@pytest.mark.parametrize(("rows", "columns"), [(127, 10), (10, 127), (100, 100)])
def test_boards_that_together_are_too_large_are_refused(rows, columns):
    board = replace(load_board(SMALL, "small"), rows=("." * columns,) * rows)
    with pytest.raises(DataFileError, match=f"A test: the map has {rows} rows and {columns} columns; at most 126"):
        area_of(board)


def test_of_very_many_faults_the_first_are_told():
    with pytest.raises(DataFileError, match=r"and more faults$") as error:
        load_board(SMALL.replace("map\n", "map\n" + "?" * 40 + "\n"), "small")
    assert len(str(error.value).splitlines()) == 21

"""Ruling K2: two boards side by side along the fence, wherever the fence is."""

import pytest

from kgb_env.camp.board import GREY, load_board
from kgb_env.camp.compose import compose
from kgb_env.errors import DataFileError

pytestmark = pytest.mark.nojit

# A board with its fence in the east.
EAST = """\
title  East
sector A AAA Aa
sector B BBB Bb
gates  one
route  AAA BBB
map
###=######
#A#::::::%
#.+:##+#:|
#*###B*#:%
##########
"""
# One that is taller, with its fence in the west; it begins a row higher.
WEST = """\
title  West
sector C CCC Cc
sector D DDD Dd
gates  two
route  CCC DDD
map
##########
|::::::#C#
%:###:+.*#
|:#D*+:###
%:####:::=
##########
"""


def board(text, turn=0):
    """Return a board, turned clockwise."""
    head, _, rows = text.partition("map\n")
    lines = rows.splitlines()
    for _ in range(turn):
        lines = ["".join(column) for column in zip(*reversed(lines), strict=True)]
    return load_board("\n".join([head, "map", *lines]), "test")


@pytest.mark.parametrize("turn", range(4))
def test_k2_boards_fit_together_on_every_side(turn):
    first, second = board(EAST, turn), board(WEST, turn)
    assert first.fence == ("east", "south", "west", "north")[turn]
    for one, two in ((first, second), (second, first)):
        whole = compose(one, two)
        assert len(whole.cells) == len(one.cells) + len(two.cells) + 4
        across = [(a, b) for a in whole.grey for b in whole.links[a] if whole.cells[b] == GREY]
        assert len(across) == 4
        assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a, b in across)
        assert {whole.at(place) for place in whole.grey} == {"%"}
        assert {whole.at(gate.place) for gate in whole.gates} == {"="}
        assert [whole.at(sector.post) for sector in whole.sectors] == ["*"] * 4
        assert len({len(row) for row in whole.rows}) == 1
        assert list(whole.cells) == sorted(whole.cells)
        assert whole.steps.max() < 60
        assert [sector.code for sector in whole.sectors] == [s.code for s in one.sectors + two.sectors]


def test_k2_one_step_leads_from_grey_to_grey():
    whole = compose(board(EAST), board(WEST))
    assert whole.rows[2] == "#A#::::::%%:###:+.*#"
    assert whole.nearest([(2, 9)], [(2, 10)]) == 1
    assert whole.nearest([(2, 8)], [(2, 11)]) == 3
    assert whole.nearest([(3, 8)], [(3, 11)]) == 5, "the fence is closed elsewhere"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("%:###:+.*#", "|:###:+.*#", "the gates in the fences of East and West do not face each other"),
        ("sector C CCC Cc", "sector C AAA Cc", "both have the code of a sector AAA"),
        ("sector C CCC Cc", "sector C CCC Aa", "both have the name of a sector Aa"),
        ("gates  two", "gates  one", "both have the name of a gate one"),
    ],
)
def test_boards_that_do_not_fit_are_refused(old, new, reason):
    assert WEST.count(old) == 1
    text = WEST.replace(old, new)
    if "AAA" in new:
        text = text.replace("route  CCC", "route  AAA")
    with pytest.raises(DataFileError, match=reason):
        compose(board(EAST), board(text))


def test_letters_must_differ():
    text = WEST.replace("sector C ", "sector A ").replace("#C#", "#A#")
    with pytest.raises(DataFileError, match="both have the letter of a sector A"):
        compose(board(EAST), board(text))


def test_scenery_must_mean_the_same():
    one = EAST.replace("route ", "scenery ~ pond\nroute ")
    two = WEST.replace("route ", "scenery ~ lava\nroute ")
    with pytest.raises(DataFileError, match="'~' is pond in East, lava in West"):
        compose(board(one), board(two))


def test_the_fences_must_be_on_opposite_sides():
    with pytest.raises(DataFileError, match=r"opposite sides of the maps: that of East east and that of West north"):
        compose(board(EAST), board(WEST, turn=1))
    closed = board(WEST.replace("%", "|"))
    with pytest.raises(DataFileError, match="that of West nowhere"):
        compose(board(EAST), closed)


def test_what_is_too_much_for_the_tables_is_refused():
    first = EAST.replace("gates  one", "gates  a b c d e").replace("###=######", "###=#====#")
    second = WEST.replace("gates  two", "gates  f g h i").replace("map\n##########", "map\n#=#=#=####")
    assert len(board(first).gates) + len(board(second).gates) == 9
    with pytest.raises(DataFileError, match="East and West together have 9 gates; at most 8 are allowed"):
        compose(board(first), board(second))

"""Rulings K9 and K10: how far a count leads, against all walks on small maps; and the tables."""

import numpy as np
import pytest

from kgb_env.camp import tables as camp
from kgb_env.camp.board import shipped_board
from kgb_env.camp.cells import around
from kgb_env.camp.compose import compose
from kgb_env.camp.tables import BOARD, BOARD_TABLES, CELLS, FAR, NOWHERE, build_board
from tests.camp.maps import random_board, small

pytestmark = pytest.mark.nojit

BOARDS = {
    **{f"random {seed}": random_board(seed) for seed in range(12)},
    "small": small(),
    "mini": shipped_board("mini"),
}
LONGEST = 12  # two dice

every_board = pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)


def all_walks(board, start, steps, may_go=lambda place, to: True):
    """Return the set of cells at the end of all walks of 0, 1, ..., steps steps; the steps are taken from the map."""
    ends = [{start}]
    for _ in range(steps):
        ends.append({to for place in ends[-1] for to in board.links[place] if may_go(place, to)})
    return ends


@every_board
def test_k9_a_count_leads_where_a_walk_of_that_length_does(board):
    tables = build_board(board)[0]
    for start in board.cells:
        ends = all_walks(board, start, LONGEST)
        mask = np.zeros(CELLS, np.int8)
        for count in range(1, LONGEST + 1):
            mask[:] = 0
            camp.mark_landings(tables, board.number[start], count, mask)
            assert set(np.flatnonzero(mask)) == {board.number[place] for place in ends[count]}
            landed = {p for p in board.cells if camp.can_land(tables, board.number[start], count, board.number[p])}
            assert landed == ends[count]


@every_board
def test_k9_the_tables_hold_the_shortest_even_and_odd_walks(board):
    tables = build_board(board)[0]
    size = len(board.cells)
    expected = np.full((2, size, size), FAR)
    for start in board.cells:
        for length, ends in enumerate(all_walks(board, start, 60)):
            for place in ends if length else ():
                entry = expected[length % 2, board.number[start], board.number[place] : board.number[place] + 1]
                entry[:] = np.minimum(entry, length)
    assert (tables.walk[:, :size, :size] == expected).all()
    assert (tables.walk[:, size:] == FAR).all()
    assert (tables.walk[:, :, size:] == FAR).all()


def test_k9_back_to_ones_own_cell_takes_two_steps():
    tables = build_board(small())[0]
    assert [camp.can_land(tables, 0, count, 0) for count in range(1, 6)] == [False, True, False, True, False]
    assert camp.distance(tables, 0, 0) == 0


@every_board
def test_k9_from_outside_nothing_but_the_first_cell_is_open(board):
    """Beyond a gate there is no swinging: the first count is the gate's cell, and the rest is a walk from there."""
    tables = build_board(board)[0]
    for gate in board.gates:
        entry = board.number[gate.place]
        ends = all_walks(board, gate.place, LONGEST - 1)
        for count in range(1, LONGEST + 1):
            mask = np.zeros(CELLS, np.int8)
            camp.mark_landings_from_outside(tables, entry, count, mask)
            expected = {board.number[place] for place in ends[count - 1]}
            assert set(np.flatnonzero(mask)) == expected
            assert expected == {
                cell for cell in range(len(board.cells)) if camp.can_land_from_outside(tables, entry, count, cell)
            }


def test_k9_marks_add_up():
    """From the gazebo a count leads where it does over either flagstone."""
    board = shipped_board("mini")
    tables = build_board(board)[0]
    mask = np.zeros(CELLS, np.int8)
    for cell in tables.start_cell[:2]:
        camp.mark_landings_from_outside(tables, cell, 4, mask)
    ends = set().union(*(all_walks(board, place, 3)[3] for place in board.start))
    assert set(np.flatnonzero(mask)) == {board.number[place] for place in ends}


@every_board
def test_k9_distances_are_those_of_shortest_paths(board):
    """Scipy finds the same."""
    tables = build_board(board)[0]
    found = [[camp.distance(tables, a, b) for b in range(len(board.cells))] for a in range(len(board.cells))]
    assert (np.array(found) == board.steps).all()


@pytest.mark.parametrize("closing", ["nothing", "a sector", "a post", "a sector and its post", "a cell"])
@every_board
def test_k9_walks_that_must_avoid_a_sector_or_a_cell(board, closing):
    """A walk that starts in the closed sector may leave it, but never come back."""
    tables = build_board(board)[0]
    sector = 1 if "sector" in closing else NOWHERE
    cell = board.number[board.sectors[1].post] if "post" in closing else NOWHERE
    for start in board.cells:
        if closing == "a cell":
            cell = (board.number[start] + 3) % len(board.cells)
        if board.number[start] == cell:
            continue
        places = list(board.cells)

        def may_go(place, to, cell=cell, places=places):
            is_shut = sector != NOWHERE and board.sector_of.get(to) == sector != board.sector_of.get(place)
            return not is_shut and (cell == NOWHERE or to != places[cell])

        ends = all_walks(board, start, LONGEST, may_go)
        for steps in (1, 5, LONGEST):
            reach = np.full(CELLS, 7, np.int8)
            camp.search(tables, board.number[start], steps, sector, cell, reach)
            for place in board.cells:
                shortest = next((n for n in range(1, steps + 1) if place in ends[n]), 0)
                assert reach[board.number[place]] == shortest
                landed = [camp.is_landing(reach, n, board.number[place]) for n in range(1, steps + 1)]
                assert landed == [place in ends[n] for n in range(1, steps + 1)]


@every_board
def test_k9_all_walks_between_two_cells_have_the_same_parity(board):
    """What `search` relies on: a map is a chessboard."""
    walk = build_board(board)[0].walk
    assert (walk.max(axis=0) == FAR).all()


def test_k10_passing_through_an_occupied_cell_is_always_allowed():
    """Where others stand does not matter to a walk: past the only cell on the way there is a landing."""
    board = small()
    tables = build_board(board)[0]
    gate, before, beyond = (board.number[place] for place in ((0, 3), (1, 3), (2, 3)))
    mask = np.zeros(CELLS, np.int8)
    mask[before] = 1  # somebody's
    camp.mark_landings(tables, gate, 2, mask)
    assert board.links[0, 3] == ((1, 3),)
    assert mask[beyond]


# The tables


@pytest.mark.parametrize("name", ["double_agent", "secret_formula", "mini"])
def test_the_tables_say_what_the_board_says(name):
    board = shipped_board(name)
    tables = build_board(board)[0]
    places = list(zip(tables.row.tolist(), tables.column.tolist(), strict=True))[: tables.cells]
    assert places == list(board.cells) == sorted(board.cells)
    assert tables.kind[: tables.cells].tolist() == list(board.cells.values())
    for number, place in enumerate(places):
        linked = [places[to] for to in tables.neighbour[number] if to != NOWHERE]
        assert linked == sorted(board.links[place])
        assert tables.sector[number] == board.sector_of.get(place, NOWHERE)
    assert [places[cell] for cell in tables.gate_cell[: tables.gates]] == [gate.place for gate in board.gates]
    assert [places[cell] for cell in tables.guard_post[: tables.sectors]] == [s.post for s in board.sectors]
    assert [places[cell] for cell in tables.hiding_place[: tables.hiding_places]] == list(board.hiding)
    assert [places[cell] for cell in tables.start_cell if cell != NOWHERE] == list(board.start)
    assert tuple(tables.route[: tables.sectors]) == board.route
    assert (tables.height, tables.width) == (len(board.rows), len(board.rows[0]))
    for field, count in (("neighbour", "cells"), ("sector", "cells"), ("guard_post", "sectors"), ("route", "sectors")):
        assert (tables[field][tables[count] :] == NOWHERE).all()


def test_the_gazebos_flagstones_are_both_sides_of_it():
    board = shipped_board("double_agent")
    (row, column), start = board.gazebo[0], board.start
    assert set(start) <= set(around((row, column)))
    assert [place[0] for place in start] == [row, row]


def test_a_games_tables_may_hold_more():
    dtype = np.dtype((np.record, [*BOARD, ("monitors", "i8")]))
    tables = build_board(small(), dtype)
    assert tables.shape == (1,)
    assert tables["monitors"][0] == 0
    assert (tables["walk"] == build_board(small())["walk"]).all()


def test_the_largest_board_fits_the_tables():
    whole = compose(shipped_board("double_agent"), shipped_board("secret_formula"))
    tables = build_board(whole)[0]
    assert tables.cells == 635
    assert tables.walk[:, : tables.cells, : tables.cells].min(axis=0).max() < FAR
    assert BOARD_TABLES.itemsize < 1 << 20

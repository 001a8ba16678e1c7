"""Rulings K1 to K8: what a board is, and what ours are."""

import dataclasses
from itertools import combinations

import pytest

from kgb_env.camp.board import DOOR, FLOOR, GATE, GREY, MAPS, WALKWAY, load_board, read_board, shipped_board
from kgb_env.camp.cells import around
from kgb_env.camp.compose import compose
from kgb_env.camp.published import differences, next_sector, sharing
from kgb_env.errors import DataFileError
from tests.camp.maps import changed, small

pytestmark = pytest.mark.nojit

DOUBLE_AGENT, SECRET_FORMULA, MINI = (shipped_board(name) for name in ("double_agent", "secret_formula", "mini"))
OURS = {"double_agent": DOUBLE_AGENT, "secret_formula": SECRET_FORMULA}


def test_all_maps_are_known_here():
    assert {path.stem for path in MAPS.glob("*.txt")} == {*OURS, "mini"}


@pytest.mark.parametrize("name", OURS)
def test_our_reconstructions_are_labelled_so(name):
    assert "econstruction" in (MAPS / f"{name}.txt").read_text().splitlines()[0]


@pytest.mark.parametrize("board", OURS.values(), ids=OURS)
def test_our_boards_keep_to_what_is_published(board):
    assert differences(board) == []


# K1


@pytest.mark.parametrize("board", [*OURS.values(), MINI], ids=[*OURS, "mini"])
def test_k1_cells_beside_each_other_are_connected_and_nothing_else_is(board):
    """In a spiral fewer are: see K6."""
    for place in board.cells:
        beside = {to for to in around(place) if to in board.cells}
        spiral = {
            to for to in (place, *beside) if to in board.sector_of and board.sectors[board.sector_of[to]].is_spiral
        }
        if spiral:
            assert set(board.links[place]) <= beside
        else:
            assert set(board.links[place]) == beside


def test_k1_links_go_both_ways():
    for board in (*OURS.values(), MINI, compose(DOUBLE_AGENT, SECRET_FORMULA)):
        assert all(place in board.links[to] for place, links in board.links.items() for to in links)


@pytest.mark.parametrize("board", [*OURS.values(), MINI], ids=[*OURS, "mini"])
def test_k1_a_sector_is_left_by_doors_and_gates_only(board):
    for place, sector in board.sector_of.items():
        for to in board.links[place]:
            assert board.cells[to] in (DOOR, GATE) or board.sector_of[to] == sector


def test_k1_small_boards_are_possible():
    assert len(MINI.sectors) == 3
    assert 25 <= len(MINI.cells) <= 40
    assert len(small().cells) == 16


def test_k1_floor_may_touch_a_walkway_only_through_a_door():
    with pytest.raises(DataFileError, match=r"line 12, column 4: floor touches a walkway \(line 11, column 4\)"):
        small(old="###+####", new="###.####")


def test_k1_boards_have_2_to_18_sectors_and_at_most_640_cells():
    one = changed(old="sector   B  DEN  Den\nspiral   DEN post 1 hiding 4\n", new="")
    one = one.replace("HAL DEN", "HAL").replace("12", "##").replace("43", "##")
    assert "sectors on the map: 1; allowed are 2 to 18" in str(read_board(one)[1])
    lines = changed().splitlines()
    wide = [line + line[-1] * 100 for line in lines[8:]]
    wide[2] = wide[2][:5] + ":" * 102 + "#"
    tall = wide[:3] + [f"#~~{':' * 104}#"] * 7 + wide[3:]
    assert "walkable cells on the map: 846; allowed are 2 to 640" in str(read_board("\n".join([*lines[:8], *tall]))[1])


# K2


@pytest.mark.parametrize("board", OURS.values(), ids=OURS)
def test_k2_nine_sectors_three_brick_walls_and_a_fence_with_three_gates(board):
    assert len(board.sectors) == 9
    assert len(board.grey) == 3
    columns = list(zip(*board.rows, strict=True))
    edges = {"north": board.rows[0], "south": board.rows[-1], "west": columns[0], "east": columns[-1]}
    fence = edges.pop(board.fence)
    assert set(fence[1:-1]) == {"|", "%"}
    assert all(set(edge[1:-1]) <= {"#", "="} for edge in edges.values())


@pytest.mark.parametrize("board", OURS.values(), ids=OURS)
def test_k2_grey_cells_are_closed_in_the_standard_games(board):
    assert not set(board.grey) & set(board.cells)
    assert GREY not in board.cells.values()


def test_k2_the_deluxe_board_is_composed_with_the_fence_gates_open():
    for first, second in ((DOUBLE_AGENT, SECRET_FORMULA), (SECRET_FORMULA, DOUBLE_AGENT)):
        whole = compose(first, second)
        assert len(whole.cells) == len(first.cells) + len(second.cells) + 6 <= 640
        assert [sector.name for sector in whole.sectors] == [s.name for s in first.sectors + second.sectors]
        assert sorted(whole.cells.values()).count(GREY) == 6
        facing = [(place, to) for place in whole.grey for to in whole.links[place] if whole.cells[to] == GREY]
        assert len(facing) == 6
        assert len({(row, column) for (row, column), _ in facing}) == 6
        for place, to in facing:
            assert place[0] == to[0]
            assert abs(place[1] - to[1]) == 1
        assert whole.nearest(whole.floor(0), whole.floor(17)) > 0


def test_k2_the_composed_map_is_the_two_maps_side_by_side():
    whole = compose(SECRET_FORMULA, DOUBLE_AGENT)
    assert whole.rows == tuple(a + b for a, b in zip(DOUBLE_AGENT.rows, SECRET_FORMULA.rows, strict=True))
    width = len(DOUBLE_AGENT.rows[0])
    assert {place for place in whole.cells if place[1] < width} - set(whole.grey) == set(DOUBLE_AGENT.cells)


# K3


@pytest.mark.parametrize("board", [*OURS.values(), MINI, compose(DOUBLE_AGENT, SECRET_FORMULA)])
def test_k3_doors_gates_grey_cells_walkways_and_the_gazebo_are_in_no_sector(board):
    for place, kind in board.cells.items():
        assert (place in board.sector_of) == (kind == FLOOR)
    assert not set(board.gazebo) & set(board.cells)


def test_k3_two_sectors_may_share_a_door():
    board = small()
    assert sharing(board) == {0, 1}
    assert board.doors(0) == [(3, 3), (4, 4)]
    assert board.doors(1) == [(4, 4)]


# K4


@pytest.mark.parametrize("board", [*OURS.values(), MINI], ids=[*OURS, "mini"])
def test_k4_a_gate_is_a_cell_in_a_brick_wall_at_the_edge(board):
    for gate in board.gates:
        row, column = gate.place
        assert board.cells[gate.place] == GATE
        assert row in (0, len(board.rows) - 1) or column in (0, len(board.rows[0]) - 1)
        assert board.fence not in ("west", "east") or column != (0 if board.fence == "west" else len(board.rows[0]) - 1)


@pytest.mark.parametrize("board", [*OURS.values(), MINI], ids=[*OURS, "mini"])
def test_k4_our_gates_open_on_a_walkway_of_at_least_two_cells(board):
    for gate in board.gates:
        (first,) = board.links[gate.place]
        assert board.cells[first] == WALKWAY
        assert any(board.cells[to] == WALKWAY for to in board.links[first])


# K5


def test_k5_the_double_agents_sectors_gates_and_hiding_places():
    assert {sector.name: sector.code for sector in DOUBLE_AGENT.sectors} == {
        "Garden": "GAR",
        "Security Building": "SEC",
        "Terrace": "TER",
        "Gymnasium": "GYM",
        "Power Plant": "POW",
        "Interrogation Room": "INT",
        "Storage Depot": "STO",
        "Decoding Room": "DEC",
        "Barracks": "BAR",
    }
    assert len(DOUBLE_AGENT.gates) == 2
    assert len(DOUBLE_AGENT.hiding) == 18
    assert all(list(map(DOUBLE_AGENT.sector_of.get, DOUBLE_AGENT.hiding)).count(s) == 2 for s in range(9))


def test_k5_the_garden_is_a_path_around_a_gazebo_that_touches_two_flagstones():
    (gazebo,), garden = DOUBLE_AGENT.gazebo, DOUBLE_AGENT.floor([s.name for s in DOUBLE_AGENT.sectors].index("Garden"))
    assert len(DOUBLE_AGENT.start) == 2
    assert set(DOUBLE_AGENT.start) == set(around(gazebo)) & set(garden)
    rows, columns = zip(*garden, strict=True)
    assert gazebo == ((min(rows) + max(rows)) / 2, (min(columns) + max(columns)) / 2)
    assert len(garden) < (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1) - 1
    assert set(map(DOUBLE_AGENT.sector_of.get, DOUBLE_AGENT.start)) == {DOUBLE_AGENT.sector_of[garden[0]]}


def test_k5_the_gazebo_is_closed_in_the_deluxe_game_too():
    whole = compose(DOUBLE_AGENT, SECRET_FORMULA)
    assert whole.gazebo == DOUBLE_AGENT.gazebo
    assert whole.start == DOUBLE_AGENT.start
    assert not set(whole.gazebo) & set(whole.cells)


# K6


def test_k6_the_secret_formulas_sectors_gates_and_hiding_places():
    names = [sector.name for sector in SECRET_FORMULA.sectors]
    assert {"Observation Tower", "Woods", "Garage"} < set(names)
    assert len(set(names)) == 9
    assert len(SECRET_FORMULA.gates) == 4
    counts = [list(map(SECRET_FORMULA.sector_of.get, SECRET_FORMULA.hiding)).count(s) for s in range(9)]
    assert counts == [1 if name == "Observation Tower" else 2 for name in names]


def test_k6_the_tower_is_a_spiral_of_nine_cells_with_one_entrance():
    tower = next(number for number, sector in enumerate(SECRET_FORMULA.sectors) if sector.is_spiral)
    assert SECRET_FORMULA.sectors[tower].name == "Observation Tower"
    by_step = {int(SECRET_FORMULA.at(place)): place for place in SECRET_FORMULA.floor(tower)}
    assert sorted(by_step) == list(range(1, 10))
    (door,) = SECRET_FORMULA.doors(tower)
    for step, place in by_step.items():
        expected = {by_step[other] for other in (step - 1, step + 1) if other in by_step} | (
            {door} if step == 1 else set()
        )
        assert set(SECRET_FORMULA.links[place]) == expected
    assert max(len(set(around(place)) & set(by_step.values())) for place in by_step.values()) > 2, (
        "others lie beside it"
    )
    assert SECRET_FORMULA.sectors[tower].post == by_step[1]


def test_k6_a_spiral_is_one_path_whatever_lies_beside_it():
    board = small()
    assert board.links[4, 5] == ((4, 4), (4, 6))  # 1: the door and 2, not 4 below it
    assert board.links[5, 5] == ((5, 6),)  # 4: 3 alone
    assert board.hiding == ((5, 1), (5, 5))


@pytest.mark.parametrize("board", [*OURS.values(), MINI], ids=[*OURS, "mini"])
def test_k6_the_guard_post_is_just_inside_a_door_and_shuts_nobody_in(board):
    for number, sector in enumerate(board.sectors):
        assert board.sector_of[sector.post] == number
        assert set(board.links[sector.post]) & set(board.doors(number))
        if not sector.is_spiral:
            for place in board.floor(number):
                assert place == sector.post or _gets_out(board, place, sector.post)


def _gets_out(board, place, post):
    seen = [place]
    for at in seen:
        if board.cells[at] in (DOOR, GATE):
            return True
        seen += [to for to in board.links[at] if to != post and to not in seen]
    return False


# K7


@pytest.mark.parametrize("board", [*OURS.values(), MINI], ids=[*OURS, "mini"])
def test_k7_the_guards_route_is_a_tour_of_all_sectors(board):
    assert sorted(board.route) == list(range(len(board.sectors)))


def test_k7_the_secret_formulas_route_starts_at_the_tower_and_visits_neighbours():
    names = [SECRET_FORMULA.sectors[sector].name for sector in SECRET_FORMULA.route]
    assert names[0] == "Observation Tower"
    floors = [SECRET_FORMULA.floor(sector) for sector in SECRET_FORMULA.route]
    legs = [SECRET_FORMULA.nearest(a, b) for a, b in zip(floors, floors[1:] + floors[:1], strict=True)]
    pairs = [SECRET_FORMULA.nearest(a, b) for a, b in combinations(floors, 2)]
    assert max(legs) <= sorted(pairs)[len(pairs) // 2], "no leg is longer than the median distance of two sectors"


def test_k7_in_the_deluxe_game_the_other_boards_route_follows_from_the_fence():
    for first, second in ((DOUBLE_AGENT, SECRET_FORMULA), (SECRET_FORMULA, DOUBLE_AGENT)):
        whole = compose(first, second)
        assert whole.route[:9] == first.route
        other = [sector - 9 for sector in whole.route[9:]]
        turn = second.route.index(other[0])
        assert other == [*second.route[turn:], *second.route[:turn]]
        steps = [whole.nearest(whole.floor(sector), whole.grey) for sector in whole.route[9:]]
        assert steps[0] == min(steps)


# K8


@pytest.mark.parametrize("board", OURS.values(), ids=OURS)
def test_k8_the_scale_of_our_boards(board):
    floors = [board.floor(sector) for sector in range(9)]
    assert 180 <= len(board.cells) <= 320
    assert sharing(board)
    assert all(3 <= next_sector(board, sector) <= 7 for sector in set(range(9)) - sharing(board))
    assert max(board.nearest(a, b) for a, b in combinations(floors, 2)) <= 30
    assert all(board.nearest([gate.place], board.sector_of) <= 8 for gate in board.gates)


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"sectors": DOUBLE_AGENT.sectors[:-1]}, "K2: sectors: 8"),
        ({"grey": DOUBLE_AGENT.grey[:-1]}, "K2: gates in the fence: 2"),
        ({"rows": ("~" * 38, *DOUBLE_AGENT.rows[1:])}, "K2: the north side is no brick wall"),
        ({"gates": DOUBLE_AGENT.gates[:-1]}, "K5: gates: 1"),
        ({"hiding": DOUBLE_AGENT.hiding[1:]}, "K5: hiding places: 17"),
        ({"start": DOUBLE_AGENT.start[:1]}, "K5: flagstones beside the gazebo: 1"),
        ({"gazebo": ()}, "K6: there is no Woods"),
    ],
)
def test_differences_from_the_published_boards_are_found(change, difference):
    assert any(found.startswith(difference) for found in differences(dataclasses.replace(DOUBLE_AGENT, **change)))


def with_rows(name, *changes):
    """Return one of our boards with some text in its file replaced."""
    text = (MAPS / f"{name}.txt").read_text()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return load_board(text, name)


@pytest.mark.parametrize(
    ("board", "difference"),
    [
        (with_rows("double_agent", ('" ##+####:', '" #######:')), "K6: cells of Decoding Room without"),
        (with_rows("double_agent", ("#.X.....#^ ^", "#.......#^ ^")), "K5: hiding places in Power Plant: 1"),
        (with_rows("secret_formula", ("post 1", "post 5")), "K6: the guard post of Observation Tower is not beside"),
        (with_rows("secret_formula", ("*+:+*", "*+:#*")), "K8: steps between Observation Tower and Headquarters: 31"),
        (
            with_rows("secret_formula", ('" #######+#', '" #########')),
            "K8: steps from a door of Mess Hall to the nearest sector: 9",
        ),
        (with_rows("secret_formula", ('" #######+#', '" #########')), "K8: steps from the gate main to a sector: 12"),
        (
            with_rows("secret_formula", ("#####=############=", "##################="), ("main range", "main")),
            "K6: gates: 3",
        ),
        (with_rows("mini"), "K8: walkable cells: 38"),
        (with_rows("mini"), "K8: no two sectors share a door"),
    ],
)
def test_differences_of_a_map_are_found(board, difference):
    assert any(found.startswith(difference) for found in differences(board)), differences(board)

"""What is known about the published boards: counts and the scale of our maps.  (Rulings K2, K4, K5, K6, K8)"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations

from kgb_env.camp.board import DOOR, WALKWAY, Board
from kgb_env.camp.header import FENCE, GATE_CHARACTER, GREY_CHARACTER, WALL

SECTORS_OF_A_BOARD, FENCE_GATES = 9, 3
CELLS_OF_A_BOARD = range(180, 321)
NEXT_SECTOR = range(3, 8)  # steps from a door
FARTHEST_SECTOR, FARTHEST_GATE = 30, 8  # steps
TOWER_STEPS = 9
DOUBLE_AGENT = ("Garden", "Security Building", "Terrace", "Gymnasium", "Power Plant")
SECRET_FORMULA = ("Observation Tower", "Woods", "Garage")


def differences(board: Board) -> list[str]:
    """Return in what a board differs from what is known about the published ones, each with its ruling.

    A board with a gazebo is held to be The Double Agent's (K5), any other The Secret Formula's (K6).
    """
    own = _double_agent if board.gazebo else _secret_formula
    checks: tuple[Callable[[Board], Iterator[str]], ...] = (_camp, own, _posts, _scale)
    return [difference for check in checks for difference in check(board)]


def _camp(board: Board) -> Iterator[str]:
    if len(board.sectors) != SECTORS_OF_A_BOARD:
        yield f"K2: sectors: {len(board.sectors)} instead of {SECTORS_OF_A_BOARD}"
    if len(board.grey) != FENCE_GATES:
        yield f"K2: gates in the fence: {len(board.grey)} instead of {FENCE_GATES}"
    columns = list(zip(*board.rows, strict=True))
    edges = {"north": board.rows[0], "south": board.rows[-1], "west": columns[0], "east": columns[-1]}
    for side, edge in edges.items():
        expected = FENCE + GREY_CHARACTER if side == board.fence else WALL + GATE_CHARACTER
        if set(edge[1:-1]) - set(expected):
            yield f"K2: the {side} side is no {'fence' if side == board.fence else 'brick wall'}"
    for gate in board.gates:
        before = [to for to in board.links[gate.place] if board.cells[to] == WALKWAY]
        if not any(board.cells[to] == WALKWAY for place in before for to in board.links[place]):
            yield f"K4: the gate {gate.name} does not open on a walkway of two cells"


def _double_agent(board: Board) -> Iterator[str]:
    yield from _gates_and_hiding(board, "K5", 2, 18)
    yield from _names(board, "K5", DOUBLE_AGENT)
    for sector, count in _hiding(board).items():
        if count != 2:
            yield f"K5: hiding places in {sector}: {count} instead of 2"
    if len(board.start) != 2:
        yield f"K5: flagstones beside the gazebo: {len(board.start)} instead of 2"
    garden = board.floor(board.sector_of[board.start[0]])
    height, width = (max(places) - min(places) + 1 for places in zip(*garden, strict=True))
    if len(garden) + len(board.gazebo) >= height * width:
        yield "K5: the Garden is a full grid, not a path of flagstones"


def _secret_formula(board: Board) -> Iterator[str]:
    yield from _gates_and_hiding(board, "K6", 4, 17)
    yield from _names(board, "K6", SECRET_FORMULA)
    spirals = [number for number, sector in enumerate(board.sectors) if sector.is_spiral]
    for sector, count in _hiding(board).items():
        expected = 1 if sector in (board.sectors[number].name for number in spirals) else 2
        if count != expected:
            yield f"K6: hiding places in {sector}: {count} instead of {expected}"
    if len(spirals) != 1:
        yield f"K6: spirals: {len(spirals)} instead of 1"
    for number in spirals:
        if (steps := len(board.floor(number))) != TOWER_STEPS:
            yield f"K6: steps of the spiral: {steps} instead of {TOWER_STEPS}"
        if (doors := len(board.doors(number))) != 1:
            yield f"K6: doors of the spiral: {doors} instead of 1"


def _gates_and_hiding(board: Board, ruling: str, gates: int, hiding: int) -> Iterator[str]:
    if len(board.gates) != gates:
        yield f"{ruling}: gates: {len(board.gates)} instead of {gates}"
    if len(board.hiding) != hiding:
        yield f"{ruling}: hiding places: {len(board.hiding)} instead of {hiding}"


def _names(board: Board, ruling: str, names: tuple[str, ...]) -> Iterator[str]:
    here = [sector.name for sector in board.sectors]
    for name in names:
        if name not in here:
            yield f"{ruling}: there is no {name}"


def _hiding(board: Board) -> dict[str, int]:
    """Return the number of hiding places in each sector, by name."""
    counts = Counter(board.sector_of[place] for place in board.hiding)
    return {sector.name: counts[number] for number, sector in enumerate(board.sectors)}


def _posts(board: Board) -> Iterator[str]:
    """Find cells from which the guard cannot be passed, and posts that are not beside a door."""
    for number, sector in enumerate(board.sectors):
        doors = board.doors(number)
        if not set(doors).intersection(board.links[sector.post]):
            yield f"K6: the guard post of {sector.name} is not beside a door"
        reached = [place for place in doors if board.links[place] != (sector.post,)]
        for place in reached:
            inside = (to for to in board.links[place] if board.sector_of.get(to) == number and to != sector.post)
            reached += [to for to in inside if to not in reached]
        shut = len(board.floor(number)) - 1 - len(set(reached) - set(doors))
        if shut and not sector.is_spiral:
            yield f"K6: cells of {sector.name} without a way out but past the guard post: {shut}"


def sharing(board: Board) -> set[int]:
    """Return the sectors that share a door with another one."""
    found: set[int] = set()
    for place, kind in board.cells.items():
        sides = {board.sector_of[to] for to in board.links[place] if to in board.sector_of}
        if kind == DOOR and len(sides) > 1:
            found |= sides
    return found


def next_sector(board: Board, sector: int) -> int:
    """Return how many steps from a door of a sector the nearest other one begins."""
    others = [place for place, its in board.sector_of.items() if its != sector]
    return board.nearest(board.doors(sector), others)


def _scale(board: Board) -> Iterator[str]:
    if len(board.cells) not in CELLS_OF_A_BOARD:
        yield f"K8: walkable cells: {len(board.cells)} instead of {CELLS_OF_A_BOARD[0]} to {CELLS_OF_A_BOARD[-1]}"
    pairs = sharing(board)
    if not pairs:
        yield "K8: no two sectors share a door"
    for number, sector in enumerate(board.sectors):
        steps = next_sector(board, number)
        if number not in pairs and steps not in NEXT_SECTOR:
            yield f"K8: steps from a door of {sector.name} to the nearest sector: {steps} instead of 3 to 7"
    for one, two in combinations(range(len(board.sectors)), 2):
        if (steps := board.nearest(board.floor(one), board.floor(two))) > FARTHEST_SECTOR:
            names = f"{board.sectors[one].name} and {board.sectors[two].name}"
            yield f"K8: steps between {names}: {steps} instead of at most {FARTHEST_SECTOR}"
    for gate in board.gates:
        if (steps := board.nearest([gate.place], board.sector_of)) > FARTHEST_GATE:
            yield f"K8: steps from the gate {gate.name} to a sector: {steps} instead of at most {FARTHEST_GATE}"

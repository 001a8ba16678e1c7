"""The camp of a game: its board, the names of what is on it, the tables that kernels read.  (Rulings S8, S10, S16)"""

from __future__ import annotations

from functools import cache

import numpy as np

from kgb_env.camp.board import FLOOR, Board, load_board
from kgb_env.camp.compose import compose
from kgb_env.camp.shared import Names, area_of, names_on, texts_of
from kgb_env.camp.tables import FAR, build_board
from kgb_env.errors import DataFileError
from kgb_env.game import Game
from kgb_env.games.secret_formula.spec import (
    GROUNDS,
    NOWHERE,
    OBSERVED,
    PLACED,
    TABLES,
    action_layout,
    observation_layout,
)
from kgb_env.layout import Layout


@cache
def read_camp(board: str, source: str, other: str = "", other_source: str = "") -> Board:
    """Return the board of a text, or of two texts side by side.

    Raises:
        DataFileError: a text is no board, or there is nowhere to hide an envelope.
    """
    camp = load_board(board, source)
    if not camp.hiding:
        raise DataFileError(f"{source}: there is no hiding place for the formula")
    return compose(camp, load_board(other, other_source)) if other else camp


def camp_of(game: Game) -> Board:
    """Return the board that a game is played on."""
    return read_camp(*texts_of(game.options, game.data))


@cache
def names_of(game: Game) -> Names:
    """Return the names of cells, sectors, gates and envelopes."""
    return names_on(camp_of(game))


@cache
def board_tables(*texts: str) -> np.ndarray:
    """Return the tables with all that does not depend on the options but the board, one record; see ``texts_of``."""
    camp = read_camp(*texts)
    tables = build_board(camp, TABLES)
    t = tables[0]
    cells, sectors = int(t.cells), int(t.sectors)

    t.area = area_of(camp)
    t.place[:cells] = t.row[:cells].astype(int) * int(t.width) + t.column[:cells]
    is_floor = t.kind[:cells] == FLOOR
    t.ground_map[t.place[:cells]] = np.where(is_floor, 1 + len(GROUNDS) + t.sector[:cells], t.kind[:cells])
    floors = [np.flatnonzero(t.sector[:cells] == sector) for sector in range(sectors)]
    t.floor[: sum(map(len, floors))] = np.concatenate(floors)
    t.floor_from[1 : sectors + 1] = np.cumsum([len(floor) for floor in floors])
    for turn, sector in enumerate(camp.route):
        t.next_sector[sector] = camp.route[(turn + 1) % len(camp.route)]
    t.is_spiral[:sectors] = [sector.is_spiral for sector in camp.sectors]
    fill_steps(t, floors)
    return tables


def fill_steps(t: np.record, floors: list[np.ndarray]) -> None:
    """Fill the walks that are possible while the guard is in each sector, and the ways out (S8, S10)."""
    cells = int(t.cells)
    t.steps[:] = FAR
    t.exit_steps[:] = FAR
    t.dead_end[:] = NOWHERE
    neighbours = [[int(to) for to in t.neighbour[cell] if to != NOWHERE] for cell in range(cells)]
    for sector, floor in enumerate(floors):
        steps = walks_round(neighbours, floor, int(t.guard_post[sector]))
        t.steps[sector, :cells, :cells] = steps
        inside = np.zeros(cells, bool)
        inside[floor] = True
        t.exit_steps[floor] = steps[floor][:, ~inside].min(axis=1)
        for cell in range(cells):
            if not inside[cell] and inside[neighbours[cell]].all():
                t.dead_end[cell] = sector


def walks_round(neighbours: list[list[int]], floor: np.ndarray, post: int) -> np.ndarray:
    """Return the shortest walks of at least one step while the guard stands on his post in a sector, (cells, cells).

    Nobody enters the sector; who starts in it may walk there round the post, and then go out.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    inside, size = set(floor.tolist()), len(neighbours)
    links = np.zeros((size, size), np.int8)
    for cell, beside in enumerate(neighbours):
        open_cells = [to for to in beside if to not in inside or (cell in inside and post not in (cell, to))]
        links[cell, [to for to in open_cells if cell != post]] = 1
    found = shortest_path(csr_array(links), unweighted=True)
    lengths = np.minimum(found, FAR).astype(np.uint8)
    there_and_back = (links & links.T).any(axis=1)
    np.fill_diagonal(lengths, np.where(there_and_back, 2, FAR))
    return lengths


def build_tables(texts: tuple[str, ...], players: int) -> tuple[np.ndarray, Layout, Layout]:
    """Return the tables, one read-only record, with the layouts of actions and observation."""
    tables = board_tables(*texts).copy()
    t = tables[0]
    envelopes, gates, sectors = int(t.hiding_places), int(t.gates), int(t.sectors)
    actions = action_layout(gates, int(t.cells))
    observation = observation_layout(players, envelopes, gates, sectors, int(t.height), int(t.width))
    for name in PLACED:
        t[f"do_{name}"] = getattr(actions, name).start
    for name in OBSERVED:
        t[f"at_{name}"] = getattr(observation, name).start
    tables.flags.writeable = False
    return tables, actions, observation

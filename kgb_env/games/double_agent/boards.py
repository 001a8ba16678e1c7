"""The camp of a game: its board, the names of what is on it, the tables that kernels read.  (Rulings D11, D15)"""

from __future__ import annotations

from functools import cache

import numpy as np

from kgb_env.camp.board import Board, load_board
from kgb_env.camp.compose import compose
from kgb_env.camp.shared import Names, area_of, names_on, texts_of
from kgb_env.camp.tables import build_board
from kgb_env.errors import DataFileError
from kgb_env.game import Game
from kgb_env.games.double_agent.spec import (
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
        DataFileError: a text is no board, or nobody can start on it.
    """
    camp = load_board(board, source)
    if not camp.start:
        raise DataFileError(f"{source}: there is no gazebo, in which The Double Agent starts")
    return compose(camp, load_board(other, other_source)) if other else camp


def camp_of(game: Game) -> Board:
    """Return the board that a game is played on."""
    return read_camp(*texts_of(game.options, game.data))


@cache
def names_of(game: Game) -> Names:
    """Return the names of what is on the board of a game."""
    return names_on(camp_of(game))


def monitored(camp: Board, is_deluxe: bool) -> list[bool]:
    """Tell which sectors have a monitor: in the deluxe game not all (D15)."""
    return [sector.is_monitored or not is_deluxe for sector in camp.sectors]


def needed_for_escape(monitors: int, is_deluxe: bool) -> int:
    """Return how many monitors must be OFF: 5 of 9, deluxe 8 of 15, and as many in proportion elsewhere (D11)."""
    need, of = (8, 15) if is_deluxe else (5, 9)
    return -(-need * monitors // of)


@cache
def board_tables(*texts: str) -> np.ndarray:
    """Return the tables with all that does not depend on the options but the board, one record; see ``texts_of``."""
    camp = read_camp(*texts)
    tables = build_board(camp, TABLES)
    t = tables[0]

    gardens = {camp.sector_of.get(place) for place in camp.start}
    if len(gardens) > 1:
        raise DataFileError(f"{camp.title}: the gazebo lies beside several sectors; its neighbours belong to one (D7)")
    t.area = area_of(camp)
    t.place[: t.cells] = t.row[: t.cells].astype(int) * int(t.width) + t.column[: t.cells]
    t.sector_map[t.place[: t.cells]] = 1 + t.sector[: t.cells]
    t.walkable_map[t.place[: t.cells]] = 1
    t.garden = t.sector[t.start_cell[0]]
    return tables


def build_tables(texts: tuple[str, ...], players: int, is_deluxe: bool) -> tuple[np.ndarray, Layout, Layout]:
    """Return the tables, one read-only record, with the layouts of actions and observation."""
    tables = board_tables(*texts).copy()
    t, has_monitor = tables[0], monitored(read_camp(*texts), is_deluxe)
    if not any(has_monitor):
        raise DataFileError(f"{read_camp(*texts).title}: no sector has a monitor (D15)")
    t.has_monitor[: len(has_monitor)] = has_monitor
    t.needed = needed_for_escape(sum(has_monitor), is_deluxe)
    actions = action_layout(players, int(t.gates), int(t.sectors), int(t.cells))
    observation = observation_layout(players, int(t.sectors), int(t.height), int(t.width))
    for name in PLACED:
        t[name] = getattr(actions, name).start
    for name in OBSERVED:
        t[f"at_{name}"] = getattr(observation, name).start
    tables.flags.writeable = False
    return tables, actions, observation

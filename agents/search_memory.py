"""What a search writes into: records of its trees, and arrays of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kgb_env import Game

# What a row does next, and whom it waits for.
BEGIN, DESCEND, ROLL_OUT, BACK_UP = range(4)
NOBODY_ELSE, OPPONENTS, ROLLOUT, EVALUATION = range(4)

ROW = np.dtype(
    (
        np.record,
        [
            ("seed", "u8"),  # of the decision
            ("rng", "u8"),  # stream of the choices in tree and rollouts
            ("asking", "u8"),  # seed for whoever is waited for
            ("simulations", "i8"),  # finished
            ("nodes", "i8"),
            ("edges", "i8"),
            ("depth", "i8"),  # edges on the path of the present simulation
            ("plies", "i8"),  # decisions in its rollout
            ("stage", "i8"),
            ("waits_for", "i8"),
        ],
    )
)

NODE = np.dtype(
    (
        np.record,
        [
            ("key", "u8"),
            ("check", "u8"),
            ("visits", "i8"),
            ("tried", "i8"),  # number of its edges
            ("first", "i4"),  # edge
            ("seat", "i4"),
        ],
    )
)

EDGE = np.dtype(
    (
        np.record,
        [
            ("value", "f8"),  # sum over the visits, to the seat that chooses, each from 0 to 1
            ("visits", "i8"),
            ("action", "i4"),
            ("node", "i4"),
            ("next", "i4"),  # edge of the same node
        ],
    )
)

SETTINGS = np.dtype(
    (
        np.record,
        [
            ("exploration", "f8"),
            ("min_return", "f8"),
            ("max_return", "f8"),
            ("rollout_plies", "i8"),
            ("is_perfect", "i8"),  # nodes are states, and the first worlds are the only ones
            ("has_opponents", "i8"),
            ("has_rollout", "i8"),
            ("has_evaluation", "i8"),
        ],
    )
)


class Memory(NamedTuple):
    """What searches write into: first by row, then what all rows share."""

    rows: np.ndarray
    nodes: np.ndarray  # (rows, room)
    edges: np.ndarray  # (rows, room)
    slots: np.ndarray  # (rows, a power of two) hash tables of the nodes: number + 1, or 0
    path: np.ndarray  # (rows, plies) edges
    visits: np.ndarray  # (rows, actions) at the root
    worlds: np.ndarray  # (rows, worlds) full states
    states: np.ndarray  # (rows,) where the simulations are
    values: np.ndarray  # (rows, seats) what they came to
    seeds: np.ndarray  # (worlds,)
    seen: np.ndarray  # one record
    words: np.ndarray  # the bytes of ``seen``, as uint64
    mask: np.ndarray
    weights: np.ndarray
    scratch: np.ndarray


def allocate(game: Game, rows: int, worlds: int, room: int) -> Memory:
    """Return memory for ``rows`` decisions, with ``worlds`` at a time and ``room`` for nodes and edges in each."""
    words = np.zeros(-(-game.state.itemsize // 8), np.uint64)
    return Memory(
        rows=np.empty(rows, ROW),
        nodes=np.empty((rows, room), NODE),
        edges=np.empty((rows, room), EDGE),
        slots=np.empty((rows, 1 << (2 * room - 1).bit_length()), np.int32),
        path=np.empty((rows, game.max_plies), np.int32),
        visits=np.empty((rows, game.actions.size), np.int64),
        worlds=np.empty((rows, worlds), game.state),
        states=np.empty(rows, game.state),
        values=np.empty((rows, game.seats)),
        seeds=np.empty(worlds, np.uint64),
        seen=words.view(np.uint8)[: game.state.itemsize].view(game.state),
        words=words,
        mask=np.empty(game.actions.size, np.int8),
        weights=game.weights(),
        scratch=game.scratch(),
    )

"""Other people's environments that `kgb speed --peers` measures next to ours (extra ``peers``).

Each is driven by the cheapest loop that its Python interface allows, uniformly random like ours.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it would go to stdout, among the JSON

import pyspiel
from open_spiel.python.observation import make_observation
from pettingzoo.classic import connect_four_v3, texas_holdem_no_limit_v6

from .contenders import Contender, aec_loop

COMPARED = (
    ("batch_1024", "openspiel_dark_chess_tensor"),
    ("batch_1024", "openspiel_dark_chess_tensor_in_place"),
    ("batch_1024", "openspiel_dark_chess"),
    ("batch_1024", "pettingzoo_connect_four"),
    ("aec", "pettingzoo_connect_four"),
    ("aec", "pettingzoo_connect_four_raw"),
)


def openspiel_loop(game: Any, look: Callable[[Any], None] | None = None) -> Callable[[int], int]:
    """Drive a game of OpenSpiel without chance; ``look`` is called with the state before each move."""
    state = game.new_initial_state()
    draw = Random(0).random

    def play(amount: int) -> int:
        nonlocal state
        for _ in range(amount):
            legal = state.legal_actions()
            if not legal:  # the game is over
                state = game.new_initial_state()
                legal = state.legal_actions()
            if look is not None:
                look(state)
            state.apply_action(legal[int(draw() * len(legal))])
        return amount

    return play


def contenders() -> list[Contender]:
    """Return the peers."""
    dark_chess = pyspiel.load_game("dark_chess")
    observation = make_observation(dark_chess)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the precision of hold'em's own spaces
        connect_four, raw, holdem = connect_four_v3.env(), connect_four_v3.raw_env(), texas_holdem_no_limit_v6.env()
    same = "the loop of aec"
    return [
        Contender("pettingzoo_connect_four", f"{same} on env()", aec_loop(connect_four)),
        Contender("pettingzoo_connect_four_raw", f"{same} on raw_env(), without wrappers", aec_loop(raw)),
        Contender("pettingzoo_texas_holdem_no_limit", f"{same} on env()", aec_loop(holdem)),
        Contender(
            "openspiel_dark_chess",
            "legal_actions(), a choice in Python, apply_action(); no observation",
            openspiel_loop(dark_chess),
        ),
        Contender(
            "openspiel_dark_chess_tensor",
            "the same, and state.observation_tensor() of the mover, a list",
            openspiel_loop(dark_chess, lambda state: state.observation_tensor()),
        ),
        Contender(
            "openspiel_dark_chess_tensor_in_place",
            f"with the tensor ({observation.tensor.nbytes:,} bytes) put into one buffer (Observation.set_from)",
            openspiel_loop(dark_chess, lambda state: observation.set_from(state, state.current_player())),
        ),
    ]

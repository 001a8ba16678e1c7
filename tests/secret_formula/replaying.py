"""Play a finished game of The Secret Formula again, from its log."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kgb_env import Game
from kgb_env.games.secret_formula.log import events
from kgb_env.games.secret_formula.rules import step
from kgb_env.games.secret_formula.spec import (
    DO_HIT,
    FORMULA,
    LOG_CHOICE,
    LOG_ESCAPE,
    LOG_GATE,
    LOG_GO,
    LOG_THROW,
    NUMBER,
    STAY,
    SURRENDERED,
    TOLD_LAPSE,
    TOLD_LEAVE,
    TOLD_STAY,
    TOLD_WAIT,
    WAIT,
)

CHOICES = {TOLD_STAY: STAY, TOLD_WAIT: WAIT}


def moves(game: Game, ends: np.record) -> Iterator[tuple[np.record, int, int]]:
    """Play a finished game again; yield the state before each move, who moves, and the cell it goes to, -1 to stay."""
    t, states = game.tables[0], game.begin()
    s = states[0]
    step(s, int(np.flatnonzero(ends.contents == FORMULA)[0]), t)
    step(s, int(ends.first), t)
    for kind, told in events(ends):
        if kind == LOG_GATE:
            step(s, int(t.do_gate) + (told >> 3), t)
        elif kind in (LOG_THROW, LOG_ESCAPE):
            step(s, (told & NUMBER) - 1, t)
        elif kind == LOG_GO:
            cell = told & (SURRENDERED - 1)
            yield s, int(s.to_move), cell
            step(s, int(t.do_go) + cell, t)
        elif kind == LOG_CHOICE and told < TOLD_LEAVE and told != TOLD_LAPSE:
            if told == TOLD_STAY:
                yield s, int(s.to_move), -1
            step(s, CHOICES.get(told, DO_HIT), t)

"""Confusion: Espionage and Deception in the Cold War."""

from typing import Any

from pydantic import Field

from kgb_env.game import Game
from kgb_env.games.confusion import rules, spec, views
from kgb_env.games.confusion.files import PIECES, SETUPS, build_tables, parse_pieces, parse_setup
from kgb_env.games.confusion.notebook import Notebook, notebook
from kgb_env.games.confusion.text import NOTATION
from kgb_env.kernels import Kernels
from kgb_env.options import GameOptions
from kgb_env.registry import Definition

__all__ = ["DEFINITION", "ConfusionOptions", "Notebook", "notebook"]


class ConfusionOptions(GameOptions):
    """The options of Confusion."""

    max_turns: int = Field(
        spec.MAX_TURNS, ge=1, le=spec.MAX_TURNS, description="turns a seat, then the game is a draw (C12)"
    )
    auto_answer: bool = Field(
        False, description="answers that are not free are given at once; views are leak-free at own decisions only (C5)"
    )
    pieces: str = Field("standard", description="movement pieces: a shipped file or a path to your own (C1)")
    setup: str = Field("standard", description="board and set-up: a shipped file or a path to your own (C2)")


KERNELS = Kernels(rules.begin, rules.chance, rules.legal, rules.step, views.hide, views.observe, views.determinize)


def build(id: str, options: ConfusionOptions, data: dict[str, str]) -> Game:
    """Configure the game."""
    pieces = parse_pieces(data["pieces"], options.pieces)
    setup = parse_setup(data["setup"], options.setup)
    chosen: dict[str, Any] = options.model_dump()
    return Game(
        id=id,
        title="Confusion",
        options=chosen,
        data=data,
        seats=spec.SEATS,
        state=spec.STATE,
        actions=spec.ACTIONS,
        observation=spec.OBSERVATION,
        max_chance_outcomes=spec.SPIES,
        max_plies=spec.MAX_PLIES,
        min_return=-1.0,
        max_return=1.0,
        zero_sum=True,
        secrets=("piece",),
        endings=spec.ENDINGS,
        kernels=KERNELS,
        notation=NOTATION,
        tables=build_tables(pieces, setup, options.pieces),
        scratch_dtype=spec.SCRATCH,
        fields={"max_turns": options.max_turns, "auto_answer": int(options.auto_answer)},
    )


DEFINITION = Definition(
    title="Confusion",
    summary="two seats, a briefcase to bring home; you see how the other's spies move, never your own",
    options=ConfusionOptions,
    build=build,
    files={"pieces": PIECES, "setup": SETUPS},
)

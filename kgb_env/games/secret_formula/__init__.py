"""Project KGB: The Secret Formula."""

from typing import Any, Self

from pydantic import Field, model_validator

from kgb_env.camp.board import MAPS
from kgb_env.camp.shared import texts_of
from kgb_env.errors import OptionError
from kgb_env.game import Game, Notation
from kgb_env.games.secret_formula import legality, rules, spec, views, worlds
from kgb_env.games.secret_formula.boards import build_tables, camp_of
from kgb_env.games.secret_formula.drawing import draw, status
from kgb_env.games.secret_formula.log import log_text
from kgb_env.games.secret_formula.picture import marks, picture
from kgb_env.games.secret_formula.positions import parse_position
from kgb_env.games.secret_formula.summary import choices, knowledge
from kgb_env.games.secret_formula.summary import rules as rules_in_short
from kgb_env.games.secret_formula.text import action_text, outcome_text, parse_action, parse_outcome
from kgb_env.kernels import Kernels
from kgb_env.layout import markdown_table
from kgb_env.options import GameOptions
from kgb_env.registry import Definition

__all__ = ["DEFINITION", "SecretFormulaOptions", "parse_position"]

OTHER_BOARD = "double_agent"


class SecretFormulaOptions(GameOptions):
    """The options of The Secret Formula."""

    players: int = Field(
        spec.MOST,
        ge=spec.FEWEST,
        le=spec.MOST_DELUXE,
        description="seats, 2 to 4; deluxe 2 to 6 and 6 by default; at most one a gate (S1)",
    )
    deluxe: bool = Field(False, description="both boards side by side, the envelopes and gates of both (S16)")
    board: str = Field("secret_formula", description="the board: a shipped file or a path to your own")
    other_board: str | None = Field(
        None, description=f"the second board of the deluxe game: likewise, by default `{OTHER_BOARD}` (S16)"
    )
    max_rounds: int = Field(
        spec.MAX_ROUNDS, ge=1, le=spec.MAX_ROUNDS, description="revolutions, then nobody wins (S14)"
    )
    mercy: bool = Field(False, description="nobody is knocked out between waking and moving (S4)")

    @model_validator(mode="before")
    @classmethod
    def _set_up_the_deluxe_game(cls, values: Any) -> Any:
        """Let the number of players and the second board be what they are by default there (S1, S16)."""
        if not isinstance(values, dict) or values.get("deluxe") is not True:
            return values
        return {"players": spec.MOST_DELUXE} | values | {"other_board": values.get("other_board") or OTHER_BOARD}

    @model_validator(mode="after")
    def _refuse_what_cannot_be(self) -> Self:
        if not self.deluxe and self.players > spec.MOST:
            raise ValueError(f"players={self.players}: the standard game has {spec.FEWEST} to {spec.MOST} (S1)")
        if not self.deluxe and self.other_board is not None:
            raise ValueError(f"other_board={self.other_board!r} is for the deluxe game: add deluxe=True")
        return self


NOTATION = Notation(
    action_text,
    parse_action,
    outcome_text,
    parse_outcome,
    draw,
    log_text,
    picture,
    marks,
    rules=rules_in_short,
    knowledge=knowledge,
    choices=choices,
    status=status,
)
KERNELS = Kernels(rules.begin, rules.chance, legality.legal, rules.step, views.hide, views.observe, worlds.determinize)


def max_plies(players: int, max_rounds: int) -> int:
    """Return a number of decisions that no game can exceed.

    A throw allows as many as its count; it comes in every turn, and to escape for every seat after each
    entry of the guard, at the start of a round or by an alarm.
    """
    turns = players * max_rounds
    return players + turns * (2 + spec.HIGHEST_SUM) + (turns + max_rounds) * players * spec.HIGHEST_SUM


def build(id: str, options: SecretFormulaOptions, data: dict[str, str]) -> Game:
    """Configure the game."""
    tables, actions, observation = build_tables(texts_of(options.model_dump(), data), options.players)
    gates = int(tables[0].gates)
    if options.players > gates:
        raise OptionError(
            f"players={options.players}: each comes in by a gate of its own, and the board has {gates} (S1)"
        )
    return Game(
        id=id,
        title="The Secret Formula",
        options=options.model_dump(mode="json"),
        data=data,
        seats=options.players,
        state=spec.STATE,
        actions=actions,
        observation=observation,
        max_chance_outcomes=spec.OUTCOMES,
        max_plies=max_plies(options.players, options.max_rounds),
        min_return=-1 / (options.players - 1),
        max_return=1.0,
        zero_sum=True,
        secrets=spec.SECRETS,
        endings=spec.ENDINGS,
        kernels=KERNELS,
        notation=NOTATION,
        tables=tables,
        scratch_dtype=spec.SCRATCH,
        fields={"players": options.players, "max_rounds": options.max_rounds, "is_merciful": options.mercy},
    )


def page_tables(game: Game) -> dict[str, str]:
    """Return the sectors and the map for the page."""
    camp = camp_of(game)
    drawn = draw(game, game.begin()).partition("\n\n")[0]
    sectors = [(sector.letter, f"`{sector.code}`", sector.name) for sector in camp.sectors]
    return {
        "map": f"```\n{drawn}\n```",
        "sectors": markdown_table(("On the map", "Code", "Sector"), *sectors),
        "route": " > ".join(f"`{camp.sectors[sector].code}`" for sector in camp.route),
    }


DEFINITION = Definition(
    title="The Secret Formula",
    summary="two to six seats search a guarded camp for the formula, and for whoever has it",
    options=SecretFormulaOptions,
    build=build,
    page_tables=page_tables,
    files={"board": MAPS, "other_board": MAPS},
    presets={"mini": {"board": "mini", "players": 2, "max_rounds": 20}},
)

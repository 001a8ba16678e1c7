"""Project KGB: The Double Agent."""

from operator import itemgetter
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from kgb_env.camp.board import MAPS
from kgb_env.camp.shared import texts_of
from kgb_env.game import Game, Notation
from kgb_env.games.double_agent import legality, rules, spec, views, worlds
from kgb_env.games.double_agent.boards import build_tables, camp_of, monitored
from kgb_env.games.double_agent.drawing import draw, status
from kgb_env.games.double_agent.log import log_text
from kgb_env.games.double_agent.picture import marks, picture
from kgb_env.games.double_agent.summary import choices, knowledge
from kgb_env.games.double_agent.summary import rules as rules_in_short
from kgb_env.games.double_agent.text import action_text, outcome_text, parse_action, parse_outcome
from kgb_env.kernels import Kernels
from kgb_env.layout import markdown_table
from kgb_env.options import GameOptions
from kgb_env.registry import Definition

__all__ = ["DEFINITION", "DoubleAgentOptions"]

OTHER_BOARD = "secret_formula"
ROLES = {spec.SECURITY_AGENT: "security_agent", spec.DOUBLE_AGENT: "double_agent"}


class DoubleAgentOptions(GameOptions):
    """The options of The Double Agent."""

    players: int = Field(
        4, ge=spec.FEWEST, le=spec.SEATS, description="seats, 3 to 6; deluxe 4 to 6 and 6 by default (D1)"
    )
    deluxe: bool = Field(False, description="both boards side by side, 15 monitors, 8 sabotages (D15)")
    board: str = Field("double_agent", description="the board: a shipped file or a path to your own")
    other_board: str | None = Field(
        None, description=f"the second board of the deluxe game: likewise, by default `{OTHER_BOARD}` (D15)"
    )
    max_turns: int = Field(
        spec.MAX_ROUNDS, ge=1, le=spec.MAX_ROUNDS, description="rounds, then only stakes count (D13)"
    )
    rewards: Literal["individual", "team"] = Field(
        "individual", description="who shares in an exposure: the accuser alone, or all Security Agents (D14)"
    )
    stake: float = Field(1.0, ge=0, le=100, description="what a wrong accusation costs its accuser (D14)")

    @model_validator(mode="before")
    @classmethod
    def _set_up_the_deluxe_game(cls, values: Any) -> Any:
        """Let the number of players and the second board be what they are by default there (D1, D15)."""
        if not isinstance(values, dict) or values.get("deluxe") is not True:
            return values
        return {"players": spec.SEATS} | values | {"other_board": values.get("other_board") or OTHER_BOARD}

    @model_validator(mode="after")
    def _refuse_what_cannot_be(self) -> Self:
        if self.deluxe and self.players < spec.FEWEST_DELUXE:
            raise ValueError(f"players={self.players}: the deluxe game has {spec.FEWEST_DELUXE} to {spec.SEATS} (D15)")
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


def highest_return(players: int, stake: float) -> float:
    """Return the most that a seat can get: it wins, and all others but one have accused wrongly (D14)."""
    return 1 + stake * ((players - 2) / (players - 1))


def lowest_return(players: int, stake: float, is_team: bool) -> float:
    """Return the least: the only wrong accuser loses, or as a team's Double Agent is exposed (D14)."""
    alone = -(1 / (players - 1)) + stake * ((1 - 1) / (players - 1) - 1)
    return min(alone, -1.0) if is_team else alone


def build(id: str, options: DoubleAgentOptions, data: dict[str, str]) -> Game:
    """Configure the game."""
    texts = texts_of(options.model_dump(), data)
    tables, actions, observation = build_tables(texts, options.players, options.deluxe)
    stake, is_team = np.float32(options.stake), options.rewards == "team"
    return Game(
        id=id,
        title="The Double Agent",
        options=options.model_dump(mode="json"),
        data=data,
        seats=options.players,
        state=spec.STATE,
        actions=actions,
        observation=observation,
        max_chance_outcomes=spec.THROWS,
        max_plies=options.players * (1 + 2 * options.max_turns),
        min_return=lowest_return(options.players, float(stake), is_team),
        max_return=highest_return(options.players, float(stake)),
        zero_sum=True,
        secrets=spec.SECRETS,
        endings=spec.ENDINGS,
        kernels=KERNELS,
        notation=NOTATION,
        tables=tables,
        scratch_dtype=spec.SCRATCH,
        fields={"players": options.players, "max_turns": options.max_turns, "is_team": is_team, "stake": stake},
        roles=tuple(ROLES[role] for role in range(len(ROLES))),
        role_of=itemgetter("role"),
    )


def page_tables(game: Game) -> dict[str, str]:
    """Return the sectors and the map for the page."""
    camp = camp_of(game)
    has_monitor = monitored(camp, bool(game.options["deluxe"]))
    sectors = [
        (sector.letter, f"`{sector.code}`", sector.name, "yes" * is_so)
        for sector, is_so in zip(camp.sectors, has_monitor, strict=True)
    ]
    drawn = draw(game, game.begin()).partition("\n\n")[0]
    return {
        "map": f"```\n{drawn}\n```",
        "sectors": markdown_table(("On the map", "Code", "Sector", "Monitor"), *sectors),
    }


DEFINITION = Definition(
    title="The Double Agent",
    summary="three to six seats, one of them sabotages the monitors of the camp; who?",
    options=DoubleAgentOptions,
    build=build,
    page_tables=page_tables,
    files={"board": MAPS, "other_board": MAPS},
    presets={"mini": {"board": "mini", "players": 3, "max_turns": 20}},
)

"""The pictures in the games' pages: one of every phase, found by letting an agent play until it comes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import kgb_env
from agents import make_agent
from kgb_env import Game
from kgb_env.games.confusion import spec as confusion
from kgb_env.games.double_agent import spec as double_agent
from kgb_env.games.secret_formula import spec as secret_formula
from kgb_env.games.suspicious import spec as suspicious
from kgb_env.render.picture import Picture

from .match import decisions

SEEDS = 50  # games in which a phase is looked for


class Scene(NamedTuple):
    """A picture in a page.

    Attributes:
        name: of its file.
        caption: what is due.
        phase: the number of the phase, or None for the end of a game.
        after: decisions to be made first.
        options: of the game.
        agent: who plays; by default the one in AGENTS.
        seed: of the first game in which the phase is looked for.
    """

    name: str
    caption: str
    phase: int | None
    after: int = 0
    options: Mapping[str, Any] = MappingProxyType({})
    agent: str = ""
    seed: int = 0


SCENES = {
    "confusion": (
        Scene("propose", "A seat is to propose a move of a spy whose piece it does not know.", confusion.PROPOSE, 40),
        Scene("answer", "The other seat must say whether that spy can move so.", confusion.ANSWER, 20),
        Scene("place", "`variable_setup`: the spies are placed first.", confusion.PLACE, 15, {"variable_setup": True}),
        Scene("promote", "`promotion_sir`: a spy may be promoted.", confusion.PROMOTE, 0, {"promotion_sir": True}),
        Scene(
            "take",
            "`promotion_sir`: its Double Agent is uncovered; a seat may take the briefcase.",
            confusion.TAKE,
            0,
            {"promotion_sir": True},
            "random",
            2,  # it comes in few games
        ),
        Scene("end", "The end, with open cards.", None),
    ),
    "double_agent": (
        Scene("opening", "Each seat in turn is alone with the board.", double_agent.OPENING, 1),
        Scene("go", "A seat has thrown the dice: dots show where it can go.", double_agent.GO, 60),
        Scene("monitor", "In a sector a seat may inspect the monitor.", double_agent.INSPECTION, 30),
        Scene("deluxe", "The deluxe camp.", double_agent.GO, 80, {"deluxe": True}),
        Scene("end", "The end, with open cards.", None),
    ),
    "secret_formula": (
        Scene("gate", "Each seat chooses the gate to come in by.", secret_formula.GATE, 2),
        Scene("move", "A seat has thrown the dice: dots show where it can go.", secret_formula.MOVE, 60),
        Scene("hit", "On a rival's cell a seat may hit before it throws.", secret_formula.HIT),
        Scene("escape", "The guard has come: the seat has one throw to get out.", secret_formula.ESCAPE),
        Scene("return", "A captured seat chooses a gate to come back by.", secret_formula.RETURN),
        Scene("deluxe", "The deluxe camp.", secret_formula.MOVE, 150, {"deluxe": True}),
        Scene("end", "The end, with open cards.", None),
    ),
    "suspicious": (
        Scene("name", "The Director knows both words and names the spy.", suspicious.NAME, 20),
        Scene("link", "The Director says a word that goes with both.", suspicious.LINK, 20),
        Scene("clue_1", "All write a clue, unseen by the others.", suspicious.CLUE_1, 20),
        Scene("clue_2", "And a second one, when all have seen the first.", suspicious.CLUE_2, 22),
        Scene("debate", "Each may accuse another.", suspicious.DEBATE, 24),
        Scene("vote", "All vote, unseen by the others.", suspicious.VOTE, 28),
        Scene("guess", "The spy was stopped and is to guess the agents' keyword.", suspicious.GUESS),
        Scene("end", "The end, with open cards.", None),
    ),
}
AGENTS = {"confusion": "greedy", "double_agent": "naive", "secret_formula": "collector", "suspicious": "literal"}


def page_table(id: str) -> str:
    """Return the pictures of a game as Markdown for its page."""
    return "\n\n".join(f"{scene.caption}\n\n![{scene.caption}](pictures/{scene.name}.svg)" for scene in SCENES[id])


def draw(id: str, scene: Scene) -> Picture:
    """Return the picture of a scene: as the seat to move sees it, or at the end with open cards."""
    game = kgb_env.game(id, **scene.options)
    for states in _positions(game, scene.agent or AGENTS[id], scene):
        if scene.phase is None and states["over"][0]:
            return game.picture(states)
        if not states["over"][0] and states["phase"][0] == scene.phase:
            return game.picture(game.view(states, states["to_move"]))
    raise LookupError(f"{id}: {scene.name} did not come in {SEEDS} games")


def _positions(game: Game, agent: str, scene: Scene) -> Iterator[np.ndarray]:
    """Yield the positions of some games of an agent against itself, but for the first decisions of each."""
    for seed in range(scene.seed, scene.seed + SEEDS):
        for made, (states, _) in enumerate(decisions(game, make_agent(game, agent), seed)):
            if made >= scene.after or states["over"][0]:
                yield states

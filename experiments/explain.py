"""What ``kgb explain`` prints: what an agent sees and thinks at one decision of a game."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable

from agents import Agent, AgentError, agent_names, make_agent
from agents.explanation import Table
from kgb_env import Game
from kgb_env.game import require_seed

from .config import ConfigError
from .match import decisions


def print_explanation(game: Game, name: str | None, seed: int, turn: int, seat: int) -> None:
    """Let an agent play itself up to a turn, and print what a seat sees, thinks and chooses there."""
    name = name or explaining_agent(game)
    agent = make_agent(game, name)
    if not hasattr(agent, "explain"):
        raise ConfigError(f"agent {name!r} does not say what it thinks")
    if not 0 <= seat < game.seats:
        raise ConfigError(f"seat={seat}: the seats of {game.id} are 0 to {game.seats - 1}")
    view, seeds, now = find_choice(game, agent, require_seed(seed), turn, seat)
    chosen, _ = agent.act(view, seeds, agent.initial_carry(1))
    console = Console(highlight=False)
    console.print(f"Turn {now} of game {seed} between {name} and itself, as seat {seat} sees it\n", style="bold")
    console.print(game.notation.draw(game, view), markup=False, soft_wrap=True)
    for table in agent.explain(view):
        console.print(f"\n{table.title}", style="bold", markup=False)
        console.print(draw_table(table))
    console.print(f"It chooses: {game.notation.action(game, view, int(chosen[0]))}", markup=False)


def explaining_agent(game: Game) -> str:
    """Return the name of the agent of this game that explains itself.

    Raises:
        ConfigError: none does.
    """
    for name in agent_names(game.id):
        if can(game, name, "explain"):
            return name
    raise ConfigError(f"no agent of {game.id} says what it thinks")


def can(game: Game, name: str, method: str) -> bool:
    """Tell if an agent has a method; one that needs what is not here, such as a server, cannot be made at all."""
    try:
        return hasattr(make_agent(game, name), method)
    except AgentError:
        return False


def find_choice(game: Game, agent: Agent, seed: int, turn: int, seat: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the view and the decision's seed where a seat first has something to choose from a turn on, and the turn.

    Raises:
        ConfigError: the game is over before that.
    """
    now = 0
    for states, seeds in decisions(game, agent, seed):
        now = turn_of(states)
        if now >= turn and states["to_move"][0] == seat and game.legal(states).size > 1:
            return game.view(states, seat), seeds, now
    raise ConfigError(f"from turn {turn} on seat {seat} has nothing to choose: the game is over after turn {now}")


def turn_of(states: np.ndarray) -> int:
    """Return the turn of a state, counted from 1; in a game that has rounds instead, the round."""
    assert states.dtype.names is not None
    return 1 + int(states["turn" if "turn" in states.dtype.names else "now"][0])


def print_story(game: Game, name: str | None, seed: int, turn: int) -> None:
    """Let an agent play itself, and print what every seat did in a turn and what it believed before.

    The agent's method ``remark(view)`` says that in a sentence.
    """
    name = name or explaining_agent(game)
    agent: Any = make_agent(game, name)
    if not hasattr(agent, "remark"):
        raise ConfigError(f"agent {name!r} tells no story; without --story it may say what it thinks")
    told = RichTable(
        "Seat", "Does", "What it knows and believes before", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True
    )
    start = None
    for states, seeds in decisions(game, agent, require_seed(seed)):
        now = turn_of(states)
        if now > turn or states["over"][0]:
            break
        if now == turn:
            start = states.copy() if start is None else start
            seat = int(states["to_move"][0])
            view = game.view(states, seat)
            chosen, _ = agent.act(view, seeds, agent.initial_carry(1))
            told.add_row(str(seat), game.notation.action(game, view, int(chosen[0])), agent.remark(view))
    if start is None:
        raise ConfigError(f"there is no turn {turn}: the game is over after turn {now}")
    console = Console(highlight=False)
    console.print(f"Turn {turn} of game {seed} between {name} and itself, with open cards\n", style="bold")
    console.print(game.notation.draw(game, start), markup=False, soft_wrap=True)
    console.print(told)
    for seat, got in enumerate(game.returns(states)[0] - game.returns(start)[0]):
        if got:
            console.print(f"Seat {seat} gets {got:+g}.")


def draw_table(table: Table) -> RichTable:
    """Return a table as the terminal shows it."""
    drawn = RichTable(
        caption=table.note or None, caption_justify="left", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True
    )
    for k, column in enumerate(table.columns):
        drawn.add_column(column, justify="left" if k == 0 else "right")
    for row in table.rows:
        drawn.add_row(*row)
    return drawn

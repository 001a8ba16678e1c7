"""What a seat knows as text, complete enough that a language model can play from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from kgb_env.game import Game
from kgb_env.registry import game_of

HOW_TO_ANSWER = """\
Think as long as you like, but end your answer with one line of this form, where <move> is one of the legal moves,
written just as above:

Move: <move>

One answer is one move: if something else is to be chosen after it, you are asked again. Nothing may stand after the
move, neither in its line nor below it: explain before."""


def text_view(view: np.ndarray, *, rules: bool = True) -> str:
    """Return all that a seat needs to play on, as text in Markdown: it tells what the view holds, and nothing else.

    The rules, the table, what has happened and what can be told from it; if the seat is to move also its legal moves,
    and how to state one so that ``parse_move`` understands it.  Equal views give equal texts.

    Args:
        view: one view by a seat, from ``game.view(states, seat)`` or ``env.view(agent)``.
        rules: begin with the rules of the game; without them, the text is for somebody who has read them.

    Raises:
        RecordError: it is no such view, or its game has not been configured in this process.
    """
    game = game_of(view)
    game.require_view(view)
    notation, seat = game.notation, int(view["viewer"][0])
    parts = [f"# {game.title}", f"You are seat {seat} of the seats 0 to {game.seats - 1}."]
    if rules and notation.rules:
        parts += ["## Rules", _rules(game)]
    parts += ["## The table as you see it", f"```\n{notation.draw(game, view).rstrip()}\n```"]
    events = notation.log(game, view)
    parts += ["## What has happened so far, as far as you know", "\n".join(events) or "Nothing yet."]
    if notation.knowledge and (known := notation.knowledge(game, view)):
        parts += ["## What you know besides", "\n".join(known)]
    return "\n\n".join([*parts, "## Your move", *_what_is_due(game, view)]) + "\n"


@cache
def _rules(game: Game) -> str:
    """Return the rules, which are the same in every view of a game."""
    assert game.notation.rules
    return game.notation.rules(game).strip()


def _what_is_due(game: Game, view: np.ndarray) -> list[str]:
    """Say what the seat may choose, or why it has nothing to choose."""
    seat, mover = int(view["viewer"][0]), int(view["to_move"][0])
    if view["over"][0]:
        return ["The game is over: there is nothing to choose."]
    if mover != seat:
        whose = f"seat {mover} is to move, not you" if mover >= 0 else "chance is to move"
        return [f"You have nothing to choose now: {whose}."]
    choices = game.notation.choices or choices_by_first_word
    return ["You are to move. Your legal moves:", "\n".join(choices(game, view)), HOW_TO_ANSWER]


def choices_by_first_word(game: Game, view: np.ndarray) -> list[str]:
    """Return the legal actions, a line for each word that they begin with."""
    return grouped_choices(game, view, lambda action, text: "")


def grouped_choices(game: Game, view: np.ndarray, group_of: Callable[[int, str], str]) -> list[str]:
    """Return the legal actions, a line for each group of those that begin with the same word.

    Args:
        game: a configured game.
        view: one view by the seat to move.
        group_of: from an action and its text to the head of its line, or nothing.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for action in game.legal(view).tolist():
        text = game.notation.action(game, view, action)
        groups.setdefault((text.partition(" ")[0], group_of(action, text)), []).append(text)
    return [f"- {head}{': ' if head else ''}{', '.join(texts)}" for (_, head), texts in groups.items()]

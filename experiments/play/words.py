"""What a person is told besides the picture: the rules, who one is, what is due, what one can tell."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from markupsafe import Markup, escape

from kgb_env import Game

WHO = re.compile(r"- You are ((?:an? |the )?[A-Z][^.,]*)")  # a line of what a seat knows
ITEM = re.compile(r"( *)- (.*)")
CODE = re.compile(r"`([^`]+)`")
STEP = 2  # spaces by which a list in a list is indented


def rules(game: Game) -> str:
    """Return the rules of a game in short, in Markdown; nothing if it does not tell them."""
    return game.notation.rules(game).strip() if game.notation.rules else ""


def known(game: Game, view: np.ndarray) -> list[str]:
    """Return what a seat can tell besides what it sees, a line each."""
    return game.notation.knowledge(game, view) if game.notation.knowledge else []


def due(game: Game, view: np.ndarray) -> str:
    """Return whose turn it is and what is due, in one line; nothing if the game does not tell."""
    return game.notation.status(game, view) if game.notation.status else ""


def who(game: Game, view: np.ndarray) -> str:
    """Say who a seat is: ``You are seat 0, White.``"""
    found = next(filter(None, map(WHO.match, known(game, view))), None)
    return f"You are seat {int(view['viewer'][0])}{f', {found[1]}' if found else ''}."


def as_html(text: str) -> Markup:
    """Return headings, lists, lists in lists and `code` in Markdown as HTML; everything else in it is plain text."""
    lines = [line for line in text.splitlines() if line.strip()]
    begun = Markup("<ul>") * (_depth(lines[0]) if lines else 0)
    return begun + Markup("").join(_element(line, after) for line, after in pairwise([*lines, ""]))


def _element(line: str, after: str) -> Markup:
    """Return a line, with the ends of lists and the beginnings of those that come between it and the next one."""
    here, there = _depth(line), _depth(after)
    found = ITEM.fullmatch(line)
    told = Markup(CODE.sub(r"<code>\1</code>", str(escape(found[2] if found else line.strip()))))
    if not found:
        return Markup("<h3>{}</h3>").format(told.rstrip(":")) + Markup("<ul>") * there
    if there > here:
        return Markup("<li>{}").format(told) + Markup("<ul>") * (there - here)
    return Markup("<li>{}</li>").format(told) + _ends(here, there)


def _ends(here: int, there: int) -> Markup:
    return Markup("").join(Markup("</ul></li>") if depth > 1 else Markup("</ul>") for depth in range(here, there, -1))


def _depth(line: str) -> int:
    """Return in how many lists a line is."""
    found = ITEM.fullmatch(line)
    return 1 + len(found[1]) // STEP if found else 0

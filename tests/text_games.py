"""Positions of all games for tests of what language models read and write, and how they would read it."""

import re

import numpy as np

from kgb_env import game, parse_move

# Every option that changes the rules, in games short enough to be played without the JIT.
VARIANTS = {
    "confusion-mini": ("confusion-mini", {"max_turns": 8}),
    "confusion-tokens": ("confusion-mini7", {"max_turns": 6, "special_actions": True, "safe_extraction": True}),
    "confusion-placed": ("confusion-mini7", {"max_turns": 4, "variable_setup": True, "tight_setup": True}),
    "confusion-sir": ("confusion-mini", {"max_turns": 8, "promotion_sir": True, "auto_answer": True}),
    "confusion-honor": ("confusion-mini", {"max_turns": 4, "honor_among_spies": True}),
    "double_agent-mini": ("double_agent-mini", {"max_turns": 6}),
    "double_agent-team": ("double_agent-mini", {"max_turns": 4, "rewards": "team", "stake": 0.25}),
    "secret_formula-mini": ("secret_formula-mini", {"max_rounds": 6}),
    "secret_formula-mercy": ("secret_formula-mini", {"max_rounds": 4, "mercy": True}),
    "suspicious-mini": ("suspicious-mini", {}),
    "suspicious-neutral": ("suspicious-mini", {"director": "neutral", "rewards": "zero_sum", "debate_rounds": 2}),
}


def variant(name):
    """Return a game of VARIANTS."""
    id, options = VARIANTS[name]
    return game(id, **options)


def decisions(configured, seed, plies=400):
    """Yield the states before each decision of a random game, and the state at its end."""
    states, luck = configured.start(seed), np.random.default_rng(seed)
    for _ in range(plies):
        yield states
        if states["over"][0]:
            return
        configured.play(states, int(luck.choice(configured.legal(states))))


def listed_moves(text):
    """Return the legal moves that a text lists, as somebody reads them who has nothing but the text."""
    section = text.partition("## Your move")[2].partition("Your legal moves:")[2].partition("Think as long")[0]
    lines = [line.removeprefix("- ") for line in section.strip().splitlines()]
    verb = re.fullmatch(r"`(\w+) WORD`, with any word.*?(?: but these: ([^(]*) \(.*\))?\.", lines[0])
    if verb:
        words = [word for line in lines[1:] for word in line.partition(": ")[2].split()]
        forbidden = (verb[2] or "").split(", ")
        return [f"{verb[1]} {word}" for word in words if word not in forbidden]
    return [move for line in lines for move in line.rpartition(": ")[2].split(", ")]


def understood(configured, view, answer):
    """Return what is understood of an answer, in notation."""
    return configured.notation.action(configured, view, parse_move(view, answer))

"""Fixtures for every game."""

import pytest

from kgb_env import game
from tests import kuhn

GAMES = {
    "confusion": ("confusion", {}),
    "confusion-auto_answer": ("confusion", {"auto_answer": True, "max_turns": 60}),
    "double_agent": ("double_agent", {"max_turns": 20}),
    "double_agent-mini": ("double_agent-mini", {}),
    "secret_formula": ("secret_formula", {"max_rounds": 20}),
    "secret_formula-mini": ("secret_formula-mini", {}),
    "suspicious": ("suspicious", {"rounds": 2}),
    "suspicious-mini": ("suspicious-mini", {}),
    "kuhn": (kuhn.ID, {}),
}


@pytest.fixture(params=GAMES)
def any_game(request):
    """Return each game in turn, with some of its options."""
    id, options = GAMES[request.param]
    return game(id, **options)


@pytest.fixture(params=[id for id in GAMES if id.startswith("double_agent")])
def any_double_agent(request):
    """Return The Double Agent on the standard and on the small board."""
    id, options = GAMES[request.param]
    return game(id, **options)


@pytest.fixture
def confusion():
    """Return standard Confusion."""
    return game("confusion")

"""Fixtures for agents that ask a language model."""

import pytest

from kgb_env import game


@pytest.fixture
def poker():
    """Return a small game in which nothing is forced."""
    return game("tests.kuhn:DEFINITION")


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    """Forget what the environment says."""
    for name in ("KGB_LLM_URL", "KGB_LLM_MODEL", "KGB_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)

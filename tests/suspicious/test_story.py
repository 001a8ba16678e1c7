"""Rounds of experts told by `kgb explain`, and the commands around them."""

import pytest
from typer.testing import CliRunner

from experiments.cli import app


@pytest.fixture
def kgb(monkeypatch):
    """Return a function that runs the command in a wide terminal."""
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def test_a_story_tells_what_every_seat_did_and_believed(kgb):
    lines = kgb("explain", "suspicious", "--story", "--turn", "2", "--seed", "9").stdout.splitlines()
    assert lines[0].startswith("Turn 2 of game 9 between expert and itself")
    assert any(line.startswith("card ") and "agents witch  spy wizard" in line for line in lines)
    said = [line.split()[1] for line in lines if line.split() and line.split()[0] in "01234"]
    assert said.count("write") == 8
    assert said.count("vote") == 4
    assert {"name", "say"} <= set(said)
    assert sum("has witch" in line for line in lines) >= 12
    assert sum("has wizard" in line for line in lines) >= 4
    assert any("suspects" in line for line in lines)
    assert lines[-1].startswith("Seat ")


def test_what_it_believes_stands_in_tables(kgb):
    text = kgb("explain", "suspicious", "--turn", "1", "--seat", "1").stdout
    assert "Who is the spy" in text
    assert text.splitlines()[-1].startswith("It chooses: ")


def test_a_story_needs_an_agent_that_tells_it_and_a_turn_that_is_played(kgb):
    for arguments, said in (
        (("suspicious", "--agent", "literal"), "'literal' tells no story"),
        (("suspicious", "--turn", "11"), "there is no turn 11: the game is over after turn 10"),
    ):
        result = kgb("explain", *arguments, "--story")
        assert result.exit_code == 2
        assert said in " ".join(result.stderr.split())


def test_show_lets_an_agent_play(kgb):
    text = kgb("show", "suspicious", "--agent", "literal", "--plies", "200", "--option", "rounds=1").stdout
    assert "The game is over: match over." in text
    assert kgb("show", "suspicious", "--agent", "nobody").exit_code == 2

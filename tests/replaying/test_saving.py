"""Matches that write their games down."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from agents import make_agent
from experiments.cli import app
from experiments.config import ConfigError
from experiments.match import MatchError, Table, play_match
from experiments.replaying.saving import Saver
from kgb_env import Recording, derive_seed, game, read_replays
from tests.replaying.games import MINI


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.jsonl"


@pytest.fixture(scope="module")
def mini():
    return game("double_agent-mini", **MINI["double_agent-mini"])


def kgb(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.mark.parametrize("names", [("naive", "random"), ("naive", "random", "rate(p=0.5)")])
def test_every_game_of_a_match_is_written_as_it_was_played(mini, path, names):
    agents = {name: make_agent(mini, name) for name in names}
    with Saver(path) as saver:
        played = play_match(mini, agents, 12, seed=3, batch=5, saver=saver)
    assert played.games == play_match(mini, agents, 12, seed=3).games
    written = list(read_replays(path))
    assert len(written) == played.games
    for replay in written:
        assert list(replay.positions())[-1].states["over"][0]
    wanted = sorted(
        (tuple(names[k] for k in played.seatings[g % len(played.seatings)]), tuple(map(float, played.returns[g])))
        for g in range(played.games)
    )
    assert sorted((replay.agents, replay.returns) for replay in written) == wanted


def test_saving_changes_no_result(mini, path):
    agents = {name: make_agent(mini, name) for name in ("naive", "random")}
    with Saver(path) as saver:
        plain, saved = play_match(mini, agents, 20), play_match(mini, agents, 20, saver=saver)
    assert plain.returns.tobytes() == saved.returns.tobytes()
    assert plain.plies.tobytes() == saved.plies.tobytes()


def test_the_first_games_alone(mini, path):
    agents = {"random": make_agent(mini, "random")}
    with Saver(path, first=5) as saver:
        play_match(mini, agents, 9, batch=4, saver=saver)
    deals = {tuple(replay.moves[:2]) for replay in read_replays(path)}
    wanted = {tuple(start_of(mini, deal)) for deal in range(5)}
    assert len(list(read_replays(path))) == 5
    assert deals == wanted


def start_of(configured, deal):
    return Recording(configured, derive_seed(1, deal, 0)).moves[:2]


class Quitter:
    """Plays the first legal action, and at its second decision none."""

    def __init__(self, game):
        self.game = game

    def initial_carry(self, n):
        return np.zeros(n, np.int64)

    def act(self, views, seeds, carry=None):
        legal = [self.game.legal(views[i : i + 1])[0] for i in range(views.size)]
        return np.where(carry >= 1, -7, legal), carry + 1


def test_forfeits_have_no_result_but_a_reason(mini, path):
    agents = {"quitter": Quitter(mini), "random": make_agent(mini, "random")}
    lineups = np.array([[0, 1, 1], [1, 1, 1], [1, 1, 0]])[:, : mini.seats]
    with Saver(path) as saver:
        results = Table(mini, agents, 1, np.arange(3), lineups, may_forfeit=True, saver=saver).play()
    assert set(results.faults) == {0, 2}
    written = list(read_replays(path))
    assert len(written) == 3
    for replay in written:
        assert (replay.returns is None) == ("quitter" in replay.agents)
        assert list(replay.positions())[-1].states["over"][0] == (replay.returns is not None)
    assert [r.reason.startswith("forfeit: quitter: ") for r in written].count(True) == 2


def test_games_that_were_finished_are_there_when_an_agent_fails(mini, path):
    class Late(Quitter):
        def act(self, views, seeds, carry=None):
            if len(list(open_lines(path))) >= 3:
                raise RuntimeError("no more")
            return np.array([self.game.legal(views[i : i + 1])[0] for i in range(views.size)]), carry

    with Saver(path) as saver, pytest.raises(MatchError, match="no more"):
        play_match(mini, {"late": Late(mini)}, 40, batch=1, saver=saver)
    assert len(list(read_replays(path))) == 3


def open_lines(path):
    return path.read_text().splitlines() if path.exists() else []


def test_every_game_is_there_as_soon_as_it_is_saved(mini, path):
    with Saver(path) as saver:
        for count in (1, 2, 3):
            saver.save(mini, 1, count, [], ["a"] * mini.seats, "it gave up")
            assert len(list(read_replays(path))) == count == saver.written


# The command


def test_an_interrupted_match_says_how_many_games_are_in_the_file(path, monkeypatch):
    """More may have been saved than the progress has told."""

    def stop(*arguments):
        saver = arguments[-1]
        for deal in range(2):
            saver.save(arguments[0], 1, deal, [], ["random", "random#2"], None)
        raise KeyboardInterrupt

    monkeypatch.setattr("experiments.match.play_match", stop)
    result = kgb("match", "confusion-mini", "random", "random", "--games", 100, "--save", path)
    assert result.exit_code == 130
    assert f"kgb: interrupted: 2 games are in {path}, no result was written" in result.stderr.replace("\n", "")
    assert len(list(read_replays(path))) == 2


def test_the_command_saves_and_says_where(path):
    result = kgb("match", "confusion-mini", "random", "random", "--games", 4, "--save", path)
    assert f"Written: {path} (4 games); look at them with: kgb replay {path}" in result.stdout
    assert [replay.agents for replay in read_replays(path)].count(("random", "random#2")) == 2
    again = kgb("match", "confusion-mini", "random", "random", "--games", 4, "--save", path)
    assert again.exit_code == 2
    assert "the file holds something already; name another, or take it away" in again.stderr
    assert len(list(read_replays(path))) == 4


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_a_full_disk_is_said_in_a_line():
    result = kgb("match", "confusion-mini", "random", "random", "--games", 4, "--save", "/dev/full")
    assert result.exit_code == 2
    assert "kgb: /dev/full: a game cannot be written there: No space left on device" in result.stderr


def test_json_stays_alone_on_stdout(path):
    result = kgb("match", "confusion-mini", "random", "random", "--games", 4, "--save", path, "--json")
    assert json.loads(result.stdout)["games"] == 4
    assert "Written" in result.stderr


def test_roles(path):
    roles = ("--role", "double_agent=rate(p=0.7)", "--role", "security_agent=naive")
    kgb("match", "double_agent-mini", "--games", 4, "--option", "max_turns=4", *roles, "--save", path)
    written = list(read_replays(path))
    assert len(written) == 4
    for replay in written:
        assert set(replay.agents) == {"roles(double_agent=rate(p=0.7), security_agent=naive)"}
        assert list(replay.positions())


def test_what_cannot_be_saved_is_said_before_the_match(tmp_path):
    with pytest.raises(ConfigError, match="no games can be written there: "):
        Saver(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="no games can be written there: "):
        Saver(tmp_path / "file" / "games.jsonl")
    with Saver(tmp_path / "new" / "games.jsonl"):
        assert (tmp_path / "new" / "games.jsonl").exists()
    assert "add --save FILE" in kgb("match", "confusion-mini", "random", "--save-first", 3).stderr

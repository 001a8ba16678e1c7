"""Trainings: the same seed gives the same weights, a killed one goes on to them, and bad settings are refused."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

import kgb_env
from agents import make_agent
from agents.sb3 import load_policy
from experiments.config import ConfigError, configuration_names, read_configuration
from experiments.progress import MatchProgress
from experiments.training import pool
from experiments.training import train as training
from experiments.training.run import train, training_of
from experiments.training.settings import BEST, CURVES, LAST, STATE, Training, with_settings
from experiments.training.train import LOCK, Trainer
from kgb_env import derive_seed

TINY = {
    "game": "confusion-mini",
    "options": {"max_turns": 12},
    "steps": 384,
    "generation": 128,
    "environment": {"num_envs": 8},
    "pool": {"current": 1.0, "past": 1.0, "scripted": {"random": 1.0}},
    "network": {"channels": 2, "features": 8, "hidden": [8], "critic": [8]},
    "ppo": {"n_steps": 16, "batch_size": 64, "n_epochs": 1},
    "evaluation": {"games": 4},
}


def tiny(**changed):
    return Training.parse(with_settings(TINY, [f"{name}={json.dumps(value)}" for name, value in changed.items()]))


def progress():
    return MatchProgress(1, Console(quiet=True))


def trained(config, folder):
    folder.mkdir(exist_ok=True)
    with Trainer(config, folder) as trainer:
        return trainer.run(progress())


def weights(trainer):
    return trainer.model.policy.state_dict()


def are_equal(one, other):
    return all(torch.equal(one[name], other[name]) for name in one)


def figures(trainer):
    """Return the history without times."""
    return [{name: value for name, value in row.items() if "seconds" not in name} for row in trainer.history]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Return a training that has run through, in its folder."""
    folder = tmp_path_factory.mktemp("finished")
    return trained(tiny(), folder), folder


def test_the_same_seed_gives_the_same_weights(finished, tmp_path):
    trainer, _ = finished
    again = trained(tiny(), tmp_path)
    assert are_equal(weights(trainer), weights(again))
    assert figures(trainer) == figures(again)
    assert not are_equal(weights(trainer), weights(trained(tiny(seed=2), tmp_path / "other")))


class Stop(BaseCallback):
    """Breaks off a training in the middle of a generation."""

    def __init__(self, progress, total):
        super().__init__()

    def _on_step(self):
        if self.num_timesteps > 128 + 40:
            raise KeyboardInterrupt
        return True


SETTINGS = [{}, {"imitation.agent": "greedy", "imitation.generations": 2}]


@pytest.mark.parametrize("settings", SETTINGS)
def test_what_was_broken_off_goes_on_to_the_same_weights(settings, tmp_path, monkeypatch):
    config = tiny(**settings)
    whole = trained(config, tmp_path / "whole")
    with monkeypatch.context() as patched:
        patched.setattr(training, "_Steps", Stop)
        with pytest.raises(KeyboardInterrupt):
            trained(config, tmp_path / "parts")
    assert len(json.loads((tmp_path / "parts" / STATE).read_text())["history"]) == 1
    resumed = trained(config, tmp_path / "parts")
    assert are_equal(weights(whole), weights(resumed))
    assert figures(whole) == figures(resumed)
    assert resumed.model.num_timesteps == config.total_steps == 384
    names = {path.name for path in (tmp_path / "parts").iterdir()} - {LOCK}
    assert names == {STATE, BEST, LAST, "checkpoint-00003.zip", "past", "tensorboard"}


class KillError(Exception):
    """Stands for SIGKILL."""


class Fuse:
    """Lets a number of changes to files pass, then fails, as if the process was killed before the next one."""

    def __init__(self, patch, passes):
        self.left = passes
        for name in ("replace", "unlink", "write_bytes"):
            patch.setattr(Path, name, self.counting(getattr(Path, name)))
        patch.setattr("experiments.training.pool.save_to_zip_file", self.counting(pool.save_to_zip_file))

    def counting(self, change):
        def changed(*args, **kwargs):
            if self.left == 0:
                raise KillError
            self.left -= 1
            return change(*args, **kwargs)

        return changed


@pytest.mark.parametrize("passes", range(24))
def test_a_kill_between_any_two_changes_of_files_loses_no_more_than_a_generation(passes, tmp_path, monkeypatch):
    """Three generations with a pool of one, from which checkpoints go."""
    config = tiny(**{"pool.keep": 1})
    (tmp_path / "parts").mkdir()
    with monkeypatch.context() as patched:
        Fuse(patched, passes)
        with pytest.raises(KillError):
            trained(config, tmp_path / "parts")
    with Trainer(config, tmp_path / "parts") as resumed:
        before = resumed.generation
        assert before >= passes // 9 - 1
        assert before == 0 or (tmp_path / "parts" / LAST).exists()
        resumed.run(progress())
    assert are_equal(weights(resumed), weights(kept_one(config, tmp_path)))
    assert [path.name for path in (tmp_path / "parts" / "past").iterdir()] == ["00003.zip"]
    checkpoint = load_policy(resumed.game, tmp_path / "parts" / LAST)[0].state_dict()
    assert are_equal(checkpoint, weights(resumed))


_WHOLE = {}


def kept_one(config, folder):
    """Return the training that was not killed, once for all."""
    if not _WHOLE:
        _WHOLE["trainer"] = trained(config, folder / "whole")
    return _WHOLE["trainer"]


def test_a_killed_training_goes_on(tmp_path):
    """SIGKILL, at whatever it was doing; then to the weights of one that was not killed."""
    described = {**TINY, "steps": 128 * 8}
    file, out = tmp_path / "tiny.json", tmp_path / "out"
    file.write_text(json.dumps(described))
    program = "from experiments.cli import main; main()"
    command = [sys.executable, "-c", program, "train", str(file), "--out", str(out)]
    running = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    deadline = time.monotonic() + 120
    while not (out / STATE).exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(signal.SIGKILL)
    running.wait()
    done = len(json.loads((out / STATE).read_text())["history"])
    assert 1 <= done < 8
    config = Training.parse(described)
    assert are_equal(weights(trained(config, out)), weights(trained(config, tmp_path / "whole")))


def test_two_trainings_do_not_share_a_folder(tmp_path):
    with Trainer(tiny(), tmp_path), pytest.raises(ConfigError, match="is in use by another training"):
        Trainer(tiny(), tmp_path)
    Trainer(tiny(), tmp_path).close()


def test_it_says_that_the_project_has_changed(tmp_path, monkeypatch):
    trained(tiny(steps=128), tmp_path)
    with Trainer(tiny(steps=128), tmp_path) as again:
        assert again.notes == []
    monkeypatch.setattr(training, "source_digest", lambda: "another")
    with Trainer(tiny(steps=128), tmp_path) as again:
        assert "has changed since" in again.notes[0]


def test_a_data_file_that_has_changed_is_noticed(tmp_path):
    board = tmp_path / "board.txt"
    text = (Path(kgb_env.__file__).parent / "camp/maps/mini.txt").read_text()
    board.write_text(text)
    config = tiny(game="double_agent", options={"players": 3, "board": str(board)}, steps=128)
    trained(config, tmp_path / "out")
    board.write_text(text + "\n")
    with pytest.raises(ConfigError, match="a data file of the game has changed"):
        Trainer(config, tmp_path / "out")


def test_its_files_are_agents_and_pictures(finished):
    trainer, folder = finished
    assert trainer.draw().read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert (folder / CURVES).stat().st_size > 5000
    game = trainer.game
    views = game.view(game.start(np.arange(5, dtype=np.uint64)), 0)
    for name in (BEST, LAST, "past/00001.zip"):
        actions, _ = make_agent(game, f"sb3:{folder / name}").act(views, np.arange(5, dtype=np.uint64))
        assert game.encode(views).action_mask[np.arange(5), actions].all()
    again = trainer._algorithm.load(folder / LAST)
    assert are_equal(again.policy.state_dict(), weights(trainer))
    assert list((folder / "tensorboard").glob("events*"))


def test_the_history_says_what_was_measured(finished):
    trainer, _ = finished
    assert [row["generation"] for row in trainer.history] == [1, 2, 3]
    assert [row["steps"] for row in trainer.history] == [128, 256, 384]
    for row in trainer.history:
        (result,) = row["evaluation"]
        assert result["opponent"] == "random"
        assert result["wins_low"] <= result["wins"] <= result["wins_high"]
        assert set(row["opponents"]) >= {"current", "random"}
        assert sum(met for met, _ in row["opponents"].values()) > 0
    assert "00001.zip" in trainer.history[1]["opponents"]
    scores = [row["evaluation"][0]["wins"] for row in trainer.history]
    assert trainer.best["score"] == max(scores)
    assert trainer.best["generation"] == 1 + int(np.argmax(scores))


def test_evaluations_can_be_rare_and_the_last_one_is_made(tmp_path):
    trainer = trained(tiny(**{"evaluation.every": 2}), tmp_path)
    assert [len(row["evaluation"]) for row in trainer.history] == [0, 1, 1]


def test_another_training_is_not_written_over(finished):
    _, folder = finished
    before = (folder / STATE).read_bytes()
    with pytest.raises(ConfigError, match="holds another training"):
        Trainer(tiny(seed=5), folder)
    assert (folder / STATE).read_bytes() == before


GAMES = {
    "confusion-mini": {},
    "double_agent-mini": {},
    "secret_formula-mini": {},
    "suspicious-mini": {"director": "neutral"},
    "suspicious": {"rounds": 2},
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("algorithm", ["MaskablePPO", "PPO"])
def test_every_game_is_learned_with_masks_and_without(game, algorithm, tmp_path):
    """Also with a critic that sees what is hidden."""
    settings = {"game": game, "options": GAMES[game], "steps": 128, "ppo.algorithm": algorithm}
    trainer = trained(tiny(**settings, **{"network.asymmetric": algorithm == "MaskablePPO"}), tmp_path)
    assert all(torch.isfinite(part).all() for part in weights(trainer).values())
    make_agent(trainer.game, f"sb3:{tmp_path / BEST}")


def test_plain_ppo_learns_from_a_penalty(tmp_path):
    """An untrained policy chooses what is illegal, loses the penalty, and the game is over."""
    trainer = trained(tiny(**{"steps": 128, "ppo.algorithm": "PPO", "ppo.penalty": 3.0}), tmp_path)
    assert trainer.history[0]["mean_return"] < -2


def test_evaluation_uses_none_of_what_was_learned_from(finished):
    """The deals are others than those of the rows that were learned from, and the same every time."""
    trainer, _ = finished
    assert trainer._evaluate()["evaluation"] == trainer.history[-1]["evaluation"]
    judged = derive_seed(1, 0, training.EVALUATE) >> 1
    deals = {derive_seed(judged, deal, 0) for deal in range(4)}
    played = {
        derive_seed(derive_seed(1, g, training.PLAY) % 2**32, row, k)
        for g in range(3)
        for row in range(8)
        for k in range(50)
    }
    assert not deals & played


@pytest.mark.parametrize("name", configuration_names("train"))
def test_what_we_ship_can_be_trained(name, tmp_path):
    tiny = ["steps=32", "generation=32", "environment.num_envs=4", "ppo.n_steps=8", "ppo.batch_size=16"]
    config = training_of(name, [*tiny, "evaluation.games=1", "ppo.n_epochs=1", "imitation.n_epochs=1"])
    trainer = train(config, tmp_path)
    assert trainer.best
    assert (tmp_path / CURVES).exists()


def test_of_every_game_we_ship_a_training():
    assert {Training.parse(read_configuration("train", name)).game for name in configuration_names("train")} >= {
        "confusion",
        "double_agent",
        "secret_formula",
        "suspicious",
    }


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["ppo.n_step=256"], r"there is no 'ppo.n_step', did you mean 'n_steps'\?"),
        (["pol.current=1"], r"there is no 'pol', did you mean 'pool'\?"),
        (["steps=0"], "steps=0: Input should be greater than or equal to 1"),
        (["ppo.gamma=2"], "ppo.gamma=2: Input should be less than or equal to 1"),
        (["ppo.algorithm=DQN"], "'MaskablePPO' or 'PPO'"),
        (["pool.current=0", "pool.past=0", "pool.scripted={}"], "nobody plays the other seats"),
        (["pool.scripted.random=-1"], "pool.scripted.random=-1: Input should be greater than or equal to 0"),
        (["pool.current=NaN"], "finite number"),
        (["ppo.learning_rate=Infinity"], "finite number"),
        (["network.hidden=[0]"], "greater than or equal to 1"),
        (["ppo.batch_size=127"], "leaves one for the last gradient step"),
        (["game"], "write PART.NAME=VALUE"),
        (["=3"], "write PART.NAME=VALUE"),
        (["steps.more=3"], "steps is 384 and has no parts"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ConfigError, match=message):
        Training.parse(with_settings(TINY, settings))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"game": "chess"}, "chess"),
        ({"options": {"max_turn": 5}}, "max_turn"),
        ({"environment.seat": "spy"}, "a seat from 0 to 1"),
        ({"pool.scripted": {"gready": 1.0}}, "no agent 'gready'.*did you mean 'greedy'"),
        ({"evaluation.opponents": ["nobody"]}, "no agent 'nobody'"),
        ({"imitation.agent": "nobody"}, "no agent 'nobody'"),
    ],
)
def test_what_does_not_fit_the_game_is_named_before_anything_is_written(changed, message, tmp_path):
    from kgb_env import KGBError

    with pytest.raises(KGBError, match=message):
        Trainer(tiny(**changed), tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["my_mod:Agent", "sb3:old.v2/best.zip", "inference(worlds=3)", "random"])
def test_agents_are_named_freely(name):
    assert with_settings(TINY, [f"pool.scripted.{name}=0.5"])["pool"]["scripted"][name] == 0.5


def test_weights_that_are_no_numbers_are_not_kept(tmp_path, monkeypatch):
    config = tiny()
    trained(tiny(steps=128), tmp_path / "one")
    with Trainer(config, tmp_path / "out") as trainer:
        learn = MaskablePPO.learn

        def spoil(self, *args, **kwargs):
            learn(self, *args, **kwargs)
            with torch.no_grad():
                next(self.policy.parameters()).fill_(float("nan"))

        monkeypatch.setattr(MaskablePPO, "learn", spoil)
        with pytest.raises(ConfigError, match="weights that are no numbers"):
            trainer.run(progress())
    assert not (tmp_path / "out" / STATE).exists()


def test_a_learner_is_evaluated_where_it_sits(tmp_path):
    """A checkpoint is chosen by the seat or role that is learned, and no other."""
    settings = {"game": "double_agent-mini", "steps": 128, "evaluation.games": 6}
    roles = trained(tiny(**settings), tmp_path / "all").history[0]["evaluation"]
    assert [row["role"] for row in roles] == ["security_agent", "double_agent"]
    alone = trained(tiny(**settings, **{"evaluation.alone": True}), tmp_path / "alone").history[0]["evaluation"]
    assert [(row["role"], row["deals"]) for row in alone] == [("security_agent", 2), ("double_agent", 2)]
    role = trained(tiny(**settings, **{"environment.seat": "double_agent"}), tmp_path / "role").history[0]["evaluation"]
    assert [(row["role"], row["deals"]) for row in role] == [("double_agent", 6)]
    seat = trained(tiny(**settings, **{"environment.seat": 1}), tmp_path / "seat").history[0]["evaluation"]
    assert [(row["role"], row["deals"]) for row in seat] == [("", 6)]


def test_with_settings_leaves_the_description_alone():
    assert with_settings(TINY, ["ppo.n_steps=32", "game=kuhn"])["ppo"]["n_steps"] == 32
    assert TINY["ppo"]["n_steps"] == 16


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / STATE).write_text("{"), "is damaged"),
        (lambda folder: (folder / STATE).write_text("[]"), "is damaged"),
        (lambda folder: next(folder.glob("checkpoint-*")).unlink(), "from which the training would go on"),
        (lambda folder: next(folder.glob("checkpoint-*")).write_text("no zip"), "from which the training would go on"),
    ],
)
def test_a_damaged_folder_is_refused_and_left_alone(damage, message, tmp_path):
    config = tiny(steps=128)
    trained(config, tmp_path)
    damage(tmp_path)
    before = (tmp_path / STATE).read_bytes()
    with pytest.raises(ConfigError, match=message):
        Trainer(config, tmp_path)
    assert (tmp_path / STATE).read_bytes() == before


def test_an_agent_from_a_file_that_has_changed_is_noticed(finished, tmp_path):
    _, folder = finished
    model = tmp_path / "model.zip"
    model.write_bytes((folder / LAST).read_bytes())
    config = tiny(**{"steps": 128, "pool.scripted": {f"sb3:{model}": 1.0}})
    trained(config, tmp_path / "out")
    with Trainer(config, tmp_path / "out") as again:
        assert again.generation == 1
    model.write_bytes((folder / "past/00001.zip").read_bytes())
    with pytest.raises(ConfigError, match="an agent's file has changed"):
        Trainer(config, tmp_path / "out")

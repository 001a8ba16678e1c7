"""`kgb train`, `kgb evaluate` and `kgb exploit` as a user types them; evaluations against known answers."""

import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import kgb_env
from agents import make_agent
from experiments.cli import app
from experiments.config import MatchConfig
from experiments.match import Table, play_match, set_up
from experiments.training.evaluate import difference_of
from experiments.training.evaluation import Places, play_against, roles_played, row_of
from experiments.training.exploit import DEFAULT_STEPS, exploitation_of, told_gain
from experiments.training.settings import BEST, STATE

TINY = """
game = "confusion-mini"
steps = 256
generation = 128
environment = { num_envs = 8 }
pool = { current = 1.0, scripted = { random = 1.0 } }
network = { channels = 2, features = 8, hidden = [8], critic = [8] }
ppo = { n_steps = 16, batch_size = 64, n_epochs = 1 }
evaluation = { games = 4, choice = "best" }
"""


def kgb(*arguments, fails=False):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert (result.exit_code != 0) == fails, result.output
    return result


@pytest.fixture
def configuration(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return path


def test_train_evaluate_exploit(configuration, tmp_path):
    out = tmp_path / "out"
    text = kgb("train", configuration, "--out", out).output
    assert f"kgb evaluate {out}" in text.replace("\n", "")
    assert (out / BEST).exists()
    before = (out / STATE).read_bytes()
    kgb("train", configuration, "--out", out)  # finished: nothing is learned again
    assert (out / STATE).read_bytes() == before

    result = json.loads(kgb("evaluate", out, "--games", 20, "--json").stdout)
    (row,) = result["scores"]
    assert row["agent"] == f"sb3:{out}/best.zip"
    assert (row["opponent"], row["deals"], result["game"]) == ("random", 10, "confusion")
    assert row["wins_low"] <= row["wins"] <= row["wins_high"]

    found = tmp_path / "exploit"
    arguments = ["exploit", "confusion-mini", "random", "--config", configuration, "--steps", 256, "--games", 20]
    said = kgb(*arguments, "--out", found).output.replace("\n", " ")
    result = json.loads((found / "exploit.json").read_text())
    learner, own = result["scores"]
    assert (learner["agent"], own["agent"], result["steps"]) == ("the learner", "random", 256)
    (gain,) = result["gains"]
    assert ("can gain" in said) == (gain["returns_low"] > 0)
    assert ("has found nothing" in said) == (gain["returns_low"] <= 0)
    assert gain["returns"] == pytest.approx(learner["returns"] - own["returns"], abs=1e-6)
    state = json.loads((found / STATE).read_text())
    assert state["config"]["pool"] | {"scripted": {}} == state["config"]["pool"] | {"scripted": {}, "current": 0.0}
    assert set(state["history"][0]["opponents"]) == {"random"}
    assert state["config"]["evaluation"] | {"alone": True, "measure": "returns"} == state["config"]["evaluation"]


def test_changed_settings_count(configuration, tmp_path):
    kgb("train", configuration, "--set", "steps=128", "--set", "seed=9", "--out", tmp_path / "out")
    state = json.loads((tmp_path / "out" / STATE).read_text())
    assert (state["config"]["steps"], state["config"]["seed"], len(state["history"])) == (128, 9, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "nothing"], "no configuration 'nothing'; there are confusion"),
        (["train", "confusion", "--set", "ppo.n_stepz=3"], "did you mean 'n_steps'?"),
        (["evaluate", "confusion"], "name an agent"),
        (["evaluate", "confusion", "greedy"], "with --against who it plays"),
        (["evaluate", "confusion", "gready", "--against", "random"], "did you mean 'greedy'"),
        (["evaluate", "."], "holds no training"),
        (["evaluate", "confusion", "greedy", "--against", "random", "--seed", 2**63], "Invalid value for '--seed'"),
        (["exploit", "confusion", "nobody"], "no agent 'nobody'"),
        (["exploit", "confusion", "random", "--set", "environment.seat=5"], "a seat from 0 to 1"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = kgb(*arguments, fails=True)
    assert message in result.stderr.replace("\n", " ")
    assert "Traceback" not in result.output


def without_learning(*arguments):
    """Run a command where Stable-Baselines3 is not installed."""
    code = (
        "import sys; sys.modules['stable_baselines3'] = sys.modules['sb3_contrib'] = None\n"
        f"sys.argv = ['kgb', *{[str(argument) for argument in arguments]!r}]\n"
        "from experiments.cli import main; main()"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_without_the_extra_it_is_named(configuration, tmp_path):
    done = without_learning("train", configuration, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr.startswith("kgb: learning needs the extra `train`")
    assert len(done.stderr.splitlines()) == 1


def test_scripted_agents_are_evaluated_without_the_extra():
    done = without_learning("evaluate", "confusion-mini", "greedy", "--against", "random", "--games", 10, "--json")
    assert json.loads(done.stdout)["scores"][0]["agent"] == "greedy"


def test_an_evaluation_is_a_match():
    """In a game of two seats the score is that of `kgb match` with the same seed."""
    game = kgb_env.game("confusion-mini")
    (scores,) = play_against(game, make_agent(game, "greedy"), {"random": make_agent(game, "random")}, 100, 5)
    played = play_match(*set_up(MatchConfig(game="confusion-mini", agents=["greedy", "random"], games=100)), 100, 5)
    own = (played.returns[0::2, 0] + played.returns[1::2, 1]) / 2
    np.testing.assert_allclose(scores.returns, own)
    assert scores.wins.size == 50


def test_roles_are_evaluated_one_by_one():
    game = kgb_env.game("double_agent-mini")
    naive, random = make_agent(game, "naive"), make_agent(game, "random")
    scores = play_against(game, naive, {"random": random, "naive": naive}, 60, 3)
    assert [(one.role, one.opponent) for one in scores] == [
        ("security_agent", "random"),
        ("double_agent", "random"),
        ("security_agent", "naive"),
        ("double_agent", "naive"),
    ]
    # Against itself the roles' returns add up: two Security Agents, one Double Agent, zero sum.
    agents, double = scores[2].returns, scores[3].returns
    np.testing.assert_allclose(2 * agents + double, 0, atol=1e-6)
    assert roles_played(kgb_env.game("suspicious-mini", director="neutral")) == ["agent", "spy"]
    assert roles_played(kgb_env.game("confusion")) == [""]


def test_a_learner_alone_has_one_seat_of_a_role():
    """Its figures are those of the seat it has; the other Security Agent is the opponent's."""
    game = kgb_env.game("double_agent-mini")
    naive, random = make_agent(game, "naive"), make_agent(game, "random")
    agents, double = play_against(game, naive, {"random": random}, 90, 3, Places(alone=True))
    assert (agents.role, double.role, agents.wins.size, double.wins.size) == ("security_agent", "double_agent", 30, 30)
    table = Table(
        game, {"a": naive, "b": random}, 3, np.repeat(np.arange(30), 3), np.tile(1 - np.eye(3, dtype=int), (30, 1))
    )
    results = table.play()
    for scores, role in ((agents, 0), (double, 1)):
        own = (results.players == 0) & (results.roles == role)
        expected = [results.returns[3 * d : 3 * d + 3][own[3 * d : 3 * d + 3]].mean() for d in range(30)]
        np.testing.assert_allclose(scores.returns, expected, atol=1e-6)
    (seat,) = play_against(game, naive, {"random": random}, 30, 3, Places(1, alone=True))
    np.testing.assert_allclose(seat.returns, results.returns[1::3, 1], atol=1e-6)


def test_who_fails_forfeits_and_the_evaluation_goes_on():
    class Broken:
        def initial_carry(self, n):
            return None

        def act(self, views, seeds, carry=None):
            raise RuntimeError("no idea")

    game = kgb_env.game("confusion-mini")
    (scores,) = play_against(game, make_agent(game, "random"), {"broken": Broken()}, 10, 1)
    assert scores.forfeits == 10
    assert scores.wins.tolist() == [1.0] * 5


def test_a_gain_is_claimed_only_where_there_is_one():
    found = {"than": "naive", "role": "double_agent", "returns": 0.2, "returns_low": 0.1, "returns_high": 0.3}
    assert told_gain(found).endswith("whoever replaces one seat of it can gain 0.100 at least.")
    assert "does not show that there is nothing" in told_gain({**found, "returns_low": -0.1})


def test_a_difference_is_paired():
    """An agent that gets a tenth more in every deal is better for sure, however much deals differ."""
    game = kgb_env.game("confusion-mini")
    (scores,) = play_against(game, make_agent(game, "random"), {"random": make_agent(game, "random")}, 100, 5)
    better = scores._replace(wins=scores.wins + 0.1, returns=scores.returns + 0.2)
    found = difference_of(game, "a", "b", better, scores, 1)
    assert found["wins"] == pytest.approx(0.1)
    assert 0 < found["returns_low"] < 0.2
    same = difference_of(game, "a", "b", scores, scores, 1)
    assert same["wins_low"] <= 0 <= same["wins_high"]
    row = row_of(game, scores, 1)
    assert row["returns_low"] <= row["returns"] <= row["returns_high"]


def test_what_a_best_response_takes_from_a_configuration(configuration):
    """Its network and settings; its options too if it is of that game and none are given."""
    configuration.write_text("options = { max_turns = 7 }\n" + TINY)
    same = exploitation_of("confusion-mini", {}, "greedy", str(configuration), ["seed=4"])
    assert (same.options, same.steps, same.seed, same.network.features) == ({"max_turns": 7}, 256, 4, 8)
    assert (same.pool.current, same.pool.past, same.pool.scripted) == (0.0, 0.0, {"greedy": 1.0})
    given = exploitation_of("confusion-mini", {"max_turns": 9}, "greedy", str(configuration), [])
    assert given.options == {"max_turns": 9}
    other = exploitation_of("double_agent-mini", {}, "naive", str(configuration), [])
    assert (other.game, other.options, other.network.features) == ("double_agent-mini", {}, 8)
    assert exploitation_of("confusion-mini", {}, "greedy", None, []).steps == DEFAULT_STEPS


def test_an_evaluation_is_written_where_one_asks(tmp_path):
    arguments = [
        "evaluate",
        "confusion-mini",
        "greedy",
        "random",
        "--against",
        "random",
        "--games",
        10,
        "--deadline",
        5,
    ]
    text = kgb(*arguments, "--out", tmp_path / "new").output
    result = json.loads((tmp_path / "new" / "evaluation.json").read_text())
    assert [row["agent"] for row in result["scores"]] == ["greedy", "random"]
    assert result["differences"][0]["than"] == "random"
    assert "compared with random on the same deals" in text.replace("\n", " ")

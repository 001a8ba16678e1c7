"""Named tasks: what they measure, the table of results, the committed reference."""

import csv

import pytest

import kgb_env
from experiments import benchmark
from experiments.benchmark import COLUMNS, FOLDER, REFERENCE, baselines, measure, read_table, read_task, run, task_names
from experiments.config import ConfigError, config_folder
from experiments.match import Table
from experiments.progress import MatchProgress

TASK = 'title = "x"\ngame = "confusion-mini"\nopponents = ["random", "greedy"]\ngames = 40\nseed = 5\n'


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "tiny-v0.toml"
    path.write_text(TASK)
    return str(path)


def test_a_score_is_the_mean_over_opponents(task):
    row = measure(task, "greedy")
    assert row["games"] == 80
    assert 0.5 < row["low"] <= row["score"] <= row["high"] <= 1
    assert measure(task, "random")["score"] < 0.5
    assert measure(task, "greedy", workers=2) == row


def test_an_agent_against_itself_scores_a_half(tmp_path):
    path = tmp_path / "even-v0.toml"
    path.write_text(TASK.replace('["random", "greedy"]', '["greedy"]'))
    assert measure(str(path), "greedy")["score"] == 0.5


def test_roles(tmp_path):
    path = tmp_path / "role-v0.toml"
    path.write_text(
        'title = "x"\ngame = "double_agent-mini"\nrole = "double_agent"\n'
        'opponents = ["random"]\ngames = 200\nseed = 1\n'
    )
    assert measure(str(path), "naive")["score"] > 0.5
    path.write_text(path.read_text().replace('role = "double_agent"', 'role = "spy"'))
    with pytest.raises(ConfigError, match="the roles of double_agent are security_agent, double_agent"):
        measure(str(path), "naive")


def test_scores_may_be_returns(tmp_path):
    path = tmp_path / "points-v0.toml"
    path.write_text(
        'title = "x"\ngame = "suspicious-mini"\noptions = { director = "neutral" }\nrole = "spy"\n'
        'opponents = ["random"]\nscore = "returns"\ngames = 300\nseed = 1\n'
    )
    row = measure(str(path), "random")
    assert 0 <= row["low"] < row["score"] < row["high"] <= 2
    assert row["score"] > 1  # among agents who vote at random a spy is seldom caught


def test_broken_off_and_gone_on(task, tmp_path, monkeypatch):
    """What was played before Ctrl-C is not played again, and the score is the same."""
    whole, table = measure(task, "greedy"), tmp_path / "results.csv"
    played = []
    monkeypatch.setattr(benchmark, "Table", lambda *args, **kwargs: played.append(1) or Table(*args, **kwargs))

    def stop(self, finished, total):
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(MatchProgress, "update", stop)
        with pytest.raises(KeyboardInterrupt, match="the same command goes on"):
            run(task, ["greedy"], None, table, 1)
    assert not table.exists()
    assert 0 < len(played) <= 2
    run(task, ["greedy"], None, table, 1)
    assert len(played) == 2  # one chunk against each opponent, none of them twice
    (row,) = read_table(table)
    assert float(row["score"]) == whole["score"]
    assert not any(path.name.startswith(".") for path in tmp_path.iterdir())  # nothing is left over


def test_the_table_grows_and_a_foreign_one_is_refused(task, tmp_path, capsys):
    table = tmp_path / "deep" / "results.csv"
    run(task, ["random"], None, table, 1)
    run(task, ["greedy", "tests.tournament.own:First"], 10, table, 1)
    rows = read_table(table)
    assert [row["agent"] for row in rows] == ["random", "greedy", "tests.tournament.own:First"]
    assert [row["games"] for row in rows] == ["80", "20", "20"]
    assert "not its scores" in capsys.readouterr().out
    foreign = tmp_path / "foreign.csv"
    foreign.write_text("name,age\nme,7\n")
    with pytest.raises(ConfigError, match="other columns"):
        run(task, ["random"], None, foreign, 1)
    assert foreign.read_text() == "name,age\nme,7\n"


def test_forfeits_are_told(task, tmp_path, capsys):
    """Giving up never pays, and shows."""
    table = tmp_path / "results.csv"
    run(task, ["tests.tournament.own:Raising"], 20, table, 1)
    (row,) = read_table(table)
    assert int(row["forfeits"]) > 0
    assert "games were forfeited, the first reason: agent: ValueError: cannot go on" in capsys.readouterr().err


def test_a_table_without_a_last_newline_is_not_spoilt(task, tmp_path):
    table = tmp_path / "results.csv"
    run(task, ["random"], 4, table, 1)
    table.write_text(table.read_text().rstrip("\n"))
    run(task, ["random"], 4, table, 1)
    assert len(read_table(table)) == 2


@pytest.mark.parametrize(
    ("name", "agents", "fault"),
    [
        ("no-task-v0", ["random"], "no configuration 'no-task-v0'; there are confusion-duel-v0"),
        ("confusion-duel-v0", [], "who is"),
    ],
)
def test_bad_calls(name, agents, fault, tmp_path):
    with pytest.raises(ConfigError, match=fault):
        run(name, agents, None, tmp_path / "t.csv", 1)


def test_nothing_unfinished_is_shipped():
    files = {path.name for path in (config_folder() / FOLDER).rglob("*")}
    assert files == {REFERENCE, *(f"{name}.toml" for name in task_names())}


def test_a_deadline_that_is_none_is_refused(task, tmp_path):
    for deadline in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ConfigError, match="it must be a number of seconds above 0"):
            run(task, ["random"], None, tmp_path / "t.csv", 1, deadline)
    assert not (tmp_path / "t.csv").exists()


def test_every_game_has_a_task_and_every_task_a_reference():
    assert {read_task(name).game for name in task_names()} == {info.id for info in kgb_env.games()}
    assert all(name[-3:-1] == "-v" for name in task_names())
    with (config_folder() / FOLDER / REFERENCE).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    wanted = [(name, agent) for name in task_names() for agent in baselines(read_task(name))]
    assert sorted((row["task"], row["agent"]) for row in rows) == sorted(wanted)
    for row in rows:
        assert float(row["low"]) <= float(row["score"]) <= float(row["high"])
    for name in task_names():  # a task is none in which who thinks is not the best
        best = max((row for row in rows if row["task"] == name), key=lambda row: float(row["score"]))
        assert best["agent"] in ("inference", "expert", "bluffing", "deduction")


@pytest.mark.parametrize("name", task_names())
def test_a_sample_of_the_reference_is_found_again(name):
    """A tenth of the games of `random`: its interval and the one of the table meet."""
    row = measure(name, "random", games=100)
    (there,) = [
        row
        for row in read_table(config_folder() / FOLDER / REFERENCE)
        if (row["task"], row["agent"]) == (name, "random")
    ]
    assert row["low"] <= float(there["high"]) + 0.02
    assert row["high"] >= float(there["low"]) - 0.02


def test_the_list(capsys):
    benchmark.list_tasks()
    out = capsys.readouterr().out
    assert all(name in out for name in task_names())
    assert "random" in out

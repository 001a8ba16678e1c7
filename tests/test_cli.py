"""The command ``kgb``: what it prints, what it refuses, and how it stops."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import experiments.config
import kgb_env
from experiments.cli import app
from experiments.config import ConfigError, parse_options, read_configuration
from experiments.report import write_files
from experiments.tournament.plan import Plan
from kgb_env.registry import games

QUICK = ["match", "confusion", "random", "random", "--games", "20", "--option", "max_turns=8"]
KGB = [sys.executable, "-c", "from experiments.cli import main; main()"]


@pytest.fixture
def kgb():
    runner = CliRunner()

    def run(*arguments):
        result = runner.invoke(app, [str(argument) for argument in arguments])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def in_a_process(*arguments, **environment):
    return subprocess.run(
        [*KGB, *arguments], capture_output=True, text=True, timeout=120, env={**os.environ, **environment}
    )


# Looking


def test_version(kgb):
    assert kgb("--version").stdout == f"kgb {kgb_env.__version__}\n"


@pytest.mark.parametrize("command", ["list", "show", "match", "tournament", "speed"])
def test_help_says_what_a_command_is_for(kgb, command):
    assert command in kgb("--help").stdout
    text = kgb(command, "--help").stdout
    assert "kgb " in text.split("Options")[-1], "an example at the end"


@pytest.mark.parametrize("command", ["list", "run"])
def test_help_of_the_tasks(kgb, command):
    assert command in kgb("benchmark", "--help").stdout
    assert "kgb benchmark run" in kgb("benchmark", command, "--help").stdout


def test_help_imports_nothing_heavy():
    code = "import sys, experiments.cli; print([m for m in ('numba', 'scipy', 'pettingzoo') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_list_names_games_options_and_agents(kgb):
    text = kgb("list").stdout
    for info in games():
        assert info.id in text
        assert info.title in text
        assert all(name in text for name in info.options)
    assert re.search(r"agents: .*random", text)


def test_show_draws_what_a_seat_sees(kgb):
    shown = {seat: kgb("show", "confusion", "--seed", 7, *flag).stdout for seat, flag in seats().items()}
    game = kgb_env.game("confusion")
    states = game.start(kgb_env.derive_seed(7, 0, 0))
    for seat, text in shown.items():
        assert text.startswith(game.notation.draw(game, game.view(states, seat)))
    assert len(set(shown.values())) == 3


def seats():
    return {0: ("--seat", 0), 1: ("--seat", 1), kgb_env.PUBLIC: ()}


def test_show_plays_random_plies_and_prints_the_log(kgb):
    early, later = (kgb("show", "confusion", "--seed", 7, "--plies", plies).stdout for plies in (4, 8))
    assert early == kgb("show", "confusion", "--seed", 7, "--plies", 4).stdout
    assert later.count(": yes") + later.count(": no") > early.count(": yes") + early.count(": no") > 0


def test_show_draws_a_picture_into_a_file(kgb, tmp_path):
    path = tmp_path / "new" / "table.svg"
    assert kgb("show", "confusion-mini", "--seat", "1", "--picture", str(path)).exit_code == 0
    view = kgb_env.game("confusion-mini").view(kgb_env.game("confusion-mini").start(kgb_env.derive_seed(0, 0, 0)), 1)
    assert path.read_text(encoding="utf-8") == kgb_env.game("confusion-mini").picture(view).svg
    for name, says in (("table.gif", "must end in .svg or .png"), ("", "must end in .svg or .png")):
        result = kgb("show", "confusion-mini", "--picture", str(tmp_path / name))
        assert result.exit_code == 2
        assert says in result.stderr


def test_show_says_that_the_game_was_over(kgb):
    text = kgb("show", "confusion", "--plies", 1000, "--option", "max_turns=2").stdout
    assert re.match(r"The game was over after \d+ plies\.", text)
    assert "turn limit" in text


# Matches


def test_json_is_all_that_stdout_has(kgb):
    result = kgb(*QUICK, "--json")
    found = json.loads(result.stdout)
    assert list(found) == [
        "version",
        "game",
        "options",
        "data",
        "games",
        "seed",
        "agents",
        "by_seat",
        "endings",
        "length",
    ]
    assert found["game"] == "confusion"
    assert found["options"]["max_turns"] == 8
    assert (found["games"], found["seed"]) == (20, 1)
    assert [row["name"] for row in found["agents"]] == ["random", "random#2"]
    assert sum(found["endings"].values()) == 20
    for row in found["agents"]:
        assert row["score"] == (row["wins"] + row["draws"] / 2) / row["games"]
        assert row["score_low"] <= row["score"] <= row["score_high"]
    assert "preparing" in result.stderr


def test_table_and_files(kgb, tmp_path):
    out = tmp_path / "new" / "report"
    result = kgb(*QUICK, "--out", out)
    assert "random#2" in result.stdout
    assert str(out / "result.json") in result.stdout.replace("\n", "")
    assert sorted(path.name for path in out.iterdir()) == ["report.md", "result.json"]
    assert json.loads((out / "result.json").read_text()) == json.loads(kgb(*QUICK, "--json").stdout)
    report = (out / "report.md").read_text()
    assert "No significant difference between random and random#2" in report
    command = re.search(r"^kgb (.*)$", report, re.MULTILINE)[1].split()
    again = tmp_path / "again"
    kgb(*command, "--out", again)
    assert (again / "report.md").read_text() == report
    assert (again / "result.json").read_bytes() == (out / "result.json").read_bytes()


def test_a_rounded_number_of_games_is_said(kgb):
    result = kgb("match", "confusion", "random", "random", "random", "--games", 7, "--option", "max_turns=2")
    assert "7 games were asked for; 12 make whole sets" in result.stderr
    assert "12 games" in result.stdout


def test_the_same_figures_in_other_processes(kgb):
    expected = kgb(*QUICK, "--json").stdout
    for hash_seed in ("0", "123"):
        assert in_a_process(*QUICK, "--json", "--batch", "7", PYTHONHASHSEED=hash_seed).stdout == expected


def test_a_configuration_and_flags_that_override_it(kgb, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'game = "confusion"\nagents = ["random", "random"]\ngames = 6\nseed = 3\n[options]\nmax_turns = 4\n'
    )
    found = json.loads(kgb("match", path, "--json").stdout)
    assert (found["games"], found["seed"], found["options"]["max_turns"]) == (6, 3, 4)
    found = json.loads(kgb("match", path, "--json", "--games", 2, "--seed", 9, "--option", "max_turns=5").stdout)
    assert (found["games"], found["seed"], found["options"]["max_turns"]) == (2, 9, 5)


def test_the_demo_plays_every_game():
    makefile = Path(__file__).resolve().parents[1].joinpath("Makefile").read_text()
    (name,) = re.findall(r"kgb tournament (\S+) --out", makefile)
    demo = Plan.parse(read_configuration("tournament", name))
    assert {event.game for event in demo.events} == {info.id for info in games()}
    assert all(event.games >= 1000 for event in demo.events)


def test_configurations_lie_inside_an_installed_package(monkeypatch, tmp_path):
    inside = tmp_path / "experiments" / "configs" / "match"
    inside.mkdir(parents=True)
    (inside / "tiny.toml").write_text("games = 3")
    monkeypatch.setattr(experiments.config, "PACKAGE", tmp_path / "experiments")
    assert read_configuration("match", "tiny") == {"games": 3}


# Refusals


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("match confusion", "who is to play confusion\\? Name some of its agents: .*random"),
        ("match confusoin random random", "no game 'confusoin'; there are confusion"),
        ("match dmo", "no configuration 'dmo'; there are demo"),
        ("match .", r"no configuration '\.'"),
        ("match confusion random nobody", "no agent 'nobody' plays confusion; there are .*random"),
        ("match confusion random --option max_turn=3", "there is no 'max_turn', did you mean 'max_turns'"),
        ("match confusion random --option max_turns=0", "max_turns=0: .*greater"),
        ("match confusion random --option max_turns=many", "max_turns='many'"),
        ("match confusion random --option id=3", "there is no 'id'"),
        ("match confusion random --option max_turns", "--option 'max_turns': write NAME=VALUE"),
        ("match confusion random --option =3", "--option '=3': write NAME=VALUE"),
        ("match confusion random --option pieces=nowhere", "pieces='nowhere'"),
        ("match confusion --role spy=random", "confusion has no roles; name agents for its seats instead"),
        ("match confusion random --role spy=random", "agents and roles are both given"),
        ("match demo --role spy=random", "agents and roles are both given"),
        ("match confusion --role spy", "--role 'spy': write ROLE=AGENT"),
        ("match confusion random --seed -1", "seed=-1: .*greater"),
        (f"match confusion random --seed {2**63}", f"seed={2**63}: .*less"),
        ("match confusion random --games 0", "games=0: .*greater"),
        ("match confusion random --batch 0", "batch=0: .*greater"),
        ("show confusion --seed -3", "seed=-3"),
        ("show confusion --seat 2", "seat=2: the seats of confusion are 0 to 1"),
        ("show chess", "no game 'chess'"),
    ],
)
def test_errors_are_one_clear_line(kgb, arguments, says):
    result = kgb(*arguments.split())
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert re.match(rf"kgb: .*{says}", line), line


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('game = "confusion"\nagents = ["random"]\ngmes = 3', "there is no 'gmes', did you mean 'games'"),
        ('agents = ["random"]', "'game' is missing"),
        ('game = "confusion"', "nobody plays; name agents"),
        ('game = "confusion"\nagents = []', "agents="),
        ('game = "confusion"\nagents = ["random"]\ngames = "3"', "games='3'"),
        ('game = "confusion"\nagents = ["random"]\noptions = 3', "options=3"),
        ("game = ", r"Invalid value \(at"),
    ],
)
def test_a_faulty_configuration_is_named(kgb, tmp_path, text, says):
    path = tmp_path / "faulty.toml"
    path.write_text(text)
    result = kgb("match", path)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert re.match(rf"kgb: .*faulty\.toml: .*{says}", line), line


def test_a_folder_that_cannot_be_made_is_said_before_the_match(kgb, tmp_path):
    (tmp_path / "file").write_text("")
    result = kgb(*QUICK, "--out", tmp_path / "file" / "report")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "--out" in line


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    (tmp_path / "result.json").write_text("old")
    write_files(tmp_path, {"result.json": "new"})
    assert (tmp_path / "result.json").read_text() == "new"

    def fill_the_disk(path, text, **_):
        path.touch()
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_text", fill_the_disk)
    with pytest.raises(ConfigError, match="no space left"):
        write_files(tmp_path, {"result.json": "newer"})
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]
    assert (tmp_path / "result.json").read_text() == "new"


def test_values_of_options_are_json_if_they_can_be():
    texts = ["a=true", "b=100", "c=standard", 'd="7"', "e=x=y", "f=", "a=false"]
    assert parse_options(texts) == {"a": False, "b": 100, "c": "standard", "d": "7", "e": "x=y", "f": ""}
    with pytest.raises(ConfigError, match="NAME=VALUE"):
        parse_options(["a"])


def test_errors_have_no_traceback_in_a_process():
    done = in_a_process("match", "confusion", "random", "nobody")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("kgb: no agent 'nobody'")
    assert done.stderr.count("\n") == 1


def test_interrupt_says_how_far_the_match_came(tmp_path):
    command = [*KGB, "match", "confusion", "random", "random", "--games", "100000", "--batch", "64"]
    with subprocess.Popen(
        [*command, "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that starts the suite in the background lets its children ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        seen = ""
        while not re.search(r"[1-9]\d* of 100,000 games", seen):
            seen += process.stderr.readline()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, "")
    assert re.fullmatch(
        r"kgb: interrupted: [\d,]+ of 100,000 games were finished, no result was written", stderr.splitlines()[-1]
    )
    assert "Traceback" not in stderr
    assert list(Path(tmp_path).iterdir()) == []


# Thoughts


def test_explain_prints_probabilities_and_choices(kgb):
    text = kgb("explain", "confusion", "--seed", "7", "--turn", "12", "--seat", "0").stdout
    assert "What White must believe about its spies" in text
    assert "What it considers" in text
    assert text.splitlines()[-1].startswith("It chooses: ")
    row = next(line for line in text.splitlines() if line.strip().startswith("X  "))
    assert "45" in row  # two pieces are left that could have answered so


def test_explain_refuses_what_is_not_there(kgb):
    for arguments, said in (
        (("confusion", "--seat", "2"), "seats of confusion are 0 to 1"),
        (("confusion", "--agent", "greedy"), "'greedy' does not say what it thinks"),
        (("confusion", "--turn", "400"), "the game is over"),
    ):
        result = kgb("explain", *arguments)
        assert result.exit_code == 2
        assert said in result.stderr


def test_calibrate_prints_tenths(kgb):
    result = kgb("calibrate", "confusion-mini", "--games", "3")
    assert "0.0 to 0.1" in result.stdout
    assert "mean deviation" in result.stdout
    assert kgb("calibrate", "confusion", "--agent", "random").exit_code == 2

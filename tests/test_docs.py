"""The documents are true: code in them runs, commands work, generated tables are up to date."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import kgb_env
from agents import make_agent
from experiments import pages
from experiments.cli import app
from experiments.match import play_match
from kgb_env.registry import BUILT_IN

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "agents/README.md",
    ROOT / "experiments/README.md",
    *(ROOT / "kgb_env/games" / id / "README.md" for id in BUILT_IN),
]


def blocks(path, language):
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(), re.DOTALL | re.MULTILINE)


CODE = [(path, code) for path in PAGES for code in blocks(path, "python")]
OWN = ROOT / "agents/README.md"


@pytest.mark.parametrize(("path", "code"), CODE, ids=range(len(CODE)))
def test_python_in_a_page_runs(path, code, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(path), "exec"), {})


def test_pages_have_code():
    assert len(CODE) >= 4


COMMANDS = [re.findall(r"^kgb .*", block, re.MULTILINE) for block in blocks(ROOT / "README.md", "sh")]
COMMANDS = [lines for lines in COMMANDS if lines]
UNENDING = ("serve", "speed")  # they go on for minutes, and have tests of their own


@pytest.mark.parametrize("lines", COMMANDS, ids=range(len(COMMANDS)))
def test_commands_of_the_readme_work(lines, tmp_path, monkeypatch):
    """One after the other: later ones read what earlier ones of the same block have written."""
    monkeypatch.chdir(tmp_path)
    for line in lines:
        arguments = shlex.split(line, comments=True)[1:]
        if arguments[0] in UNENDING:
            arguments.append("--help")
        result = CliRunner().invoke(app, arguments, input="quit\n")
        assert result.exit_code == 0, (line, result.output)


LITTLE = [
    "steps=64",
    "generation=32",
    "environment.num_envs=4",
    "ppo.n_steps=8",
    "ppo.batch_size=16",
    "evaluation.games=2",
]


def test_commands_of_the_page_on_experiments_work(tmp_path, monkeypatch):
    """One after the other: later ones use what earlier ones have trained, here a little."""
    monkeypatch.chdir(tmp_path)
    for line in re.findall(r"^kgb ([^#\n]*)", "\n".join(blocks(ROOT / "experiments/README.md", "sh")), re.MULTILINE):
        arguments = shlex.split(re.sub(r"--(games|steps) \d+", "", line))
        if arguments[0] in ("train", "exploit"):
            arguments += [word for setting in LITTLE for word in ("--set", setting)]
        if arguments[0] != "train":
            arguments += ["--games", "4"]
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, (line, result.output)
    assert Path("report/exploit/confusion-greedy/exploit.json").exists()


@pytest.mark.parametrize("line", re.findall(r"^kgb .*", "\n".join(blocks(OWN, "sh")), re.MULTILINE))
def test_agents_of_ones_own_play(line, tmp_path, monkeypatch):
    """The page's agents, saved as it says, in its commands, with fewer games."""
    (tmp_path / "my_agents.py").write_text("\n\n".join(blocks(OWN, "python")))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    arguments = shlex.split(re.sub(r"--games \d+", "", line))[1:]
    result = CliRunner().invoke(app, [*arguments, "--games", "12"])
    assert result.exit_code == 0, result.output


def test_there_are_commands_in_the_readme():
    expected = {"list", "show", "match", "explain", "calibrate", "check", "tournament", "benchmark", "speed", "board"}
    assert {line.split()[1] for lines in COMMANDS for line in lines} == expected | {"play", "serve", "replay"}


def test_generated_tables_are_up_to_date():
    assert pages.main(["--check"]) == 0


def test_a_stale_table_is_noticed(tmp_path, monkeypatch, capsys):
    page = tmp_path / "games" / "confusion" / "README.md"
    page.parent.mkdir(parents=True)
    page.write_text("# x\n<!-- table: endings -->\nold\n<!-- end -->\n")
    monkeypatch.setattr(pages, "GAMES", tmp_path / "games")
    monkeypatch.setattr(pages, "BUILT_IN", ("confusion",))
    monkeypatch.setattr(pages, "SCENES", {"confusion": pages.SCENES["confusion"][:1]})
    assert pages.main(["--check"]) == 1
    told = capsys.readouterr().out
    assert "out of date" in told
    assert "confusion/pictures/propose.svg" in told
    assert pages.main([]) == 0
    assert "turn limit" in page.read_text()
    assert pages.main(["--check"]) == 0


def test_every_game_has_a_page_and_stands_in_the_readme():
    readme = (ROOT / "README.md").read_text()
    for info in kgb_env.games():
        assert f"(kgb_env/games/{info.id}/README.md)" in readme


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.parent.name)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target


def test_every_option_of_every_game_is_on_its_page():
    for info in kgb_env.games():
        page = (ROOT / "kgb_env/games" / info.id / "README.md").read_text()
        assert all(f"`{name}`" in page for name in info.options)


def test_the_endings_on_the_page_are_what_the_command_finds():
    """One row of the table is played again; the others take longer."""
    played = play_match(
        kgb_env.game("confusion-mini"), {"random": make_agent("confusion-mini", "random")}, games=1000, seed=1
    )
    names = ("extraction", "elimination", "turn limit")
    counts = [(played.reasons == number).sum() for number in range(1, len(names) + 1)]
    page = (ROOT / "kgb_env/games/confusion/README.md").read_text()
    assert f"| `confusion-mini` | {' | '.join(map(str, counts))} |" in page

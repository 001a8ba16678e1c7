"""The command ``kgb board``."""

import pytest
from typer.testing import CliRunner

from experiments.cli import app
from kgb_env.camp.board import MAPS, shipped_board
from tests.camp.maps import SMALL, changed


def kgb(*arguments):
    result = CliRunner().invoke(app, ["board", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.mark.parametrize("name", ["double_agent", "secret_formula", "mini"])
def test_a_board_is_printed(name):
    board, result = shipped_board(name), kgb(name)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == board.title
    assert [line for line in lines if any(line[4:] == row for row in board.rows)]
    for text in (*board.rows, *(s.name for s in board.sectors), *(f"Gate {g.name}: " for g in board.gates)):
        assert text in result.stdout
    assert f"The guard's route: {board.sectors[board.route[0]].code} > " in result.stdout
    assert f"cells {len(board.cells)}, " in result.stdout
    assert "bytes" in lines[-1]
    assert " ms" in lines[-1]


@pytest.mark.parametrize("names", [("double_agent", "secret_formula"), ("secret_formula", "double_agent")])
def test_the_deluxe_board_is_printed(names):
    *lines, _ = kgb(names[0], "--deluxe").stdout.splitlines()
    assert lines == kgb(*names).stdout.splitlines()[:-1], "but for the time"
    assert lines[-1].startswith("Counts: cells 635, sectors 18, gates 6, hiding places 35; ")
    assert all(len(line) <= 80 for line in lines[:-2])


def test_a_board_of_ones_own(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(SMALL)
    assert "A test" in kgb(path).stdout
    path.write_text(changed("title    A test", "title    [bold]A test[/]"))
    assert "[bold]A test[/]" in kgb(path).stdout, "a title is text"


def test_check_names_every_fault(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(changed("#A.*+12#", "#A..+1?#").replace("gates    north", "gates    NORTH"))
    result = kgb("check", path)
    assert result.exit_code == 2
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"{path}, line 5, column 10: 'NORTH' is no name for a gate")
    assert any(line.startswith(f"{path}, line 13, column 2: Hall has no guard post") for line in lines)
    assert any(line.startswith(f"{path}, line 13, column 7: '?' means nothing") for line in lines)
    assert lines[-1] == f"{path}: faults: {len(lines) - 1}"


def test_check_warns_of_what_is_unlike_the_published_boards(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(SMALL)
    result = kgb("check", path)
    assert result.exit_code == 0
    assert f"{path}: warning: K2: sectors: 2 instead of 9" in result.stdout
    assert result.stdout.splitlines()[-1].endswith("can be played on: cells 16, sectors 2, gates 1, hiding places 2.")
    result = kgb("check", path, "--published")
    assert result.exit_code == 2
    assert f"{path}: K2: sectors: 2 instead of 9" in result.stdout


@pytest.mark.parametrize("name", ["double_agent", "secret_formula"])
def test_our_boards_pass_the_check(name):
    assert kgb("check", name, "--published").exit_code == 0
    assert kgb("check", MAPS / f"{name}.txt", "--published").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nowhere"], "board='nowhere': neither a shipped file (double_agent, mini, secret_formula) nor a readable"),
        (["check", "nowhere"], "neither a shipped file"),
        (["check"], "name one board after check"),
        (["check", "mini", "double_agent"], "name one board after check"),
        (["check", "mini", "--deluxe"], "name one board after check"),
        (["mini", "--published"], "--published goes with a check"),
        (["mini", "--deluxe"], "--deluxe goes with one of double_agent, secret_formula"),
        (["mini", "double_agent", "secret_formula"], "at most two boards make a camp, not 3"),
        (["mini", "double_agent"], "fences must be on opposite sides"),
    ],
)
def test_a_wrong_call_is_refused_in_a_line(arguments, reason):
    result = kgb(*arguments)
    assert result.exit_code == 2
    assert reason in result.stderr
    assert len(result.stderr.splitlines()) == 1

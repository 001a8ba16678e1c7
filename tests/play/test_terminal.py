"""`kgb play`: whole games from piped lines, help, faults, and how it ends."""

import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import termios
import time

import pytest
from typer.testing import CliRunner

import kgb_env
from experiments.cli import app
from experiments.play.session import Session
from experiments.play.terminal import TerminalPlayer
from kgb_env import Replay, ReplayError, read_replays

KGB = [sys.executable, "-c", "from experiments.cli import main; main()"]
ASKED_HERE = [  # an agent from tests.play.own in this process, as those of the project are
    sys.executable,
    "-c",
    "from experiments import outside; from tests.play import own; import sys; "
    "outside.make_player = lambda game, name, deadline: getattr(own, agent)(game); "
    "agent = sys.argv.pop(1); from experiments.cli import main; main()",
]
QUICK = {
    "confusion-mini": ["--option", "max_turns=3"],
    "double_agent-mini": ["--option", "max_turns=2"],
    "secret_formula-mini": ["--option", "max_rounds=2"],
    "suspicious-mini": [],
}


@pytest.fixture
def play(tmp_path):
    def run(game, *arguments, lines=()):
        file = tmp_path / "games.jsonl"
        result = CliRunner().invoke(
            app, ["play", game, "--save", str(file), *arguments], input="".join(f"{line}\n" for line in lines)
        )
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        result.games = list(read_replays(file)) if file.exists() else []
        return result

    return run


@pytest.mark.parametrize("game", QUICK)
def test_a_whole_game_by_numbers(play, game):
    result = play(game, "--against", "random", "--seed", "3", *QUICK[game], lines=["?", "1"] * 200)
    assert result.exit_code == 0
    assert "The game is over (" in result.stdout
    assert "(you)" in result.stdout
    (replay,) = result.games
    assert replay.agents[0] == "person"
    assert set(replay.agents[1:]) == {"random"}
    assert replay.returns is not None
    assert list(replay.positions())


def test_the_same_seed_is_the_same_game(play):
    one = play(
        "double_agent-mini", "--against", "naive", "--seed", "9", "--option", "max_turns=2", lines=["?", "1"] * 50
    )
    two = play(
        "double_agent-mini", "--against", "naive", "--seed", "9", "--option", "max_turns=2", lines=["?", "1"] * 50
    )
    assert one.games[0].moves == two.games[1].moves
    assert "Seed 9." in one.stdout


def test_a_seed_is_made_and_told(play):
    told = [play("confusion-mini", "--against", "random").stdout.partition("Seed ")[2].split(".")[0] for _ in range(2)]
    assert told[0] != told[1]
    assert all(0 <= int(seed) < 2**63 for seed in told)


def test_what_is_wrong_is_explained_and_asked_again(play):
    lines = ["fly home", "out Z", "A a1-a9", "99", "log", "draw", "", "??", "quit"]
    result = play("confusion-mini", "--against", "random", "--seed", "3", lines=lines)
    assert result.exit_code == 0
    assert "is no action" in result.stdout
    assert "no move 99 in a list" in result.stdout
    assert result.stdout.count("your move") == len(lines)
    assert "You leave the game." in result.stdout


def test_beginnings_do(play):
    result = play("suspicious-mini", "--seat", "1", "--against", "random", "--seed", "3", lines=["na", "quit"])
    assert "may be 'name 2', 'name 3', 'name 0'" in result.stdout
    result = play("double_agent-mini", "--against", "naive", "--seed", "5", lines=["open W", "quit"])
    assert "seat 0: open WAT" in result.stdout


def test_near_misses_are_named(play):
    result = play("double_agent-mini", "--against", "naive", "--seed", "5", lines=["opn GAR", "quit"])
    assert "Did you mean 'open GAR'" in result.stdout


def test_the_end_of_the_input_saves(play):
    result = play("double_agent-mini", "--against", "naive", "--seed", "5", lines=["1"])
    assert result.exit_code == 0
    assert "You leave the game." in result.stdout
    assert result.games[0].returns is None
    assert str(result.games[0].game.id) in result.stdout or "is written in" in result.stdout


def test_many_words_are_counted_not_listed(play):
    result = play(
        "suspicious", "--against", "random", "--option", "rounds=1", "--seed", "3", lines=["?", "?", "1", "?"]
    )
    assert "moves, such as" in result.stdout
    assert len(result.stdout.splitlines()) < 200


def test_moves_are_found_by_what_they_hold(play):
    lines = ["?", "? PET", "?write  pe", "? zzz", "4", "? write", "? pet", "4"]
    arguments = ["--seat", "1", "--against", "random", "--option", "rounds=1", "--seed", "3"]
    result = play("suspicious", *arguments, lines=lines)
    _, everything, pet, beginning, nothing, first, write, again, second, *_ = result.stdout.split("(? for help): ")
    assert "? and some letters finds others" in everything
    assert "? and some letters (? write a) for the moves that hold them" in everything
    holding = ["carpet", "competition", "pet", "petal", "puppet", "trumpet"]
    found = [f"{n} write {word}" for n, word in enumerate(holding, 1)]
    assert " ".join(pet.split()) == " ".join([*found, "Seat 1, your move"])
    assert beginning.startswith("1 write peace ")
    assert "carpet" not in beginning
    assert "No move holds 'zzz'" in nothing
    assert "1 peak" in first, "numbers are those of the last list"
    assert "200 write " in write
    assert "201 write " not in write
    assert f"and {2245 - 1 - 4 - 200:,} more that hold 'write'" in write
    assert "4 write petal" in again
    assert "petal" in second


def test_only_what_the_seat_knows_is_shown(play):
    """The other's pieces are on the table of Confusion, one's own are not."""
    result = play("confusion-mini", "--against", "random", "--seed", "3", lines=["?", "draw", "quit"])
    game = kgb_env.game("confusion-mini")
    states = Session(game, [None, None], ["a", "b"], 3).recording.states
    assert game.notation.draw(game, game.view(states, 0)).strip() in result.stdout
    assert game.notation.draw(game, game.view(states, 1)).strip() not in result.stdout
    assert game.notation.draw(game, states).strip() not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["confusion", "--option", "auto_answer=true"], "auto_answer"),
        (["confusion-mini", "--seat", "2"], "seats of confusion are 0 to 1"),
        (["double_agent-mini", "--against", "naive", "--against", "naive", "--against", "naive"], "3 agents for 2"),
        (["confusion-mini", "--against", "nobody"], "no agent 'nobody'"),
        (["chess"], "no game 'chess'"),
    ],
)
def test_refusals(play, arguments, told):
    result = play(*arguments)
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())


def test_an_agent_that_fails_is_named_and_the_game_saved(play):
    result = play("double_agent-mini", "--against", "tests.play.own:Raises", "--seed", "5", lines=["1"] * 5)
    assert result.exit_code == 2
    assert "failed in seat" in result.stderr


def test_a_game_that_cannot_be_saved_is_on_the_screen_at_least(tmp_path, monkeypatch):
    def fail(session, path):
        raise ReplayError(f"{path}: a game cannot be written there")

    monkeypatch.setattr("experiments.play.terminal.save_game", fail)
    file = tmp_path / "games.jsonl"
    arguments = ["play", "double_agent-mini", "--against", "naive", "--seed", "5", "--save", str(file)]
    result = CliRunner().invoke(app, arguments, input="1\nquit\n")
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr
    assert Replay.from_json(result.stdout.splitlines()[-1]).agents == ("person", "naive", "naive")


def test_interrupting_while_asked_leaves_politely(capsys):
    game = kgb_env.game("confusion-mini")

    def interrupted(prompt):
        raise KeyboardInterrupt

    TerminalPlayer(Session(game, [None, None], ["person", "other"], 1), 0, interrupted).run()
    assert "You leave the game." in capsys.readouterr().out


def test_the_rules_are_told(play):
    result = play("confusion-mini", "--against", "random", "--seed", "3", lines=["rules", "known", "quit"])
    game = kgb_env.game("confusion-mini")
    assert "You are seat 0, White. Write rules" in result.stdout
    assert game.notation.rules(game).strip() in result.stdout
    assert "- You are White." in result.stdout
    assert "is to propose" in result.stdout


def test_what_is_due_is_said_where_there_is_one_move(play):
    result = play("double_agent-mini", "--against", "naive", "--seed", "5", "--seat", "1", lines=["quit"])
    assert "Opening play: seat 1 is alone with the board.\nYou can only 'wait'" in result.stdout


def test_a_file_that_a_game_cannot_be_added_to_is_said_before_the_game(tmp_path):
    def refused(path):
        result = CliRunner().invoke(app, ["play", "confusion-mini", "--save", str(path)])
        assert result.exit_code == 2
        assert "Seed" not in result.stdout
        return result.stderr

    assert "no games can be written there" in refused(tmp_path)
    (tmp_path / "file").write_text("")
    assert "no games can be written there" in refused(tmp_path / "file" / "games.jsonl")
    for content in (b"my notes", b'{"format": 1}\n{"format"', b"[1]\n", b"3", b'{"agents": []}\n\n', b"\xff\xfe"):
        (tmp_path / "notes").write_bytes(content)
        assert "its last line is no replay" in refused(tmp_path / "notes")
        assert (tmp_path / "notes").read_bytes() == content


def test_a_game_that_was_not_played_leaves_no_file(play, tmp_path):
    assert play("confusion-mini", "--against", "random", lines=["quit"]).exit_code == 0
    assert not (tmp_path / "games.jsonl").exists()


def test_a_terminal_that_is_closed_loses_nothing(tmp_path):
    file = tmp_path / "games.jsonl"
    mine, theirs = pty.openpty()
    command = [*KGB, "play", "double_agent-mini", "--against", "naive", "--seed", "5", "--save", str(file)]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, preexec_fn=own_the_terminal
    )
    os.close(theirs)
    os.write(mine, b"open GAR\n")
    seen = b""
    while b"Round 1" not in seen:
        seen += os.read(mine, 4096)
    os.close(mine)  # the kernel sends SIGHUP, and nothing can be printed any more
    process.wait(60)
    assert json.loads(file.read_text())["result"] is None


def own_the_terminal():
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_agent_that_thinks_can_be_left(tmp_path, sign):
    file = tmp_path / "games.jsonl"
    told, _ = leave_while_thinking([*ASKED_HERE, "Deaf"], "naive", file, sign)
    assert told.endswith(f"The game is written in {file}.\nkgb: interrupted\n")
    require_open_gar(file)


def test_an_agent_from_outside_is_ended_when_it_is_left(tmp_path):
    file = tmp_path / "games.jsonl"
    told, process = leave_while_thinking(KGB, "tests.play.own:Deaf", file, signal.SIGINT)
    assert told.endswith(f"The game is written in {file}.\nkgb: interrupted\n")
    require_open_gar(file)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_game_that_is_being_prepared_can_be_left(tmp_path):
    file = tmp_path / "games.jsonl"
    told, _ = leave_while_thinking([*ASKED_HERE, "DeafAtFirst"], "naive", file, signal.SIGINT)
    assert told == "kgb: interrupted\n"
    assert not file.exists()


def leave_while_thinking(program, agent, file, sign):
    """Play until an agent thinks for hours, and send a signal; return what is told from then on, and who thought."""
    command = [*program, "play", "double_agent-mini", "--against", agent, "--seed", "5", "--save", str(file)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    with process:
        try:
            process.stdin.write("open GAR\n")
            process.stdin.flush()
            while "thinking in process" not in (line := process.stdout.readline()):
                assert line, "it has ended"
            process.send_signal(sign)
            told, _ = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 130
    return told, int(line.split()[-1])


def require_open_gar(file):
    """Check that the one game in a file can be replayed, was broken off, and holds the person's move."""
    (replay,) = read_replays(file)
    assert "open GAR" in replay.moves
    assert replay.returns is None
    assert list(replay.positions())


@pytest.mark.slow
def test_ctrl_c_in_a_process(tmp_path):
    file = tmp_path / "games.jsonl"
    command = [*KGB, "play", "double_agent-mini", "--against", "naive", "--seed", "5", "--save", str(file)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    process.stdin.write("open GAR\n")
    process.stdin.flush()
    until = time.monotonic() + 300
    seen = ""
    while "Round 1" not in seen and time.monotonic() < until:
        seen += process.stdout.readline()
    process.send_signal(2)
    _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    assert json.loads(file.read_text())["result"] is None

"""`kgb serve` as a process: it says where it is, serves, saves and stops cleanly."""

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from typer.testing import CliRunner

from experiments.cli import app
from kgb_env import read_replays

KGB = [sys.executable, "-c", "from experiments.cli import main; main()"]


@pytest.fixture
def started(tmp_path):
    """Return what starts a server, and the address where it is."""
    processes = []

    def start(*arguments):
        command = [*KGB, "serve", "--port", "0", "--save", str(tmp_path / "played"), *arguments]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hear_all_signals
        )
        processes.append(process)
        line = process.stdout.readline()
        return process, line.split()[1].rstrip("/")

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def hear_all_signals():
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it would be ignored


def ask(address, path, content=None):
    request = urllib.request.Request(
        address + path,
        None if content is None else json.dumps(content).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or "null")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_stops_cleanly_and_saves_what_is_going_on(started, tmp_path, sign):
    process, address = started("--agent", "ismcts(simulations=2)")
    game = {"game": "secret_formula-mini", "seats": [None, "random"]}
    url = ask(address, "/games", game)["url"]
    seat = ask(address, f"{url}/sit", {"seat": 0})["url"]
    until = time.monotonic() + 300
    while not (scene := ask(address, f"{seat}/state")).get("moves"):
        assert time.monotonic() < until
        time.sleep(0.1)
    ask(address, f"{seat}/move", {"version": scene["version"], "move": scene["moves"][0][0]})
    process.send_signal(sign)
    out, errors = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "Traceback" not in errors + out
    assert "Games are written in" in errors
    assert seat.rpartition("/")[2] not in errors + out, "tokens are written nowhere"
    (replay,) = read_replays(tmp_path / "played" / "secret_formula.jsonl")
    assert replay.returns is None
    assert list(replay.positions())


def test_other_hosts_get_nothing(started):
    _, address = started()
    request = urllib.request.Request(address, headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=30)
    assert refused.value.code == 400
    refused.value.close()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--host", "192.0.2.1"], "192.0.2.1, port 8000"),
        (["--agent", "random("], "agent 'random('"),
        (["--agent", "nobody"], "no agent 'nobody'"),
        (["--agent", "no_such_module:Agent"], "no_such_module"),
        (["--agent", "random", "--agent", "ismcts(simulation=3)"], "there is no 'simulation'"),
        (["--agent", "llm(url='http://me:word@there/v1')"], "http://there/v1 wants to know"),
        (["--agent", "llm(url='http://there/v1?key=word')"], "environment variable KGB_LLM_URL"),
        (["--port", "70000"], "65535"),
    ],
)
def test_refusals(tmp_path, arguments, told):
    result = CliRunner().invoke(app, ["serve", "--save", str(tmp_path), *arguments])
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())
    assert "word" not in result.output


def test_a_folder_that_cannot_be_is_said_at_once(tmp_path):
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(app, ["serve", "--save", str(tmp_path / "file" / "played")])
    assert result.exit_code == 2
    assert "no games can be written there" in result.stderr


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = CliRunner().invoke(app, ["serve", "--port", str(port), "--save", str(tmp_path)])
    assert result.exit_code == 2
    assert f"port {port}" in result.stderr
    assert "--port" in result.stderr

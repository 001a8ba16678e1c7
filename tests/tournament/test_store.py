"""Results on disk: whole whatever happens, refused when they are not one's own, the same however they were played."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kgb_env
from experiments.config import ConfigError
from experiments.tournament import play as playing
from experiments.tournament.manifest import IDENTITY, manifest_of
from experiments.tournament.plan import Plan
from experiments.tournament.play import Pace, games_left, play
from experiments.tournament.run import RESULTS, plan_of, run
from experiments.tournament.store import Store, StoreError, Time
from experiments.tournament.summary import _took, summarize

PIECES = Path(kgb_env.__path__[0]) / "games" / "confusion" / "pieces"
EVENT = {"game": "confusion-mini", "agents": ["random", "greedy"], "games": 700}
PLAN = Plan.parse({"events": [EVENT]})


def opened(folder, plan=PLAN):
    return Store(folder / RESULTS, manifest_of(plan), IDENTITY)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return a folder with a finished tournament."""
    folder = tmp_path_factory.mktemp("whole")
    run(PLAN, folder, 1, None)
    return folder


def test_what_is_written(whole):
    names = {"results.sqlite", "summary.json", "timing.json", "plan.json", "manifest.json", "report.md", "report.html"}
    assert {path.name for path in whole.iterdir()} == names
    summary = json.loads((whole / "summary.json").read_text())
    (event,) = summary["events"]
    assert event["games"] == 700
    assert sum(event["endings"].values()) == 700
    assert event["agents"][0]["agent"] == "greedy"
    rows = sqlite3.connect(whole / RESULTS).execute("SELECT * FROM games ORDER BY game").fetchall()
    assert len(rows) == 700
    assert json.loads(rows[1][5]) == json.loads(rows[0][5])[::-1]
    assert rows[0][3] == rows[1][3] != rows[2][3]  # both seatings of a deal start from its seed
    manifest = json.loads((whole / "manifest.json").read_text())
    assert {"plan", "sources", "data", "agents from outside", "libraries", "git", "machine", "python"} == set(manifest)
    assert "second" not in (whole / "summary.json").read_text()
    assert json.loads((whole / "timing.json").read_text())["confusion-mini"]["greedy"]["decisions"] > 700


def test_a_finished_tournament_is_not_played_again(whole, monkeypatch):
    before = (whole / "summary.json").read_bytes()
    monkeypatch.setattr("experiments.tournament.play.play_chunk", None)
    run(PLAN, whole, 1, None)
    assert (whole / "summary.json").read_bytes() == before


def test_the_plan_of_a_report_plays_the_same_again(whole, tmp_path):
    run(plan_of(str(whole / "plan.json"), False, {}, {}), tmp_path, 1, None)
    assert (tmp_path / "summary.json").read_bytes() == (whole / "summary.json").read_bytes()


def test_few_deals_have_no_intervals(tmp_path):
    run(Plan.parse({"events": [EVENT | {"games": 40}]}), tmp_path, 1, None)
    (event,) = json.loads((tmp_path / "summary.json").read_text())["events"]
    assert all(row["rating_low"] is None for row in event["agents"])
    assert event["no_significant_difference"] == [["greedy", "random"]]
    assert "20 deals are too few" in (tmp_path / "report.md").read_text()


def test_results_of_other_data_are_refused(tmp_path):
    pieces = tmp_path / "pieces.txt"
    pieces.write_text((PIECES / "standard.txt").read_text())
    event = {"game": "confusion", "options": {"pieces": str(pieces)}, "agents": ["random", "greedy"], "games": 2}
    plan = Plan.parse({"events": [event]})
    run(plan, tmp_path, 1, None)
    pieces.write_text(pieces.read_text() + "\n# another comment\n")
    with pytest.raises(StoreError, match="other data"):
        opened(tmp_path, plan)


def test_workers_change_nothing(whole, tmp_path):
    run(PLAN, tmp_path, 2, None)
    assert (tmp_path / "summary.json").read_bytes() == (whole / "summary.json").read_bytes()


def test_broken_off_and_gone_on(whole, tmp_path):
    """Ctrl-C after a chunk: what is finished stays, and is not played again."""

    def stop(finished, total, *, preparing=""):
        if finished:
            raise KeyboardInterrupt

    with opened(tmp_path) as store:
        with pytest.raises(KeyboardInterrupt):
            play(PLAN, store, on_progress=stop)
        assert 0 < games_left(PLAN.events[0], store).size < 700
    run(PLAN, tmp_path, 1, None)
    assert (tmp_path / "summary.json").read_bytes() == (whole / "summary.json").read_bytes()


def test_killed_and_gone_on(whole, tmp_path):
    """SIGKILL at any moment, three times."""
    command = [
        *(sys.executable, "-c", "from experiments.cli import main; main()", "tournament", "confusion-mini"),
        *("--agents", "random,greedy", "--games", "700", "--out", str(tmp_path)),
    ]
    for seconds in (1.5, 3.0, 4.0):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True, capture_output=True)
    assert (tmp_path / "summary.json").read_bytes() == (whole / "summary.json").read_bytes()


def test_the_order_of_agents_and_flags_change_nothing(whole, tmp_path):
    plan = plan_of("confusion-mini", True, {"agents": ["greedy", "random"], "games": 700}, {})
    run(plan, tmp_path, 1, None)
    assert (tmp_path / "summary.json").read_bytes() == (whole / "summary.json").read_bytes()


def test_two_at_a_time_are_refused(tmp_path):
    with opened(tmp_path), pytest.raises(StoreError, match="in use"):
        opened(tmp_path)


@pytest.mark.parametrize("fault", ["text", "foreign", "cut", "scribbled", "version"])
def test_what_is_not_ours_or_damaged_is_refused_and_kept(whole, tmp_path, fault):
    path = tmp_path / RESULTS
    if fault == "text":
        path.write_text("important notes\n" * 100)
    elif fault == "foreign":
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE recipes (name TEXT)")
    else:
        shutil.copy(whole / RESULTS, path)
        if fault == "cut":
            os.truncate(path, path.stat().st_size // 2)
        elif fault == "scribbled":
            data = bytearray(path.read_bytes())
            data[4096 : len(data) // 2] = b"\xff" * (len(data) // 2 - 4096)
            path.write_bytes(data)
        else:
            connection = sqlite3.connect(path)
            connection.execute("PRAGMA user_version = 99")
            connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=RESULTS):
        opened(tmp_path)
    assert path.read_bytes() == before


def test_results_of_another_plan_are_refused(whole):
    other = Plan.parse({"events": [EVENT], "seed": 2})
    before = (whole / RESULTS).read_bytes()
    with pytest.raises(StoreError, match=r"other plan \(plan: seed was 1, is 2\)"):
        opened(whole, other)
    assert (whole / RESULTS).read_bytes() == before


def test_a_start_that_failed_does_not_stand_in_the_way(tmp_path):
    with opened(tmp_path, Plan.parse({"events": [EVENT], "seed": 2})):
        pass  # nothing was played
    with opened(tmp_path) as store:
        assert json.loads(store.manifest()["plan"])["seed"] == 1
    wrong = Plan.parse({"events": [EVENT | {"schedule": "roles"}]})
    with pytest.raises(ConfigError, match="no roles"):
        run(wrong, tmp_path / "new", 1, None)
    assert not (tmp_path / "new" / RESULTS).exists()


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE games SET returns = '[5, -5]' WHERE game = 7",
        "UPDATE games SET returns = '[1' WHERE game = 7",
        "UPDATE games SET deal = 77 WHERE game = 7",
        "UPDATE games SET game = 1000 WHERE game = 7",
        'UPDATE games SET agents = \'["x", "y"]\' WHERE game = 7',
        "DROP TABLE timing",
    ],
)
def test_edited_results_are_refused(whole, tmp_path, edit):
    shutil.copy(whole / RESULTS, tmp_path)
    connection = sqlite3.connect(tmp_path / RESULTS)
    connection.execute(edit)
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="is damaged"):
        run(PLAN, tmp_path, 1, None)


def test_a_game_that_the_event_does_not_have_is_refused(whole, tmp_path):
    shutil.copy(whole / RESULTS, tmp_path)
    with opened(tmp_path) as store:
        (row,) = store._connection.execute("SELECT * FROM games WHERE game = 7")
        store.add([(row[0], 9999, *row[2:-1])], [], "confusion-mini")
        with pytest.raises(StoreError, match="confusion-mini has no game 9999"):
            play(PLAN, store)


def test_agents_from_outside_play_in_many_processes(tmp_path):
    event = EVENT | {"agents": ["random", "tests.tournament.own:First"], "games": 200}
    plan = Plan.parse({"events": [event]})
    run(plan, tmp_path / "one", 1, None)
    run(plan, tmp_path / "two", 2, None)
    assert (tmp_path / "one/summary.json").read_bytes() == (tmp_path / "two/summary.json").read_bytes()
    assert json.loads((tmp_path / "two/summary.json").read_text())["events"][0]["forfeits"] == 0


def test_results_of_other_sources_are_refused(whole, monkeypatch):
    monkeypatch.setattr("experiments.tournament.manifest.source_digest", lambda: "changed")
    with pytest.raises(StoreError, match="other sources"):
        opened(whole)


def test_results_of_another_file_of_an_agent_are_refused(tmp_path, monkeypatch):
    """Who mends his agent in the middle of a tournament has another agent."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "mended_agents.py"
    file.write_text("def lowest(seen):\n    return int(seen['action_mask'].argmax())\n")
    plan = Plan.parse(
        {"events": [{"game": "confusion-mini", "agents": ["function:mended_agents:lowest", "random"], "games": 4}]}
    )
    run(plan, tmp_path, 1, None)
    with opened(tmp_path, plan):
        pass
    file.write_text(file.read_text() + "# better\n")
    with pytest.raises(StoreError, match="other agents from outside"):
        opened(tmp_path, plan)


def test_what_cannot_be_reproduced_is_named(tmp_path):
    agents = ["ismcts(time_budget=0.001)", "ismcts(simulations=2)"]
    run(Plan.parse({"events": [EVENT | {"agents": agents, "games": 2}]}), tmp_path, 1, None)
    (event,) = json.loads((tmp_path / "summary.json").read_text())["events"]
    assert event["not_reproducible"] == ["ismcts(time_budget=0.001)"]
    assert "ismcts(time_budget=0.001) may choose otherwise" in (tmp_path / "report.md").read_text()


def outcome(games, seconds):
    chunk = playing.Chunk(0, playing.np.arange(games))
    return playing.Outcome(chunk, [], [], seconds)


def test_chunks_grow_as_games_are_quick():
    pace = Pace()
    first = pace.size(0)
    pace.learn(outcome(first, 1e-6))
    assert pace.size(0) == 4 * first
    assert pace.size(1) == first  # of another event nothing is known
    pace.learn(outcome(4 * first, 3600))
    assert pace.size(0) == 1
    for _ in range(9):
        pace.learn(outcome(pace.size(0), 0.01))
    assert pace.size(0) == playing.LARGEST_CHUNK


def test_the_size_of_chunks_changes_nothing(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(playing, "FIRST_CHUNK", 3)
    monkeypatch.setattr(playing, "LARGEST_CHUNK", 50)
    run(PLAN, tmp_path, 1, None)
    assert (tmp_path / "summary.json").read_bytes() == (whole / "summary.json").read_bytes()


def test_a_chunk_with_compiling_does_not_tell_the_time_of_a_decision():
    times = [Time("a", 10, 30.0), Time("a", 100, 1.0), Time("a", 100, 1.2), Time("a", 0, 0.0)]
    assert _took(times) == {"decisions": 210, "seconds": 32.2, "milliseconds_a_decision": 12.0}
    assert _took([]) == {"decisions": 0, "seconds": 0.0, "milliseconds_a_decision": None}


def test_roles_of_a_round_of_suspicious(tmp_path):
    event = {
        "game": "suspicious-mini",
        "options": {"director": "neutral"},
        "agents": ["literal", "random"],
        "games": 200,
        "schedule": "roles",
    }
    run(Plan.parse({"events": [event]}), tmp_path, 1, None)
    (found,) = json.loads((tmp_path / "summary.json").read_text())["events"]
    counts = {(row["agent"], row["role"]): row["games"] for row in found["by_role"]}
    games = found["games"]
    for agent in ("literal", "random"):  # every game has a spy, a Director and two agents
        assert [counts[agent, role] for role in ("agent", "spy", "director")] == [games, games / 2, games / 2]
    assert all(row["wins"] == 0 for row in found["by_role"] if row["role"] == "director")
    rows = sqlite3.connect(tmp_path / RESULTS).execute("SELECT roles FROM games").fetchall()
    assert all(sorted(json.loads(roles)) == ["agent", "agent", "director", "spy"] for (roles,) in rows)


def test_an_agent_that_fails_is_told_in_the_results(tmp_path):
    plan = Plan.parse(
        {"events": [{"game": "confusion-mini", "agents": ["tests.tournament.own:Raising", "random"], "games": 40}]}
    )
    run(plan, tmp_path, 1, None)
    with opened(tmp_path, plan) as store:
        (event,) = summarize(plan, store)["events"]
    assert event["forfeits"] == event["endings"]["forfeit"] > 0
    (fault,) = event["faults"]
    assert fault.startswith("tests.tournament.own:Raising: ValueError: cannot go on (own.py:")
    assert "cannot go on" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"events": []}, "at least 1 item"),
        ({"events": [EVENT, EVENT]}, "two events are called 'confusion-mini'"),
        ({"events": [EVENT | {"agents": ["random", "random()"]}]}, "listed twice"),
        ({"events": [EVENT | {"agents": ["random"]}]}, "at least 2 items"),
        ({"events": [EVENT | {"gmaes": 3}]}, "did you mean 'games'"),
        ({"events": [EVENT | {"schedule": "swiss"}]}, "'round-robin', 'field' or 'roles'"),
        ({"events": [EVENT], "seeds": 3}, "did you mean 'seed'"),
    ],
)
def test_bad_plans(values, fault):
    with pytest.raises(ConfigError, match=fault):
        Plan.parse(values)


def test_agents_are_one_however_they_are_written():
    written = ["ismcts(simulations=3, rollout=random)", "ismcts(rollout='random', simulations=3)"]
    with pytest.raises(ConfigError, match="listed twice"):
        Plan.parse({"events": [EVENT | {"agents": written}]})


def test_what_is_wrong_is_said_with_the_event(tmp_path):
    for change, fault in (
        ({"options": {"max_turnz": 3}}, "event a: .*max_turns"),
        ({"agents": ["random", "gredy"]}, "event a: .*did you mean 'greedy'"),
    ):
        with pytest.raises(ConfigError, match=fault):
            run(Plan.parse({"events": [EVENT | {"name": "a"} | change]}), tmp_path, 1, None)


def test_a_cluster_that_is_not_there(tmp_path, monkeypatch):
    """What is played before, here, stays."""
    monkeypatch.setitem(sys.modules, "ray", None)  # importing it fails
    with pytest.raises(ConfigError, match="--ray needs the extra `ray`"):
        run(PLAN, tmp_path, 1, "local")
    with opened(tmp_path) as store:
        assert 0 < games_left(PLAN.events[0], store).size < 700

"""`kgb speed` measures what it says, completely; no test here looks at how fast anything is."""

import json
import sys
import tempfile
from contextlib import nullcontext

import numpy as np
import pytest

import kgb_env
from experiments import speed
from experiments.contenders import Contender, choose_rows, our_contenders, seeds
from experiments.speed import Budget, MissingExtraError, calibrate, compare, measure, run

AGENTS = ["agent_greedy", "agent_inference"]
BATCHES = ["batch_1", "batch_64", "batch_1024", "batch_8192", "learners_64", "learners_1024"]
DRAWN = ["drawn_ansi", "drawn_svg", "drawn_rgb_array"]
NAMES = ["rules", "rules_observed", *BATCHES, "aec", *DRAWN, *AGENTS, "copy_floor", "with_theirs"]
TINY = Budget(rounds=2, seconds=0.001, starts=1)
PEER = Contender("peer", "counting", lambda amount: sum(1 for _ in range(amount)))


@pytest.fixture(scope="module")
def game():
    return kgb_env.game("confusion", max_turns=30)


@pytest.fixture(scope="module")
def report(game):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "TemporaryDirectory", nullcontext)  # the usual cache: compiling takes too long
        patch.setattr(speed, "LARGEST", 16)
        with_theirs = PEER._replace(name="with_theirs")
        patch.setattr(speed, "enter_peers", lambda game: ([with_theirs], [PEER], [("aec", "peer")]))
        patch.setattr(speed, "versions", lambda peers: {"kgb_env": kgb_env.__version__})
        return measure(game, peers=True, budget=TINY)


def test_report_is_complete(game, report):
    assert list(report["speeds"]) == NAMES
    assert (report["game"], report["options"]) == ("confusion", game.options)
    assert report["machine"]["processor"]
    assert report["machine"]["cores"] > 0
    assert list(report["peers"]) == ["peer"]
    assert json.loads(json.dumps(report)) == report


def test_speeds_are_sane(report):
    for rate in [*report["speeds"].values(), *report["peers"].values()]:
        assert 0 < rate["low"] <= rate["median"] <= rate["high"] < np.inf
        assert rate["unit"] == "moves/s"
        assert rate["includes"]


def test_start_goes_forward(report):
    for name in ("cold", "warm"):
        times = report["start"][name]
        assert 0 < times["import"] < times["first_move"] < times["first_batched_step"]


def test_memory_is_that_of_the_game(game, report):
    memory = report["memory"]
    assert memory["state"] == game.state.itemsize
    assert memory["observation"] == memory["observation_mask"] == game.observation.size
    assert memory["action_mask"] == game.actions.size
    one_row = 2 * game.state.itemsize + 2 * game.observation.size + game.actions.size
    assert memory["batch_16_arrays"] >= 16 * one_row


def test_versions_without_and_with_peers(monkeypatch):
    monkeypatch.setattr(speed, "version", lambda package: "1")
    assert list(speed.versions(peers=False)) == ["python", "kgb_env", "numpy", "numba", "pettingzoo"]
    assert "open_spiel" in speed.versions(peers=True)


def test_ratios_are_of_medians_with_the_extremes_of_rounds():
    found = compare({"ours": [4, 6, 20], "theirs": [2, 2, 5]}, [("ours", "theirs")])
    assert found["ratios"] == {"ours/theirs": 3}
    assert found["ratio_spreads"] == {"ours/theirs": {"low": 2, "high": 4}}


def test_all_loops_in_a_kernel_play_the_same_games(game):
    by_name = {contender.name: contender for contender in our_contenders(game)}
    assert by_name["rules"].play(1) == by_name["rules_observed"].play(1) > 0
    assert by_name["rules"].play(2) == 2 * by_name["rules"].play(1)


def test_loops_count_moves(game):
    by_name = {contender.name: contender for contender in our_contenders(game)}
    assert by_name["batch_64"].play(40) == 40 * 64  # beyond the ends of games
    assert by_name["aec"].play(200) == 200
    assert {by_name[f"drawn_{mode}"].play(3) for mode in ("ansi", "svg", "rgb_array")} == {3}
    assert by_name["copy_floor"].play(2) == 2 * 1024


def test_choices_are_all_the_legal_ones_and_no_other():
    masks = np.tile(np.array([0, 1, 0, 1, 1, 0], np.int8), (64, 1))
    numbers, actions = seeds(64), np.zeros(64, np.int64)
    choose_rows(masks, numbers, actions)
    assert set(actions) == {1, 3, 4}
    before = actions.copy()
    choose_rows(masks, numbers, actions)
    assert (actions != before).any()


def test_calibration_finds_the_amount(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(speed.time, "perf_counter", lambda: clock[0])

    def play(amount):
        clock[0] += amount / 128
        return amount

    assert calibrate(play, seconds=1) == 128
    assert calibrate(play, seconds=1e-6) == 1


def test_peers_missing_is_said_in_a_line_and_at_once(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)  # importing it fails
    monkeypatch.delitem(sys.modules, "experiments.peers", raising=False)
    monkeypatch.delattr("experiments.peers", raising=False)
    monkeypatch.setattr(speed, "measure_start", lambda *arguments: pytest.fail("it should not have begun"))
    with pytest.raises(MissingExtraError, match=r"-e '\.\[peers\]'") as caught:
        run("confusion", {}, as_json=False, peers=True)
    assert "\n" not in str(caught.value)


def test_unknown_game_and_option_are_refused():
    with pytest.raises(kgb_env.OptionError, match="no game 'chess'"):
        run("chess", {}, as_json=True, peers=False)
    with pytest.raises(kgb_env.OptionError, match="max_turns"):
        run("confusion", {"max_turn": 3}, as_json=True, peers=False)


def test_json_is_all_of_stdout(report, monkeypatch, capsys):
    monkeypatch.setattr(speed, "measure", lambda game, peers, tick: tick("playing") or report)
    run("confusion", {}, as_json=True, peers=True)
    assert json.loads(capsys.readouterr().out) == report


def test_tables_name_every_figure(report, monkeypatch, capsys):
    monkeypatch.setattr(speed, "measure", lambda game, peers, tick: report)
    run("confusion", {}, as_json=False, peers=True)
    shown = capsys.readouterr().out
    for name in [*NAMES, "peer", "aec/peer", "first_move", "action_mask", report["machine"]["processor"]]:
        assert name in shown


def test_peers_play():
    pytest.importorskip("pyspiel", reason="needs the extra 'peers'")
    peers = pytest.importorskip("experiments.peers", reason="needs the extra 'peers'")
    found = {contender.name: contender.play(120) for contender in peers.contenders()}
    assert found["pettingzoo_connect_four_sb3"] == 120 * peers.LEARNERS
    assert {moves for name, moves in found.items() if not name.endswith("_sb3")} == {120}
    (ours,) = peers.our_contenders(kgb_env.game("confusion", max_turns=30))
    assert ours.play(3) == 3 * peers.LEARNERS
    assert {theirs for _, theirs in peers.COMPARED} <= set(found)

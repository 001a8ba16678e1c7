"""Agents from outside: named by import paths, run in processes of their own, and unable to stop a tournament."""

import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import kgb_env
from agents import AgentError, make_agent
from agents.names import is_from_outside, split_agents
from experiments import outside
from experiments.config import MatchConfig
from experiments.match import MatchError, Table, forfeit_returns, play_match, set_up
from experiments.outside import OutsideAgent, make_player
from kgb_env import derive_seed

OWN = "tests.tournament.own"
GAME = kgb_env.game("confusion", max_turns=12)
SEEDS = np.array([derive_seed(1, i, 0) for i in range(6)], np.uint64)


def play(name, games=6, deadline=20.0):
    """Let an agent from outside play another against `random`, who always ends in a forfeit if it fails."""
    agents = {"own": make_player(GAME, f"{OWN}:{name}", deadline), "random": make_agent(GAME, "random")}
    deals = np.arange(games)
    lineups = np.array([[0, 1], [1, 0]])[deals % 2]
    return Table(GAME, agents, 1, deals, lineups, may_forfeit=True).play()


def test_who_is_from_outside():
    assert is_from_outside("confusion", f"{OWN}:First")
    assert is_from_outside("confusion", f"function:{OWN}:lowest")
    assert not is_from_outside("confusion", "greedy")
    assert not is_from_outside("confusion", "ismcts(simulations=3)")


@pytest.mark.parametrize("name", [f"{OWN}:First", f"function:{OWN}:lowest"])
def test_it_answers_as_it_does_here(name):
    states = GAME.start(SEEDS)
    views = GAME.view(states, states["to_move"])
    here, there = make_agent(GAME, name), make_player(GAME, name, 20.0)
    assert isinstance(there, OutsideAgent)
    memory = here.initial_carry(6)
    expected, remembered = here.act(views, SEEDS, memory)
    actions, carry = there.act(views, SEEDS, there.initial_carry(6))
    assert actions.tolist() == expected.tolist()
    assert (carry is None and remembered is None) or carry.tolist() == remembered.tolist()
    assert there.is_reproducible == (name == f"{OWN}:First")


def test_arguments_reach_it():
    assert make_player(GAME, f"{OWN}:First(times=2)", 20.0).initial_carry(2).tolist() == [0, 0]
    with pytest.raises(AgentError, match="there is no 'depth'"):
        make_player(GAME, f"{OWN}:First(depth=2)", 20.0)


def test_one_that_raises_loses_that_game_alone():
    results = play("Raising")
    for game in range(6):
        if game % 2 == 0:
            assert re.fullmatch(r"own: ValueError: cannot go on \(own.py:\d+\)", results.faults[game])
            assert results.returns[game].tolist() == [-1, 1]
            assert results.reasons[game] == 0
            assert results.plies[game] >= 4
        else:
            assert game not in results.faults
            assert results.reasons[game] > 0


@pytest.mark.parametrize(
    ("name", "fault", "deadline"),
    [
        ("Hanging", "no answer within 0.5 s", 0.5),
        ("Dying", r"its process has died \(exit code 7\)", 20.0),
        ("Cheating", "no action 1000000", 20.0),
    ],
)
def test_one_that_hangs_dies_or_cheats_loses(name, fault, deadline):
    results = play(name, games=2, deadline=deadline)
    assert sorted(results.faults) == [0, 1]
    assert all(re.search(fault, told) for told in results.faults.values())
    assert results.returns.tolist() == [[-1, 1], [1, -1]]


def test_one_that_always_hangs_is_not_waited_for_forever(monkeypatch):
    """After three hangs in a row it is not asked again: its process is not started for every game."""
    starts = []
    child = outside.Child
    monkeypatch.setattr(outside, "Child", lambda: starts.append(1) or child())
    results = play("Hanging", games=40, deadline=0.3)
    assert len(results.faults) == 40
    assert len(starts) <= 1 + outside.PATIENCE


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("NoCarry", "RuntimeError: no memory"),
        ("DyingCarry", r"its process has died \(exit code 8\)"),
        ("Speechless", "Can't pickle|cannot pickle|Can't get local"),
    ],
)
def test_one_that_fails_before_it_plays_loses_all(name, fault):
    results = play(name, games=4)
    assert len(results.faults) == 4
    assert all(re.search(fault, told) for told in results.faults.values())


def test_one_that_prints_reads_and_writes_plays_on():
    """What it does with stdin, stdout and the views is its own affair."""
    results = play("Noisy")
    assert results.faults == {}
    quiet = play("First")
    assert results.returns.tolist() == quiet.returns.tolist()


def test_faults_are_short_and_the_same_each_time():
    results = play("Wordy", games=2)
    (fault,) = set(results.faults.values())
    assert len(fault) < 250
    assert "0x..." in fault


def test_an_agent_does_not_outlive_whoever_asked_it(tmp_path):
    """SIGKILL to the parent, while the agent is stuck."""
    code = (
        "import os, kgb_env, numpy as np\n"
        "from experiments.outside import OutsideAgent\n"
        f"agent = OutsideAgent(kgb_env.game('confusion', max_turns=12), '{OWN}:Stuck', 60.0)\n"
        "print(agent._child._process.pid, flush=True)\n"
        "agent.initial_carry(1)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    time.sleep(1)  # it is being asked now
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for _ in range(100):
        if not is_running(child):
            return
        time.sleep(0.1)
    pytest.fail("the agent's process is still there")


def is_running(process):
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def test_one_that_is_slow_with_many_is_asked_alone():
    results = play("OneAtATime", deadline=4.0)
    assert results.faults == {}
    assert (results.reasons > 0).all()


def test_a_match_asks_it_alone_too():
    config = MatchConfig(
        game="confusion", options={"max_turns": 4}, agents=[f"{OWN}:OneAtATime", "random"], deadline=4.0
    )
    game, agents = set_up(config)
    assert isinstance(agents[f"{OWN}:OneAtATime"], OutsideAgent)
    played = play_match(game, agents, 6)
    own = {"own": make_agent(game, f"{OWN}:First"), "random": make_agent(game, "random")}
    assert played.returns.tolist() == play_match(game, own, 6).returns.tolist()  # `First` is what it otherwise is


def test_a_match_by_roles_takes_them_too():
    roles = {"double_agent": f"function:{OWN}:lowest", "security_agent": "naive"}
    game, agents = set_up(MatchConfig(game="double_agent-mini", roles=roles))
    assert play_match(game, agents, 4).games == 4


def test_a_hanging_one_ends_a_match():
    game, agents = set_up(MatchConfig(game="confusion", agents=[f"{OWN}:Hanging", "random"], deadline=0.5))
    with pytest.raises(MatchError, match="no answer within"):
        play_match(game, agents, 2)


def test_a_match_stops_and_says_why():
    agents = {"own": make_player(GAME, f"{OWN}:Raising", 20.0), "random": make_agent(GAME, "random")}
    with pytest.raises(MatchError, match=r"agent 'own' failed in .*cannot go on"):
        play_match(GAME, agents, 4)


def test_forfeits_pay_what_the_game_can():
    three = kgb_env.game("double_agent", players=3)
    least, half = three.min_return, -three.min_return / 2
    assert forfeit_returns(three, np.array([[2, 0, 1]]), np.array([0])).tolist() == [[half, least, half]]


def test_nobody_gains_by_giving_up():
    """All seats of who forfeits lose, those of its own team too; so does nobody else."""
    for game in (kgb_env.game("double_agent", rewards="team"), kgb_env.game("suspicious"), GAME):
        for mates in range(1, game.seats):
            players = np.array([[0] * mates + [1] * (game.seats - mates)])
            (returns,) = forfeit_returns(game, players, np.array([0]))
            assert (returns[:mates] == game.min_return).all()
            assert (game.min_return < returns[mates:]).all()
            assert (returns[mates:] <= game.max_return).all()
    alone = forfeit_returns(GAME, np.array([[0, 0]]), np.array([0]))
    assert alone.tolist() == [[GAME.min_return] * 2]


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("no_such_module:Agent", "No module named 'no_such_module'"),
        (f"{OWN}:Nobody", "Nobody"),
        (f"{OWN}:np.pi", "float"),
        (f"{OWN}:Unmakeable", "no licence"),
        ("function:", "function"),
    ],
)
def test_names_that_lead_nowhere(name, fault):
    with pytest.raises(AgentError, match=fault):
        make_player(GAME, name, 20.0)


def test_lists_of_agents():
    assert split_agents("greedy, random,") == ["greedy", "random"]
    assert split_agents("roles(a=x, b=rate(p=1, q=2)),random") == ["roles(a=x, b=rate(p=1, q=2))", "random"]


def test_an_agent_that_another_package_registers(tmp_path, monkeypatch):
    """It is found by its name, and runs in a process of its own like any other that is not ours."""
    info = tmp_path / "others_agents-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others-agents\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[kgb_env.agents]\nconfusion.guest = {OWN}:First\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert is_from_outside("confusion", "guest")
    agents = {"guest": make_player(GAME, "guest", 20.0), "random": make_player(GAME, "random", 20.0)}
    assert isinstance(agents["guest"], OutsideAgent)
    own = {"guest": make_agent(GAME, f"{OWN}:First"), "random": make_agent(GAME, "random")}
    assert play_match(GAME, agents, 4).returns.tolist() == play_match(GAME, own, 4).returns.tolist()

"""The agent that asks a language model: here a small server in this process."""

import json
import os
import pickle
import sys
from importlib.metadata import EntryPoint, entry_points
from random import Random

import numpy as np
import pytest
from typer.testing import CliRunner

from agents import AgentError, is_reproducible, make_agent, notes_of
from agents.llm import LlmAgent, LlmError, hidden_in, shown_address, without_key
from agents.random import RandomAgent
from agents.roles import RolesAgent
from experiments.cli import app
from experiments.explain import explaining_agent
from experiments.match import MatchError, Table, play_match
from kgb_env import game, parse_move
from tests.llm.asking import SEEDS, act_once, asked, first_view
from tests.llm.chat_server import Reply, answer, fault, serving
from tests.text_games import VARIANTS, listed_moves, variant

pytest.importorskip("openai")


def test_a_good_answer_is_played(poker):
    with serving([answer("I bet.\n\n**Move:** `bet`")]) as server:
        agent = asked(server, poker, temperature=0.5, max_tokens=50)
        assert act_once(agent) == "bet"
    (request,) = server.requests
    assert request["path"] == "/v1/chat/completions"
    assert (request["model"], request["temperature"], request["max_tokens"]) == ("m", 0.5, 50)
    assert "# Kuhn poker" in request["messages"][0]["content"]
    (decision,) = agent.decisions
    assert decision == (0, "bet", False, False, (), 100, 10)
    assert agent.incidents == []


def test_a_bad_answer_goes_back_with_what_is_wrong(poker):
    with serving([answer("Move: raise"), answer("Move: pass")]) as server:
        agent = asked(server, poker)
        assert act_once(agent) == "pass"
    first, second = (request["messages"] for request in server.requests)
    assert second[0] == first[0]
    assert second[1] == {"role": "assistant", "content": "Move: raise"}
    assert "'raise' is no choice" in second[2]["content"]
    assert second[2]["content"].endswith("end with one line 'Move: <move>' and nothing after it.")
    (incident,) = agent.incidents
    assert [bad.answer for bad in incident.bad_answers] == ["Move: raise"]
    assert not incident.is_random
    assert incident.prompt_tokens == 200


@pytest.mark.parametrize("text", ["Move: raise", "", None])
def test_after_several_bad_answers_a_legal_move_is_drawn_by_the_seed(poker, text):
    view = first_view(poker)
    with serving([answer(text)]) as server:
        agent = asked(server, poker, attempts=2)
        for seed in range(6):
            seeds = np.array([seed], np.uint64)
            assert agent.act(view, seeds)[0] == RandomAgent(poker).act(view, seeds)[0]
        agent.close()
    assert len(server.requests) == 12
    assert all(decision.is_random and len(decision.bad_answers) == 2 for decision in agent.incidents)
    assert agent.notes()[0] == "6 of 6 decisions were random legal moves after 2 bad answers."
    assert agent.notes()[1].startswith("12 bad answers in all; 1,200 tokens of prompts, 120 of answers")


def test_who_was_cut_off_is_told(poker):
    with serving([answer("Let me think", finish_reason="length"), answer("Move: bet")]) as server:
        assert act_once(asked(server, poker)) == "bet"
    assert server.requests[1]["messages"][2]["content"].startswith("Your answer was cut off")


def test_a_move_that_is_cut_off_counts_only_if_its_line_is_finished(poker):
    cut_off = [answer(text, finish_reason="length") for text in ("Move: pass", "pass", "Why: it is safe.\nMove: bet\n")]
    with serving(cut_off) as server:
        agent = asked(server, poker)
        assert act_once(agent) == "bet"
    assert len(server.requests) == 3
    (incident,) = agent.incidents
    assert all("ends before its move is complete" in bad.complaint for bad in incident.bad_answers)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again(poker, status):
    with serving([fault(status, "busy"), fault(status, "busy"), answer("Move: bet")]) as server:
        assert act_once(asked(server, poker, retries=2)) == "bet"
    assert len(server.requests) == 3


def test_a_server_that_stays_busy_is_an_error(poker):
    with (
        serving([fault(500, "out of order")]) as server,
        pytest.raises(LlmError, match=r"status 500.*out of order") as e,
    ):
        act_once(asked(server, poker, retries=1))
    assert len(server.requests) == 2
    assert not e.value.is_final


@pytest.mark.parametrize(("status", "where"), [(404, "KGB_LLM_MODEL"), (401, "KGB_LLM_KEY"), (403, "KGB_LLM_KEY")])
def test_an_unknown_model_or_a_wrong_key_is_final(poker, status, where):
    with serving([fault(status, "no such thing")]) as server, pytest.raises(LlmError, match="no such thing") as error:
        act_once(asked(server, poker, retries=3))
    assert len(server.requests) == 1
    assert error.value.is_final
    assert where in str(error.value)


def test_a_time_out_is_an_error_and_after_several_final(poker):
    with serving([None]) as server:
        agent, faults = asked(server, poker, timeout=0.05, concurrency=1), []
        for _ in range(3):
            with pytest.raises(LlmError, match=r"has not answered within 0\.05 s, asked once") as error:
                act_once(agent)
            faults.append(error.value.is_final)
    assert faults == [False, False, True]


def test_a_server_that_is_not_there_is_final(poker):
    with serving([answer("Move: bet")]) as server:
        pass
    with pytest.raises(LlmError, match="cannot be reached, asked once") as error:
        act_once(asked(server, poker))
    assert error.value.is_final


@pytest.mark.parametrize(
    "reply",
    [
        Reply(200, b"{not json"),
        Reply(200, b"<html>hello</html>", (("Content-Type", "text/html"),)),
        Reply(200, b'{"choices": []}'),
        Reply(200, b"{}"),
        Reply(200, b"[]"),
    ],
)
def test_an_answer_of_another_kind_is_an_error(poker, reply):
    with serving([reply]) as server, pytest.raises(LlmError, match="something else than a chat completion"):
        act_once(asked(server, poker))


def test_half_a_letter_is_a_bad_answer(poker):
    with serving([answer("\ud800 bet"), answer("Move: bet")]) as server:
        assert act_once(asked(server, poker)) == "bet"
    assert server.requests[1]["messages"][1]["content"] == "? bet"


KEY = "sk-very-secret-123"


@pytest.mark.parametrize(
    "reply",
    [
        fault(401, f"wrong key: Bearer {KEY}"),
        fault(400, f"bad header {KEY}"),
        Reply(200, json.dumps({"choices": [], "told": f"{'x' * 80} {KEY} {'x' * 80}"}).encode()),
        Reply(200, f'"{"x" * 190}{KEY}"'.encode()),
        answer("Move: bet", usage={"prompt_tokens": KEY}),
        answer("Move: bet", usage={"prompt_tokens": "pass-word", "completion_tokens": "query-word"}),
        fault(500, "http://me-myself:pass-word@there/v1?key=query-word"),
        None,
    ],
)
def test_no_message_holds_the_key_or_what_an_address_hides(poker, monkeypatch, reply):
    monkeypatch.setenv("KGB_LLM_KEY", KEY)
    with serving([reply]) as server:
        url = server.url.replace("http://", "http://me-myself:pass-word@") + "?key=query-word"
        monkeypatch.setenv("KGB_LLM_URL", url)
        agent = asked(server, poker, url=None, timeout=0.3)
        with pytest.raises(LlmError) as error:
            act_once(agent)
    told = str(error.value)
    assert f"the model 'm' at {server.url}" in told
    for secret in (KEY, KEY[:8], "me-myself", "pass-word", "query-word"):
        assert secret not in told


@pytest.mark.parametrize("key", [f"{KEY}\n{KEY}", f"{KEY} {KEY}", f"{KEY}\x00", f"{KEY}\N{EURO SIGN}"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_told(poker, monkeypatch, key):
    agent = LlmAgent(poker, url="http://localhost:1/v1", model="m")
    monkeypatch.setattr("os.environ", {**os.environ, "KGB_LLM_KEY": key})  # the system's own allows no zero
    for ask in (lambda: act_once(agent), lambda: LlmAgent(poker, url="http://localhost:1/v1", model="m")):
        with pytest.raises(AgentError, match="KGB_LLM_KEY: a key is one word") as error:
            ask()
        assert KEY not in str(error.value)


@pytest.mark.parametrize("url", ["http://[::1/v1", "http://the\nre/v1"])
def test_an_address_that_is_none_is_said_to_be(poker, url):
    with pytest.raises(AgentError, match="is no address of a server"):
        act_once(LlmAgent(poker, url=url, model="m"))


def test_a_key_may_end_with_a_line_break(poker, monkeypatch):
    monkeypatch.setenv("KGB_LLM_KEY", f"{KEY}\r\n")
    with serving([answer("Move: bet")]) as server:
        act_once(asked(server, poker))
    assert server.keys == [f"Bearer {KEY}"]


def test_a_key_with_odd_signs_is_masked_however_it_is_written(monkeypatch):
    monkeypatch.setenv("KGB_LLM_KEY", key := "sk-\\back'slash\"")
    for told in (f"Bearer {key}", json.dumps({"got": key})):
        assert "slash" not in without_key(told)
        assert "***" in without_key(told)


@pytest.mark.parametrize(
    "url",
    [
        "http://me:word@there/v1",
        "http://there/v1?key=word",
        "http://m'e:word@there/v1",
        "//me:word@there",
        "http:me:word@there",
    ],
)
@pytest.mark.parametrize("name", ["llm(url={})", "ismcts(rollout=llm(url={}))"])
def test_an_address_with_secrets_is_refused_as_an_argument(url, name):
    with pytest.raises(AgentError, match="environment variable KGB_LLM_URL") as error:
        make_agent("confusion-mini", name.format(repr(url)))
    assert "word" not in str(error.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://there:8000/v1", "http://there:8000/v1"),
        ("https://me:word@there/v1?key=a@b#c", "https://there/v1"),
        ("http://me:wo/rd@there", "http://there"),
        ("me:word@there/v1", "there/v1"),
        ("http://[::1/v1?a", "http://[::1/v1"),
    ],
)
def test_addresses_are_shown_without_secrets(url, shown):
    assert shown_address(url) == shown
    assert bool(hidden_in(url)) == (url not in (shown, ""))


def test_rows_are_asked_side_by_side(poker):
    views = np.concatenate([first_view(poker, seed) for seed in range(12)])

    def reply(request, number):
        return answer("Move: bet" if "cards K" in request["messages"][0]["content"] else "Move: pass")

    with serving(reply) as server:
        agent = asked(server, poker, concurrency=4)
        actions, _ = agent.act(views, np.arange(12, dtype=np.uint64))
        agent.close()
    assert actions.tolist() == (views["cards"][:, 0] == 2).astype(int).tolist()
    assert 0 < actions.sum() < 12


def test_what_has_been_answered_is_not_asked_again_after_a_failure(poker):
    views = np.concatenate([first_view(poker, seed) for seed in range(4)])
    seeds = np.arange(4, dtype=np.uint64)
    with serving(lambda request, number: fault(500, "once") if number == 3 else answer("Move: bet")) as server:
        agent = asked(server, poker, concurrency=1)
        with pytest.raises(LlmError, match="once"):
            agent.act(views, seeds)
        assert agent.act(views, seeds)[0].tolist() == [1, 1, 1, 1]
        agent.close()
    assert len(server.requests) == 5


def test_what_is_forced_is_not_asked():
    configured = game("confusion-mini", max_turns=4)
    states = configured.start(1)
    configured.play(states, int(configured.legal(states)[0]))
    view = configured.view(states, 1)
    assert configured.legal(view).size == 1  # the piece is no Double Agent: the answer is the truth
    with serving([answer("Move: bet")]) as server:
        agent = asked(server, configured)
        assert agent.act(view, SEEDS)[0] == configured.legal(view)
    assert not server.requests
    assert agent.decisions[0].is_forced


def random_model(seed):
    """Return a server's replies that state a move from the prompt's list, in Markdown."""
    luck = Random(seed)

    def reply(request, number):
        moves = listed_moves(request["messages"][-1]["content"])
        rejected, chosen = luck.choice(moves), luck.choice(moves)
        return answer(f"<think>Hm.</think>I could play\n\n- Move: {rejected}\n\nbut I do not.\n\n**Move:** `{chosen}`.")

    return reply


@pytest.mark.parametrize("name", [n for n in VARIANTS if n.endswith(("-mini", "-sir", "-neutral"))])
def test_from_text_to_move_to_text_whole_games_can_be_played(name):
    configured = variant(name)
    with serving(random_model(1)) as server:
        agent = asked(server, configured)
        played = play_match(configured, {"llm": agent}, 2, batch=2)
        agent.close()
    assert (played.reasons > 0).all()
    assert server.requests
    assert agent.incidents == []
    assert len(agent.decisions) == played.plies.sum()
    assert len(server.requests) == sum(not decision.is_forced for decision in agent.decisions)


def test_a_match_against_another_agent_has_notes(poker):
    with serving([answer("Move: bet"), answer("nothing")]) as server:
        agent = asked(server, poker, attempts=1)
        played = play_match(poker, {"llm": agent, "random": RandomAgent(poker)}, 4)
        agent.close()
    assert played.games == 4
    made = len(agent.decisions)
    assert notes_of(agent)[0] == f"{made - 1} of {made} decisions were random legal moves after a bad answer."
    assert notes_of(RandomAgent(poker)) == []
    assert not is_reproducible(agent)


def test_a_match_says_why_it_ended(poker):
    with serving([answer("Move: bet")]) as server:
        agent = asked(server, poker, budget=1)
        with pytest.raises(MatchError, match=r"agent 'llm' failed in game.*budget is spent"):
            play_match(poker, {"llm": agent}, 40, batch=1)
        agent.close()


def test_where_games_can_be_forfeited_a_final_fault_loses_them_all(poker):
    with serving([fault(404, "no such model")]) as server:
        agent = asked(server, poker)
        table = Table(
            poker,
            {"llm": agent, "random": RandomAgent(poker)},
            1,
            np.arange(6),
            np.tile([0, 1], (6, 1)),
            may_forfeit=True,
        )
        results = table.play()
        agent.close()
    assert len(server.requests) <= agent.concurrency
    assert set(results.faults) == set(range(6))
    assert "no such model" in results.faults[0]
    assert (results.returns[:, 0] == poker.min_return).all()


@pytest.fixture
def registered(monkeypatch):
    """Register the agent, as an installed package does."""

    def points(group):
        return [p for p in entry_points(group=group) if p.name != "llm"] + [
            EntryPoint("llm", "agents.llm:LlmAgent", group)
        ]

    monkeypatch.setattr("agents.names.entry_points", points)


def test_the_command_match_prints_the_notes(registered, monkeypatch):
    with serving([answer("no idea")]) as server:
        monkeypatch.setenv("KGB_LLM_URL", server.url)
        monkeypatch.setenv("KGB_LLM_MODEL", "m")
        words = ["match", "double_agent-mini", "llm(attempts=1)", "--games", "2", "--option", "max_turns=1"]
        result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    asked = len(server.requests)
    assert f"llm(attempts=1): {asked} of {asked} decisions were random legal moves after a bad answer." in result.output
    assert "llm(attempts=1) may choose otherwise another time" in result.output


def test_the_command_match_says_what_is_missing(registered):
    result = CliRunner().invoke(app, ["match", "double_agent-mini", "llm", "--games", "2"])
    assert result.exit_code == 2
    assert (
        "kgb: agent 'llm': the address of a server is missing: set the environment variable KGB_LLM_URL"
        in result.output
    )


def test_who_looks_for_an_agent_that_explains_itself_passes_it_by(registered):
    assert explaining_agent(game("double_agent")) == "deduction"


def test_a_part_in_a_game_of_roles_has_notes_of_its_own():
    configured = game("double_agent-mini", max_turns=1)
    with serving([answer("no idea")]) as server:
        agent = asked(server, configured, attempts=1)
        players = RolesAgent(configured, double_agent=agent, security_agent="random")
        play_match(configured, {"roles": players}, 2)
        agent.close()
    assert notes_of(players)[0].startswith(f"double_agent: {len(server.requests)} of {len(server.requests)} decisions")


def test_it_goes_to_other_processes_without_connections_and_key(poker, monkeypatch):
    monkeypatch.setenv("KGB_LLM_KEY", "very-secret")
    with serving([answer("Move: bet")]) as server:
        agent = asked(server, poker)
        view = first_view(poker)
        agent.act(view, SEEDS)
        data = pickle.dumps(agent)
        agent.close()
        copy = pickle.loads(data)
        assert copy.act(view, SEEDS)[0] == parse_move(view, "bet")
        copy.close()
    assert b"very-secret" not in data
    assert server.keys == ["Bearer very-secret"] * 2
    assert copy.tokens == 220


def test_settings_come_from_the_environment_and_arguments_go_first(poker, monkeypatch):
    monkeypatch.setenv("KGB_LLM_URL", "http://localhost:1/v1/chat/completions")
    monkeypatch.setenv("KGB_LLM_MODEL", "small")
    assert (LlmAgent(poker).url, LlmAgent(poker).model) == ("http://localhost:1/v1", "small")
    named = make_agent(poker, 'agents.llm:LlmAgent(model="large", attempts=5, url="http://there/v1/")')
    assert (named.url, named.model, named.attempts) == ("http://there/v1", "large", 5)


def test_what_is_missing_is_named(poker, monkeypatch, tmp_path):
    with pytest.raises(AgentError, match=r"set the environment variable KGB_LLM_URL, or give url=\.\.\."):
        LlmAgent(poker)
    with pytest.raises(AgentError, match="KGB_LLM_MODEL"):
        LlmAgent(poker, url="http://localhost:1/v1")
    with pytest.raises(AgentError, match="attempts=0"):
        make_agent(poker, "agents.llm:LlmAgent(url=a, model=b, attempts=0)")
    with pytest.raises(AgentError, match="transcript="):
        LlmAgent(poker, url="http://localhost:1/v1", model="m", transcript=str(tmp_path / "missing" / "said.jsonl"))
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(AgentError, match=r"pip install 'kgb-env\[llm\]'"):
        LlmAgent(poker, url="http://localhost:1/v1", model="m")


def test_a_transcript_holds_every_prompt_and_answer(poker, tmp_path):
    path = tmp_path / "said.jsonl"
    with serving([answer("Move: raise"), answer("Move: pass")]) as server:
        act_once(asked(server, poker, transcript=str(path)))
    first, second = map(json.loads, path.read_text().splitlines())
    assert first["messages"] == server.requests[0]["messages"]
    assert second["messages"] == server.requests[1]["messages"]
    assert first["answer"]["text"] == "Move: raise"
    assert "no choice" in first["fault"]
    assert second["fault"] == ""

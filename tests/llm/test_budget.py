"""What the answers of a language model cost: how tokens are counted, and how a budget ends."""

import json
import pickle

import pytest

from agents.llm import LlmError
from tests.llm.asking import act_once, asked
from tests.llm.chat_server import TOKENS, Reply, answer, serving

pytest.importorskip("openai")


def test_the_budget_ends_it(poker):
    with serving([answer("Move: bet")]) as server:
        agent = asked(server, poker, budget=250)
        for _ in range(3):
            act_once(agent)
        with pytest.raises(LlmError, match="the budget is spent: 330 of 250 tokens") as error:
            act_once(agent)
    assert error.value.is_final
    assert len(server.requests) == 3


def test_no_budget_can_be_kept_without_figures(poker):
    with serving([answer("Move: bet", usage=None)]) as server:
        assert act_once(asked(server, poker)) == "bet"
        with pytest.raises(LlmError, match="does not say how many tokens"):
            act_once(asked(server, poker, budget=1000))


@pytest.mark.parametrize(
    ("usage", "spent"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 10}, 110),
        ({"prompt_tokens": 0, "completion_tokens": 10, "total_tokens": 10}, 10),
        ({"prompt_tokens": 100, "completion_tokens": None, "total_tokens": 110}, 100),
        ({"total_tokens": 110}, 110),
        (
            {"prompt_tokens": "100", "completion_tokens": 10, "total_tokens": 110},
            110,
        ),  # the client reads it as a number
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 110}, 110),
    ],
)
def test_tokens_are_counted_as_the_server_tells_them(poker, usage, spent):
    with serving([answer("Move: bet", usage=usage)]) as server:
        agent = asked(server, poker, budget=1000)
        act_once(agent)
    assert agent.tokens == agent.purse.spent == spent


@pytest.mark.parametrize("usage", [{}, None, "110", 7, [], {"prompt_tokens": 0, "completion_tokens": 0}])
def test_what_tells_no_figure_ends_a_budget(poker, usage):
    with serving([answer("Move: bet", usage=usage)]) as server:
        assert act_once(asked(server, poker)) == "bet"
        agent = asked(server, poker, budget=1000)
        for _ in range(3):
            with pytest.raises(LlmError, match="does not say how many tokens") as error:
                act_once(agent)
            assert error.value.is_final
    assert len(server.requests) == 2, "what cannot be counted is not asked for again"
    assert pickle.loads(pickle.dumps(agent)).purse.fault


@pytest.mark.parametrize("budget", [None, 1000])
@pytest.mark.parametrize("figure", ["many", "-5", -5, 1e308, 10.5, [1], {}])
def test_figures_that_are_none_are_an_error(poker, figure, budget):
    usage = {"prompt_tokens": figure, "completion_tokens": 10, "total_tokens": 10}
    with serving([answer("Move: bet", usage=usage)]) as server:
        agent = asked(server, poker, budget=budget)
        with pytest.raises(LlmError, match="whole numbers are expected") as error:
            act_once(agent)
        agent.close()
    assert error.value.is_final == (budget is not None)
    assert agent.tokens == 0


@pytest.mark.parametrize(
    "choices", [[], None, {}, [None], [{"message": {"content": ["a"]}}], [{"message": {"content": 4}}]]
)
def test_what_is_paid_counts_even_if_it_is_no_answer(poker, choices):
    whole = {"object": "chat.completion", "choices": choices, "usage": TOKENS}
    with serving([Reply(200, json.dumps(whole).encode())]) as server:
        agent = asked(server, poker, budget=200)
        for _ in range(2):
            with pytest.raises(LlmError, match="something else than a chat completion"):
                act_once(agent)
        with pytest.raises(LlmError, match="the budget is spent: 220 of 200"):
            act_once(agent)
    assert len(server.requests) == 2


def test_a_purse_can_be_shared_and_goes_to_other_processes_as_its_count(poker):
    with serving([answer("Move: bet")]) as server:
        first, second = asked(server, poker, budget=200), asked(server, poker, budget=200)
        second.purse = first.purse
        act_once(first)
        act_once(second)
        for agent in (first, second, pickle.loads(pickle.dumps(second))):
            with pytest.raises(LlmError, match="the budget is spent: 220 of 200"):
                act_once(agent)
    assert len(server.requests) == 2

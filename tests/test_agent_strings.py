"""Agents with arguments, written as texts, are read in one place and checked before anything runs."""

import ast
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from agents import AgentError, is_reproducible, make_agent, parse_agent
from experiments.cli import app
from experiments.config import MatchConfig, read_configuration
from kgb_env import game
from tests.kuhn import ID

pytestmark = pytest.mark.nojit


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("greedy", "greedy", {}),
        (" greedy ( ) ", "greedy", {}),
        ("ismcts(simulations=400, time_budget=0.5)", "ismcts", {"simulations": 400, "time_budget": 0.5}),
        (
            "a(b=-1, c=None, d=True, e=[1, 'x'], f={'g': (2,)})",
            "a",
            {"b": -1, "c": None, "d": True, "e": [1, "x"], "f": {"g": (2,)}},
        ),
        ("a(table=glove, b='glove', c=[glove, x.y])", "a", {"table": "glove", "b": "glove", "c": ["glove", "x.y"]}),
        ("a(b='1', c='None', d='x y', e='p/q')", "a", {"b": "1", "c": "None", "d": "x y", "e": "p/q"}),
        ("ismcts(rollout=greedy)", "ismcts", {"rollout": "greedy"}),
        (
            "ismcts(rollout = inference( answers=always_yes ))",
            "ismcts",
            {"rollout": "inference(answers=always_yes)"},
        ),
        ("a-b.c(d=e(f=g(h=1)))", "a-b.c", {"d": "e(f=g(h=1))"}),
    ],
)
def test_texts_are_read(text, name, arguments):
    call = parse_agent(text)
    assert call == (name, arguments)
    assert parse_agent(str(call)) == call
    assert str(parse_agent(str(call))) == str(call)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("ismcts( simulations =400,time_budget=.50 )", "ismcts(simulations=400, time_budget=0.5)"),
        ("a(b='glove', c='x y', d=\"1\", e='f( g=1)')", "a(b=glove, c='x y', d='1', e='f( g=1)')"),
        ("a()", "a"),
    ],
)
def test_a_text_has_one_normal_form(text, normal):
    assert str(parse_agent(text)) == normal


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("ismcts(simulations=4", r"'\(' was never closed \(character 7\)"),
        ("ismcts(simulations=4))", r"unmatched '\)' \(character 22\)"),
        ("ismcts(a=[1, 2)", "closing parenthesis"),
        ("ismcts(a='b)", "unterminated string"),
        ("ismcts(simulations=)", r"invalid syntax \(character 20\)"),
        ("ismcts(a=1)b", "invalid syntax"),
        ("ismcts(a=1)(b=2)", "after the closing bracket"),
        ("ismcts(400)", "'400' has no name"),
        ("ismcts(**many)", "'many' has no name"),
        ("ismcts(a=1, a=2)", "a is given twice"),
        ("ismcts(a=b-c)", "a=b - c is no Python literal"),
        ("ismcts(rollout=b(1))", "'1' has no name"),
        ("(a=1)", "'' is no name"),
        ("", "'' is no name"),
        ("ismcts simulations=400", "is no name"),
        ("a(b=\0)", "null"),
        (f"a(b={'[' * 400}", "nested"),
        ("a(b=" + "c(d=" * 4 + "e" + ")" * 5, "too deeply nested, 4 agents"),
        (f"a(b={'c' * 500})", "505 letters, 500 are allowed"),
        ("ismcts(rollout=" * 30 + "random" + ")" * 30, "nested"),
        (400, "got int"),
    ],
)
def test_a_bad_text_is_refused_and_the_form_is_shown(text, fault):
    with pytest.raises(AgentError, match=rf"(?s){fault}.*write NAME or NAME\(argument=value"):
        parse_agent(text)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("ismcst", "no agent 'ismcst' plays confusion, did you mean 'ismcts'; there are .*random"),
        ("ismcts(simulation=4)", "no 'simulation', did you mean 'simulations'; it takes simulations, time_budget"),
        ("greedy(depth=3)", "'greedy': there is no 'depth'; it takes none"),
        ("ismcts(worlds=4)", "no 'worlds'"),
        ("ismcts(simulations=0)", "simulations=0: .*greater than or equal to 1"),
        ("ismcts(simulations=0.5)", "simulations=0.5: .*valid integer"),
        ("ismcts(simulations=many)", "simulations='many': .*valid integer"),
        ("ismcts(simulations=True)", "simulations=True: .*valid integer"),
        ("ismcts(time_budget=0)", "time_budget=0: .*greater than 0"),
        ("ismcts(time_budget=1e999)", "time_budget=inf: .*finite"),
        ("ismcts(exploration=-1)", "exploration=-1: .*greater than or equal to 0"),
        ("ismcts(rollout_plies=-1)", "rollout_plies=-1"),
        ("ismcts(rollout=4)", "rollout=4: .*Agent or .*string"),
        ("ismcts(rollout=gredy)", "'ismcts': no agent 'gredy' plays confusion, did you mean 'greedy'"),
        ("ismcts(rollout=pimc(worlds=0))", "'ismcts': agent 'pimc': worlds=0"),
        ("ismcts(evaluation=f)", "evaluation='f': .*callable"),
        ("pimc(worlds=-3)", "worlds=-3"),
    ],
)
def test_a_bad_argument_is_refused_and_the_good_ones_are_named(text, fault):
    with pytest.raises(AgentError, match=fault):
        make_agent("confusion-mini", text)


def test_arguments_come_from_text_and_keywords():
    agent = make_agent("confusion-mini", "ismcts(simulations=3)", rollout_plies=2)
    assert agent.is_reproducible
    with pytest.raises(AgentError, match="simulations is given in the text and as a keyword"):
        make_agent("confusion-mini", "ismcts(simulations=3)", simulations=4)


def test_agents_say_whether_they_are_reproducible():
    for text, answer in {
        "random": True,
        "greedy": True,
        "ismcts": True,
        "ismcts(time_budget=0.1)": False,
        "pimc(simulations=9, time_budget=1)": False,
        "ismcts(rollout=ismcts(time_budget=0.1))": False,
    }.items():
        assert is_reproducible(make_agent("confusion-mini", text)) is answer


def test_labels_show_the_text_in_its_normal_form():
    config = MatchConfig.parse({"game": ID, "agents": ["ismcts( simulations=2 )", "ismcts(simulations=2)", "random()"]})
    assert config.labels == ["ismcts(simulations=2)", "ismcts(simulations=2)#2", "random"]
    with pytest.raises(AgentError, match="never closed"):
        MatchConfig.parse({"game": ID, "agents": ["ismcts("]}).labels  # noqa: B018


def kgb(*arguments):
    return CliRunner().invoke(app, list(arguments))


def test_the_command_and_configurations_take_them(tmp_path):
    told = kgb("match", ID, "ismcts(simulations = 2)", "random", "--games", "4", "--json")
    assert [row["name"] for row in json.loads(told.stdout)["agents"]] == ["ismcts(simulations=2)", "random"]
    path = tmp_path / "mine.toml"
    path.write_text(f"game = '{ID}'\nagents = ['ismcts(simulations = 2)', 'random']\ngames = 4\n")
    assert read_configuration("match", str(path))["agents"][0] == "ismcts(simulations = 2)"
    assert kgb("match", str(path), "--json").stdout == told.stdout


def test_the_command_says_what_is_wrong_and_what_cannot_be_reproduced():
    told = kgb("match", ID, "ismcts(simulatoins=2)", "random")
    assert told.exit_code == 2
    assert "did you mean 'simulations'" in told.stderr
    told = kgb("match", ID, "ismcts(time_budget=0.001)", "random", "--games", "2")
    assert "cannot be reproduced" in told.stdout


def test_an_agent_object_plays_a_part():
    poker = game(ID)
    agent = make_agent(poker, "ismcts", simulations=2, rollout=make_agent(poker, "random"))
    states = poker.start(1)
    assert agent.act(poker.view(states, 0), np.zeros(1, np.uint64))[0][0] in (0, 1)


def nested(levels, quote):
    text = "x"
    for level in range(levels):
        text = f"a(b={text!r})" if quote and level % quote == 0 else f"a(b={text})"
    return text


@pytest.mark.parametrize("quote", [0, 1, 2, 3, 4])
def test_agents_inside_of_each_other_are_read_once(quote, monkeypatch):
    parse, read = ast.parse, []
    monkeypatch.setattr(ast, "parse", lambda *args, **kwargs: read.append(args) or parse(*args, **kwargs))
    for levels in range(1, 12 if quote == 1 else 24):  # quotes inside of quotes double the text
        read.clear()
        text, fault = nested(levels, quote), None
        try:
            assert str(parse_agent(text))
        except AgentError as error:
            fault = error
        assert fault is None or "allowed" in str(fault)
        assert len(read) <= 2  # once to read it, once to see that it is written as it is read

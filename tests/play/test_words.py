"""What a person is told in words: Markdown as HTML, who a seat is, and what every game tells."""

import re

import pytest

import kgb_env
from experiments.play import words
from kgb_env.registry import BUILT_IN


def test_lists_become_lists():
    text = "Goal:\n- one `a < b`\n  - in it\n  - too\n- two\n\nEnd:\n- <b> & co"
    assert words.as_html(text) == (
        "<h3>Goal</h3><ul><li>one <code>a &lt; b</code><ul><li>in it</li><li>too</li></ul></li><li>two</li></ul>"
        "<h3>End</h3><ul><li>&lt;b&gt; &amp; co</li></ul>"
    )
    assert words.as_html("") == ""


def test_lists_that_end_within_lists_are_closed():
    assert words.as_html("- a\n  - b") == "<ul><li>a<ul><li>b</li></ul></li></ul>"


@pytest.mark.parametrize("id", BUILT_IN)
def test_every_game_tells(id):
    game = kgb_env.game(f"{id}-mini")
    view = game.view(game.start(3), 1)
    for told in (words.rules(game), "\n".join(words.known(game, view))):
        html = words.as_html(told)
        assert html.count("<ul>") == html.count("</ul>") > 0
        assert html.count("<li>") == html.count("</li>") == len(re.findall(r"(?m)^ *- ", told))
    assert words.due(game, view) in game.notation.draw(game, view)
    assert words.who(game, view).startswith("You are seat 1")


def test_who_one_is():
    game = kgb_env.game("confusion-mini")
    states = game.start(3)
    assert words.who(game, game.view(states, 0)) == "You are seat 0, White."
    assert words.who(game, game.view(states, 1)) == "You are seat 1, Red."
    game = kgb_env.game("secret_formula-mini")
    assert words.who(game, game.view(game.start(3), 1)) == "You are seat 1."
    game = kgb_env.game("double_agent-mini")
    states = game.start(3)
    told = {words.who(game, game.view(states, seat)).partition(", ")[2] for seat in range(3)}
    assert told == {"a Security Agent.", "the Double Agent."}

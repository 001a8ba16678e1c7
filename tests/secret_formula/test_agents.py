"""The collector: legal everywhere, and it collects."""

import numpy as np
import pytest

import kgb_env
from agents import make_agent
from experiments.match import play_match
from experiments.statistics import summarize

OPTIONS = {
    "two": {"players": 2},
    "standard": {},
    "mercy": {"players": 3, "mercy": True},
    "deluxe": {"deluxe": True},
    "mini": {"board": "mini", "players": 2},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_it_plays_every_option_legally_and_to_an_end(name):
    """The match runner refuses what is illegal."""
    game = kgb_env.game("secret_formula", **{"max_rounds": 40, **OPTIONS[name]})
    played = play_match(game, {"collector": make_agent(game, "collector")}, games=8, seed=3)
    assert (played.reasons > 0).all()


def test_it_beats_random_players():
    game = kgb_env.game("secret_formula", players=2)
    agents = {name: make_agent(game, name) for name in ("collector", "random")}
    rows = {row["name"]: row for row in summarize(play_match(game, agents, games=60))["agents"]}
    assert rows["collector"]["score_low"] > 0.8


def test_a_choice_depends_on_nothing_but_its_row():
    game = kgb_env.game("secret_formula-mini")
    batch = kgb_env.BatchEnv(game, 40, seed=3)
    for _ in range(15):
        batch.step(batch.frame.action_mask.argmax(axis=1))
    views, seeds, agent = batch.frame.views, np.arange(40, dtype=np.uint64), make_agent(game, "collector")
    together, carry = agent.act(views, seeds)
    alone = [agent.act(views[i : i + 1], seeds[i : i + 1])[0][0] for i in range(40)]
    assert carry is None
    assert together.tolist() == alone

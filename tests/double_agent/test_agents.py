"""The agents that do not deduce: naive, rate, and one agent a role."""

import numpy as np
import pytest

import kgb_env
from agents import AgentError, make_agent
from experiments.match import decisions, play_match
from kgb_env import BatchEnv, derive_seed
from kgb_env.games.double_agent.boards import names_of
from kgb_env.games.double_agent.spec import (
    DOUBLE_AGENT,
    ESCAPE,
    GO,
    INSPECT,
    INSPECTION,
    OFF,
    OPENING,
    SABOTAGE,
    SECURITY_AGENT,
    STAY,
)
from tests.double_agent.positions import dealt, inspected, own_game, standing, thrown
from tests.random_play import random_states

nojit = pytest.mark.nojit  # the light ones

SEEDS = np.array([derive_seed(1, i, 0) for i in range(40)], np.uint64)
OPTIONS = {
    "three": {"players": 3},
    "standard": {},
    "five": {"players": 5, "rewards": "team"},
    "six": {"players": 6},
    "deluxe": {"deluxe": True, "players": 4},
    "deluxe five": {"deluxe": True, "players": 5},
    "deluxe six": {"deluxe": True, "rewards": "team"},
    "mini": {"board": "mini", "players": 3, "max_turns": 20},
    "mini six": {"board": "mini", "players": 6, "max_turns": 20, "rewards": "team"},
}
AGENTS = (
    "naive",
    "rate(p=0.3)",
    "roles(double_agent=rate(p=0.7))",
    "blind",
    "deduction",
    "bluffing",
    "expert(rate=0.4)",
)


@pytest.fixture
def camp(tmp_path):
    return own_game(tmp_path)


@pytest.fixture(params=AGENTS)
def agent(request):
    return make_agent("double_agent", request.param)


def choices(game, states, name, seeds=SEEDS):
    """Return all that the seat to move may choose with these seeds, as texts."""
    views = game.view(states, states["to_move"]).repeat(seeds.size)
    actions, carry = make_agent(game, name).act(views, seeds)
    assert carry is None
    return {game.notation.action(game, states, int(action)) for action in actions}


def sectors_reached(game, states, name):
    """Return the codes of the sectors in which a seat's choices land, ``""`` outside."""
    cells, codes = names_of(game).cells, [*names_of(game).sectors, ""]
    sectors = game.tables[0].sector
    return {codes[sectors[cells.index(text.removeprefix("go "))]] for text in choices(game, states, name)}


# What every agent promises


@pytest.mark.parametrize(
    "options",
    [pytest.param(options, id=name, marks=[nojit] * (name in ("three", "mini"))) for name, options in OPTIONS.items()],
)
def test_choices_are_legal(options):
    """In their own games, where the match runner refuses what is illegal, and wherever random play leads."""
    game = kgb_env.game("double_agent", **{"max_turns": 12} | options)
    agents = {name: make_agent(game, name) for name in AGENTS}
    for name, agent in agents.items():
        play_match(game, {name: agent}, games=4, seed=2)
    for states in list(random_states(game, seed=1))[:-1:5]:
        for agent in agents.values():
            actions, _ = agent.act(game.view(states, states["to_move"]), SEEDS[:1])
            assert actions[0] in game.legal(states)


def test_a_choice_depends_on_nothing_but_its_row(agent):
    batch, rng = BatchEnv(agent.game, SEEDS.size, seed=3), np.random.default_rng(0)
    for _ in range(45):
        mask = batch.frame.action_mask
        batch.step((mask * rng.random(mask.shape)).argmax(axis=1))
    views, before = batch.frame.views, batch.frame.views.tobytes()
    together, carry = agent.act(views, SEEDS, agent.initial_carry(SEEDS.size))
    alone = [agent.act(views[i : i + 1], SEEDS[i : i + 1])[0][0] for i in range(SEEDS.size)]
    reverse = agent.act(views[::-1].copy(), SEEDS[::-1].copy())[0][::-1]
    assert together.tolist() == alone == reverse.tolist()
    assert views.tobytes() == before
    assert carry is None
    assert (agent.act(views, SEEDS[::-1].copy())[0] != together).any()


@nojit
@pytest.mark.parametrize("double_agent", [0, 1])
def test_it_stays_where_it_cannot_land(tmp_path, double_agent):
    """In the gazebo, with all that a two leads to taken; a Security Agent could accuse instead."""
    camp = own_game(tmp_path, players=5)
    states = standing(camp, dealt(camp, double_agent), {1: "b4", 2: "d4", 3: "c3", 4: "b6"})
    states = thrown(states, 0, 2)
    assert STAY in camp.legal(states)
    for name in AGENTS:
        if name != "blind":
            assert choices(camp, states, name) == {"stay"}


# Naive


def naive_decisions(games=6, **options):
    """Yield the states and the choice at every decision between naive agents."""
    game = kgb_env.game("double_agent", **options)
    agent = make_agent(game, "naive")
    for deal in range(games):
        for states, seeds in decisions(game, agent, 5, deal):
            if not states["over"][0]:
                actions, _ = agent.act(game.view(states, states["to_move"]), seeds)
                yield game, states, int(actions[0])


def test_naive_sabotages_whenever_it_can_and_leaves_whenever_it_can():
    sabotaged = left = 0
    for game, states, action in naive_decisions(max_turns=20):
        can = game.legal(states)
        if SABOTAGE in can:
            assert action == SABOTAGE
            sabotaged += 1
        gates = [a for a in can if game.actions.where(int(a))[0] == "leave"]
        if gates:
            assert action in gates
            left += 1
        if states["phase"][0] == INSPECTION and states["role"][0, states["to_move"][0]] == SECURITY_AGENT:
            assert action == INSPECT
    assert sabotaged >= 20
    assert left >= 3


def test_naive_never_accuses_wrongly():
    """What is left by elimination is certain."""
    game = kgb_env.game("double_agent", players=3)
    agents = {"roles": make_agent(game, "roles(double_agent=rate(p=0.3))")}
    played = play_match(game, agents, games=40, seed=1)
    assert (played.returns.min(axis=1) >= -0.5).all()  # -1/(n-1): nobody has lost a stake
    assert (played.reasons != ESCAPE).any()


@nojit
def test_naive_opens_anywhere(camp):
    states = dealt(camp, double_agent=0, opening=None, first=0)
    assert states["phase"][0] == OPENING
    assert choices(camp, states, "naive") == {f"open {code}" for code in names_of(camp).sectors}


@nojit
def test_naive_walks_to_the_nearest_of_the_monitors_not_seen_for_longest(camp):
    states = standing(camp, dealt(camp, double_agent=3), {0: "i2"})
    assert sectors_reached(camp, thrown(states, 0, 4), "naive") == {"HUT"}  # as near as the Kitchen
    states = inspected(camp, states, "0 HUT", "1 KIT")
    assert sectors_reached(camp, thrown(standing(camp, states, {0: "i2"}), 0, 4), "naive") == {"KIT"}
    states = inspected(camp, states, "0 KIT", "0 GAR", "0 LAB", "0 KIT")
    assert sectors_reached(camp, thrown(standing(camp, states, {0: "i2"}), 0, 4), "naive") == {"HUT"}


@nojit
def test_naive_does_not_wait_where_it_may_not_inspect(camp):
    """D7: from the Kitchen that it has just inspected it goes elsewhere, though that was the only one it had seen."""
    states = inspected(camp, standing(camp, dealt(camp, double_agent=3), {0: "k4"}), "0 KIT")
    assert "KIT" not in sectors_reached(camp, thrown(states, 0, 8), "naive")


@nojit
def test_naive_accuses_when_one_suspect_is_left(camp):
    """D16's reasoning: the Kitchen went from ON to OFF while only seat 2 was there."""
    states = dealt(camp, double_agent=2, opening="GAR")
    states = inspected(camp, states, "0 KIT", "1 HUT", "2 KIT sabotage", "0 HUT")
    states = standing(camp, states, {0: "i2", 1: "h2", 2: "k4"})
    assert not any(text.startswith("accuse") for text in choices(camp, thrown(states, 0, 6), "naive"))
    states = standing(camp, inspected(camp, states, "0 KIT"), {0: "i2"})
    assert choices(camp, thrown(states, 0, 6), "naive") == {"accuse 2"}


@nojit
def test_naive_follows_whom_it_cannot_reach(camp):
    states = inspected(camp, dealt(camp, double_agent=2, opening="GAR"), "0 KIT", "2 KIT sabotage", "0 KIT")
    states = standing(camp, states, {0: "b2", 1: "h2", 2: "q2"})
    assert choices(camp, thrown(states, 0, 2), "naive") == {"go d2"}


@nojit
def test_naive_suspects_several_or_the_last_not_cleared(camp):
    states = dealt(camp, double_agent=2, opening="GAR")
    states = inspected(camp, states, "0 KIT", "1 KIT", "2 KIT sabotage", "0 KIT")
    states = thrown(standing(camp, states, {0: "i2", 1: "h2", 2: "k4", 3: "q2"}), 0, 6)
    assert not any(text.startswith("accuse") for text in choices(camp, states, "naive"))
    states["exposed"][0, 1] = states["out"][0, 3] = 1
    assert choices(camp, states, "naive") == {"accuse 2"}


@nojit
def test_naive_double_agent_goes_for_what_is_on_and_then_for_a_gate(camp):
    states = standing(camp, dealt(camp, double_agent=0, opening="HUT"), {0: "h2"})
    assert sectors_reached(camp, thrown(states, 0, 6), "naive") == {"KIT"}  # the Hut is nearer, but OFF
    states = inspected(camp, states, "0 KIT sabotage", "0 GAR sabotage")
    states = standing(camp, states, {0: "g2"})
    assert (states["monitor"][0] == OFF).sum() >= camp.tables[0].needed
    assert choices(camp, thrown(states, 0, 2), "naive") == {"go e2"}
    assert choices(camp, thrown(states, 0, 8), "naive") == {"leave west"}


# Rate


def test_rate_sabotages_at_its_rate():
    for p in (0.0, 0.25, 1.0):
        game, did = kgb_env.game("double_agent", max_turns=15), []
        agent = make_agent(game, "rate", p=p)
        for deal in range(6):
            for states, _ in decisions(game, agent, 9, deal):
                if not states["over"][0] and SABOTAGE in game.legal(states):
                    views = game.view(states, states["to_move"]).repeat(SEEDS.size)
                    did.extend(agent.act(views, SEEDS)[0] == SABOTAGE)
        assert len(did) > 400
        assert np.mean(did) == pytest.approx(p, abs=0.1 if 0 < p < 1 else 0)


def test_rate_walks_like_a_security_agent():
    """Whatever its role: with the same list and the same seed, it goes the same way."""
    game, compared = kgb_env.game("double_agent", max_turns=10), 0
    rate, naive = make_agent(game, "rate"), make_agent(game, "naive")
    for states, seeds in decisions(game, rate, 3):
        seat = int(states["to_move"][0])
        if seat < 0 or states["phase"][0] != GO or states["role"][0, seat] != DOUBLE_AGENT:
            continue
        like = states.copy()
        like["role"][0, [seat, (seat + 1) % 4]] = SECURITY_AGENT, DOUBLE_AGENT
        like["found"][0, :] = np.where(like["found"][0] > OFF, OFF, like["found"][0])
        chosen = [agent.act(game.view(s, seat), seeds)[0][0] for agent, s in ((rate, states), (naive, like))]
        if chosen[1] >= game.actions.go.start:
            assert chosen[0] == chosen[1]
            compared += 1
    assert compared > 5


@pytest.mark.parametrize("p", ["-0.1", "1.1", "'often'", "None"])
def test_rate_is_a_probability(p):
    with pytest.raises(AgentError, match="p="):
        make_agent("double_agent", f"rate(p={p})")


# Roles


def test_each_role_is_played_by_its_agent():
    game = kgb_env.game("double_agent", max_turns=10)
    parts = {"double_agent": "rate(p=0.0)", "security_agent": "random"}
    agent, others = make_agent(game, "roles", **parts), {name: make_agent(game, text) for name, text in parts.items()}
    asked = set()
    for states, seeds in decisions(game, agent, 3):
        seat = int(states["to_move"][0])
        if seat >= 0:
            role = "double_agent" if states["role"][0, seat] == DOUBLE_AGENT else "security_agent"
            view = game.view(states, seat)
            assert agent.act(view, seeds)[0] == others[role].act(view, seeds)[0]
            asked.add(role)
    assert asked == set(parts)


def test_roles_are_played_by_agents_of_this_game_without_a_memory():
    class Remembers:
        def initial_carry(self, n):
            return np.zeros(n)

        def act(self, views, seeds, carry=None):
            raise NotImplementedError

    game = kgb_env.game("double_agent")
    with pytest.raises(AgentError, match="security_agent: an agent that has a memory"):
        make_agent(game, "roles", security_agent=Remembers())
    with pytest.raises(AgentError, match="no agent 'inference' plays double_agent"):
        make_agent(game, "roles(double_agent=inference)")
    with pytest.raises(AgentError, match="there is no 'guard'"):
        make_agent(game, "roles(guard=naive)")

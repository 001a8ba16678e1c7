"""The inference player: its probabilities against brute force, and what it does with them."""

from itertools import permutations

import numpy as np
import pytest

import kgb_env
from agents import AgentError, make_agent
from agents.confusion.belief import weigh_lies
from agents.confusion.bluff import likelihood_of, yes_chance
from agents.confusion.style import make_style
from experiments.match import decisions
from kgb_env.games.confusion.legality import decode, is_free_answer, waiting
from kgb_env.games.confusion.spec import (
    ANSWER,
    DOUBLE_AGENT,
    LETTERS,
    NO,
    PROPOSE,
    SEATS,
    SPIES,
    YES,
)
from tests.confusion.positions import DA, DEAL, RED, WHITE, dealt, legal, play, position

nojit = pytest.mark.nojit  # the light ones

GAME = kgb_env.game("confusion")
SEED = np.ones(1, np.uint64)
OPTIONS = {
    "standard": {},
    "tokens": {"special_actions": True},
    "honor": {"honor_among_spies": True},
    "tight": {"tight_setup": True},
    "safe": {"safe_extraction": True},
    "variable": {"variable_setup": True},
    "sir": {"promotion_sir": True},
    "all but honor": {"special_actions": True, "tight_setup": True, "safe_extraction": True, "promotion_sir": True},
    "auto": {"auto_answer": True},
    "mini": {"setup": "mini", "pieces": "mini", "max_turns": 20},
}


def choice(game, states, agent=None):
    """Return what the seat to move chooses, as a text."""
    agent = agent or make_agent(game, "inference")
    actions, _ = agent.act(game.view(states, states["to_move"]), SEED)
    return game.notation.action(game, states, int(actions[0]))


# Beliefs


def brute_force(game, states, seat, lies):
    """Return the marginals over all deals, each weighed on its own."""
    spies = int(game.tables[0].spies)
    pieces = [piece for piece in range(SPIES) if int(game.tables[0].pieces) >> piece & 1]
    chances = np.zeros((SPIES, SPIES))
    for deal in permutations(pieces):
        if all(int(states["possible"][0, seat, spy]) >> piece & 1 for spy, piece in enumerate(deal)):
            weight = lies[deal.index(DOUBLE_AGENT)] if DOUBLE_AGENT in deal else 1.0
            chances[np.arange(spies), deal] += weight
    return chances / chances[0].sum()


@pytest.mark.parametrize(
    "options",
    [
        {"setup": "mini", "pieces": "mini", "max_turns": 20},
        {"setup": "mini", "pieces": "mini", "max_turns": 20, "special_actions": True},
        {"setup": "mini", "pieces": "mini", "max_turns": 20, "promotion_sir": True},
        {"setup": "mini", "pieces": "mini", "max_turns": 20, "honor_among_spies": True},
    ],
    ids=["plain", "tokens", "sir", "honor"],
)
def test_marginals_are_those_of_brute_force(options):
    game, compared = kgb_env.game("confusion", **options), 0
    agent, players = make_agent(game, "inference"), [make_agent(game, name) for name in ("random", "inference")]
    for seed in range(6):
        for states, _ in decisions(game, players[seed % 2], seed):
            if states["over"][0]:
                break
            for seat in range(SEATS):
                view = game.view(states, seat)
                found = agent.beliefs(view)[0]
                lies = agent._memory["lies"][0, seat]
                assert np.abs(found - brute_force(game, states, seat, lies)).max() < 1e-9
                compared += 1
    assert compared > 100


def test_marginals_of_many_spies_are_those_of_brute_force():
    game = kgb_env.game("confusion-mini7")
    agent, player = make_agent(game, "inference"), make_agent(game, "random")
    for ply, (states, _) in enumerate(decisions(game, player, 3)):
        if states["over"][0] or ply > 40:
            break
        if ply % 8 == 0:
            found = agent.beliefs(game.view(states, WHITE))[0]
            assert np.abs(found - brute_force(game, states, WHITE, agent._memory["lies"][0, WHITE])).max() < 1e-9


@pytest.mark.parametrize("name", OPTIONS)
def test_answers_weigh_as_they_would_be_given(name):
    """What it finds by replaying the log is what it would have found at the table, for both seats."""
    game = kgb_env.game("confusion", **OPTIONS[name] | {"max_turns": 12})
    style, past, weighed = make_style(), game.new(1), 0
    for seed in range(3):
        lies = np.ones((SEATS, SPIES))
        asked = None
        for states, _ in decisions(game, make_agent(game, "random"), seed):
            if states["over"][0]:
                break
            s = states[0]
            if asked is not None and int(s.events) >= asked[0]:
                event, seat, spy, chance = asked
                entry = int(s.log[event - 1])
                if entry & 0b11 << 10 and chance is not None:
                    lies[seat, spy] *= likelihood_of(bool(entry & 1 << 11), chance, style[0])
                    weighed += 1
                    asked = None
            found = np.empty((SEATS, SPIES))
            seat = int(s.to_move)
            weigh_lies(game.view(states, seat)[0], past, found, style[0], game.tables[0])
            assert np.allclose(found, lies, rtol=1e-12)
            if s.phase == PROPOSE:
                chosen, _ = make_agent(game, "random").act(game.view(states, seat), _)
                asked = None
                if chosen[0] < NO:
                    kind, spy, direction, distance = decode(s, int(chosen[0]))
                    chance = None  # nothing is in doubt any more about a promoted spy, or one that must be the one
                    if not s.promoted[seat, spy] and int(s.possible[seat, spy]) & ~(1 << DOUBLE_AGENT):
                        chance = yes_chance(s, seat, kind, spy, direction, distance, style[0], game.tables[0])
                    asked = (int(s.events) + 1, seat, spy, chance)
    assert weighed > 20


def test_beliefs_are_calibrated_in_play():
    """A sample of `kgb calibrate confusion`."""
    from experiments.calibration import calibrate

    result = calibrate(GAME, "inference", games=40, seed=1)
    full = [row for row in result.bins if row.size >= 3000]  # decisions of one game are far from independent
    assert len(full) >= 4
    assert all(abs(row.predicted - row.observed) < 0.1 for row in full)


# What it does


@pytest.mark.parametrize("name", OPTIONS)
def test_it_plays_every_option_legally(name):
    game = kgb_env.game("confusion", **{"max_turns": 30, **OPTIONS[name]})
    agent = make_agent(game, "inference")
    for seed in range(2):
        *_, (states, _) = decisions(game, agent, seed)  # `play` refuses what is illegal
        assert states["over"][0]


def enemy_agent_asks(text, white=None, briefcase="f6"):
    """Return a position in which Red is asked about White's Double Agent, X."""
    white = white or {"X": "f4", "A": "a1"}
    deal = {**DEAL, "X": DA, "V": DEAL["X"]} if DEAL["X"] != DA else DEAL
    return play(GAME, position(GAME, white, {"A": "k11", "C": "j11"}, briefcase, deals=(deal, DEAL)), text)


def yes_chance_of(states):
    s = states[0]
    kind, spy, direction, distance = waiting(s)
    assert is_free_answer(s, 1 - int(s.to_move), spy)
    return yes_chance(s, 1 - int(s.to_move), kind, spy, direction, distance, make_style()[0], GAME.tables[0])


def test_it_lies_neither_always_nor_never():
    states = enemy_agent_asks("X f4-g4")
    chance = yes_chance_of(states)
    assert 0.1 < chance < 0.9
    seeds = np.array([kgb_env.derive_seed(1, i, 0) for i in range(400)], np.uint64)
    views = np.repeat(GAME.view(states, RED), seeds.size)
    answers, _ = make_agent(GAME, "inference").act(views, seeds)
    assert set(answers) == {NO, YES}
    assert abs((answers == YES).mean() - chance) < 0.1


@nojit
def test_it_never_says_yes_to_its_own_defeat():
    states = enemy_agent_asks("X f10-f11", {"X": "f10", "A": "a1"}, "f10")
    assert yes_chance_of(states) == 0.0


@nojit
def test_the_more_a_proposal_hurts_the_rarer_the_yes():
    harmless = yes_chance_of(enemy_agent_asks("X f4-f5"))
    fetching = yes_chance_of(enemy_agent_asks("X f4-f5", briefcase="f5"))
    assert fetching < harmless


@nojit
def test_it_keeps_its_story_consistent():
    """A yes that no piece which the spy still may be could give is never said; a no hardly ever."""
    states = enemy_agent_asks("X f4-g4")
    spy = LETTERS.index("X")
    for possible, expected in ((1 << 0 | 1 << DOUBLE_AGENT, 0.0), (1 << 5 | 1 << DOUBLE_AGENT, 1.0)):
        states["possible"][0, WHITE, spy] = possible  # the Runner never goes right, the Officer does
        assert yes_chance_of(states) == expected


def test_it_removes_its_own_double_agent_that_holds_the_briefcase():
    deal = {**DEAL, "X": DA, "V": DEAL["X"]} if DEAL["X"] != DA else DEAL
    states = position(GAME, {"X": "f8", "A": "e7", "C": "f7"}, {"A": "a11"}, "f8", deals=(deal, DEAL))
    states["possible"][0, WHITE, LETTERS.index("X")] = 1 << DOUBLE_AGENT
    for letter in "AC":
        states["possible"][0, WHITE, LETTERS.index(letter)] &= ~(1 << DOUBLE_AGENT)
    assert choice(GAME, states) == "out X"
    assert choice(GAME, states, make_agent(GAME, "inference(removes_double_agent=False)")) != "out X"


@nojit
def test_it_exposes_the_enemys_double_agent_to_save_the_briefcase():
    deal = {**DEAL, "X": DA, "V": DEAL["X"]} if DEAL["X"] != DA else DEAL
    states = position(GAME, {"A": "e10", "C": "f10"}, {"X": "e9", "A": "a11"}, "e9", deals=(DEAL, deal))
    states["possible"][0, WHITE, LETTERS.index("A")] = 1 << 6  # the Saboteur: straight back
    assert "expose" in legal(GAME, states)
    assert choice(GAME, states) in ("expose", "A e10xe9")


@nojit
def test_its_last_spy_is_not_removed():
    deal = {**DEAL, "X": DA, "V": DEAL["X"]} if DEAL["X"] != DA else DEAL
    states = position(GAME, {"X": "f8"}, {"A": "a11"}, "f8", deals=(deal, DEAL))
    states["possible"][0, WHITE, LETTERS.index("X")] = 1 << DOUBLE_AGENT
    assert choice(GAME, states) != "out X"


@nojit
def test_it_brings_the_briefcase_home():
    states = position(GAME, {"A": "b10"}, {"A": "k11", "C": "j11"}, "b10")
    assert choice(GAME, states) in ("A b10-a11", "A b10-b11", "A b10-c11")


@nojit
def test_it_captures_the_last_spy():
    """That wins (C11); the briefcase is not even near."""
    states = position(GAME, {"A": "b3", "C": "h6"}, {"A": "b4"}, "k6")
    states["possible"][0, WHITE, LETTERS.index("A")] = 1 << 0  # the Runner: straight on
    assert choice(GAME, states) == "A b3xb4"


@nojit
def test_it_never_lets_its_own_last_spy_be_captured():
    deal = {**DEAL, "X": DA, "V": DEAL["X"]} if DEAL["X"] != DA else DEAL
    states = play(GAME, position(GAME, {"X": "f4", "A": "a1"}, {"A": "g4"}, deals=(deal, DEAL)), "X f4xg4")
    assert yes_chance_of(states) == 0.0


def test_answers_that_prove_the_double_agent_do_not_add_up_to_nothing():
    """Two hundred times the enemy grants what no piece could do."""
    deal = {**DEAL, "X": DA, "V": DEAL["X"]} if DEAL["X"] != DA else DEAL
    states = dealt(GAME, deal, DEAL)
    agent, asked = make_agent(GAME, "inference"), 0
    while not states["over"][0]:
        actions = GAME.legal(states)
        texts = [GAME.notation.action(GAME, states, int(action)) for action in actions]
        if states["phase"][0] == ANSWER:
            chosen = next((k for k, text in enumerate(texts) if text == "answer yes"), 0)
        else:
            mine = [k for k, text in enumerate(texts) if text.startswith("X ") and "x" not in text]
            chosen = mine[asked % len(mine)] if mine and states["turn"][0] % 2 == 0 else len(texts) - 1
            chosen = next(k for k, text in enumerate(texts) if text[0] in LETTERS) if not mine else chosen
            asked += 1
        if states["phase"][0] == PROPOSE:
            assert np.isfinite(agent.beliefs(GAME.view(states, WHITE))).all()
        GAME.play(states, int(actions[chosen]))


def test_what_it_considers_is_what_it_chooses_from():
    """The first row of the table is the choice, removals and tokens included."""
    game, rows = kgb_env.game("confusion", special_actions=True), 0
    agent = make_agent(game, "inference")
    for states, seeds in decisions(game, agent, 4):
        seat = int(states["to_move"][0])
        if seat >= 0 and states["phase"][0] == PROPOSE and game.legal(states).size > 1:
            view = game.view(states, seat)
            best = agent.explain(view)[-1].rows
            chosen, _ = agent.act(view, seeds)
            top = [row[0] for row in best if row[1] == best[0][1]]
            assert game.notation.action(game, view, int(chosen[0])) in top
            rows += 1
    assert rows > 5


@nojit
def test_ablations_are_named_rightly():
    for text, said in (
        ("inference(answers=always)", "answers='always'"),
        ("inference(belief=certain)", "belief='certain'"),
        ("inference(lies=True)", "lies"),
    ):
        with pytest.raises(AgentError, match=said):
            make_agent(GAME, text)


@nojit
def test_ablations_answer_and_believe_as_they_say():
    states = enemy_agent_asks("X f10-f11", {"X": "f10", "A": "a1"}, "f10")
    assert choice(GAME, states, make_agent(GAME, "inference(answers=yes)")) == "answer yes"
    view = GAME.view(position(GAME, {"A": "b5"}, {"A": "k11"}), WHITE)
    view["possible"][0, WHITE, 0] = 0b11
    raw = make_agent(GAME, "inference(belief=raw)").beliefs(view)[0]
    assert raw[0, :2].tolist() == [0.5, 0.5]
    assert raw[1, 0] == pytest.approx(1 / 13)  # whatever the first spy is


@nojit
def test_it_explains_itself():
    states = position(GAME, {"A": "b10", "C": "c1"}, {"A": "k11", "C": "j11"}, "b10")
    tables = make_agent(GAME, "inference").explain(GAME.view(states, WHITE))
    assert [len(row) for table in tables for row in table.rows] == [
        len(table.columns) for table in tables for _ in table.rows
    ]
    assert tables[-1].rows[0][0] in ("A b10-a11", "A b10-b11", "A b10-c11")
    asked = enemy_agent_asks("X f4-g4")
    assert asked["phase"][0] == ANSWER
    assert [row[0] for row in make_agent(GAME, "inference").explain(GAME.view(asked, RED))[-1].rows] == ["yes", "no"]

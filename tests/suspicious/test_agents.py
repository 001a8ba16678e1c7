"""The agents of Suspicious: legal everywhere, pure functions of the view, and right where one choice plainly is."""

import numpy as np
import pytest

import kgb_env
from agents import AgentError, make_agent
from agents.suspicious.minds import mind_of, minds_of
from experiments.match import decisions, play_match
from kgb_env import BatchEnv, derive_seed
from kgb_env.games.suspicious.deck import deck_of
from kgb_env.games.suspicious.vectors import TABLES, shipped_table
from tests.random_play import random_states
from tests.suspicious.positions import NOUNS, dealt, due, linked, own_game, run, written

nojit = pytest.mark.nojit

AGENTS = ("literal", "expert", "literal(table=glove)", "expert(table=minilm)")
SEEDS = np.array([derive_seed(1, i, 0) for i in range(40)], np.uint64)
CARDS = "ant bee cow dog bear fox : - : close\ncrab frog goat deer swan lion : ant bee\n"
OPTIONS = {
    "four": ("suspicious", {"players": 4, "rounds": 2}),
    "five": ("suspicious", {"rounds": 2, "debate_rounds": 3}),
    "six, neutral": ("suspicious", {"players": 6, "rounds": 2, "director": "neutral"}),
    "seven": ("suspicious", {"players": 7, "rounds": 2, "vector_size": 8, "rewards": "zero_sum"}),
    "eight": ("suspicious", {"players": 8, "rounds": 2}),
    "mini": ("suspicious-mini", {}),
    "mini, neutral, five": ("suspicious-mini", {"players": 5, "rounds": 2, "director": "neutral"}),
}


@pytest.fixture(scope="module")
def standard():
    return kgb_env.game("suspicious", players=4, rounds=1)


@pytest.fixture(params=AGENTS)
def agent(request):
    return make_agent(kgb_env.game("suspicious", rounds=2), request.param)


def choices(game, states, name, seeds=SEEDS):
    """Return all that the seat to move may choose with these seeds, as texts."""
    views = game.view(states, states["to_move"]).repeat(seeds.size)
    actions, carry = make_agent(game, name).act(views, seeds)
    assert carry is None
    return {game.notation.action(game, states, int(action)) for action in actions}


def place(word):
    """Return the place of a word in the shipped vocabulary."""
    return deck_of(kgb_env.game("suspicious")).vocabulary.index[word]


# What every agent promises


@pytest.mark.parametrize(
    ("id", "options"),
    [pytest.param(*game, id=name, marks=[nojit] * (name == "mini")) for name, game in OPTIONS.items()],
)
def test_choices_are_legal(id, options):
    """In their own games, where the match runner refuses what is illegal, and wherever random play leads."""
    assert_legal(kgb_env.game(id, **options))


@nojit
@pytest.mark.parametrize("director", ["player", "neutral"])
def test_choices_are_legal_with_a_vocabulary_and_cards_of_the_user(tmp_path, director):
    """Small words, and a card without links; all can be written in clue 1."""
    assert_legal(own_game(tmp_path, CARDS, NOUNS, players=4, rounds=2, director=director))


def assert_legal(game):
    agents = {name: make_agent(game, name) for name in AGENTS}
    for name, agent in agents.items():
        play_match(game, {name: agent}, games=4, seed=2)
    for states in list(random_states(game, seed=1))[:-1]:
        view = game.view(states, states["to_move"])
        for agent in agents.values():
            actions, _ = agent.act(view, SEEDS[:1])
            assert actions[0] in game.legal(states)


def test_a_choice_depends_on_nothing_but_its_row(agent):
    batch, rng = BatchEnv(agent.game, SEEDS.size, seed=3), np.random.default_rng(0)
    for _ in range(20):  # until votes, guesses and the next Director's choice
        mask = batch.frame.action_mask
        views, before = batch.frame.views.copy(), batch.frame.views.tobytes()
        together, carry = agent.act(views, SEEDS, agent.initial_carry(SEEDS.size))
        alone = [agent.act(views[i : i + 1], SEEDS[i : i + 1])[0][0] for i in range(SEEDS.size)]
        reverse = agent.act(views[::-1].copy(), SEEDS[::-1].copy())[0][::-1]
        assert together.tolist() == alone == reverse.tolist()
        assert views.tobytes() == before
        assert carry is None
        batch.step((mask * rng.random(mask.shape)).argmax(axis=1))


@nojit
def test_there_are_three_tables_and_a_mixture(standard):
    for name in ("literal", "expert"):
        with pytest.raises(AgentError, match="table='spacy'"):
            make_agent(standard, f"{name}(table=spacy)")
        for table in TABLES:
            assert len(make_agent(standard, name, table=table).act(np.zeros(0, standard.state), SEEDS[:0])[0]) == 0
    assert minds_of(standard, "mixed").vectors.shape[0] == len(TABLES)
    assert minds_of(standard, "glove").vectors.shape[0] == 1


def test_a_seat_keeps_its_mind_for_the_whole_match():
    """And all are as common."""
    game, found = kgb_env.game("suspicious"), []
    for deal in range(60):
        minds = [set() for _ in range(game.seats)]
        for states, _ in decisions(game, make_agent(game, "random"), 1, deal):
            if not states["over"][0]:
                seat = int(states["to_move"][0])
                minds[seat].add(int(mind_of(game.view(states, seat)[0], 3)))
        assert all(len(of_seat) == 1 for of_seat in minds)
        found.append([of_seat.pop() for of_seat in minds])
    shares = [(np.array(found) == mind).mean(axis=0) for mind in range(3)]
    assert np.allclose(np.mean(shares, axis=1), 1 / 3, atol=0.1)


# Literal


@nojit
@pytest.mark.parametrize("table", TABLES)
def test_literal_says_and_guesses_the_nearest_word(standard, table):
    states, name = linked(standard), f"literal(table={table})"
    near = shipped_table(table) @ shipped_table(table)[place("lily")]
    near[[place("lily"), place("flower")]] = -1
    words = deck_of(standard).vocabulary.words
    assert choices(standard, states, name, SEEDS[:2]) == {f"write {words[near.argmax()]}"}
    states = written(standard, states, "lily lily lily lake wood shop")
    states = run(standard, states, "quiet", "quiet", "quiet", "vote 2", "vote 1", "vote 2")
    assert due(states) == ("guess", 2)
    near = shipped_table(table) @ shipped_table(table)[place("tulip")]
    near[place("tulip")] = -1
    assert choices(standard, states, name, SEEDS[:2]) == {f"guess {words[near.argmax()]}"}


@nojit
def test_literal_votes_for_the_farthest_clue(standard):
    states = written(standard, linked(standard), "garden petal engine rose daisy leaf")
    assert choices(standard, states, "literal") == {"accuse 3"}
    states = run(standard, states, "quiet", "quiet", "quiet")
    assert choices(standard, states, "literal") == {"vote 3"}


@nojit
@pytest.mark.parametrize("name", ["literal", "expert"])
def test_a_director_names_anybody_and_says_what_fits_both(standard, name):
    states = dealt(standard, agents="lily", spy="tulip")
    assert choices(standard, states, name) == {"name 1", "name 2", "name 3"}
    table = shipped_table("combined")
    words = choices(standard, run(standard, states, "name 2"), f"{name}(table=combined)")
    assert len(words) == 1 or name == "expert"
    for text in words:
        near = table @ table[place(text.removeprefix("say "))]
        assert min(near[place("lily")], near[place("tulip")]) > 0.3


# Expert


def sharks(standard, clues, spy=2):
    """Return a round among sharks, the spy a wolf."""
    states = run(standard, dealt(standard, agents="shark", spy="wolf"), f"name {spy}", "say predator")
    return written(standard, states, clues)


@nojit
@pytest.mark.parametrize("table", ["mixed", *TABLES])
def test_expert_finds_the_wolf_among_sharks(standard, table):
    name = f"expert(table={table})"
    states = sharks(standard, "whale forest sea ocean dog boat")
    assert choices(standard, states, name) == {"accuse 2"}
    states = run(standard, states, "accuse 2")
    states = run(standard, states, "accuse 1", "accuse 2")
    assert choices(standard, states, name) == {"vote 2"}
    view = standard.view(states, 1)
    assert make_agent(standard, name).beliefs(view)[0].argmax() == 2


@nojit
@pytest.mark.parametrize("table", ["mixed", *TABLES])
def test_expert_finds_out_that_it_is_the_spy_and_guesses_right(standard, table):
    name = f"expert(table={table})"
    states = sharks(standard, "whale forest sea dolphin dog boat")
    states = run(standard, states, "accuse 2", "quiet", "accuse 2", "vote 2")
    assert make_agent(standard, name).beliefs(standard.view(states, 2))[0, 2] > 0.5
    states = run(standard, states, "vote 1", "vote 2")
    assert choices(standard, states, name) == {"guess shark"}


@nojit
def test_a_spy_leans_towards_the_others(standard):
    """Its second clue fits what they seem to have, its first what it has."""
    first = run(standard, sharks(standard, ""), "write whale")
    second = written(standard, first, "forest sea dolphin")
    leaning = []
    for states in (first, second):
        words = [place(text.split()[1]) for text in choices(standard, states, "expert(table=combined)", SEEDS[:20])]
        clue = minds_of(standard, "combined").clue[0]
        row = minds_of(standard, "combined").row
        leaning.append(np.mean([clue[row[place("shark")], w] - clue[row[place("wolf")], w] for w in words]))
    assert leaning[1] > leaning[0] + 1
    assert leaning[1] > 0


@nojit
def test_what_it_believes_is_what_the_worlds_and_the_likelihood_give():
    """On the mini game, where all deals are as likely, each world of ``determinize`` weighs its likelihood."""
    game = kgb_env.game("suspicious-mini")
    agent, compared = make_agent(game, "expert"), 0
    for deal in range(3):
        for states, _ in decisions(game, make_agent(game, "random"), 3, deal):
            seat = int(states["to_move"][0])
            if states["over"][0] or due(states)[0] in ("name", "link"):
                continue
            view = game.view(states, seat)
            believed = agent.beliefs(view)[0]
            assert believed.sum() == pytest.approx(1)
            assert believed == pytest.approx(weighed(game, agent, view), abs=1e-5)
            compared += 1
    assert compared > 30


def weighed(game, agent, view):
    """Return the chance of each seat to be the spy, from all worlds that a view allows."""
    v, minds, model = view[0], agent._minds, agent._model[0]
    mind = int(mind_of(v, 3))
    clue, row = minds.clue[mind].astype(float), minds.row
    worlds = game.determinize(view, np.arange(200, dtype=np.uint64))
    deals = {(int(w.agents_word[0]), int(w.spy_word[0]), int(w.spy[0])) for w in worlds}
    assert len(deals) in (12, 15, 4, 5)  # a word of the family as link is no keyword
    chance = np.zeros(game.seats)
    for agents, other, spy in deals:
        pair = row[[agents, other]]
        fits = np.exp(clue[pair].min(axis=0))
        fits[[agents, other]] = 0
        log = np.log(fits[v.link[0]] / fits.sum())
        for seat in range(game.seats):
            word, usual = (other, agents) if spy != v.viewer else (agents, other)
            if (seat == spy) != (spy == v.viewer) and seat != v.viewer:
                trust = model.trust if spy != v.viewer else model.doubt
                for said in v.clue[0, :, seat]:
                    log += trust * (clue[row[word], said] - clue[row[usual], said]) if said >= 0 else 0
        heard = v.accused[0, 0] if due(view)[0] in ("vote", "guess") else np.full(8, -2)
        accusers = [seat for seat in range(game.seats) if seat not in (spy, v.viewer) and heard[seat] == spy]
        chance[spy] += np.exp(log + model.heed * len(accusers) ** 2)
    return chance / chance.sum()


@nojit
def test_before_a_spy_is_named_nobody_is_it_and_the_director_knows(standard):
    agent, states = make_agent(standard, "expert"), dealt(standard)
    assert not agent.beliefs(standard.view(states, 0)).any()
    states = run(standard, states, "name 2")
    assert agent.beliefs(standard.view(states, 0)).tolist() == [[0, 0, 1, 0]]
    assert agent.facts(states, np.zeros(1)).tolist() == [[False, False, True, False]]


def test_it_explains_every_decision(standard):
    agent = make_agent(standard, "expert")
    for states, _ in decisions(standard, agent, 1):
        if states["over"][0]:
            break
        view = standard.view(states, states["to_move"])
        tables = agent.explain(view)
        assert all(len(row) == len(table.columns) for table in tables for row in table.rows)
        assert {table.title.split()[0] for table in tables} >= {"Who"}
        assert agent.remark(view)

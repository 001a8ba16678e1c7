"""Options of Suspicious, files of one's own, its encoding, and that every game built of them keeps the contract."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test

import kgb_env
from agents import AgentError
from agents.roles import RolesAgent
from kgb_env import DataFileError, KGBEnv, OptionError
from kgb_env.games.suspicious import spec
from kgb_env.games.suspicious.vectors import shipped_table
from kgb_env.games.suspicious.vocabulary import shipped_vocabulary
from kgb_env.record import PUBLIC, UNKNOWN
from kgb_env.testing import check_game
from tests.random_play import random_states
from tests.suspicious.positions import NOUNS, due, linked, own_game, run, until_the_vote, voted, written

GAMES = {
    "four": ("suspicious", {"players": 4, "rounds": 3}),
    "five, neutral, zero-sum, long debate": (
        "suspicious",
        {"director": "neutral", "rewards": "zero_sum", "debate_rounds": 3, "rounds": 2},
    ),
    "six, glove": ("suspicious", {"players": 6, "vectors": "glove", "vector_size": 8, "rounds": 2}),
    "seven, minilm": ("suspicious", {"players": 7, "vectors": "minilm", "vector_size": 1, "rounds": 2}),
    "eight": ("suspicious", {"players": 8, "rounds": 2}),
    "mini": ("suspicious-mini", {}),
    "mini, neutral, five": ("suspicious-mini", {"players": 5, "rounds": 2, "director": "neutral"}),
}
FAMILIES = "ant bee cow dog bear fox : -\ncrab frog goat deer swan lion : -\n"


@pytest.fixture(params=GAMES)
def game(request):
    """Return each game in turn."""
    id, options = GAMES[request.param]
    return kgb_env.game(id, **options)


def test_every_game_keeps_the_contract(game):
    assert check_game(game, pairs=150, other_mode=False).pairs >= 150


def test_pettingzoo_accepts_every_game(game):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(KGBEnv(game), num_cycles=50)
    seed_test(lambda: KGBEnv(game), num_cycles=20)


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 3}, "players=3"),
        ({"players": 9}, "players=9"),
        ({"rounds": 0}, "rounds=0"),
        ({"players": 6, "rounds": 7}, "rounds=7: a full match of 6 seats has 6"),
        ({"director": "nobody"}, "'player' or 'neutral'"),
        ({"debate_rounds": 4}, "debate_rounds=4"),
        ({"debate_rounds": 0}, "debate_rounds=0"),
        ({"rewards": "money"}, "'points' or 'zero_sum'"),
        ({"vectors": "word2vec"}, "'glove', 'minilm' or 'combined'"),
        ({"vector_size": 0}, "vector_size=0"),
        ({"vector_size": 97}, "vector_size=97"),
        ({"cards": "nowhere"}, r"shipped file \(mini, standard\)"),
        ({"vocabulary": "nowhere"}, r"shipped file \(mini, standard\)"),
        ({"player": 4}, "did you mean 'players'"),
        ({"cards": "mini"}, "the match has 10 rounds, and each takes a card: there are 2"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        kgb_env.game("suspicious", **options)


@pytest.mark.nojit
def test_bad_files_are_refused_with_file_and_line(tmp_path):
    with pytest.raises(DataFileError, match=r"cards.txt, line 1: 'beaar' is not in the vocabulary; did you mean"):
        own_game(tmp_path, FAMILIES.replace("bear", "beaar"), NOUNS, rounds=1)
    with pytest.raises(DataFileError, match=r"words.txt, line 13: 'zebu' has no vector in the tables"):
        own_game(tmp_path, FAMILIES, [*NOUNS, "zebu"], rounds=1)
    with pytest.raises(DataFileError, match=r"standard, line 1?\d: .* is not in the vocabulary"):
        kgb_env.game("suspicious", vocabulary="mini")


@pytest.mark.nojit
def test_a_game_of_ones_own_pickles_without_its_files(tmp_path):
    game = own_game(tmp_path, FAMILIES, NOUNS, players=4, rounds=2)
    pickled = pickle.dumps(game)
    for name in ("cards.txt", "words.txt"):
        (tmp_path / name).unlink()
    assert pickle.loads(pickled) is game


@pytest.mark.nojit
def test_words_of_ones_own_have_their_vectors(tmp_path):
    game = own_game(tmp_path, FAMILIES, NOUNS, players=4, rounds=2)
    index = {word: k for k, word in enumerate(NOUNS)}
    standard = kgb_env.game("suspicious").tables[0]
    mine, width = game.tables[0].vectors.reshape(-1, spec.WIDTH), spec.WIDTH
    for word in NOUNS:
        place = shipped_vocabulary().index[word]
        np.testing.assert_array_equal(mine[index[word]], standard.vectors[place * width : (place + 1) * width])


def test_pettingzoo_registration_and_presets():
    env = pettingzoo.make("aec", "kgb/suspicious-mini-v0")
    assert env.game is kgb_env.game("suspicious", players=4, rounds=1, cards="mini", vocabulary="mini")
    assert env.game.seats == 4
    assert env.game.tables[0].words == 12


@pytest.mark.nojit
def test_the_full_match_is_the_default():
    assert kgb_env.game("suspicious", rounds=10) is kgb_env.game("suspicious")
    assert kgb_env.game("suspicious", players=8, rounds=8) is kgb_env.game("suspicious", players=8)


@pytest.mark.nojit
def test_the_longest_match_has_no_decision_to_spare():
    game = kgb_env.game("suspicious", rounds=2, debate_rounds=2)
    states, plies = game.start(), 0
    while not states["over"][0]:
        legal = game.legal(states)
        if due(states)[0] == "vote":  # all vote for the spy, which votes for anybody
            spy = int(states["spy"][0, states["now"][0]])
            place = (spy - due(states)[1] - 1) % 5
            vote = game.actions.seat.start + place
            legal = [vote] if vote in legal else legal
        game.play(states, int(legal[0]))
        plies += 1
    assert plies == game.max_plies


@pytest.mark.nojit
def test_loading_takes_less_than_a_fifth_of_a_second():
    code = (
        "import time, kgb_env; t = time.perf_counter(); import kgb_env.games.suspicious; "
        "kgb_env.game('suspicious'); print(time.perf_counter() - t)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    assert min(float(run.stdout) for run in runs) < 0.2


# The observation


@pytest.mark.nojit
def test_named_entries_are_where_the_layout_says():
    """Decode positions by the layout alone and find the table again, from every seat."""
    game = kgb_env.game("suspicious", rounds=3)
    t, size = game.tables[0], 96
    vectors = t.vectors[: t.words * size].reshape(-1, size)
    for states in list(random_states(game, 4))[::5]:
        s, now = states[0], int(states["now"][0])
        for me in range(5):
            seen = game.observation.split(game.encode(game.oracle(states, me)).observation[0])
            seats = [(me + place) % 5 for place in range(5)]
            assert seen["phase"].argmax() == (0 if s.over else s.phase - spec.NAME)
            assert seen["rounds_left"] == (0 if s.over else 3 - now)
            assert seen["to_move"].tolist() == [seat == s.to_move for seat in seats]
            assert seen["director"].tolist() == [seat == (s.first + now) % 5 for seat in seats]
            assert seen["spy"].tolist() == [seat == s.spy[now] for seat in seats]
            assert seen["stopped"].tolist() == [seat == s.stopped[now] for seat in seats]
            assert seen["points"].tolist() == s.points[seats].tolist()
            if now:
                assert seen["last_spy"].tolist() == [seat == s.spy[now - 1] for seat in seats]
                assert seen["last_stopped"].tolist() == [seat == s.stopped[now - 1] for seat in seats]
            for row, seat in enumerate(seats):
                assert seen["vote"][row].tolist() == [other == s.vote[now, seat] for other in seats]
                assert seen["accused"][0, row].tolist() == [other == s.accused[now, 0, seat] for other in seats]
                assert seen["quiet"][0, row] == (s.accused[now, 0, seat] == spec.QUIET)
                for number in range(2):
                    word = int(s.clue[now, number, seat])
                    assert seen["wrote"][number, row] == (word >= 0)
                    assert (seen["clue"][number, row] == (vectors[word] if word >= 0 else 0)).all()
            for name, word in (
                ("keyword", s.keyword[now, me]),
                ("link", s.link[now]),
                ("agents_word", s.agents_word[now]),
                ("spy_word", s.spy_word[now]),
            ):
                assert (seen[name] == (vectors[word] if word >= 0 else 0)).all()


@pytest.mark.nojit
def test_what_a_seat_may_not_know_is_masked():
    game = kgb_env.game("suspicious")
    states = written(game, linked(game), "rose red")
    masks = game.observation.split(game.encode(game.view(states, 3)).observation_mask[0])
    assert not masks["spy"].any()
    assert not masks["agents_word"].any()
    assert not masks["spy_word"].any()
    assert masks["keyword"].all()
    assert masks["clue"][0].any(axis=1).tolist() == [True, True, True, False, False]  # me, 4, 0, 1, 2
    assert masks["wrote"].all()
    masks = game.observation.split(game.encode(game.view(states, 0)).observation_mask[0])
    assert masks["spy"].all()
    assert masks["agents_word"].all()
    states = voted(game, until_the_vote(game, states), 2, 1)
    masks = game.observation.split(game.encode(game.view(states, 3)).observation_mask[0])
    assert masks["vote"].all(axis=1).tolist() == [True, True, True, False, False]


@pytest.mark.nojit
def test_the_same_round_from_every_seat():
    """One policy can play every seat: the same situation turned by a seat is encoded alike."""
    game, frames = kgb_env.game("suspicious"), []
    for turn in range(5):
        states = written(game, linked(game, spy=(2 + turn) % 5, director=turn), "rose red green")
        frames.append(game.encode(game.view(states, (4 + turn) % 5)))
    assert all(frame.observation.tobytes() == frames[0].observation.tobytes() for frame in frames)
    assert all(frame.action_mask.tobytes() == frames[0].action_mask.tobytes() for frame in frames)


@pytest.mark.nojit
@pytest.mark.parametrize("vectors", ["glove", "minilm", "combined"])
def test_vectors_come_from_the_table_named_and_have_length_one(vectors):
    game = kgb_env.game("suspicious", vectors=vectors, vector_size=24)
    words = int(game.tables[0].words)
    rows = game.tables[0].vectors[: words * 24].reshape(words, 24)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)
    whole = shipped_table(vectors)[:, :24]
    np.testing.assert_allclose(rows * np.linalg.norm(whole, axis=1, keepdims=True), whole, atol=1e-6)


@pytest.mark.nojit
def test_observations_are_floats_and_masks_are_not():
    env = kgb_env.make("suspicious-mini")
    env.reset(seed=1)
    seen = env.observe("player_0")
    assert [seen[name].dtype.name for name in seen] == ["float32", "int8", "int8"]
    assert env.observation_space("player_0")["observation"].dtype == np.float32
    assert env.observation_space("player_0")["observation"].low.min() == -1


# Notation and drawing


@pytest.mark.nojit
def test_texts_that_name_nothing_are_refused():
    game = kgb_env.game("suspicious")
    parse, states = game.notation.parse_action, linked(game)
    for text, message in (
        ("write flowr", "'flowr' is not in the vocabulary; did you mean 'flower'"),
        ("say rose", "is no action now; write 'write WORD'$"),
        ("accuse 5", "seats are 0 to 4"),
        ("accuse 1", "accuse another seat"),
        ("", "is no action"),
    ):
        with pytest.raises(kgb_env.NotationError, match=message):
            parse(game, states, text)
    for text, message in (("director 5", "director X"), ("card 0", "director X"), ("", "director X")):
        with pytest.raises(kgb_env.NotationError, match=message):
            game.notation.parse_outcome(game, game.begin(), text)


@pytest.mark.nojit
def test_a_word_action_is_the_words_place_in_the_vocabulary():
    game = kgb_env.game("suspicious-mini")
    states = run(game, game.begin(), "director 0", "card 0", "agents lion", "spy bear", "name 2")
    assert game.notation.parse_action(game, states, "say apple") == 0
    assert game.notation.parse_action(game, states, "say wolf") == 11


@pytest.mark.nojit
def test_the_table_is_drawn_as_the_viewer_knows_it():
    game = kgb_env.game("suspicious", rounds=1)
    states = written(game, linked(game), "rose red")
    assert game.notation.draw(game, game.view(states, 1)) == (
        "Round 1 of 1: seat 3 writes clue 1.\n\n"
        "card ?  agents ?  spy ?  link flower\n\n"
        "seat  points  keyword  clue 1  clue 2  accuses  votes for\n"
        "0     0                                                    Director\n"
        "1     0       lily     rose                                you\n"
        "2     0       ?        ?\n"
        "3     0       ?\n"
        "4     0       ?\n"
    )
    director = game.notation.draw(game, game.view(states, 0))
    assert "agents lily  spy tulip" in director
    assert "tulip    ?" in director
    states = run(game, voted(game, until_the_vote(game, states), 2, 1, 2, 2), "guess orchid")
    public = game.notation.draw(game, game.view(states, PUBLIC))
    assert public.startswith("The game is over: match over. Most points: seat 1, seat 3, seat 4.")
    assert "spy, stopped" in public


def test_a_round_whose_spy_chance_names_has_roles():
    """Only then they are dealt before anybody decides, and last for the whole game (U3)."""
    game = kgb_env.game("suspicious", rounds=1, director="neutral")
    assert kgb_env.game("suspicious", rounds=1).roles == kgb_env.game("suspicious", director="neutral").roles == ()
    assert kgb_env.game("suspicious").roles_in(kgb_env.game("suspicious").start(0)) is None
    states = game.start(np.arange(200, dtype=np.uint64))
    roles = game.roles_in(states)
    rows = np.arange(200)
    assert (roles[rows, states["spy"][:, 0]] == game.roles.index("spy")).all()
    assert (roles[rows, states["first"]] == game.roles.index("director")).all()
    assert ((roles == game.roles.index("agent")).sum(axis=1) == 3).all()
    seen = game.roles_in(game.view(states, states["to_move"]))
    assert (seen[seen != UNKNOWN] == game.roles.index("director")).all()  # who writes does not know what it is
    assert (seen[rows, states["to_move"]] == UNKNOWN).all()
    with pytest.raises(AgentError, match="a seat does not know its role in suspicious"):
        RolesAgent(game, agent="literal", spy="literal", director="random").act(
            game.view(states, states["to_move"]), rows.astype(np.uint64)
        )

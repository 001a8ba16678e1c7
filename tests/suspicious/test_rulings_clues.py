"""Rulings U1 to U5: the match, the deal, the Director, who knows what, the clues."""

import numpy as np
import pytest

import kgb_env
from kgb_env import derive_seed
from kgb_env.games.suspicious.deck import deck_of
from kgb_env.record import PUBLIC
from tests.random_play import random_states
from tests.suspicious.positions import (
    FLOWERS,
    card_of,
    clues,
    dealt,
    due,
    forbidden_words,
    legal,
    likely,
    linked,
    own_game,
    run,
    seen,
    until_the_vote,
    voted,
    written,
)

pytestmark = pytest.mark.nojit


@pytest.fixture(scope="module")
def game():
    return kgb_env.game("suspicious")


@pytest.fixture(scope="module")
def neutral():
    return kgb_env.game("suspicious", director="neutral")


# U1, the match


def test_u1_the_first_director_is_drawn_uniformly(game):
    assert likely(game, game.begin()) == {f"director {seat}": 1 for seat in range(5)}


@pytest.mark.parametrize(("players", "rounds"), [(4, 8), (5, 10), (6, 6), (7, 7), (8, 8)])
def test_u1_in_a_full_match_each_is_director_as_often_as_any_other(players, rounds):
    """The direction goes to the left, and the match ends when each has been Director twice, or once."""
    game = kgb_env.game("suspicious", players=players)
    directors = []
    for states in random_states(game, players):
        if due(states)[0] == "name":
            directors.append(due(states)[1])
    assert states["over"][0]
    assert len(directors) == rounds == game.options["rounds"]
    assert directors == [(directors[0] + k) % players for k in range(rounds)]


@pytest.mark.parametrize(("players", "rounds"), [(4, 9), (5, 11), (6, 7), (8, 9), (5, 0)])
def test_u1_a_match_is_not_longer_than_the_full_one(players, rounds):
    with pytest.raises(kgb_env.OptionError, match=f"rounds={rounds}"):
        kgb_env.game("suspicious", players=players, rounds=rounds)


def test_u1_a_cut_match_ends_by_termination():
    game = kgb_env.game("suspicious", rounds=1)
    *_, states = random_states(game)
    assert states["now"][0] == 0
    assert game.outcome(states).reason == "match over"
    assert not game.is_truncation(states["reason"]).any()


# U2, the deal


def test_u2_any_card_may_come_first_and_any_two_nouns_of_it(game):
    states = run(game, game.begin(), "director 0")
    assert likely(game, states) == {f"card {k}": 1 for k in range(112)}
    card = card_of(game, "lily", "tulip")
    states = run(game, states, f"card {card}")
    assert likely(game, states) == {f"agents {word}": 1 for word in FLOWERS}
    states = run(game, states, "agents lily")
    assert likely(game, states) == {f"spy {word}": 1 for word in FLOWERS if word != "lily"}


def test_u2_no_card_is_dealt_twice_in_a_match(game):
    for seed in range(3):
        *_, states = random_states(game, seed)
        assert len(set(states["card"][0].tolist())) == 10
    states = run(game, voted(game, until_the_vote(game, linked(game)), 2, 1, 4, 1))
    card = card_of(game, "lily", "tulip")
    assert f"card {card}" not in likely(game, states)
    assert len(likely(game, states)) == 111


def test_u2_the_cards_leave_five_candidates_for_the_other_word(game):
    assert min(len(card.family) for card in deck_of(game).cards) >= 6


def test_u2_fixed_pairs_are_accepted_with_a_warning_and_their_roles_are_drawn(tmp_path):
    with pytest.warns(UserWarning, match="fewer than five candidates"):
        game = own_game(tmp_path, "lily tulip : flower garden\n", rounds=1)
    states = run(game, game.begin(), "director 0", "card 0")
    assert likely(game, states) == {"agents lily": 1, "agents tulip": 1}
    assert likely(game, run(game, states, "agents tulip")) == {"spy lily": 1}


# U3, the Director


def test_u3_the_director_names_any_other_seat_and_says_any_word_but_the_two(game):
    states = dealt(game, director=3)
    assert due(states) == ("name", 3)
    assert legal(game, states) == {"name 4", "name 0", "name 1", "name 2"}
    states = run(game, states, "name 1")
    assert due(states) == ("link", 3)
    assert forbidden_words(game, states) == {"lily", "tulip"}
    assert due(run(game, states, "say carrot")) == ("clue 1", 4)


def test_u3_the_director_sees_the_deal(game):
    states = run(game, dealt(game, director=3), "name 1")
    told = [seen(game, states, 3, field) for field in ("card", "agents_word", "spy_word", "spy")]
    assert told == [card_of(game, "lily", "tulip"), "lily", "tulip", 1]


def test_u3_a_neutral_director_decides_nothing_and_sees_the_deal(neutral):
    states = dealt(neutral, director=3)
    assert likely(neutral, states) == {f"spy seat {seat}": 1 for seat in (0, 1, 2, 4)}
    states = run(neutral, states, "spy seat 1")
    assert likely(neutral, states) == {"link flower": 1, "link garden": 1, "link petal": 1}
    states = run(neutral, states, "link petal")
    assert due(states) == ("clue 1", 4)
    assert [seen(neutral, states, 3, field) for field in ("agents_word", "spy", "link")] == ["lily", 1, "petal"]


def test_u3_without_link_words_a_neutral_director_says_any_word_but_the_two():
    game = kgb_env.game("suspicious-mini", director="neutral")
    states = run(game, game.begin(), "director 0", "card 0", "agents lion", "spy bear", "spy seat 2")
    words = set(deck_of(game).vocabulary.words) - {"lion", "bear"}
    assert likely(game, states) == {f"link {word}": 1 for word in words}


# U4, who knows what


def test_u4_each_seat_sees_its_own_keyword_alone(game):
    states = linked(game, spy=2)
    assert seen(game, states, 0, "keyword") == [None, "lily", "tulip", "lily", "lily"]
    assert seen(game, states, 1, "keyword") == [None, "lily", "?", "?", "?"]
    assert seen(game, states, 2, "keyword") == [None, "?", "tulip", "?", "?"]
    assert seen(game, states, PUBLIC, "keyword") == [None, "?", "?", "?", "?"]
    for seat in (1, 2, 3, 4, PUBLIC):
        assert {seen(game, states, seat, field) for field in ("card", "agents_word", "spy_word", "spy")} == {"?"}


def test_u4_not_even_the_spy_knows_who_it_is(game):
    """The seat that sees tulip is the spy here and an agent there, and cannot tell."""
    spy = linked(game, spy=2)
    agent = run(game, dealt(game, agents="tulip", spy="orchid"), "name 4", "say flower")
    assert game.view(spy, 2).tobytes() == game.view(agent, 2).tobytes()
    assert game.view(spy, 3).tobytes() != game.view(agent, 3).tobytes()


def test_u4_before_the_spy_is_named_nobody_but_the_director_knows_anything(game):
    one, other = dealt(game), dealt(game, agents="orchid", spy="daisy")
    assert game.view(one, 1).tobytes() == game.view(other, 1).tobytes()
    assert seen(game, one, 1, "keyword") == [None] * 5


# U5, the clues


def test_u5_the_others_write_from_the_directors_left(game):
    states, seats = linked(game, director=3), []
    for word in ["rose", "red", "leaf", "petal", "green", "moon", "sun"]:
        seats.append(due(states))
        states = written(game, states, word)
    assert seats == [*(("clue 1", seat) for seat in (4, 0, 1, 2)), *(("clue 2", seat) for seat in (4, 0, 1))]


def test_u5_nothing_written_shows_before_all_have_written(game):
    states = written(game, linked(game), "rose red spring")
    assert clues(game, states, 1, 1) == [None, "rose", "?", "?", None]
    assert clues(game, states, 2, 1) == [None, "?", "red", "?", None]
    for seat in (0, 4, PUBLIC):
        assert clues(game, states, seat, 1) == [None, "?", "?", "?", None]
    states = written(game, states, "bouquet")
    for seat in (0, 1, 2, 3, 4, PUBLIC):
        assert clues(game, states, seat, 1) == [None, "rose", "red", "spring", "bouquet"]
    states = written(game, states, "water green")
    assert clues(game, states, 1, 2) == [None, "water", "?", None, None]
    assert clues(game, states, 0, 2) == [None, "?", "?", None, None]


def test_u5_the_directors_word_is_not_written(game):
    states = linked(game)
    assert forbidden_words(game, states) == {"flower"}
    assert forbidden_words(game, written(game, states, "rose")) == {"flower"}  # what others write is not known


def test_u5_words_of_clue_1_are_not_written_again(game):
    states = written(game, linked(game), "rose red red bouquet")
    assert forbidden_words(game, states) == {"flower", "rose", "red", "bouquet"}
    assert forbidden_words(game, written(game, states, "green")) == {"flower", "rose", "red", "bouquet"}


def test_u5_ones_own_keyword_may_be_written(game):
    states = written(game, linked(game), "lily tulip")
    assert clues(game, states, 1, 1)[1] == "lily"


def test_u11_two_seats_may_write_the_same_word_at_the_same_time(game):
    states = written(game, linked(game), "red red red red green green green green")
    assert clues(game, states, 0, 1) == [None] + ["red"] * 4
    assert clues(game, states, 0, 2) == [None] + ["green"] * 4


def test_a_hidden_word_shows_nowhere(game):
    """All channels of a seat that has still to write are the same whatever the others have written."""
    for number, before in enumerate(("", "rose red spring bouquet ")):
        one, other = (written(game, linked(game), before + words) for words in ("green water", "sun moon"))
        for seat in (0, 3, 4):
            assert game.view(one, seat).tobytes() == game.view(other, seat).tobytes()
            frames = [game.encode(game.view(states, seat)) for states in (one, other)]
            assert all(a.tobytes() == b.tobytes() for a, b in zip(*frames, strict=True))
            lines = [game.notation.log(game, game.view(states, seat)) for states in (one, other)]
            assert lines[0] == lines[1]
            assert not [line for line in lines[0] if "green" in line], number
        assert game.view(one, 1).tobytes() != game.view(other, 1).tobytes()


def test_the_same_luck_deals_the_same(game):
    assert game.start(derive_seed(5, 0, 0)).tobytes() == game.start(derive_seed(5, 0, 0)).tobytes()
    assert (np.unique(game.start(np.arange(200, dtype=np.uint64))["card"][:, 0]).size) > 80

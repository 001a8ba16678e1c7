"""Rulings U6 to U10: the debate, the vote, the guess, points and rewards; and further ones from U12 on."""

import numpy as np
import pytest

import kgb_env
from kgb_env import KGBEnv
from kgb_env.games.suspicious.deck import deck_of
from kgb_env.record import PUBLIC
from tests.random_play import random_action, random_states
from tests.suspicious.positions import (
    card_of,
    due,
    forbidden_words,
    legal,
    linked,
    points,
    run,
    seen,
    until_the_vote,
    voted,
    written,
)

pytestmark = pytest.mark.nojit

CLUES = "rose red spring bouquet green water sun leaf"
TIE, SPY, AGENT = (2, 1, 2, 1), (2, 1, 2, 2), (3, 3, 4, 1)  # votes of seats 1 to 4


@pytest.fixture(scope="module")
def game():
    return kgb_env.game("suspicious")


@pytest.fixture(scope="module")
def short():
    return kgb_env.game("suspicious", rounds=1)


def talked(game, **options):
    """Return the start of the debate; seat 0 is the Director, seat 2 the spy."""
    return written(game, linked(game, **options), CLUES)


def at_vote(game):
    return run(game, talked(game), *["quiet"] * 4)


# U6, the debate


def test_u6_each_accuses_another_or_says_nothing(game):
    states = talked(game)
    assert due(states) == ("debate", 1)
    assert legal(game, states) == {"accuse 2", "accuse 3", "accuse 4", "quiet"}
    states = run(game, states, "accuse 3")
    assert due(states) == ("debate", 2)
    assert legal(game, states) == {"accuse 1", "accuse 3", "accuse 4", "quiet"}


def test_u6_what_is_said_is_public_at_once(game):
    states = run(game, talked(game), "accuse 3", "quiet")
    for seat in (0, 3, PUBLIC):
        assert "  debate: 1 accuses 3, 2 quiet" in game.notation.log(game, game.view(states, seat))


def test_u6_after_debate_rounds_all_vote():
    game = kgb_env.game("suspicious", debate_rounds=2)
    states, seats = talked(game), []
    while due(states)[0] == "debate":
        seats.append(due(states)[1])
        states = run(game, states, "quiet")
    assert seats == [1, 2, 3, 4] * 2
    assert due(states) == ("vote", 1)


# U7, the vote


def test_u7_each_votes_for_another_seat_but_the_director(game):
    states = at_vote(game)
    assert due(states) == ("vote", 1)
    assert legal(game, states) == {"vote 2", "vote 3", "vote 4"}
    assert legal(game, voted(game, states, 2, 1, 1)) == {"vote 1", "vote 2", "vote 3"}


def test_u7_votes_are_hidden_until_all_have_voted(game):
    states = voted(game, at_vote(game), 2, 1)
    assert seen(game, states, 1, "vote") == [None, 2, "?", None, None]
    for seat in (0, 3, 4, PUBLIC):
        assert seen(game, states, seat, "vote") == [None, "?", "?", None, None]
    one, other = voted(game, at_vote(game), 2, 1), voted(game, at_vote(game), 4, 3)
    assert game.view(one, 3).tobytes() == game.view(other, 3).tobytes()
    states = voted(game, states, 2, 2)
    assert seen(game, states, PUBLIC, "vote") == [None, 2, 1, 2, 2]


def test_u7_the_seat_with_the_most_votes_is_stopped(short):
    for votes, stopped in ((SPY, 2), (AGENT, 3), (TIE, None), ((2, 3, 4, 1), None), ((4, 4, 1, 1), None)):
        assert seen(short, voted(short, at_vote(short), *votes), 0, "stopped") == stopped


def test_u7_in_a_tie_the_spy_escapes(short):
    states = voted(short, at_vote(short), *TIE)
    assert points(short, states) == [0, 0, 2, 0, 0]
    assert states["over"][0]


# U8, the guess


def test_u8_only_a_stopped_spy_is_asked(short):
    states = voted(short, at_vote(short), *SPY)
    assert due(states) == ("guess", 2)
    assert forbidden_words(short, states) == set()
    assert voted(short, at_vote(short), *AGENT)["over"][0]


def test_u8_a_stopped_seats_keyword_is_public_at_once(short):
    states = voted(short, at_vote(short), *SPY)
    assert seen(short, states, PUBLIC, "keyword") == [None, "?", "tulip", "?", "?"]
    assert seen(short, states, PUBLIC, "spy") == 2
    assert seen(short, states, PUBLIC, "agents_word") == "?"
    assert seen(short, states, 2, "keyword") == [None, "?", "tulip", "?", "?"]
    assert seen(short, states, 2, "agents_word") == seen(short, states, 2, "card") == "?"


def test_u12_when_the_spy_is_stopped_the_others_know_that_they_are_agents(short):
    states = voted(short, at_vote(short), *SPY)
    assert seen(short, states, 1, "keyword") == [None, "lily", "tulip", "lily", "lily"]
    assert seen(short, states, 1, "agents_word") == "lily"
    assert seen(short, states, 1, "card") == "?"


def test_u8_the_guess_must_be_exact(short):
    states = voted(short, at_vote(short), *SPY)
    assert points(short, run(short, states, "guess lily")) == [0, 0, 1, 0, 0]
    assert points(short, run(short, states, "guess tulip")) == [0, 2, 0, 2, 2]
    assert points(short, run(short, states, "guess flower")) == [0, 2, 0, 2, 2]


# U9, points


@pytest.mark.parametrize(
    ("votes", "guess", "expected"),
    [
        (TIE, None, [0, 0, 2, 0, 0]),
        (AGENT, None, [0, 0, 2, 0, 0]),
        (SPY, "lily", [0, 0, 1, 0, 0]),
        (SPY, "orchid", [0, 2, 0, 2, 2]),
    ],
)
def test_u9_points(game, votes, guess, expected):
    states = voted(game, at_vote(game), *votes)
    if guess:
        states = run(game, states, f"guess {guess}")
    assert points(game, states) == expected
    assert game.returns(states)[0].tolist() == expected
    assert due(states)[0] == "card"  # the next round


def test_u9_after_the_round_all_is_public(game):
    states = run(game, voted(game, at_vote(game), *SPY), "guess orchid")
    view = game.view(states, PUBLIC)
    for field in ("card", "agents_word", "spy_word", "spy", "keyword", "vote", "clue", "guess", "points", "stopped"):
        ended = (view[field][0, 0], states[field][0, 0]) if field != "points" else (view[field], states[field])
        assert (ended[0] == ended[1]).all()
    log = game.notation.log(game, view)
    assert f"  card {card_of(game, 'lily', 'tulip')}, agents lily, spy tulip, spy seat 2" in log
    assert "  stopped: seat 2, the spy; guess orchid, wrongly" in log


# U10, rewards


def test_u10_the_points_of_a_round_are_the_reward_when_it_ends(game):
    env = KGBEnv(game)
    env.reset(seed=3)
    rng, earned, paid = np.random.default_rng(3), np.zeros(5), 0
    while env.outcome is None:
        before = env._states["points"][0, :5].astype(int)
        now = int(env._states["now"][0])
        env.step(random_action(env, rng))
        rewards = np.array(list(env.rewards.values()))
        assert (rewards == env._states["points"][0, :5] - before).all()
        is_end = env._states["now"][0] != now or env.outcome is not None
        assert rewards.any() == is_end
        earned += rewards
        paid += is_end
    assert paid == 10
    assert env.outcome.returns == tuple(earned)


def test_u10_a_batch_pays_by_the_round_too(game):
    batch = kgb_env.make_batch("suspicious", 8, seed=2, rounds=2)
    rng, paid, ended = np.random.default_rng(0), np.zeros((8, 5)), np.zeros(8, bool)
    while not ended.all():
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.frame.action_mask])
        step = batch.step(actions)
        paid += step.rewards * ~ended[:, None]
        new = step.terminated & ~ended
        assert (paid[new] == batch.game.returns(batch.final_states)[new]).all()
        assert not step.truncated.any()
        ended |= new


def test_u10_most_points_win_and_ties_are_shared(game):
    for seed in range(6):
        *_, states = random_states(game, seed)
        outcome = game.outcome(states)
        assert outcome.returns == tuple(points(game, states))
        best = tuple(seat for seat in range(5) if points(game, states)[seat] == max(outcome.returns))
        assert outcome.winners == best


def test_u10_zero_sum_takes_off_the_mean_of_all_seats():
    game = kgb_env.game("suspicious", rewards="zero_sum")
    states = run(game, voted(game, at_vote(game), *SPY), "guess orchid")
    np.testing.assert_allclose(game.returns(states)[0], [-1.2, 0.8, -1.2, 0.8, 0.8], rtol=1e-6)
    *_, states = random_states(game)
    assert abs(game.returns(states).sum()) < 1e-5
    assert game.zero_sum


@pytest.mark.parametrize("players", [4, 5, 6, 8])
@pytest.mark.parametrize("rewards", ["points", "zero_sum"])
def test_u10_the_bounds_of_returns_are_reached(players, rewards):
    """Seat 0 escapes as the spy in all rounds but its own, where a spy guesses right; or always is the caught spy."""
    game = kgb_env.game("suspicious", players=players, rewards=rewards)
    assert extreme(game, is_best=True) == game.max_return
    assert extreme(game, is_best=False) == game.min_return


def extreme(game, is_best):
    """Return what seat 0 gets if all goes as well, or as badly, as can be."""
    deck, states = deck_of(game), run(game, game.begin(), "director 0")
    while not states["over"][0]:
        now = int(states["now"][0])
        director = now % game.seats
        spy = 0 if director else 1
        agents_word, spy_word = (deck.vocabulary.words[place] for place in deck.cards[now].family[:2])
        deal = f"card {now}", f"agents {agents_word}", f"spy {spy_word}", f"name {spy}", "say ability"
        states = until_the_vote(game, run(game, states, *deal))
        agents = [seat for seat in range(game.seats) if seat not in (spy, director)]
        suspect = spy if not is_best or director == 0 else agents[0]
        for _ in range(game.seats - 1):
            states = voted(game, states, suspect if due(states)[1] != suspect else agents[1])
        if suspect == spy:
            states = run(game, states, f"guess {agents_word if is_best else spy_word}")
    return game.returns(states)[0, 0]


# Further rulings


def test_u13_a_debate_binds_nobody(game):
    states = run(game, talked(game), "accuse 3", "quiet", "quiet", "quiet")
    assert "vote 4" in legal(game, states)


def test_u14_an_illegal_action_ends_the_match_and_what_was_paid_stays(game):
    env = KGBEnv(game, illegal="penalty", penalty=1.0)
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    while not env._states["points"].any():
        env.step(random_action(env, rng))
    paid, offender = env._states["points"][0, :5].tolist(), int(env._states["to_move"][0])
    env.step(game.actions.size - 1)  # quiet, as a Director
    assert env.rewards == {f"player_{seat}": -float(seat == offender) for seat in range(5)}
    assert env.outcome.returns == tuple(p - (seat == offender) for seat, p in enumerate(paid))
    assert env.outcome.winners == ()

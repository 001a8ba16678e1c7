"""Ruling U2: knowing all the cards tells a seat nothing about its role, and their order does not matter."""

import numpy as np
import pytest

import kgb_env
from kgb_env.games.suspicious.cards import CARDS
from kgb_env.games.suspicious.deck import deck_of
from tests.suspicious.deals import count_deals, scores
from tests.suspicious.positions import linked, own_game, run, until_the_vote, voted, written

DEALS = 100_000  # the whole million: python -m tests.suspicious.deals


@pytest.mark.parametrize("players", [5, 8])
def test_u2_a_keyword_tells_nothing_about_the_role(players):
    game = kgb_env.game("suspicious", players=players, director="neutral")
    counts = count_deals(game, DEALS)
    z = scores(counts, players)
    assert counts.as_spy.sum() * (players - 1) == counts.seen.sum()
    assert z.size > 600
    assert np.abs(z).max() < 5
    assert abs(z.std() - 1) < 0.1


def test_u2_every_keyword_has_five_candidates_for_the_other():
    game = kgb_env.game("suspicious", director="neutral")
    dealt_with = count_deals(game, DEALS).dealt_with
    together = (dealt_with + dealt_with.T) > 0
    for card in deck_of(game).cards:
        assert all(together[word].sum() >= 5 for word in card.family)


@pytest.fixture
def reversed_game(tmp_path):
    lines = (CARDS / "standard.txt").read_text(encoding="utf-8").splitlines()
    return own_game(tmp_path, "\n".join(reversed(lines)))


def test_the_order_of_the_cards_does_not_matter(reversed_game):
    """The same round is seen the same, but for the card's number."""
    one, other = kgb_env.game("suspicious"), reversed_game
    states = [voted(game, until_the_vote(game, written(game, linked(game), "rose red")), 2, 1) for game in (one, other)]
    for seat in range(5):
        frames = [game.encode(game.view(s, seat)) for game, s in zip((one, other), states, strict=True)]
        for a, b in zip(frames[0][1:], frames[1][1:], strict=True):
            assert a.tobytes() == b.tobytes()
    states = [run(game, voted(game, s, 2, 2), "guess lily") for game, s in zip((one, other), states, strict=True)]
    assert states[0]["card"][0, 0] == 111 - states[1]["card"][0, 0]
    assert states[0]["points"].tolist() == states[1]["points"].tolist()


def test_worlds_do_not_depend_on_the_order_of_the_cards(reversed_game):
    shares = []
    for game in (kgb_env.game("suspicious"), reversed_game):
        worlds = game.determinize(game.view(linked(game), 1), np.arange(20_000, dtype=np.uint64))
        shares.append((worlds["spy"][:, 0] == 1).mean())
    assert abs(shares[0] - shares[1]) < 4 * np.sqrt(2 * 0.25 * 0.75 / 20_000)

"""Possible worlds: what ``determinize`` draws is what counting all histories gives."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

import kgb_env
from kgb_env import kernels
from kgb_env.record import CHANCE
from tests.suspicious.positions import NOUNS, due, linked, outcomes, own_game, run, until_the_vote, voted, written

WORLDS = 6000
CARDS = """\
ant bee cow dog bear fox : - : close
ant crab : frog goat
bee frog cow : goat crab deer
"""

pytestmark = [
    pytest.mark.nojit,
    pytest.mark.filterwarnings("ignore:.*families of fewer than 6 nouns"),
]


def brute_force(game, start, view, events, hidden):
    """Return the histories from ``start`` that look like ``view``, with their probabilities.

    Chance, the naming of the spy and the last ``hidden`` events may be any; the other events are the given ones.
    """
    me, frontier = int(view["viewer"][0]), [(start, 1.0)]
    for number, text in enumerate(events):
        is_open = number >= len(events) - hidden
        frontier = [
            (after, weight * share)
            for states, weight in frontier
            for after, share in branches(game, states, text, is_open)
            if may_become(after, view, me)
        ]
    found = Counter()
    for states, weight in frontier:
        states["viewer"] = -2
        if game.view(states, me).tobytes() == view.tobytes():
            found[key(states)] += weight
    total = sum(found.values())
    return {world: weight / total for world, weight in found.items()}


def branches(game, states, text, is_open):
    """Yield what may come after a state, with its probability."""
    if states["to_move"][0] == CHANCE:
        weights = outcomes(game, states)
        choices = {int(k): weights[k] / weights.sum() for k in np.flatnonzero(weights)}
    else:
        legal = game.legal(states).tolist()
        choices = dict.fromkeys(legal, 1 / len(legal))
        if not is_open and due(states)[0] != "name":
            action = game.notation.parse_action(game, states, text)
            choices = {action: 1.0} if action in legal else {}
    for action, share in choices.items():
        after = states.copy()
        kernels.step(after[0], action, game.tables[0])
        yield after, share


def may_become(states, view, me):
    """Drop early what cannot look like the view any more."""
    now = view["now"][0]
    public = ("first", "now", "link")
    if any((states[name] >= 0).all() and (states[name] != view[name]).any() for name in public):
        return False
    return states["keyword"][0, now, me] in (-2, view["keyword"][0, now, me])


def key(states):
    """Return a state's secrets as text."""
    now = int(states["now"][0])
    return str([states[name][0, now].tolist() for name in ("card", "agents_word", "spy_word", "spy", "clue", "vote")])


def check(game, start, events, me, hidden):
    """Compare determinizations with brute force; the last ``hidden`` events are others', unseen."""
    states = run(game, start, *events)
    view = game.view(states, me)
    expected = brute_force(game, start.copy(), view, events, hidden)
    worlds = game.determinize(view, np.arange(WORLDS, dtype=np.uint64))
    drawn = Counter(key(worlds[k : k + 1]) for k in range(WORLDS))
    assert set(drawn) <= set(expected)
    assert key(states) in expected
    if len(expected) * 10 < WORLDS:
        assert set(drawn) == set(expected)
    if len(expected) == 1:
        return expected
    # Worlds of few expected draws are counted together.
    names = sorted(expected, key=expected.get)
    seen, meant = np.array([drawn[n] for n in names]), WORLDS * np.array([expected[n] for n in names])
    groups = np.cumsum(meant) // 20
    seen, meant = (np.array([values[groups == g].sum() for g in np.unique(groups)]) for values in (seen, meant))
    if seen.size > 1:
        assert chisquare(seen, meant).pvalue > 1e-4
    return expected


@pytest.fixture(scope="module")
def mini():
    return kgb_env.game("suspicious-mini")


@pytest.fixture(scope="module")
def mini_neutral():
    return kgb_env.game("suspicious-mini", director="neutral")


MINI = ["director 1", "card 0", "agents lion", "spy bear", "name 3", "say wolf"]
FIRST = ["write apple", "write lion", "write plum"]
SECOND = ["write peach", "write pear", "write cherry"]
REST = ["quiet", "accuse 2", "quiet"]


@pytest.mark.parametrize(
    ("events", "me", "hidden", "worlds"),
    [
        (MINI[:4], 0, 0, 2 * 6 * 5),  # nothing is known before the spy is named
        (MINI[:4], 1, 0, 1),  # the Director
        (MINI[:5], 0, 0, 5 * 3),
        (MINI, 0, 0, 4 * 3),  # the link is none of the keywords
        (MINI, 3, 0, 4 * 3),
        ([*MINI, *FIRST[:1]], 3, 1, 4 * 3 * 11),
        ([*MINI, *FIRST[:1]], 1, 1, 11),
        ([*MINI, *FIRST[:1]], 2, 0, 4 * 3),
        ([*MINI, *FIRST[:2]], 1, 2, 11 * 11),
        ([*MINI, *FIRST, *SECOND[:1]], 0, 1, 4 * 3 * 8),
        ([*MINI, *FIRST, *SECOND, *REST[:2]], 2, 0, 4 * 3),
        ([*MINI, *FIRST, *SECOND, *REST, "vote 3"], 0, 1, 4 * 3 * 2),
        ([*MINI, *FIRST, *SECOND, *REST, "vote 3", "vote 2"], 1, 2, 2 * 2),
        ([*MINI, *FIRST, *SECOND, *REST, "vote 3", "vote 2", "vote 3"], 2, 0, 1),  # the spy is stopped
        ([*MINI, *FIRST, *SECOND, *REST, "vote 3", "vote 2", "vote 3"], 3, 0, 4),
    ],
)
def test_worlds_of_the_mini_game(mini, events, me, hidden, worlds):
    assert len(check(mini, mini.begin(), events, me, hidden)) == worlds


def test_worlds_with_a_neutral_director(mini_neutral):
    events = [*MINI[:4], "spy seat 3", "link wolf"]
    assert len(check(mini_neutral, mini_neutral.begin(), events, 2, 0)) == 4 * 3
    assert len(check(mini_neutral, mini_neutral.begin(), events, 1, 0)) == 1


@pytest.mark.parametrize("director", ["player", "neutral"])
def test_families_of_other_sizes_and_links_weigh_differently(tmp_path, director):
    """The keyword ant is of a large family and of a pair; a neutral Director's link tells which."""
    game = own_game(tmp_path, CARDS, NOUNS, players=4, rounds=1, director=director)
    is_neutral = director == "neutral"
    for link, me in (("goat", 2), ("frog", 0)):
        name, say = ("spy seat 3", f"link {link}") if is_neutral else ("name 3", f"say {link}")
        expected = check(game, game.begin(), ["director 1", "card 1", "agents ant", "spy crab", name, say], me, 0)
        if is_neutral:
            assert len({round(p, 9) for p in expected.values()}) == 2  # a link of three is none of any word


def test_a_card_dealt_before_is_out(tmp_path):
    game = own_game(tmp_path, CARDS, NOUNS, players=4, rounds=2)
    first = ["director 1", "card 1", "agents ant", "spy crab", "name 3", "say lion"]
    states = until_the_vote(game, run(game, game.begin(), *first))
    states = voted(game, states, 3, 2, 2)
    assert states["now"][0] == 1
    expected = check(game, states, ["card 2", "agents bee", "spy cow", "name 3", "say lion"], 0, 0)
    assert len(expected) == (5 + 2) * 3


def test_worlds_of_the_standard_game_hold_the_truth():
    """With one card for a keyword a seat holds 6 words times who is the spy possible."""
    game = kgb_env.game("suspicious")
    states = written(game, linked(game), "rose red")
    worlds = game.determinize(game.view(states, 1), np.arange(4000, dtype=np.uint64))
    assert 0.2 < (worlds["spy"][:, 0] == 1).mean() < 0.3
    written_there = worlds["clue"][:, 0, 0, 2]
    assert np.unique(written_there).size > 1500
    assert (worlds["clue"][:, 0, 0, 1] == states["clue"][0, 0, 0, 1]).all()

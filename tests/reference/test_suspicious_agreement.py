"""The kernel, the reference engine and the answers worked out by hand are the same Suspicious (U1 to U10)."""

from collections import Counter

import pytest

from tests.reference.agree_suspicious import DECKS, Kernel, play_both
from tests.reference.suspicious import Suspicious
from tests.reference.suspicious_positions import CARDS, GARDEN, MINI, MINI_CARDS, MINI_WORDS, SITUATIONS, WORDS, check

GAMES = 30
DECK = {GARDEN: (WORDS, CARDS), MINI: (MINI_WORDS, MINI_CARDS)}

RARE = {
    *(f"deck {deck}" for deck in DECKS),
    *(f"players {players}" for players in (4, 5, 6, 7, 8)),
    *(f"debate_rounds {rounds}" for rounds in (1, 2, 3)),
    *(f"{rounds} rounds" for rounds in (1, 2, 3, 8, 10)),
    "director player",
    "director neutral",
    "rewards points",
    "rewards zero_sum",
    "second clue twice",
    "write a keyword",
    "an agent is stopped",
    "nobody is stopped",
    "the spy is stopped",
    "guess a keyword",
    "guess right",
    "guess wrong",
    "end: match over",
    "views alike",
    "views that differ",
}


def options_of(situation):
    return ({"rounds": 1} if situation.deck == MINI else {}) | (situation.options or {})


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_the_reference_gives_the_answers_worked_out_by_hand(situation):
    check(situation, Suspicious(*DECK[situation.deck], situation.players, **options_of(situation)))


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name)
def test_the_kernel_gives_the_answers_worked_out_by_hand(situation):
    check(situation, Kernel(situation.deck, {"players": situation.players, **options_of(situation)}))


@pytest.mark.nojit
@pytest.mark.parametrize("number", [3, 4, 7, 28])
def test_both_engines_agree_in_a_game(number):
    assert play_both(number)["games"] == 1


def test_both_engines_agree_at_every_ply_and_everything_rare_occurs():
    happened = sum((play_both(number) for number in range(GAMES)), Counter())
    assert happened["games"] == GAMES
    assert {event for event in RARE if happened[event]} == RARE
    for kind in ("deals", "hidden choices"):
        freedom = happened[f"freedom of {kind}"]
        assert abs(happened[f"chi-square of {kind}"] - freedom) < 4 * (2 * freedom) ** 0.5, kind

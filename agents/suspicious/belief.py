"""What a seat believes: a chance for every deal that could still be, from the link, the clues and the debate."""

import math

import numpy as np

from kgb_env.games.suspicious.spec import CLUES, DEBATE, MOST_DEALS, SEATS
from kgb_env.games.suspicious.vocabulary import MOST
from kgb_env.games.suspicious.worlds import list_deals
from kgb_env.jit import kernel
from kgb_env.record import UNKNOWN

NEVER = -1e30  # the log of no chance

# What the evidence of a round is worth.
MODEL = np.dtype(
    (
        np.record,
        [
            # How far clues are trusted, the power of their likelihood: below 1, for others see words differently.
            ("trust", "f8"),  # those of a seat that may be the spy
            ("doubt", "f8"),  # those of all others if it may be the spy itself: it may misunderstand them all alike
            # How much accusations of a seat count, as a log, times their number squared: who agree rarely err.
            ("heed", "f8"),
        ],
    )
)
# Chosen together, for the greatest mean log-belief in the true spy before the vote, in rounds of experts
# with expert and with literal spies.
MODELLED = {"trust": 0.5, "doubt": 0.3, "heed": 0.4}

BELIEF = np.dtype(
    (
        np.record,
        [
            ("chance", "f8", (MOST_DEALS,)),  # of each deal in the game's list
            ("suspicion", "f8", (SEATS,)),  # the chance of each seat to be the spy
            ("score", "f8", (MOST,)),  # of each word, to choose one
        ],
    )
)


@kernel
def believe(v, belief, scratch, row, clue, link, model, tables):
    """List the deals that could still be, and write their chances, and how likely each seat is the spy.

    The viewer's mind is ``clue`` (keywords, words) and ``link`` (keywords, keywords).  Who knows the card knows all;
    its list is empty.
    """
    now = np.int64(v.now)
    belief.suspicion[:] = 0
    scratch.deals = 0
    if v.card[now] != UNKNOWN:
        if v.spy[now] >= 0:
            belief.suspicion[v.spy[now]] = 1
        return
    list_deals(v, scratch, tables)
    best = NEVER
    for deal in range(scratch.deals):
        belief.chance[deal] = log_chance(v, deal, scratch, row, clue, link, model)
        best = max(best, belief.chance[deal])
    total = 0.0
    for deal in range(scratch.deals):
        belief.chance[deal] = math.exp(belief.chance[deal] - best)
        total += belief.chance[deal]
    for deal in range(scratch.deals):
        belief.chance[deal] /= total
        if scratch.spy[deal] >= 0:
            belief.suspicion[scratch.spy[deal]] += belief.chance[deal]


@kernel
def log_chance(v, deal, scratch, row, clue, link, model):
    """Return the log of the chance of a deal and of all that the viewer has heard of the round, but for a constant.

    The constant is the chance of all clues if everybody had the viewer's keyword.
    """
    if scratch.weight[deal] == 0:
        return NEVER
    now, spy = np.int64(v.now), np.int64(scratch.spy[deal])
    agents, other = row[scratch.agents_word[deal]], row[scratch.spy_word[deal]]
    chance = math.log(scratch.weight[deal])
    if v.link[now] >= 0 and not v.is_neutral:
        chance += min(clue[agents, v.link[now]], clue[other, v.link[now]]) - link[agents, other]
    if spy == v.viewer:
        for seat in range(v.players):
            if seat != spy:
                chance += model.doubt * points_to(v, seat, clue[agents], clue[other])
    elif spy >= 0:
        chance += model.trust * points_to(v, spy, clue[other], clue[agents])
    accusers = 0
    for lap in range(laps_heard(v)):
        for seat in range(v.players):
            accusers += seat != v.viewer and seat != spy and v.accused[now, lap, seat] == spy
    return chance + model.heed * accusers**2


@kernel
def points_to(v, seat, one, other):
    """Return how much likelier, as a log, the clues of a seat are from one keyword than from another one."""
    chance = 0.0
    for number in range(CLUES):
        word = np.int64(v.clue[v.now, number, seat])
        if word >= 0:
            chance += one[word] - other[word]
    return chance


@kernel
def laps_heard(v):
    """Return how many rounds of the debate are over.

    What is said in one counts when all have spoken; so nobody repeats what the first have said, and each says what
    it has seen itself.
    """
    if v.phase == DEBATE:
        return v.acted // (np.int64(v.players) - 1)
    return np.int64(v.debate_rounds) if v.phase > DEBATE else np.int64(0)

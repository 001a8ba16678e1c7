"""What the expert says, whom it accuses, what it guesses: choices that follow from a belief."""

import math

import numpy as np

from kgb_env.games.suspicious.legality import director
from kgb_env.games.suspicious.spec import DEBATE
from kgb_env.jit import kernel, mix

# How it plays.
STYLE = np.dtype(
    (
        np.record,
        [
            ("link", "f8"),  # as Director: how much a link should fit both keywords
            ("fit", "f8"),  # how much a clue should be one that somebody with the agents' keyword writes
            ("discretion", "f8"),  # how much, from an agent, one by which that keyword cannot be told from its family
            ("blame", "f8"),  # for the spy: how much to accuse whom others accuse
            (
                "voice",
                "f8",
            ),  # the suspicion that it utters in a debate, in even shares; it has less if it suspects itself
        ],
    )
)
# Chosen in rounds of five seats: clear enough that agents find a literal spy, guarded enough that an expert spy does
# not always guess right.  More discretion (3) makes the spy hard to find, less (1) its guess easy;
# the others matter less.
STYLED = {"link": 6.0, "fit": 4.0, "discretion": 2.0, "blame": 1.0, "voice": 0.8}


@kernel
def score_links(v, belief, row, clue, style, tables):
    """Write how much a Director prefers each word: it should fit both keywords."""
    now = np.int64(v.now)
    one, other = clue[row[v.agents_word[now]]], clue[row[v.spy_word[now]]]
    for word in range(tables.words):
        belief.score[word] = style.link * min(one[word], other[word])


@kernel
def score_clues(v, belief, scratch, row, clue, reveals, style, tables):
    """Write how much a seat prefers each word: an agent would write it, and it does not tell too much."""
    own, words = row[v.keyword[v.now, v.viewer]], tables.words
    discretion = style.discretion * (1 - belief.suspicion[v.viewer])
    score = belief.score[:words]
    score[:] = -discretion * reveals[own]
    for deal in range(scratch.deals):
        add_fit(score, style.fit * belief.chance[deal], clue[row[scratch.agents_word[deal]]])


@kernel
def add_fit(score, weight, fits):
    """Add how well each word fits."""
    if weight > 0:
        score += weight * fits


@kernel
def say(score, mask, seed, tables):
    """Draw a legal word: its chance grows exponentially with its score."""
    best = -math.inf
    for word in range(tables.words):
        if mask[word]:
            best = max(best, score[word])
    total = 0.0
    for word in range(tables.words):
        score[word] = math.exp(score[word] - best) if mask[word] else 0.0
        total += score[word]
    left = total * (mix(seed) >> np.uint64(11)) / 2.0**53
    last = -1
    for word in range(tables.words):
        if score[word] > 0:
            last = word
            left -= score[word]
            if left < 0:
                break
    return last


@kernel
def accuse(v, belief, style, tables):
    """Accuse or vote for the seat that is likeliest the spy or, if it is the spy itself, that others accuse.

    In the debate it says nothing if its suspicion is weak.
    """
    now, own = np.int64(v.now), belief.suspicion[v.viewer]
    best, most, second = np.int64(-1), -1.0, 0.0
    for left in range(1, v.players):
        seat = (v.viewer + left) % v.players
        if seat == director(v):
            continue
        accusers = 0
        for lap in range(v.debate_rounds):
            for accuser in range(v.players):
                accusers += v.accused[now, lap, accuser] == seat
        score = belief.suspicion[seat] + style.blame * own * accusers / v.players
        if score > most:
            best, most, second = seat, score, belief.suspicion[seat]
    if v.phase == DEBATE and second < style.voice / (v.players - 1):
        return np.int64(tables.to_quiet)
    return tables.to_seat + (best - v.viewer - 1) % v.players


@kernel
def guess(belief, scratch):
    """Return the likeliest of the agents' keywords."""
    best, most = np.int64(-1), -1.0
    for deal in range(scratch.deals):
        if belief.chance[deal] > most:
            best, most = np.int64(scratch.agents_word[deal]), belief.chance[deal]
    return best

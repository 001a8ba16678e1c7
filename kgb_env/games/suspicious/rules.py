"""What happens in Suspicious.  (Rulings U1 to U10)

The first Director is drawn.  In every round a card, the agents' and the spy's keyword are drawn (U2), the Director
names the spy and says the link (U3), the others write two clues (U5), debate (U6) and vote (U7); a stopped spy
guesses (U8).
"""

import numpy as np

from kgb_env.games.suspicious.legality import clue_number, director, is_writing, speaker
from kgb_env.games.suspicious.spec import (
    AGENTS_WORD,
    CARD,
    CAUGHT,
    CLUE_1,
    DEBATE,
    DIRECTOR,
    ESCAPED,
    GUESS,
    GUESSED,
    LINK,
    MATCH_OVER,
    NAME,
    NONE,
    QUIET,
    SEATS,
    VOTE,
)
from kgb_env.jit import kernel
from kgb_env.record import CHANCE, GOING_ON, NOBODY

# The start


@kernel
def begin(s, tables):
    """Wipe the slates and the scoreboard; the first Director is to be drawn."""
    s.returns[:] = 0
    s.to_move = CHANCE
    s.reason = GOING_ON
    s.over = False
    s.card[:] = NONE
    s.agents_word[:] = NONE
    s.spy_word[:] = NONE
    s.keyword[:] = NONE
    s.clue[:] = NONE
    s.link[:] = NONE
    s.guess[:] = NONE
    s.spy[:] = NONE
    s.vote[:] = NONE
    s.accused[:] = NONE
    s.stopped[:] = NONE
    s.points[:] = 0
    s.first = 0
    s.now = 0
    s.phase = DIRECTOR
    s.acted = 0


@kernel
def chance(s, weights, tables):
    """Weigh what is drawn: a seat, a card not yet dealt, a word of its family or one of its links (U1 to U3)."""
    now = np.int64(s.now)
    card = np.int64(s.card[now])
    weights[:] = 0
    if s.phase == DIRECTOR:
        weights[: s.players] = 1
    elif s.phase == CARD:
        weights[: tables.cards] = 1
        for before in range(now):
            weights[s.card[before]] = 0
    elif s.phase == NAME:
        weights[: s.players] = 1
        weights[director(s)] = 0
    elif s.phase == LINK and tables.links[card]:
        weights[: tables.links[card]] = 1
    elif s.phase == LINK:
        weights[: tables.words] = 1
        weights[s.agents_word[now]] = 0
        weights[s.spy_word[now]] = 0
    else:
        for k in range(tables.family_size[card]):
            weights[k] = s.phase == AGENTS_WORD or tables.family[card, k] != s.agents_word[now]


# Events


@kernel
def step(s, action, tables):
    """Apply an outcome or the choice of a seat."""
    if is_writing(s):
        s.clue[s.now, clue_number(s), s.to_move] = action
        next_speaker(s, 1)
    elif s.phase == DEBATE:
        debate(s, action, tables)
    elif s.phase == VOTE:
        vote(s, action, tables)
    elif s.phase == GUESS:
        s.guess[s.now] = action
        end_round(s)
    elif s.phase == LINK:
        say_link(s, action, tables)
    elif s.phase == NAME:
        name_spy(s, action, tables)
    else:
        deal(s, action, tables)


@kernel
def deal(s, outcome, tables):
    """Draw the first Director, the card, the two keywords (U1, U2)."""
    now = np.int64(s.now)
    if s.phase == DIRECTOR:
        s.first = outcome
    elif s.phase == CARD:
        s.card[now] = outcome
    elif s.phase == AGENTS_WORD:
        s.agents_word[now] = tables.family[s.card[now], outcome]
    else:
        s.spy_word[now] = tables.family[s.card[now], outcome]
        s.to_move = CHANCE if s.is_neutral else director(s)
    s.phase += 1


@kernel
def seat_meant(s, action, tables):
    """Return the seat that an action of the seat to move names."""
    return (np.int64(s.to_move) + 1 + action - tables.to_seat) % s.players


@kernel
def name_spy(s, action, tables):
    """Make a seat the spy, and show everybody their keyword (U3, U4)."""
    now = np.int64(s.now)
    s.spy[now] = action if s.is_neutral else seat_meant(s, action, tables)
    show_keywords(s)
    s.phase = LINK


@kernel
def show_keywords(s):
    """Give each seat but the Director the keyword of its role (U4)."""
    now = np.int64(s.now)
    for seat in range(s.players):
        if seat != director(s):
            s.keyword[now, seat] = s.spy_word[now] if seat == s.spy[now] else s.agents_word[now]


@kernel
def say_link(s, action, tables):
    """Say the link; chance draws one of the card's, if it has any (U3)."""
    now = np.int64(s.now)
    card = np.int64(s.card[now])
    s.link[now] = tables.link[card, action] if s.is_neutral and tables.links[card] else action
    s.phase = CLUE_1
    s.to_move = speaker(s)


@kernel
def next_speaker(s, times):
    """Let the next seat act; the phase has passed when all have acted so many times."""
    s.acted += 1
    if s.acted == times * (np.int64(s.players) - 1):
        s.acted = 0
        s.phase += 1
    s.to_move = speaker(s)


@kernel
def debate(s, action, tables):
    """Accuse a seat or say nothing (U6)."""
    lap = s.acted // (np.int64(s.players) - 1)
    s.accused[s.now, lap, s.to_move] = QUIET if action == tables.to_quiet else seat_meant(s, action, tables)
    next_speaker(s, np.int64(s.debate_rounds))


@kernel
def vote(s, action, tables):
    """Vote; the last vote stops a seat or nobody (U7), and a stopped spy is to guess (U8)."""
    now = np.int64(s.now)
    s.vote[now, s.to_move] = seat_meant(s, action, tables)
    next_speaker(s, 1)
    if s.phase == VOTE:
        return
    s.stopped[now] = most_votes(s)
    if s.stopped[now] == s.spy[now]:
        s.to_move = s.spy[now]
    else:
        end_round(s)


@kernel
def most_votes(s):
    """Return the seat with the most votes, or NONE in a tie (U7)."""
    best, most = np.int64(NONE), np.int64(0)
    for seat in range(s.players):
        votes = np.int64(0)
        for voter in range(s.players):
            votes += s.vote[s.now, voter] == seat
        if votes > most:
            best, most = np.int64(seat), votes
        elif votes == most:
            best = np.int64(NONE)
    return best


# The end


@kernel
def end_round(s):
    """Give the points (U9), then deal the next round or end the match (U1)."""
    score(s)
    pay(s)
    s.acted = 0
    if s.now + 1 < s.rounds:
        s.now += 1
        s.phase = CARD
        s.to_move = CHANCE
    else:
        s.over = True
        s.reason = MATCH_OVER
        s.to_move = NOBODY


@kernel
def score(s):
    """Give the points of the round to the spy or the agents (U9)."""
    now = np.int64(s.now)
    spy = np.int64(s.spy[now])
    if s.stopped[now] != spy:
        s.points[spy] += ESCAPED
    elif s.guess[now] == s.agents_word[now]:
        s.points[spy] += GUESSED
    else:
        for seat in range(s.players):
            if seat != spy and seat != director(s):
                s.points[seat] += CAUGHT


@kernel
def pay(s):
    """Make the points the returns so far, or what they are above the mean of all seats (U10)."""
    total = np.int64(0)
    for seat in range(SEATS):
        total += s.points[seat]
    mean = total / np.int64(s.players) if s.is_zero_sum else 0.0
    for seat in range(s.players):
        s.returns[seat] = s.points[seat] - mean

"""Who knows what in Suspicious, as records and tensors.  (Rulings U3 to U9)"""

import numpy as np

from kgb_env.games.suspicious.legality import clue_number, director, is_writing, place_of
from kgb_env.games.suspicious.spec import (
    CLUES,
    GUESS,
    NAME,
    NONE,
    PHASE,
    QUIET,
    ROUNDS_LEFT,
    VOTE,
)
from kgb_env.jit import kernel
from kgb_env.record import UNKNOWN


@kernel
def hide(v, seat, tables):
    """Hide the deal of this round (U4), and what others write and vote until all have (U5, U7); the past is public."""
    if v.over:
        return
    if seat != director(v):
        hide_deal(v, seat)
    for other in range(v.players):
        if other != seat and place_of(v, other) < v.acted:
            if is_writing(v):
                v.clue[v.now, clue_number(v), other] = UNKNOWN
            elif v.phase == VOTE:
                v.vote[v.now, other] = UNKNOWN


@kernel
def hide_deal(v, seat):
    """Hide the card, the spy, and all keywords but one's own, from all but the Director.

    A stopped spy is known to all, with its keyword (U8); thereby the others know that theirs is the agents'.
    """
    now = np.int64(v.now)
    v.card[now] = UNKNOWN
    if v.phase == GUESS and seat >= 0 and seat != v.stopped[now]:
        return
    v.agents_word[now] = UNKNOWN
    if v.phase != GUESS:
        v.spy_word[now] = UNKNOWN
    if v.phase > NAME:
        hide_roles(v, seat)


@kernel
def hide_roles(v, seat):
    """Hide who is the spy, and the keywords of others; a stopped spy is known."""
    now = np.int64(v.now)
    if v.phase != GUESS:
        v.spy[now] = UNKNOWN
    for other in range(v.players):
        is_stopped = v.phase == GUESS and other == v.stopped[now]
        if other != seat and other != director(v) and not is_stopped:
            v.keyword[now, other] = UNKNOWN


@kernel
def observe(v, obs, obs_mask, tables):
    """Encode the round as the viewer sees it: seats count from the viewer, then from its left."""
    obs[: tables.at_keyword] = 0
    obs_mask[:] = 1
    me, players, now = np.int64(v.viewer), np.int64(v.players), np.int64(v.now)
    if v.to_move >= 0:
        obs[PHASE + v.phase - NAME] = 1
        obs[ROUNDS_LEFT] = v.rounds - v.now
        mark(obs, tables.at_to_move, v, np.int64(v.to_move))
    mark(obs, tables.at_director, v, director(v))
    mark(obs, tables.at_stopped, v, np.int64(v.stopped[now]))
    if v.spy[now] == UNKNOWN:
        obs_mask[tables.at_spy : tables.at_spy + players] = 0
    else:
        mark(obs, tables.at_spy, v, np.int64(v.spy[now]))
    if now > 0:
        mark(obs, tables.at_last_spy, v, np.int64(v.spy[now - 1]))
        mark(obs, tables.at_last_stopped, v, np.int64(v.stopped[now - 1]))
    for place in range(players):
        observe_seat(v, (me + place) % players, place, obs, obs_mask, tables)
    show(np.int64(v.keyword[now, me]), tables.at_keyword, obs, obs_mask, tables)
    show(np.int64(v.link[now]), tables.at_link, obs, obs_mask, tables)
    show(np.int64(v.agents_word[now]), tables.at_agents_word, obs, obs_mask, tables)
    show(np.int64(v.spy_word[now]), tables.at_spy_word, obs, obs_mask, tables)


@kernel
def mark(obs, start, v, seat):
    """Write 1 for a seat, if it is one, in a piece with an entry a seat."""
    if seat >= 0:
        obs[start + (seat - v.viewer) % v.players] = 1


@kernel
def observe_seat(v, seat, place, obs, obs_mask, tables):
    """Encode what a seat has written, said and voted."""
    now, players = np.int64(v.now), np.int64(v.players)
    obs[tables.at_points + place] = v.points[seat]
    for number in range(CLUES):
        word, at = np.int64(v.clue[now, number, seat]), number * players + place
        obs[tables.at_wrote + at] = word != NONE
        show(word, tables.at_clue + at * tables.width, obs, obs_mask, tables)
    for lap in range(v.debate_rounds):
        at = lap * players + place
        obs[tables.at_quiet + at] = v.accused[now, lap, seat] == QUIET
        mark(obs, tables.at_accused + at * players, v, np.int64(v.accused[now, lap, seat]))
    votes = tables.at_vote + place * players
    if v.vote[now, seat] == UNKNOWN:
        obs_mask[votes : votes + players] = 0
    else:
        mark(obs, votes, v, np.int64(v.vote[now, seat]))


@kernel
def show(word, start, obs, obs_mask, tables):
    """Write the vector of a word, zeros where there is none."""
    width = tables.width
    if word >= 0:
        vector = tables.vectors[word * width : (word + 1) * width]
        for k in range(width):
            obs[start + k] = vector[k]
        return
    obs[start : start + width] = 0
    if word == UNKNOWN:
        obs_mask[start : start + width] = 0

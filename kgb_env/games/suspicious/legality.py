"""What a seat may choose in Suspicious.  (Rulings U3, U5 to U8)"""

import numpy as np

from kgb_env.games.suspicious.spec import CLUE_1, CLUE_2, CLUES, DEBATE, GUESS, LINK, NAME, VOTE
from kgb_env.jit import kernel


@kernel
def director(s):
    """Return the Director of the round: from the first one to the left (U1)."""
    return (np.int64(s.first) + s.now) % s.players


@kernel
def speaker(s):
    """Return whose turn it is among the others, who act from the Director's left (U5 to U7)."""
    return (director(s) + 1 + s.acted % (np.int64(s.players) - 1)) % s.players


@kernel
def place_of(s, seat):
    """Return how many act before a seat in every phase; the Director comes last and does not act."""
    return (seat - director(s) - 1) % s.players


@kernel
def legal(v, mask, tables):
    """Write what the seat to move may choose."""
    mask[:] = 0
    if v.phase == NAME:
        mask[tables.to_seat : tables.to_quiet] = 1
    elif v.phase == DEBATE:
        legal_suspects(v, mask, tables)
        mask[tables.to_quiet] = 1
    elif v.phase == VOTE:
        legal_suspects(v, mask, tables)
    else:
        legal_words(v, mask, tables)


@kernel
def legal_suspects(v, mask, tables):
    """Allow any other seat but the Director (U6, U7)."""
    mask[tables.to_seat : tables.to_quiet] = 1
    mask[tables.to_seat + (director(v) - v.to_move - 1) % v.players] = 0


@kernel
def legal_words(v, mask, tables):
    """Allow any word but those that the phase rules out (U3, U5, U8)."""
    now = np.int64(v.now)
    mask[: tables.words] = 1
    if v.phase == LINK:
        mask[v.agents_word[now]] = 0
        mask[v.spy_word[now]] = 0
    elif v.phase != GUESS:
        mask[v.link[now]] = 0
    if v.phase == CLUE_2:
        for seat in range(v.players):
            if seat != director(v):
                mask[v.clue[now, 0, seat]] = 0


@kernel
def is_writing(v):
    """Tell if clues are being written."""
    return v.phase == CLUE_1 or v.phase == CLUE_2


@kernel
def clue_number(v):
    """Return which clue is being written, from 0."""
    return min(max(np.int64(v.phase) - CLUE_1, 0), CLUES - 1)

"""Possible worlds of Suspicious: which deals and hidden writings agree with all that a seat has seen.

A deal is a card, the agents' and the spy's keyword, and the spy.  It weighs what chance gives it: a card as likely
as any other that is left, the words as any of its family, a neutral Director's link as any of the card's.  The spy's
seat counts as drawn evenly even if the Director has chosen it, and so do hidden clues and votes.
"""

import numpy as np

from kgb_env.games.suspicious.legality import clue_number, director, is_writing, legal_words, place_of
from kgb_env.games.suspicious.rules import show_keywords
from kgb_env.games.suspicious.spec import NAME, NONE, VOTE
from kgb_env.jit import kernel, next_u64, pick
from kgb_env.loops import copy_world
from kgb_env.record import UNKNOWN

COMMON = 840  # divisible by m * (m - 1) for every size m of a family, 2 to 8


@kernel
def determinize(v, seeds, out, scratch, tables):
    """Fill in the deal and what others have written or voted unseen."""
    is_dealt = v.card[v.now] == UNKNOWN
    if is_dealt:
        list_deals(v, scratch, tables)
    if is_writing(v):
        scratch.mask[:] = 0
        legal_words(v, scratch.mask, tables)
    for k in range(out.size):
        copy_world(v, seeds[k], out, k)
        if is_dealt:
            fill_deal(out[k], scratch)
        fill_hands(out[k], scratch, tables)
        out[k].rng = seeds[k]


@kernel
def list_deals(v, scratch, tables):
    """List the deals that agree with the view, with their weights."""
    scratch.deals = 0
    for card in range(tables.cards):
        if is_left(v, card) and has_keyword(v, card, tables):
            for one in range(tables.family_size[card]):
                for other in range(tables.family_size[card]):
                    agents, spy = np.int64(tables.family[card, one]), np.int64(tables.family[card, other])
                    if agents != spy and fits_words(v, agents, spy):
                        list_spies(v, card, agents, spy, scratch, tables)


@kernel
def is_left(v, card):
    """Tell if a card has not been dealt in an earlier round (U2)."""
    return not (v.card[: v.now] == card).any()


@kernel
def has_keyword(v, card, tables):
    """Tell if the viewer's keyword, if it has one yet, is of a card."""
    own = np.int64(v.keyword[v.now, v.viewer])
    for k in range(tables.family_size[card]):
        if tables.family[card, k] == own:
            return True
    return own == NONE


@kernel
def fits_words(v, agents, spy):
    """Tell if these can be the keywords: one of them is the viewer's, and none is the link (U3, U4)."""
    now = np.int64(v.now)
    own, link = np.int64(v.keyword[now, v.viewer]), np.int64(v.link[now])
    is_own = own in (NONE, agents, spy)
    return is_own and link != agents and link != spy and fits(v.agents_word[now], agents) and fits(v.spy_word[now], spy)


@kernel
def fits(known, value):
    """Tell if a value can be what the viewer knows of a secret."""
    return np.int64(known) in (UNKNOWN, np.int64(value))


@kernel
def list_spies(v, card, agents, spy_word, scratch, tables):
    """List the seats that can be the spy with these keywords; before the spy is named, none is it."""
    now = np.int64(v.now)
    weight = weight_of(v, card, tables)
    if v.phase <= NAME:
        add(card, agents, spy_word, NONE, weight, scratch)
        return
    for seat in range(v.players):
        own = spy_word if seat == v.viewer else agents
        if seat != director(v) and own == v.keyword[now, v.viewer] and fits(v.spy[now], seat):
            add(card, agents, spy_word, seat, weight, scratch)


@kernel
def weight_of(v, card, tables):
    """Return the chance of two given words of a card and, if chance has drawn it, of the link, times a constant."""
    size, links, link = tables.family_size[card], tables.links[card], v.link[v.now]
    weight = COMMON // (size * (size - 1))
    if not v.is_neutral or link == NONE:
        return weight
    others = tables.words - 2
    if not links:
        return weight * 6  # 6 * others / others
    for k in range(links):
        if tables.link[card, k] == link:
            return weight * others * 6 // links
    return weight * 0


@kernel
def add(card, agents, spy_word, spy, weight, scratch):
    """Add a deal to the list."""
    entry = scratch.deals
    scratch.card[entry] = card
    scratch.agents_word[entry] = agents
    scratch.spy_word[entry] = spy_word
    scratch.spy[entry] = spy
    scratch.weight[entry] = weight
    scratch.deals += 1


@kernel
def fill_deal(w, scratch):
    """Put a deal drawn at random into a state."""
    now = np.int64(w.now)
    entry = pick(scratch.weight[: scratch.deals], next_u64(w))
    w.card[now] = scratch.card[entry]
    w.agents_word[now] = scratch.agents_word[entry]
    w.spy_word[now] = scratch.spy_word[entry]
    w.spy[now] = scratch.spy[entry]
    if w.phase > NAME:
        show_keywords(w)


@kernel
def fill_hands(w, scratch, tables):
    """Let others have written or voted anything that they might."""
    now = np.int64(w.now)
    for seat in range(w.players):
        if is_writing(w) and w.clue[now, clue_number(w), seat] == UNKNOWN:
            w.clue[now, clue_number(w), seat] = pick(scratch.mask[: tables.words], next_u64(w))
        elif w.phase == VOTE and w.vote[now, seat] == UNKNOWN:
            w.vote[now, seat] = draw_vote(w, seat)


@kernel
def draw_vote(w, seat):
    """Return a seat that is neither the voter nor the Director, each as likely as any other."""
    others = np.uint64(np.int64(w.players) - 2)
    place = np.int64(next_u64(w) % others)
    if place >= place_of(w, seat):
        place += 1
    return (director(w) + 1 + place) % w.players

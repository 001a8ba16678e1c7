"""Broken games: Kuhn poker with one fault each, which the contract test must find."""

import numpy as np

from kgb_env.jit import kernel
from kgb_env.record import NOBODY, UNKNOWN, record
from tests import kuhn
from tests.kuhn import CARDS, FIELDS, KERNELS, SEATS, SHOWDOWN


def broken(name, **kernels):
    """Define Kuhn poker with some kernels replaced; a dtype of its own keeps it apart."""
    return kuhn.define(KERNELS._replace(**kernels), record([*FIELDS, (name, "i1", (0,))], __file__))


@kernel
def hide_nothing(v, seat, tables):
    """Forget to hide."""


@kernel
def hide_cards_only(v, seat, tables):
    """Forget the log."""
    for owner in range(SEATS):
        if owner != seat and owner < v.events and v.reason != SHOWDOWN:
            v.cards[owner] = UNKNOWN


@kernel
def hide_by_phase(v, seat, tables):
    """Hide by phase instead of by owner: after one choice both cards show."""
    if v.events != SEATS + 1:
        kuhn.hide(v, seat, tables)


@kernel
def hide_own_too(v, seat, tables):
    """Forget a card once something has been chosen."""
    kuhn.hide(v, seat, tables)
    if v.events == SEATS + 1:
        v.cards[:] = UNKNOWN


@kernel
def hide_and_keep_a_hint(v, seat, tables):
    """Let a public field depend on a hidden card."""
    hint = v.cards[1 - seat] if seat >= 0 and not v.over else 0
    kuhn.hide(v, seat, tables)
    v.returns[0] += hint if hint > 0 else 0


@kernel
def observe_without_mask(v, obs, obs_mask, tables):
    """Say that the hidden card is known."""
    kuhn.observe(v, obs, obs_mask, tables)
    obs_mask[:] = 1


@kernel
def observe_others_first(v, obs, obs_mask, tables):
    """Write into entries that the mask says are unknown."""
    kuhn.observe(v, obs, obs_mask, tables)
    if obs_mask[CARDS] == 0:
        obs[CARDS] = 1


@kernel
def legal_by_hidden_card(v, mask, tables):
    """Let the mask depend on the other's card."""
    mask[:] = 1
    if v.cards[1 - v.to_move] == 0 and v.events == SEATS:
        mask[1] = 0


@kernel
def determinize_to_one(v, seeds, out, scratch, tables):
    """Always deal the lowest card that is possible."""
    kuhn.determinize(v, seeds, out, scratch, tables)
    for k in range(out.size):
        for owner in range(SEATS):
            if v.cards[owner] == UNKNOWN:
                out[k].cards[owner] = 0
                out[k].log[owner] = 0


@kernel
def determinize_openly(v, seeds, out, scratch, tables):
    """Leave the log unfilled."""
    kuhn.determinize(v, seeds, out, scratch, tables)
    for k in range(out.size):
        for i in range(SEATS):
            out[k].log[i] = v.log[i]


@kernel
def step_without_memory(s, action, tables):
    """Do not write choices down."""
    kuhn.step(s, action, tables)
    if s.events == SEATS + 1:
        s.log[SEATS] = 0


@kernel
def step_and_pay_early(s, action, tables):
    """Show returns before the end, which tell who holds the higher card."""
    kuhn.step(s, action, tables)
    if s.to_move != NOBODY and s.events >= SEATS:
        s.returns[0] = s.cards[0] - s.cards[1]


@kernel
def step_unfairly(s, action, tables):
    """Pay more than is lost."""
    kuhn.step(s, action, tables)
    if s.over:
        s.returns[:] = np.abs(s.returns)


FAULTS = {
    "VIEW": (broken("view", hide=hide_nothing), "never hidden"),
    "LOG": (broken("only_cards", hide=hide_cards_only), "determinization looks different|never hidden"),
    "PHASE": (broken("phase", hide=hide_by_phase), "no longer does"),
    "OWN": (broken("own", hide=hide_own_too), "no longer does|public view"),
    "HINT": (broken("hint", hide=hide_and_keep_a_hint), "in its views"),
    "MASK": (broken("mask", observe=observe_without_mask), "observation mask"),
    "OBSERVATION": (broken("observation", observe=observe_others_first), "observation mask"),
    "LEGAL": (broken("legal", legal=legal_by_hidden_card), "mask from the view"),
    "TRUTH": (broken("truth", determinize=determinize_to_one), "determinization"),
    "OPEN": (broken("open_entries", determinize=determinize_openly), "leaves entries"),
    "RECALL": (broken("recall", step=step_without_memory), "forgets whether"),
    "RETURNS": (broken("early", step=step_and_pay_early), "before the end|returns"),
    "SUM": (broken("unfair", step=step_unfairly), "sum to zero"),
}
globals().update({name: definition for name, (definition, _) in FAULTS.items()})

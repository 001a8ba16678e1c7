"""How a sensible player answers for the enemy's Double Agent: it lies, but seldom so that it shows.

The chance of a yes depends on nothing but what both seats know.  So the other seat can weigh the
answers that it has got, which is what makes lying without measure a mistake.
"""

import numpy as np

from agents.confusion.proposals import brings_home, captures_the_last
from kgb_env.games.confusion.board import has_briefcase, is_own
from kgb_env.games.confusion.deduction import ONLY_DOUBLE_AGENT
from kgb_env.games.confusion.spec import EMPTY, HAND, MOVE
from kgb_env.games.confusion.views import count_bits
from kgb_env.jit import kernel


@kernel
def yes_chance(s, seat, kind, spy, direction, distance, style, tables):
    """Return how often a proposal for the Double Agent of ``seat`` is granted.

    A piece that the spy may still be would have said yes in ``fair`` of the cases: answers at that
    rate tell nothing.  The more the proposal hurts, the rarer the yes.  An answer that none of
    those pieces could give is given only to prevent the worst, or when nothing is left to hide.
    """
    if brings_home(s, seat, kind, spy, direction, distance, tables):
        return 0.0
    if captures_the_last(s, seat, kind, spy, direction, distance, tables):
        return 0.0
    story = np.int64(s.possible[seat, spy]) & ~ONLY_DOUBLE_AGENT
    if story == 0:
        return 0.0
    fair = count_bits(story & tables.can[direction, distance]) / count_bits(story)
    harm = harm_of(s, seat, kind, spy, direction, distance, style, tables)
    if fair == 1.0 and harm < style.unbearable:
        return 1.0
    if fair == 1.0 or fair == 0.0:
        return 0.0
    odds = fair / (1.0 - fair) * np.exp(-style.lying * harm)
    return odds / (1.0 + odds)


@kernel
def harm_of(s, seat, kind, spy, direction, distance, style, tables):
    """Return how much a granted proposal would hurt the other seat, from what both know."""
    start = np.int64(s.cell[seat, spy])
    target = np.int64(tables.path[seat, start, direction, distance])
    found = s.board[target]
    forward = tables.own_row[seat, target] - tables.own_row[seat, start]
    left = tables.rows - 1 - tables.own_row[seat, target]
    if kind == HAND:
        return style.harm_carry * forward / (1.0 + left) if is_own(found, seat) else 0.0
    harm = 0.0
    if found != EMPTY:
        harm += style.harm_capture
    if target == s.briefcase:
        harm += style.harm_rob if has_briefcase(s, 1 - seat) else style.harm_fetch
    elif kind == MOVE and start == s.briefcase:
        harm += style.harm_carry * forward / (1.0 + left)
    return harm


@kernel
def likelihood_of(is_yes, chance, style):
    """Return how likely an answer was, for one who does not quite trust this model of the other seat."""
    likelihood = chance if is_yes else 1.0 - chance
    return (1.0 - style.doubt) * likelihood + style.doubt * 0.5

"""What a position of Confusion is worth to a seat that knows the enemy's pieces and guesses its own.

Values lie between -1 (lost) and 1 (won).  The enemy is to move: what he may do at once is looked at,
with his real pieces (which we see) and with what he must believe about them (which we can work out).
"""

import numpy as np

from agents.confusion.geometry import FAR
from kgb_env.games.confusion.board import controller, has_briefcase, is_goal, is_own
from kgb_env.games.confusion.spec import (
    BACKWARD,
    DIRECTIONS,
    DOUBLE_AGENT,
    EDGE,
    EMPTY,
    LONGEST,
    NOWHERE,
    ORDINARY,
    PROMOTED,
    PROMOTED_DISTANCE,
    SEATS,
    SPIES,
)
from kgb_env.jit import kernel

WAYS = len(DIRECTIONS)
MEMORY_OF_VALUE = [
    ("grant", "f8", (SEATS, SPIES, WAYS, LONGEST)),  # the chance, for its owner, that a spy's ordinary piece goes so
    ("power", "f8", (2 * FAR + 1,)),  # what a number of turns leaves of a value
    ("lander", "i8"),  # the enemy's piece that is likeliest to land on the cell that was last asked about
]


def prepare_powers(memory, style):
    """Fill the powers of ``patience``."""
    memory["power"] = style["patience"][0] ** np.arange(2 * FAR + 1)


@kernel
def fill_grants(v, seat, grant, chance, tables):
    """Fill ``grant[spy, direction, distance]``: the chance, for its owner, that a spy's ordinary piece can go so."""
    grant[:] = 0.0
    for spy in range(tables.spies):
        if v.cell[seat, spy] == NOWHERE:
            continue
        for direction in range(WAYS):
            for distance in range(LONGEST):
                if v.promoted[seat, spy]:
                    grant[spy, direction, distance] = 1.0 if distance < PROMOTED_DISTANCE else 0.0
                    continue
                for piece in range(ORDINARY):
                    if distance < tables.reach[piece, direction]:
                        grant[spy, direction, distance] += chance[spy, piece]


@kernel
def true_reach(v, seat, spy, direction, tables):
    """Return how far a spy whose piece is seen can go; a Double Agent goes nowhere unless we let it."""
    if v.promoted[seat, spy]:
        return PROMOTED_DISTANCE
    piece = np.int64(v.piece[seat, spy])
    return 0 if piece == DOUBLE_AGENT else tables.reach[piece, direction]


@kernel
def value(v, me, memory, geometry, style, tables):
    """Return what the position is worth to ``me``; the enemy is to move."""
    worth = style.man * men(v, me, memory) - style.attacked * men_attacked(v, me, memory, style, tables)
    worth += style.threat * men_threatened(v, me, memory, tables)
    if has_briefcase(v, me):
        return worth + value_of_holding(v, me, memory, geometry, style, tables)
    if has_briefcase(v, 1 - me):
        return worth + value_of_chasing(v, me, memory, geometry, style, tables)
    return worth + value_of_racing(v, me, memory, geometry, style, tables)


@kernel
def men(v, me, memory):
    """Count spies, ours more than theirs; a Double Agent is none."""
    count = 0.0
    for spy in range(SPIES):
        if v.cell[me, spy] != NOWHERE:
            count += 1.0 - memory.chance[me, spy, DOUBLE_AGENT]
        if v.cell[1 - me, spy] != NOWHERE and v.piece[1 - me, spy] != DOUBLE_AGENT:
            count -= 1.0
    return count


@kernel
def men_attacked(v, me, memory, style, tables):
    """Count our spies, each with the chance that the enemy could capture it at once."""
    count = 0.0
    for spy in range(tables.spies):
        if v.cell[me, spy] != NOWHERE and v.cell[me, spy] != v.briefcase:
            count += enemy_lands(v, me, np.int64(v.cell[me, spy]), memory, style, tables)
    return count


@kernel
def men_threatened(v, me, memory, tables):
    """Count the enemy's spies, each with our best chance to capture it, if he left it there."""
    count = 0.0
    for spy in range(tables.spies):
        cell = np.int64(v.cell[1 - me, spy])
        if cell != NOWHERE and cell != v.briefcase and v.piece[1 - me, spy] != DOUBLE_AGENT:
            count += we_land(v, me, cell, memory, tables)
    return count


@kernel
def value_of_holding(v, me, memory, geometry, style, tables):
    """Value the briefcase in our hands: it may be taken, and taken back, else it goes home."""
    cell, spy = np.int64(v.briefcase), controller(v)
    robbed = enemy_lands(v, me, cell, memory, style, tables)
    kept = 1.0
    if not is_goal(cell, me, tables):
        kept = style.hold * (1.0 - memory.chance[me, spy, DOUBLE_AGENT])
        kept += style.run * our_run(v, me, spy, cell, memory, geometry)
    back = we_land(v, me, cell, memory, tables)
    lost = -style.hold - style.run * memory.power[geometry.home[1 - me, memory.lander, cell]]
    support = style.support * nearness(v, me, cell, False, memory, geometry, tables)
    return support + (1.0 - robbed) * kept + robbed * (back * style.regain + (1.0 - back) * lost)


@kernel
def value_of_chasing(v, me, memory, geometry, style, tables):
    """Value the briefcase in the enemy's hands: he wins at once, or goes on and may be caught there."""
    cell, spy, enemy = np.int64(v.briefcase), controller(v), 1 - me
    if is_goal(cell, enemy, tables):
        return -1.0  # safe extraction: only his next turn is missing
    if v.piece[enemy, spy] == DOUBLE_AGENT and not v.promoted[enemy, spy]:
        caught = we_land(v, me, cell, memory, tables)
        near = nearness(v, me, cell, False, memory, geometry, tables)
        return style.trap + style.support * near + caught * style.regain
    best, tries, wins = cell, 0.0, 0.0
    for direction in range(WAYS):
        reach = true_reach(v, enemy, spy, direction, tables)
        for distance in range(LONGEST):
            target = np.int64(tables.path[enemy, cell, direction, distance])
            if v.board[target] == EDGE or is_own(v.board[target], enemy):
                break
            hope = memory.grant[enemy, spy, direction, distance] ** style.guess
            if is_goal(target, enemy, tables):
                tries += hope
                wins += hope if distance < reach else 0.0
            if distance < reach and their_turns(v, enemy, spy, target, geometry) < their_turns(
                v, enemy, spy, best, geometry
            ):
                best = target
            if v.board[target] != EMPTY:
                break
    won = wins / tries if tries > 0.0 else 0.0
    run = memory.power[their_turns(v, enemy, spy, best, geometry)]
    caught = we_land(v, me, best, memory, tables)
    support = style.support * nearness(v, me, cell, False, memory, geometry, tables)
    return support - won + (1.0 - won) * (caught * style.regain - (1.0 - caught) * (style.hold + style.run * run))


@kernel
def value_of_racing(v, me, memory, geometry, style, tables):
    """Value a loose briefcase: who gets it, and how far it is from home then."""
    cell, enemy = np.int64(v.briefcase), 1 - me
    taken = enemy_lands(v, me, cell, memory, style, tables)
    lander = memory.lander
    answer = we_land(v, me, cell, memory, tables)
    lost = -style.hold - style.run * memory.power[geometry.home[enemy, lander, cell]]
    lost = answer * style.regain + (1.0 - answer) * lost
    near = nearness(v, me, cell, True, memory, geometry, tables)
    free = style.chase * near
    gained = answer * style.hold
    return taken * lost + (1.0 - taken) * (free + gained)


@kernel
def nearness(v, me, cell, is_bringing, memory, geometry, tables):
    """Compare how near, in turns, our spies and the enemy's are to a cell, or to bringing home what lies there."""
    ours = theirs = 0.0
    for spy in range(tables.spies):
        near = our_nearness(v, me, spy, cell, is_bringing, memory, geometry)
        ours += near * near
        near = their_nearness(v, 1 - me, spy, cell, is_bringing, memory, geometry)
        theirs += near * near
    return np.sqrt(ours) - np.sqrt(theirs)


@kernel
def our_nearness(v, me, spy, cell, is_bringing, memory, geometry):
    """Return how near a spy of ours is to a cell: 1 there, less by each turn on the way, 0 on it or out of play."""
    start = np.int64(v.cell[me, spy])
    if start in (NOWHERE, cell):
        return 0.0
    if v.promoted[me, spy]:
        return memory.power[turns_of(me, PROMOTED, start, cell, is_bringing, geometry)]
    near = 0.0
    for piece in range(ORDINARY):
        chance = memory.chance[me, spy, piece]
        if chance > 0.0:
            near += chance * memory.power[turns_of(me, piece, start, cell, is_bringing, geometry)]
    return near


@kernel
def their_nearness(v, enemy, spy, cell, is_bringing, memory, geometry):
    """Return the same for a spy of the enemy, whose piece is seen."""
    start = np.int64(v.cell[enemy, spy])
    if start in (NOWHERE, cell):
        return 0.0
    piece = PROMOTED if v.promoted[enemy, spy] else np.int64(v.piece[enemy, spy])
    return memory.power[turns_of(enemy, piece, start, cell, is_bringing, geometry)] if piece != DOUBLE_AGENT else 0.0


@kernel
def turns_of(seat, piece, start, cell, is_bringing, geometry):
    """Return how many turns a piece needs to a cell, and if it is to bring something, from there home."""
    turns = np.int64(geometry.turns[seat, piece, start, cell])
    return turns + geometry.home[seat, piece, cell] if is_bringing else turns


@kernel
def our_run(v, me, spy, cell, memory, geometry):
    """Return how near home a spy of ours brings the briefcase from a cell: 1 there, less by each turn on the way."""
    if v.promoted[me, spy]:
        return memory.power[geometry.home[me, PROMOTED, cell]]
    run = 0.0
    for piece in range(ORDINARY):
        run += memory.chance[me, spy, piece] * memory.power[geometry.home[me, piece, cell]]
    return run


@kernel
def their_turns(v, enemy, spy, cell, geometry):
    """Return how many turns an enemy spy needs to bring the briefcase home from a cell."""
    return geometry.home[enemy, PROMOTED if v.promoted[enemy, spy] else np.int64(v.piece[enemy, spy]), cell]


@kernel
def enemy_lands(v, me, target, memory, style, tables):
    """Return the chance that the enemy, if he tries now, lands a spy on a cell; note the piece of his best in memory.

    He tries the spy that he believes in most; we know which of them really can.
    """
    enemy, tries, lands, best = 1 - me, 0.0, 0.0, 0.0
    memory.lander = DOUBLE_AGENT
    for way in range(WAYS):
        direction = (way + BACKWARD) % WAYS
        for distance in range(LONGEST):
            cell = np.int64(tables.path[enemy, target, way, distance])
            found = np.int64(v.board[cell])
            if found == EMPTY and cell != v.briefcase:
                continue
            if is_own(found, enemy):
                spy = (found - 1) % SPIES
                hope = memory.grant[enemy, spy, direction, distance] ** style.guess
                tries += hope
                if distance < true_reach(v, enemy, spy, direction, tables):
                    lands += hope
                    if hope > best:
                        best = hope
                        memory.lander = PROMOTED if v.promoted[enemy, spy] else v.piece[enemy, spy]
            break
    return lands / tries if tries > 0.0 else 0.0


@kernel
def we_land(v, me, target, memory, tables):
    """Return the chance that our best try lands a spy on a cell."""
    best = 0.0
    for way in range(WAYS):
        direction = (way + BACKWARD) % WAYS
        for distance in range(LONGEST):
            cell = np.int64(tables.path[me, target, way, distance])
            found = np.int64(v.board[cell])
            if found == EMPTY and cell != v.briefcase:
                continue
            if is_own(found, me):
                best = max(best, memory.grant[me, (found - 1) % SPIES, direction, distance])
            break
    return best

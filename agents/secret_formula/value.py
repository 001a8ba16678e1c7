"""What a choice is worth: roughly the chance to win that it leaves."""

import numpy as np

from agents.secret_formula.evidence import envelope_sign, gate_sign, is_surrender, steps_used, way
from agents.secret_formula.outlook import chance_to_come, way_there
from kgb_env.games.secret_formula.legality import can_be_knocked_out
from kgb_env.games.secret_formula.spec import DOWN, NOWHERE
from kgb_env.jit import kernel

# Each was tried higher and lower in 4,000 games against three collectors (standard error 0.008), most in 1,200
# to 4,000 against three experts with the other values.  `safety` and `thrown_out` matter most; of many others a
# change shows little.
VALUES = {
    "pace": 0.88,  # what a turn leaves of the value of something still to be reached: others are looking for it too
    "safety": 0.95,  # chance to keep the formula for a turn on the way to a gate
    "chase": 0.8,  # what a rival's moving about leaves of the value of robbing it later
    "bold": 0.3,  # how often a rival within reach attacks who carries envelopes that it has not examined
    "nearest": 0.8,  # the same if no other such envelope is nearer to the rival
    "idle": 0.15,  # the same if it has examined them all
    "lost": 0.15,  # what remains of the value of the formula when one is robbed of it
    "knock": 0.7,  # what part of a turn gained it is worth that all rivals lose one: below one, or nobody would go on
    "thrown_out": 1.25,  # how much more a capture leaves than by the best gate now: one chooses it later, and is safe
    "extra": 4,  # steps that an escape from the guard is worth
    "passing": 0.5,  # how much the dangers of a cell count from which the move goes on
    "patience": 12,  # rounds after which fear of rivals fades, so that games come to an end
    "trust": 0.8,  # how much of what moves tell is believed
    "hide": 0.5,  # how much of it rivals are thought to believe
    "contest": 0.3,  # how often a rival within reach of an envelope takes it
    "stops": 4,  # goals of a tour, at most
}
WEIGHTS = np.dtype((np.record, [(name, "f8") for name in VALUES]))


@kernel
def value_of_going(v, seat, cell, o, b, w, evidence, p, t):
    """Return what it is worth to go to a cell.

    Args:
        v: the view of the seat to move or to escape.
        seat: that seat.
        cell: one that it may name.
        o: its outlook.
        b: what it believes.
        w: its weights, one record of WEIGHTS.
        evidence: how others read its moves.
        p: the plan.
        t: the tables.
    """
    if is_surrender(v, seat, cell, t):
        return value_of_capture(v, seat, o, w, p, t)
    used = steps_used(v, seat, cell, t)
    left = np.int64(v.left) - used
    found, downed = gains(v, seat, cell, b, t)
    hit = danger(v, seat, cell, used, found, o, b, w, evidence, p, t)
    caught = risk_of_capture(cell, o, p, t)
    if left > 0:
        hit, caught = hit * w.passing, caught * w.passing
    bonus = w.extra if t.sector[cell] == o.guard else 0.0
    budget = left + np.int64(bonus)
    value = 0.0
    if found > 0.0:
        is_out = p.to_gate[v.guard, cell] <= left
        steps = max(np.int64(1), np.int64(p.to_gate[o.guard, cell]) - budget)
        kept = (1.0 - hit * (1.0 - w.lost)) * (1.0 - caught * (1.0 - w.lost)) * p.out[steps]
        value += found * (1.0 if is_out else kept)
    if found < 1.0:
        sought = tour(cell, budget, cell, o, w, p, t)
        sought *= 1.0 - hit * (1.0 - w.pace)
        if caught > 0.0:
            sought += caught * (value_of_capture(v, seat, o, w, p, t) - sought)
        value += sought
    return value * (1.0 + w.knock * (1.0 - w.pace) * downed / (v.players - 1))


@kernel
def gains(v, seat, cell, b, t):
    """Return how likely the seat carries the formula once it has gone to a cell, and how many rivals it knocks out."""
    found, downed = b.held[seat], 0
    for other in range(v.players):
        if other != seat and v.cell[other] == cell:
            if can_be_knocked_out(v, other):
                downed += 1
            if can_be_knocked_out(v, other) or v.status[other] == DOWN:
                found += b.held[other]
    for envelope in range(t.hiding_places):
        if v.lies[envelope] == cell:
            found += b.chance[envelope]
    return found, downed


@kernel
def danger(v, seat, cell, used, found, o, b, w, evidence, p, t):
    """Return how likely the seat is knocked out on a cell before its next turn."""
    lift, safe = -1.0, 1.0
    for other in range(v.players):
        if other == seat or not o.comes[other]:
            continue
        if v.cell[other] == cell and can_be_knocked_out(v, other):
            continue  # this move knocks it out
        comes = chance_to_come(v, other, cell, o, p, t)
        if comes > 0.0:
            if lift < 0.0:
                lift = np.exp(lift_of(v, seat, cell, used, w, evidence, p, t))
            safe *= 1.0 - comes * boldness(v, seat, cell, other, lift, o, b, w, t)
    return (1.0 - safe) * min(1.0, w.patience * v.players / (1.0 + v.turn))


@kernel
def lift_of(v, seat, cell, used, w, evidence, p, t):
    """Return by how much a move makes it likelier for others that the seat carries the formula, as a logarithm."""
    return w.hide * evidence.has[gate_sign(v, seat, cell, used, p, t), envelope_sign(v, seat, cell, used, t)]


@kernel
def boldness(v, seat, cell, other, lift, o, b, w, t):
    """Return how likely a rival attacks that can: the more, the likelier it thinks that the seat has the formula."""
    odds = b.suspicion[other] * lift
    sure = odds / (odds + 1.0 - b.suspicion[other])
    tempts = sure > 0.0
    for envelope in range(t.hiding_places):
        if v.lies[envelope] == cell and not (v.examined[other] >> envelope) & 1:
            tempts = True
    base = w.bold
    if v.cell[other] != NOWHERE and way(t, o.guards[other], np.int64(v.cell[other]), cell) <= o.else_where[other]:
        base = w.nearest
    return base + (1.0 - base) * sure if tempts else w.idle


@kernel
def risk_of_capture(cell, o, p, t):
    """Return how likely the guard captures who stands on a cell, by his next round or an alarm of one's own."""
    sector = np.int64(t.sector[cell])
    if sector == NOWHERE:
        return 0.0
    is_lost = t.is_spiral[sector] or cell == t.guard_post[sector]
    caught = 1.0 if is_lost else 1.0 - p.reach[t.exit_steps[cell]]
    return caught if sector == o.guard else caught / 6.0


@kernel
def tour(start, budget, passed, o, w, p, t):
    """Return what a tour over the goals is worth that always goes on to the one most worth its way.

    Args:
        start: the cell that it begins from.
        budget: steps that are left of the present move.
        passed: a cell whose goal is taken already.
        o: the outlook.
        w: the weights.
        p: the plan.
        t: the tables.
    """
    for goal in range(o.goals):
        o.is_left[goal] = o.place[goal] != passed
    total, cell, walked = 0.0, start, -budget
    for _ in range(np.int64(w.stops)):
        best, chosen = 0.0, -1
        for goal in range(o.goals):
            if o.is_left[goal]:
                steps = walked + way_there(o, cell, o.place[goal], t)
                worth = o.worth[goal] * p.near[max(0, steps)]
                if worth > best:
                    best, chosen, arrival = worth, goal, steps
        if chosen < 0:
            break
        total += best
        o.is_left[chosen] = 0
        cell, walked = o.place[chosen], arrival
    return total


@kernel
def value_of_capture(v, seat, o, w, p, t):
    """Return what it is worth to be captured: a turn is lost, then one comes in by the best gate."""
    if o.knows:
        return w.lost * 0.5
    best = 0.0
    for gate in range(t.gates):
        best = max(best, tour(np.int64(t.gate_cell[gate]), -1, NOWHERE, o, w, p, t))
    return w.pace * w.thrown_out * best


@kernel
def value_of_gate(gate, o, w, p, t):
    """Return what it is worth to come in by a gate."""
    return tour(np.int64(t.gate_cell[gate]), -1, NOWHERE, o, w, p, t)

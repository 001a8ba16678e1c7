"""Search trees, one a decision and many side by side, as kernels over flat memory.

A *simulation* takes a world that the decider holds possible, walks down the tree of its row, adds
an edge, plays on to the end, and counts the result along its path.  The kernels work on a row until
its simulations are done or it must wait for what only Python can get: the choice of an agent, or the
value of a state.

A node is what the seat to move knows (in a search with perfect information: all there is to know
but the luck to come), so that all worlds share it that look alike there.  Its legal actions follow
from that alone.  Whenever it is visited, all its actions are therefore available, and the counts of
availability of Cowling, Powley and Whitehouse (2012) are the counts of visits.
"""

import math

import numpy as np

from agents.search_memory import (
    BACK_UP,
    BEGIN,
    DESCEND,
    EVALUATION,
    NOBODY_ELSE,
    OPPONENTS,
    ROLL_OUT,
    ROLLOUT,
)
from kgb_env.jit import derive_seed, kernel, mix, next_u64, pick, wrapping_kernel
from kgb_env.kernels import determinize, legal
from kgb_env.loops import play, view

NONE = -1  # no node, no edge

# What the seeds that are derived from a decision's seed are for.
WORLD_SEEDS, CHOICE_SEEDS, LUCK_SEEDS = range(3)


@kernel
def begin_rows(memory, seeds):
    """Plant a tree in every row."""
    memory.slots[:] = 0
    memory.visits[:] = 0
    for i in range(seeds.size):
        row = memory.rows[i]
        row.seed = seeds[i]
        row.rng = derive_seed(seeds[i], CHOICE_SEEDS, 0)
        row.simulations = 0
        row.nodes = 0
        row.edges = 0
        row.stage = BEGIN
        row.waits_for = NOBODY_ELSE


@kernel
def search_rows(memory, views, until, settings, tables):
    """Go on with every row until it has finished ``until`` simulations or waits for somebody."""
    for i in range(views.size):
        row = memory.rows[i]
        while row.simulations < until:
            if row.stage == BEGIN:
                begin_simulation(memory, i, views[i], settings[0], tables[0])
            if row.stage == DESCEND:
                descend(memory, i, np.int64(views[i].viewer), settings[0], tables[0])
            if row.stage == ROLL_OUT:
                roll_out(memory, i, np.int64(views[i].viewer), settings[0], tables[0])
            if row.waits_for != NOBODY_ELSE:
                break
            back_up(memory, i, settings[0])


@kernel
def begin_simulation(memory, i, v, settings, tables):
    """Take the next world; its luck is new in each simulation, because nobody knows what is to come."""
    row, worlds, seeds = memory.rows[i], memory.worlds[i], memory.seeds
    k = row.simulations
    if k % worlds.size == 0 and (k == 0 or not settings.is_perfect):
        for j in range(worlds.size):
            seeds[j] = derive_seed(row.seed, WORLD_SEEDS, k + j)
        determinize(v, seeds, worlds, memory.scratch[0], tables)
    memory.states[i] = worlds[k % worlds.size]
    memory.states[i].rng = derive_seed(row.seed, LUCK_SEEDS, k)
    row.depth = 0
    row.plies = 0
    row.stage = DESCEND


@kernel
def descend(memory, i, me, settings, tables):
    """Walk down the tree until an edge has been added, or there is no room for one, or the game is over."""
    row, s, edges, mask = memory.rows[i], memory.states[i], memory.edges[i], memory.mask
    while row.stage == DESCEND and not s.over:
        legal(s, mask, tables)
        choices = mask.sum()
        if choices == 1:  # no decision, no node
            play(s, pick(mask, np.uint64(0)), memory.weights, tables)
            continue
        if settings.has_opponents and s.to_move != me:
            wait_for(row, OPPONENTS)
            return
        node = find(memory, i, settings.is_perfect, tables)
        edge = NONE if node == NONE else choose(memory, i, node, choices, settings.exploration)
        if edge == NONE:
            break
        memory.path[i, row.depth] = edge
        row.depth += 1
        play(s, np.int64(edges[edge].action), memory.weights, tables)
    row.stage = ROLL_OUT


@kernel
def wait_for(row, whom):
    """Stop until Python has done what only Python can do."""
    row.asking = next_u64(row)
    row.waits_for = whom


@kernel
def find(memory, i, is_perfect, tables):
    """Return the node where the game stands, a new one if there is none yet, or NONE if there is no room."""
    row, s, nodes, slots = memory.rows[i], memory.states[i], memory.nodes[i], memory.slots[i]
    seat = np.int64(s.to_move)
    if is_perfect:
        memory.seen[0] = s
        memory.seen[0].rng = 0
    else:
        view(s, seat, memory.seen, 0, tables)
    key, check = fingerprint(memory.words)
    slot = np.int64(key & np.uint64(slots.size - 1))
    while slots[slot]:
        node = np.int64(slots[slot]) - 1
        if nodes[node].key == key and nodes[node].check == check:
            return node
        slot = (slot + 1) & (slots.size - 1)
    if row.edges == nodes.size:
        return NONE
    n = nodes[row.nodes]
    n.key = key
    n.check = check
    n.visits = 0
    n.tried = 0
    n.first = NONE
    n.seat = seat
    row.nodes += 1
    slots[slot] = row.nodes
    return row.nodes - 1


@wrapping_kernel
def fingerprint(words):
    """Hash a record's bytes twice.

    A node is told from others by both hashes, 128 bits.  That any two of a million nodes are mixed
    up has a chance of about 10**-27, so the bytes themselves are not kept and compared.
    """
    key, check = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)
    for word in words:
        key = (key ^ word) * np.uint64(0xBF58476D1CE4E5B9)
        key ^= key >> np.uint64(29)
        check = (check + word) * np.uint64(0x94D049BB133111EB)
        check ^= check >> np.uint64(32)
    return mix(key), mix(check)


@kernel
def choose(memory, i, node, choices, exploration):
    """Return a new edge while there is an action to try and room, else the edge with the best upper bound (UCB1)."""
    row, n, edges, mask = memory.rows[i], memory.nodes[i, node], memory.edges[i], memory.mask
    if n.tried < choices and row.edges < edges.size:
        edge = np.int64(n.first)
        while edge != NONE:
            mask[edges[edge].action] = 0
            edge = np.int64(edges[edge].next)
        return add_edge(row, n, node, edges, pick(mask, next_u64(row)))
    best, chosen, edge = -1.0, np.int64(NONE), np.int64(n.first)
    bonus = exploration * math.sqrt(math.log(n.visits))
    while edge != NONE:
        e = edges[edge]
        bound = e.value / e.visits + bonus / math.sqrt(e.visits)
        if bound > best:
            best, chosen = bound, edge
        edge = np.int64(e.next)
    return chosen


@kernel
def add_edge(row, n, node, edges, action):
    """Try an action for the first time; the simulation leaves the tree with it."""
    edge = row.edges
    e = edges[edge]
    e.value = 0
    e.visits = 0
    e.action = action
    e.node = node
    e.next = n.first
    n.first = edge
    n.tried += 1
    row.edges += 1
    row.stage = ROLL_OUT
    return edge


@kernel
def roll_out(memory, i, me, settings, tables):
    """Play on at random, or wait for the agents that are to play; at the end write what each seat gets."""
    row, s, mask = memory.rows[i], memory.states[i], memory.mask
    while not s.over and row.plies < settings.rollout_plies:
        row.plies += 1
        legal(s, mask, tables)
        asked = ROLLOUT if settings.has_rollout else NOBODY_ELSE
        if settings.has_opponents and s.to_move != me:
            asked = OPPONENTS
        if asked != NOBODY_ELSE and mask.sum() > 1:
            wait_for(row, asked)
            return
        play(s, pick(mask, next_u64(row)), memory.weights, tables)
    for seat in range(memory.values.shape[1]):  # the record may have room for more seats
        memory.values[i, seat] = s.returns[seat]
    row.stage = BACK_UP
    if settings.has_evaluation and not s.over:
        wait_for(row, EVALUATION)


@kernel
def back_up(memory, i, settings):
    """Count a finished simulation along its path, each edge for the seat that chose it."""
    row, path, edges = memory.rows[i], memory.path[i], memory.edges[i]
    span = settings.max_return - settings.min_return
    for k in range(row.depth):
        e = edges[path[k]]
        n = memory.nodes[i, e.node]
        n.visits += 1
        e.visits += 1
        e.value += (memory.values[i, n.seat] - settings.min_return) / span
    memory.visits[i, edges[path[0]].action] += 1
    row.simulations += 1
    row.stage = BEGIN


@kernel
def choose_most_visited(memory, actions):
    """Choose in every row the action that was tried most often at the root; the seed breaks ties."""
    for i in range(actions.size):
        row, visits = memory.rows[i], memory.visits[i]
        ties, most = 0, np.int64(1)
        for action in range(visits.size):
            if visits[action] >= most:
                ties = ties + 1 if visits[action] == most else 1
                most = visits[action]
                if next_u64(row) % np.uint64(ties) == 0:
                    actions[i] = action

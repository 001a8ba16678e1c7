"""What every game gets for free: loops over its kernels, compiled once a game, cached on disk.

The functions in the first half take records (``states[i]``) and are called by other kernels.  The
entry points in the second half take arrays of records, which Python passes faster.
"""

from typing import NamedTuple

import numpy as np

from kgb_env.jit import derive_seed, kernel, mix, next_u64, pick
from kgb_env.kernels import begin, chance, determinize, hide, legal, observe, step
from kgb_env.record import CHANCE, ILLEGAL, NOBODY


class Frame(NamedTuple):
    """What seats see, one row each."""

    views: np.ndarray
    observation: np.ndarray
    observation_mask: np.ndarray
    action_mask: np.ndarray


@kernel
def advance(s, weights, tables):
    """Let chance play until a seat is to move or the game is over."""
    while s.to_move == CHANCE:
        chance(s, weights, tables)
        step(s, pick(weights, next_u64(s)), tables)


@kernel
def start(s, seed, weights, tables):
    """Begin a game and play the chance at its start."""
    begin(s, tables)
    s.viewer = NOBODY
    s.is_oracle = False
    s.rng = seed
    advance(s, weights, tables)


@kernel
def play(s, action, weights, tables):
    """Apply the choice of the seat to move, then let chance play."""
    step(s, action, tables)
    if s.to_move == CHANCE:  # a call that does nothing would cost 24 ns
        advance(s, weights, tables)


@kernel
def forfeit(s, penalty):
    """End a game after an illegal action; the seat that chose it loses ``penalty``."""
    s.returns[s.to_move] -= penalty  # not the negative of it: -0.0 looks odd
    s.over = True
    s.reason = ILLEGAL
    s.to_move = NOBODY


@kernel
def oracle(s, seat, out, j):
    """Copy everything but the luck to come."""
    out[j] = s
    out[j].rng = 0
    out[j].viewer = seat


@kernel
def view(s, seat, out, j, tables):
    """Copy what ``seat`` knows."""
    oracle(s, seat, out, j)
    hide(out[j], seat, tables)


@kernel
def encode(v, observation, observation_mask, action_mask, tables):
    """Write the observation and the masks of a view."""
    observe(v, observation, observation_mask, tables)
    if v.to_move == v.viewer:
        legal(v, action_mask, tables)
    else:
        action_mask[:] = 0


@kernel
def copy_world(v, seed, out, k):
    """Copy a view into ``out`` as a full state whose secrets are still to be filled in."""
    out[k] = v
    out[k].viewer = NOBODY
    out[k].rng = seed


# Entry points


@kernel
def start_rows(states, seeds, weights, tables):
    """Begin a game in every row."""
    for i in range(states.size):
        start(states[i], seeds[i], weights, tables[0])


@kernel
def play_rows(states, actions, weights, tables):
    """Play one action in every row."""
    for i in range(states.size):
        play(states[i], actions[i], weights, tables[0])


@kernel
def view_rows(states, seats, out, tables):
    """Write what ``seats[i]`` knows of game i."""
    for i in range(states.size):
        view(states[i], seats[i], out, i, tables[0])


@kernel
def oracle_rows(states, seats, out):
    """Write everything about game i, from the side of ``seats[i]``."""
    for i in range(states.size):
        oracle(states[i], seats[i], out, i)
        out[i].is_oracle = True


@kernel
def encode_rows(frame, tables):
    """Write observations and masks of the views that are in the frame."""
    views, observation, observation_mask, action_mask = frame
    for i in range(views.size):
        encode(views[i], observation[i], observation_mask[i], action_mask[i], tables[0])


@kernel
def legal_rows(views, masks, tables):
    """Write the action masks of views whose viewers are to move."""
    for i in range(views.size):
        legal(views[i], masks[i], tables[0])


@kernel
def first_illegal(actions, masks):
    """Return the first row whose action its mask forbids, or -1."""
    for i in range(actions.size):
        if not (0 <= actions[i] < masks.shape[1] and masks[i, actions[i]]):
            return i
    return -1


@kernel
def look(states, seat, views, observation, observation_mask, action_mask, tables):
    """Write what a seat sees of the first game."""
    view(states[0], seat, views, 0, tables[0])
    encode(views[0], observation, observation_mask, action_mask, tables[0])


@kernel
def play_if_legal(states, action, masks, weights, tables):
    """Play an action of the first game if it is legal, and tell whether it was."""
    legal(states[0], masks[0], tables[0])
    if not (0 <= action < masks.shape[1] and masks[0, action]):
        return False
    play(states[0], action, weights, tables[0])
    return True


@kernel
def play_openly(states, actions, mask, moves, before, weights, tables):
    """Play chance and some actions in the first game; write every outcome and action, and the state before it.

    Return how many moves were made, and how many of them are actions.  An action that is not legal stops it, as do the
    end of the game and moves that are full.
    """
    s = states[0]
    made, played = 0, 0
    while made < moves.size:
        if s.to_move == CHANCE:
            chance(s, weights, tables[0])
            move = np.int64(pick(weights, next_u64(s)))
        elif s.over or played == actions.size:
            break
        else:
            legal(s, mask, tables[0])
            move = actions[played]
            if not (0 <= move < mask.size and mask[move]):
                break
            played += 1
        before[made] = s
        moves[made] = move
        step(s, move, tables[0])
        made += 1
    return made, played


@kernel
def step_batch(states, seed, episodes, actions, known, frame, ended, penalty, weights, tables):
    """Play one action in every game and start the finished ones anew.

    ``known`` holds the masks that the actions were chosen from; ``ended`` is (final states,
    rewards, reasons), written in full except for the final states of games that go on.
    """
    views, observation, observation_mask, action_mask = frame  # passing it on would cost reference counts
    final_states, rewards, reasons = ended
    for i in range(states.size):
        s = states[i]
        action = actions[i]
        for seat in range(rewards.shape[1]):
            rewards[i, seat] = -s.returns[seat]
        if 0 <= action < known.shape[1] and known[i, action]:
            play(s, action, weights, tables[0])
        else:
            forfeit(s, penalty)
        reasons[i] = s.reason
        for seat in range(rewards.shape[1]):
            rewards[i, seat] += s.returns[seat]
        if s.over:
            final_states[i] = s
            episodes[i] += 1
            start(s, derive_seed(seed, i, episodes[i]), weights, tables[0])
        view(s, int(s.to_move), views, i, tables[0])
        encode(views[i], observation[i], observation_mask[i], action_mask[i], tables[0])


@kernel
def start_some(states, rows, seed, envs, episodes, weights, tables):
    """Begin, in some rows, the episode of each environment that is due."""
    for row in rows:
        start(states[row], derive_seed(seed, envs[row], episodes[row]), weights, tables[0])


@kernel
def view_some(states, rows, seats, views, tables):
    """Write what ``seats[row]`` knows, for some rows, one after the other."""
    for i in range(rows.size):
        view(states[rows[i]], int(seats[rows[i]]), views, i, tables[0])


@kernel
def encode_some(views, rows, observation, observation_mask, action_mask, tables):
    """Write observations and masks of views into some rows."""
    for i in range(rows.size):
        row = rows[i]
        encode(views[i], observation[row], observation_mask[row], action_mask[row], tables[0])


@kernel
def play_some(states, rows, actions, mask, weights, tables):
    """Play one action in some rows; return the first of them whose action is illegal, and stays as it was, or -1."""
    for i in range(rows.size):
        s = states[rows[i]]
        legal(s, mask, tables[0])
        if not (0 <= actions[i] < mask.size and mask[actions[i]]):
            return i
        play(s, actions[i], weights, tables[0])
    return -1


@kernel
def play_forced(states, rows, may_skip, made, mask, weights, tables):
    """Make the decisions that leave no choice, in some rows, for seats that need not be asked; count them."""
    for row in rows:
        s = states[row]
        while not s.over and may_skip[row, s.to_move]:
            legal(s, mask, tables[0])
            action = only_one(mask)
            if action < 0:
                break
            made[row, s.to_move] += 1
            play(s, action, weights, tables[0])


@kernel
def only_one(mask):
    """Return the only legal action, or -1."""
    found = -1
    for action in range(mask.size):
        if mask[action]:
            if found >= 0:
                return -1
            found = action
    return found


@kernel
def play_or_forfeit(states, actions, masks, penalty, weights, tables):
    """Play one action in every row, or end its game where its mask forbids it."""
    for i in range(states.size):
        if 0 <= actions[i] < masks.shape[1] and masks[i, actions[i]]:
            play(states[i], actions[i], weights, tables[0])
        else:
            forfeit(states[i], penalty)


@kernel
def draw_lots(seed, envs, episodes, rows, out):
    """Write numbers from 0 to 1 that some rows' episodes decide by who sits where."""
    for row in rows:
        episode = derive_seed(seed, envs[row], episodes[row])
        for j in range(out.shape[1]):
            out[row, j] = np.float64(derive_seed(episode, 0, j) >> np.uint64(11)) * 2.0**-53


@kernel
def decision_seeds(seed, envs, episodes, seats, made, rows, out):
    """Write the seed of the next decision in some rows: of an episode, by a seat that has made so many."""
    for i in range(rows.size):
        row = rows[i]
        episode = derive_seed(seed, envs[row], episodes[row])
        out[i] = derive_seed(derive_seed(episode, 1 + seats[row], 0), made[row, seats[row]], 0)


@kernel
def rollout_rows(states, mask, weights, tables):
    """Play every game to its end, uniformly at random; return the number of decisions."""
    plies = 0
    for i in range(states.size):
        s = states[i]
        while not s.over:
            legal(s, mask, tables[0])
            play(s, pick(mask, next_u64(s)), weights, tables[0])
            plies += 1
    return plies


@kernel
def choose_random(views, seeds, actions, mask, tables):
    """Choose a random legal action for every view."""
    for i in range(views.size):
        legal(views[i], mask, tables[0])
        actions[i] = pick(mask, mix(seeds[i]))


@kernel
def worlds_of(views, seeds, out, scratch, tables):
    """Sample full states that fit the first view."""
    determinize(views[0], seeds, out, scratch[0], tables[0])

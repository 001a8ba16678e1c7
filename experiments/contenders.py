"""What `kgb speed` measures of a game of ours: each way to play it, as a function that makes moves."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

import numpy as np
from pettingzoo import AECEnv

from agents import Agent, agent_names, make_agent
from kgb_env import BatchEnv, Game, KGBEnv, KGBVectorEnv
from kgb_env.jit import derive_seed, kernel, mix, next_u64, pick
from kgb_env.loops import encode, play, rollout_rows, view

BATCHES = (1, 64, 1024, 8192)
LEARNERS = (64, 1024)
GAMES_IN_A_ROLLOUT = 256
ROWS_OF_THE_FLOOR = 1024
PLIES_APART = 7  # of the positions in which agents are measured: odd, so that all seats and phases occur


class Contender(NamedTuple):
    """Something that plays; ``play(amount)`` returns how many moves it made, about in proportion to ``amount``."""

    name: str
    includes: str
    play: Callable[[int], int]


@kernel
def observed_rollout_rows(states, frame, weights, tables):
    """Play every game to its end at random, each choice made from the mask of the mover's view."""
    views, observation, observation_mask, action_mask = frame
    plies = 0
    for i in range(states.size):
        s = states[i]
        while not s.over:
            view(s, int(s.to_move), views, 0, tables[0])
            encode(views[0], observation[0], observation_mask[0], action_mask[0], tables[0])
            play(s, pick(action_mask[0], next_u64(s)), weights, tables[0])
            plies += 1
    return plies


@kernel
def choose_rows(action_mask, numbers, actions):
    """Choose a random action from every mask; ``numbers`` are the rows' random numbers."""
    for i in range(actions.size):
        numbers[i] = mix(numbers[i])
        actions[i] = pick(action_mask[i], numbers[i])


def seeds(n: int) -> np.ndarray:
    """Return ``n`` seeds, the same each time."""
    return np.array([derive_seed(0, i, 0) for i in range(n)], np.uint64)


def rollouts(game: Game, finish: Callable[[np.ndarray], int]) -> Callable[[int], int]:
    """Play the same games over and over; ``finish`` plays started states to their ends."""
    deals = seeds(GAMES_IN_A_ROLLOUT)
    return lambda amount: sum(finish(game.start(deals)) for _ in range(amount))


def batch_loop(env: BatchEnv) -> Callable[[int], int]:
    """Drive a batch from Python."""
    numbers, actions = seeds(env.num_envs), np.zeros(env.num_envs, np.int64)

    def play(amount: int) -> int:
        frame = env.frame
        for _ in range(amount):
            choose_rows(frame.action_mask, numbers, actions)
            frame = env.step(actions).frame
        return amount * env.num_envs

    return play


def aec_loop(env: AECEnv) -> Callable[[int], int]:
    """Drive any AEC environment, ours and the peers', in the cheapest way that we know."""
    env.reset(seed=0)
    draw = Random(0).random

    def play(amount: int) -> int:
        moves = 0
        while moves < amount:
            observation, _, is_terminated, is_truncated, _ = env.last()
            if is_terminated or is_truncated:
                env.reset()
                continue
            legal = observation["action_mask"].nonzero()[0]  # action_space.sample(mask) is slower for every contender
            env.step(int(legal[int(draw() * legal.size)]))
            moves += 1
        return moves

    return play


def picture_loop(env: KGBEnv) -> Callable[[int], int]:
    """Draw the table after every move."""
    move = aec_loop(env)

    def play(amount: int) -> int:
        for _ in range(amount):
            move(1)
            env.render()
        return amount

    return play


def learner_loop(envs: KGBVectorEnv) -> Callable[[int], int]:
    """Drive a vector environment from Python; a move is a decision of a learner, those of its opponents are extra."""
    envs.reset(seed=0)
    numbers, actions = seeds(envs.num_envs), np.zeros(envs.num_envs, np.int64)

    def play(amount: int) -> int:
        for _ in range(amount):
            choose_rows(envs.action_masks(), numbers, actions)
            envs.step(actions)
        return amount * envs.num_envs

    return play


def copy_loop(game: Game) -> Callable[[int], int]:
    """Copy what batched steps write, and do nothing else."""
    source, target = game.frame(ROWS_OF_THE_FLOOR), game.frame(ROWS_OF_THE_FLOOR)

    def play(amount: int) -> int:
        for _ in range(amount):
            for written, copied in zip(source, target, strict=True):
                np.copyto(copied, written)
        return amount * ROWS_OF_THE_FLOOR

    return play


def views_in_play(game: Game, agent: Agent) -> np.ndarray:
    """Return what an agent sees at its decisions in games against itself, from the first moves to the last."""
    states, seen, ply = game.start(seeds(GAMES_IN_A_ROLLOUT)), [], 0
    carry = agent.initial_carry(GAMES_IN_A_ROLLOUT * game.seats)
    rows = np.arange(GAMES_IN_A_ROLLOUT)
    while states.size:
        views = game.view(states, states["to_move"])
        places = rows * game.seats + views["viewer"]
        if ply % PLIES_APART == 0:
            seen.append(views)
        numbers = np.array([derive_seed(1, row, ply) for row in rows], np.uint64)
        actions, remembered = agent.act(views, numbers, None if carry is None else carry[places])
        if carry is not None:
            carry[places] = remembered
        game.play(states, actions)
        rows, states, ply = rows[~states["over"]], states[~states["over"]], ply + 1
    return np.concatenate(seen)


def agent_loop(game: Game, agent: Agent) -> Callable[[int], int]:
    """Let an agent decide in positions of its own games."""
    views = views_in_play(game, agent)
    numbers, carry = seeds(views.size), agent.initial_carry(views.size)

    def play(amount: int) -> int:
        for _ in range(amount):
            agent.act(views, numbers, carry)
        return amount * views.size

    return play


def agent_contenders(game: Game) -> list[Contender]:
    """Return the agents that were written for a game of ours."""
    written = [name for name in agent_names(game.id) if name not in agent_names("")]
    return [
        Contender(
            f"agent_{name}",
            "decisions of the agent on a batch of views of its own games, nothing else",
            agent_loop(game, make_agent(game, name)),
        )
        for name in written
    ]


def our_contenders(game: Game) -> list[Contender]:
    """Return the ways to play a game of ours."""
    weights, mask, frame = game.weights(), np.empty(game.actions.size, np.int8), game.frame()
    copied = sum(array.nbytes for array in frame)
    return [
        Contender(
            "rules",
            "one kernel: legal actions, choice, rules, starts of games",
            rollouts(game, lambda states: rollout_rows(states, mask, weights, game.tables)),
        ),
        Contender(
            "rules_observed",
            "the same, and the mover's view, observation and both masks",
            rollouts(game, lambda states: observed_rollout_rows(states, frame, weights, game.tables)),
        ),
        *(
            Contender(
                f"batch_{n}",
                f"a batch of {n:,} from Python: choice by a kernel, step() with auto-reset and new arrays",
                batch_loop(BatchEnv(game, n)),
            )
            for n in BATCHES
        ),
        *(
            Contender(
                f"learners_{n}",
                f"a vector of {n:,} learners, whose decisions alone count: action_masks(), choice by a kernel, step() "
                "with those of random opponents",
                learner_loop(KGBVectorEnv(game, n)),
            )
            for n in LEARNERS
        ),
        Contender("aec", "last(), choice from the mask in Python, step(), reset()", aec_loop(KGBEnv(game))),
        *(
            Contender(
                f"drawn_{mode}",
                f'the same and render(), render_mode="{mode}", as the mover sees it',
                picture_loop(KGBEnv(game, render_mode=mode, render_as="mover")),
            )
            for mode in ("ansi", "svg", "rgb_array")
        ),
        *agent_contenders(game),
        Contender("copy_floor", f"a plain copy of the {copied:,} bytes a move that a batch writes", copy_loop(game)),
    ]

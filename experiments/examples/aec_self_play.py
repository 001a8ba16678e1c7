"""Self-play on the plain PettingZoo environment: one small network plays all seats and learns by REINFORCE.

Only PettingZoo's own interface is used, so the same file works with any AEC environment that has action masks.

    python -m experiments.examples.aec_self_play --game confusion-mini --updates 100
"""

import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import typer
from pettingzoo import AECEnv
from torch import nn
from torch.distributions import Categorical

import kgb_env


@dataclass
class Arguments:
    """What is trained, and how long."""

    # The id of a game, as in `kgb list`.
    game: str = "confusion-mini"
    # How often the network is changed.
    updates: int = 100
    # Games of self-play before each change.
    games: int = 16
    # Neurons in the hidden layer.
    hidden: int = 128
    # How far one change goes.
    learning_rate: float = 1e-3
    # How much it is worth to keep many actions possible.
    entropy: float = 0.02
    # Games against random players at the end, the seats in turn.
    final_games: int = 200
    # Of the games, the network and its choices.
    seed: int = 1


class Policy(nn.Module):
    """What one seat sees, to probabilities of its legal actions and the return that it may expect.

    Actions and observations of these games are relative to the seat, so one network can play all of them.
    """

    def __init__(self, inputs: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh())
        self.actor, self.critic = nn.Linear(hidden, actions), nn.Linear(hidden, 1)

    def forward(self, seen: torch.Tensor, mask: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """Return the distribution of actions and the values, one row an observation."""
        features = self.body(seen)
        logits = self.actor(features).masked_fill(mask == 0, torch.finfo(torch.float32).min)
        return Categorical(logits=logits, validate_args=False), self.critic(features).squeeze(-1)


@dataclass
class Trajectory:
    """What one seat saw, chose and got in a game.

    ``last()`` says at a seat's turn what it got since its turn before.  So ``rewards`` has one entry more than there
    were decisions: the first came before any of them, entry i + 1 followed decision i, the last came with the end.
    """

    seen: list[np.ndarray] = field(default_factory=list)
    masks: list[np.ndarray] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)

    def returns(self) -> np.ndarray:
        """Return what was got after each decision, up to the end of the game: (decisions,) float32."""
        return np.cumsum(self.rewards[:0:-1], dtype=np.float32)[::-1]


Chooser = Callable[[np.ndarray, np.ndarray], int]  # of an action, by what is seen and the mask


def play_game(env: AECEnv, choosers: Mapping[str, Chooser], seed: int | None = None) -> dict[str, Trajectory]:
    """Play one game, without a seed the next one after the last, and return what every seat lived through."""
    paths = {agent: Trajectory() for agent in env.possible_agents}
    env.reset(seed=seed)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        path = paths[agent]
        path.rewards.append(reward)
        if terminated or truncated:  # a seat is asked once more after the end, so the last reward is there now
            env.step(None)
            continue
        seen = np.concatenate([observation["observation"], observation["observation_mask"]]).astype(np.float32)
        action = choosers[agent](seen, observation["action_mask"])
        path.seen.append(seen)
        path.masks.append(observation["action_mask"])
        path.actions.append(action)
        env.step(action)
    return paths


def chooser_of(policy: Policy) -> Chooser:
    """Return a player that draws its actions from the policy."""

    @torch.no_grad()
    def choose(seen: np.ndarray, mask: np.ndarray) -> int:
        return int(policy(torch.from_numpy(seen), torch.from_numpy(mask))[0].sample())

    return choose


def improve(policy: Policy, optimizer: torch.optim.Optimizer, paths: list[Trajectory], entropy: float) -> None:
    """Make what went better than expected more likely; draw what is expected towards what was got."""
    seen, masks = (torch.from_numpy(np.stack(rows)) for rows in zip(*steps_of(paths), strict=True))
    actions = torch.tensor([action for path in paths for action in path.actions])
    returns = torch.from_numpy(np.concatenate([path.returns() for path in paths]))
    choices, values = policy(seen, masks)
    advantages = returns - values.detach()
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
    loss = -(choices.log_prob(actions) * advantages).mean() - entropy * choices.entropy().mean()
    optimizer.zero_grad()
    (loss + 0.5 * (returns - values).pow(2).mean()).backward()
    nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
    optimizer.step()


def steps_of(paths: list[Trajectory]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return observation and mask of every decision."""
    return [step for path in paths for step in zip(path.seen, path.masks, strict=True)]


def score_against_random(policy: Policy, env: AECEnv, games: int, seed: int) -> tuple[float, float]:
    """Return the policy's mean return against random players, which changes seats from game to game, and its error."""
    rng, results = np.random.default_rng(seed), []
    for number in range(games):
        choosers = dict.fromkeys(env.possible_agents, lambda _, mask: int(rng.choice(np.flatnonzero(mask))))
        own = env.possible_agents[number % len(env.possible_agents)]
        choosers[own] = chooser_of(policy)
        results.append(sum(play_game(env, choosers, seed if number == 0 else None)[own].rewards))
    return float(np.mean(results)), float(np.std(results) / games**0.5)


def train(arguments: Arguments) -> Policy:
    """Let a network play against itself and return it."""
    torch.manual_seed(arguments.seed)
    env = kgb_env.make(arguments.game)  # illegal="raise" is the default: a choice against the mask would stop us
    policy = Policy(2 * env.game.observation.size, env.game.actions.size, arguments.hidden)
    optimizer = torch.optim.Adam(policy.parameters(), lr=arguments.learning_rate)
    choosers = dict.fromkeys(env.possible_agents, chooser_of(policy))
    begun, decisions = time.perf_counter(), 0
    for update in range(arguments.updates):
        paths: list[Trajectory] = []
        for number in range(arguments.games):
            paths += play_game(env, choosers, arguments.seed if update == number == 0 else None).values()
        improve(policy, optimizer, paths, arguments.entropy)
        decisions += sum(len(path.actions) for path in paths)
        if (update + 1) % 10 == 0:
            speed = decisions / (time.perf_counter() - begun)
            print(
                f"update {update + 1}: {decisions / (update + 1) / arguments.games:.1f} decisions a game, {speed:.0f}/s"
            )
    return policy


def main(**chosen: Any) -> None:
    """Train by self-play, then play against random."""
    arguments = Arguments(**chosen)
    policy = train(arguments)
    env = kgb_env.make(arguments.game)
    score, error = score_against_random(policy, env, arguments.final_games, arguments.seed + 1)
    print(f"mean return against random: {score:.3f} (standard error {error:.3f})")


main.__signature__ = inspect.signature(Arguments)  # type: ignore[attr-defined] # the command line has these options

if __name__ == "__main__":
    typer.run(main)

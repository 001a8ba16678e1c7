"""Masked PPO in one file, in the manner of CleanRL, on many games at once.

python -m experiments.examples.cleanrl_ppo --game confusion-mini --opponents random --total-steps 200000
"""

import inspect
import random
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import typer
from gymnasium import spaces
from torch import nn
from torch.distributions import Categorical

import kgb_env


@dataclass
class Arguments:
    """What is trained, and how."""

    # The id of a game, as in `kgb list`.
    game: str = "confusion-mini"
    # Who plays the other seats: the name of an agent.
    opponents: str = "random"
    # Decisions of the learner, all games together.
    total_steps: int = 200_000
    # Games at once.
    num_envs: int = 64
    # Decisions in each game before the network is changed.
    num_steps: int = 32
    # How often each change goes over what was played, and in how many parts.
    epochs: int = 4
    minibatches: int = 4
    # Neurons in each of the two hidden layers.
    hidden: int = 128
    # Of Adam; it falls to 0 over the training.
    learning_rate: float = 1e-3
    # What a reward is worth one decision later.  The games are short and end by themselves.
    gamma: float = 1.0
    # Between one step (0) and the whole game (1), when advantages are estimated.
    gae_lambda: float = 0.95
    # How far the probability of an action may change, as a ratio.
    clip: float = 0.2
    # Weights of the entropy and of the critic in the loss.
    entropy: float = 0.01
    critic: float = 0.5
    # The longest gradient.
    max_grad_norm: float = 0.5
    # Of the games, the network, its choices and the order of what it learns from.
    seed: int = 1
    # Games at the end from which the score is taken.
    final_games: int = 500
    # Where the network is saved; nowhere if it is empty.
    save: str = ""
    # "cpu" or "cuda".
    device: str = "cpu"


class ActorCritic(nn.Module):
    """Observations and masks, to the distribution of legal actions and the value."""

    scale: torch.Tensor

    def __init__(self, space: spaces.Box, actions: int, hidden: int) -> None:
        super().__init__()
        inputs = space.shape[0]
        # Some entries are numbers up to 60 or so; all are brought between -1 and 1.
        most = np.maximum(np.abs(space.low.astype(np.float32)), np.abs(space.high.astype(np.float32)))
        self.register_buffer("scale", torch.from_numpy(most).clamp(min=1))
        self.actor = nn.Sequential(*self._body(inputs, hidden), self._layer(hidden, actions, 0.01))
        self.critic = nn.Sequential(*self._body(inputs, hidden), self._layer(hidden, 1, 1.0))

    def _body(self, inputs: int, hidden: int) -> list[nn.Module]:
        return [self._layer(inputs, hidden), nn.Tanh(), self._layer(hidden, hidden), nn.Tanh()]

    @staticmethod
    def _layer(inputs: int, outputs: int, scale: float = 2**0.5) -> nn.Linear:
        layer = nn.Linear(inputs, outputs)
        nn.init.orthogonal_(layer.weight, scale)
        nn.init.zeros_(layer.bias)
        return layer

    def choices(self, seen: torch.Tensor, masks: torch.Tensor) -> Categorical:
        """Return the distribution of actions; what is forbidden has the probability 0."""
        logits = self.actor(seen / self.scale).masked_fill(~masks, torch.finfo(torch.float32).min)
        return Categorical(logits=logits, validate_args=False)  # it would refuse sums of many probabilities

    def values(self, seen: torch.Tensor) -> torch.Tensor:
        """Return what return is expected, one number an observation."""
        return self.critic(seen / self.scale).squeeze(-1)


@dataclass
class Rollout:
    """What was played before a change: of every array the first axis is time, the second the game."""

    seen: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    values: torch.Tensor
    rewards: torch.Tensor
    ends: torch.Tensor

    @classmethod
    def empty(cls, steps: int, seen: torch.Tensor, masks: torch.Tensor) -> "Rollout":
        """Return memory for a rollout of games that show such observations and masks."""
        shape = (steps, len(seen))
        numbers = (torch.zeros(shape, device=seen.device) for _ in range(4))
        actions = torch.zeros(shape, dtype=torch.int64, device=seen.device)
        return cls(seen.new_zeros((steps, *seen.shape)), masks.new_zeros((steps, *masks.shape)), actions, *numbers)


def advantages_of(
    rewards: torch.Tensor, values: torch.Tensor, ends: torch.Tensor, next_value: torch.Tensor, gamma: float, lam: float
) -> torch.Tensor:
    """Return generalised advantage estimates; ``ends[t]`` is 1 where the game ended with the action at t.

    Nothing is expected after an end, also where a game was cut off by its limit: how near the limit is can be seen in
    the observation, and the cut pays what the rules say (mostly a draw), so it is an end like any other.  Otherwise
    the value of the last observation, ``infos["final_obs"]``, would belong into the reward there.
    """
    advantages, following = torch.zeros_like(rewards), torch.zeros_like(next_value)
    for t in reversed(range(len(rewards))):
        goes_on = 1 - ends[t]
        error = rewards[t] + gamma * next_value * goes_on - values[t]
        following = error + gamma * lam * goes_on * following
        advantages[t], next_value = following, values[t]
    return advantages


def improve(
    network: ActorCritic, optimizer: torch.optim.Optimizer, rollout: Rollout, advantages: torch.Tensor, to: Arguments
) -> None:
    """Change the network by what was played: the loss of PPO."""
    flat = {name: values.flatten(0, 1) for name, values in vars(rollout).items()}
    gains = advantages.flatten()
    targets = gains + flat["values"]
    for _ in range(to.epochs):
        order = torch.randperm(len(gains), device=gains.device)
        for rows in order.chunk(to.minibatches):
            choices = network.choices(flat["seen"][rows], flat["masks"][rows])
            ratio = (choices.log_prob(flat["actions"][rows]) - flat["log_probs"][rows]).exp()
            gain = (gains[rows] - gains[rows].mean()) / (gains[rows].std() + 1e-8)
            actor_loss = -torch.min(gain * ratio, gain * ratio.clamp(1 - to.clip, 1 + to.clip)).mean()
            critic_loss = 0.5 * (network.values(flat["seen"][rows]) - targets[rows]).pow(2).mean()
            loss = actor_loss + to.critic * critic_loss - to.entropy * choices.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), to.max_grad_norm)
            optimizer.step()


def make_envs(arguments: Arguments, num_envs: int) -> kgb_env.KGBVectorEnv:
    """Return the games.  An action against the mask would stop us with an error."""
    return kgb_env.make_gym_vec(
        arguments.game, num_envs, opponents=arguments.opponents, observation="vector", illegal="raise"
    )


def make_network(envs: kgb_env.KGBVectorEnv, arguments: Arguments) -> ActorCritic:
    """Return a new network for such games."""
    space = envs.single_observation_space
    assert isinstance(space, spaces.Box)  # as observation="vector" makes it
    return ActorCritic(space, envs.game.actions.size, arguments.hidden).to(arguments.device)


def train(arguments: Arguments) -> ActorCritic:
    """Train a network and return it."""
    random.seed(arguments.seed)
    torch.manual_seed(arguments.seed)
    device, steps, num_envs = arguments.device, arguments.num_steps, arguments.num_envs
    envs = make_envs(arguments, num_envs)
    network = make_network(envs, arguments)
    optimizer = torch.optim.Adam(network.parameters(), lr=arguments.learning_rate, eps=1e-5)
    now, infos = envs.reset(seed=arguments.seed)
    masks = torch.from_numpy(infos["action_mask"]).bool()
    rollout = Rollout.empty(steps, torch.from_numpy(now).to(device), masks.to(device))
    returns, finished = np.zeros(num_envs), []
    begun, updates = time.perf_counter(), max(1, arguments.total_steps // (steps * num_envs))
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = arguments.learning_rate * (1 - update / updates)
        for t in range(steps):
            rollout.seen[t] = torch.from_numpy(now)
            rollout.masks[t] = torch.from_numpy(infos["action_mask"]).bool()
            with torch.no_grad():
                choices = network.choices(rollout.seen[t], rollout.masks[t])
                rollout.values[t] = network.values(rollout.seen[t])
            rollout.actions[t] = choices.sample()
            rollout.log_probs[t] = choices.log_prob(rollout.actions[t])
            # Where a game has ended, `now` is already the first observation of the next one.
            now, rewards, terminated, truncated, infos = envs.step(rollout.actions[t].cpu().numpy())
            ends = terminated | truncated
            rollout.rewards[t], rollout.ends[t] = torch.from_numpy(rewards), torch.from_numpy(ends)
            returns += rewards
            finished += returns[ends].tolist()
            returns[ends] = 0
        with torch.no_grad():
            next_value = network.values(torch.from_numpy(now).to(device))
        advantages = advantages_of(
            rollout.rewards, rollout.values, rollout.ends, next_value, arguments.gamma, arguments.gae_lambda
        )
        improve(network, optimizer, rollout, advantages, arguments)
        if (update + 1) % 10 == 0:
            done = (update + 1) * steps * num_envs
            speed = done / (time.perf_counter() - begun)
            print(f"{done} steps, {speed:.0f}/s, mean return {np.mean(finished or [0.0]):.3f}, games {len(finished)}")
            finished = []
    return network


@torch.no_grad()
def score(network: ActorCritic, arguments: Arguments) -> tuple[float, float]:
    """Return the mean return in new games, and its standard error: of the first game in each row.

    All games that end first would be the short ones.
    """
    envs = make_envs(arguments, arguments.final_games)
    now, infos = envs.reset(seed=arguments.seed + 1)
    returns, is_over = np.zeros(arguments.final_games), np.zeros(arguments.final_games, bool)
    while not is_over.all():
        seen, masks = torch.from_numpy(now), torch.from_numpy(infos["action_mask"]).bool()
        actions = network.choices(seen.to(arguments.device), masks.to(arguments.device)).sample()
        now, rewards, terminated, truncated, infos = envs.step(actions.cpu().numpy())
        returns += np.where(is_over, 0, rewards)
        is_over |= terminated | truncated
    return float(returns.mean()), float(returns.std() / len(returns) ** 0.5)


def main(**chosen: Any) -> None:
    """Train by PPO against agents, then play new games against them."""
    arguments = Arguments(**chosen)
    network = train(arguments)
    mean, error = score(network, arguments)
    print(f"mean return against {arguments.opponents}: {mean:.3f} (standard error {error:.3f})")
    if arguments.save:
        torch.save({"arguments": asdict(arguments), "weights": network.state_dict()}, Path(arguments.save))


main.__signature__ = inspect.signature(Arguments)  # type: ignore[attr-defined] # the command line has these options

if __name__ == "__main__":
    typer.run(main)

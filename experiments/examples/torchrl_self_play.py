"""Self-play with TorchRL: its wrapper, its collector, its estimates and its PPO loss (extra ``torchrl``).

All seats are one group of TorchRL, so that one network plays them.  Every seat is observed at every decision, also of
others; ``mask`` says whose decision it is, and ``action_mask`` what it may choose.

    python -m experiments.examples.torchrl_self_play --game confusion-mini --updates 30
"""

import inspect
import time
import warnings
from dataclasses import dataclass
from typing import Any

import torch
import typer
from tensordict import TensorDict, TensorDictBase
from tensordict.nn import ProbabilisticTensorDictModule, ProbabilisticTensorDictSequential, TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import PettingZooWrapper
from torchrl.envs.utils import ExplorationType, step_mdp
from torchrl.modules import MaskedCategorical
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import kgb_env

SEATS = "seats"
SEEN = [(SEATS, "observation", "observation"), (SEATS, "observation", "observation_mask")]


@dataclass
class Arguments:
    """What is trained, and how."""

    # The id of a game, as in `kgb list`.
    game: str = "confusion-mini"
    # How often there is new play to learn from.
    updates: int = 30
    # Decisions of all seats, between changes.
    decisions: int = 1024
    # How often each change goes over what was played, and in how many parts.
    epochs: int = 4
    minibatches: int = 4
    # Neurons in the hidden layer.
    hidden: int = 128
    # How far one change goes.
    learning_rate: float = 1e-3
    # How much it is worth to keep many actions possible.
    entropy: float = 0.01
    # Games against random players at the end, the seats in turn.
    final_games: int = 100
    # Of the games, the network, its choices and the order of what it learns from.
    seed: int = 1


class Network(nn.Module):
    """Observation and observation mask of a seat, to logits or to a value."""

    def __init__(self, inputs: int, outputs: int, hidden: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, outputs))

    def forward(self, observation: torch.Tensor, observation_mask: torch.Tensor) -> torch.Tensor:
        """Return the outputs, for any number of axes before the last."""
        return self.layers(torch.cat([observation, observation_mask], -1).float())


def make_env(game: str) -> PettingZooWrapper:
    """Return a game in TorchRL, all seats in one group."""
    env = kgb_env.make(game)  # illegal="raise" is the default: a choice against the mask would stop us
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PettingZoo in TorchRL is tested")  # with a version of 2023
        return PettingZooWrapper(env, use_mask=True, group_map={SEATS: env.possible_agents})


def make_networks(env: PettingZooWrapper, hidden: int) -> tuple[ProbabilisticTensorDictSequential, TensorDictModule]:
    """Return the policy of every seat, and what return each may expect."""
    inputs, actions = 2 * env.game.observation.size, env.game.actions.size
    logits = TensorDictModule(Network(inputs, actions, hidden), in_keys=SEEN, out_keys=[(SEATS, "logits")])
    choice = ProbabilisticTensorDictModule(
        in_keys={"logits": (SEATS, "logits"), "mask": (SEATS, "action_mask")},
        out_keys=[(SEATS, "action")],
        distribution_class=MaskedCategorical,
        default_interaction_type=ExplorationType.RANDOM,
        return_log_prob=True,
        log_prob_key=(SEATS, "action_log_prob"),
    )
    critic = TensorDictModule(Network(inputs, 1, hidden), in_keys=SEEN, out_keys=[(SEATS, "state_value")])
    return ProbabilisticTensorDictSequential(logits, choice), critic


def make_estimator(critic: TensorDictModule) -> GAE:
    """Return what writes advantages and targets into a sequence of decisions, for each seat."""
    estimator = GAE(gamma=1.0, lmbda=0.95, value_network=critic, deactivate_vmap=True)
    estimator.set_keys(
        **{name: (SEATS, name) for name in ("advantage", "value_target", "reward", "done", "terminated")}
    )
    estimator.set_keys(value=(SEATS, "state_value"))
    return estimator


def make_loss(policy: ProbabilisticTensorDictSequential, critic: TensorDictModule, entropy: float) -> ClipPPOLoss:
    """Return the loss of PPO."""
    loss = ClipPPOLoss(policy, critic, entropy_coeff=entropy, normalize_advantage=True)
    loss.set_keys(**{name: (SEATS, name) for name in ("advantage", "value_target", "action")})
    loss.set_keys(value=(SEATS, "state_value"), sample_log_prob=(SEATS, "action_log_prob"))
    return loss


def decisions_of(played: TensorDictBase, estimator: GAE) -> TensorDict:
    """Return what was really decided, one row each, with advantages.

    Advantages are estimated over all steps, since what others decide brings rewards too.  Then the seats that were
    not to move are left out: their actions were drawn, but nobody played them.
    """
    # A game that its limit cut off is an end like any other: the limit is part of the observation.
    played["next", SEATS, "terminated"] = played["next", SEATS, "done"]
    with torch.no_grad():
        estimator(played)
    seats = played[SEATS]
    rows = seats[seats["mask"]]
    return TensorDict({SEATS: rows}, batch_size=rows.batch_size)


def train(arguments: Arguments) -> ProbabilisticTensorDictSequential:
    """Let a network play against itself and return the policy."""
    torch.manual_seed(arguments.seed)
    env = make_env(arguments.game)
    env.set_seed(arguments.seed)
    policy, critic = make_networks(env, arguments.hidden)
    estimator, loss = make_estimator(critic), make_loss(policy, critic, arguments.entropy)
    optimizer = torch.optim.Adam(loss.parameters(), lr=arguments.learning_rate)
    total = arguments.updates * arguments.decisions
    collector = Collector(
        env,
        policy,
        frames_per_batch=arguments.decisions,
        total_frames=total,
        auto_register_policy_transforms=False,  # they are for networks with a memory
    )
    begun = time.perf_counter()
    for update, played in enumerate(collector):
        decisions = decisions_of(played, estimator)
        for _ in range(arguments.epochs):
            for rows in torch.randperm(len(decisions)).chunk(arguments.minibatches):
                losses = loss(decisions[rows])
                optimizer.zero_grad()
                (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
        if (update + 1) % 10 == 0:
            done = (update + 1) * arguments.decisions
            games, speed = int(played["next", "done"].sum()), done / (time.perf_counter() - begun)
            print(f"{done} decisions, {speed:.0f}/s, {games} games since the last change")
    collector.shutdown()
    return policy


@torch.no_grad()
def score_against_random(policy: ProbabilisticTensorDictSequential, game: str, games: int, seed: int) -> float:
    """Return the policy's mean return against random players; it changes seats from game to game."""
    env = make_env(game)
    env.set_seed(seed)
    total = 0.0
    for number in range(games):
        is_own = torch.arange(len(env.possible_agents)) == number % len(env.possible_agents)
        now = env.reset()
        while not now["done"]:
            policy(now)
            mask = now[SEATS, "action_mask"]
            others = MaskedCategorical(torch.zeros(mask.shape), mask=mask).sample()
            now[SEATS, "action"] = torch.where(is_own, now[SEATS, "action"], others)
            now = step_mdp(env.step(now), exclude_reward=False)
            total += float(now[SEATS, "reward"][is_own])
    return total / games


def main(**chosen: Any) -> None:
    """Train by self-play, then play against random."""
    arguments = Arguments(**chosen)
    policy = train(arguments)
    score = score_against_random(policy, arguments.game, arguments.final_games, arguments.seed + 1)
    print(f"mean return against random: {score:.3f}")


main.__signature__ = inspect.signature(Arguments)  # type: ignore[attr-defined] # the command line has these options

if __name__ == "__main__":
    typer.run(main)

"""Other people's environments that `kgb speed --peers` measures next to ours (extra ``peers``).

Each is driven by the cheapest loop that its Python interface allows, uniformly random like ours.  For learners of
Stable-Baselines3 an AEC environment goes through the wrapper that PettingZoo's tutorials use: the learner moves for
whoever is to move, and DummyVecEnv steps one environment after the other.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it would go to stdout, among the JSON

import gymnasium
import numpy as np
import pyspiel
import torch
from open_spiel.python.observation import make_observation
from pettingzoo import AECEnv
from pettingzoo.classic import connect_four_v3, texas_holdem_no_limit_v6
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from kgb_env import Game, KGBVectorEnv

from .contenders import Contender, aec_loop, choose_rows, seeds
from .training.vec_env import SB3VecEnv

COMPARED = (
    ("batch_1024", "openspiel_dark_chess_tensor"),
    ("batch_1024", "openspiel_dark_chess_tensor_in_place"),
    ("batch_1024", "openspiel_dark_chess"),
    ("batch_1024", "pettingzoo_connect_four"),
    ("aec", "pettingzoo_connect_four"),
    ("aec", "pettingzoo_connect_four_raw"),
    ("sb3_vec_env", "pettingzoo_connect_four_sb3"),
    ("sb3_ppo", "pettingzoo_connect_four_sb3_ppo"),
)
LEARNERS = 64
PPO: dict[str, Any] = {  # the same for both
    "n_steps": 32,
    "batch_size": 512,
    "n_epochs": 4,
    "learning_rate": 3e-4,
    "gamma": 0.99,
    "gae_lambda": 0.95,
    "clip_range": 0.2,
    "ent_coef": 0.01,
    "vf_coef": 0.5,
    "max_grad_norm": 0.5,
    "policy_kwargs": {"net_arch": [64, 64]},
}


class AECAsGym(gymnasium.Env):
    """An AEC environment in which the learner moves for whoever is to move, as in PettingZoo's tutorials."""

    def __init__(self, env: AECEnv) -> None:
        self.env = env
        env.reset()
        agent = env.possible_agents[0]
        self.observation_space = env.observation_space(agent)["observation"]
        self.action_space = env.action_space(agent)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[Any, dict]:
        """Start a game."""
        self.env.reset(seed=seed)
        return self.env.observe(self.env.agent_selection)["observation"], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict]:
        """Make a move."""
        env, agent = self.env, self.env.agent_selection
        env.step(int(action))
        seen = env.observe(env.agent_selection)["observation"]
        return seen, env.rewards[agent], env.terminations[agent], env.truncations[agent], {}

    def action_masks(self) -> np.ndarray:
        """Return the mask of the agent to move."""
        return self.env.observe(self.env.agent_selection)["action_mask"]


def connect_four_as_gym() -> gymnasium.Env:
    """Return PettingZoo's connect four, wrapped as its tutorials do."""
    return AECAsGym(connect_four_v3.env())


def vec_loop(envs: VecEnv) -> Callable[[int], int]:
    """Drive an environment of Stable-Baselines3 as a learner with masks does."""
    envs.reset()
    numbers, actions = seeds(envs.num_envs), np.zeros(envs.num_envs, np.int64)

    def play(amount: int) -> int:
        for _ in range(amount):
            choose_rows(get_action_masks(envs), numbers, actions)
            envs.step(actions)
        return amount * envs.num_envs

    return play


def our_contenders(game: Game) -> list[Contender]:
    """Return the ways to play a game of ours that need the packages of others."""
    return [
        Contender(
            "sb3_vec_env",
            f"{LEARNERS} learners for Stable-Baselines3, whose decisions alone count: get_action_masks(), choice by a "
            "kernel, step() with those of random opponents",
            vec_loop(SB3VecEnv(KGBVectorEnv(game, LEARNERS))),
        ),
        Contender(
            "sb3_ppo",
            f"MaskablePPO learns, gradient steps included, one thread of torch: {told(PPO)}",
            learn_loop("MultiInputPolicy", SB3VecEnv(KGBVectorEnv(game, LEARNERS))),
        ),
    ]


def told(settings: dict[str, Any]) -> str:
    """Return settings as a text."""
    return ", ".join(f"{name}={value}" for name, value in settings.items())


def learn_loop(policy: str, envs: VecEnv) -> Callable[[int], int]:
    """Let MaskablePPO learn; an amount is a rollout."""
    torch.set_num_threads(1)
    model = MaskablePPO(policy, envs, seed=0, device="cpu", **PPO)

    def play(amount: int) -> int:
        before = model.num_timesteps
        model.learn(amount * PPO["n_steps"] * envs.num_envs, reset_num_timesteps=False)
        return model.num_timesteps - before

    return play


def openspiel_loop(game: Any, look: Callable[[Any], None] | None = None) -> Callable[[int], int]:
    """Drive a game of OpenSpiel without chance; ``look`` is called with the state before each move."""
    state = game.new_initial_state()
    draw = Random(0).random

    def play(amount: int) -> int:
        nonlocal state
        for _ in range(amount):
            legal = state.legal_actions()
            if not legal:  # the game is over
                state = game.new_initial_state()
                legal = state.legal_actions()
            if look is not None:
                look(state)
            state.apply_action(legal[int(draw() * len(legal))])
        return amount

    return play


def contenders() -> list[Contender]:
    """Return the peers."""
    dark_chess = pyspiel.load_game("dark_chess")
    observation = make_observation(dark_chess)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the precision of hold'em's own spaces
        connect_four, raw, holdem = connect_four_v3.env(), connect_four_v3.raw_env(), texas_holdem_no_limit_v6.env()
    same = "the loop of aec"
    return [
        Contender("pettingzoo_connect_four", f"{same} on env()", aec_loop(connect_four)),
        Contender(
            "pettingzoo_connect_four_sb3",
            f"the loop of sb3_vec_env on DummyVecEnv of {LEARNERS} env() as Gymnasium environments",
            vec_loop(DummyVecEnv([connect_four_as_gym for _ in range(LEARNERS)])),
        ),
        Contender(
            "pettingzoo_connect_four_sb3_ppo",
            "the same learning on the same DummyVecEnv",
            learn_loop("MlpPolicy", DummyVecEnv([connect_four_as_gym for _ in range(LEARNERS)])),
        ),
        Contender("pettingzoo_connect_four_raw", f"{same} on raw_env(), without wrappers", aec_loop(raw)),
        Contender("pettingzoo_texas_holdem_no_limit", f"{same} on env()", aec_loop(holdem)),
        Contender(
            "openspiel_dark_chess",
            "legal_actions(), a choice in Python, apply_action(); no observation",
            openspiel_loop(dark_chess),
        ),
        Contender(
            "openspiel_dark_chess_tensor",
            "the same, and state.observation_tensor() of the mover, a list",
            openspiel_loop(dark_chess, lambda state: state.observation_tensor()),
        ),
        Contender(
            "openspiel_dark_chess_tensor_in_place",
            f"with the tensor ({observation.tensor.nbytes:,} bytes) put into one buffer (Observation.set_from)",
            openspiel_loop(dark_chess, lambda state: observation.set_from(state, state.current_player())),
        ),
    ]

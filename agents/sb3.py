"""A model that Stable-Baselines3 has saved, as an agent: ``sb3:model.zip``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import ConfigDict, InstanceOf, validate_call

from agents.agent import AgentError, require_deciders
from kgb_env import Game
from kgb_env.gym import observation_space
from kgb_env.jit import kernel, mix

PARTS = "policy_class", "policy_kwargs", "observation_space", "action_space"  # of a model, of which a policy is made
EXTRA = "it needs the extra `train` (pip install -c constraints.txt -e '.[train]')"


class PolicyAgent:
    """Play by an actor-critic policy of Stable-Baselines3, as it is now.

    Its action probabilities are taken from the legal actions only, whether it has learned with masks or not.

    Args:
        game: a configured game.
        policy: learned, or being learned, on ``make_gym`` or ``make_gym_vec``.
        form: of its observations: ``"dict"`` or ``"vector"``.
        is_best: always choose the likeliest action, instead of sampling.
    """

    def __init__(self, game: Game, policy: Any, form: str = "dict", is_best: bool = False) -> None:
        self.game, self._policy, self._form, self._is_best = game, policy, form, is_best

    def initial_carry(self, n: int) -> None:
        """Return nothing: the policies have no memory."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        seeds = require_deciders(self.game, views, seeds)
        frame = self.game.encode(views)
        probabilities = np.where(frame.action_mask, self._probabilities(frame), 0.0)
        if not np.isfinite(probabilities).all():
            raise AgentError("the policy gives probabilities that are no numbers; its training has failed")
        actions = np.empty(views.size, np.int64)
        if self._is_best:
            actions[:] = np.where(frame.action_mask, probabilities, -1.0).argmax(axis=1)
        else:
            draw_rows(probabilities, frame.action_mask, seeds, actions)
        return actions, carry

    def _probabilities(self, frame: Any) -> np.ndarray:
        """Return what the policy gives each action: (n, actions)."""
        import torch
        from stable_baselines3.common.preprocessing import preprocess_obs

        policy, mask = self._policy, frame.observation_mask
        if self._form == "vector":
            mask = mask.astype(frame.observation.dtype, copy=False)
            seen: Any = torch.as_tensor(np.concatenate([frame.observation, mask], axis=1))
        else:
            seen = {"observation": torch.as_tensor(frame.observation), "observation_mask": torch.as_tensor(mask)}
        with torch.no_grad():
            # The actor alone: a critic may want to see what is hidden.
            features = policy.pi_features_extractor(preprocess_obs(seen, policy.observation_space))
            logits = policy.action_net(policy.mlp_extractor.forward_actor(features))
            legal = torch.as_tensor(frame.action_mask.astype(bool))
            return torch.softmax(logits.masked_fill(~legal, -torch.inf), dim=1).numpy()


class SB3Agent(PolicyAgent):
    """Play by the policy of a model that was trained on ``make_gym`` or ``make_gym_vec``; see PolicyAgent.

    The network is computed in double precision, so that a choice does not depend on how many are made at a time.

    Args:
        game: a configured game, with observations as those that the model has learned from.
        path: of a file that an actor-critic algorithm (MaskablePPO, PPO, A2C) has saved.
        choice: ``sample`` from the probabilities, or the ``best``, the likeliest action.

    Raises:
        AgentError: there is no such file, or the model does not fit the game.
    """

    @validate_call(config=ConfigDict(arbitrary_types_allowed=True))
    def __init__(self, game: InstanceOf[Game], path: str, *, choice: Literal["sample", "best"] = "sample") -> None:
        policy, form = load_policy(game, Path(path))
        import torch

        torch.set_num_threads(1)
        super().__init__(game, in_double_precision(policy), form, choice == "best")


@kernel
def draw_rows(probabilities, masks, seeds, actions):
    """Draw a legal action in every row."""
    for i in range(actions.size):
        left = np.float64(mix(seeds[i]) >> np.uint64(11)) * 2.0**-53
        for action in range(masks.shape[1]):
            if masks[i, action]:
                actions[i] = action  # the last one stands if rounding leaves something over
                left -= probabilities[i, action]
                if left < 0:
                    break


def load_policy(game: Game, path: Path) -> tuple[Any, str]:
    """Return the policy of a model that was saved, and the form of its observations.

    Raises:
        AgentError: there is no such file, or the model does not fit the game.
    """
    try:
        from stable_baselines3.common.save_util import load_from_zip_file
    except ImportError as error:
        raise AgentError(f"{EXTRA}: {error}") from None
    if not path.is_file():
        raise AgentError(f"there is no file {path}")
    try:
        data, params, _ = load_from_zip_file(path, device="cpu")
        assert data is not None
        policy_class, kwargs = data["policy_class"], data["policy_kwargs"]
    except Exception as error:
        raise AgentError(
            f"{path} is no model that Stable-Baselines3 has saved: {type(error).__name__}: {error}"
        ) from None
    if not hasattr(policy_class, "evaluate_actions"):  # MaskablePPO's policy and PPO's have no base class for that
        raise AgentError(f"{path}: a policy of {policy_class.__name__} gives no probabilities; those of PPO and A2C do")
    form = _form(game, data, path)
    data["policy_kwargs"] = {name: value for name, value in kwargs.items() if name != "use_sde"}
    policy = rebuild(**{name: data[name] for name in PARTS}, weights=params["policy"])
    try:
        PolicyAgent(game, policy, form).act(game.view(game.start(), 0)[:0], np.zeros(0, np.uint64))
    except KeyError as error:
        raise AgentError(f"{path}: its actor, not only its critic, reads {error}, which no player sees") from None
    return policy, form


def rebuild(policy_class: Any, policy_kwargs: Any, observation_space: Any, action_space: Any, weights: Any) -> Any:
    """Return a policy made anew, with these weights."""
    policy = policy_class(observation_space, action_space, lambda _: 0.0, **policy_kwargs)
    policy.load_state_dict(weights)
    policy.set_training_mode(False)
    return policy


def in_double_precision(policy: Any) -> Any:
    """Let a policy, for good, compute in double precision what it plays; return it."""
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    policy.double()
    for module in policy.modules():
        if isinstance(module, BaseFeaturesExtractor):  # Stable-Baselines3 hands it single precision
            module.register_forward_pre_hook(lambda _, seen: (_double(seen[0]),))
    return policy


def _form(game: Game, data: dict[str, Any], path: Path) -> str:
    """Return the form of the observations that a model has learned from, or raise AgentError."""
    learned = data["observation_space"]
    forms: dict[str, Any] = {"vector": observation_space(game, "vector"), "dict": observation_space(game)}
    with_oracle = observation_space(game, oracle=True)
    if data["action_space"].n == game.actions.size:
        for form, space in (*forms.items(), ("dict", with_oracle)):
            if space == learned:
                return form
    sizes = {name: space.shape for name, space in getattr(learned, "spaces", {"": learned}).items()}
    raise AgentError(
        f"{path} was trained on another game or other options: it observes {sizes} and has {data['action_space'].n} "
        f"actions, {game.id} has ({game.observation.size},) and {game.actions.size}, or other bounds"
    )


def _double(seen: Any) -> Any:
    if isinstance(seen, dict):
        return {name: values.double() for name, values in seen.items()}
    return seen.double()

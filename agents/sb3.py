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

EXTRA = "it needs the extra `train` (pip install -c constraints.txt -e '.[train]')"


class SB3Agent:
    """Play by the policy of a model that was trained on ``make_gym`` or ``make_gym_vec``.

    Its action probabilities are taken from the legal actions only, whether it has learned with masks or not.  The
    network is computed in double precision, so that a choice does not depend on how many are made at a time.

    Args:
        game: a configured game, with observations as those that the model has learned from.
        path: of a file that an actor-critic algorithm (MaskablePPO, PPO, A2C) has saved.
        choice: ``sample`` from the probabilities, or the ``best``, the likeliest action.

    Raises:
        AgentError: there is no such file, or the model does not fit the game.
    """

    @validate_call(config=ConfigDict(arbitrary_types_allowed=True))
    def __init__(self, game: InstanceOf[Game], path: str, *, choice: Literal["sample", "best"] = "sample") -> None:
        self.game, self._is_best = game, choice == "best"
        self._policy, self._form = _load(game, Path(path))

    def initial_carry(self, n: int) -> None:
        """Return nothing: the policies have no memory."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        seeds = require_deciders(self.game, views, seeds)
        frame = self.game.encode(views)
        probabilities = np.where(frame.action_mask, self._probabilities(frame), 0.0)
        actions = np.empty(views.size, np.int64)
        if self._is_best:
            actions[:] = np.where(frame.action_mask, probabilities, -1.0).argmax(axis=1)
        else:
            draw_rows(probabilities, frame.action_mask, seeds, actions)
        return actions, carry

    def _probabilities(self, frame: Any) -> np.ndarray:
        """Return what the policy gives each action: (n, actions) float64."""
        import torch

        parts = {"observation": frame.observation, "observation_mask": frame.observation_mask}
        with torch.no_grad():
            if self._form == "vector":
                mask = frame.observation_mask.astype(frame.observation.dtype, copy=False)
                seen: Any = torch.as_tensor(np.concatenate([frame.observation, mask], axis=1))
            else:
                seen = {name: torch.as_tensor(values) for name, values in parts.items()}
            features = self._policy.extract_features(seen)
            if not self._policy.share_features_extractor:
                features = features[0]
            logits = self._policy.action_net(self._policy.mlp_extractor.forward_actor(features))
            legal = torch.as_tensor(frame.action_mask.astype(bool))
            return torch.softmax(logits.masked_fill(~legal, -torch.inf), dim=1).numpy()


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


def _load(game: Game, path: Path) -> tuple[Any, str]:
    """Return the policy of a model, in double precision, and the form of its observations."""
    try:
        import torch
        from stable_baselines3.common.policies import ActorCriticPolicy
        from stable_baselines3.common.save_util import load_from_zip_file
        from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
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
    # MaskablePPO's policy is no subclass of the other, but has the same parts.
    if not (issubclass(policy_class, ActorCriticPolicy) or "Maskable" in policy_class.__name__):
        raise AgentError(f"{path}: a policy of {policy_class.__name__} gives no probabilities; those of PPO and A2C do")
    form = _form(game, data, path)
    kwargs = {name: value for name, value in kwargs.items() if name != "use_sde"}
    policy = policy_class(data["observation_space"], data["action_space"], lambda _: 0.0, **kwargs)
    policy.load_state_dict(params["policy"])
    policy.set_training_mode(False)
    policy.double()
    for module in policy.modules():
        if isinstance(module, BaseFeaturesExtractor):  # Stable-Baselines3 hands it single precision
            module.register_forward_pre_hook(lambda _, seen: (_double(seen[0]),))
    torch.set_num_threads(1)
    return policy, form


def _form(game: Game, data: dict[str, Any], path: Path) -> str:
    """Return the form of the observations that a model has learned from, or raise AgentError."""
    learned = data["observation_space"]
    forms: dict[str, Any] = {"vector": observation_space(game, "vector"), "dict": observation_space(game)}
    for form, space in forms.items():
        if space == learned and data["action_space"].n == game.actions.size:
            return form
    raise AgentError(f"{path} was trained on another game or other options: it observes {learned}, {game.id} {forms}")


def _double(seen: Any) -> Any:
    if isinstance(seen, dict):
        return {name: values.double() for name, values in seen.items()}
    return seen.double()

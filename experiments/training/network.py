"""Networks that know what an observation is made of, and critics that may see what is hidden."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.policies import MultiInputActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from kgb_env import Game
from kgb_env.layout import Layout

GRID = "planes"  # the piece of an observation that is a board, where a game has one


class PiecesExtractor(BaseFeaturesExtractor):
    """Turn the named pieces of an observation into features: boards by a small convolution, the rest by one layer.

    Every entry is scaled to at most 1, and what the seat does not know becomes -1 (in word vectors a number that makes
    an unknown one as long as a known one), so that not knowing is not the same as 0.

    Args:
        space: of the observation, as ``kgb_env.gym.observation_space`` makes it.
        layout: the pieces of the observation: ``game.observation``.
        reads: ``"observation"``, or ``"oracle"`` for a critic.
        channels: of the first convolution; the second has twice as many.
        features: that each of the two parts gives.
    """

    def __init__(
        self, space: spaces.Dict, layout: Layout, reads: str = "observation", channels: int = 16, features: int = 256
    ) -> None:
        grid = next((field.shape[-2:] for field in layout.fields if field.name == GRID), None)
        super().__init__(space, features * (1 if grid is None else 2))
        self._reads, self._grid = reads, grid
        on_grid = np.zeros(layout.size, bool)
        scale, unknown = np.ones(layout.size, np.float32), np.ones(layout.size, np.float32)
        for field in layout.fields:
            piece = getattr(layout, field.name)
            on_grid[piece] = grid is not None and field.shape[-2:] == grid
            scale[piece] = 1 / max(field.high, -field.low)
            unknown[piece] = 1 if field.low >= 0 else field.shape[-1] ** -0.5
        # Not parts of what is learned, so not in the file of a model.
        self.register_buffer("_scale", torch.tensor(scale), persistent=False)
        self.register_buffer("_unknown", torch.tensor(unknown), persistent=False)
        self.register_buffer("_flat", torch.tensor(np.flatnonzero(~on_grid)), persistent=False)
        self.register_buffer("_cells", torch.tensor(np.flatnonzero(on_grid)), persistent=False)
        self._dense = nn.Sequential(nn.Linear(int((~on_grid).sum()), features), nn.ReLU())
        if grid is not None:
            planes, stride = int(on_grid.sum()) // prod(grid), 2 if max(grid) > 16 else 1
            self._board = nn.Sequential(
                nn.Conv2d(planes, channels, 3, stride, padding=1),
                nn.ReLU(),
                nn.Conv2d(channels, 2 * channels, 3, 2, padding=1),
                nn.ReLU(),
                nn.Flatten(),
            )
            with torch.no_grad():
                size = self._board(torch.zeros(1, planes, *grid)).shape[1]
            self._board.append(nn.Linear(size, features)).append(nn.ReLU())

    def forward(self, seen: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the features of observations: (n, features_dim)."""
        entries = seen[self._reads] * self._scale
        entries = entries - (1 - seen["observation_mask"]) * self._unknown if self._reads == "observation" else entries
        dense = self._dense(entries[:, self._flat])
        if self._grid is None:
            return dense
        return torch.cat([dense, self._board(entries[:, self._cells].unflatten(1, (-1, *self._grid)))], dim=1)


class WordHead(nn.Module):
    """Logits of actions of which some are words: what a word means counts beside which one it is.

    Args:
        features: what the head gets.
        vectors: (actions, numbers) float32, zeros for actions that are no words.
    """

    def __init__(self, features: int, vectors: np.ndarray) -> None:
        super().__init__()
        self.register_buffer("_vectors", torch.tensor(vectors.T.copy()), persistent=False)
        self._each = nn.Linear(features, len(vectors))
        self._meant = nn.Linear(features, vectors.shape[1])

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return (n, actions) logits."""
        return self._each(features) + self._meant(features) @ self._vectors


class _PiecesPolicy:
    """An actor on the observation, and a critic on the same features or on what is hidden from the actor.

    A critic helps to learn and plays no part in playing, so it may see the oracle observation (asymmetric actor and
    critic); it has features of its own then.

    Args:
        game: a configured game: the pieces of its observations, and what words mean.
        channels, features: see PiecesExtractor.
        arguments: of Stable-Baselines3's policies for several inputs.
    """

    def __init__(
        self,
        space: spaces.Dict,
        actions: spaces.Space,
        schedule: Any,
        *,
        game: Game,
        channels: int = 16,
        features: int = 256,
        **arguments: Any,
    ) -> None:
        self._game, self._size, self._next_reads = game, {"channels": channels, "features": features}, "observation"
        is_asymmetric = "oracle" in space.spaces
        super().__init__(space, actions, schedule, share_features_extractor=not is_asymmetric, **arguments)

    def make_features_extractor(self) -> BaseFeaturesExtractor:
        """Return the actor's features extractor, and when asked again the critic's."""
        reads, self._next_reads = self._next_reads, "oracle"
        return PiecesExtractor(self.observation_space, self._game.observation, reads, **self._size)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        vectors = word_vectors(self._game)
        if vectors is not None:
            self.action_net = WordHead(self.mlp_extractor.latent_dim_pi, vectors)
            self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


class PiecesPolicy(_PiecesPolicy, MaskableMultiInputActorCriticPolicy):
    __doc__ = _PiecesPolicy.__doc__


class UnmaskedPiecesPolicy(_PiecesPolicy, MultiInputActorCriticPolicy):
    """The same for plain PPO, which learns from a penalty what is illegal."""


def word_vectors(game: Game) -> np.ndarray | None:
    """Return what each action means, where a game's actions are words: (actions, numbers) float32."""
    if not any(field.name == "word" for field in game.actions.fields):
        return None
    words = next(field.shape[0] for field in game.actions.fields if field.name == "word")
    size = game.options["vector_size"]
    vectors = np.zeros((game.actions.size, size), np.float32)
    vectors[game.actions.word] = game.tables[0].vectors[: words * size].reshape(words, size)
    return vectors

"""Networks that know what an observation is made of, and critics that may see what is hidden."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.policies import MultiInputActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from kgb_env import Game
from kgb_env.layout import Layout

BOARD = "planes"  # the piece of an observation that is a board; others of the same height and width lie on it
WORD = "word"  # actions that are words
BIG = 16  # a board that is higher or wider than this is looked at in steps of two cells
GAIN_OF_LOGITS = 0.01  # all actions about equally likely at first


if TYPE_CHECKING:  # OnPieces comes before either of two such classes, which have no base class for what they share
    Base = MultiInputActorCriticPolicy
else:
    Base = object


class Sizes:
    """What a network gets from a layout: which entries are a board's, which describe men, and which are neither.

    Men are pieces of a game that a side has several of, as Confusion's spies: every field whose first two numbers are
    those of ``row`` tells something of each (``row`` and ``column`` where it stands).

    Attributes:
        grid: (height, width) of the board, or None.
        men: (sides, men of a side), or None.
    """

    def __init__(self, layout: Layout) -> None:
        shapes = {field.name: field.shape for field in layout.fields}
        self.grid = shapes[BOARD][-2:] if BOARD in shapes else None
        self.men = shapes["row"][:2] if self.grid and shapes["row"][2:] == self.grid[:1] else None
        on_board, of_men = np.zeros((2, layout.size), bool)
        men = []
        for field in layout.fields:
            piece = getattr(layout, field.name)
            if self.grid is not None and field.shape[-2:] == self.grid:
                on_board[piece] = True
            elif self.men is not None and field.shape[:2] == self.men:
                of_men[piece] = True
                men.append(np.arange(piece.start, piece.stop).reshape(*self.men, -1))
        self.on_board, self.others = np.flatnonzero(on_board), np.flatnonzero(~on_board & ~of_men)
        self.of_men = np.concatenate(men, axis=2) if men else np.zeros((0, 0, 0), np.int64)


class PiecesExtractor(BaseFeaturesExtractor):
    """Turn the named pieces of an observation into features.

    A board goes through a convolution, men (see Sizes) each through the same layer together with what is around them,
    everything else through one layer; all of it then through the hidden layers, which give the context.  The
    features are the context, and, of games with men, what each own man makes of itself in it.

    Every entry is scaled to at most 1, and what the seat does not know becomes -1 (in word vectors a number that makes
    an unknown one as long as a known one), so that not knowing is not the same as 0.

    Args:
        space: of the observation, as ``kgb_env.gym.observation_space`` makes it.
        layout: the pieces of the observation: ``game.observation``.
        reads: ``"observation"``, or ``"oracle"`` for a critic.
        channels: of the first convolution; the second has twice as many, men get four times as many numbers.
        features: from the board, and from everything else.
        hidden: layers that give the context.
    """

    def __init__(
        self,
        space: spaces.Dict,
        layout: Layout,
        reads: str = "observation",
        channels: int = 16,
        features: int = 256,
        hidden: tuple[int, ...] = (256,),
    ) -> None:
        sizes, self.man = Sizes(layout), 4 * channels
        self.context = hidden[-1] if hidden else features
        super().__init__(space, self.context + (self.man * sizes.men[1] if sizes.men else 0))
        self._reads, self._grid, self._men = reads, sizes.grid, sizes.men
        scale, unknown = np.ones(layout.size, np.float32), np.ones(layout.size, np.float32)
        for field in layout.fields:
            piece = getattr(layout, field.name)
            scale[piece] = 1 / max(field.high, -field.low)
            unknown[piece] = 1 if field.low >= 0 else field.shape[-1] ** -0.5
        self._scale, self._unknown = Constant(scale), Constant(unknown)
        self._others, self._cells, self._of_men = map(Constant, (sizes.others, sizes.on_board, sizes.of_men))
        self._dense = nn.Sequential(nn.Linear(sizes.others.size, features), nn.ReLU())
        width = features
        if sizes.grid:
            height, breadth = sizes.grid
            planes, stride = sizes.on_board.size // (height * breadth), 2 if max(sizes.grid) > BIG else 1
            self._near = nn.Sequential(nn.Conv2d(planes, channels, 3, stride, padding=1), nn.ReLU())
            far = [nn.Conv2d(channels, 2 * channels, 3, 2, padding=1), nn.ReLU(), nn.Flatten()]
            with torch.no_grad():
                size = nn.Sequential(self._near, *far)(torch.zeros(1, planes, height, breadth)).shape[1]
            self._far = nn.Sequential(*far, nn.Linear(size, features), nn.ReLU())
            width += features
        if sizes.men:
            rows, columns = (getattr(layout, name).start for name in ("row", "column"))
            height, breadth = sizes.grid or (0, 0)
            places = np.arange(sizes.men[0] * sizes.men[1])[:, None]
            self._rows = Constant(rows + places * height + np.arange(height))
            self._columns = Constant(columns + places * breadth + np.arange(breadth))
            told = sizes.of_men.shape[2] + channels
            self._first = nn.Sequential(nn.Linear(told, self.man), nn.ReLU())
            self._again = nn.Linear(told + self.man, self.man)
            self._in_context = nn.Linear(self.context, self.man)
            width += self.man * sizes.men[0]
        layers: list[nn.Module] = []
        for size in hidden or [features]:
            layers += [nn.Linear(width, size), nn.ReLU()]
            width = size
        self._hidden = nn.Sequential(*layers)

    def forward(self, seen: dict[str, Tensor]) -> Tensor:
        """Return the features of observations: (n, features_dim)."""
        entries = seen[self._reads] * self._scale()
        if self._reads == "observation":
            entries = entries - (1 - seen["observation_mask"]) * self._unknown()
        parts = [self._dense(entries[:, self._others()])]
        if self._grid:
            near = self._near(entries[:, self._cells()].unflatten(1, (-1, *self._grid)))
            parts.append(self._far(near))
        if not self._men:
            return self._hidden(torch.cat(parts, dim=1))
        # Around a man is what the convolution makes of the place where it stands; nothing if it is not on the board.
        rows, columns = entries[:, self._rows()].clamp(min=0), entries[:, self._columns()].clamp(min=0)
        around = torch.einsum("nchw,nmh,nmw->nmc", near, rows, columns).unflatten(1, self._men)
        told = torch.cat([entries[:, self._of_men()], around], dim=3)
        men = self._first(told)
        context = self._hidden(torch.cat([*parts, men.mean(dim=2).flatten(1)], dim=1))
        own = self._again(torch.cat([told[:, 0], men[:, 0]], dim=2)) + self._in_context(context)[:, None]
        return torch.cat([context, torch.relu(own).flatten(1)], dim=1)


class ActionHead(nn.Module):
    """Logits of the actions: those of a man come from its own features, words also count by what they mean.

    Args:
        game: a configured game.
        extractor: what gives the features.
    """

    def __init__(self, game: Game, extractor: PiecesExtractor) -> None:
        super().__init__()
        men = (Sizes(game.observation).men or (0, 0))[1]
        self._context, self._men = extractor.context, men
        by_men = [field for field in game.actions.fields if men and field.shape[0] == men]
        numbers = [np.arange(game.actions.size)[getattr(game.actions, field.name)] for field in by_men]
        others = np.setdiff1d(np.arange(game.actions.size), np.concatenate([np.zeros(0, int), *numbers]))
        each = [part.reshape(men, -1) for part in numbers]
        order = np.concatenate([others, *([np.concatenate(each, axis=1).ravel()] if each else [])])
        self._order = Constant(np.argsort(order))
        self._others = nn.Linear(extractor.context, others.size)
        if each:
            self._man = nn.Linear(extractor.man, sum(part.shape[1] for part in each))
        vectors = word_vectors(game)
        self._vectors = None if vectors is None else Constant(vectors.T.copy())
        if vectors is not None:
            self._meant = nn.Linear(extractor.context, vectors.shape[1])

    def forward(self, features: Tensor) -> Tensor:
        """Return (n, actions) logits."""
        context = features[:, : self._context]
        logits = self._others(context)
        if self._men:
            men = features[:, self._context :].unflatten(1, (self._men, -1))
            logits = torch.cat([logits, self._man(men).flatten(1)], dim=1)[:, self._order()]
        if self._vectors is not None:
            logits = logits + self._meant(context) @ self._vectors()
        return logits


class Constant(nn.Module):
    """An array that is no weight: it goes where the module goes, and not into the file of a model."""

    value: Tensor

    def __init__(self, array: np.ndarray) -> None:
        super().__init__()
        self.register_buffer("value", torch.tensor(array), persistent=False)

    def forward(self) -> Tensor:
        """Return the array."""
        return self.value


class OnPieces(Base):
    """An actor on the pieces of the observation, and a critic on the same features or on what is hidden from the actor.

    A critic helps to learn and plays no part in playing, so it may see the oracle observation (asymmetric actor and
    critic); it has features of its own then.

    Args:
        game: a configured game: the pieces of its observations, and what its actions are about.
        channels, features, hidden: see PiecesExtractor.
        critic: layers of the critic above the features.
        arguments: of Stable-Baselines3's policies for several inputs.
    """

    def __init__(
        self: Any,
        space: spaces.Dict,
        actions: spaces.Space,
        schedule: Any,
        *,
        game: Game,
        channels: int = 16,
        features: int = 256,
        hidden: tuple[int, ...] = (256,),
        critic: tuple[int, ...] = (256,),
        **arguments: Any,
    ) -> None:
        self._game, self._next_reads = game, "observation"
        self._size = {"channels": channels, "features": features, "hidden": tuple(hidden)}
        arguments |= {"share_features_extractor": "oracle" not in space.spaces, "activation_fn": nn.ReLU}
        super().__init__(space, actions, schedule, net_arch={"pi": [], "vf": list(critic)}, **arguments)

    def make_features_extractor(self: Any) -> BaseFeaturesExtractor:
        """Return the actor's features extractor, and when asked again the critic's."""
        reads, self._next_reads = self._next_reads, "oracle"
        return PiecesExtractor(self.observation_space, self._game.observation, reads, **self._size)

    def _build(self: Any, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = ActionHead(self._game, self.pi_features_extractor)
        self.action_net.apply(partial(self.init_weights, gain=GAIN_OF_LOGITS))
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


class PiecesPolicy(OnPieces, MaskableMultiInputActorCriticPolicy):  # type: ignore[misc]
    """For MaskablePPO: see OnPieces."""


class UnmaskedPiecesPolicy(OnPieces, MultiInputActorCriticPolicy):
    """For plain PPO, which learns from a penalty what is illegal: see OnPieces."""


def word_vectors(game: Game) -> np.ndarray | None:
    """Return what each action means, where a game's actions are words: (actions, numbers) float32."""
    words = next((field.shape[0] for field in game.actions.fields if field.name == WORD), 0)
    if not words:
        return None
    size = game.options["vector_size"]
    vectors = np.zeros((game.actions.size, size), np.float32)
    vectors[game.actions.word] = game.tables[0].vectors[: words * size].reshape(words, size)
    return vectors

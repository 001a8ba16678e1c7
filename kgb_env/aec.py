"""The PettingZoo AEC environment: one class for every game."""

from __future__ import annotations

import copy
import operator
import secrets
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from kgb_env import loops
from kgb_env.errors import GameOverError, IllegalActionError
from kgb_env.game import Game, Outcome, derive_seed, require_game, require_seed
from kgb_env.record import PUBLIC
from kgb_env.render.renderer import Renderer

ILLEGAL_MODES = ("raise", "terminate", "penalty")


def require_illegal_mode(illegal: str, penalty: float) -> None:
    """Refuse an unknown way to treat illegal actions, and a penalty that is none."""
    if not 0 <= penalty < float("inf"):
        raise ValueError(f"penalty={penalty!r}; it must be a finite number that is not negative")
    if illegal not in ILLEGAL_MODES:
        raise ValueError(f"illegal={illegal!r}; choose one of {', '.join(ILLEGAL_MODES)}")


class KGBEnv(AECEnv):
    """A game as a PettingZoo AEC environment.

    ``observe`` and ``last`` give a dict of ``observation`` (what the seat knows, in the
    named pieces of ``env.game.observation``), ``observation_mask`` (1 = this seat knows this
    entry) and ``action_mask`` (all zeros unless the seat is to move).  Every call returns new
    arrays.  An info holds ``reason``: 0 while the game goes on, else the number of its ending.

    Args:
        game: a configured game, from ``kgb_env.game``.
        illegal: what an illegal action does: ``"raise"`` IllegalActionError and change nothing,
            ``"terminate"`` the game with zero rewards, or terminate it with a ``"penalty"``.  What is
            no integer is no action at all and always raises.
        penalty: what the offender loses with ``illegal="penalty"``; the others get 0.
        env_index: which environment of a batch this one plays like.
        render_mode: ``"ansi"`` (a text), ``"svg"`` (a picture as text), ``"rgb_array"`` (pixels, 600 in a line),
            ``"human"`` (a window that shows every position by itself) or None.
        render_as: whose view is drawn: ``"public"``, an agent's name, ``"mover"`` (the
            seat to move) or ``"oracle"`` (everything).

    ``reset(seed=s)`` plays episode 0 of seed s, each ``reset()`` after it the next episode of the
    same seed.  Without any seed the first reset draws one from the operating system.
    """

    def __init__(
        self,
        game: Game,
        illegal: str = "raise",
        penalty: float = 1.0,
        env_index: int = 0,
        render_mode: str | None = None,
        render_as: str = "public",
    ) -> None:
        require_game(game)
        require_illegal_mode(illegal, penalty)
        require_seed(env_index)
        self._renderer = Renderer(game, render_mode)
        self.possible_agents = [f"player_{seat}" for seat in range(game.seats)]
        if render_as not in ("public", "mover", "oracle", *self.possible_agents):
            raise ValueError(
                f"render_as={render_as!r}; choose public, mover, oracle or one of {', '.join(self.possible_agents)}"
            )
        self.game, self.illegal, self.penalty, self.env_index = game, illegal, float(penalty), env_index
        self.render_mode, self.render_as = render_mode, render_as
        self.metadata = {
            "name": f"kgb/{game.id}-v0",
            "is_parallelizable": False,
            **self._renderer.metadata,
        }
        bounds = game.observation.low(), game.observation.high()
        low, high = (bound.astype(game.observation_dtype) for bound in bounds)
        self.state_space = spaces.Box(low, high, dtype=high.dtype.type)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": copy.deepcopy(self.state_space),
                    "observation_mask": spaces.Box(0, 1, high.shape, np.int8),
                    "action_mask": spaces.Box(0, 1, (game.actions.size,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(game.actions.size) for agent in self.possible_agents}
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._seed: int | None = None
        self._episode = 0
        self._states: np.ndarray | None = None
        # Memory that the kernels work in; nothing of it is handed out.
        self._weights, self._seen, self._masks = game.weights(), game.new(), np.zeros((1, game.actions.size), np.int8)
        self.agents: list[str] = []

    def __repr__(self) -> str:
        return f"KGBEnv({self.game!r})"

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the agent's observation space."""
        return self.observation_spaces[self.possible_agents[self._seat_of(agent)]]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the agent's action space."""
        return self.action_spaces[self.possible_agents[self._seat_of(agent)]]

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Start an episode; see the class.  ``options`` is ignored: a game has its options for good.

        Raises:
            SeedError: the seed is not an integer from 0 to 2**63 - 1.
        """
        if seed is not None:
            self._seed, self._episode = require_seed(seed), 0
        elif self._seed is None:
            self._seed, self._episode = secrets.randbits(63), 0
        else:
            self._episode += 1
        self._states = self.game.start(derive_seed(self._seed, self.env_index, self._episode))
        self.agents = self.possible_agents[:]
        self._skip_agent_selection = None
        self._paid = np.zeros(self.game.seats, np.float32)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._report()
        if self._renderer.shows_by_itself:
            self.render()

    def _report(self) -> None:
        """Set what PettingZoo reads from the state; the first agent is selected after the end."""
        states = self._started()
        over, reason, to_move = (states[name].item() for name in ("over", "reason", "to_move"))
        is_truncated = over and bool(self.game.is_truncation(np.array(reason)))
        returns = self.game.returns(states)[0].copy()
        self.rewards = dict(zip(self.possible_agents, (returns - self._paid).tolist(), strict=True))
        self._paid = returns
        self.terminations = dict.fromkeys(self.agents, over and not is_truncated)
        self.truncations = dict.fromkeys(self.agents, is_truncated)
        self.infos = {agent: {"reason": np.array(reason, np.int8)} for agent in self.agents}
        self.agent_selection = self.possible_agents[max(0, to_move)]

    def _started(self) -> np.ndarray:
        if self._states is None:
            raise GameOverError("no game has been started; call reset() first")
        return self._states

    def step(self, action: int | None) -> None:
        """Play the selected agent's action; after the end pass None for each agent.

        Raises:
            IllegalActionError: with ``illegal="raise"``; the environment stays as it was.
            GameOverError: there is no agent left to step.
        """
        states = self._started()
        if not self.agents:
            raise GameOverError("the game is over and every agent has been stepped; call reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise GameOverError(f"the game is over; step {agent} with None, or call reset()")
            self._was_dead_step(action)
            return
        number = self._number(action)
        is_action = 0 <= number < self.game.actions.size
        if not (is_action and loops.play_if_legal(states, number, self._masks, self._weights, self.game.tables)):
            if self.illegal == "raise" and is_action:
                self.game.require_legal(self._masks, np.array([number]), states)
            if self.illegal == "raise":
                raise self._no_action(action)
            loops.forfeit(states[0], self.penalty if self.illegal == "penalty" else 0.0)
        self._cumulative_rewards[agent] = 0.0
        self._report()
        self._accumulate_rewards()
        if self._renderer.shows_by_itself:
            self.render()

    def _number(self, action: Any) -> int:
        """Return an action as an int: from an int, a NumPy integer, or an array that holds one."""
        try:
            plain = action.item() if isinstance(action, np.ndarray) else action
            if not isinstance(plain, bool):
                return operator.index(plain)
        except (TypeError, ValueError):
            pass
        raise self._no_action(action)

    def _no_action(self, action: Any) -> IllegalActionError:
        return IllegalActionError(f"{action!r} is no action; actions are 0 to {self.game.actions.size - 1}")

    def last(self, observe: bool = True) -> tuple:
        """Return observation, reward since its last turn, termination, truncation and info of the selected agent."""
        if not self.agents:
            raise GameOverError("there is no agent to look at; call reset()")
        return super().last(observe)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what the agent sees now; at any time, for any agent, changing nothing."""
        states, seat, size = self._started(), self._seat_of(agent), self.game.observation.size
        observation, observation_mask = np.empty(size, self.game.observation_dtype), np.empty(size, np.int8)
        action_mask = np.empty(self.game.actions.size, np.int8)
        loops.look(states, seat, self._seen, observation, observation_mask, action_mask, self.game.tables)
        return {"observation": observation, "observation_mask": observation_mask, "action_mask": action_mask}

    def view(self, agent: str) -> np.ndarray:
        """Return what the agent knows, as one record for agents of this project."""
        seat = self._seat_of(agent)
        return self.game.view(self._started(), seat)

    def oracle(self, agent: str) -> np.ndarray:
        """Return the observation with nothing hidden, from the agent's side; for centralised critics."""
        seat = self._seat_of(agent)
        return self.game.encode(self.game.oracle(self._started(), seat)).observation[0]

    def _seat_of(self, agent: str) -> int:
        if agent not in self._seat:
            raise ValueError(f"no agent {agent!r}; there are {', '.join(self.possible_agents)}")
        return self._seat[agent]

    def state(self) -> np.ndarray:
        """Return the observation with nothing hidden, from the first seat's side (``state_space``)."""
        return self.oracle(self.possible_agents[0])

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        return self.game.outcome(self._started())

    def clone(self, seed: int | None = None) -> KGBEnv:
        """Return an independent copy; with a seed, other luck to come."""
        other = copy.deepcopy(self)
        if seed is not None:
            other._seed, other._episode = require_seed(seed), 0
            other._started()["rng"] = derive_seed(other._seed, self.env_index, 0)
        return other

    def render(self) -> str | np.ndarray | None:
        """Return the table as ``render_as`` sees it: a text, or pixels (height, width, 3) uint8; see ``render_mode``.

        Raises:
            GameOverError: no game has been started.
            RenderError: with ``render_mode="human"``, there is no display, or no pygame.
        """
        return None if self.render_mode is None else self._renderer.show(self._rendered())

    def _rendered(self) -> np.ndarray:
        """Return the record that is drawn."""
        states = self._started()
        if self.render_as == "oracle":
            return self.game.oracle(states, 0)
        if self.render_as == "public":
            return self.game.view(states, PUBLIC)
        return self.view(self.agent_selection if self.render_as == "mover" else self.render_as)

    def _repr_svg_(self) -> str | None:
        """Return the picture that Jupyter shows, as ``render_as`` sees it, or None before the start."""
        return None if self._states is None else self.game.picture(self._rendered()).svg

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

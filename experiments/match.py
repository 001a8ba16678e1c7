"""The match runner: two or more agents, many games, every deal in all seatings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents import Agent, make_agent
from agents.roles import RolesAgent
from kgb_env import Game, IllegalActionError, KGBError
from kgb_env import game as configure
from kgb_env.game import require_seed
from kgb_env.jit import derive_seed, kernel

from .config import MatchConfig
from .seating import balanced_seatings

Progress = Callable[[int, int, int], None]  # called with games finished, of how many, and plies made in those going on


def _no_progress(finished: int, total: int, plies: int) -> None:
    pass


class MatchError(KGBError, RuntimeError):
    """An agent failed in a match; the message names the agent and the game."""


@dataclass(frozen=True)
class Played:
    """A match that has been played.  Game ``g`` is deal ``g // len(seatings)`` in seating ``g % len(seatings)``.

    Attributes:
        labels: what the agents are called.
        seatings: (seatings, seats) int64, the number of the agent in each seat.
        returns: (games, seats) float32.
        reasons: (games,) int8, the numbers of the endings.
        plies: (games,) int64, decisions made.
        roles: (games, seats) int8, numbers of ``game.roles``; None in a game without roles.
    """

    game: Game
    labels: tuple[str, ...]
    seed: int
    seatings: np.ndarray
    returns: np.ndarray
    reasons: np.ndarray
    plies: np.ndarray
    roles: np.ndarray | None = None

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.returns)

    @property
    def deals(self) -> int:
        """Number of deals."""
        return self.games // len(self.seatings)


def set_up(config: MatchConfig) -> tuple[Game, dict[str, Agent]]:
    """Return the game and the agents, by label, that a configuration names."""
    game = configure(config.game, **config.options)
    if config.roles:
        return game, {config.labels[0]: RolesAgent(game, **config.roles)}
    return game, {label: make_agent(game, name) for label, name in zip(config.labels, config.agents, strict=True)}


def whole_sets(games: int, seatings: int) -> int:
    """Return ``games`` rounded up, so that every deal is played in all seatings."""
    return -(-games // seatings) * seatings


def play_match(
    game: Game,
    agents: Mapping[str, Agent],
    games: int,
    seed: int = 1,
    batch: int = 2048,
    on_progress: Progress = _no_progress,
) -> Played:
    """Let agents play each other.

    Args:
        game: a configured game.
        agents: the agents by label, each made for this game.
        games: at least this many are played: every deal in all balanced seatings.
        seed: an integer from 0 to 2**63 - 1.  Deal j starts from ``derive_seed(seed, j, 0)``.  The
            n-th own decision of seat i in it gets ``derive_seed(derive_seed(seed, j, 1 + i), n, 0)``,
            the same in all seatings: what differs between the games of a deal is who plays.
        batch: games played at a time.  The results are the same with any.
        on_progress: called after every ply of a batch.

    Raises:
        MatchError: an agent raised an exception or chose an illegal action.
        ValueError: no agents, or less than one game or batch.
    """
    if not agents or games < 1 or batch < 1:
        raise ValueError(f"{len(agents)} agents, {games} games, batch {batch}: a match needs at least one of each")
    seatings = balanced_seatings(len(agents), game.seats)
    total = whole_sets(games, len(seatings))
    played = Played(
        game=game,
        labels=tuple(agents),
        seed=require_seed(seed),
        seatings=seatings,
        returns=np.empty((total, game.seats), np.float32),
        reasons=np.empty(total, np.int8),
        plies=np.empty(total, np.int64),
        roles=np.empty((total, game.seats), np.int8) if game.roles else None,
    )
    for first in range(0, total, batch):
        numbers = np.arange(first, min(first + batch, total))
        _Table(played, agents, numbers).play(on_progress)
    return played


class _Table:
    """Some games of a match, played side by side; rows are games, and leave when they are over."""

    def __init__(self, played: Played, agents: Mapping[str, Agent], numbers: np.ndarray) -> None:
        self.game, self.played, self.numbers = played.game, played, numbers
        self.agents = list(agents.values())
        deals, seatings = np.divmod(numbers, len(played.seatings))
        self.players = played.seatings[seatings]  # (games, seats)
        seeds = np.empty(numbers.size, np.uint64)
        deal_seeds(np.uint64(played.seed), deals, seeds)
        self.states = self.game.start(seeds)
        self.decisions = np.zeros((numbers.size, self.game.seats), np.int64)
        # One row for each game and seat, whoever sits there: simple, and no agent needs much.
        self.carries = [
            self._blame(player, numbers, agent.initial_carry, self.decisions.size)
            for player, agent in enumerate(self.agents)
        ]

    def play(self, on_progress: Progress) -> None:
        """Play all games to their ends and write the results down."""
        live, end = np.arange(self.numbers.size), int(self.numbers[-1]) + 1
        while True:
            over = self.states["over"]
            if over.any():
                self._record(live[over], self.states[over])
                self.states, live = self.states[~over], live[~over]
            if not live.size:
                break
            self._play_ply(live)
            on_progress(end - live.size, self.played.games, int(self.decisions[live[0]].sum()))
        on_progress(end, self.played.games, 0)

    def _record(self, rows: np.ndarray, states: np.ndarray) -> None:
        numbers = self.numbers[rows]
        self.played.returns[numbers] = self.game.returns(states)
        self.played.reasons[numbers] = states["reason"]
        self.played.plies[numbers] = self.decisions[rows].sum(axis=1)
        if self.played.roles is not None:
            self.played.roles[numbers] = states["role"][:, : self.game.seats]

    def _play_ply(self, live: np.ndarray) -> None:
        """Make one decision in every game that goes on."""
        seats = self.states["to_move"].astype(np.int64)
        numbers, players = self.numbers[live], self.players[live, seats]
        seeds = np.empty(live.size, np.uint64)
        deals = numbers // len(self.played.seatings)
        decision_seeds(np.uint64(self.played.seed), deals, seats, self.decisions[live, seats], seeds)
        actions = np.empty(live.size, np.int64)
        for player in range(len(self.agents)):
            rows = np.flatnonzero(players == player)
            if rows.size:
                views = self.game.view(self.states[rows], seats[rows])
                cells = live[rows] * self.game.seats + seats[rows]
                actions[rows] = self._blame(player, numbers[rows], self._act, player, views, seeds[rows], cells)
        try:
            self.game.play(self.states, actions)
        except IllegalActionError:
            self._blame_illegal(actions, numbers, players)
            raise
        self.decisions[live, seats] += 1

    def _act(self, player: int, views: np.ndarray, seeds: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """Let an agent choose, and keep its memory."""
        carry = self.carries[player]
        chosen, remembered = self.agents[player].act(views, seeds, None if carry is None else carry[cells])
        if carry is not None:
            carry[cells] = remembered
        return self.game.require_actions(chosen, views.size)

    def _blame(self, player: int, numbers: np.ndarray, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of an agent; its exception becomes one that names the agent and the game."""
        try:
            return function(*arguments)
        except Exception as error:
            where = f"game {numbers[0]}" if numbers.size == 1 else f"one of games {numbers[0]} to {numbers[-1]}"
            label, fault = self.played.labels[player], f"{type(error).__name__}: {error}"
            raise MatchError(f"agent {label!r} failed in {where}: {fault}") from error

    def _blame_illegal(self, actions: np.ndarray, numbers: np.ndarray, players: np.ndarray) -> None:
        """Find the illegal action: nothing has been played yet, so every game can try its own alone."""
        for row in range(actions.size):
            try:
                self.game.play(self.states[row : row + 1].copy(), actions[row : row + 1])
            except IllegalActionError as error:
                fault = str(error).removeprefix("game 0: ")
                label = self.played.labels[players[row]]
                raise MatchError(f"agent {label!r}, game {numbers[row]}: {fault}") from error


def decisions(game: Game, agent: Agent, seed: int, deal: int = 0) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Let an agent play a game of a match against itself.

    Args:
        game: a configured game.
        agent: made for this game; it plays all seats.
        seed: of the match.
        deal: which deal of it.

    Yields:
        The state (one row, not to be written to) before each decision and at the end, and the seed of the decision.
    """
    seeds, deals = np.empty(1, np.uint64), np.array([deal])
    deal_seeds(np.uint64(seed), deals, seeds)
    states, carry, made = game.start(seeds), agent.initial_carry(game.seats), np.zeros(game.seats, np.int64)
    while not states["over"][0]:
        seat = states["to_move"].astype(np.int64)
        decision_seeds(np.uint64(seed), deals, seat, made[seat], seeds)
        yield states, seeds.copy()
        chosen, remembered = agent.act(game.view(states, seat), seeds, None if carry is None else carry[seat])
        if carry is not None:
            carry[seat] = remembered
        game.play(states, chosen)
        made[seat] += 1
    yield states, seeds


@kernel
def deal_seeds(seed, deals, out):
    """Write the seed that each deal starts from."""
    for i in range(deals.size):
        out[i] = derive_seed(seed, deals[i], 0)


@kernel
def decision_seeds(seed, deals, seats, made, out):
    """Write the seed of the next decision in each row: of a deal, by a seat that has made so many."""
    for i in range(deals.size):
        out[i] = derive_seed(derive_seed(seed, deals[i], 1 + seats[i]), made[i], 0)

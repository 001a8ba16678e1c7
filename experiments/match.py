"""The match runner: two or more agents, many games, every deal in all seatings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from agents import Agent
from agents.roles import RolesAgent, require_roles
from kgb_env import Game, IllegalActionError, KGBError
from kgb_env import game as configure
from kgb_env.game import require_seed
from kgb_env.jit import derive_seed, kernel

from .config import MatchConfig
from .outside import OutsideError, make_player
from .replaying.saving import Saver
from .seating import balanced_seatings

LONGEST_FAULT = 200  # letters
FORFEIT = -1  # instead of an action: the agent has failed

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
        require_roles(game, dict(config.roles))
        players = {role: make_player(game, name, config.deadline) for role, name in config.roles.items()}
        return game, {config.labels[0]: RolesAgent(game, **players)}
    named = zip(config.labels, config.agents, strict=True)
    return game, {label: make_player(game, name, config.deadline) for label, name in named}


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
    saver: Saver | None = None,
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
        saver: writes the games down as they end.

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
        deals, lineups = np.divmod(numbers, len(seatings))
        table = Table(game, agents, played.seed, deals, seatings[lineups], first=first, saver=saver)

        def report(live: int, plies: int, end: int = int(numbers[-1]) + 1) -> None:
            on_progress(end - live, total, plies)

        results = table.play(report)
        played.returns[numbers] = results.returns
        played.reasons[numbers] = results.reasons
        played.plies[numbers] = results.plies
        if played.roles is not None:
            played.roles[numbers] = results.roles
    return played


class Results(NamedTuple):
    """How games came out, one row a game.

    Attributes:
        players: (n, seats) int64, the number of the agent in each seat.
        returns: (n, seats) float32.
        reasons: (n,) int8, the numbers of the endings; 0 where an agent forfeited.
        plies: (n,) int64, decisions made.
        roles: (n, seats) int8, or None in a game without roles.
        faults: by row, why an agent forfeited.
    """

    players: np.ndarray
    returns: np.ndarray
    reasons: np.ndarray
    plies: np.ndarray
    roles: np.ndarray | None
    faults: dict[int, str]


class Table:
    """Some games, played side by side; rows are games, and leave when they are over.

    Args:
        game: a configured game.
        agents: the agents by label, each made for this game.
        seed: of the match; see ``play_match``.
        deals: (n,) which deal each game starts from.
        lineups: (n, seats) the number of the agent in each seat; (n, roles) with ``by_role``.
        by_role: ``lineups`` says who plays each role, whichever seat has it.
        may_forfeit: an agent that fails loses that game (see ``forfeit_returns``); else MatchError.
        first: number of the first game, for messages.
        saver: writes the games down as they end.
    """

    def __init__(
        self,
        game: Game,
        agents: Mapping[str, Agent],
        seed: int,
        deals: np.ndarray,
        lineups: np.ndarray,
        by_role: bool = False,
        may_forfeit: bool = False,
        first: int = 0,
        saver: Saver | None = None,
    ) -> None:
        self.game, self.labels, self.agents, self.seed = game, tuple(agents), list(agents.values()), seed
        self.deals, self.may_forfeit, self.first, self._saver = deals, may_forfeit, first, saver
        seeds = np.empty(deals.size, np.uint64)
        deal_seeds(np.uint64(seed), deals, seeds)
        self.states = game.start(seeds)
        roles = game.roles_in(self.states)
        self.results = Results(
            players=lineups if roles is None or not by_role else np.take_along_axis(lineups, roles.astype(int), 1),
            returns=np.empty((deals.size, game.seats), np.float32),
            reasons=np.empty(deals.size, np.int8),
            plies=np.empty(deals.size, np.int64),
            roles=roles,
            faults={},
        )
        self.decisions = np.zeros((deals.size, game.seats), np.int64)
        self.seconds = np.zeros(len(agents))  # that each agent has taken
        self.asked = np.zeros(len(agents), np.int64)  # decisions it has made
        saved = [row for row in range(deals.size) if saver.wants(first + row)] if saver else []
        self._actions: dict[int, list[int]] = {row: [] for row in saved}  # of the games that are written down
        self._given_up: dict[int, str] = {}  # agents that are not asked any more, and why
        # One row for each game and seat, whoever sits there: simple, and no agent needs much.
        everything = np.arange(deals.size)
        self.carries = [self._initial_carry(player, everything) for player in range(len(agents))]

    def play(self, on_ply: Callable[[int, int], None] = lambda live, plies: None) -> Results:
        """Play all games to their ends.

        Args:
            on_ply: called after every ply with how many games go on, and how many plies the first of them has had.
        """
        live = np.arange(self.deals.size)
        while True:
            over = self.states["over"]
            if over.any():
                self._record(live[over], self.states[over])
                self.states, live = self.states[~over], live[~over]
            if not live.size:
                break
            live = self._play_ply(live)
            if live.size:
                on_ply(live.size, int(self.decisions[live[0]].sum()))
        on_ply(0, 0)
        return self.results

    def _record(self, rows: np.ndarray, states: np.ndarray) -> None:
        self.results.returns[rows] = self.game.returns(states)
        self.results.reasons[rows] = states["reason"]
        self.results.plies[rows] = self.decisions[rows].sum(axis=1)
        self._save(rows)

    def _save(self, rows: np.ndarray) -> None:
        """Write down the games that have ended in some rows."""
        for row in rows.tolist() if self._actions else ():
            if self._saver and row in self._actions:
                agents = [self.labels[player] for player in self.results.players[row].tolist()]
                actions, fault = self._actions.pop(row), self.results.faults.get(row)
                self._saver.save(self.game, self.seed, int(self.deals[row]), actions, agents, fault)

    def _play_ply(self, live: np.ndarray) -> np.ndarray:
        """Make one decision in every game that goes on; return in which ones nobody has forfeited."""
        seats = self.states["to_move"].astype(np.int64)
        players = self.results.players[live, seats]
        seeds = np.empty(live.size, np.uint64)
        decision_seeds(np.uint64(self.seed), self.deals[live], seats, self.decisions[live, seats], seeds)
        actions = np.empty(live.size, np.int64)
        for player in range(len(self.agents)):
            rows = np.flatnonzero(players == player)
            if rows.size:
                self.asked[player] += rows.size
                views = self.game.view(self.states[rows], seats[rows])
                actions[rows] = self._ask(player, live[rows], seats[rows], views, seeds[rows])
        try:
            self.game.play(self.states, actions)
        except IllegalActionError:
            self._blame_illegal(actions, live, players)
            live, seats, actions = self._forfeit(live, seats, actions)
            self.game.play(self.states, actions)
        self.decisions[live, seats] += 1
        for row, action in zip(live.tolist(), actions.tolist(), strict=True) if self._actions else ():
            if row in self._actions:
                self._actions[row].append(action)
        return live

    def _ask(
        self, player: int, games: np.ndarray, seats: np.ndarray, views: np.ndarray, seeds: np.ndarray
    ) -> np.ndarray:
        """Let an agent choose, and see how long it takes; FORFEIT for the rows in which it fails, if it may.

        A batch in which it fails is asked for row by row.
        """
        cells = games * self.game.seats + seats
        begun = perf_counter()
        try:
            if player not in self._given_up:
                return self._act(player, views, seeds, cells)
        except Exception as error:
            is_final = getattr(error, "is_final", False)
            may_be_asked_again = games.size > 1 and not is_final
            if not self.may_forfeit and not (may_be_asked_again and isinstance(error, OutsideError)):
                raise self._fault(player, games, error) from error
            if is_final:
                self._given_up[player] = _told(error)
            elif games.size == 1:
                return self._lost(player, games, _told(error))
        finally:
            self.seconds[player] += perf_counter() - begun
        if player in self._given_up:
            return self._lost(player, games, self._given_up[player])
        rows = [slice(i, i + 1) for i in range(games.size)]
        return np.concatenate([self._ask(player, games[i], seats[i], views[i], seeds[i]) for i in rows])

    def _lost(self, player: int, games: np.ndarray, fault: str) -> np.ndarray:
        """Write down why an agent forfeits; return FORFEIT for each game."""
        for game in games.tolist():
            self.results.faults[game] = f"{self.labels[player]}: {fault}"
        return np.full(games.size, FORFEIT)

    def _act(self, player: int, views: np.ndarray, seeds: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """Let an agent choose, and keep its memory."""
        carry = self.carries[player]
        chosen, remembered = self.agents[player].act(views, seeds, None if carry is None else carry[cells])
        actions = self.game.require_actions(chosen, views.size)
        if carry is not None:
            carry[cells] = remembered
        return actions

    def _forfeit(
        self, live: np.ndarray, seats: np.ndarray, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """End the games in which the seat to move has failed; return what is left."""
        failed = actions == FORFEIT
        rows = live[failed]
        players = self.results.players[rows]
        quitters = np.take_along_axis(players, seats[failed][:, None], 1)[:, 0]
        self.results.returns[rows] = forfeit_returns(self.game, players, quitters)
        self.results.reasons[rows] = 0
        self.results.plies[rows] = self.decisions[rows].sum(axis=1)
        self._save(rows)
        self.states = self.states[~failed]
        return live[~failed], seats[~failed], actions[~failed]

    def _initial_carry(self, player: int, games: np.ndarray) -> Any:
        """Return what an agent remembers at the start."""
        try:
            return self.agents[player].initial_carry(self.decisions.size)
        except Exception as error:
            if not self.may_forfeit:
                raise self._fault(player, games, error) from error
            self._given_up[player] = _told(error)
            return None

    def _fault(self, player: int, games: np.ndarray, error: Exception) -> MatchError:
        numbers = self.first + games
        where = f"game {numbers[0]}" if numbers.size == 1 else f"one of games {numbers[0]} to {numbers[-1]}"
        return MatchError(f"agent {self.labels[player]!r} failed in {where}: {_told(error)}")

    def _blame_illegal(self, actions: np.ndarray, games: np.ndarray, players: np.ndarray) -> None:
        """Turn illegal actions into forfeits, if that may be; nothing was played yet, so each can be tried alone."""
        for row in range(actions.size):
            try:
                self.game.play(self.states[row : row + 1].copy(), actions[row : row + 1])
            except IllegalActionError as error:
                fault, label = str(error).removeprefix("game 0: "), self.labels[players[row]]
                if not self.may_forfeit:
                    raise MatchError(f"agent {label!r}, game {self.first + games[row]}: {fault}") from error
                self.results.faults.setdefault(int(games[row]), f"{label}: {fault}")
                actions[row] = FORFEIT


def _told(error: Exception) -> str:
    """Return an exception as results have it: short, and the same each time it is raised."""
    text = str(error) if isinstance(error, OutsideError) else f"{type(error).__name__}: {error}"
    text = re.sub(r"0x[0-9a-fA-F]+", "0x...", " ".join(text.split()))
    return text if len(text) <= LONGEST_FAULT else f"{text[:LONGEST_FAULT]}..."


def forfeit_returns(game: Game, players: np.ndarray, quitters: np.ndarray) -> np.ndarray:
    """Return what everybody gets when an agent forfeits: (n, seats) float32.

    All seats of the agent get the least that the game has, whatever team they are of: nobody gains by giving up.
    In a zero-sum game the others share what it loses, as far as the most that the game has; in any other they get
    half of the most.

    Args:
        game: a configured game.
        players: (n, seats) the number of the agent in each seat.
        quitters: (n,) the agents that forfeit.
    """
    lost = players == quitters[:, None]
    others = np.full(len(players), game.max_return / 2)
    if game.zero_sum:
        shared = -game.min_return * lost.sum(axis=1) / np.maximum((~lost).sum(axis=1), 1)
        others = np.minimum(shared, game.max_return)
    return np.where(lost, game.min_return, others[:, None]).astype(np.float32)


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

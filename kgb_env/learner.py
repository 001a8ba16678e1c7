"""Many games at once in which one seat learns and agents play all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any, NamedTuple, Protocol

import numpy as np

from kgb_env import loops
from kgb_env.aec import require_illegal_mode
from kgb_env.batch import FrameMemory, require_num_envs
from kgb_env.errors import IllegalActionError, OptionError
from kgb_env.game import Game, require_game, require_seed

RANDOM_SEAT = "random"
MOST_UNPLAYED = 1000  # games in a row that end before their learner decides


class Player(Protocol):
    """What plays the other seats: an agent, see ``agents.agent.Agent``."""

    def initial_carry(self, n: int) -> Any:
        """Return the memory of ``n`` (game, seat) pairs, None for those that need none."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Choose an action for every view."""


Opponents = str | Player | Sequence[str | Player] | Mapping[str, float] | Sequence[tuple[str | Player, float]]


class LearnerStep(NamedTuple):
    """What one step gives, one row an environment.

    Attributes:
        frame: what the learners see at their next decision, in the next game where one has ended.
        rewards: (num_envs,) float32, what the learner got since its last decision, up to the end of its game.
        terminated: (num_envs,) bool, the game has ended by the rules.
        truncated: (num_envs,) bool, it has ended by the cap.
        ended: (m,) the rows in which a game has ended.
        final: what the learners of these games saw at the end, one row each.
        final_states: (m,) their full states.
        final_seats: (m,) where the learners sat in them.
    """

    frame: loops.Frame
    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    ended: np.ndarray
    final: loops.Frame
    final_states: np.ndarray
    final_seats: np.ndarray


class End(NamedTuple):
    """Games that have ended: their rows, last states, and what the learner got since its last decision."""

    rows: np.ndarray
    states: np.ndarray
    seats: np.ndarray
    rewards: np.ndarray


class Record(NamedTuple):
    """How the learner has done against each opponent, since the opponents were set.

    Only seats count that have decided something, and in games with roles only those of another role: a partner that
    wins with the learner has not beaten it.

    Attributes:
        met: (opponents,) int64, such seats of theirs in games that have ended.
        won: (opponents,) float64, in how many of these the learner got more than that seat; as much counts half.
    """

    met: np.ndarray
    won: np.ndarray


def make_players(game: Game, opponents: Opponents) -> tuple[list[Player], np.ndarray]:
    """Return agents and how likely each is to get a seat: (agents,) float64.

    Args:
        game: a configured game.
        opponents: an agent or its name, several that are equally likely, or pairs with weights (or a dict of them).

    Raises:
        OptionError: there is none, or a weight is no number of at least 0.
    """
    if isinstance(opponents, str) or hasattr(opponents, "act"):
        pairs: list[tuple[Any, float]] = [(opponents, 1.0)]
    elif isinstance(opponents, Mapping):
        pairs = list(opponents.items())
    else:
        pairs = [entry if isinstance(entry, tuple) else (entry, 1.0) for entry in opponents]
    weights = np.array([weight for _, weight in pairs], np.float64)
    if not pairs or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise OptionError(f"opponents={opponents!r}: name at least one, with weights of 0 or more, not all of them 0")
    return [_make_player(game, player) for player, _ in pairs], weights / weights.sum()


def _make_player(game: Game, player: Any) -> Player:
    if not isinstance(player, str):
        if not hasattr(player, "act"):
            raise OptionError(f"{player!r} is no agent and no name of one")
        return player
    for point in entry_points(group="kgb_env.make_agent"):
        return point.load()(game, player)
    raise OptionError(f"nobody knows an agent {player!r}: is kgb-env installed (pip install -e .)?")


class LearnerBatch:
    """A batch of games, each with one learner; the other seats' decisions are made inside ``step``.

    Row i with ``first_env=f`` plays the episodes of environment f + i: a row alone is the same as in a batch.
    In every episode each other seat gets one of the opponents.  Games that end before their learner is to move are
    no episodes: the next game is taken.

    Attributes:
        frame: what the learners see: views, observations, observation masks and action masks.
        seats: (num_envs,) int64, where the learners sit.
        record: how the learner has done against each opponent.

    Args:
        game: a configured game.
        num_envs: how many games.
        seat: the learner's seat; ``"random"``; or the name of a role, in games that have them.
        opponents: see ``make_players``.
        illegal: as in KGBEnv: ``"raise"``, ``"terminate"`` or ``"penalty"``.
        penalty: what an illegal action costs with ``illegal="penalty"``.
        seed: an integer from 0 to 2**63 - 1.
        first_env: number of the first environment.
        skip_forced: make decisions that leave no choice without asking: the learner's, which then has fewer, and those
            of opponents that have no memory, which changes nothing but the speed.

    Raises:
        OptionError: a seat, an opponent or a number is not one.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        seat: int | str = RANDOM_SEAT,
        opponents: Opponents = "random",
        illegal: str = "raise",
        penalty: float = 1.0,
        seed: int = 0,
        first_env: int = 0,
        skip_forced: bool = False,
    ) -> None:
        require_game(game)
        require_illegal_mode(illegal, penalty)
        self.game, self.num_envs, self.illegal = game, require_num_envs(num_envs), illegal
        self.seat, self.skip_forced = require_seat(game, seat), skip_forced
        self._penalty = float(penalty) if illegal == "penalty" else 0.0
        self._weights, self._mask = game.weights(), np.zeros(game.actions.size, np.int8)
        self._memory = FrameMemory(game, self.num_envs)
        self._envs = require_seed(first_env) + np.arange(self.num_envs)
        self._ended: list[End] = []
        self._no_finals = self._finals()  # most steps end no game
        self.set_opponents(opponents)
        self.reset(seed)

    def set_opponents(self, opponents: Opponents) -> None:
        """Let others play from now on, in games that go on too; each keeps no memory of them.

        Raises:
            OptionError: see ``make_players``; the opponents stay as they were.
        """
        self.players, self.shares = make_players(self.game, opponents)
        self._thresholds = np.cumsum(self.shares)[:-1]
        cells = self.num_envs * self.game.seats
        self._carries = [player.initial_carry(cells) for player in self.players]
        self._is_skipped = np.array([carry is None for carry in self._carries])
        self.record = Record(np.zeros(len(self.players), np.int64), np.zeros(len(self.players)))
        if hasattr(self, "_lots"):
            self._seat_players(np.arange(self.num_envs))

    def reset(self, seed: int | None = None) -> loops.Frame:
        """Start episode 0 of ``seed`` in every row, or without a seed every row's next episode.

        Returns:
            What the learners see.
        """
        n, seats = self.num_envs, self.game.seats
        if seed is None:
            self._episodes += 1
        else:
            self._seed = require_seed(seed)
            self._episodes: np.ndarray = np.zeros(n, np.int64)
            self._states = self.game.new(n)
            self.seats, self._paid = np.zeros(n, np.int64), np.zeros(n, np.float32)
            self._made = np.zeros((n, seats), np.int64)  # decisions of each seat in this episode
            self._lots = np.zeros((n, 1 + seats))  # by which the learner gets a seat, and every seat an opponent
            self._whose = np.zeros((n, seats), np.int64)  # the number of the opponent in each seat
            self._may_skip = np.zeros((n, seats), bool)  # who need not be asked where there is no choice
            self._has_chosen = np.zeros(n, bool)  # the learner, in this episode
        self._ended = []
        self._start(np.arange(n))
        self._play_others()
        return self._hand_out()

    def step(self, actions: np.ndarray) -> LearnerStep:
        """Make the learners' decisions, and those of all others up to the learners' next ones.

        Args:
            actions: (num_envs,) integers.

        Raises:
            IllegalActionError: with ``illegal="raise"`` for a forbidden action, and always for an array of the
                wrong shape or kind, nothing has changed then; or an opponent has chosen an illegal action.
        """
        actions = self.game.require_actions(actions, self.num_envs)
        if self.illegal == "raise":
            self.game.require_legal(self._action_mask, actions, self._states)
        loops.play_or_forfeit(self._states, actions, self._action_mask, self._penalty, self._weights, self.game.tables)
        self._made[np.arange(self.num_envs), self.seats] += 1
        self._has_chosen[:] = True
        self._ended = []
        self._play_others()
        return self._results()

    @property
    def states(self) -> np.ndarray:
        """(num_envs,) full states."""
        return self._states.copy()

    @property
    def episodes(self) -> np.ndarray:
        """(num_envs,) int64, the number of the episode that each row plays."""
        return self._episodes.copy()

    def _results(self) -> LearnerStep:
        rewards, reasons = np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, np.int8)
        for end in self._ended:
            rewards[end.rows], reasons[end.rows] = end.rewards, end.states["reason"]
        going_on = np.flatnonzero(reasons == 0)
        got = self._returns(going_on)
        rewards[going_on] = got - self._paid[going_on]
        self._paid[going_on] = got
        truncated = self.game.is_truncation(reasons) & (reasons != 0)
        terminated = (reasons != 0) & ~truncated
        ended, final, states, seats = self._finals() if self._ended else self._no_finals
        return LearnerStep(self._hand_out(), rewards, terminated, truncated, ended, final, states, seats)

    def _finals(self) -> tuple[np.ndarray, loops.Frame, np.ndarray, np.ndarray]:
        """Return the rows of games that have ended, what their learners saw last, their states and learners' seats."""
        ended = np.concatenate([np.zeros(0, np.int64), *(end.rows for end in self._ended)])
        states = np.concatenate([self.game.new(0), *(end.states for end in self._ended)])
        seats = np.concatenate([np.zeros(0, np.int64), *(end.seats for end in self._ended)])
        return ended, self.game.encode(self.game.view(states, seats)), states, seats

    def _hand_out(self) -> loops.Frame:
        """Give the caller a frame to do with as he likes; the masks that count stay here."""
        frame = self._memory.free()
        loops.view_rows(self._states, self.seats, frame.views, self.game.tables)
        loops.encode_rows(frame, self.game.tables)
        self._action_mask = frame.action_mask.copy()
        self.frame = frame
        return frame

    def _returns(self, rows: np.ndarray) -> np.ndarray:
        return self._states["returns"][rows, self.seats[rows]]

    def _start(self, rows: np.ndarray) -> None:
        """Begin the episodes that are due, and say who sits where."""
        due = self._seed, self._envs, self._episodes
        loops.start_some(self._states, rows, *due, self._weights, self.game.tables)
        loops.draw_lots(*due, rows, self._lots)
        self._made[rows], self._paid[rows], self._has_chosen[rows] = 0, 0, False
        if isinstance(self.seat, int):
            self.seats[rows] = self.seat
        else:
            roles = self.game.roles_in(self._states[rows])
            if self.seat == RANDOM_SEAT or roles is None:
                may_sit = np.ones((rows.size, self.game.seats), bool)
            else:
                may_sit = np.equal(roles, self.game.roles.index(self.seat))
            nth = (self._lots[rows, 0] * may_sit.sum(axis=1)).astype(np.int64)  # of the seats that may be it
            self.seats[rows] = (may_sit.cumsum(axis=1) > nth[:, None]).argmax(axis=1)
        self._seat_players(rows)

    def _seat_players(self, rows: np.ndarray) -> None:
        self._whose[rows] = np.searchsorted(self._thresholds, self._lots[rows, 1:], side="right")
        self._may_skip[rows] = self._is_skipped[self._whose[rows]]
        self._may_skip[rows, self.seats[rows]] = True
        cells = (rows[:, None] * self.game.seats + np.arange(self.game.seats)).reshape(-1)
        for player, carry in zip(self.players, self._carries, strict=True):
            if carry is not None:
                carry[cells] = player.initial_carry(cells.size)

    def _play_others(self) -> None:
        """Let the others play until every learner is to decide; begin games anew that end before."""
        rows, unplayed = np.arange(self.num_envs), 0
        while True:
            if self.skip_forced:
                loops.play_forced(
                    self._states, rows, self._may_skip, self._made, self._mask, self._weights, self.game.tables
                )
            over = self._states["over"][rows]
            if over.any():
                unplayed = unplayed + 1 if self._finish(rows[over]) else 0
                if unplayed > MOST_UNPLAYED:
                    raise OptionError(f"seat={self.seat!r} was not to decide in {unplayed} games of {self.game.id}")
                continue  # the games begun may begin with what is forced
            rows = rows[self._states["to_move"][rows] != self.seats[rows]]
            if not rows.size:
                return
            self._decide(rows)

    def _finish(self, rows: np.ndarray) -> bool:
        """Write down how games have ended, and begin the next ones; tell if no learner had decided in any of them."""
        played = rows[self._has_chosen[rows]]
        if played.size:
            rewards = self._returns(played) - self._paid[played]
            self._ended.append(End(played, self._states[played], self.seats[played], rewards))
            self._count(played)
        self._episodes[rows] += 1
        self._start(rows)
        return not played.size

    def _count(self, rows: np.ndarray) -> None:
        """Write down how games have come out for the learner against each other seat; see ``Record``."""
        states, seats = self._states[rows], self.seats[rows, None]
        returns = self.game.returns(states)
        won = np.sign(np.take_along_axis(returns, seats, 1) - returns) / 2 + 0.5
        counts = (np.arange(self.game.seats) != seats) & (self._made[rows] > 0)
        roles = self.game.roles_in(states)
        if roles is not None:
            counts &= roles != np.take_along_axis(roles, seats, 1)
        np.add.at(self.record.met, self._whose[rows][counts], 1)
        np.add.at(self.record.won, self._whose[rows][counts], won[counts])

    def _decide(self, rows: np.ndarray) -> None:
        """Let opponents make one decision in some rows."""
        game, states = self.game, self._states
        to_move = states["to_move"].astype(np.int64)
        seats = to_move[rows]
        views, seeds = np.empty(rows.size, game.state), np.empty(rows.size, np.uint64)
        loops.view_some(states, rows, to_move, views, game.tables)
        loops.decision_seeds(self._seed, self._envs, self._episodes, to_move, self._made, rows, seeds)
        players, actions = self._whose[rows, seats], np.empty(rows.size, np.int64)
        for number, player in enumerate(self.players):
            asked = np.flatnonzero(players == number)
            if not asked.size:
                continue
            carry, cells = self._carries[number], rows[asked] * game.seats + seats[asked]
            chosen, remembered = player.act(views[asked], seeds[asked], None if carry is None else carry[cells])
            actions[asked] = game.require_actions(chosen, asked.size)
            if carry is not None:
                carry[cells] = remembered
        illegal = loops.play_some(states, rows, actions, self._mask, self._weights, game.tables)
        if illegal >= 0:
            action, player = int(actions[illegal]), self.players[players[illegal]]
            raise IllegalActionError(
                f"opponent {type(player).__name__} chose {action}, which is illegal, in row {rows[illegal]}"
            )
        self._made[rows, seats] += 1


def require_seat(game: Game, seat: Any) -> int | str:
    """Return a seat, ``"random"`` or a role, or raise OptionError."""
    if isinstance(seat, str) and seat in (RANDOM_SEAT, *game.roles):
        return seat
    if not isinstance(seat, bool) and isinstance(seat, int | np.integer) and 0 <= seat < game.seats:
        return int(seat)
    roles = f", or a role: {', '.join(game.roles)}" if game.roles else ""
    raise OptionError(f"seat={seat!r}: a seat from 0 to {game.seats - 1}, 'random'{roles}")

"""A configured game: sizes, layouts, tables, kernels, notation, and the checked Python entries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from kgb_env import jit, kernels, loops
from kgb_env.errors import GameOverError, IllegalActionError, RecordError, SeedError
from kgb_env.kernels import Kernels
from kgb_env.layout import Layout
from kgb_env.record import NOBODY, PUBLIC, UNKNOWN
from kgb_env.render.picture import Picture
from kgb_env.render.plain import picture_of_text


class Ending(NamedTuple):
    """A way in which a game ends: its number in ``state.reason`` is its place in the list, from 1."""

    name: str
    meaning: str
    is_truncation: bool = False


ILLEGAL_ENDING = Ending("illegal action", "a seat chose an action that its mask forbids")


class Notation(NamedTuple):
    """How a game is written; every function takes the game first and a one-row array of records second."""

    action: Callable[[Game, np.ndarray, int], str]
    parse_action: Callable[[Game, np.ndarray, str], int]
    outcome: Callable[[Game, np.ndarray, int], str]
    parse_outcome: Callable[[Game, np.ndarray, str], int]
    draw: Callable[[Game, np.ndarray], str]  # the table, as the viewer of a view sees it
    log: Callable[[Game, np.ndarray], list[str]]  # the events that the viewer knows of
    picture: Callable[[Game, np.ndarray], Picture] | None = None  # the same as `draw`; without it, a picture of that
    marks: Callable[[Game, np.ndarray, int], tuple[str, ...]] | None = None  # see `Game.marks`
    rules: Callable[[Game], str] | None = None  # the rules in short, for a player who does not know the game
    knowledge: Callable[[Game, np.ndarray], list[str]] | None = None  # what the viewer can tell besides, a line each
    choices: Callable[[Game, np.ndarray], list[str]] | None = None  # the legal actions, by lines; see `kgb_env.prompt`
    status: Callable[[Game, np.ndarray], str] | None = None  # whose turn it is and what is due, in one line


class Outcome(NamedTuple):
    """How a game ended: the name of the ending, what each seat got, and which seats got most."""

    reason: str
    returns: tuple[float, ...]
    winners: tuple[int, ...]


def require_seed(seed: Any) -> int:
    """Return ``seed`` as an int, or raise SeedError."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**63:
        raise SeedError(f"seed={seed!r}: it must be an integer from 0 to 2**63 - 1")
    return int(seed)


def require_seeds(seeds: Any, n: int | None = None) -> np.ndarray:
    """Return derived seeds, one or an array of them, as (n,) uint64, or raise SeedError."""
    array = np.atleast_1d(np.asarray(seeds))
    is_right = array.ndim == 1 and n in (None, array.size) and np.issubdtype(array.dtype, np.integer)
    if not is_right or (array.size and int(array.min()) < 0):
        wanted = "integers from 0 to 2**64 - 1" if n is None else f"{n} integer(s) from 0 to 2**64 - 1"
        raise SeedError(f"expected {wanted} in one row, got {array.dtype} with shape {array.shape}")
    return array.astype(np.uint64, copy=False)


def derive_seed(seed: int, env: int, episode: int) -> int:
    """Return the seed, from 0 to 2**64 - 1, of one episode of one environment: the only way seeds are made.

    Raises:
        SeedError: an argument is not an integer from 0 to 2**64 - 1.
    """
    seeds = require_seeds(np.array([require_index(number) for number in (seed, env, episode)], np.uint64))
    return int(jit.derive_seed(*seeds))


def require_index(number: Any) -> int:
    """Return an integer from 0 to 2**64 - 1, or raise SeedError."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 0 <= number < 2**64:
        raise SeedError(f"{number!r} is not an integer from 0 to 2**64 - 1")
    return int(number)


def require_game(game: Any) -> None:
    """Refuse what is not a configured game."""
    if not isinstance(game, Game):
        raise TypeError(f"expected a game from kgb_env.game(...), got {type(game).__name__}; or use kgb_env.make(id)")


@dataclass(frozen=True, eq=False)
class Game:
    """Everything that environments and agents need to know about a game with its options.

    Equal games are one object (see ``kgb_env.game``), pickling included.  States and views are
    arrays of records, one row a game; every method returns new memory.
    """

    id: str
    title: str
    options: dict[str, Any]
    data: dict[str, str]  # texts of the data files that options name
    seats: int
    state: np.dtype
    actions: Layout
    observation: Layout
    max_chance_outcomes: int
    max_plies: int  # no game has more decisions
    min_return: float
    max_return: float
    zero_sum: bool
    secrets: tuple[str, ...]  # fields of the record that are hidden from some seat at some time
    endings: tuple[Ending, ...]
    kernels: Kernels
    notation: Notation
    tables: np.ndarray  # one read-only record
    scratch_dtype: np.dtype  # memory that determinize works in
    fields: dict[str, Any] = field(default_factory=dict)  # options that rules read in the record
    observation_dtype: str = "int8"
    pays_at_the_end: bool = True  # else `returns` grow during the game, and each step pays what is added
    roles: tuple[str, ...] = ()  # that chance deals before anybody decides; () without roles
    role_of: Callable[[np.ndarray], np.ndarray] | None = None  # from states or views to the numbers of seats' roles
    fingerprint: int = field(init=False)  # of id, options and data; every record carries it

    def __post_init__(self) -> None:
        kernels.bind(self.state, self.kernels)
        told = json.dumps([self.id, self.options, self.data], sort_keys=True, default=str)
        object.__setattr__(self, "fingerprint", int(hashlib.sha256(told.encode()).hexdigest()[:8], 16))

    def __reduce__(self) -> tuple:
        from kgb_env.registry import rebuild

        return rebuild, (self.id, self.options, self.data)

    def __repr__(self) -> str:
        return f"game({', '.join([repr(self.id), *(f'{k}={v!r}' for k, v in self.options.items())])})"

    # Memory

    def new(self, n: int = 1) -> np.ndarray:
        """Return ``n`` records that hold the options and are otherwise blank."""
        states = np.zeros(n, self.state)
        states["game"] = self.fingerprint
        states["viewer"] = UNKNOWN  # neither a state nor a view before it is started
        for name, value in self.fields.items():
            states[name] = value
        return states

    def frame(self, n: int = 1) -> loops.Frame:
        """Return unset memory for what ``n`` seats see."""
        shape = (n, self.observation.size)
        return loops.Frame(
            np.empty(n, self.state),
            np.empty(shape, self.observation_dtype),
            np.empty(shape, np.int8),
            np.empty((n, self.actions.size), np.int8),
        )

    def weights(self) -> np.ndarray:
        """Return memory for the weights of chance."""
        return np.zeros(self.max_chance_outcomes, np.int64)

    def scratch(self) -> np.ndarray:
        """Return memory for ``determinize``, one record a thread."""
        return np.zeros(1, self.scratch_dtype)

    # Play

    def start(self, seed: int | np.ndarray = 0) -> np.ndarray:
        """Return states at their first decision, one a seed.

        Args:
            seed: a derived seed, or an array of them (uint64); ``kgb_env.derive_seed`` makes them.
        """
        seeds = require_seeds(seed)
        states = self.new(seeds.size)
        loops.start_rows(states, seeds, self.weights(), self.tables)
        return states

    def begin(self) -> np.ndarray:
        """Return one state before any chance, for those who play chance themselves."""
        states = self.new()
        kernels.begin(states[0], self.tables[0])
        states["viewer"] = NOBODY
        return states

    def play(self, states: np.ndarray, actions: int | np.ndarray) -> None:
        """Apply one legal action to every state in place, then let chance play.

        Raises:
            IllegalActionError: an action is not legal; no state has changed.
            GameOverError: a game has ended.
        """
        self.require_states(states)
        actions = self.require_actions(actions, states.size)
        if (states["to_move"] < 0).any():
            raise GameOverError(f"game {int((states['to_move'] < 0).argmax())}: no seat is to move")
        masks = np.empty((states.size, self.actions.size), np.int8)
        loops.legal_rows(states, masks, self.tables)
        self.require_legal(masks, actions, states)
        loops.play_rows(states, actions, self.weights(), self.tables)

    def require_actions(self, actions: Any, n: int) -> np.ndarray:
        """Return ``n`` actions as integers, or raise IllegalActionError."""
        actions = np.atleast_1d(actions)
        if actions.shape != (n,) or not (np.issubdtype(actions.dtype, np.integer)):
            raise IllegalActionError(
                f"expected {n} integer action(s), got an array of {actions.dtype} with shape {actions.shape}"
            )
        return actions.astype(np.int64, copy=False)

    def require_legal(self, masks: np.ndarray, actions: np.ndarray, states: np.ndarray) -> None:
        """Raise IllegalActionError for the first action that its mask forbids."""
        i = loops.first_illegal(actions, masks)
        if i < 0:
            return
        action, where = int(actions[i]), f"game {i}: " if actions.size > 1 else ""
        if not 0 <= action < self.actions.size:
            raise IllegalActionError(f"{where}no action {action}; actions are 0 to {self.actions.size - 1}")
        seat, rows = int(states["to_move"][i]), states[i : i + 1]
        allowed = [f"{a} ({self.notation.action(self, rows, int(a))})" for a in np.flatnonzero(masks[i])[:8]]
        more = "" if masks[i].sum() <= 8 else f" and {int(masks[i].sum()) - 8} more"
        raise IllegalActionError(
            f"{where}action {action} ({self.notation.action(self, rows, action)}) is illegal for seat {seat}; "
            f"legal are {', '.join(allowed)}{more}"
        )

    # Who sees what

    def view(self, states: np.ndarray, seats: int | np.ndarray) -> np.ndarray:
        """Return what a seat (or PUBLIC) knows of every state: its information state, one record each."""
        self.require_states(states)
        out = np.empty(states.size, self.state)
        loops.view_rows(states, self._seats(seats, states.size, PUBLIC), out, self.tables)
        return out

    def oracle(self, states: np.ndarray, seats: int | np.ndarray) -> np.ndarray:
        """Return records that hide nothing but the luck to come; for critics, never for agents."""
        self.require_states(states)
        out = np.empty(states.size, self.state)
        loops.oracle_rows(states, self._seats(seats, states.size), out)
        return out

    def encode(self, views: np.ndarray) -> loops.Frame:
        """Return observation, observation mask and action mask of views or oracle records."""
        self._require(views, lambda: views["viewer"] >= 0, "views by a seat")
        frame = self.frame(views.size)._replace(views=views)
        loops.encode_rows(frame, self.tables)
        return frame

    def legal(self, view: np.ndarray) -> np.ndarray:
        """Return the legal actions of the seat to move, from its view (one row) or the state."""
        self._require(
            view,
            lambda: (view["viewer"] == NOBODY) | (view["viewer"] == view["to_move"]),
            "one state or mover's view",
            1,
        )
        if view["to_move"][0] < 0:
            return np.zeros(0, np.int64)
        masks = np.empty((1, self.actions.size), np.int8)
        loops.legal_rows(view[:1], masks, self.tables)
        return np.flatnonzero(masks[0])

    def determinize(self, views: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Return one full state a seed (uint64) that the viewer of ``views`` (one row) holds possible.

        They are sampled exactly from the states consistent with all that the viewer has seen;
        each seed is also the luck of its state from there on.
        """
        self.require_view(views)
        seeds = require_seeds(seeds)
        out = self.new(seeds.size)
        loops.worlds_of(views, seeds, out, self.scratch(), self.tables)
        return out

    def returns(self, states: np.ndarray) -> np.ndarray:
        """Return what the seats got, (n, seats) float32: records have room for the most seats that a game can have."""
        return states["returns"][:, : self.seats]

    def roles_in(self, states: np.ndarray) -> np.ndarray | None:
        """Return the roles of the seats, (n, seats) int8: numbers of ``roles``, in views UNKNOWN where they hide it.

        None in a game without roles.
        """
        return None if self.role_of is None else self.role_of(states)[:, : self.seats].copy()

    def outcome(self, states: np.ndarray) -> Outcome | None:
        """Return how a game (one row) ended, or None."""
        if not states["over"][0]:
            return None
        returns = tuple(float(r) for r in self.returns(states)[0])
        reason = int(states["reason"][0])
        best = tuple(seat for seat, r in enumerate(returns) if r == max(returns))
        has_winners = len(best) < self.seats and reason > 0  # an illegal action makes nobody the winner
        return Outcome(self.ending(reason).name, returns, best if has_winners else ())

    def ending(self, reason: int) -> Ending:
        """Return the ending with this number."""
        return self.endings[reason - 1] if reason > 0 else ILLEGAL_ENDING

    def is_truncation(self, reasons: np.ndarray) -> np.ndarray:
        """Tell which of these reasons are truncations rather than ends by the rules."""
        table = np.array([False, *(e.is_truncation for e in self.endings), False])  # the last is ILLEGAL (-1)
        return table[reasons]

    # Pictures

    def picture(self, record: np.ndarray) -> Picture:
        """Return a picture of one record: a view (by a seat, or PUBLIC), an oracle record or a state.

        From a view, it shows what that seat knows; the others show everything.
        """
        self._require(record, lambda: record["viewer"] != UNKNOWN, "one record that has been started", 1)
        if self.notation.picture is None:
            return picture_of_text(self.title, self.notation.draw(self, record))
        return self.notation.picture(self, record)

    def marks(self, view: np.ndarray, action: int) -> tuple[str, ...]:
        """Return what one points at in the picture, in order, to choose an action of the seat to move.

        They are values of ``data-mark`` there; several actions may share them.  () for an action that is not in
        the picture.
        """
        return self.notation.marks(self, view, action) if self.notation.marks else ()

    # Refusals

    def require_states(self, states: np.ndarray) -> None:
        """Refuse what are not full states of this game."""
        self._require(states, lambda: states["viewer"] == NOBODY, "full states")

    def require_views(self, views: np.ndarray) -> None:
        """Refuse what are not views by seats of this game; an oracle record is none."""
        self._require(views, lambda: (views["viewer"] >= 0) & ~views["is_oracle"], "views by a seat")

    def require_view(self, view: np.ndarray) -> None:
        """Refuse what is not one view by a seat of this game."""
        self._require(view, lambda: (view["viewer"] >= 0) & ~view["is_oracle"], "one view by a seat", 1)

    def _require(self, records: np.ndarray, fit: Callable[[], np.ndarray], what: str, rows: int | None = None) -> None:
        if not isinstance(records, np.ndarray) or records.dtype != self.state or records.ndim != 1:
            raise RecordError(f"expected {what} of {self.id}, got {type(records).__name__} of another kind")
        if rows not in (None, records.size):
            raise RecordError(f"expected {what} of {self.id}, got {records.size}")
        if (records["game"] != self.fingerprint).any():
            raise RecordError(f"expected {what} of {self!r}; some rows are of other options, or were never started")
        if not fit().all():
            raise RecordError(f"expected {what} of {self.id}; some rows are something else (see the field 'viewer')")

    def _seats(self, seats: int | np.ndarray, n: int, lowest: int = 0) -> np.ndarray:
        array = np.asarray(seats)
        if not np.issubdtype(array.dtype, np.integer) or array.ndim > 1 or array.size not in (1, n):
            raise ValueError(f"expected one seat or {n}, got {seats!r}")
        array = np.broadcast_to(array.astype(np.int64), (n,))
        if ((array < 0) & (array != lowest)).any() or (array >= self.seats).any():
            raise ValueError(f"seats are 0 to {self.seats - 1}, got {seats!r}")
        return np.ascontiguousarray(array)

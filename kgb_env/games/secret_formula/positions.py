"""Positions of The Secret Formula from text, for tests, puzzles and studies.

A position is the beginning of a turn, and what happens in it so far.  One thing a line, in any order but
that of ``then``; what is not said is as at the start, a seat of which nothing is said is outside the camp:

    guard GRG                       the sector in which the guard is
    formula m14                     the envelope that holds it
    first 0                         the seat that begins each round
    round 3                         from 1
    turn 1                          the seat whose turn begins
    seat 0 f5                       stands on a cell
    seat 1 outside north            stands outside a gate
    seat 2 m14 knocked-out          misses its next turn; or `woken`: it has missed its last one
    envelope m14 seat 0             carried; an envelope is named after the hiding place that it comes from
    envelope t6 f9                  lies on another cell
    examined 1 m14 c5               envelopes that a seat has held, besides those that it carries
    then throw 3 5, go m14          outcomes and actions from there on
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kgb_env import kernels
from kgb_env.errors import NotationError
from kgb_env.game import Game
from kgb_env.games.secret_formula import rules
from kgb_env.games.secret_formula.boards import names_of
from kgb_env.games.secret_formula.spec import AWAKE, DOWN, FALSE, FORMULA, NOWHERE, WOKEN
from kgb_env.record import CHANCE, NOBODY

STATUSES = {"knocked-out": DOWN, "woken": WOKEN}


def parse_position(game: Game, text: str) -> np.ndarray:
    """Return the position that a text describes, one full state.

    Args:
        game: The Secret Formula with its options.
        text: see the module.

    Raises:
        NotationError: the text is no position; the message says in which line, and what is allowed.
    """
    reader = _Reader(game)
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if words:
            try:
                reader.read(words)
            except NotationError as error:
                raise NotationError(f"line {number}, {line.strip()!r}: {error}") from None
    return reader.position()


class _Reader:
    """A position in the making."""

    def __init__(self, game: Game) -> None:
        self.game, self.names, self.tables = game, names_of(game), game.tables[0]
        self.states = game.begin()
        self.s = self.states[0]
        self.s.contents[: len(self.names.envelopes)] = FALSE
        self.formula, self.first, self.round = 0, 0, 1
        self.turn: int | None = None
        self.is_going_on = False
        self.placed: set[int] = set()

    def read(self, words: list[str]) -> None:
        """Apply a line."""
        readers: dict[str, Callable[[list[str]], None]] = {
            "guard": self.read_guard,
            "formula": self.read_formula,
            "first": self.read_first,
            "round": self.read_round,
            "turn": self.read_turn,
            "seat": self.read_seat,
            "envelope": self.read_envelope,
            "examined": self.read_examined,
        }
        key, *told = words
        if key == "then":
            self.go_on()
            self.play(" ".join(told))
        elif key not in readers:
            raise NotationError(f"a line begins with {', '.join(readers)} or then")
        elif self.is_going_on:
            raise NotationError("what happens ('then') comes last")
        else:
            readers[key](told)

    # One kind of line each

    def read_guard(self, told: list[str]) -> None:
        self.s.guard = self.number(self.names.sectors, self.one(told, "a sector"), "a sector")

    def read_formula(self, told: list[str]) -> None:
        self.formula = self.number(self.names.envelopes, self.one(told, "an envelope"), "an envelope")

    def read_first(self, told: list[str]) -> None:
        self.first = self.seat(self.one(told, "a seat"))

    def read_turn(self, told: list[str]) -> None:
        self.turn = self.seat(self.one(told, "a seat"))

    def read_round(self, told: list[str]) -> None:
        rounds = [str(number) for number in range(1, int(self.s.max_rounds) + 1)]
        self.round = 1 + self.number(rounds, self.one(told, "a round"), "a round")

    def read_seat(self, told: list[str]) -> None:
        if len(told) < 2:
            raise NotationError("write for instance 'seat 0 f5', 'seat 0 f5 knocked-out' or 'seat 0 outside north'")
        seat, where, *rest = self.seat(told[0]), *told[1:]
        if seat in self.placed:
            raise NotationError(f"seat {seat} has a place already")
        self.placed.add(seat)
        if where == "outside":
            if rest and rest[0] not in STATUSES:
                self.s.gate[seat] = self.number(self.names.gates, rest.pop(0), "a gate")
        else:
            self.s.cell[seat] = self.number(self.names.cells, where, "a cell")
        if len(rest) > 1 or (rest and rest[0] not in STATUSES):
            raise NotationError(f"after the place of a seat comes {' or '.join(STATUSES)}, or nothing")
        self.s.status[seat] = STATUSES[rest[0]] if rest else AWAKE

    def read_envelope(self, told: list[str]) -> None:
        if len(told) not in (2, 3) or (len(told) == 3) != (told[1] == "seat"):
            raise NotationError("write for instance 'envelope m14 f5' or 'envelope m14 seat 0'")
        envelope = self.number(self.names.envelopes, told[0], "an envelope")
        self.s.lies[envelope] = self.s.holder[envelope] = NOWHERE
        if len(told) == 3:
            seat = self.seat(told[2])
            self.s.holder[envelope] = seat
            self.s.examined[seat] |= 1 << envelope
        else:
            self.s.lies[envelope] = self.number(self.names.cells, told[1], "a cell")

    def read_examined(self, told: list[str]) -> None:
        if not told:
            raise NotationError("write for instance 'examined 1 m14 c5'")
        seat = self.seat(told[0])
        for name in told[1:]:
            self.s.examined[seat] |= 1 << self.number(self.names.envelopes, name, "an envelope")

    # What lines are made of

    def one(self, told: list[str], what: str) -> str:
        if len(told) != 1:
            raise NotationError(f"expected {what}, and nothing else")
        return told[0]

    def seat(self, text: str) -> int:
        return self.number([str(seat) for seat in range(self.game.seats)], text, "a seat")

    def number(self, known: list[str], name: str, what: str) -> int:
        if name not in known:
            several = ", ".join(known) if len(known) <= 40 else f"{known[0]} to {known[-1]}"
            raise NotationError(f"{name!r} is not {what}; there are {several}")
        return known.index(name)

    # The end

    def go_on(self) -> None:
        """Let the turn begin, once."""
        if self.is_going_on:
            return
        self.is_going_on = True
        self.check()
        s, players = self.s, self.game.seats
        s.contents[self.formula] = FORMULA
        s.first, s.chosen = self.first, players
        place = 0 if self.turn is None else (self.turn - self.first) % players
        s.turn = (self.round - 1) * players + place
        rules.go_on(s, self.tables)

    def check(self) -> None:
        """Refuse what no game can lead to."""
        for seat in range(self.game.seats):
            cell = int(self.s.cell[seat])
            if cell == NOWHERE and (self.s.holder == seat).any():
                raise NotationError(f"seat {seat} is outside the camp and can carry no envelopes")
            if cell != NOWHERE and self.tables.sector[cell] == self.s.guard:
                raise NotationError(f"seat {seat} is in the guard's sector, where nobody is when a turn begins")
            if self.s.status[seat] == DOWN and (self.s.holder == seat).any():
                raise NotationError(f"seat {seat} is knocked out and can carry no envelopes")

    def play(self, texts: str) -> None:
        """Apply outcomes and actions, each of which must be possible."""
        game, states = self.game, self.states
        for text in texts.split(","):
            if states["over"][0]:
                raise NotationError(f"{text.strip()!r}: the game is over")
            if states["to_move"][0] == CHANCE:
                action = game.notation.parse_outcome(game, states, text)
            else:
                action = game.notation.parse_action(game, states, text)
                if action not in game.legal(states):
                    raise NotationError(f"{text.strip()!r} is illegal for seat {states['to_move'][0]}")
            kernels.step(states[0], action, game.tables[0])

    def position(self) -> np.ndarray:
        """Return what has been read."""
        self.go_on()
        assert self.states["viewer"][0] == NOBODY
        return self.states

"""The log of Confusion as text: the moves are made again on a board, since the log keeps what was said alone."""

from __future__ import annotations

import numpy as np

from kgb_env.game import Game
from kgb_env.games.confusion import rules
from kgb_env.games.confusion.board import first_in_play, take_off
from kgb_env.games.confusion.legality import waiting
from kgb_env.games.confusion.placement import put_next
from kgb_env.games.confusion.spec import (
    ACTION_BITS,
    ACTIONS,
    ANSWERED_NO,
    ANSWERED_YES,
    DOUBLE_AGENT,
    EXPOSE,
    LETTERS,
    NO_PROMOTION,
    NOT_TAKEN,
    PLACE,
    PROMOTION,
    PROPOSE,
    SEATS,
    TAKEN,
    WHITE,
)
from kgb_env.games.confusion.text import SIDES, text_of


def log_text(game: Game, records: np.ndarray) -> list[str]:
    """Write the events of the game, a line each; both sides know of all of them.

    The log keeps what was said, not where the spies stood, so the moves are made again on a board.
    """
    s, table, lines = records[0], game.begin(), []
    t = table[0]
    t.phase = PLACE if t.variable_setup else PROPOSE
    t.to_move = WHITE
    for entry in s.log[: s.events].tolist():
        seat = int(t.to_move)
        lines.append(f"{SIDES[seat]}: {_event_text(game, table, seat, entry, s)}")
        _make_again(game, t, seat, entry, s)
    return lines


def _event_text(game: Game, table: np.ndarray, seat: int, entry: int, s: np.record) -> str:
    """Write an entry of the log, with the position before it."""
    text = text_of(game, table, entry & ACTION_BITS, seat)
    if entry & ACTION_BITS == EXPOSE:
        text += f" {LETTERS[_double_agent(s, 1 - seat)]}"
    is_uncovered = entry & PROMOTION and _is_uncovered(table, seat, entry, s)
    for bit, words in (
        (ANSWERED_NO, ": no"),
        (ANSWERED_YES, ": yes"),
        (PROMOTION, ", uncovered as the Double Agent" if is_uncovered else ", promoted"),
        (NO_PROMOTION, ", promotion declined"),
        (TAKEN, ", briefcase taken"),
        (NOT_TAKEN, ", briefcase declined"),
    ):
        text += words if entry & bit else ""
    return text


def _double_agent(s: np.record, seat: int) -> int:
    """Return the spy that has been shown to be the Double Agent."""
    return s.piece[seat].tolist().index(DOUBLE_AGENT)


def _proposed(table: np.ndarray, entry: int) -> tuple[int, int, int, int]:
    """Return kind, spy, direction and distance - 1 of a proposal, with the position before it."""
    table[0].log[0], table[0].events = entry & ACTION_BITS, 1
    return waiting(table[0])


def _is_uncovered(table: np.ndarray, seat: int, entry: int, s: np.record) -> bool:
    """Tell if a promotion in the log was that of a Double Agent, which is shown then."""
    spy = _proposed(table, entry)[1]
    return bool(s.revealed[seat, spy]) and not s.promoted[seat, spy] and s.piece[seat, spy] == DOUBLE_AGENT


def _make_again(game: Game, t: np.record, seat: int, entry: int, s: np.record) -> None:
    """Move the spies as an entry of the log says, and give the turn on."""
    action, tables = entry & ACTION_BITS, game.tables[0]
    kind, place = ACTIONS.where(action)
    if kind == "expose":
        take_off(t, 1 - seat, _double_agent(s, 1 - seat))
    elif kind == "out":
        take_off(t, seat, place[0])
    elif kind == "swap":
        rules.swap(t, seat, *tables.pair[place[0]].tolist())
    elif kind == "double":
        t.double = 2
    elif kind == "place":
        put_next(t, action, tables)
    elif entry & ANSWERED_YES:
        table = np.array([t])
        spy = _proposed(table, entry)[1]
        is_uncovered = entry & PROMOTION and _is_uncovered(table, seat, entry, s)
        rules.carry_out(t, seat, *_proposed(table, entry), tables)
        if is_uncovered:
            take_off(t, seat, spy)
        if entry & TAKEN:
            t.briefcase = t.cell[1 - seat, first_in_play(t, 1 - seat)]
    if entry & (ANSWERED_NO | ANSWERED_YES) and t.double:
        t.barred |= 1 << ACTIONS.where(action)[1][0]
    if entry & (ANSWERED_NO | ANSWERED_YES) or kind == "skip":
        rules.end_proposal(t, tables)
        t.to_move = int(t.turn) % SEATS  # the end of the game does not matter here

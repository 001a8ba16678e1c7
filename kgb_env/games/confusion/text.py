"""How Confusion is written: actions, outcomes, the log, the board and the notebook.

Squares are absolute (a1 is White's left corner), so a game reads the same from both sides.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from kgb_env.errors import NotationError
from kgb_env.game import Game, Notation
from kgb_env.games.confusion import rules
from kgb_env.games.confusion.files import PROMOTED_SIDE, Piece, parse_pieces
from kgb_env.games.confusion.spec import (
    ACTION_BITS,
    ACTIONS,
    ANSWER,
    ANSWERED_NO,
    ANSWERED_YES,
    COLUMNS,
    DIRECTIONS,
    DOUBLE_AGENT,
    EMPTY,
    EXPOSE,
    LETTERS,
    LONGEST,
    NOWHERE,
    PROMOTION,
    RED,
    SEATS,
    SKIP,
    SPIES,
    STEPS,
    WHITE,
    cell_name,
    cell_number,
)
from kgb_env.record import UNKNOWN

SIDES = ("White", "Red")
FLIP = len(DIRECTIONS) // 2  # Red's forward is White's backward


@cache
def pieces_of(game: Game) -> tuple[Piece, ...]:
    """Return the movement pieces of a game, the Double Agent's excepted."""
    return parse_pieces(game.data["pieces"], str(game.options["pieces"]))


def piece_name(game: Game, piece: int) -> str:
    """Return how a piece is called, with its movement."""
    return "Double Agent" if piece == DOUBLE_AGENT else str(pieces_of(game)[piece])


# Actions


def target(game: Game, seat: int, cell: int, direction: int, distance: int) -> int:
    """Return the cell that lies ``distance`` steps away, or NOWHERE."""
    neighbours = neighbours_of(game)
    for _ in range(distance):
        if cell == NOWHERE:
            break
        cell = neighbours[cell][(direction + FLIP * seat) % len(DIRECTIONS)]
    return cell


@cache
def neighbours_of(game: Game) -> list[list[int]]:
    """Return the neighbours of every cell, in White's directions."""
    return game.tables[0].next.tolist()


def action_text(game: Game, records: np.ndarray, action: int) -> str:
    """Write an action of the seat to move.

    A proposal names squares (``D f2-f4``, ``D f2xf4`` onto an enemy, ``D f2-f4 leave``,
    ``pass f4-h6``) where they are on the board, else the way (``D FL2``, ``leave FL2``,
    ``pass FL2``), which ``parse_action`` understands at any time.
    """
    s = records[0]
    return _action_text(game, records, action, int(s.to_move))


def _action_text(game: Game, records: np.ndarray, action: int, seat: int) -> str:
    s = records[0]
    kind, place = ACTIONS.where(action)
    if kind == "answer":
        return "answer yes" if place[0] else "answer no"
    if kind == "out":
        return f"out {LETTERS[place[0]]}"
    if kind in ("expose", "skip"):
        return kind
    *spy, direction, step = place
    distance = step + 1
    if seat in (WHITE, RED):
        start = int(s.cell[seat, spy[0]]) if spy else _controlled(s, seat)
        end = target(game, seat, start, direction, distance)
        if end != NOWHERE:
            found = int(s.board[end])
            is_enemy = found != EMPTY and (found - 1) // SPIES != seat and kind != "hand"
            squares = f"{cell_name(start)}{'x' if is_enemy else '-'}{cell_name(end)}"
            if kind == "hand":
                return f"pass {squares}"
            return f"{LETTERS[(int(s.board[start]) - 1) % SPIES]} {squares}{' leave' if kind == 'leave' else ''}"
    way = f"{DIRECTIONS[direction]}{distance}"
    return {"move": f"{LETTERS[spy[0]]} {way}" if spy else "", "leave": f"leave {way}", "hand": f"pass {way}"}[kind]


def _controlled(s: np.record, seat: int) -> int:
    """Return the cell of the briefcase if a spy of the seat controls it, else NOWHERE."""
    holder = int(s.board[s.briefcase])
    return int(s.briefcase) if holder != EMPTY and (holder - 1) // SPIES == seat else NOWHERE


SQUARES = r"(?P<start>[a-k]\d+)[-x](?P<end>[a-k]\d+)"
WAY = r"(?P<direction>FL|FR|BL|BR|F|B|L|R)(?P<distance>[1-4])"
MOVE_TEXT = re.compile(rf"(?P<spy>[{LETTERS}]) (?:{SQUARES}|{WAY})(?P<leave> leave)?")
PASS_TEXT = re.compile(rf"pass (?:{SQUARES}|{WAY})")
LEAVE_TEXT = re.compile(rf"leave {WAY}")


def parse_action(game: Game, records: np.ndarray, text: str) -> int:
    """Return the action of the seat to move that a text names, legal or not.

    Raises:
        NotationError: the text names none; the message says what is understood.
    """
    text = " ".join(text.split())
    s, seat = records[0], int(records[0].to_move)
    if text in ("answer yes", "answer no"):
        return ACTIONS.index("answer", int(text == "answer yes"))
    if text in ("expose", "skip"):
        return ACTIONS.index(text, 0)
    if found := re.fullmatch(rf"out ([{LETTERS}])", text):
        return ACTIONS.index("out", LETTERS.index(found[1]))
    if found := LEAVE_TEXT.fullmatch(text):
        return ACTIONS.index("leave", *_way(game, s, seat, found))
    if found := PASS_TEXT.fullmatch(text):
        return ACTIONS.index("hand", *_way(game, s, seat, found))
    if found := MOVE_TEXT.fullmatch(text):
        spy = LETTERS.index(found["spy"])
        way = _way(game, s, seat, found, spy)
        return ACTIONS.index("leave", *way) if found["leave"] else ACTIONS.index("move", spy, *way)
    raise NotationError(
        f"{text!r} is no action; write for instance 'D f2-f4', 'D f2xf4', 'D f2-f4 leave', 'pass f4-h6', 'D FL2', "
        "'answer yes', 'answer no', 'out D', 'expose' or 'skip'"
    )


def _way(game: Game, s: np.record, seat: int, found: re.Match, spy: int | None = None) -> tuple[int, int]:
    """Return direction and distance - 1 of a parsed proposal."""
    if found["distance"]:
        return DIRECTIONS.index(found["direction"]), int(found["distance"]) - 1
    if seat not in (WHITE, RED):
        raise NotationError(f"{found[0]!r}: no seat is to move")
    start = int(s.cell[seat, spy]) if spy is not None else _controlled(s, seat)
    who = "the briefcase" if spy is None else f"spy {LETTERS[spy]}"
    if start == NOWHERE or cell_name(start) != found["start"]:
        where = "not there for you to move" if start == NOWHERE else f"on {cell_name(start)}"
        raise NotationError(f"{found[0]!r}: {who} is {where}")
    end = cell_number(found["end"])
    right, up = end % COLUMNS - start % COLUMNS, end // COLUMNS - start // COLUMNS
    distance = max(abs(right), abs(up))
    if 1 <= distance <= LONGEST and {abs(right), abs(up)} <= {0, distance}:
        direction = (STEPS.index((right // distance, up // distance)) + FLIP * seat) % len(DIRECTIONS)
        if target(game, seat, start, direction, distance) == end:
            return direction, distance - 1
    raise NotationError(f"{found[0]!r}: no straight way of 1 to {LONGEST} squares leads there on this board")


def outcome_text(game: Game, records: np.ndarray, outcome: int) -> str:
    """Write the deal of a piece to the next spy, as ``deal D=3``; pieces count from 1 in the order of the file."""
    spy = int(records[0].dealt) % int(game.tables[0].spies)
    return f"deal {LETTERS[spy]}={'DA' if outcome == DOUBLE_AGENT else outcome + 1}"


def parse_outcome(game: Game, records: np.ndarray, text: str) -> int:
    """Return the outcome that a text names, possible or not."""
    letter = LETTERS[int(records[0].dealt) % int(game.tables[0].spies)]
    found = re.fullmatch(rf"deal {letter}=(DA|[1-9]|1[012])", " ".join(text.split()))
    if not found:
        raise NotationError(f"{text!r} is no outcome; due is 'deal {letter}=NUMBER' or 'deal {letter}=DA'")
    return DOUBLE_AGENT if found[1] == "DA" else int(found[1]) - 1


# The log


def log_text(game: Game, records: np.ndarray) -> list[str]:
    """Write the events of the game, a line each; both sides know of all of them.

    The log keeps what was said, not where the spies stood, so the moves are made again on a board.
    """
    s, table, lines = records[0], game.begin(), []
    t, tables = table[0], game.tables[0]
    for entry in s.log[: s.events].tolist():
        action, seat = entry & ACTION_BITS, int(t.turn) % SEATS
        text = _action_text(game, table, action, seat)
        for bit, words in ((ANSWERED_NO, ": no"), (ANSWERED_YES, ": yes"), (PROMOTION, ", promoted")):
            text += words if entry & bit else ""
        if action == EXPOSE:
            spy = s.piece[1 - seat].tolist().index(DOUBLE_AGENT)
            text += f" {LETTERS[spy]}"
            rules.take_off(t, 1 - seat, spy)
        elif ACTIONS.where(action)[0] == "out":
            rules.take_off(t, seat, ACTIONS.where(action)[1][0])
        elif entry & ANSWERED_YES:
            t.log[0], t.events = action, 1
            rules.carry_out(t, seat, *rules.waiting(t), tables)
        t.turn += action < ACTIONS.out.start or action == SKIP
        lines.append(f"{SIDES[seat]}: {text}")
    return lines


# Pictures


def draw(game: Game, records: np.ndarray) -> str:
    """Draw the table as the viewer sees it, the viewer's side (or White's) at the bottom."""
    s, t = records[0], game.tables[0]
    me = max(0, int(s.viewer))
    rows, columns = range(int(t.rows)), range(int(t.columns))
    lines = []
    for row in rows if me == RED else reversed(rows):
        squares = [_square(s, row * COLUMNS + column) for column in (reversed(columns) if me == RED else columns)]
        lines.append(f"{row + 1:3} {' '.join(squares)}".rstrip())
    names = [cell_name(column)[0] for column in (reversed(columns) if me == RED else columns)]
    lines.append("    " + "  ".join(names))
    lines += ["", _status(game, records), ""]
    for seat in (me, 1 - me):
        lines += [f"{SIDES[seat]}'s spies", *(f"  {line}" for line in _side(game, s, seat)), ""]
    return "\n".join(lines).rstrip() + "\n"


def _square(s: np.record, cell: int) -> str:
    """Return two characters: White's spies in capitals, Red's in small letters, * where the briefcase is."""
    found = int(s.board[cell])
    spy = "." if found == EMPTY else LETTERS[(found - 1) % SPIES]
    return (spy.lower() if (found - 1) // SPIES == RED else spy) + ("*" if cell == s.briefcase else " ")


def _status(game: Game, records: np.ndarray) -> str:
    """Say whose turn it is and what is due."""
    s = records[0]
    turn = f"Turn {int(s.turn) // SEATS + 1} of {int(s.max_turns)}"
    if s.over:
        ending = game.ending(int(s.reason))
        best = np.flatnonzero(s.returns == 1)
        won = f"{SIDES[best[0]]} has won" if best.size else "A draw"
        return f"{won}: {ending.name}."
    if s.to_move < 0:
        return "The pieces are being dealt."
    if s.phase == ANSWER:
        seat = int(s.turn) % SEATS
        question = _action_text(game, records, int(s.log[s.events - 1]) & ACTION_BITS, seat)
        return f"{turn}: {SIDES[seat]} asks for {question}; {SIDES[1 - seat]} must answer."
    return f"{turn}: {SIDES[int(s.to_move)]} is to propose."


def _side(game: Game, s: np.record, seat: int) -> list[str]:
    """Describe each spy of a side, with its piece if the viewer may know it, else with what it may be."""
    lines = []
    for spy in range(int(game.tables[0].spies)):
        cell, piece = int(s.cell[seat, spy]), int(s.piece[seat, spy])
        where = "out" if cell == NOWHERE else cell_name(cell)
        known = piece_name(game, piece) if piece != UNKNOWN else f"one of: {_numbers(int(s.possible[seat, spy]))}"
        promoted = f", now {PROMOTED_SIDE}" if s.promoted[seat, spy] else ""
        lines.append(f"{LETTERS[spy]} {where:3} {known}{promoted}")
    return lines


def _numbers(possible: int) -> str:
    """List pieces by number, from 1, as in ``deal D=3``."""
    return " ".join("DA" if p == DOUBLE_AGENT else str(p + 1) for p in range(SPIES) if possible >> p & 1) or "nothing"


NOTATION = Notation(action_text, parse_action, outcome_text, parse_outcome, draw, log_text)

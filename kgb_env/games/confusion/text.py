"""How Confusion is written: actions and outcomes.

Squares are absolute (a1 is White's left corner), so a game reads the same from both sides.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from kgb_env.errors import NotationError
from kgb_env.game import Game
from kgb_env.games.confusion.files import Piece, parse_pieces
from kgb_env.games.confusion.spec import (
    ACTIONS,
    BEYOND,
    CELLS,
    COLUMNS,
    DIRECTIONS,
    DOUBLE_AGENT,
    EMPTY,
    LETTERS,
    LONGEST,
    NOWHERE,
    PLACE,
    RED,
    SETUP_ROWS,
    SPIES,
    STEPS,
    WHITE,
    cell_name,
    cell_number,
)

SIDES = ("White", "Red")
TOKEN_NAMES = ("Reveal 1", "Move 2", "Swap 2")
FLIP = len(DIRECTIONS) // 2  # Red's forward is White's backward


@cache
def pieces_of(game: Game) -> tuple[Piece, ...]:
    """Return the movement pieces of a game, the Double Agent's excepted."""
    return parse_pieces(game.data["pieces"], str(game.options["pieces"]))


def piece_name(game: Game, piece: int) -> str:
    """Return how a piece is called, with its movement; that it is promotable is left out where all are (C15)."""
    if piece == DOUBLE_AGENT:
        return "Double Agent"
    named = pieces_of(game)[piece]
    return str(named._replace(is_promotable=False) if game.options["promotion_sir"] else named)


# Actions


def target(game: Game, seat: int, cell: int, direction: int, distance: int) -> int:
    """Return the cell that lies ``distance`` steps away, or NOWHERE."""
    end = paths_of(game)[seat][cell][direction][distance - 1] if cell != NOWHERE else BEYOND
    return end if end != BEYOND else NOWHERE


@cache
def paths_of(game: Game) -> list:
    """Return where all ways lead, as lists, which are quicker to read one by one."""
    return game.tables[0].path.tolist()


def action_text(game: Game, records: np.ndarray, action: int) -> str:
    """Write an action of the seat to move.

    A proposal names squares (``D f2-f4``, ``D f2xf4`` onto an enemy, ``D f2-f4 leave``,
    ``pass f4-h6``) where they are on the board, else the way (``D FL2``, ``leave FL2``,
    ``pass FL2``), which ``parse_action`` understands at any time.
    """
    s = records[0]
    return text_of(game, records, action, int(s.to_move))


def text_of(game: Game, records: np.ndarray, action: int, seat: int) -> str:
    """Write an action of any seat in a position."""
    s = records[0]
    kind, place = ACTIONS.where(action)
    if kind == "out":
        return f"out {LETTERS[place[0]]}"
    if kind in FIXED:
        return FIXED[kind][place[0]]
    if kind == "reveal":
        return f"reveal {LETTERS[place[0]]}"
    if kind == "swap":
        return "swap " + " ".join(LETTERS[spy] for spy in game.tables[0].pair[place[0]])
    if kind == "place":
        return _place_text(game, s, seat, place)
    *spy, direction, step = place
    distance = step + 1
    if seat in (WHITE, RED):
        start = int(s.cell[seat, spy[0]]) if spy else controlled(s, seat)
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


def _place_text(game: Game, s: np.record, seat: int, place: tuple[int, ...]) -> str:
    """Write a placement by its square, or by row and column from the own corner if there is no such square."""
    row, column = place
    t = game.tables[0]
    if seat not in (WHITE, RED) or not t.open[t.turned[seat, row * COLUMNS + column]] or column >= t.columns:
        return f"place {row + 1}.{column + 1}"
    square = cell_name(int(t.turned[seat, row * COLUMNS + column]))
    return f"place {LETTERS[s.in_play[seat]]} {square}" if s.phase == PLACE else f"place {square}"


def controlled(s: np.record, seat: int) -> int:
    """Return the cell of the briefcase if a spy of the seat controls it, else NOWHERE."""
    holder = int(s.board[s.briefcase])
    return int(s.briefcase) if holder != EMPTY and (holder - 1) // SPIES == seat else NOWHERE


FIXED = {
    "answer": ("answer no", "answer yes"),
    "expose": ("expose",),
    "skip": ("skip",),
    "double": ("move two",),
    "promote": ("promote no", "promote yes"),
    "take": ("decline", "take"),
}
FIXED_ACTIONS = {text: (kind, place) for kind, texts in FIXED.items() for place, text in enumerate(texts)}
SQUARES = r"(?P<start>[a-k]\d{1,2})[-x](?P<end>[a-k]\d{1,2})"
WAY = r"(?P<direction>FL|FR|BL|BR|F|B|L|R)(?P<distance>[1-4])"
MOVE_TEXT = re.compile(rf"(?P<spy>[{LETTERS}]) (?:{SQUARES}|{WAY})(?P<leave> leave)?")
PASS_TEXT = re.compile(rf"pass (?:{SQUARES}|{WAY})")
SQUARE = r"(?P<square>[a-k]\d{1,2})"
PLACE_TEXT = re.compile(rf"place (?:(?:(?P<spy>[{LETTERS}]) )?{SQUARE}|(?P<row>[12])\.(?P<column>\d+))")
LEAVE_TEXT = re.compile(rf"leave {WAY}")


def parse_action(game: Game, records: np.ndarray, text: str) -> int:
    """Return the action of the seat to move that a text names, legal or not.

    Raises:
        NotationError: the text names none; the message says what is understood.
    """
    text = " ".join(text.split())
    s, seat = records[0], int(records[0].to_move)
    if text in FIXED_ACTIONS:
        return ACTIONS.index(FIXED_ACTIONS[text][0], FIXED_ACTIONS[text][1])
    if found := re.fullmatch(rf"(out|reveal) ([{LETTERS}])", text):
        return ACTIONS.index(found[1], LETTERS.index(found[2]))
    if found := re.fullmatch(rf"swap ([{LETTERS}]) ([{LETTERS}])", text):
        pair = sorted(LETTERS.index(letter) for letter in found.groups())
        if pair[0] != pair[1]:
            return ACTIONS.index("swap", game.tables[0].pair.tolist().index(pair))
    if found := PLACE_TEXT.fullmatch(text):
        return ACTIONS.index("place", *_placed(game, s, seat, found))
    if found := LEAVE_TEXT.fullmatch(text):
        return ACTIONS.index("leave", *_way(game, s, seat, found))
    if found := PASS_TEXT.fullmatch(text):
        return ACTIONS.index("hand", *_way(game, s, seat, found))
    if found := MOVE_TEXT.fullmatch(text):
        spy = LETTERS.index(found["spy"])
        way = _way(game, s, seat, found, spy)
        if not found["leave"]:
            return ACTIONS.index("move", spy, *way)
        if controlled(s, seat) != s.cell[seat, spy] or s.cell[seat, spy] == NOWHERE:
            raise NotationError(f"{text!r}: spy {found['spy']} does not control the briefcase")
        return ACTIONS.index("leave", *way)
    raise NotationError(f"{text!r} is no action; write for instance {', '.join(map(repr, _examples(game)))}")


@cache
def _examples(game: Game) -> list[str]:
    """Return an action of each form that a game with these options has."""
    options, tokens = game.options, {token for seat in game.options["special_actions"] for token in seat}
    has_double_agents = not options["honor_among_spies"]
    may_decline = has_double_agents and options["promotion_sir"]
    forms = {
        ("D f2-f4", "D f2xf4", "D f2-f4 leave", "pass f4-h6", "D FL2", *FIXED["answer"], *FIXED["skip"]): True,
        ("out D", *FIXED["expose"]): has_double_agents,
        ("reveal D",): "reveal" in tokens,
        FIXED["double"]: "move" in tokens,
        ("swap D H",): "swap" in tokens,
        ("place D c2",): options["variable_setup"],
        (*FIXED["promote"], *FIXED["take"]): may_decline,
    }
    return [example for examples, exists in forms.items() if exists for example in examples]


def _placed(game: Game, s: np.record, seat: int, found: re.Match) -> tuple[int, int]:
    """Return row and column, from the own corner, of a parsed placement."""
    if found["row"]:
        row, column = int(found["row"]) - 1, int(found["column"]) - 1
    else:
        if found["spy"] and (s.phase != PLACE or LETTERS[s.in_play[seat]] != found["spy"]):
            raise NotationError(f"{found[0]!r}: it is not this spy's turn to be placed")
        cell = cell_number(found["square"])
        if seat not in (WHITE, RED) or not 0 <= cell < CELLS or not game.tables[0].open[cell]:
            raise NotationError(f"{found[0]!r}: there is no such square to place a spy on")
        row, column = int(game.tables[0].own_row[seat, cell]), int(game.tables[0].own_column[seat, cell])
    if not (0 <= row < SETUP_ROWS and 0 <= column < COLUMNS):
        raise NotationError(f"{found[0]!r}: spies are placed in the first two rows")
    return row, column


def _way(game: Game, s: np.record, seat: int, found: re.Match, spy: int | None = None) -> tuple[int, int]:
    """Return direction and distance - 1 of a parsed proposal."""
    if found["distance"]:
        return DIRECTIONS.index(found["direction"]), int(found["distance"]) - 1
    if seat not in (WHITE, RED):
        raise NotationError(f"{found[0]!r}: no seat is to move")
    start = int(s.cell[seat, spy]) if spy is not None else controlled(s, seat)
    who = "the briefcase" if spy is None else f"spy {LETTERS[spy]}"
    if start == NOWHERE or cell_name(start) != found["start"]:
        where = "not there for you to move" if start == NOWHERE else f"on {cell_name(start)}"
        raise NotationError(f"{found[0]!r}: {who} is {where}")
    end = cell_number(found["end"])
    right, up = end % COLUMNS - start % COLUMNS, end // COLUMNS - start // COLUMNS
    distance = max(abs(right), abs(up))
    if 1 <= distance <= LONGEST and {abs(right), abs(up)} <= {0, distance}:
        direction = (STEPS.index((right // distance, up // distance)) + FLIP * seat) % len(DIRECTIONS)
        if NOWHERE != target(game, seat, start, direction, distance) == end:
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

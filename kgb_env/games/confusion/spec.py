"""What exists in Confusion: the board, the record, the actions, the observation.  (Rulings C1 to C3)"""

from __future__ import annotations

import numpy as np

from kgb_env.game import Ending
from kgb_env.layout import Field, Layout
from kgb_env.record import head, record

SEATS = 2
WHITE, RED = 0, 1

# The board, padded to the largest: cells count from a1, row by row, 11 to a row.
COLUMNS = ROWS = 11
CELLS = COLUMNS * ROWS
NOWHERE = -1  # the cell of a spy out of play

# Directions, clockwise; forward is away from one's own first row, so Red's are turned by four.
DIRECTIONS = ("F", "FR", "R", "BR", "B", "BL", "L", "FL")
BACKWARD = 4
STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))  # White's (columns, rows)
LONGEST = 4  # no piece moves farther

# Spies by letter, in alphabetical order; X last, so that a game without X has the first twelve.
LETTERS = "ACDFHJLNPSTVX"
SPIES = len(LETTERS)

# Movement pieces: the ordinary ones from 0, then the Double Agent's, then the promoted side of any.
ORDINARY = SPIES - 1
DOUBLE_AGENT, PROMOTED = ORDINARY, ORDINARY + 1
PROMOTED_DISTANCE = 2

# What occupies a cell: nothing, or 1 + 13 * seat + spy; and one cell more stands for all that is out of play.
EMPTY = 0
BEYOND, EDGE = CELLS, 1 + SEATS * SPIES

# Phases
DEAL, PROPOSE, ANSWER, PLACE, PROMOTE, TAKE = range(6)

# Special action tokens (C14)
TOKENS = ("reveal", "move", "swap")
REVEAL_TOKEN, MOVE_TOKEN, SWAP_TOKEN = range(3)
HOME_ROWS = 5  # Move 2 and Swap 2 are for spies on the own first rows

# Variable set-up (C15)
SETUP_ROWS, MOST_IN_A_ROW, FULL_COLUMNS = 2, 7, 4

ENDINGS = (
    Ending("extraction", "a spy controls the briefcase on the opponent's first row (C8)"),
    Ending("elimination", "a seat's last spy is gone (C11)"),
    Ending("turn limit", "both seats have had `max_turns` turns (C12)", is_truncation=True),
)
EXTRACTION, ELIMINATION, TURN_LIMIT = 1, 2, 3
MAX_TURNS = 200

PAIRS = SPIES * (SPIES - 1) // 2

# Actions, relative to the seat: its own spies, forward is forward.
ACTIONS = Layout(
    Field("move", (SPIES, len(DIRECTIONS), LONGEST), "propose: spy, direction, distance; carries the briefcase"),
    Field("leave", (len(DIRECTIONS), LONGEST), "propose: the controlling spy goes, the briefcase stays"),
    Field("hand", (len(DIRECTIONS), LONGEST), "propose: the briefcase goes, the controlling spy stays"),
    Field("answer", (2,), "no, yes"),
    Field("out", (SPIES,), "remove one's own spy"),
    Field("expose", (1,), "remove and reveal the opponent's Double Agent"),
    Field("skip", (1,), "no proposal is possible"),
    Field("reveal", (SPIES,), "token Reveal 1: be shown the piece of an own spy"),
    Field("double", (1,), "token Move 2: two proposals in this turn"),
    Field("swap", (PAIRS,), "token Swap 2: two own spies change places; the pairs in alphabetical order"),
    Field("place", (SETUP_ROWS, COLUMNS), "put the next spy on a row and column, from one's own left corner"),
    Field("promote", (2,), "is the spy to be promoted: no, yes"),
    Field("take", (2,), "is the briefcase to go to one's first spy: no, yes"),
)
MOVE, LEAVE, HAND = ACTIONS.move.start, ACTIONS.leave.start, ACTIONS.hand.start
NO, YES = ACTIONS.answer.start, ACTIONS.answer.start + 1
OUT, EXPOSE, SKIP = ACTIONS.out.start, ACTIONS.expose.start, ACTIONS.skip.start
REVEAL, DOUBLE, SWAP, PLACE_AT = ACTIONS.reveal.start, ACTIONS.double.start, ACTIONS.swap.start, ACTIONS.place.start
PROMOTE_NO, PROMOTE_YES = ACTIONS.promote.start, ACTIONS.promote.start + 1
TAKE_NO, TAKE_YES = ACTIONS.take.start, ACTIONS.take.start + 1
PATHS = len(DIRECTIONS) * LONGEST  # (direction, distance) pairs

# The log: one entry an event; what follows from a proposal is noted in its entry.
ACTION_BITS, ANSWERED_NO, ANSWERED_YES, PROMOTION, NO_PROMOTION, TAKEN, NOT_TAKEN = (
    1023,
    *(1 << n for n in range(10, 16)),
)
EVENTS = SEATS * (MAX_TURNS + SPIES + 1 + len(TOKENS) + 1 + SPIES)  # turns, C9, tokens, second moves, placements


def max_plies(max_turns: int, has_tokens: bool, is_variable: bool, is_sir: bool) -> int:
    """Return a bound on the decisions of a game with these options."""
    turn = 3 if is_sir else 2  # proposal, answer, promotion
    seat = turn * max_turns + SPIES + 1  # and removals (C9)
    seat += len(TOKENS) + turn if has_tokens else 0
    seat += SPIES if is_variable else 0
    return SEATS * (seat + is_sir)  # each Double Agent is asked to be promoted once with a yes


STATE = record(
    [
        *head(SEATS),
        ("turn", "i2"),  # turns completed by both seats
        ("max_turns", "i2"),  # option
        ("events", "i2"),  # entries in the log
        ("barred", "i2"),  # bits: own spies that may not be proposed in the rest of this turn
        ("possible", "i2", (SEATS, SPIES)),  # C13, raw: bit p = each owner holds piece p possible
        ("log", "u2", (EVENTS,)),
        ("phase", "i1"),
        ("auto_answer", "i1"),  # option
        ("dealt", "i1"),  # pieces dealt so far, White's first
        ("used_extra", "i1"),  # C9 or a token was used in this turn
        ("double", "i1"),  # Move 2: 2 or 1 proposals are still to come in this turn
        ("arrived", "i1"),  # the spy whose promotion is in question, or NOWHERE
        ("honor_among_spies", "i1"),  # option
        ("safe_extraction", "i1"),  # option
        ("variable_setup", "i1"),  # option
        ("promotion_sir", "i1"),  # option
        ("special_actions", "i1", (SEATS, len(TOKENS))),  # option: the tokens at the start
        ("tokens", "i1", (SEATS, len(TOKENS))),  # those left
        ("briefcase", "i1"),  # its cell; the spy on the same cell controls it
        ("in_play", "i1", (SEATS,)),  # spies left
        ("board", "i1", (CELLS + 1,)),  # occupant of each cell
        ("cell", "i1", (SEATS, SPIES)),  # where each spy stands
        ("promoted", "i1", (SEATS, SPIES)),
        ("revealed", "i1", (SEATS, SPIES)),  # the owner has been shown the piece
        ("piece", "i1", (SEATS, SPIES)),  # hidden from the owner
    ],
    __file__,
)

TURN_BITS = 9  # 2 * MAX_TURNS < 2**9

OBSERVATION = Layout(
    Field("to_move", (SEATS,), "who decides: me, them; zeros after the end"),
    Field("phase", (5,), "due is: a proposal, an answer, a placement, a promotion, taking the briefcase"),
    Field("turns_left", (TURN_BITS,), "turns that both seats still have together, binary, lowest bit first"),
    Field("rules", (5,), "options: honor, tight, safe extraction, variable set-up, promotion"),
    Field("tokens", (SEATS, len(TOKENS)), "tokens left, mine, theirs: Reveal 1, Move 2, Swap 2"),
    Field("extra", (1,), "neither a removal (C9) nor a token (C14) has been used in this turn"),
    Field("double", (2,), "Move 2: one proposal is still to come, two are"),
    Field("barred", (SPIES,), "spies of the seat whose turn it is that may not be proposed in this turn"),
    Field("asked_by", (SEATS,), "whose proposal waits for an answer, or whose spy may be promoted: mine, theirs"),
    Field("asked_kind", (3,), "the waiting proposal: move, leave, hand"),
    Field("asked_spy", (SPIES,), "that spy, among its owner's"),
    Field("asked_direction", (len(DIRECTIONS),), "its direction, as the proposer sees it"),
    Field("asked_distance", (LONGEST,), "its distance, from 1"),
    Field("in_play", (SEATS, SPIES), "my spies, theirs, that are on the board"),
    Field("promoted", (SEATS, SPIES), "spies that are promoted"),
    Field("revealed", (SEATS, SPIES), "spies whose piece their owner has been shown"),
    Field("controls", (SEATS, SPIES), "the spy that controls the briefcase"),
    Field("row", (SEATS, SPIES, ROWS), "the row of each spy, from my side"),
    Field("column", (SEATS, SPIES, COLUMNS), "the column of each spy, from my left"),
    Field("possible", (SEATS, SPIES, SPIES), "pieces that the owner must hold possible for each spy (C13, raw)"),
    Field("piece", (SEATS, SPIES, SPIES), "the piece of each spy; masked where I do not know it"),
    Field("planes", (3, ROWS, COLUMNS), "the board from my side: my spies, theirs, the briefcase"),
)

TABLES = np.dtype(
    (
        np.record,
        [
            ("can", "i8", (len(DIRECTIONS), LONGEST)),  # bits: ordinary pieces that can go this way this far
            ("promotable", "i8"),  # bits
            ("pieces", "i8"),  # bits: all that are dealt to a side, the Double Agent's included
            ("rows", "i8"),
            ("columns", "i8"),
            ("spies", "i8"),  # a side
            ("is_tight", "i8"),
            ("briefcase", "i8"),  # cell
            ("start", "i8", (SEATS, SPIES)),  # cells
            ("open", "i8", (CELLS,)),  # 1 where spies may stand
            ("pair", "i8", (PAIRS, 2)),  # spies, the lower first
            ("reach", "i8", (PROMOTED + 1, len(DIRECTIONS))),  # distance of a piece in a direction
            # Where a way leads, as each seat sees directions, or BEYOND: off the board, or farther than any piece.
            ("path", "i1", (SEATS, CELLS, len(DIRECTIONS), LONGEST)),
            ("turned", "i8", (SEATS, CELLS)),  # each cell as a seat counts it from its own left corner; and back
            ("own_row", "i8", (SEATS, CELLS)),  # its row from the seat's own side, from 0
            ("own_column", "i8", (SEATS, CELLS)),
        ],
    )
)

SCRATCH = np.dtype(
    (np.record, [("ways", "i8", (1 << SPIES,)), ("before", "i8", (1 << SPIES,)), ("weights", "i8", (SPIES,))])
)


def cell_name(cell: int) -> str:
    """Return the square's name, a1 to k11."""
    return f"{chr(ord('a') + cell % COLUMNS)}{cell // COLUMNS + 1}"


def cell_number(name: str) -> int:
    """Return the cell that a square's name stands for."""
    return (int(name[1:]) - 1) * COLUMNS + ord(name[0]) - ord("a")

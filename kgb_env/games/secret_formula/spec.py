"""What exists in The Secret Formula: the record, the actions, the observation.  (Rulings S1 to S16)"""

from __future__ import annotations

import numpy as np

from kgb_env.camp.board import CELLS, GATES, HIDING_PLACES, KINDS, SECTORS
from kgb_env.camp.cells import AREA
from kgb_env.camp.tables import BOARD
from kgb_env.game import Ending
from kgb_env.layout import Field, Layout
from kgb_env.record import head, record

SEATS = 6  # at most
FEWEST, MOST, MOST_DELUXE = 2, 4, 6
MAX_ROUNDS = 60

NOWHERE = -1  # the cell of a seat outside the camp, its gate when it has none; an envelope's cell, or its holder

# What an envelope contains, and a seat's consciousness (S4).
FALSE, FORMULA = 0, 1
AWAKE, DOWN, WOKEN, ESCAPED = range(4)  # WOKEN: missed its last turn; ESCAPED: and has moved since (S8)

# Phases; in DEAL, SEATING, THROW and ESCAPE_THROW chance is due.
DEAL, SEATING, GATE, THROW, RETURN, HIT, MOVE, ESCAPE_THROW, ESCAPE = range(9)
DECISIONS = (GATE, RETURN, HIT, MOVE, ESCAPE)

# The throws of two dice, the lower first; they count from 1 in the record, where 0 is none.
THROWS = tuple((low, high) for low in range(1, 7) for high in range(low, 7))
SUMS = tuple(low + high for low, high in THROWS)
WAYS = tuple(1 if low == high else 2 for low, high in THROWS)  # of 36
HIGHEST_SUM = 12

ENDINGS = (
    Ending("escape", "a seat leaves the camp with the formula (S12)"),
    Ending("turn limit", "`max_rounds` revolutions have been played (S14)", is_truncation=True),
)
FORMULA_OUT, TURN_LIMIT = 1, 2

# The log: what happened above what it happened to.
LOG = 1408  # entries; when there are more, the oldest give way
TOLD_BITS = 13
TOLD = (1 << TOLD_BITS) - 1
NUMBER_BITS = 5  # of a gate, a throw
NUMBER = (1 << NUMBER_BITS) - 1
LOG_GATE, LOG_THROW, LOG_ESCAPE, LOG_GO, LOG_CHOICE, LOG_SEAT, LOG_GUARD = range(1, 8)
SURRENDERED = 1 << 10  # with a cell
TOLD_LEAVE = 8  # choices: below it these, from it on the gate
TOLD_STAY, TOLD_WAIT, TOLD_HIT, TOLD_LAPSE = range(4)
CAPTURED, MISSED = 8, 16  # with a seat
ALARM = 1 << NUMBER_BITS  # with a sector

# Actions.  Those of fixed number come first.
FIXED_ACTIONS = (
    Field("stay", (1,), "let the guard capture me (S8), or the rest of the count lapse (S18)"),
    Field("answer", (2,), "before the throw, to rivals on my cell: wait, hit (S5)"),
)
_actions = Layout(*FIXED_ACTIONS)
STAY, WAIT = _actions.stay.start, _actions.answer.start
DO_HIT = WAIT + 1


def action_layout(gates: int, cells: int) -> Layout:
    """Return the actions on a board."""
    return Layout(
        *FIXED_ACTIONS,
        Field("gate", (gates,), "choose the gate to come in by (S1, S9)"),
        Field("leave", (gates,), "leave the camp through a gate with the formula (S12)"),
        Field(
            "go",
            (cells,),
            "go to a cell (S3), in the guard's sector surrender (S10); counted row by row from the top left of the map",
        ),
    )


ROUND_BITS = 6  # MAX_ROUNDS < 2**6

FIXED_OBSERVATION = (
    Field("phase", (len(DECISIONS),), "due is: a gate at the start, a gate after a capture, hitting, moving, escaping"),
    Field("dice", (2, 6), "the lower and the higher die of the throw that is being used"),
    Field("left", (HIGHEST_SUM,), "what is left of its count, from 1"),
    Field("rounds_left", (ROUND_BITS,), "rounds left, this one included, binary, lowest bit first"),
)
_pieces = Layout(*FIXED_OBSERVATION)
PHASE, DICE, LEFT, ROUNDS_LEFT = (getattr(_pieces, name).start for name in ("phase", "dice", "left", "rounds_left"))

OF_SEATS = (
    "to_move",
    "turn",
    "first",
    "knocked_out",
    "woken",
    "hunted",
    "row",
    "column",
    "carried",
    "carried_unknown",
    "at_gate",
)
OF_SECTORS = ("guard", "next_guard")
OF_ENVELOPES = ("formula", "holder", "examined", "envelope_row", "envelope_column")
OF_THE_MAP = ("ground", "envelopes", "planes")
OBSERVED = (*OF_SEATS, *OF_SECTORS, *OF_ENVELOPES, *OF_THE_MAP)
GROUNDS = tuple(f"{number} {kind}" for number, kind in enumerate(KINDS[1:], start=1))  # a floor cell: its sector
ALL_EXAMINED, NOT_EXAMINED = 1, 2  # what the map tells of envelopes lying on a cell
REACH_PLANE, GUARD_PLANE, FIRST_SEAT_PLANE = range(3)


def observation_layout(players: int, envelopes: int, gates: int, sectors: int, height: int, width: int) -> Layout:
    """Return the observation on a board; seats count from the viewer, then from his left."""
    each_seat = {
        "to_move": "who decides; zeros after the end",
        "turn": "whose turn it is: it may be another seat that has to escape",
        "first": "who begins each round",
        "knocked_out": "is knocked out, and misses its next turn (S4)",
        "woken": "has missed its last turn, and moves in its next one",
        "hunted": "is in the sector that the guard has entered, its throw to escape still to come (S8)",
    }
    planes = "where the seat to move can go, where the guard stands"
    return Layout(
        *FIXED_OBSERVATION,
        *(Field(name, (players,), meaning) for name, meaning in each_seat.items()),
        Field("row", (players,), "the row of each seat on the map, from 1; 0 outside the camp", height),
        Field("column", (players,), "its column, from 1; 0 outside the camp", width),
        Field("carried", (players,), "how many envelopes it carries", HIDING_PLACES),
        Field("carried_unknown", (players,), "how many of them I have not examined", HIDING_PLACES),
        Field("at_gate", (players, gates), "the gate outside which it stands"),
        Field("guard", (sectors,), "the sector in which the guard is"),
        Field("next_guard", (sectors,), "the sector that he enters on his next round"),
        Field("formula", (envelopes,), "the envelope holds the formula; masked where I do not know it"),
        Field("holder", (players, envelopes), "which envelopes each seat carries"),
        Field("examined", (players, envelopes), "which it has examined"),
        Field("envelope_row", (envelopes,), "the row where it lies, from 1; 0 where it is carried", height),
        Field("envelope_column", (envelopes,), "its column, from 1; 0 where it is carried", width),
        Field("ground", (height, width), f"map: {', '.join(GROUNDS)}, then the sectors", len(GROUNDS) + SECTORS),
        Field(
            "envelopes",
            (height, width),
            f"map: envelopes lying, {ALL_EXAMINED} if I have examined all there, else {NOT_EXAMINED}",
            NOT_EXAMINED,
        ),
        Field("planes", (FIRST_SEAT_PLANE + players, height, width), f"maps: {planes}, then where each seat stands"),
    )


STATE = record(
    [
        *head(SEATS),
        ("forgotten", "u8"),  # fingerprint of the events for which the log has no room any more
        ("examined", "i8", (SEATS,)),  # a bit an envelope: the seat holds it, or has held it
        ("events", "i4"),  # in the log, those included that have given way
        ("turn", "i2"),  # places in the rounds that have passed
        ("log", "u2", (LOG,)),
        ("cell", "i2", (SEATS,)),
        ("lies", "i2", (HIDING_PLACES,)),  # the cell of each envelope
        ("holder", "i1", (HIDING_PLACES,)),  # the seat that carries it
        ("players", "i1"),  # option
        ("max_rounds", "i1"),  # option
        ("is_merciful", "i1"),  # option
        ("phase", "i1"),
        ("first", "i1"),  # the seat that begins every round
        ("chosen", "i1"),  # gates chosen at the start
        ("guard", "i1"),  # the sector in which he is
        ("hunted", "i1"),  # a bit a seat: surprised by the guard, its throw to escape still to come
        ("is_turn_over", "i1"),  # nothing is left of this turn, escapes apart
        ("throw", "i1"),  # the number of the one being used, or zero
        ("left", "i1"),  # what is left of its count
        ("actor", "i1"),  # the seat that throws or chooses
        ("gate", "i1", (SEATS,)),  # outside which each seat stands
        ("status", "i1", (SEATS,)),
        ("contents", "i1", (HIDING_PLACES,)),  # secret: FALSE or FORMULA, FALSE where there is no envelope
    ],
    __file__,
)
SECRETS = ("contents",)

PLACED = ("gate", "leave", "go")  # actions whose number depends on the board

TABLES = np.dtype(
    (
        np.record,
        [
            *BOARD,
            *((f"do_{name}", "i8") for name in PLACED),  # where each piece of the actions starts
            *((f"at_{name}", "i8") for name in OBSERVED),  # and of the observation
            ("area", "i8"),  # places on the map
            ("floor_from", "i8", (SECTORS + 1,)),  # where the cells of a sector start in `floor`
            ("place", "i2", (CELLS,)),  # of each cell on the map, counted row by row
            ("floor", "i2", (CELLS,)),  # the cells of the sectors, sector by sector
            ("next_sector", "i1", (SECTORS,)),  # on the guard's route
            ("is_spiral", "i1", (SECTORS,)),
            ("dead_end", "i1", (CELLS,)),  # of a door or gate: the sector in which all its neighbours are, or NOWHERE
            ("exit_steps", "u1", (CELLS,)),  # of a floor cell, round the guard's post: the shortest way to a door
            ("ground_map", "i1", (AREA,)),
            # Shortest walks of at least one step while the guard is in a sector: it is closed, but those who
            # start in it may walk there, round his post, until they are out.
            ("steps", "u1", (SECTORS, CELLS, CELLS)),
        ],
    )
)

# Memory of determinize: the envelopes that may hold the formula.
SCRATCH = np.dtype((np.record, [("weights", "i8", (HIDING_PLACES,))]))

OUTCOMES = max(HIDING_PLACES, len(THROWS))
assert GATES <= NUMBER

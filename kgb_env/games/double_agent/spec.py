"""What exists in The Double Agent: the record, the actions, the observation.  (Rulings D1 to D8)"""

from __future__ import annotations

import numpy as np

from kgb_env.camp.board import CELLS, SECTORS
from kgb_env.camp.cells import AREA
from kgb_env.camp.tables import BOARD
from kgb_env.game import Ending
from kgb_env.layout import Field, Layout
from kgb_env.record import head, record

SEATS = 6  # at most, deluxe or not
FEWEST, FEWEST_DELUXE = 3, 4
MAX_ROUNDS = 60
TURNS = SEATS * MAX_ROUNDS

NOWHERE = -1  # the cell of a seat in the gazebo or out of the game; no sector
SECURITY_AGENT, DOUBLE_AGENT = 0, 1

# The condition of a monitor, and what an inspection finds or does.  Zero: no monitor, or never inspected.
NEVER, ON, OFF, SABOTAGED = range(4)

# Phases; in the first three and in THROW chance or the opening is due.
DEAL, SEATING, OPENING, THROW, GO, INSPECTION = range(6)

LOWEST_THROW, HIGHEST_THROW = 2, 12
WAYS_TO_THROW = (1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1)  # of 36, for 2 to 12
THROWS = len(WAYS_TO_THROW)

ENDINGS = (
    Ending("exposure", "a Security Agent accuses the Double Agent (D9)"),
    Ending("escape", "the Double Agent leaves the camp, with enough monitors OFF (D11)"),
    Ending("turn limit", "`max_turns` rounds have been played (D13)", is_truncation=True),
)
EXPOSURE, ESCAPE, TURN_LIMIT = 1, 2, 3

# The log: one entry a place in the rounds, zero where the seat is out: the throw, where it led, what was done there.
THROW_BITS, WHERE_BITS = 4, 10
WHERE = (1 << WHERE_BITS) - 1
ACCUSED, LEFT, STAYED = CELLS, CELLS + SEATS, WHERE  # below CELLS: a cell; else which seat, which gate
SKIPPED_HERE, INSPECTED_HERE = (1 << THROW_BITS + WHERE_BITS + bit for bit in range(2))

# The Security List: one entry an inspection, the sector above three bits for the seat.
SEAT_BITS = 3
SEAT = (1 << SEAT_BITS) - 1
LISTED = 32  # entries that the observation holds

# Actions.  Those of fixed number come first; seats are relative, the next on one's left first.
FIXED_ACTIONS = (
    Field("wait", (1,), "the opening play of a Security Agent"),
    Field("stay", (1,), "go nowhere: no cell can be landed on"),
    Field("monitor", (3,), "in the sector of the move: skip, inspect, inspect and sabotage"),
)
_actions = Layout(*FIXED_ACTIONS)
WAIT, STAY, SKIP = _actions.wait.start, _actions.stay.start, _actions.monitor.start
INSPECT, SABOTAGE = SKIP + 1, SKIP + 2


def action_layout(players: int, gates: int, sectors: int, cells: int) -> Layout:
    """Return the actions on a board."""
    return Layout(
        *FIXED_ACTIONS,
        Field("accuse", (players - 1,), "accuse a seat, counted from the next on my left"),
        Field("leave", (gates,), "escape through a gate"),
        Field("open", (sectors,), "the opening play of the Double Agent: whose monitor to sabotage"),
        Field("go", (cells,), "land on a cell, counted row by row from the top left of the map"),
    )


ROUND_BITS = 6  # MAX_ROUNDS < 2**6

FIXED_OBSERVATION = (
    Field("phase", (3,), "due is: the opening play, going, the choice at a monitor; zeros after the end"),
    Field("throw", (THROWS,), "the throw of the seat to move, from 2"),
    Field("rounds_left", (ROUND_BITS,), "rounds left, this one included, binary, lowest bit first"),
)
_pieces = Layout(*FIXED_OBSERVATION)
PHASE, THROWN, ROUNDS_LEFT = _pieces.phase.start, _pieces.throw.start, _pieces.rounds_left.start

OF_SEATS = ("to_move", "first", "out", "exposed", "double_agent", "row", "column")  # pieces with an entry a seat
OF_SECTORS = ("off", "seen", "opening", "sector", "barred", "announced")
OF_THE_LIST = ("list_sector", "list_seat", "list_found")
OF_THE_MAP = ("sectors", "planes")
WALKABLE_PLANE, REACH_PLANE, FIRST_SEAT_PLANE = range(3)


def observation_layout(players: int, sectors: int, height: int, width: int) -> Layout:
    """Return the observation on a board; seats count from the viewer, then from his left."""
    each_seat = {
        "to_move": "who decides; zeros after the end",
        "first": "who begins each round",
        "out": "accused wrongly, and is out",
        "exposed": "known to all as a Security Agent",
        "double_agent": "is the Double Agent; masked where I do not know it",
    }
    return Layout(
        *FIXED_OBSERVATION,
        *(Field(name, (players,), meaning) for name, meaning in each_seat.items()),
        Field("row", (players,), "the row of each seat on the map, from 1; 0 in the gazebo, and out", height),
        Field("column", (players,), "its column, from 1; 0 in the gazebo, and out", width),
        Field("off", (sectors,), "the monitor is OFF; masked unless I have seen it OFF: ON is never known for long"),
        Field("seen", (sectors, 2), "how I left the monitor when I last inspected it: ON, OFF"),
        Field("opening", (sectors,), "the monitor sabotaged in the opening play; the Double Agent's knowledge"),
        Field("sector", (players, sectors), "the sector in which each seat stands"),
        Field("barred", (players, sectors), "the sector whose monitor a seat may not inspect before it has left (D7)"),
        Field(
            "announced",
            (sectors, players),
            "inspections by each seat since my own last one of that monitor",
            MAX_ROUNDS,
        ),
        Field("list_sector", (LISTED, sectors), "the last entries of the Security List, latest first: the sector"),
        Field("list_seat", (LISTED, players), "who inspected"),
        Field("list_found", (LISTED, 3), "ON, OFF, sabotaged then; masked where I do not know it"),
        Field("sectors", (height, width), "map: the sector of each place, from 1", SECTORS),
        Field(
            "planes",
            (FIRST_SEAT_PLANE + players, height, width),
            "maps: walkable, where the seat to move can land, then where each seat stands",
        ),
    )


STATE = record(
    [
        *head(SEATS),
        ("stake", "f4"),  # option
        ("turn", "i2"),  # places in the rounds that have passed, those of seats that are out included
        ("listed", "i2"),  # entries of the Security List
        ("log", "u2", (TURNS,)),
        ("cell", "i2", (SEATS,)),
        ("players", "i1"),  # option
        ("max_turns", "i1"),  # option
        ("is_team", "i1"),  # option
        ("phase", "i1"),
        ("first", "i1"),  # the seat that begins every round
        ("opened", "i1"),  # opening plays made
        ("throw", "i1"),  # that of the seat to move, or zero
        ("out", "i1", (SEATS,)),
        ("exposed", "i1", (SEATS,)),
        ("barred", "i1", (SEATS,)),  # the sector that a seat has not left since its inspection there (D7), or NOWHERE
        ("since", "i1", (SEATS, SECTORS, SEATS)),  # [a, m, b]: inspections of m by b since the last one by a
        ("security_list", "u1", (TURNS,)),
        ("role", "i1", (SEATS,)),  # secret
        ("opening", "i1"),  # secret: 1 + the sector of the opening play, zero before it
        ("monitor", "i1", (SECTORS,)),  # secret: ON or OFF, zero where there is none
        ("mark", "i1", (SEATS, SECTORS)),  # secret: how each seat left each monitor when it last inspected it, or NEVER
        ("found", "i1", (TURNS,)),  # secret: what the inspector found, an entry of the Security List each
    ],
    __file__,
)
SECRETS = ("role", "opening", "monitor", "mark", "found")

PLACED = ("accuse", "leave", "open", "go")  # actions whose number depends on players or board
OBSERVED = (*OF_SEATS, *OF_SECTORS, *OF_THE_LIST, *OF_THE_MAP)

TABLES = np.dtype(
    (
        np.record,
        [
            *BOARD,
            *((name, "i8") for name in PLACED),  # where each piece of the actions starts
            *((f"at_{name}", "i8") for name in OBSERVED),  # and of the observation
            ("area", "i8"),  # places on the map
            ("needed", "i8"),  # monitors that must be OFF for the escape
            ("garden", "i8"),  # the sector around the gazebo, or NOWHERE
            ("place", "i2", (CELLS,)),  # of each cell on the map, counted row by row
            ("has_monitor", "i1", (SECTORS,)),
            ("sector_map", "i1", (AREA,)),
            ("walkable_map", "i1", (AREA,)),
        ],
    )
)

# Memory of determinize.
SCRATCH = np.dtype(
    (
        np.record,
        [
            ("suspects", "i8", (SEATS,)),  # 1 if a seat may be the Double Agent
            ("weights", "i8", (SEATS, SECTORS + 1)),  # histories by Double Agent and opening play
            ("ways", "i8", (SEATS, SECTORS)),  # by Double Agent: when the monitor went OFF, if not in the opening
            ("since", "i8", (SECTORS,)),  # entries of the list between which it may have happened
            ("until", "i8", (SECTORS,)),
            ("was_on", "i8", (SECTORS,)),  # a reading shows that it was no opening play
            ("was_off", "i8", (SECTORS,)),
            ("left", "i8", (SECTORS,)),  # inspections by the Double Agent to pass before the sabotage
            ("condition", "i8", (SECTORS,)),
        ],
    )
)

"""Situations of The Double Agent with the answers that the rulebook and the rulings give, worked out by hand.

Each is a script: texts that are played, and between them what must be true.  `check` plays one on any engine that has
`to_move`, `legal()`, `outcomes()`, `play(text)`, `result`, `knows(seat)` and can be deep-copied.

The board is the Yard, three sectors: the garden (GAR), a ring of flagstones around the gazebo `*` that touches d2 and
d4; a hut (HUT) and a shed (SHE) that share the door j6.  Gates: north i1, east l3.  Of its three monitors two must be
sabotaged (D11).

      abcdefghijkl
    1 ########X###
    2 #ggggg+..###
    3 #g#*#g#....X
    4 #ggggg+.####
    5 #######+####
    6 #######hh+s#
    7 #######hh#s#
    8 ############

Like a chessboard it has two colours, so from a cell another is landed on by even counts only, or by odd ones only.
Steps from the gazebo:

    1 d2 d4          3 b2 f2 b4 f4    5 h2 h4         7 i1 i3 h6     9 k3 i7 j6
    2 c2 e2 c4 e4    4 b3 f3 g2 g4    6 i2 h3 h5      8 j3 i6 h7    10 l3 k6    11 k7
"""

import copy
from fractions import Fraction
from typing import NamedTuple

from tests.reference.double_agent import Board

YARD = """
########X###
#ggggg+..###
#g#*#g#....X
#ggggg+.####
#######+####
#######hh+s#
#######hh#s#
############
"""

# The same board in the format of kgb_env.camp.
YARD_FILE = """
title The Yard
sector G GAR Garden
sector H HUT Hut
sector S SHE Shed
gates north east
route GAR HUT SHE
map
########=###
#....*+::###
#.#@#G#::::=
#.....+:####
#######+####
#######H*+*#
#######..#S#
############
"""
SECTORS = {"g": "GAR", "h": "HUT", "s": "SHE"}
GATES = {"north": "i1", "east": "l3"}
START = ("d2", "d4")


def read(picture: str, monitors: tuple[str, ...] = ("GAR", "HUT", "SHE")) -> Board:
    """Read a picture of up to 26 columns; every cell but walls and the gazebo is connected to those beside it."""
    signs = {
        (column, row): sign
        for row, line in enumerate(picture.split(), start=1)
        for column, sign in enumerate(line, start=1)
        if sign not in "#*"
    }
    name = {place: "abcdefghijklmnopqrstuvwxyz"[place[0] - 1] + str(place[1]) for place in signs}
    beside = {(x, y): [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)] for x, y in signs}
    return Board(
        neighbours={name[a]: {name[b] for b in beside[a] if b in name} for a in name},
        sector={name[place]: SECTORS.get(sign) for place, sign in signs.items()},
        gates=GATES,
        start=START,
        monitors=monitors,
    )


class Situation(NamedTuple):
    """A script with its reason; `script` mixes texts to play, several in a string, with expectations (see `check`)."""

    name: str
    why: str
    script: list
    players: int = 4
    options: dict | None = None
    monitors: tuple[str, ...] = ("GAR", "HUT", "SHE")


def check(situation: Situation, engine) -> None:
    """Play a situation's script on an engine at the start of a game, before any chance, and assert what it expects."""
    for number, item in enumerate(situation.script):
        where = f"{situation.name}, item {number}: {item}"
        if isinstance(item, str):
            for text in item.split("; "):
                engine.play(text)
        else:
            check_expectation(engine, item, where)


def check_expectation(engine, item: tuple, where: str) -> None:
    kind, *what = item
    if kind == "to move":
        assert engine.to_move == what[0], f"{where}; got {engine.to_move}"
    elif kind == "outcomes":
        assert engine.outcomes() == what[0], f"{where}; got {engine.outcomes()}"
    elif kind == "legal":
        assert set(engine.legal()) == what[0], f"{where}; got {sorted(engine.legal())}"
    elif kind == "has":
        assert what[0] <= set(engine.legal()), f"{where}; got {sorted(engine.legal())}"
    elif kind == "lacks":
        assert not what[0] & set(engine.legal()), f"{where}; got {sorted(engine.legal())}"
    elif kind == "knows":
        known = engine.knows(what[0])
        assert {key: known[key] for key in what[1]} == what[1], f"{where}; got {known}"
    elif kind == "result":
        reason, returns = engine.result
        assert reason == what[0], f"{where}; got {reason}"
        assert all(abs(a - b) < 1e-6 for a, b in zip(returns, what[1], strict=True)), f"{where}; got {returns}"
    elif kind == "if":  # play these on a copy, then expect
        other = copy.deepcopy(engine)
        for text in what[0].split("; "):
            other.play(text)
        check_expectation(other, what[1], where)
    else:
        raise ValueError(f"unknown expectation: {item}")


def identities(players: int, double_agent: int, first: int = 0, sector: str = "GAR") -> str:
    """Return the texts up to the first throw."""
    order = [(first + i) % players for i in range(players)]
    opening = [f"open {sector}" if seat == double_agent else "wait" for seat in order]
    return "; ".join([f"double agent {double_agent}", f"first {first}", *opening])


def go(*cells: str) -> set[str]:
    return {f"go {cell}" for cell in cells}


DOUBLE, SECURITY = "double agent", "security agent"
THROWS = {f"throw {total}": 6 - abs(7 - total) for total in range(2, 13)}
THIRD, FIFTH = Fraction(1, 3), Fraction(1, 5)
AFTER_4 = ("b3", "f3", "g2", "g4", "c2", "e2", "c4", "e4")
MONITOR = {"skip", "inspect"}

# Three players, seat 2 is the Double Agent; seats 1 and 2 walk to k3 and l3 and stand there, far from the sectors.
FAR_OFF = "throw 9; go k3; throw 10; go l3"
STANDING = "throw 2; go k3; throw 2; go l3"

OPENING = [
    Situation(
        "opening play",
        "D1-D3: the Double Agent and the first seat are uniform; all seats act once from the first seat to the left.",
        [
            ("to move", "chance"),
            ("outcomes", {f"double agent {seat}": 1 for seat in range(4)}),
            "double agent 2",
            ("outcomes", {f"first {seat}": 1 for seat in range(4)}),
            "first 3",
            ("to move", 3),
            ("legal", {"wait"}),
            "wait",
            ("to move", 0),
            ("legal", {"wait"}),
            "wait; wait",
            ("to move", 2),
            ("legal", {"open GAR", "open HUT", "open SHE"}),
            ("knows", 2, {"roles": {0: SECURITY, 1: SECURITY, 2: DOUBLE, 3: SECURITY}}),
            "open HUT",
            ("to move", "chance"),
            ("outcomes", THROWS),
            ("knows", 0, {"roles": {0: SECURITY}, "monitors": {}, "list": [], "opening": None}),
            ("knows", 2, {"monitors": {"GAR": "ON", "HUT": "OFF", "SHE": "ON"}, "opening": "HUT", "list": []}),
            "throw 7",
            ("to move", 3),
        ],
    ),
    Situation(
        "out of the gazebo",
        "D3, D5: the first count is a flagstone beside it, either one; the whole count; none to accuse in the gazebo.",
        [
            identities(4, 1),
            ("if", "throw 2", ("legal", go("c2", "e2", "c4", "e4"))),
            ("if", "throw 3", ("legal", go("d2", "d4", "b2", "f2", "b4", "f4"))),
            ("if", "throw 4", ("legal", go(*AFTER_4))),
            ("if", "throw 10", ("legal", go(*AFTER_4, "i2", "h3", "h5", "j3", "i6", "h7", "l3", "k6"))),
            ("if", "throw 12", ("legal", go(*AFTER_4, "i2", "h3", "h5", "j3", "i6", "h7", "l3", "k6"))),
        ],
    ),
    Situation(
        "the gazebo is closed behind one",
        "Rulebook 1, D3: from d2 to d4 it is six steps around, not two through the gazebo.",
        [
            identities(3, 2),
            "throw 3; go d2",
            FAR_OFF,
            ("if", "throw 2", ("legal", go("d2", "b2", "f2"))),
            ("if", "throw 4", ("legal", go("d2", "b2", "f2", "b4", "f4", "h2"))),
            ("if", "throw 6", ("has", go("d4"))),
        ],
        players=3,
    ),
]

INSPECTING = [
    Situation(
        "the Garden at the start",
        "Rulebook 5, D7: not before one has ended a turn outside; a door is outside (K3).",
        [
            identities(3, 2),
            "throw 3; go f2",
            ("to move", "chance"),  # no choice at the monitor
            FAR_OFF,
            "throw 3; go g2",
            ("to move", "chance"),
            STANDING,
            "throw 3; go f2",
            ("to move", 0),
            ("legal", MONITOR),
            "inspect",
            ("knows", 0, {"list": [(0, "GAR", "OFF")]}),
        ],
        players=3,
    ),
    Situation(
        "the Garden, out and back within a move",
        "D7: two steps out through the door g2 and two back do not count.",
        [
            identities(3, 2),
            "throw 3; go f2",
            FAR_OFF,
            "throw 4; go f2",
            ("to move", "chance"),
            STANDING,
            "throw 3; go f3",
            ("to move", "chance"),
        ],
        players=3,
    ),
    Situation(
        "inspecting again",
        "Rulebook 6, D7: not after moves within the sector, not because another agent inspected, but after a turn "
        "that ended on a door.",
        [
            identities(3, 2),
            "throw 7; go h6",
            ("legal", MONITOR),
            "inspect; throw 9; go i7; inspect",
            "throw 10; go l3",
            "throw 2; go h6",
            ("to move", "chance"),
            "throw 2; go i7; throw 2; go l3",
            "throw 3; go i6",
            ("to move", "chance"),
            "throw 2; go i7; throw 2; go l3",
            "throw 3; go j6",
            ("to move", "chance"),
            "throw 2; go i7; throw 2; go l3",
            "throw 3; go i6",
            ("to move", 0),
            ("legal", MONITOR),
            "inspect",
            ("knows", 0, {"list": [(0, "HUT", "ON"), (1, "HUT", None), (0, "HUT", "ON")]}),
            ("knows", 1, {"list": [(0, "HUT", None), (1, "HUT", "ON"), (0, "HUT", None)]}),
            ("knows", 2, {"list": [(0, "HUT", "ON"), (1, "HUT", "ON"), (0, "HUT", "ON")]}),  # it knows all monitors
        ],
        players=3,
    ),
    Situation(
        "inspecting after skipping",
        "D7: who skipped may inspect later without leaving, once.",
        [
            identities(3, 2),
            "throw 7; go h6; skip",
            ("knows", 1, {"list": []}),
            FAR_OFF,
            "throw 2; go h6",
            ("legal", MONITOR),
            "inspect",
            STANDING,
            "throw 2; go h6",
            ("to move", "chance"),
        ],
        players=3,
    ),
    Situation(
        "from one sector into another",
        "D7: a turn ended in the shed is a turn ended outside the hut; each monitor has a rule of its own.",
        [
            identities(3, 2),
            "throw 7; go h6; inspect",
            FAR_OFF,
            "throw 3; go k6",
            ("legal", MONITOR),
            "inspect",
            STANDING,
            "throw 3; go h6",
            ("legal", MONITOR),
            "skip",
            STANDING,
            "throw 3; go k6",
            ("legal", MONITOR),
            "inspect",
            STANDING,
            "throw 2; go k6",
            ("to move", "chance"),
        ],
        players=3,
    ),
    Situation(
        "the Double Agent at a monitor",
        "D6, D8: it may leave ON as it is; it is offered no sabotage of an OFF one; it notes what it leaves behind; it "
        "is bound by D7 too.",
        [
            identities(3, 0, sector="HUT"),
            "throw 7; go h6",
            ("legal", MONITOR),
            "inspect",
            ("knows", 0, {"list": [(0, "HUT", "OFF")], "monitors": {"GAR": "ON", "HUT": "OFF", "SHE": "ON"}}),
            ("knows", 1, {"list": [(0, "HUT", None)], "monitors": {}}),
            FAR_OFF,
            "throw 3; go k6",
            ("legal", MONITOR | {"sabotage"}),
            "inspect",
            ("knows", 0, {"monitors": {"GAR": "ON", "HUT": "OFF", "SHE": "ON"}}),
            STANDING,
            "throw 2; go k6",
            ("to move", "chance"),
            STANDING,
            "throw 3; go j6",
            STANDING,
            "throw 3; go k6",
            ("legal", MONITOR | {"sabotage"}),
            "sabotage",
            ("knows", 0, {"list": [(0, "HUT", "OFF"), (0, "SHE", "ON"), (0, "SHE", "OFF")]}),
            ("knows", 0, {"monitors": {"GAR": "ON", "HUT": "OFF", "SHE": "OFF"}, "opening": "HUT"}),
            ("knows", 1, {"list": [(0, "HUT", None), (0, "SHE", None), (0, "SHE", None)]}),
            STANDING,
            ("if", "throw 9", ("lacks", {"leave north", "leave east"})),  # ten and eleven steps
            ("if", "throw 10", ("has", {"leave north"})),
            ("if", "throw 10", ("lacks", {"leave east"})),
            ("if", "throw 11", ("has", {"leave north", "leave east"})),
        ],
        players=3,
    ),
    Situation(
        "a sector without a monitor",
        "D15: as in the Observation Tower of the deluxe board there is nothing to inspect.",
        [
            identities(3, 2),
            "throw 10; go k6",
            ("to move", "chance"),
            "throw 7; go h6",
            ("legal", MONITOR),
        ],
        players=3,
        monitors=("GAR", "HUT"),
    ),
]

MOVING = [
    Situation(
        "exact count",
        "D5, K9: the shortest walk of the count's parity is within the count; one's own cell by even counts.",
        [
            identities(3, 2),
            "throw 10; go k6; skip",
            FAR_OFF.replace("k3", "i3").replace("throw 9", "throw 7"),
            ("if", "throw 2", ("legal", go("k6", "i6"))),
            ("if", "throw 3", ("legal", go("j6", "k7", "h6", "i7"))),
            ("if", "throw 4", ("legal", go("k6", "i6", "h5", "h7"))),
            ("if", "throw 5", ("legal", go("j6", "k7", "h6", "i7", "h4"))),
        ],
        players=3,
    ),
    Situation(
        "occupied cells, Security Agent",
        "D10, K10: it passes through j6 but lands there only by accusing.",
        [
            identities(3, 2),
            "throw 10; go k6; skip; throw 9; go j6; throw 10; go l3",
            ("if", "throw 2", ("legal", go("k6", "i6") | {"accuse 1"})),
            ("if", "throw 3", ("legal", go("k7", "h6", "i7") | {"accuse 1"})),
        ],
        players=3,
    ),
    Situation(
        "occupied cells, Double Agent",
        "D10: it passes through j6, lands on no occupied cell, and accuses nobody.",
        [
            identities(3, 0),
            "throw 10; go k6; skip; throw 9; go j6; throw 10; go l3",
            ("if", "throw 2", ("legal", go("k6", "i6"))),
            ("if", "throw 3", ("legal", go("k7", "h6", "i7"))),
        ],
        players=3,
    ),
    Situation(
        "nowhere to land",
        "D5: from the gate l3 the count 3 ends on k3 or i3, both occupied: one stays, or accuses.",
        [
            identities(3, 2),
            "throw 10; go l3; throw 9; go k3; throw 7; go i3",
            ("if", "throw 5", ("legal", go("h2", "h4", "i1") | {"accuse 1", "accuse 2"})),
            "throw 3",
            ("legal", {"stay", "accuse 1", "accuse 2"}),
            "stay",
            ("to move", "chance"),
            ("knows", 1, {"positions": {0: "l3", 1: "k3", 2: "i3"}}),
            "throw 3",
            ("to move", 1),
        ],
        players=3,
    ),
    Situation(
        "nowhere to land, Double Agent",
        "D5, D11: it stays or leaves; the point outside is one step away.",
        [
            identities(3, 0),
            "throw 7; go h6; sabotage; throw 9; go k3; throw 7; go i3",
            "throw 7; go l3; throw 2; go k3; throw 2; go i3",
            "throw 3",
            ("legal", {"stay", "leave east"}),
        ],
        players=3,
    ),
    Situation(
        "staying in a sector",
        "D5, D6, as read here: no move has ended there, so there is no choice at the monitor.",
        [
            identities(3, 2),
            "throw 11; go k7; skip; throw 10; go k6; skip; throw 8; go i6; skip",
            "throw 3",
            ("legal", {"stay", "accuse 1", "accuse 2"}),
            "stay",
            ("to move", "chance"),
        ],
        players=3,
    ),
    Situation(
        "staying in the gazebo",
        "D3, D5, D9: with its four flagstones of the count 2 occupied the fifth seat stays there, out of reach; it "
        "walks from there in its next turn, and it has not been outside the Garden (as read here).",
        [
            identities(5, 1),
            "throw 2; go c2; throw 2; go e2; throw 2; go c4; throw 2; go e4; throw 2",
            ("legal", {"stay", "accuse 0", "accuse 1", "accuse 2", "accuse 3"}),
            "stay",
            ("knows", 0, {"positions": {0: "c2", 1: "e2", 2: "c4", 3: "e4", 4: "gazebo"}}),
            ("if", "throw 12", ("lacks", {"accuse 4"})),
            "throw 3; go b2; throw 3; go f2; throw 3; go b4; throw 3; go f4",
            "throw 3",
            ("legal", go("d2", "d4") | {"accuse 0", "accuse 1", "accuse 2", "accuse 3"}),
            "go d2",
            ("to move", "chance"),
        ],
        players=5,
    ),
]

ACCUSING = [
    Situation(
        "within the count",
        "D9: h3 and k3 are three steps apart; any count from 3 will do, odd or even.",
        [
            identities(3, 2),
            "throw 6; go h3; throw 9; go k3; throw 2; go c2",
            ("if", "throw 2", ("lacks", {"accuse 1"})),
            ("if", "throw 3", ("has", {"accuse 1"})),
            ("if", "throw 4", ("has", {"accuse 1"})),
            ("if", "throw 12", ("has", {"accuse 1", "accuse 2"})),
            ("if", "throw 12", ("lacks", {"accuse 0"})),
        ],
        players=3,
    ),
    Situation(
        "from the gazebo",
        "D3, D9: the first count is the flagstone, so k3 is nine steps away; nobody reaches who is still in there.",
        [
            identities(4, 3),
            "throw 9; go k3",
            ("if", "throw 8", ("lacks", {"accuse 0"})),
            ("if", "throw 9", ("has", {"accuse 0"})),
            ("if", "throw 10", ("has", {"accuse 0"})),
            ("if", "throw 12", ("lacks", {"accuse 1", "accuse 2", "accuse 3"})),
        ],
    ),
    Situation(
        "a wrong accusation",
        "D1, D9, D10: the accuser is out and known, the accused exposed; neither can be accused again; nobody lands on "
        "the exposed agent, who plays on and may accuse; the seat that is out is passed over. D14: seat 0 wins.",
        [
            identities(4, 3),
            "throw 6; go h3; throw 6; accuse 0",
            ("to move", "chance"),
            ("knows", 2, {"roles": {0: SECURITY, 1: SECURITY, 2: SECURITY, 3: DOUBLE}, "out": {1}, "exposed": {0}}),
            ("knows", 0, {"roles": {0: SECURITY, 1: SECURITY}}),
            ("knows", 2, {"positions": {0: "h3", 1: None, 2: "gazebo", 3: "gazebo"}}),
            "throw 6",
            ("to move", 2),
            ("legal", go(*AFTER_4, "i2", "h5")),
            "go i2; throw 6",
            ("to move", 3),
            "go h5; throw 2",
            ("to move", 0),
            ("legal", go("h3", "g2", "g4", "j3") | {"accuse 2", "accuse 3"}),
            ("if", "go h3; throw 2", ("to move", 2)),
            "accuse 3",
            ("to move", None),
            ("result", "exposed", (4 * THIRD, -4 * THIRD, 0, 0)),
            ("knows", 1, {"roles": {0: SECURITY, 1: SECURITY, 2: SECURITY, 3: DOUBLE}}),
            ("knows", 1, {"monitors": {"GAR": "OFF", "HUT": "ON", "SHE": "ON"}}),
        ],
    ),
    Situation(
        "the token is removed",
        "D9: the cell i2 of the agent who accused wrongly is free again.",
        [
            identities(4, 3),
            "throw 6; go h3; throw 6; go i2; throw 6; go h5; throw 12; go l3",
            "throw 2; go h3; throw 2; accuse 0; throw 4",
            ("to move", 2),
            ("legal", go("h5", "g4", "i6", "h7", "g2", "i2", "j3", "e4", "f3", "k6")),
        ],
    ),
    Situation(
        "the last Security Agent",
        "D12: seat 1 can accuse seat 2 alone. D14: it gets the prize and half of the stake, the other half goes to the "
        "Double Agent.",
        [
            identities(3, 2),
            "throw 6; go h3; throw 6; go i2; throw 7; go i3",
            "throw 2; accuse 1; throw 12",
            ("to move", 1),
            ("has", {"accuse 2"}),
            ("lacks", {"accuse 0", "accuse 1"}),
            "accuse 2",
            ("result", "exposed", (Fraction(-3, 2), Fraction(3, 2), 0)),
        ],
        players=3,
    ),
]

LEAVING = [
    Situation(
        "the step outside counts",
        "D11, K4: from h6 it is six steps to i1 and seven to l3, so seven and eight to leave; the count need not be "
        "exact; an agent on the gate's cell is no obstacle (K10).",
        [
            identities(3, 0),
            "throw 7; go h6; sabotage; throw 10; go l3; throw 2; go c2",
            ("if", "throw 6", ("lacks", {"leave north", "leave east"})),
            ("if", "throw 7", ("has", {"leave north"})),
            ("if", "throw 7", ("lacks", {"leave east"})),
            ("if", "throw 8", ("has", {"leave north", "leave east"})),
            ("if", "throw 11", ("has", {"leave north", "leave east"})),
            "throw 8; leave east",
            ("to move", None),
            ("result", "escape", (1, Fraction(-1, 2), Fraction(-1, 2))),
            ("knows", 2, {"monitors": {"GAR": "OFF", "HUT": "OFF", "SHE": "ON"}}),
        ],
        players=3,
    ),
    Situation(
        "too few sabotages",
        "D11: with the opening's alone the Double Agent may stand on the gate's cell, but not leave.",
        [
            identities(3, 0),
            "throw 10; go l3; throw 2; go c2; throw 2; go e2",
            ("if", "throw 12", ("lacks", {"leave north", "leave east"})),
        ],
        players=3,
    ),
    Situation(
        "a Security Agent at the gate",
        "D11: nobody else may leave, however many monitors are OFF.",
        [
            identities(3, 0),
            "throw 7; go h6; sabotage; throw 10; go l3; throw 2; go c2; throw 2; go h6; throw 12",
            ("to move", 1),
            ("lacks", {"leave north", "leave east"}),
        ],
        players=3,
    ),
]

CAP = [
    Situation(
        "the first seat is out",
        "D13: a round ends before the first seat's place, in play or not; a truncation pays the stakes alone.",
        [
            identities(3, 2),
            "throw 6; go h3; throw 6; go i2; throw 12; go l3",
            "throw 2; accuse 1; throw 2; go i2; throw 2; go l3",
            ("to move", "chance"),
            "throw 2",
            ("to move", 1),
            "go i2; throw 2",
            ("to move", 2),
            "go l3",
            ("to move", None),
            ("result", "turn limit", (-1, Fraction(1, 2), Fraction(1, 2))),
            ("knows", 0, {"roles": {0: SECURITY, 1: SECURITY, 2: DOUBLE}}),
            ("knows", 0, {"monitors": {"GAR": "OFF", "HUT": "ON", "SHE": "ON"}}),
        ],
        players=3,
        options={"max_turns": 3},
    ),
    Situation(
        "a wrong accusation as the last act",
        "D13, D14: it counts, and then the round is over.",
        [
            identities(4, 0, first=3),
            "throw 6; go h3; throw 2; go e2; throw 2; go c2; throw 6",
            ("to move", 2),
            "accuse 3",
            ("result", "turn limit", (THIRD, THIRD, -1, THIRD)),
        ],
        options={"max_turns": 1},
    ),
    Situation(
        "the last choice at a monitor",
        "D13: the turn goes on to the choice at the monitor before the cap falls; without a stake all get nothing.",
        [
            identities(3, 2),
            "throw 6; go h3; throw 6; go i2; throw 7; go h6",
            ("legal", MONITOR | {"sabotage"}),
            "sabotage",
            ("result", "turn limit", (0, 0, 0)),
            ("knows", 1, {"monitors": {"GAR": "OFF", "HUT": "OFF", "SHE": "ON"}}),
        ],
        players=3,
        options={"max_turns": 1, "stake": 0.0},
    ),
]

TWO_WRONG = [
    identities(6, 0),
    "throw 7; go h6; sabotage; throw 6; go h3; throw 6; accuse 1; throw 5; go h2; throw 5; accuse 3; throw 2; go e2",
    "throw 7; leave north",
]
TWICE_OUT = [
    identities(4, 3),
    "throw 6; go h3; throw 6; accuse 0; throw 6; go h5; throw 2; go c2; throw 2; accuse 2; throw 12; accuse 3",
]


def exposure(players: int, rewards: str, returns: tuple) -> Situation:
    """Seat 1 exposes seat 0 at once."""
    script = [identities(players, 0), "throw 6; go h3; throw 6; accuse 0", ("result", "exposed", returns)]
    why = "D14: without wrong accusations."
    return Situation(f"returns, {players} players, {rewards}", why, script, players, {"rewards": rewards})


RETURNS = [
    exposure(3, "individual", (Fraction(-1, 2), 1, Fraction(-1, 2))),
    exposure(4, "individual", (-THIRD, 1, -THIRD, -THIRD)),
    exposure(6, "individual", (-FIFTH, 1, -FIFTH, -FIFTH, -FIFTH, -FIFTH)),
    exposure(3, "team", (-1, Fraction(1, 2), Fraction(1, 2))),
    exposure(4, "team", (-1, THIRD, THIRD, THIRD)),
    exposure(5, "team", (-1, *[Fraction(1, 4)] * 4)),
    Situation(
        "two wrong accusations and an escape",
        "D14: every wrong accusation costs its accuser the stake, a fifth of it for each other seat, out or not.",
        [
            *TWO_WRONG,
            ("result", "escape", (2 * FIFTH + 1, FIFTH * 2 - FIFTH, -FIFTH - 1 + FIFTH, FIFTH, -1, FIFTH)),
        ],
        players=6,
    ),
    Situation(
        "two wrong accusations and an escape, half a stake, teams",
        "D14: the escape pays as with individual rewards.",
        [*TWO_WRONG, ("result", "escape", (Fraction(6, 5), 0, Fraction(-3, 5), 0, Fraction(-3, 5), 0))],
        players=6,
        options={"stake": 0.5, "rewards": "team"},
    ),
    Situation(
        "an exposed agent accuses wrongly",
        "D9, D14: seat 0, exposed by seat 1, accuses seat 2 and is out; seat 2, the last, exposes seat 3.",
        [*TWICE_OUT, ("result", "exposed", (-THIRD - 1 + THIRD, -THIRD - 1 + THIRD, 1 + 2 * THIRD, THIRD))],
    ),
    Situation(
        "an exposed agent accuses wrongly, teams",
        "D14: all Security Agents share the prize, those who are out too.",
        [*TWICE_OUT, ("result", "exposed", (2 * THIRD - 1, 2 * THIRD - 1, 1, 2 * THIRD - 1))],
        options={"rewards": "team"},
    ),
]

SITUATIONS = [*OPENING, *INSPECTING, *MOVING, *ACCUSING, *LEAVING, *CAP, *RETURNS]

"""Situations of The Secret Formula with the answers that the rulebook and the rulings give, worked out by hand.

Each is a script: texts that are played, and between them what must be true.  `check` plays one on any engine that has
`to_move`, `legal()`, `outcomes()`, `play(text)`, `result`, `knows(seat)` and can be deep-copied.

The Yard has three sectors: the tower (TOW), a path d8 c8 c9 d9 whose first step is the guard's post; the barn (BAR)
with the post d3; the kitchen (KIT) with the post h3.  The guard's route is TOW, BAR, KIT; with two players and nobody
knocked out he stands in TOW in round 1, in BAR in round 2, in KIT in round 3.

       abcdefghijk        posts d8 d3 h3          The Lodge:    abcdefgh
     1 #####n#####        gates n f1  w a6                    1 ########
     2 #bbX#.#Xkk#              e k6  s h10                   2 wXb*+..e
     3 #bb*+.+*kk#        doors e3 c5  g3 i5  d7              3 #####.##
     4 #Xbb#.#kkX#        envelopes d2 b4 h2 j4 d9            4 sc&+..##
     5 ##+##.##+##                                            5 ########
     6 w.........e
     7 ###+###.###        BOX b2 c2 d2, CEL b4 c4; the guard's route is BOX, CEL;
     8 ##tt###.###        `*` and `&` are his posts d2 and c4; envelopes b2 c4.
     9 ##tt###.###
    10 #######s###

Like a chessboard a board has two colours, so from a cell another is landed on by even counts only, or by odd ones
only.  Steps in the Yard from outside the gates north and west (from the east as in a mirror, but for the tower):

    north  1 f1   3 f3      5 f5 d3 h3              7 e6 g6 b3 c2 c4 i2 i4 j3
           2 f2   4 f4 e3 g3   6 f6 c3 d2 d4 h2 i3 h4   8 b2 b4 j2 j4 c5 i5 d6 h6
    west   1 a6   3 c6      5 c4 e6 d7              7 b3 c2 d3 g6 f5
           2 b6   4 c5 d6      6 b4 c3 d4 f6 d8         8 b2 d2 e3 h6 f4

With the guard in the barn the way out is by c5: 1 c4, 2 b4 c3 d4, 3 b3 c2, 4 b2 d2.  In the kitchen it is by i5: 1 i4,
2 h4 i3 j4, 3 i2 j3, 4 h2 j2.
"""

import copy
from typing import NamedTuple

from tests.reference import double_agent_positions
from tests.reference.secret_formula import AWAKE, CHANCE, KNOCKED_OUT, PUBLIC, WOKEN

YARD_FILE = """
title The Yard
sector T TOW Tower
sector B BAR Barn
sector K KIT Kitchen
spiral TOW post 1 hiding 4
gates north west east south
route TOW BAR KIT
map
#####=#####
#BBX#:#XKK#
#BB*+:+*KK#
#XBB#:#KKX#
##+##:##+##
=:::::::::=
###+###:###
##21###:###
##34###:###
#######=###
"""

LODGE_FILE = """
title The Lodge
sector B BOX Box
sector C CEL Cell
gates west east south
route BOX CEL
map
########
=XB*+::=
#####:##
=C&+::##
########
"""
FILES = {"yard": YARD_FILE, "lodge": LODGE_FILE}


class Situation(NamedTuple):
    """A script with its reason; `script` mixes texts to play, several in a string, with expectations (see `check`)."""

    name: str
    why: str
    script: list
    players: int = 2
    board: str = "yard"
    options: dict | None = None


def check(situation: Situation, engine) -> None:
    """Play a situation's script on an engine at the start of a game, before any chance, and assert what it expects."""
    for number, item in enumerate(situation.script):
        where = f"{situation.name}, item {number}: {item}"
        if isinstance(item, str):
            play(engine, item)
        else:
            check_expectation(engine, item, where)


def play(engine, texts: str) -> None:
    for text in texts.split("; "):
        try:
            engine.play(text)
        except Exception as error:
            error.add_note(f"{text!r} in {texts!r}")
            raise


def check_expectation(engine, item: tuple, where: str) -> None:
    kind, *what = item
    if kind == "if":  # play these on a copy, then expect
        other = copy.deepcopy(engine)
        play(other, what[0])
        for expectation in what[1:]:
            check_expectation(other, expectation, where)
    elif kind in ("at", "envelopes", "condition"):  # some entries of what everybody knows
        known = engine.knows(PUBLIC)[kind]
        assert what[0].items() <= known.items(), f"{where}; got {known}"
    elif kind == "turn":  # chance is due in this seat's turn, with the guard there
        known = engine.knows(PUBLIC)
        assert (engine.to_move, known["turn"], known["guard"]) == (CHANCE, *what), f"{where}; got {known}"
    else:
        double_agent_positions.check_expectation(engine, item, where)


def begin(*gates: str, formula: str = "d9", first: int = 0) -> str:
    """Return the texts up to the first throw; the gates are named from the first seat on."""
    return "; ".join([f"formula {formula}", f"first {first}", *(f"gate {gate}" for gate in gates)])


def go(*cells: str) -> set[str]:
    return {f"go {cell}" for cell in cells}


def gates(*names: str) -> set[str]:
    return {f"gate {name}" for name in names}


def surrender(*cells: str) -> set[str]:
    return {f"surrender {cell}" for cell in cells}


ALL_GATES = gates("north", "west", "east", "south")
STAY, CHOICE = {"stay"}, {"hit", "wait"}
THROWS = {f"throw {low} {high}": 1 if low == high else 2 for low in range(1, 7) for high in range(low, 7)}

ENTERING = [
    Situation(
        "the start",
        "S1, S2, S6: one of the envelopes, the first seat, then gates from that seat to the left, none twice.",
        [
            ("to move", "chance"),
            ("outcomes", {f"formula {cell}": 1 for cell in ("d2", "b4", "h2", "j4", "d9")}),
            "formula j4",
            ("outcomes", {f"first {seat}": 1 for seat in range(4)}),
            "first 2",
            ("to move", 2),
            ("legal", ALL_GATES),
            "gate south",
            ("to move", 3),
            ("legal", gates("north", "west", "east")),
            "gate north",
            ("to move", 0),
            ("legal", gates("west", "east")),
            "gate east",
            ("to move", 1),
            ("legal", gates("west")),
            "gate west",
            ("turn", 2, "TOW"),
            ("outcomes", THROWS),
            ("at", {0: "outside east", 1: "outside west", 2: "outside south", 3: "outside north"}),
            ("envelopes", {"d2": "d2", "b4": "b4", "h2": "h2", "j4": "j4", "d9": "d9"}),
            ("knows", 0, {"formula": None, "blank": set()}),
            "throw 1 2",
            ("to move", 2),
        ],
        players=4,
    ),
    Situation(
        "coming in",
        "K4, K9, S7: the first step is the gate's cell; no swinging outside it; a double outside sets off no alarm.",
        [
            begin("north", "west"),
            ("if", "throw 1 1", ("legal", go("f2"))),
            ("if", "throw 1 2", ("legal", go("f1", "f3"))),
            ("if", "throw 2 2", ("legal", go("f2", "f4", "e3", "g3"))),
            ("if", "throw 1 4", ("legal", go("f1", "f3", "f5", "d3", "h3"))),
            ("if", "throw 3 3", ("legal", go("f2", "f4", "e3", "g3", "f6", "c3", "d2", "d4", "h2", "i3", "h4"))),
        ],
    ),
    Situation(
        "the guard's tower at the start",
        "S6, S10: it is closed, but one may surrender there at once; the missed turn comes next, then any gate.",
        [
            begin("west", "east"),
            ("if", "throw 1 5", ("has", surrender("d8") | go("b4", "f6"))),
            ("if", "throw 1 5", ("lacks", go("d8", "c8") | surrender("c8", "d9"))),
            ("if", "throw 3 4", ("has", surrender("c8"))),
            "throw 1 5; surrender d8",
            ("turn", 1, "TOW"),
            ("at", {0: None}),
            "throw 1 2; go i6",
            ("turn", 1, "BAR"),
            ("condition", {0: WOKEN, 1: AWAKE}),
            "throw 1 2; go h6",
            ("to move", 0),
            ("legal", ALL_GATES),
            "gate south",
            ("turn", 0, "KIT"),
            ("at", {0: "outside south"}),
            ("if", "throw 1 1", ("legal", go("h9"))),
        ],
    ),
]

ENVELOPES = [
    Situation(
        "on the way",
        "S3: an envelope is taken by passing, or is passed quietly; after it the rest is used in full.",
        [
            begin("north", "west"),
            "throw 3 4",
            ("legal", go("f1", "f3", "f5", "d3", "h3", "e6", "g6", "b3", "c2", "c4", "i2", "i4", "j3", "d2", "h2")),
            ("if", "go c2", ("envelopes", {"d2": "d2"}), ("turn", 1, "TOW")),
            "go d2",
            ("to move", 0),
            ("legal", go("c2", "d3")),
            ("envelopes", {"d2": 0, "b4": "b4"}),
            ("knows", 0, {"formula": None, "blank": {"d2"}}),
            ("knows", 1, {"formula": None, "blank": set()}),
            "go d3",
            ("turn", 1, "TOW"),
        ],
    ),
    Situation(
        "two in one move",
        "Rulebook, S3: as many as one can reach; one may land on the cell again.",
        [
            begin("north", "west"),
            "throw 6 6; go d2",
            ("has", go("b4", "h2", "d2", "f2", "c5")),
            ("lacks", go("f1", "j4")),
            "go b4",
            ("legal", go("b4", "b2", "c3", "d4", "c5")),
            "go c5",
            ("envelopes", {"d2": 0, "b4": 0}),
            ("knows", 0, {"formula": None, "blank": {"d2", "b4"}}),
        ],
    ),
    Situation(
        "what is in the last one",
        "S2: who has examined all others knows; nobody else does.",
        [
            begin("east", "south", formula="b2"),
            "throw 1 2; go f2; throw 1 2; go c4",
            ("knows", 1, {"formula": "b2", "blank": {"c4"}}),
            ("knows", 0, {"formula": None, "blank": set()}),
            ("knows", PUBLIC, {"formula": None, "blank": set()}),
        ],
        board="lodge",
    ),
    Situation(
        "formula and out in one move",
        "S12: through any gate whose outside is within the rest, here d2 d3 e3 f3 f2 f1 and out.",
        [
            begin("north", "west", formula="d2"),
            ("if", "throw 6 6", ("lacks", {"leave north"})),
            ("if", "throw 5 6; go d2", ("has", go("f1"))),
            ("if", "throw 5 6; go d2", ("lacks", {"leave north", "leave west"})),
            "throw 6 6; go d2",
            ("has", {"leave north"}),
            ("lacks", {"leave west", "leave east", "leave south"}),
            ("knows", 0, {"formula": "d2", "blank": {"b4", "h2", "j4", "d9"}}),
            "leave north",
            ("to move", None),
            ("result", "escape", (1, -1)),
        ],
    ),
    Situation(
        "on the gate's cell",
        "S7, S12: one step is left to go, by any throw, a double too; without the formula nobody may leave.",
        [
            begin("north", "west", "east", formula="d2"),
            "throw 5 6; go d2; go f1; throw 1 2; go a6; throw 1 2; go i6",
            ("turn", 0, "BAR"),
            "throw 1 1",
            ("legal", go("f1", "f3") | {"leave north"}),
            ("if", "leave north", ("result", "escape", (1, -0.5, -0.5))),
            "go f3; throw 1 1",
            ("legal", go("a6", "c6")),
        ],
        players=3,
    ),
]

# Three players: seat 1 has just knocked out seat 0 on the walkway f6; the turn is seat 2's, outside the gate east.
ON_F6 = [begin("north", "west", "east"), "throw 1 5; go f6; throw 1 5; go f6", ("condition", {0: KNOCKED_OUT})]
# The same, then seat 2 has hit both, round 2 is over, and seat 2 has left.
ALL_ON_F6 = [*ON_F6, "throw 1 5; go f6", ("turn", 2, "BAR"), "throw 1 2; go f3"]

RIVALS = [
    Situation(
        "passing a rival",
        "S3, K10: a rival within reach is hit if it is named, and the move goes on; it is passed quietly if not.",
        [
            begin("north", "west"),
            "throw 1 5; go f6; throw 1 6",
            ("if", "go g6", ("condition", {0: AWAKE}), ("turn", 0, "BAR")),
            "go f6",
            ("condition", {0: KNOCKED_OUT}),
            ("to move", 1),
            ("legal", go("e6", "g6", "f5")),
            "go g6",
            ("turn", 1, "BAR"),  # seat 0 has woken without a decision
            "throw 1 2; go h8",
            ("turn", 0, "KIT"),
        ],
    ),
    Situation(
        "step off and come back",
        "S4, S5: only who missed its turn hits before the throw; hit after waking, a seat misses another turn.",
        [
            *ON_F6,
            "throw 1 2; go i6",
            ("turn", 1, "BAR"),
            "throw 1 2",
            ("has", go("f6", "f3", "e6")),
            ("if", "go f3; throw 1 2; go h6", ("turn", 0, "KIT")),
            "go f6",
            ("legal", go("e6", "g6", "f5")),
            ("condition", {0: KNOCKED_OUT}),
            "go f5; throw 1 2; go h6",
            ("turn", 1, "KIT"),
            ("condition", {0: WOKEN}),
        ],
        players=3,
    ),
    Situation(
        "hit again before waking",
        "S4: seat 2 hits seat 0, who is knocked out, and seat 1; each misses one turn.",
        [*ALL_ON_F6, ("to move", 0), ("condition", {0: WOKEN, 1: WOKEN, 2: AWAKE})],
        players=3,
    ),
    Situation(
        "hit before the throw",
        "Rulebook 12, S5: seat 0 has missed its turn and stands with seat 1, who has woken too.",
        [
            *ALL_ON_F6,
            ("to move", 0),
            ("legal", CHOICE),
            ("if", "wait; throw 1 2; go e6", ("turn", 1, "KIT")),
            "hit",
            ("turn", 0, "KIT"),
            ("condition", {1: KNOCKED_OUT}),
            "throw 1 2; go e6",
            ("turn", 2, "KIT"),
            ("condition", {0: AWAKE, 1: WOKEN}),
        ],
        players=3,
    ),
    Situation(
        "hit before the throw, after an escape",
        "S5: seat 1 missed round 2, escaped in round 3 onto seat 0, who has woken since; its turn comes only now.",
        [
            begin("north", "east"),
            "throw 1 3; go g3; throw 1 4; go i4; throw 2 3; go i4; go i6",
            ("turn", 0, "KIT"),  # seat 1's escape
            "throw 1 1; go i6",
            ("condition", {0: WOKEN}),
            ("to move", 1),
            ("legal", CHOICE),
            "hit",
            ("turn", 1, "KIT"),
            ("condition", {0: KNOCKED_OUT}),
        ],
    ),
    Situation(
        "mercy",
        "S4, S5: under `mercy` nobody is knocked out between waking and moving; who wakes can hit back, and robs.",
        [
            begin("north", "east"),
            "throw 1 1; go f2; throw 3 3; go j4; throw 1 3; go f6; throw 2 4; go f6",
            ("turn", 1, "KIT"),
            "throw 1 1; go f6",
            ("condition", {0: WOKEN}),
            ("to move", 0),
            ("legal", CHOICE),
            ("knows", 0, {"blank": set()}),
            "hit",
            ("envelopes", {"j4": 0}),
            ("knows", 0, {"blank": {"j4"}}),
            ("knows", 1, {"blank": {"j4"}}),
            "throw 1 2; go f3",
            ("turn", 0, "BAR"),
        ],
        options={"mercy": True},
    ),
    Situation(
        "no mercy",
        "S4: the same without the option keeps seat 0 down.",
        [
            begin("north", "east"),
            "throw 1 1; go f2; throw 3 3; go j4; throw 1 3; go f6; throw 2 4; go f6; throw 1 1; go f6",
            ("turn", 1, "TOW"),
            ("condition", {0: WOKEN}),
        ],
    ),
    Situation(
        "robbed, and both found by the guard",
        "Rulebook 13, S4, S8, S9: the robber knows the formula now; who was knocked out is captured without a throw "
        "and misses no further turn; a throw too low leaves no choice.",
        [
            begin("north", "west", formula="d2"),
            "throw 3 3; go d2; throw 4 4; go d2",
            ("knows", 0, {"formula": "d2"}),
            ("knows", 1, {"formula": "d2"}),
            ("envelopes", {"d2": 1}),
            ("turn", 0, "BAR"),  # the throw is seat 1's escape
            ("at", {0: None, 1: "d2"}),
            "throw 1 2",  # 4 are needed
            ("to move", 0),
            ("at", {0: None, 1: None}),
            ("envelopes", {"d2": "d2"}),
            ("legal", ALL_GATES),
            "gate west; throw 1 2; go c6",
            ("to move", 1),
            ("legal", ALL_GATES),
            "gate west; throw 1 2",
            ("legal", go("a6", "c6")),
        ],
    ),
]

GUARD = [
    Situation(
        "on the guard's cell",
        "Rulebook 6, 9, S8, S11: captured without a throw; the turn that seat 0 misses follows at once.",
        [
            begin("north", "west"),
            "throw 1 4; go d3; throw 2 3; go c4",
            ("at", {0: None, 1: "c4"}),
            ("turn", 0, "BAR"),  # seat 1's escape
            "throw 1 2",
            ("to move", 1),
            ("legal", STAY | go("b4", "b6", "d6", "c5")),
            ("if", "stay", ("to move", 0), ("legal", ALL_GATES)),  # seat 1 misses round 2 too, seat 0 is back
            "go b4",
            ("legal", go("c5")),
            "go c5",
            ("turn", 1, "BAR"),
            ("condition", {0: WOKEN}),
            ("envelopes", {"b4": 1}),
        ],
    ),
    Situation(
        "escape, then the turn",
        "Rulebook 9, S8, S11: a double is a plain sum; a waypoint inside must leave enough to get out; then the first "
        "seat throws for its turn.",
        [
            begin("north", "west"),
            "throw 3 4; go c4; throw 1 1; go b6",
            ("turn", 0, "BAR"),
            "throw 2 2",
            ("to move", 0),
            ("legal", STAY | go("b4", "b6", "c6", "a6", "e6", "d7")),
            ("if", "go b6", ("condition", {1: KNOCKED_OUT}), ("legal", go("a6", "c6"))),
            ("if", "go b4", ("legal", go("c6"))),
            "go e6",
            ("turn", 0, "BAR"),
            "throw 1 1",
            ("to move", 0),
        ],
    ),
    Situation(
        "alarm",
        "S6, S7, S8: the double is not moved; an escaping agent may rob another, who is captured when its throw comes; "
        "the turn is over; the guard goes on along his route from there.",
        [
            begin("north", "east"),
            "throw 3 4; go i4; throw 3 3; go j4",
            ("turn", 0, "BAR"),
            "throw 2 2",
            ("turn", 0, "KIT"),
            "throw 1 2",
            ("legal", STAY | go("j4", "i5", "h6", "j6")),
            "go j4",
            ("condition", {0: AWAKE, 1: KNOCKED_OUT}),
            ("envelopes", {"j4": 0}),
            ("at", {1: "j4"}),
            ("legal", go("i5")),
            "go i5",
            ("turn", 0, "TOW"),
            ("at", {0: "i5", 1: None}),
            ("condition", {1: WOKEN}),
            "throw 1 1; go i5",  # a door: no alarm
            ("to move", 1),
            ("legal", ALL_GATES),
        ],
    ),
    Situation(
        "let itself be captured",
        "S8, S9: each may; envelopes stay on the cell; who was captured in its own turn misses the next.",
        [
            begin("north", "east"),
            "throw 3 4; go i4; throw 3 3; go j4; throw 2 2; throw 1 2; stay",
            ("turn", 0, "KIT"),  # seat 1's escape
            "throw 1 1",
            ("to move", 1),
            ("legal", STAY | go("i5")),
            "stay",
            ("envelopes", {"j4": "j4"}),
            ("to move", 1),  # both have missed their turns, in rounds 3 and 2
            ("legal", ALL_GATES),
            ("condition", {0: WOKEN}),
            "gate north; throw 1 1; go f2",
            ("to move", 0),
            ("legal", ALL_GATES),
        ],
    ),
    Situation(
        "taking what was dropped",
        "S8: captures happen at once, so the next to throw can take what lies there.",
        [
            begin("north", "east"),
            "throw 3 3; go h2; throw 3 4; go i2; throw 1 1; throw 1 1",
            ("at", {0: None, 1: "i2"}),
            ("envelopes", {"h2": "h2"}),
            "throw 3 3",
            ("to move", 1),
            ("has", STAY | go("h2", "j4", "i6")),
            ("lacks", go("i2", "h3", "g3", "i5")),
            "go h2",
            ("legal", go("i6")),
            ("knows", 1, {"blank": {"h2"}}),
        ],
    ),
    Situation(
        "on the cell where one stands",
        "S3, S8: seat 1 robbed seat 0 and stands with it; captured, it drops all; seat 0 steps off and back for it. "
        "Captured after waking, a seat misses another turn.",
        [
            begin("north", "east"),
            "throw 3 3; go h2; throw 4 4; go h2",
            ("turn", 1, "BAR"),
            "throw 1 1",
            ("turn", 1, "KIT"),
            "throw 1 2",
            ("at", {0: "h2", 1: None}),
            ("envelopes", {"h2": "h2"}),
            ("if", "throw 1 1", ("to move", 0), ("legal", ALL_GATES), ("knows", PUBLIC, {"guard": "BAR"})),  # round 4
            "throw 2 4",
            ("to move", 0),
            ("legal", STAY | go("h2", "j4", "i5", "h6", "j6")),
            ("if", "stay", ("to move", 0), ("legal", ALL_GATES), ("knows", PUBLIC, {"guard": "BAR"})),
            "go h2",
            ("envelopes", {"h2": 0}),
            ("legal", go("i5")),
            "go i5",
            ("turn", 0, "TOW"),
        ],
    ),
    Situation(
        "in the tower",
        "Rulebook 3, K6, S8: a single path; who sets off the alarm there is captured without a throw.",
        [
            begin("west", "east"),
            "throw 1 4; go d7; throw 1 2; go i6",
            ("turn", 0, "BAR"),
            ("if", "throw 1 1", ("legal", go("d7", "c8", "c6", "e6"))),
            "throw 1 3; go d9",
            ("knows", 0, {"formula": "d9", "blank": {"d2", "b4", "h2", "j4"}}),
            "throw 1 2; go h6; throw 5 5",
            ("at", {0: None}),
            ("envelopes", {"d9": "d9"}),
            ("turn", 1, "TOW"),
            "throw 1 2; go h9",
            ("turn", 1, "BAR"),
            ("condition", {0: WOKEN}),
        ],
    ),
    Situation(
        "on a door",
        "S7, S10, S13: nobody is caught there; no alarm; the sector is closed, but one may surrender on any cell of "
        "it within the exact count, through the guard's cell too, and takes nothing there.",
        [
            begin("north", "west"),
            "throw 1 3; go e3; throw 1 1; go b6",
            ("turn", 0, "BAR"),
            ("at", {0: "e3"}),
            "throw 1 1",
            ("legal", go("e3", "f2", "f4", "g3") | surrender("c3", "d2", "d4")),
            "surrender d2",
            ("at", {0: None}),
            ("envelopes", {"d2": "d2"}),
            ("turn", 1, "BAR"),
        ],
    ),
    Situation(
        "round the guard's sector",
        "S10: no walk touches it, so c6 is five steps from e3 only when the guard is elsewhere.",
        [
            begin("north", "west"),
            "throw 1 3; go e3; throw 1 1; go b6",
            ("if", "throw 1 4", ("lacks", go("c6", "b4", "d3", "d2"))),
            "throw 1 1; go e3; throw 1 1; go b6",
            ("turn", 0, "KIT"),
            ("if", "throw 1 4", ("has", go("c6", "b4", "d3", "d2"))),
        ],
    ),
    Situation(
        "surrender with envelopes",
        "S10: they stay on the cell that was named, the guard's own here.",
        [
            begin("north", "west"),
            "throw 3 3; go h2; throw 1 1; go b6; throw 1 4",
            ("has", surrender("d3")),
            ("lacks", surrender("c3", "d2", "d4", "c4")),
            "surrender d3",
            ("envelopes", {"h2": "d3"}),
            ("at", {0: None}),
            ("condition", {0: KNOCKED_OUT}),
        ],
    ),
]

# Seat 1 was captured on the post c4 in round 2; seat 0 holds b2 and stands on c2, where the guard finds it in round 3.
IN_THE_BOX = "throw 1 2; go f2; throw 1 2; go c4; throw 2 3; go b2; go c2"

LODGE = [
    Situation(
        "no way on",
        "S8: behind the gate west there is nothing, so one stops on its cell, and the rest lapses.",
        [
            begin("east", "south", formula="c4"),
            IN_THE_BOX,
            ("turn", 0, "BOX"),
            ("at", {0: "c2", 1: None}),
            ("envelopes", {"b2": 0, "c4": "c4"}),
            ("if", "throw 1 1", ("legal", STAY | go("a2"))),
            ("if", "throw 1 2", ("legal", STAY | go("a2"))),
            "throw 2 3; go a2",
            ("turn", 0, "BOX"),
            ("at", {0: "a2"}),
        ],
        board="lodge",
    ),
    Situation(
        "a rival where there is no way on",
        "S3, S8, S18: seat 1 escapes onto the gate's cell and robs seat 0; only leaving is left, so it is asked.",
        [
            begin("east", "south", formula="b2"),
            "throw 1 2; go f2; throw 2 4; go c4; go f4; throw 2 3; go a2; throw 2 3; go c2",
            ("turn", 0, "BOX"),
            "throw 2 4",
            ("to move", 1),
            ("legal", STAY | go("b2", "a2")),
            "go a2",
            ("to move", 1),
            ("legal", STAY),
            "stay",
            ("turn", 1, "BOX"),
            ("at", {0: "a2", 1: "a2"}),
            ("condition", {0: WOKEN}),
        ],
        board="lodge",
    ),
    Situation(
        "out of the guard's hands",
        "S8, S12: an escape may end outside the camp.",
        [
            begin("east", "south", formula="b2"),
            IN_THE_BOX,
            ("if", "throw 1 1", ("legal", STAY | go("a2"))),
            "throw 1 2; leave west",
            ("result", "escape", (1, -1)),
        ],
        board="lodge",
    ),
]

CAP = [
    Situation(
        "the cap",
        "S14: after so many rounds, before the guard moves.",
        [
            begin("north", "west"),
            "throw 3 4; go c4; throw 1 1; go b6",
            ("to move", None),
            ("result", "turn limit", (0, 0)),
        ],
        options={"max_rounds": 1},
    ),
    Situation(
        "the cap after a missed turn",
        "S14: a round ends although its last seat only wakes.",
        [
            begin("north", "west"),
            "throw 1 1; go f2; throw 1 5; go f6; throw 1 3; go f6",
            ("result", "turn limit", (0, 0)),
        ],
        options={"max_rounds": 2},
    ),
]

SITUATIONS = [*ENTERING, *ENVELOPES, *RIVALS, *GUARD, *LODGE, *CAP]

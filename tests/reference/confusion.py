"""Reference engine for the board game Confusion: plain, slow and obvious.

Written from the rulings C1-C15 (cited as `# C7`) and the rulebook only. Squares inside are (column, row), both from 1,
absolute: column 1 is `a`, row 1 is White's first row. A seat is 0 (White) or 1 (Red).
"""

from collections import namedtuple
from functools import partial

COLUMN_NAMES = "abcdefghijk"
SPY_LETTERS = "ACDFHJLNPSTVX"
TOKENS = ("reveal", "move", "swap")

# Steps as (columns to the right, rows forward), from the owner's view.
DIRECTIONS = {
    "F": (0, 1),
    "B": (0, -1),
    "L": (-1, 0),
    "R": (1, 0),
    "FL": (-1, 1),
    "FR": (1, 1),
    "BL": (-1, -1),
    "BR": (1, -1),
}
PROMOTED_DISTANCE = 2  # C1: the promoted side goes 2 in all eight directions


def _piece(directions, distance, promotable=False):
    return (directions + " " + str(distance), frozenset(directions.split()), distance, promotable)


# C1: the reconstructed default set; the first four are the promotable ones.
DEFAULT_PIECES = [
    _piece("F", 4, True),
    _piece("FL FR", 3, True),
    _piece("F L R", 2, True),
    _piece("F FL FR", 2, True),
    _piece("F B L R FL FR BL BR", 1),
    _piece("F B L R", 2),
    _piece("F B BL BR", 2),
    _piece("FL FR BL BR", 2),
    _piece("L R B", 3),
    _piece("F B", 3),
    _piece("FL FR B", 2),
    _piece("L R BL BR", 1),
]

# C2: columns and rows from the owner's side (left to right, near to far); X stands at f in the front row.
STANDARD = (
    11,
    11,
    {
        "A": (3, 1),
        "C": (4, 1),
        "D": (5, 1),
        "F": (7, 1),
        "H": (8, 1),
        "J": (9, 1),
        "L": (3, 2),
        "N": (4, 2),
        "P": (5, 2),
        "X": (6, 2),
        "S": (7, 2),
        "T": (8, 2),
        "V": (9, 2),
    },
    "f6",
)

# One proposal (C4, C7). kind: "move" (with the briefcase if controlled), "leave" (the briefcase stays), "pass".
Proposal = namedtuple("Proposal", "letter direction distance origin target kind")


def name_of(square):
    return COLUMN_NAMES[square[0] - 1] + str(square[1])


def square_of(name):
    if not isinstance(name, str):
        return tuple(name)
    return (COLUMN_NAMES.index(name[0]) + 1, int(name[1:]))


class Confusion:
    def __init__(
        self,
        deal,
        pieces=DEFAULT_PIECES,
        setup=STANDARD,
        *,
        max_turns=200,
        auto_answer=False,
        special_actions=None,
        honor_among_spies=False,
        tight_setup=False,
        safe_extraction=False,
        variable_setup=False,
        promotion_sir=False,
    ):
        self.max_turns = max_turns
        self.auto_answer = auto_answer
        self.honor = honor_among_spies
        self.tight = tight_setup
        self.safe = safe_extraction
        self.variable = variable_setup
        self.sir = promotion_sir
        self.tokens = [set(), set()] if special_actions is None else [set(special_actions[0]), set(special_actions[1])]

        self.pieces = dict(enumerate(pieces, start=1))
        self.columns, self.rows, places, briefcase = setup
        places = {letter: tuple(place) for letter, place in places.items()}
        if self.honor:
            places.pop("X", None)  # C15: no spy X
        self.deal = [dict(deal[0]), dict(deal[1])]
        self.case = square_of(briefcase)  # where the briefcase is; who stands on it controls it (C7)
        self._check_pieces()
        self._check_deal(places)

        # C4: the longest distance of the set; the promoted side counts where some piece can be promoted.
        self.longest = max(piece[2] for piece in self.pieces.values())
        if self.sir or any(piece[3] for piece in self.pieces.values()):
            self.longest = max(self.longest, PROMOTED_DISTANCE)

        everything = frozenset(self.pieces) | (frozenset() if self.honor else {"DA"})
        self._knows = [dict.fromkeys(self.deal[seat], everything) for seat in (0, 1)]  # C13
        self._promoted = [set(), set()]
        self._revealed = [{}, {}]
        self.where = [{}, {}]  # letter -> square of the spies in play
        self.result = None
        self.turns_begun = [0, 0]
        self.seat = 0  # whose turn it is (not always who decides)
        self.pending = None  # the proposal waiting for its answer or promotion

        if self.variable:
            self._check_variable()
            self.phase, self.to_move = "place", 0
        else:
            for seat in (0, 1):
                for letter, place in places.items():
                    self.where[seat][letter] = self._absolute(seat, place)
            self._check_places()
            self._begin_turn(0)  # C2: White starts

    # What is asked of the set-up

    def _check_pieces(self):  # C1
        if not 1 <= len(self.pieces) <= 12:
            raise ValueError("from 1 to 12 pieces besides the Double Agent")
        for name, directions, distance, _ in self.pieces.values():
            if not directions or not set(directions) <= set(DIRECTIONS):
                raise ValueError("bad directions: " + name)
            if distance not in (1, 2, 3, 4):
                raise ValueError("bad distance: " + name)
        if len({(frozenset(piece[1]), piece[2]) for piece in self.pieces.values()}) < len(self.pieces):
            raise ValueError("two equal pieces")

    def _check_deal(self, places):  # C2, C13: each piece is dealt at most once
        if not (1 <= self.columns <= 11 and 1 <= self.rows <= 11 and set(places) <= set(SPY_LETTERS)):
            raise ValueError("bad set-up")
        for dealt in self.deal:
            if set(dealt) != set(places):
                raise ValueError("the deal names other spies than the set-up")
            if len(set(dealt.values())) < len(dealt) or not set(dealt.values()) <= set(self.pieces) | {"DA"}:
                raise ValueError("bad deal")
            if ("DA" in dealt.values()) == self.honor:  # C15
                raise ValueError("one Double Agent a side, none among honourable spies")
        if not self._inside(self.case):
            raise ValueError("the briefcase is out of play")

    def _check_places(self):
        squares = list(self.where[0].values()) + list(self.where[1].values())
        if len(set(squares)) < len(squares) or not all(self._inside(square) for square in squares):
            raise ValueError("spies on one square, or out of play")

    def _check_variable(self):
        if self.rows < 4 or not all(self._can_complete(seat) for seat in (0, 1)):
            raise ValueError("this set-up has no variable set-up")

    # The board

    def _inside(self, square):
        column, row = square
        if self.tight and column in (1, self.columns):  # C15: the outer columns are out of play
            return False
        return 1 <= column <= self.columns and 1 <= row <= self.rows

    def _absolute(self, seat, place):
        """A place from the seat's own side, as a square; and the other way round (turning is its own inverse)."""
        column, row = place
        return (column, row) if seat == 0 else (self.columns + 1 - column, self.rows + 1 - row)

    def _own_row(self, seat, square):
        return self._absolute(seat, square)[1]

    def _on_far_row(self, seat, square):
        return self._own_row(seat, square) == self.rows  # the opponent's first row

    def _step(self, seat, origin, direction, distance):
        right, forward = DIRECTIONS[direction]
        sign = 1 if seat == 0 else -1  # C1: Red looks the other way
        return (origin[0] + sign * right * distance, origin[1] + sign * forward * distance)

    def _spy_on(self, square):
        """(seat, letter) of the spy on the square, or None."""
        for seat in (0, 1):
            for letter, place in self.where[seat].items():
                if place == square:
                    return (seat, letter)
        return None

    def _controller(self):  # C7
        return self._spy_on(self.case)

    # The public view

    @property
    def briefcase(self):
        return name_of(self.case)

    def squares(self, seat):
        return {letter: name_of(square) for letter, square in self.where[seat].items()}

    def knows(self, seat):
        return dict(self._knows[seat])

    def promoted(self, seat):
        return set(self._promoted[seat])

    def revealed(self, seat):
        return dict(self._revealed[seat])

    def legal(self):
        return set(self._actions())

    def play(self, text):
        actions = self._actions()
        if text not in actions:
            raise ValueError("not legal: " + str(text))
        actions[text]()

    def _actions(self):
        """Each legal text with what it does."""
        if self.result is not None:
            return {}
        return {
            "place": self._placements,
            "turn": self._turn_actions,
            "answer": self._answers,
            "promote": self._promotion_choices,
            "take": self._take_choices,
        }[self.phase]()

    # Variable set-up (C15)

    def _free_places(self, seat):
        """Free cells in the seat's first two rows, seen from its side."""
        places = [(column, row) for column in range(1, self.columns + 1) for row in (1, 2)]
        return [
            place
            for place in places
            if self._inside(place)
            and self._absolute(seat, place) != self.case
            and self._spy_on(self._absolute(seat, place)) is None
        ]

    def _can_complete(self, seat):
        """Can the rest be placed with at most seven in a row and at least four columns with both?"""
        placed = {self._absolute(seat, square) for square in self.where[seat].values()}
        free = set(self._free_places(seat))
        # All (spies in the first row, in the second row, full columns) that the columns so far can end with.
        outcomes = {(0, 0, 0)}
        for column in range(1, self.columns + 1):
            choices = [[1] if (column, row) in placed else [0, 1] if (column, row) in free else [0] for row in (1, 2)]
            outcomes = {
                (a + first, b + second, full + (first and second))
                for a, b, full in outcomes
                for first in choices[0]
                for second in choices[1]
            }
        return any(a + b == len(self.deal[seat]) and a <= 7 and b <= 7 and full >= 4 for a, b, full in outcomes)

    def _placements(self):
        seat = self.to_move
        letter = min(set(self.deal[seat]) - set(self.where[seat]))  # alphabetical order
        actions = {}
        for place in self._free_places(seat):
            square = self._absolute(seat, place)
            self.where[seat][letter] = square  # try it
            if self._can_complete(seat):
                actions[f"place {letter} {name_of(square)}"] = partial(self._place, seat, letter, square)
            del self.where[seat][letter]
        return actions

    def _place(self, seat, letter, square):
        self.where[seat][letter] = square
        if len(self.where[seat]) == len(self.deal[seat]):
            if seat == 0:
                self.to_move = 1  # White places all its spies, then Red
            else:
                self._begin_turn(0)

    # A turn

    def _begin_turn(self, seat):
        controller = self._controller()
        if self.safe and controller and controller[0] == seat and self._on_far_row(seat, self.case):
            self._win(seat, "extraction")  # C15 safe_extraction; before the cap
            return
        if self.turns_begun[seat] == self.max_turns:  # C12 (White's turn after the last comes up first)
            self.result, self.to_move = ("turn limit", [0, 0]), None
            return
        self.turns_begun[seat] += 1
        self.phase, self.seat, self.to_move = "turn", seat, seat
        self.removal_done = False  # C9 used this turn
        self.token = None  # C14 token used this turn
        self.token_spies = ()  # the spies it named
        self.proposed = set()  # spies that have proposed this turn

    def _end_turn(self):
        self._begin_turn(1 - self.seat)

    def _win(self, seat, reason):
        self.result = (reason, [1, -1] if seat == 0 else [-1, 1])  # C12
        self.to_move = None

    def _check_over(self):
        """After any event, in either seat's turn. True if the game is over."""
        controller = self._controller()
        if not self.safe and controller and self._on_far_row(controller[0], self.case):
            self._win(controller[0], "extraction")  # C8
            return True
        for seat in (0, 1):
            if not self.where[seat]:
                self._win(1 - seat, "elimination")  # C11
                return True
        return False

    def _turn_actions(self):
        seat = self.seat
        actions = {}
        for letter in self._proposers():
            for proposal in self._proposals_of(letter):
                actions[self._proposal_text(proposal)] = partial(self._propose, proposal)
        if not actions:
            actions["skip"] = self._end_turn  # C11
        if self.removal_done or self.token or self.proposed:
            return actions
        # Before the proposal, one of C9 or C14.
        if not self.honor:  # C9: not in honor_among_spies
            for letter in self.where[seat]:  # also when the own Double Agent is gone
                actions["out " + letter] = partial(self._remove_own, letter)
            for letter in self.where[1 - seat]:
                if self.deal[1 - seat][letter] == "DA":  # only the real one
                    actions["expose"] = partial(self._expose, letter)
        if "reveal" in self.tokens[seat]:  # C14
            for letter in self.deal[seat]:  # removed ones included
                actions["reveal " + letter] = partial(self._reveal, letter)
        home = sorted(self._at_home(seat))
        if "move" in self.tokens[seat] and len(home) >= 2:
            actions["move two"] = partial(self._use_token, "move")
        if "swap" in self.tokens[seat]:
            for first in home:
                for second in home:
                    if first < second:
                        actions[f"swap {first} {second}"] = partial(self._swap, first, second)
        return actions

    # C9
    def _remove_own(self, letter):
        self.removal_done = True
        del self.where[self.seat][letter]  # unrevealed; its briefcase stays there, loose
        self._check_over()

    def _expose(self, letter):
        self.removal_done = True
        other = 1 - self.seat
        del self.where[other][letter]
        self._show(other, letter)
        self._check_over()

    def _show(self, seat, letter):
        """The owner sees the piece (C13)."""
        piece = self.deal[seat][letter]
        self._revealed[seat][letter] = piece
        self._knows[seat] = {other: pieces - {piece} for other, pieces in self._knows[seat].items()}
        self._knows[seat][letter] = frozenset([piece])

    # C14
    def _at_home(self, seat):
        """Spies on the own first five rows that do not have the briefcase."""
        return {
            letter
            for letter, square in self.where[seat].items()
            if self._own_row(seat, square) <= 5 and square != self.case
        }

    def _use_token(self, token, *letters):
        self.tokens[self.seat].remove(token)
        self.token, self.token_spies = token, letters

    def _reveal(self, letter):
        self._use_token("reveal", letter)
        self._show(self.seat, letter)

    def _swap(self, first, second):
        self._use_token("swap", first, second)
        own = self.where[self.seat]
        own[first], own[second] = own[second], own[first]  # not a move: nobody is promoted by it (C10)
        self._check_over()

    def _proposers(self):
        """The spies that may be proposed now."""
        own = set(self.where[self.seat])
        if self.token == "reveal":
            return own - set(self.token_spies)  # C14: not the revealed spy
        if self.token == "swap":
            return own - set(self.token_spies) or own  # C14: one of the two only if no other is left
        if self.token == "move":
            return self._at_home(self.seat) - self.proposed  # C14: two different spies
        return own

    # Proposals (C4, C7)

    def _proposals_of(self, letter):
        seat = self.seat
        origin = self.where[seat][letter]
        has_case = origin == self.case
        proposals = []
        for direction in DIRECTIONS:
            for distance in range(1, self.longest + 1):
                target = self._step(seat, origin, direction, distance)
                if not self._inside(target):
                    break
                there = self._spy_on(target)
                kinds = []
                if there is None or there[0] != seat:  # C4: not onto an own spy
                    kinds += ["move", "leave"] if has_case else ["move"]
                if has_case:
                    kinds += ["pass"]  # C7: a pass may end on any spy
                for kind in kinds:
                    proposals.append(Proposal(letter, direction, distance, origin, target, kind))
                if there is not None or target == self.case:
                    break  # C4: no spy and no briefcase in between
        return proposals

    def _proposal_text(self, proposal):
        origin, target = name_of(proposal.origin), name_of(proposal.target)
        if proposal.kind == "pass":
            return f"pass {origin}-{target}"
        text = proposal.letter + " " + origin + ("x" if self._spy_on(proposal.target) else "-") + target
        return text + " leave" if proposal.kind == "leave" else text

    def _propose(self, proposal):
        self.pending = proposal
        self.proposed.add(proposal.letter)
        self.phase, self.to_move = "answer", 1 - self.seat  # C5: a step of the opponent
        if self.auto_answer and self.deal[self.seat][proposal.letter] != "DA":
            self._answer(self._truth())  # C5 auto_answer; for a Double Agent he is still asked

    # Answers (C5, C6)

    def _allows(self, number, proposal):
        _, directions, distance, _ = self.pieces[number]
        return proposal.direction in directions and proposal.distance <= distance

    def _truth(self):
        letter = self.pending.letter
        if letter in self._promoted[self.seat]:  # C10: 2 in all eight directions
            return self.pending.distance <= PROMOTED_DISTANCE
        return self._allows(self.deal[self.seat][letter], self.pending)

    def _answers(self):
        yes, no = partial(self._answer, True), partial(self._answer, False)
        if self.deal[self.seat][self.pending.letter] == "DA":
            return {"answer yes": yes, "answer no": no}  # C5: freely each time
        return {"answer yes": yes} if self._truth() else {"answer no": no}

    def _learn(self, letter, is_possible):
        """Keep the pieces for which is_possible(number), and the Double Agent (C13)."""
        self._knows[self.seat][letter] = frozenset(
            number for number in self._knows[self.seat][letter] if number == "DA" or is_possible(number)
        )

    def _answer(self, yes):
        proposal, seat = self.pending, self.seat
        letter = proposal.letter
        if letter not in self._promoted[seat]:  # C13: a promoted spy's answers say nothing about its piece
            self._learn(letter, lambda number: self._allows(number, proposal) == yes)
        if not yes:  # C6: the spy stays
            self._end_proposal()
            return
        had_case = proposal.origin == self.case
        if proposal.kind == "pass":  # C7: the briefcase alone
            self.case = proposal.target
        else:
            enemy = self._spy_on(proposal.target)
            if enemy:
                del self.where[enemy[0]][enemy[1]]  # C6: captured, unrevealed
            self.where[seat][letter] = proposal.target
            if had_case and proposal.kind == "move":
                self.case = proposal.target  # C7: carried along
        if self._check_over():  # no promotion any more
            return
        if proposal.kind == "pass" or not self._on_far_row(seat, proposal.target) or letter in self._promoted[seat]:
            self._end_proposal()
        elif self.sir:
            self._arrive_sir()
        else:
            self._arrive()

    def _arrive(self):  # C10
        letter = self.pending.letter
        piece = self.deal[self.seat][letter]
        if piece != "DA" and self.pieces[piece][3]:
            self._promoted[self.seat].add(letter)
            self._knows[self.seat][letter] -= {"DA"}  # C13: promotion made
            self._learn(letter, lambda number: self.pieces[number][3])
        else:
            self._learn(letter, lambda number: not self.pieces[number][3])  # C13: not made
        self._end_proposal()

    def _end_proposal(self):
        self.pending = None
        self.phase, self.to_move = "turn", self.seat
        may_propose_again = self.token == "move" and len(self.proposed) == 1  # C14: a second proposal
        if not (may_propose_again and any(self._proposals_of(letter) for letter in self._proposers())):
            self._end_turn()

    # Promotion, sir? (C15)

    def _arrive_sir(self):
        if self._on_far_row(self.seat, self.pending.origin):
            self._end_proposal()  # it came from that row already
        elif self.honor:  # nobody is asked
            self._promoted[self.seat].add(self.pending.letter)
            self._end_proposal()
        else:
            self.phase, self.to_move = "promote", self.seat

    def _promotion_choices(self):
        return {"promote yes": self._promote_yes, "promote no": self._end_proposal}

    def _promote_yes(self):
        seat, letter = self.seat, self.pending.letter
        if self.deal[seat][letter] != "DA":
            self._promoted[seat].add(letter)
            self._knows[seat][letter] -= {"DA"}
            self._end_proposal()
            return
        del self.where[seat][letter]  # its briefcase is left loose
        self._show(seat, letter)
        if not self._check_over():  # C11: it may have been the last spy
            self.phase, self.to_move = "take", 1 - seat

    def _take_choices(self):
        return {"take": self._take, "decline": self._end_proposal}

    def _take(self):
        other = 1 - self.seat
        self.case = self.where[other][min(self.where[other])]  # the alphabetically first spy in play
        if not self._check_over():  # C8 holds
            self._end_proposal()

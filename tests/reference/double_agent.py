"""Reference engine for the board game The Double Agent: plain, slow and obvious.

Written from the rulings D1-D16 and K1-K10 (cited as `# D7`) and the rulebook only.  Cells are named (`m14`), sectors
are codes (`GAR`), seats are numbers from 0.  An agent stands on a cell, in the GAZEBO, or, once out of the game, on
None.  Everything is a text: what chance brings, what a seat does.

    game = DoubleAgent(board, players=4)
    game.play("double agent 2")
    game.outcomes()      # {"first 0": 1, ...} while to_move is "chance"
    game.legal()         # {"wait"}, {"go m14", "accuse 3", ...} while to_move is a seat
"""

from collections import namedtuple
from fractions import Fraction

GAZEBO = "gazebo"
CHANCE = "chance"
DOUBLE_AGENT, SECURITY_AGENT = "double agent", "security agent"
ON, OFF = "ON", "OFF"
PUBLIC = "public"  # asks `knows` what the whole table knows

# A board: {cell: set of cells one step away}, {cell: sector code or None}, {gate name: its cell} of the exits, the
# cells beside the gazebo, and the sectors that have a monitor.  Cells closed to everybody (the gazebo after the start,
# grey cells, fence gates) are not in it.
Board = namedtuple("Board", "neighbours sector gates start monitors")

# One line of everybody's Security List; the condition is the one in which the inspector left the monitor.
Announcement = namedtuple("Announcement", "seat sector condition")

# D4: the sum of two dice.
THROWS = {2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 5, 9: 4, 10: 3, 11: 2, 12: 1}


class DoubleAgent:
    def __init__(
        self, board, players=4, *, max_turns=60, deluxe=False, rewards="individual", stake=1, sabotages_needed=None
    ):
        self.board = board
        self.players = players
        self.max_turns = max_turns
        self.rewards = rewards
        self.stake = Fraction(stake)
        self.sabotages_needed = sabotages_needed or (8 if deluxe else five_ninths(len(board.monitors)))  # D11

        self.double_agent = None
        self.first = None
        self.rounds = 0  # that have ended (D13)
        self.positions = dict.fromkeys(range(players), GAZEBO)  # D3
        self.out = set()
        self.exposed = set()
        self.accusations = []  # (accuser, accused), all of them wrong while the game goes on
        self.monitors = dict.fromkeys(board.monitors, ON)
        self.opening = None  # the sector of the opening play
        self.announcements = []
        # D7: the sectors whose monitor a seat may not inspect before it has ended a turn outside; first the Garden's.
        garden = {board.sector[cell] for cell in board.start}
        self.barred = {seat: set(garden) for seat in range(players)}

        self.phase = "identities"
        self.seat = None  # whose turn it is
        self.throw = None
        self.result = None  # (reason, returns by seat)

    # What may happen, and what happens

    @property
    def to_move(self):
        if self.result:
            return None
        return CHANCE if self.phase in ("identities", "first seat", "throw") else self.seat

    def outcomes(self):
        """Return the weight of each outcome of chance."""
        if self.to_move != CHANCE:
            return {}
        if self.phase == "throw":
            return {f"throw {total}": weight for total, weight in THROWS.items()}
        word = "double agent" if self.phase == "identities" else "first"
        return {f"{word} {seat}": 1 for seat in range(self.players)}  # D1, D3

    def legal(self):
        """Return what the seat to move may do."""
        if self.to_move in (None, CHANCE):
            return set()
        return {"opening": self._openings, "go": self._moves, "monitor": self._monitor_choices}[self.phase]()

    def play(self, text):
        """Apply an action or an outcome."""
        if text not in self.legal() | set(self.outcomes()):
            raise ValueError(f"{text!r} is not possible now ({self.phase})")
        word, last = text.split()[0], text.split()[-1]
        if word == "double":
            self.double_agent = int(last)
            self.phase = "first seat"
        elif word == "first":
            self.first = self.seat = int(last)
            self.phase = "opening"
        elif word in ("wait", "open"):
            self._open(last if word == "open" else None)
        elif word == "throw":
            self.throw = int(last)
            self.phase = "go"
        elif word == "go":
            self.positions[self.seat] = last
            self._arrive()
        elif word == "stay":
            self._end_turn()  # D5, D6: no move has ended here, so there is nothing to inspect
        elif word == "accuse":
            self._accuse(int(last))
        elif word == "leave":
            self._win(self.double_agent, "escape")
        else:
            self._choose_at_monitor(text)

    # The opening play (D2)

    def _openings(self):
        if self.seat == self.double_agent:
            return {f"open {sector}" for sector in self.monitors}
        return {"wait"}

    def _open(self, sector):
        if sector:
            self.opening = sector
            self.monitors[sector] = OFF
        self.seat = self._left_of(self.seat)
        if self.seat == self.first:
            self.phase = "throw"

    # A turn (D4)

    def _moves(self):
        moves = {f"go {cell}" for cell in self._landings()} or {"stay"}  # D5
        distance = self._distances()
        if self.seat == self.double_agent:
            if list(self.monitors.values()).count(OFF) >= self.sabotages_needed:  # D11
                for name, cell in self.board.gates.items():
                    if distance[cell] + 1 <= self.throw:  # K4: the point outside is one step beyond the gate's cell
                        moves.add(f"leave {name}")
            return moves
        for seat, cell in self.positions.items():  # D9
            is_accusable = seat not in self.out | self.exposed | {self.seat} and cell != GAZEBO
            if is_accusable and distance[cell] <= self.throw:
                moves.add(f"accuse {seat}")
        return moves

    def _step_from(self, place):
        """Return the cells one step away: from the gazebo those beside it (D3), and nobody steps into it again."""
        return set(self.board.start) if place == GAZEBO else set(self.board.neighbours[place])

    def _landings(self):
        """Return the cells at the end of a walk of the whole count that nobody else occupies (D5, D10, K9)."""
        ends = {self.positions[self.seat]}
        for _ in range(self.throw):
            ends = set().union(*(self._step_from(place) for place in ends))
        others = {self.positions[seat] for seat in range(self.players) if seat != self.seat}
        return ends - others

    def _distances(self):
        """Return how many steps each cell is away from the seat to move, over occupied cells too (K10)."""
        place = self.positions[self.seat]
        distance = {} if place == GAZEBO else {place: 0}
        edge, steps = {place}, 0
        while edge:
            steps += 1
            edge = set().union(*(self._step_from(cell) for cell in edge)) - set(distance)
            distance.update(dict.fromkeys(edge, steps))
        return distance

    def _arrive(self):
        sector = self._sector_of(self.seat)
        if sector in self.monitors and sector not in self.barred[self.seat]:
            self.phase = "monitor"
        else:
            self._end_turn()

    def _sector_of(self, seat):
        return self.board.sector.get(self.positions[seat])  # the gazebo is in no sector (K3)

    # At a monitor (D6)

    def _monitor_choices(self):
        choices = {"skip", "inspect"}
        if self.seat == self.double_agent and self.monitors[self._sector_of(self.seat)] == ON:
            choices.add("sabotage")
        return choices

    def _choose_at_monitor(self, choice):
        sector = self._sector_of(self.seat)
        if choice == "sabotage":
            self.monitors[sector] = OFF
        if choice != "skip":
            self.announcements.append(Announcement(self.seat, sector, self.monitors[sector]))  # D8
            self.barred[self.seat].add(sector)  # D7
        self._end_turn()

    # Accusing (D9)

    def _accuse(self, accused):
        if accused == self.double_agent:
            self._win(self.seat, "exposed")
            return
        self.accusations.append((self.seat, accused))
        self.exposed.add(accused)
        self.out.add(self.seat)
        self.positions[self.seat] = None
        assert len(self.out) < self.players - 1  # D12: the last Security Agent can only accuse rightly
        self._end_turn()

    # Turns and rounds

    def _left_of(self, seat):
        return (seat + 1) % self.players

    def _end_turn(self):
        # D7: it has ended a turn outside every sector but this one; a turn spent in the gazebo is not yet outside the
        # Garden, which one must leave and enter again (rulebook, 5).
        if self.positions[self.seat] != GAZEBO:
            self.barred[self.seat] &= {self._sector_of(self.seat)}
        self.throw, self.phase = None, "throw"
        while True:
            self.seat = self._left_of(self.seat)
            if self.seat == self.first:  # D13: whether it is in play or not
                self.rounds += 1
                if self.rounds == self.max_turns:
                    self._finish("turn limit", dict.fromkeys(range(self.players), Fraction(0)))
                    return
            if self.seat not in self.out:
                return

    # The end (D14)

    def _win(self, winner, reason):
        share = Fraction(1, self.players - 1)
        if self.rewards == "team" and winner != self.double_agent:
            returns = dict.fromkeys(range(self.players), share)
            returns[self.double_agent] = Fraction(-1)
        else:
            returns = dict.fromkeys(range(self.players), -share)
            returns[winner] = Fraction(1)
        self._finish(reason, returns)

    def _finish(self, reason, returns):
        for accuser, _ in self.accusations:
            for seat in range(self.players):
                returns[seat] += -self.stake if seat == accuser else self.stake / (self.players - 1)
        assert sum(returns.values()) == 0
        self.throw = None
        self.result = (reason, tuple(returns[seat] for seat in range(self.players)))

    # Who knows what (D1, D8, D13)

    def role(self, seat):
        return DOUBLE_AGENT if seat == self.double_agent else SECURITY_AGENT

    def knows(self, viewer):
        """Return everything that a seat, or PUBLIC, knows."""
        knows_all = self.result is not None or viewer == self.double_agent
        dealt = range(self.players) if self.double_agent is not None else ()
        shown = ({viewer} & set(dealt)) | self.exposed | self.out
        if len(shown) == self.players - 1:  # D12: the one that is left must be the Double Agent
            shown = set(dealt)
        list_known = [
            (seat, sector, condition if viewer in (seat, self.double_agent) else None)  # D8
            for seat, sector, condition in self.announcements
        ]
        found_off = {
            sector: OFF for seat, sector, condition in self.announcements if (seat, condition) == (viewer, OFF)
        }
        return {
            "roles": {seat: self.role(seat) for seat in dealt if knows_all or seat in shown},
            "first": self.first,
            "turn": self.seat,
            "throw": self.throw,
            "positions": dict(self.positions),
            "out": set(self.out),
            "exposed": set(self.exposed),
            "list": list_known,
            "monitors": dict(self.monitors) if knows_all else found_off,  # D6: OFF for good
            "opening": self.opening if viewer == self.double_agent else None,
            "barred": {seat: set(sectors) for seat, sectors in self.barred.items()},
        }


def five_ninths(monitors):
    """Return five ninths of the number of monitors, rounded up (D11)."""
    return -(-5 * monitors // 9)

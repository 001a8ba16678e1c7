"""Reference engine for the board game The Secret Formula: plain, slow and obvious.

Written from the rulings S1-S18 and K1-K10 (cited as `# S7`) and the rulebook only.  Cells are named (`m14`), sectors
are codes (`TOW`), seats are numbers from 0, envelopes have the name of their hiding place.  An agent stands on a cell,
waits outside a gate (`outside north`), or is in no place (None) until it names a gate.  Everything is a text: what
chance brings, what a seat does.

    game = SecretFormula(board, players=4)
    game.play("formula m14")
    game.outcomes()      # {"first 0": 1, ...} while to_move is "chance"
    game.legal()         # {"gate north", ...}, {"go m14", "surrender c3", ...} while to_move is a seat

The whole game is one generator that yields a question, (who is asked, possible answers), and is sent the answer.
"""

from collections import namedtuple
from fractions import Fraction

CHANCE = "chance"
PUBLIC = "public"  # asks `knows` what the whole table knows

# S4: how a seat is.  Woken: it has missed its last turn and moves on the next; moved: it has escaped meanwhile.
AWAKE, KNOCKED_OUT, WOKEN, MOVED = "awake", "knocked out", "woken", "woken and moved"

# A board: {cell: set of cells one step away}, {cell: sector code or None}, {gate name: its cell}, the hiding places,
# {sector code: the guard's cell in it}, the guard's route (sector codes, the first where he starts), and the sectors
# that are a single path, as the Observation Tower.  Cells closed to everybody are not in it.
Board = namedtuple("Board", "neighbours sector gates hiding posts route towers")

# Two dice, the lower first.
THROWS = {f"throw {low} {high}": 1 if low == high else 2 for low in range(1, 7) for high in range(low, 7)}


class SecretFormula:
    def __init__(self, board, players=4, *, max_rounds=60, deluxe=False, mercy=False):
        self.board = board
        self.players = players
        self.options = {"max_rounds": max_rounds, "deluxe": deluxe, "mercy": mercy}
        self.max_rounds = max_rounds
        self.mercy = mercy

        self.formula = None  # the envelope that holds it
        self.first = None
        self.round = 0
        self.turn = None  # the seat whose turn it is; while the guard is on his rounds, the first seat
        self.rest = None  # of the throw
        self.places = dict.fromkeys(range(players))
        self.conditions = dict.fromkeys(range(players), AWAKE)
        self.envelopes = {name: name for name in board.hiding}  # S2: the cell where it lies, or the seat that holds it
        self.examined = {seat: set() for seat in range(players)}
        self.guard = board.route[0]  # S6: the Observation Tower

        self.reason = None
        self.returns = None  # by seat
        self.played = []
        self._game = self._whole_game()
        self._question = next(self._game)

    def __deepcopy__(self, memo):
        other = SecretFormula(self.board, self.players, **self.options)
        for text in self.played:
            other.play(text)
        return other

    # What may happen, and what happens

    @property
    def to_move(self):
        return self._question and self._question[0]

    @property
    def result(self):
        return self.reason and (self.reason, self.returns)

    def outcomes(self):
        """Return the weight of each outcome of chance."""
        return dict(self._question[1]) if self.to_move == CHANCE else {}

    def legal(self):
        """Return what the seat to move may do."""
        return set(self._question[1]) if self.to_move not in (None, CHANCE) else set()

    def play(self, text):
        """Apply an action or an outcome."""
        if text not in self.legal() | set(self.outcomes()):
            raise ValueError(f"{text!r} is not possible now")
        self.played.append(text)
        self._question = self._game.send(text)

    # The course of the game

    def _whole_game(self):
        yield from self._set_up()
        while self.round < self.max_rounds:  # S14
            yield from self._revolution()
        yield from self._end("turn limit", (0,) * self.players)

    def _set_up(self):
        answer = yield CHANCE, {f"formula {name}": 1 for name in self.board.hiding}  # S2
        self.formula = answer.split()[1]
        answer = yield CHANCE, {f"first {seat}": 1 for seat in range(self.players)}  # S1
        self.first = int(answer.split()[1])
        free = set(self.board.gates)
        for seat in self._seats_from(self.first):
            yield from self._name_gate(seat, free)
            free.remove(self.places[seat].split()[1])

    def _revolution(self):
        self.round += 1
        self.turn = self.first
        if self.round > 1:  # S6
            route = self.board.route
            self.guard = route[(route.index(self.guard) + 1) % len(route)]
            yield from self._escapes()
        for seat in self._seats_from(self.first):
            self.turn = seat
            yield from self._one_turn(seat)

    def _seats_from(self, seat):
        """Return all seats from this one to the left."""
        return [(seat + i) % self.players for i in range(self.players)]

    def _name_gate(self, seat, gates):
        answer = yield seat, {f"gate {name}" for name in gates}
        self.places[seat] = f"outside {answer.split()[1]}"

    def _throw(self):
        answer = yield CHANCE, THROWS
        return [int(die) for die in answer.split()[1:]]

    # A turn

    def _one_turn(self, seat):
        if self.conditions[seat] == KNOCKED_OUT:  # S4, S11: the turn it misses
            self.conditions[seat] = WOKEN
            return
        if self.places[seat] is None:  # S9
            yield from self._name_gate(seat, self.board.gates)
        yield from self._hit_before_throw(seat)
        self.conditions[seat] = AWAKE
        dice = yield from self._throw()
        if dice[0] == dice[1] and self._sector_of(seat):  # S7
            self.guard = self._sector_of(seat)
            yield from self._escapes()
        else:
            yield from self._move(seat, sum(dice))

    def _hit_before_throw(self, seat):
        """Let a seat that missed its turn hit those who stand where it woke (S5)."""
        is_inside = self.places[seat] in self.board.neighbours
        rivals = [rival for rival in self._rivals_at(seat, self.places[seat]) if self._can_be_hit(rival)]
        if self.conditions[seat] in (WOKEN, MOVED) and is_inside and rivals:
            answer = yield seat, {"hit", "wait"}
            if answer == "hit":
                for rival in rivals:
                    self._hit(rival, seat)

    def _sector_of(self, seat):
        return self.board.sector.get(self.places[seat])

    def _rivals_at(self, seat, place):
        return [rival for rival in range(self.players) if rival != seat and self.places[rival] == place]

    def _can_be_hit(self, rival):
        """Whether a hit would knock it out (S4)."""
        return self.conditions[rival] in (AWAKE, MOVED) or (self.conditions[rival] == WOKEN and not self.mercy)

    def _hit(self, rival, seat):
        if self._can_be_hit(rival):
            self.conditions[rival] = KNOCKED_OUT
            self._take(self.held_by(rival), seat)

    def held_by(self, place):
        """Return the envelopes that a seat holds, or that lie on a cell."""
        return {name for name, where in self.envelopes.items() if where == place}

    def _take(self, names, seat):
        self.envelopes.update(dict.fromkeys(names, seat))
        self.examined[seat] |= names

    # Moving (S3)

    def _move(self, seat, rest, is_escape=False):
        captures = {"stay"} if is_escape else self._surrenders(seat, rest)
        while rest:
            self.rest = rest
            onward = self._onward(seat, rest)
            only_leaving = not captures and not any(action.startswith("go") for action in onward)
            if only_leaving and not (self._is_at_gate(seat) and self.held_by(seat)):
                break  # the rest lapses
            answer = yield seat, set(onward) | ({"stay"} if only_leaving else captures)  # S18
            word, _, name = answer.partition(" ")
            if word == "leave":
                yield from self._win(seat)
            if only_leaving:
                break
            if word in ("stay", "surrender"):
                self.places[seat] = name or self.places[seat]  # S10: envelopes stay on the cell that was named
                self._capture(seat)
                break
            self._arrive(seat, name)
            rest = onward[answer]
            captures = set() if is_escape else self._surrenders(seat, rest)
        self.rest = None

    def _onward(self, seat, rest):
        """Return {action: what is left of the throw after it} of the waypoints and exits that can be named."""
        ends = self._ends(self.places[seat], rest, self._open_steps)
        is_escape = self._sector_of(seat) == self.guard
        onward = {}
        for cell in self.board.neighbours:
            lengths = [steps for steps in range(1, rest + 1) if cell in ends[steps]]
            if not lengths:
                continue
            is_outside = self.board.sector[cell] != self.guard
            if self.held_by(cell) or self._rivals_at(seat, cell):
                left = rest - lengths[0]
                if is_outside or self._can_get_out(cell, left):  # S8
                    onward[f"go {cell}"] = left
            elif is_outside and (rest in lengths or (is_escape and self._is_dead_end(cell))):
                onward[f"go {cell}"] = 0
        return onward | self._exits(seat, ends[:rest])

    def _is_at_gate(self, seat):
        return self.places[seat] in self.board.gates.values()

    def _exits(self, seat, ends):
        """Return the ways to leave the camp: one more step to the point outside (S12)."""
        if self.formula not in self.held_by(seat):
            return {}
        return {f"leave {name}": 0 for name, cell in self.board.gates.items() if any(cell in end for end in ends)}

    def _ends(self, place, rest, steps):
        """Return, for each length up to `rest`, the cells at the end of some walk of that length (K9)."""
        ends = [{place}]
        for _ in range(rest):
            ends.append(set().union(*(steps(cell) for cell in ends[-1])))
        return ends

    def _all_steps(self, place):
        """Return the cells one step away from a cell, or from outside a gate (K4)."""
        if place not in self.board.neighbours:
            return {self.board.gates[place.split()[1]]}
        return self.board.neighbours[place]

    def _open_steps(self, place):
        """Return the same without the guard's sector (S10); for who is in it, without the guard's cell (S8)."""
        if self.board.sector.get(place) == self.guard:
            return self._all_steps(place) - {self.board.posts[self.guard]}
        return {cell for cell in self._all_steps(place) if self.board.sector[cell] != self.guard}

    def _can_get_out(self, cell, rest):
        """Whether a door or gate of the guard's sector is within `rest` steps of a cell in it (S8)."""
        ends = set().union(*self._ends(cell, rest, self._open_steps))
        return any(self.board.sector[end] != self.guard for end in ends)

    def _is_dead_end(self, cell):
        """Whether there is no way on from a door or gate of the guard's sector, so that an escape ends there (S8)."""
        return all(self.board.sector[beside] == self.guard for beside in self.board.neighbours[cell])

    def _surrenders(self, seat, rest):
        """Return the ways to end the move in the guard's sector (S10)."""
        ends = self._ends(self.places[seat], rest, self._all_steps)[rest] if rest else set()
        return {f"surrender {cell}" for cell in ends if self.board.sector[cell] == self.guard}

    def _arrive(self, seat, cell):
        if self.conditions[seat] == WOKEN:
            self.conditions[seat] = MOVED
        self.places[seat] = cell
        self._take(self.held_by(cell), seat)
        for rival in self._rivals_at(seat, cell):
            self._hit(rival, seat)

    # The guard

    def _escapes(self):
        """Let those in the guard's sector try to escape, in order from the seat whose turn it is (S8)."""
        for seat in self._seats_from(self.turn):
            if self._sector_of(seat) == self.guard:
                yield from self._escape(seat)

    def _escape(self, seat):
        is_lost = (
            self.conditions[seat] == KNOCKED_OUT
            or self.places[seat] == self.board.posts[self.guard]
            or self.guard in self.board.towers
        )
        if not is_lost:
            throw = sum((yield from self._throw()))
            if self._can_get_out(self.places[seat], throw):
                yield from self._move(seat, throw, is_escape=True)
                return
        self._capture(seat)

    def _capture(self, seat):
        """Throw a seat out of the camp (S9)."""
        self.envelopes.update(dict.fromkeys(self.held_by(seat), self.places[seat]))
        self.places[seat] = None
        self.conditions[seat] = KNOCKED_OUT

    # The end

    def _win(self, seat):
        lost = Fraction(-1, self.players - 1)
        yield from self._end("escape", [1 if each == seat else lost for each in range(self.players)])

    def _end(self, reason, returns):
        self.reason, self.returns = reason, tuple(returns)  # S15
        yield None  # nobody is asked again

    # Who knows what (S2)

    def knows(self, viewer):
        """Return everything that a seat, or PUBLIC, knows."""
        everything, examined = set(self.envelopes), set(self.examined.get(viewer, ()))
        knows_formula = self.formula in examined or len(examined) == len(everything) - 1
        return {
            "formula": self.formula if knows_formula else None,
            "blank": everything - {self.formula} if knows_formula else examined,
            "first": self.first,
            "round": self.round,
            "turn": self.turn,
            "rest": self.rest,
            "guard": self.guard,
            "at": dict(self.places),
            "condition": dict(self.conditions),
            "envelopes": dict(self.envelopes),
        }

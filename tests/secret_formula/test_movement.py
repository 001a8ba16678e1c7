"""Movement against brute force: every walk, step by step, on small maps with rivals and envelopes anywhere.

A walk of exactly the count may stop on the way wherever something is, to take and knock out all there; where
it ends it always stops.  It never enters the guard's sector; who starts in it goes round his post and does
not come back.  A walk that has come out of the sector on a door that leads nowhere else may end there.
"""

import random

import pytest

import kgb_env
from kgb_env import kernels
from kgb_env.games.secret_formula import rules
from kgb_env.games.secret_formula.boards import camp_of, names_of
from kgb_env.games.secret_formula.spec import ESCAPE, MOVE, NOWHERE
from kgb_env.jit import numba_config
from tests.secret_formula.positions import BOARD, at, own_game
from tests.secret_formula.test_rulings_guard import DEAD_END

pytestmark = pytest.mark.nojit

OUTSIDE = None
NARROW = """
title The Narrow Camp
sector A ANT Antechamber
sector B BAY Bay
sector C CEL Cellar
gates up down left right
route ANT BAY CEL
map
###=#######
#A.+::::+.#
#.*#:##:#.#
=X.+::::+*#
####:##:#X#
#X*C+:::+B=
#####=#####
"""
MAPS = {"test": BOARD, "dead end": DEAD_END}


class Walks:
    """All walks on a board while the guard is in a sector."""

    def __init__(self, game, guard):
        self.board = camp_of(game)
        number = self.board.number
        self.links = {number[place]: [number[to] for to in links] for place, links in self.board.links.items()}
        self.sector = {number[place]: sector for place, sector in self.board.sector_of.items()}
        self.guard, self.post = guard, number[self.board.sectors[guard].post]

    def steps(self, cell):
        """Return where one step leads."""
        for to in self.links[cell]:
            into_it = self.sector.get(to) == self.guard
            if to != self.post and not (into_it and self.sector.get(cell) != self.guard):
                yield to

    def is_inside(self, cell):
        return self.sector.get(cell) == self.guard

    def outcomes(self, start, count, things, gate=None):
        """Return where moves can end, with all that is taken and everybody that is hit, and where they can first stop.

        Args:
            start: a cell, or OUTSIDE of the gate's cell.
            count: steps.
            things: what is on a cell: names of envelopes and rivals.
            gate: the cell of the gate.
        """
        found, first, seen = set(), set(), set()
        must_get_out = start is not OUTSIDE and self.is_inside(start)
        stack = [(start, count, frozenset(), None)]
        while stack:
            state = stack.pop()
            if state in seen:
                continue
            seen.add(state)
            cell, left, taken, stop = state
            is_dead_end = must_get_out and not self.is_inside(cell) and all(map(self.is_inside, self.links[cell]))
            is_end = left == 0 or (is_dead_end and left < count)
            if is_end and cell is not OUTSIDE and not (must_get_out and self.is_inside(cell)):
                found.add((cell, taken | things.get(cell, frozenset())))
                first.add(cell if stop is None else stop)
            if left == 0:
                continue
            for to in [gate] if cell is OUTSIDE else self.steps(cell):
                stack.append((to, left - 1, taken, stop))
                if to in things:
                    stack.append((to, left - 1, taken | things[to], to if stop is None else stop))
        return found, first


def random_position(game, rng, is_escape):
    """Return the lines of a position in which seat 0 has thrown, with the guard's sector, or None."""
    names, t, board = names_of(game), game.tables[0], camp_of(game)
    guard = rng.randrange(len(names.sectors))
    is_spiral = board.sectors[guard].is_spiral
    open_cells = [c for c in range(t.cells) if t.sector[c] != guard]
    own = [c for c in range(t.cells) if t.sector[c] == guard and c != t.guard_post[guard]]
    if is_escape and (is_spiral or not own):
        return None
    before = next(s for s in range(len(names.sectors)) if s != guard)
    lines = [f"guard {names.sectors[before if is_escape else guard]}"]
    if is_escape:
        start = rng.choice(own)
        lines.append(f"seat 0 {names.cells[start]}")
        possible = [c for c in range(t.cells) if t.sector[c] != before and c != t.guard_post[guard]]
    elif rng.random() < 0.2:
        start = OUTSIDE
        lines.append(f"seat 0 outside {rng.choice(names.gates)}")
        possible = open_cells
    else:
        start = rng.choice(open_cells)
        lines.append(f"seat 0 {names.cells[start]}")
        possible = open_cells
    for seat in range(1, game.seats):
        if rng.random() < 0.7 and seat < game.seats - 1:
            lines.append(f"seat {seat} {names.cells[rng.choice(possible)]}")
    for name in names.envelopes:
        if rng.random() < 0.6:
            lines.append(f"envelope {name} {names.cells[rng.choice(range(t.cells))]}")
    low, high = sorted((rng.randint(1, 6), rng.randint(1, 6)))
    if not is_escape and low == high and start is not OUTSIDE and t.sector[start] != NOWHERE:
        return None
    lines += ["then throw 1 1"] if is_escape else []
    return [*lines, f"then throw {low} {high}"], guard, start, low + high


def things_on(game, states):
    """Return envelopes and rivals by cell."""
    found = {}
    for envelope, cell in enumerate(states["lies"][0].tolist()):
        if cell != NOWHERE:
            found.setdefault(cell, set()).add(("envelope", envelope))
    for seat in range(1, game.seats):
        if states["cell"][0, seat] != NOWHERE:
            found.setdefault(int(states["cell"][0, seat]), set()).add(("rival", seat))
    return {cell: frozenset(things) for cell, things in found.items()}


def played(game, states, count, monkeypatch):
    """Return where the moves of the rules can end, as ``Walks.outcomes`` does."""
    found, first = set(), set()
    with monkeypatch.context() as patched:
        patched.setattr(rules, "go_on", lambda s, tables: setattr(s, "to_move", -1))  # the move is over
        stack, seen = [(states, None)], set()
        while stack:
            now, stop = stack.pop()
            if (now.tobytes(), stop) in seen:
                continue
            seen.add((now.tobytes(), stop))
            if now["to_move"][0] != 0:
                cell = int(now["cell"][0, 0])
                hit = {("rival", seat) for seat in range(1, game.seats) if now["status"][0, seat]}
                took = {("envelope", e) for e in range(len(names_of(game).envelopes)) if now["holder"][0, e] == 0}
                if cell != NOWHERE:
                    found.add((cell, frozenset(hit | took)))
                    first.add(stop)
                continue
            for action in game.legal(now):
                text = game.notation.action(game, now, int(action)).split()
                if text[0] == "go" or (text == ["stay"] and now["left"][0] < count):  # to stay at the end is S18
                    after = now.copy()
                    kernels.step(after[0], int(action), game.tables[0])
                    for field in ("log", "events", "forgotten"):
                        after[field] = 0
                    cell = int(after["cell"][0, 0])
                    stack.append((after, cell if stop is None else stop))
    return found, first


def names_only(game, found):
    return {(names_of(game).cells[cell], things) for cell, things in found}


@pytest.mark.skipif(not numba_config.DISABLE_JIT, reason="a move's end is cut off in plain Python (make test-nojit)")
@pytest.mark.parametrize("is_escape", [False, True], ids=["free", "escape"])
@pytest.mark.parametrize("board", [*MAPS, "mini", "narrow"])
def test_moves_are_all_walks(tmp_path, monkeypatch, board, is_escape):
    if board == "mini":
        game = kgb_env.game("secret_formula", board="mini", players=2)
    else:
        game = own_game(tmp_path, MAPS.get(board, NARROW))
    rng, played_positions = random.Random(board), 0
    while played_positions < 40:
        drawn = random_position(game, rng, is_escape)
        if drawn is None:
            continue
        lines, guard, start, count = drawn
        if count > 8:
            continue
        states = at(game, *lines)
        if is_escape and states["phase"][0] != ESCAPE:
            found, _ = Walks(game, guard).outcomes(start, count, {})
            assert not found, lines  # captured, for there is no way out
            continue
        if states["to_move"][0] != 0 or states["phase"][0] not in (MOVE, ESCAPE):
            continue
        played_positions += 1
        gate = None if start is not OUTSIDE else int(game.tables[0].gate_cell[states["gate"][0, 0]])
        found, first = Walks(game, guard).outcomes(start, count, things_on(game, states), gate)
        mine, named = played(game, states, count, monkeypatch)
        assert names_only(game, mine) == names_only(game, found), lines
        assert {names_of(game).cells[c] for c in named} == {names_of(game).cells[c] for c in first}, lines

"""Play the kernel and the reference engine of Confusion side by side and compare them at every ply.

    python -m tests.reference.agree --games 10000

Every game has a board, pieces and options of its own: the shipped set-ups with tokens and variants in any mixture, and
boards of our own.  Choices are random but biased, so that captures, passes, removals, promotions, tokens and every kind
of end really occur.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
from rich.progress import track

import kgb_env
from kgb_env import Game, OptionError, derive_seed
from kgb_env.games.confusion.files import PIECES, SETUPS, parse_pieces, parse_setup
from kgb_env.games.confusion.spec import BEYOND, cell_number
from kgb_env.registry import rebuild
from tests.confusion import positions
from tests.confusion.positions import DA, RED, WHITE
from tests.reference.confusion import DEFAULT_PIECES, DIRECTIONS, STANDARD, TOKENS, Confusion, name_of, square_of


class Case(NamedTuple):
    """A board, a set of pieces and options, in the reference's terms; walls are squares out of play."""

    name: str
    pieces: list
    setup: tuple
    options: dict
    walls: frozenset[str] = frozenset()


# 12 other pieces: none is promotable and none goes farther than 3.
OWN_PIECES = [
    (f"{'/'.join(ways)} {far}", set(ways), far, False) for far in (1, 2, 3) for ways in ("FB", "LR", "FL", "BR")
]
FEW_PIECES = [
    ("lance", {"F", "FL"}, 3, True),
    ("man", {"F", "B", "L", "R"}, 1, False),
    ("king", set(DIRECTIONS), 2, False),
    ("bishop", {"FL", "FR", "BL"}, 1, True),
    ("rook", {"F", "B", "L"}, 2, False),
]
SMALL = (5, 5, {"A": (2, 1), "C": (3, 1), "D": (4, 1), "F": (3, 2)}, "c3")
MIDDLE = (7, 7, {"A": (2, 1), "C": (3, 1), "D": (4, 1), "F": (5, 1), "H": (3, 2), "J": (5, 2)}, "d4")
CORNERS = (5, 5, {"A": (1, 1), "C": (3, 1), "D": (4, 1), "F": (3, 2)}, "c3")
WALLS = frozenset({"a2", "b2", "b1", "e4", "d4", "d5"})  # A stands alone: only so a seat runs out of proposals (C11)

BOARDS = (
    ("small", FEW_PIECES[:3], SMALL, 30, frozenset()),
    ("middle", FEW_PIECES, MIDDLE, 40, frozenset()),
    ("walled", FEW_PIECES[:3], CORNERS, 30, WALLS),
    ("own pieces", OWN_PIECES, STANDARD, 10, frozenset()),
    ("standard", DEFAULT_PIECES, STANDARD, 25, frozenset()),
    ("mini", None, None, 30, frozenset()),
    ("mini7", None, None, 40, frozenset()),
)
VARIANTS = ("honor_among_spies", "tight_setup", "safe_extraction", "variable_setup", "promotion_sir")
TOKEN_SETS = (((), ()), (TOKENS, TOKENS), (("reveal",), ("move", "swap")))
SHIPPED = ("standard", "mini", "mini7")


def case_of(number: int) -> Case:
    """Return the board and the options of a game by its number; every second game is without tokens and variants."""
    rng = random.Random(number)
    name, pieces, setup, max_turns, walls = BOARDS[number // 2 % len(BOARDS)]
    if pieces is None:
        pieces, setup = shipped(name)
    options: dict = {"max_turns": max_turns, "auto_answer": rng.random() < 0.4}
    if number % 2:
        options |= {variant: rng.random() < 0.35 for variant in VARIANTS}
        options["special_actions"] = rng.choice(TOKEN_SETS)
    case = Case(name, pieces, setup, options, walls)
    try:
        kernel_of(case)
    except OptionError:  # these do not go together on this board
        options |= {"tight_setup": False, "variable_setup": False}
    return case


@cache
def shipped(name: str) -> tuple[list, tuple]:
    """Return a shipped set of pieces and set-up, in the reference's terms."""
    pieces = parse_pieces((PIECES / f"{name}.txt").read_text(encoding="utf-8"), name)
    setup = parse_setup((SETUPS / f"{name}.txt").read_text(encoding="utf-8"), name)
    spies = {letter: (column + 1, row + 1) for letter, (column, row) in setup.spies.items()}
    centre = name_of((setup.columns // 2 + 1, setup.rows // 2 + 1))
    return [(p.name, set(p.directions), p.distance, p.is_promotable) for p in pieces], (
        setup.columns,
        setup.rows,
        spies,
        centre,
    )


# How gladly each kind of action is chosen where there is one.
EAGERNESS = {
    "win": 12,
    "fetch": 8,
    "capture": 6,
    "arrive": 6,
    "carry": 5,
    "move": 3,
    "hand over": 12,
    "pass": 4,
    "leave": 3,
    "expose": 0.1,
    "out": 0.1,
    "answer yes": 3,
    "answer no": 1,
    "skip": 1,
    "reveal": 1,
    "move two": 1,
    "swap": 1,
    "place": 1,
    "promote yes": 2,
    "promote no": 1,
    "take": 1,
    "decline": 1,
}
OTHERS = ("out", "expose", "skip", "reveal", "swap", "place", "take", "decline")
PROPOSALS = ("win", "fetch", "capture", "arrive", "carry", "move", "hand over", "pass", "leave")


class Walled(Confusion):
    """The reference with squares that nobody can enter."""

    def __init__(self, walls, *arguments, **options):
        self.walls = walls
        super().__init__(*arguments, **options)

    def _inside(self, square):
        return super()._inside(square) and name_of(square) not in self.walls


def kernel_of(case: Case) -> Game:
    """Return the kernel's game for a case."""
    if case.name in SHIPPED:
        return kgb_env.game("confusion", setup=case.name, pieces=case.name, **case.options)
    columns, _, places, _ = case.setup
    pieces = [f"P{n} {' '.join(ways)} {far} {'promotable' * can}" for n, (_, ways, far, can) in enumerate(case.pieces)]
    drawn = {row: ["."] * columns for row in (1, 2)}
    for letter, (column, row) in places.items():
        drawn[row][column - 1] = letter
    setup = [f"board {columns} x {case.setup[1]}", *(f"row {row} {''.join(line)}" for row, line in drawn.items())]
    data = {"pieces": "\n".join(pieces), "setup": "\n".join(setup)}
    game = rebuild("confusion", {**case.options, "pieces": "own", "setup": "own"}, data)
    return replace(game, tables=walled(game.tables, case.walls)) if case.walls else game


def reference_of(case: Case, game: Game, states: np.ndarray) -> Confusion:
    """Return the reference's game with the same deal."""
    columns, rows, places, centre = case.setup
    if case.options.get("honor_among_spies"):
        places = dict(sorted(places.items())[:-1])
    deal = [deal_of(game, states, seat) for seat in (WHITE, RED)]
    return Walled(case.walls, deal, case.pieces, (columns, rows, places, centre), **case.options)


def walled(tables: np.ndarray, walls: frozenset[str]) -> np.ndarray:
    """Return the tables with squares that nobody can enter."""
    tables, cells = tables.copy(), [cell_number(name) for name in walls]
    path = tables["path"][0]
    blocked = np.maximum.accumulate(np.isin(path, cells), axis=-1)  # what lies behind a wall is out of reach too
    path[blocked] = BEYOND
    path[:, cells] = BEYOND
    return tables


def deal_of(game: Game, states: np.ndarray, seat: int) -> dict:
    """Return the pieces of a seat's spies."""
    pieces = states["piece"][0, seat].tolist()
    letters = positions.letters_of(game)
    return {
        letter: DA if piece == len(pieces) - 1 else piece + 1 for letter, piece in zip(letters, pieces, strict=False)
    }


def kind_of(reference: Confusion, text: str) -> str:
    """Classify an action by what it would bring, for the choice of it."""
    words = text.split()
    if text == "move two":
        return text
    if text == "expose" and len(reference.squares(1 - reference.to_move)) == 1:
        return "win"
    if words[0] in ("answer", "promote"):
        return text
    if words[0] in OTHERS:
        return words[0]
    start, end = words[1].replace("x", "-").split("-")
    is_far = end[1:] == str(reference.rows if reference.to_move == WHITE else 1)
    has_case = start == reference.briefcase
    if words[0] == "pass":
        return "hand over" if reference._spy_on(square_of(end)) else "pass"
    if words[-1] == "leave":
        return "leave"
    if is_far and (has_case or end == reference.briefcase):
        return "win"
    if end == reference.briefcase:
        return "fetch"
    return "capture" if "x" in words[1] else "arrive" if is_far else "carry" if has_case else "move"


def choose(rng: random.Random, reference: Confusion) -> str:
    """Choose a kind of action by eagerness, then any of that kind."""
    kinds: dict[str, list[str]] = {}
    for text in sorted(reference.legal()):
        kinds.setdefault(kind_of(reference, text), []).append(text)
    (kind,) = rng.choices(list(kinds), [EAGERNESS[kind] for kind in kinds])
    return rng.choice(kinds[kind])


def compare(game: Game, states: np.ndarray, reference: Confusion) -> None:
    """Assert that both engines are in the same position and allow the same."""
    assert positions.to_move(states) == reference.to_move, "to_move"
    assert positions.result(game, states) == reference.result, "result"
    assert positions.legal(game, states) == reference.legal(), "legal actions"
    assert positions.briefcase(states) == reference.briefcase, "briefcase"
    for seat in (WHITE, RED):
        assert positions.squares(game, states, seat) == reference.squares(seat), "squares"
        assert positions.possible(game, states, seat) == reference.knows(seat), "raw sets"
        assert positions.promoted(game, states, seat) == reference.promoted(seat), "promoted"
        assert positions.revealed(game, states, seat) == reference.revealed(seat), "revealed"


class Public(NamedTuple):
    """What the whole table sees, and whose turn it is."""

    seat: int
    spies: list[dict[str, str]]
    briefcase: str
    promoted: list[set[str]]


def public(reference: Confusion) -> Public:
    """Return what the whole table sees now."""
    seats = (WHITE, RED)
    return Public(
        reference.seat,
        [reference.squares(s) for s in seats],
        reference.briefcase,
        [reference.promoted(s) for s in seats],
    )


def events(text: str, asked: str, before: Public, reference: Confusion) -> Iterator[str]:
    """Name what an action has brought about, to count it; ``asked`` is the last proposal."""
    after, seat, kind = public(reference), before.seat, text.split()[0]
    if kind in OTHERS or text in ("move two", "promote no"):
        yield text if kind == "promote" or kind == "move" else kind
    elif kind == "promote" and sum(map(len, after.spies)) < sum(map(len, before.spies)):
        yield "Double Agent uncovered"
    elif sum(map(len, after.spies)) < sum(map(len, before.spies)):
        yield "capture"
    if after.briefcase != before.briefcase and kind == "answer":
        holder = [s for s in (WHITE, RED) if after.briefcase in after.spies[s].values()]
        where = "to nobody" if not holder else "to an own spy" if holder == [seat] else "to an enemy"
        yield f"pass {where}" if asked.startswith("pass") else "carry"
    elif asked.endswith("leave") and after.spies != before.spies and kind == "answer":
        yield "leave"
    if after.promoted != before.promoted:
        yield "promotion"
    if reference.result:
        reason, returns = reference.result
        yield reason
        if reason == "elimination":
            yield f"elimination by {kind if kind in ('out', 'expose', 'promote') else 'capture'}"
        if reason == "extraction" and returns[seat] < 0:
            yield "extraction in the other's turn"


def play_both(number: int) -> Counter:
    """Play one game in both engines; return how often what happened.

    Raises:
        AssertionError: they differ; the message names the game and its moves.
    """
    case, rng = case_of(number), random.Random(number)
    game = kernel_of(case)
    states = game.start(derive_seed(number, 0, 0))
    reference = reference_of(case, game, states)
    played: list[str] = []
    asked, happened = "", Counter()
    try:
        compare(game, states, reference)
        while reference.result is None:
            text, before = choose(rng, reference), public(reference)
            played.append(text)
            asked = text if kind_of(reference, text) in PROPOSALS else asked
            reference.play(text)
            game.play(states, game.notation.parse_action(game, states, text))
            compare(game, states, reference)
            happened.update(events(text, asked, before, reference))
    except (AssertionError, ValueError) as error:
        where = f"game {number} ({case.name}, {case.options}), deal {reference.deal}"
        raise AssertionError(f"{where}, {'; '.join(played)}: {error}") from error
    options = [name for name, value in case.options.items() if value not in (False, ((), ())) and name != "max_turns"]
    return happened + Counter(plies=len(played), games=1) + Counter(f"option {name}" for name in options)


def main() -> None:
    """Play as many games as the command line says, with a progress line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    arguments = parser.parse_args()
    total: Counter = Counter()
    numbers = range(arguments.first, arguments.first + arguments.games)
    for number in track(numbers, "kernel against reference"):
        total += play_both(number)
    print(f"{arguments.games:,} games, no difference")
    for event, count in sorted(total.items()):
        print(f"{count:9,} {event}")


if __name__ == "__main__":
    main()

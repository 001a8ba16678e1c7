"""Play the kernel and the reference engine of The Double Agent side by side and compare them at every ply.

    python -m tests.reference.agree_double_agent --games 5000

Every game has a board and options of its own.  Choices are random but biased, so that agents crowd together, inspect,
accuse, sabotage and escape.  Then a twin of the game is played, in which a secret differs: at every ply a seat's two
views must be equal bytes exactly if that seat has seen the same in both.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from rich.progress import track

import kgb_env
from kgb_env import Game, kernels
from kgb_env.camp.board import Board as Camp
from kgb_env.camp.board import load_board
from kgb_env.camp.compose import compose
from kgb_env.camp.drawing import place_name
from kgb_env.record import CHANCE, NOBODY, PUBLIC
from kgb_env.registry import rebuild
from tests.reference import double_agent
from tests.reference.double_agent import GAZEBO, OFF, ON, Board, DoubleAgent
from tests.reference.double_agent_positions import YARD_FILE

# So narrow that agents often can land nowhere, and some cannot leave the gazebo.
ROW_FILE = """
title The Row
sector G GAR Garden
sector H HUT Hut
gates west east
route GAR HUT
map
#######
#@@####
=G*+*H=
#######
"""
OWN = {"yard": YARD_FILE, "row": ROW_FILE}
BOARDS = ("standard", "yard", "mini", "deluxe", "row")


class Case(NamedTuple):
    """A board by its name, and options."""

    board: str
    options: dict


def case_of(number: int) -> Case:
    """Return the board and the options of a game by its number."""
    rng = random.Random(number)
    board = BOARDS[number % len(BOARDS)]
    options = {
        "players": rng.randint(4 if board == "deluxe" else 3, 6),
        "rewards": rng.choice(("individual", "team")),
        "stake": rng.choice((0.0, 0.5, 1.0)),
        "max_turns": rng.choice((1, 2, 5, 12, 60) if board in OWN else (2, 12, 30, 60)),
    }
    return Case(board, options | ({"deluxe": True} if board == "deluxe" else {}))


def kernel_of(case: Case) -> Game:
    """Return the kernel's game for a case."""
    board, options = case
    if board in OWN:
        return rebuild("double_agent", {**options, "board": "own"}, {"board": OWN[board], "other_board": ""})
    return kgb_env.game("double_agent", **options, **({"board": "mini"} if board == "mini" else {}))


def camp_of(game: Game) -> Camp:
    """Return the board on which a game is played, read from the text that the game holds."""
    return _camp(game.data["board"], game.data["other_board"] if game.options["deluxe"] else "")


@cache
def _camp(text: str, other: str) -> Camp:
    camp = load_board(text, "board")
    return compose(camp, load_board(other, "other board")) if other else camp


def plain(game: Game) -> Board:
    """Return the board of a game in the reference's terms."""
    camp = camp_of(game)
    code_of = {place: camp.sectors[sector].code for place, sector in camp.sector_of.items()}
    return Board(
        neighbours={place_name(place): {place_name(to) for to in camp.links[place]} for place in camp.cells},
        sector={place_name(place): code_of.get(place) for place in camp.cells},
        gates={gate.name: place_name(gate.place) for gate in camp.gates},
        start=tuple(place_name(place) for place in camp.start),
        monitors=tuple(s.code for s in camp.sectors if s.is_monitored or not game.options["deluxe"]),  # D15
    )


class Kernel:
    """The kernel's game in the reference's terms; chance is played by hand."""

    def __init__(self, board: str, options: dict):
        self.game = kernel_of(Case(board, options))
        self.camp = camp_of(self.game)
        self.names = [place_name(place) for place in self.camp.cells]
        self.codes = [sector.code for sector in self.camp.sectors]
        self.players = self.game.seats
        self.states = self.game.begin()

    def __deepcopy__(self, memo: dict) -> "Kernel":
        other = object.__new__(Kernel)
        other.__dict__ = self.__dict__ | {"states": self.states.copy()}
        return other

    @property
    def to_move(self) -> int | str | None:
        seat = int(self.states["to_move"][0])
        return {NOBODY: None, CHANCE: double_agent.CHANCE}.get(seat, seat)

    @property
    def result(self) -> tuple | None:
        outcome = self.game.outcome(self.states)
        return outcome and (REASONS.get(outcome.reason, outcome.reason), outcome.returns[: self.players])

    def outcomes(self) -> dict[str, int]:
        if self.to_move != double_agent.CHANCE:
            return {}
        weights = self.game.weights()
        kernels.chance(self.states[0], weights, self.game.tables[0])
        return {self.game.notation.outcome(self.game, self.states, i): int(weights[i]) for i in weights.nonzero()[0]}

    def legal(self) -> set[str]:
        """Return the legal texts, from the view of the seat to move."""
        seat = self.to_move
        if not isinstance(seat, int):
            return set()
        view = self.game.view(self.states, seat)
        texts = [self.game.notation.action(self.game, view, int(action)) for action in self.game.legal(view)]
        assert len(set(texts)) == len(texts), "two actions with one text"
        assert list(self.game.legal(view)) == list(self.game.legal(self.states)), "legal from view and from state"
        return set(texts)

    def play(self, text: str) -> None:
        notation, is_chance = self.game.notation, self.to_move == double_agent.CHANCE
        read = notation.parse_outcome if is_chance else notation.parse_action
        number = read(self.game, self.states, text)
        if not is_chance and number not in self.game.legal(self.states):
            raise ValueError(f"{text!r} is illegal")
        kernels.step(self.states[0], number, self.game.tables[0])

    def view(self, viewer: int | str) -> bytes:
        """Return a view as bytes."""
        return self.game.view(self.states, PUBLIC if viewer == double_agent.PUBLIC else viewer).tobytes()

    def knows(self, viewer: int | str) -> dict:
        """Return what a view says, as the reference's `knows` does."""
        view = self.game.view(self.states, PUBLIC if viewer == double_agent.PUBLIC else viewer)
        field = {name: view[name][0].tolist() for name in FIELDS}
        seats, listed = range(self.players), field["listed"]
        out = {seat for seat in seats if field["out"][seat]}
        cells, barred = field["cell"], field["barred"]
        lines = zip(field["security_list"][:listed], field["found"][:listed], strict=True)
        return {
            "roles": {s: ROLES[field["role"][s]] for s in seats if field["role"][s] >= 0},
            "first": field["first"],
            "throw": field["throw"] or None,
            "positions": {s: None if s in out else GAZEBO if cells[s] < 0 else self.names[cells[s]] for s in seats},
            "out": out,
            "exposed": {seat for seat in seats if field["exposed"][seat]},
            "list": [(line % 8, self.codes[line // 8], CONDITIONS[found]) for line, found in lines],
            "monitors": {c: CONDITIONS[m] for c, m in zip(self.codes, field["monitor"], strict=False) if m > 0},
            "opening": self.codes[field["opening"] - 1] if field["opening"] > 0 else None,
            "barred": {s: {self.codes[barred[s]]} if barred[s] >= 0 else set() for s in seats},
        }


# The kernel's record: fields that are compared, and what their numbers mean.
FIELDS = [
    "role",
    "first",
    "throw",
    "cell",
    "out",
    "exposed",
    "listed",
    "security_list",
    "found",
    "monitor",
    "opening",
    "barred",
]
REASONS = {"exposure": "exposed"}
ROLES = (double_agent.SECURITY_AGENT, double_agent.DOUBLE_AGENT)
CONDITIONS = {-1: None, 1: ON, 2: OFF, 3: OFF}  # 3: sabotaged by this inspection


# The same at every ply


def compare(kernel: Kernel, reference: DoubleAgent) -> None:
    """Assert that both engines are in the same position, allow the same and tell the same."""
    assert kernel.to_move == reference.to_move, f"to_move: {kernel.to_move}, {reference.to_move}"
    for what, one, two in (
        ("outcomes", kernel.outcomes(), reference.outcomes()),
        ("legal", kernel.legal(), reference.legal()),
    ):
        assert one == two, f"{what}: only kernel {set(one) - set(two)}, only reference {set(two) - set(one)}"
    for viewer in (*range(reference.players), double_agent.PUBLIC):
        told, known = kernel.knows(viewer), reference.knows(viewer)
        for key, value in told.items():
            if (key == "first" and known[key] is None) or (key == "barred" and reference.phase != "throw"):
                continue  # blank before it is drawn; in the middle of a turn the two keep books differently
            assert value == known[key], f"{key} in the view of {viewer}: {value}, {known[key]}"
    if reference.result:
        (one, given), (two, due) = kernel.result, reference.result
        assert one == two, f"reason: {one}, {two}"
        assert all(abs(a - b) < 1e-6 for a, b in zip(given, due, strict=True)), f"returns: {given}, {due}"
        assert abs(sum(given)) < 1e-6, "zero-sum"
        assert kernel.game.min_return - 1e-6 <= min(given) <= max(given) <= kernel.game.max_return + 1e-6, "bounds"


class Story:
    """What everybody has seen so far."""

    def __init__(self, players: int):
        self.viewers = (*range(players), double_agent.PUBLIC)
        self.seen: dict = {viewer: [] for viewer in self.viewers}

    def tell(self, text: str, seat: int | None, reference: DoubleAgent) -> None:
        """Add what was seen of a text that `seat` has just played (None: chance)."""
        for viewer in self.viewers:
            self.seen[viewer].append((seat, self._as_seen(text, seat, viewer, reference)))
            if reference.result:  # D13
                self.seen[viewer].append((reference.double_agent, tuple(reference.monitors.items()), reference.result))

    def _as_seen(self, text: str, seat: int | None, viewer: int | str, reference: DoubleAgent) -> str:
        word = text.split()[0]
        if word == "double":
            return text if viewer == reference.double_agent else ""
        if word in ("wait", "open"):
            return text if viewer == seat else ""
        if word in ("inspect", "sabotage"):
            return f"{text} {reference.announcements[-1].condition}" if viewer == seat else "inspect"
        return text


def check_twin(case: Case, rng: random.Random, played: list[str]) -> Counter:
    """Play a game again with other secrets as far as it goes; return how many pairs of views were alike or not.

    Raises:
        AssertionError: a seat can tell from its views what it has not seen, or cannot tell what it has seen.
    """
    kernels_of_both = [Kernel(*case) for _ in range(2)]
    games = [(kernel, reference_of(kernel, case), Story(kernel.players)) for kernel in kernels_of_both]
    (_, reference, story), (_, other, other_story) = games
    pairs: Counter = Counter()
    for number, text in enumerate(played):
        if other.to_move is None or reference.to_move != other.to_move:
            break
        texts = text, varied(text, rng, other)
        if texts[1] not in other.legal() | set(other.outcomes()):
            break
        for (kernel, engine, told), its in zip(games, texts, strict=True):
            seat = None if engine.to_move == double_agent.CHANCE else engine.to_move
            kernel.play(its)
            engine.play(its)
            told.tell(its, seat, engine)
        for viewer in story.viewers if number else ():  # before its first draw a game has no views
            is_same = story.seen[viewer] == other_story.seen[viewer]
            looks_same = games[0][0].view(viewer) == games[1][0].view(viewer)
            assert is_same == looks_same, (
                f"twin at {number}: {viewer} saw {'the same' if is_same else 'a difference'}; "
                f"{fields_that_differ(games[0][0], games[1][0], viewer)}; deal {other.double_agent}, {other.opening}"
            )
            pairs["views alike" if is_same else "views that differ"] += 1
    return pairs


def varied(text: str, rng: random.Random, other: DoubleAgent) -> str:
    """Return a text, or another that may look like it to somebody."""
    word, legal = text.split()[0], other.legal()
    if word == "double" and rng.random() < 0.5:
        return rng.choice(list(other.outcomes()))
    if word in ("wait", "open"):
        return text if text in legal and rng.random() < 0.5 else rng.choice(sorted(legal))
    if word in ("inspect", "sabotage"):
        return rng.choice(sorted(legal & {"inspect", "sabotage"})) if legal & {"inspect"} else text
    return text


def fields_that_differ(one: Kernel, two: Kernel, viewer: int | str) -> str:
    """Name the fields in which two views differ."""
    viewer = PUBLIC if viewer == double_agent.PUBLIC else viewer
    views = [kernel.game.view(kernel.states, viewer) for kernel in (one, two)]
    names = [name for name in views[0].dtype.names if views[0][name].tobytes() != views[1][name].tobytes()]
    return f"fields that differ: {', '.join(names) or 'none'}"


# Playing

EAGERNESS = {"stay": 1, "accuse": 1, "leave": 3, "skip": 1, "inspect": 3, "sabotage": 2, "wait": 1, "open": 1}
EAGERNESS |= {"to a monitor": 3, "to a gate": 1, "to others": 2, "go": 1}
CALM: dict[str, float] = {"accuse": 0.3}
RASH: dict[str, float] = {"accuse": 2}
HASTY: dict[str, float] = {"accuse": 0.01, "to a monitor": 8, "sabotage": 20, "leave": 0.3}  # towards an escape


def kind_of(text: str, reference: DoubleAgent) -> str:
    """Classify an action by what it is good for."""
    word, _, target = text.partition(" ")
    if word != "go":
        return word
    sector = reference.board.sector[target]
    if sector in reference.monitors and sector not in reference.barred[reference.seat]:
        return "to a monitor"
    if target in reference.board.gates.values():
        return "to a gate"
    others = {place for seat, place in reference.positions.items() if seat != reference.seat}
    return "to others" if others & reference.board.neighbours[target] else "go"


def choose(rng: random.Random, reference: DoubleAgent, mood: dict[str, float]) -> str:
    """Choose an outcome by its weight, or a kind of action by eagerness and mood and any of that kind."""
    if outcomes := reference.outcomes():
        return rng.choices(list(outcomes), list(outcomes.values()))[0]
    texts = sorted(reference.legal())
    if mood is HASTY and reference.seat == reference.double_agent and texts[0].startswith("go") and rng.random() < 0.8:
        return the_shortest_way(texts, reference)
    kinds: dict[str, list[str]] = {}
    for text in texts:
        kinds.setdefault(kind_of(text, reference), []).append(text)
    weights = [EAGERNESS[kind] * mood.get(kind, 1) for kind in kinds]
    (kind,) = rng.choices(list(kinds), weights)
    return rng.choice(kinds[kind])


def the_shortest_way(texts: list[str], reference: DoubleAgent) -> str:
    """Return the Double Agent's way towards a monitor that is ON, or, with enough of them OFF, out of a gate."""
    board, working = reference.board, {sector for sector, condition in reference.monitors.items() if condition == ON}
    if len(reference.monitors) - len(working) >= reference.sabotages_needed:
        if texts[-1].startswith("leave"):
            return texts[-1]
        edge = set(board.gates.values())
    else:
        edge = {cell for cell, sector in board.sector.items() if sector in working}
    distance, steps = dict.fromkeys(edge, 0), 0
    while edge:
        steps += 1
        edge = set().union(*(board.neighbours[cell] for cell in edge)) - set(distance)
        distance |= dict.fromkeys(edge, steps)
    return min((text for text in texts if text.startswith("go")), key=lambda text: distance[text.split()[1]])


def reference_of(kernel: Kernel, case: Case) -> DoubleAgent:
    """Return the reference's game for a case."""
    return DoubleAgent(plain(kernel.game), **case.options)


def events(text: str, board: str, before: dict, reference: DoubleAgent) -> Iterator[str]:
    """Name what an action has brought about, to count it; `before` is what the table knew."""
    seat, word = before["turn"], text.split()[0]
    place = before["positions"].get(seat)
    yield word
    if word == "stay":
        where = "in the gazebo" if place == GAZEBO else "in a sector" if reference.board.sector[place] else "elsewhere"
        yield f"stay {where}"
    if word == "accuse":
        yield f"accuse {'rightly' if reference.result and reference.result[0] == 'exposed' else 'wrongly'}"
        yield from ["an exposed agent accuses"] if seat in before["exposed"] else []
        yield from ["accuse from the gazebo"] if place == GAZEBO else []
        yield from ["the last Security Agent accuses"] if len(before["out"]) == reference.players - 2 else []
    if word in ("go", "stay") and reference.phase == "throw":
        sector = reference.board.sector.get(reference.positions[seat])
        yield from ["a barred monitor"] if sector in reference.barred[seat] else []
        yield from ["a sector without a monitor"] if sector and sector not in reference.monitors else []
    if word == "inspect" and any(seat == s for s, *_ in before["list"]):
        yield "inspect more than once"
    if reference.result:
        yield f"end: {reference.result[0]}"
        yield f"end: {reference.result[0]}, {board}"
        is_cap = reference.result[0] == "turn limit"
        yield from ["turn limit, first seat out"] if is_cap and reference.first in reference.out else []


def play_both(number: int) -> Counter:
    """Play one game in both engines and then its twin; return how often what happened.

    Raises:
        AssertionError: they differ; the message names the game and its moves.
    """
    case, rng = case_of(number), random.Random(number)
    kernel = Kernel(*case)
    reference = reference_of(kernel, case)
    mood = rng.choice((CALM, HASTY, RASH))
    played: list[str] = []
    happened: Counter = Counter()
    try:
        while reference.to_move is not None:
            text, before = choose(rng, reference, mood), reference.knows(double_agent.PUBLIC)
            played.append(text)
            reference.play(text)
            kernel.play(text)
            compare(kernel, reference)
            happened.update(events(text, case.board, before, reference))
        happened += check_twin(case, rng, played)
    except (AssertionError, ValueError, KeyError) as error:
        where = f"game {number} ({case.board}, {case.options})"
        raise AssertionError(f"{where}, {'; '.join(played)}: {type(error).__name__} {error}") from error
    options = (f"{name} {value}" for name, value in case.options.items())
    return happened + Counter(plies=len(played), games=1) + Counter([f"board {case.board}", *options])


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

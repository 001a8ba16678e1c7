"""Play the kernel and the reference engine of The Secret Formula side by side and compare them at every ply.

    python -m tests.reference.agree_secret_formula --games 2000

Every game has a board and options of its own.  Choices are random but biased, so that agents meet, gather envelopes,
set off alarms, surrender and leave.  Then a twin of the game is played, in which another envelope holds the formula: at
every ply a seat's two views must be equal bytes exactly if that seat has seen the same in both.
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
from kgb_env.record import CHANCE, NOBODY
from kgb_env.record import PUBLIC as PUBLIC_VIEWER
from kgb_env.registry import rebuild
from tests.reference import secret_formula
from tests.reference.secret_formula import AWAKE, KNOCKED_OUT, MOVED, PUBLIC, WOKEN, Board, SecretFormula
from tests.reference.secret_formula_positions import FILES

# A sector with two ways out: a gate with nothing behind it, and a door.
DEN_FILE = """
title The Den
sector B BOX Box
sector C CEL Cell
gates west east
route BOX CEL
map
########
=XB.+::=
##*X#:##
#####:##
#*CX+:##
########
"""
OWN = FILES | {"den": DEN_FILE}
PLAYERS = {"standard": 4, "yard": 4, "mini": 2, "deluxe": 6, "lodge": 3, "den": 2}  # at most: a gate for each


class Case(NamedTuple):
    """A board by its name, and options."""

    board: str
    options: dict


def case_of(number: int) -> Case:
    """Return the board and the options of a game by its number."""
    rng = random.Random(number)
    board = list(PLAYERS)[number % len(PLAYERS)]
    options = {
        "players": rng.randint(2, PLAYERS[board]),
        "mercy": rng.choice((False, False, True)),
        "max_rounds": rng.choice((1, 2, 5, 20, 60, 60) if board in OWN else (2, 20, 60, 60)),
    }
    return Case(board, options | ({"deluxe": True} if board == "deluxe" else {}))


def kernel_of(case: Case) -> Game:
    """Return the kernel's game for a case."""
    board, options = case
    if board in OWN:
        return rebuild("secret_formula", {**options, "board": "own"}, {"board": OWN[board], "other_board": ""})
    return kgb_env.game("secret_formula", **options, **({"board": "mini"} if board == "mini" else {}))


def camp_of(game: Game) -> Camp:
    """Return the board on which a game is played, read from the text that the game holds."""
    return _camp(game.data["board"], game.data["other_board"] if game.options["deluxe"] else "")


@cache
def _camp(text: str, other: str) -> Camp:
    camp = load_board(text, "board")
    return compose(camp, load_board(other, "other board")) if other else camp


def plain(camp: Camp) -> Board:
    """Return a board in the reference's terms."""
    codes = [sector.code for sector in camp.sectors]
    code_of = {place: codes[sector] for place, sector in camp.sector_of.items()}
    return Board(
        neighbours={place_name(place): {place_name(to) for to in camp.links[place]} for place in camp.cells},
        sector={place_name(place): code_of.get(place) for place in camp.cells},
        gates={gate.name: place_name(gate.place) for gate in camp.gates},
        hiding=tuple(place_name(place) for place in camp.hiding),
        posts={sector.code: place_name(sector.post) for sector in camp.sectors},
        route=tuple(codes[sector] for sector in camp.route),
        towers={sector.code for sector in camp.sectors if sector.is_spiral},
    )


class Kernel:
    """The kernel's game in the reference's terms; chance is played by hand."""

    def __init__(self, board: str, options: dict):
        self.game = kernel_of(Case(board, options))
        self.camp = camp_of(self.game)
        self.names = [place_name(place) for place in self.camp.cells]
        self.hiding = [place_name(place) for place in self.camp.hiding]
        self.players = self.game.seats
        self.states = self.game.begin()

    def __deepcopy__(self, memo: dict) -> "Kernel":
        other = object.__new__(Kernel)
        other.__dict__ = self.__dict__ | {"states": self.states.copy()}
        return other

    @property
    def to_move(self) -> int | str | None:
        seat = int(self.states["to_move"][0])
        return {NOBODY: None, CHANCE: secret_formula.CHANCE}.get(seat, seat)

    @property
    def result(self) -> tuple | None:
        outcome = self.game.outcome(self.states)
        return outcome and (outcome.reason, outcome.returns[: self.players])

    def outcomes(self) -> dict[str, int]:
        if self.to_move != secret_formula.CHANCE:
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
        notation, is_chance = self.game.notation, self.to_move == secret_formula.CHANCE
        read = notation.parse_outcome if is_chance else notation.parse_action
        number = read(self.game, self.states, text)
        if not is_chance and number not in self.game.legal(self.states):
            raise ValueError(f"{text!r} is illegal")
        kernels.step(self.states[0], number, self.game.tables[0])

    def view(self, viewer: int | str) -> bytes:
        """Return a view as bytes."""
        return self.game.view(self.states, _viewer(viewer)).tobytes()

    def knows(self, viewer: int | str) -> dict:
        """Return what a view says, as the reference's `knows` does."""
        view = self.game.view(self.states, _viewer(viewer))
        field = {name: view[name][0].tolist() for name in FIELDS}
        seats, envelopes = range(self.players), list(enumerate(self.hiding))
        first, turn = field["first"], field["turn"]
        return {
            "formula": next((name for i, name in envelopes if field["contents"][i] == 1), None),
            "blank": {name for i, name in envelopes if field["contents"][i] == 0},
            "first": first,
            "turn": (first + turn) % self.players,
            "rest": field["left"] or None,
            "round": turn // self.players + 1,
            "guard": self.camp.sectors[field["guard"]].code,
            "at": {seat: self._place(field["cell"][seat], field["gate"][seat]) for seat in seats},
            "condition": {seat: CONDITIONS[field["status"][seat]] for seat in seats},
            "envelopes": {
                name: self.names[field["lies"][i]] if field["lies"][i] >= 0 else field["holder"][i]
                for i, name in envelopes
            },
        }

    def _place(self, cell: int, gate: int) -> str | None:
        if cell >= 0:
            return self.names[cell]
        return f"outside {self.camp.gates[gate].name}" if gate >= 0 else None


# The kernel's record: fields that are compared.
FIELDS = ["contents", "first", "turn", "left", "guard", "cell", "gate", "status", "lies", "holder"]
CONDITIONS = (AWAKE, KNOCKED_OUT, WOKEN, MOVED)


def _viewer(viewer: int | str) -> int:
    return PUBLIC_VIEWER if viewer == PUBLIC else int(viewer)


# The same at every ply


def compare(kernel: Kernel, reference: SecretFormula) -> None:
    """Assert that both engines are in the same position, allow the same and tell the same."""
    assert kernel.to_move == reference.to_move, f"to_move: {kernel.to_move}, {reference.to_move}"
    for what, one, two in (
        ("outcomes", kernel.outcomes(), reference.outcomes()),
        ("legal", kernel.legal(), reference.legal()),
    ):
        assert one == two, f"{what}: only kernel {set(one) - set(two)}, only reference {set(two) - set(one)}"
    if reference.result:
        (reason, given), (why, due) = kernel.result, reference.result
        assert reason == why, f"reason: {reason}, {why}"
        assert all(abs(a - b) < 1e-6 for a, b in zip(given, due, strict=True)), f"returns: {given}, {due}"
        assert abs(sum(given)) < 1e-6, "zero-sum"
        assert kernel.game.min_return - 1e-6 <= min(given) <= max(given) <= kernel.game.max_return + 1e-6, "bounds"
        return
    for viewer in (*range(reference.players), PUBLIC) if reference.turn is not None else ():
        told, known = kernel.knows(viewer), reference.knows(viewer)
        for key, value in told.items():
            assert value == known[key], f"{key} in the view of {viewer}: {value}, {known[key]}"


def check_twin(case: Case, rng: random.Random, played: list[str]) -> Counter:
    """Play a game again with the formula elsewhere as far as it goes; return how many pairs of views were alike or not.

    Raises:
        AssertionError: a seat can tell from its views what it has not seen, or cannot tell what it has seen.
    """
    twin = [f"formula {rng.choice(Kernel(*case).hiding)}", *played[1:]]
    engines = [(Kernel(*case), reference_of(case)) for _ in range(2)]
    viewers = (*range(case.options["players"]), PUBLIC)
    is_same = dict.fromkeys(viewers, True)  # has a viewer seen the same in both until now
    pairs: Counter = Counter()
    for number, texts in enumerate(zip(played, twin, strict=True)):
        if texts[1] not in engines[1][1].legal() | set(engines[1][1].outcomes()):
            break  # without the formula nobody may leave
        for (kernel, reference), text in zip(engines, texts, strict=True):
            kernel.play(text)
            reference.play(text)
        (kernel, reference), (other_kernel, other) = engines
        if reference.result:
            break
        for viewer in viewers if number else ():  # before its first draw a game has no views
            knows, knows_there = reference.knows(viewer), other.knows(viewer)
            is_same[viewer] &= knows["formula"] == knows_there["formula"] and knows["blank"] == knows_there["blank"]
            assert is_same[viewer] == (kernel.view(viewer) == other_kernel.view(viewer)), (
                f"twin at {number}: {viewer} saw {'the same' if is_same[viewer] else 'a difference'}; "
                f"{fields_that_differ(kernel, other_kernel, viewer)}; {texts}, {twin[0]}"
            )
            pairs["views alike" if is_same[viewer] else "views that differ"] += 1
    return pairs


def fields_that_differ(one: Kernel, two: Kernel, viewer: int | str) -> str:
    """Name the fields in which two views differ."""
    views = [kernel.game.view(kernel.states, _viewer(viewer)) for kernel in (one, two)]
    names = [name for name in views[0].dtype.names if views[0][name].tobytes() != views[1][name].tobytes()]
    return f"fields that differ: {', '.join(names) or 'none'}"


# Playing

EAGERNESS = {"gate": 1, "hit": 2, "wait": 1, "surrender": 0.3, "stay": 0.5, "leave": 2}
EAGERNESS |= {"to an envelope": 6, "to a rival": 2, "ahead": 4, "anywhere": 3}
CALM: dict[str, float] = {"to a rival": 0.2, "to an envelope": 3, "leave": 20}
FIERCE: dict[str, float] = {"to a rival": 8, "to an envelope": 0.3, "leave": 0.2}
RASH: dict[str, float] = {"surrender": 5, "stay": 5, "leave": 0.1}  # towards the guard


def choose(rng: random.Random, reference: SecretFormula, mood: dict[str, float]) -> str:
    """Choose an outcome, doubles more often than dice do, or a kind of action by eagerness and any of that kind."""
    if outcomes := reference.outcomes():
        weights = [weight * (2 if is_double(text) else 1) for text, weight in outcomes.items()]
        return rng.choices(list(outcomes), weights)[0]
    seat = reference.to_move
    kinds: dict[str, list[str]] = {}
    for text in sorted(reference.legal()):
        kinds.setdefault(kind_of(text, reference, seat), []).append(text)
    if "anywhere" in kinds:
        kinds["ahead"] = [ahead(rng, reference, seat, kinds["anywhere"])]
    weights = [EAGERNESS[kind] * mood.get(kind, 1) for kind in kinds]
    (kind,) = rng.choices(list(kinds), weights)
    return rng.choice(kinds[kind])


def is_double(text: str) -> bool:
    """Say whether an outcome is a throw of two equal dice."""
    word, *dice = text.split()
    return word == "throw" and len(set(dice)) == 1


def kind_of(text: str, reference: SecretFormula, seat: int) -> str:
    """Classify an action by what it is good for."""
    word, _, cell = text.partition(" ")
    if word != "go":
        return word
    if cell in reference.envelopes.values():
        return "to an envelope"
    is_taken = any(place == cell and rival != seat for rival, place in reference.places.items())
    return "to a rival" if is_taken else "anywhere"


def ahead(rng: random.Random, reference: SecretFormula, seat: int, texts: list[str]) -> str:
    """Return the move that leads nearest to something worth having."""
    rivals = [place for rival, place in reference.places.items() if rival != seat]
    wanted = [place for place in reference.envelopes.values() if isinstance(place, str)]
    wanted += [place for place in rivals if place in reference.board.neighbours]
    if reference.formula in reference.held_by(seat):
        wanted = list(reference.board.gates.values())
    distance = _distances(reference.board.neighbours, rng.choice(sorted(wanted)))
    return min(texts, key=lambda text: distance[text.split()[1]])


def _distances(neighbours: dict[str, set[str]], start: str) -> dict[str, int]:
    distance, edge = {start: 0}, [start]
    for cell in edge:
        for to in neighbours[cell] - distance.keys():
            distance[to] = distance[cell] + 1
            edge.append(to)
    return distance


def reference_of(case: Case) -> SecretFormula:
    """Return the reference's game for a case."""
    return SecretFormula(plain(camp_of(kernel_of(case))), **case.options)


def events(text: str, asked: int | str, before: dict, reference: SecretFormula) -> Iterator[str]:
    """Name what a text has brought about, to count it; `before` is what the table knew."""
    after, word = reference.knows(PUBLIC), text.split()[0]
    seats = range(reference.players)
    is_escape = before["guard"] == reference.board.sector.get(before["at"].get(asked))
    yield f"{word} to escape" if is_escape and word in ("go", "leave") else word
    if word == "gate" and before["turn"] is not None:
        yield "gate named again"
    captured = [s for s in seats if before["at"][s] in reference.board.neighbours and after["at"][s] is None]
    yield from [f"captured by {word}"] * len(captured)
    yield from ["several captured at once"] if len(captured) > 1 else []
    yield from ["captured while knocked out" for s in captured if before["condition"][s] == KNOCKED_OUT]
    if word == "throw" and is_double(text) and after["guard"] != before["guard"] and before["turn"] == after["turn"]:
        yield "alarm"
    if word in ("go", "hit"):
        hit = [s for s in seats if before["condition"][s] != KNOCKED_OUT and s not in captured]
        hit = [s for s in hit if after["condition"][s] == KNOCKED_OUT]
        yield from ["hit before moving again" for s in hit if before["condition"][s] == WOKEN]
        yield from ["knocked out"] * len(hit)
        yield from ["go on after a waypoint"] if reference.to_move == asked and before["turn"] == after["turn"] else []
        yield from ["back to the own cell"] if before["at"][asked] == text.split()[-1] else []
    for name, place in before["envelopes"].items():
        now = after["envelopes"][name]
        if now != place:
            yield f"envelope {'robbed' if isinstance(place, int) and isinstance(now, int) else 'taken or left'}"
    if any(len(after["envelopes"]) - 1 == len(reference.examined[seat]) for seat in seats):
        yield "all examined but one"
    if reference.result:
        yield f"end: {reference.result[0]}"


def play_both(number: int) -> Counter:
    """Play one game in both engines and then its twin; return how often what happened.

    Raises:
        AssertionError: they differ; the message names the game and its moves.
    """
    case, rng = case_of(number), random.Random(number)
    kernel, reference = Kernel(*case), reference_of(case)
    mood = rng.choice((CALM, FIERCE, RASH))
    played: list[str] = []
    happened: Counter = Counter()
    try:
        compare(kernel, reference)
        while (asked := reference.to_move) is not None:
            text, before = choose(rng, reference, mood), reference.knows(PUBLIC)
            played.append(text)
            reference.play(text)
            kernel.play(text)
            compare(kernel, reference)
            happened.update(events(text, asked, before, reference))
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

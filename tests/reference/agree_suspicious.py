"""Play the kernel and the reference engine of Suspicious side by side and compare them at every ply.

    python -m tests.reference.agree_suspicious --games 2000

Every game has a deck and options of its own.  Choices are random but biased, so that clues repeat each other, spies are
stopped and guess right.  At some plies a seat's `determinize` is sampled: each world must be a game that can have been
played and shows that seat the same, and deals and hidden choices must be as frequent as they are likely.  Then a twin
of the game is played, with other secrets: at every ply a seat's two views must be equal bytes exactly if that seat
knows the same in both.
"""

import argparse
import random
import warnings
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from rich.progress import track

import kgb_env
from kgb_env import Game, derive_seed, kernels
from kgb_env.games.suspicious.cards import parse_cards
from kgb_env.games.suspicious.vocabulary import parse_vocabulary
from kgb_env.record import CHANCE, NOBODY
from kgb_env.record import PUBLIC as PUBLIC_VIEWER
from kgb_env.registry import rebuild
from tests.reference import suspicious
from tests.reference.suspicious import PUBLIC, Card, Deal, Suspicious
from tests.reference.suspicious_positions import CARDS_FILE, GARDEN, MINI, VOCABULARY_FILE

STANDARD = "standard"
DECKS = (GARDEN, STANDARD, GARDEN, MINI)
NONE, QUIET = -2, -3  # in the kernel's record: nothing yet; nobody was accused
SAMPLES, MANY = 200, 3000  # worlds at a ply, in a situation


class Case(NamedTuple):
    """A deck by its name, and options."""

    deck: str
    options: dict[str, Any]


def case_of(number: int) -> Case:
    """Return the deck and the options of a game by its number."""
    rng = random.Random(number)
    deck = DECKS[number % len(DECKS)]
    players = 4 if deck == MINI else rng.randint(4, 8)
    options = {
        "players": players,
        "rounds": 1 if deck == MINI else rng.choice((1, 2, 3, players, None)),
        "debate_rounds": rng.randint(1, 3),
        "director": rng.choice(("player", "neutral")),
        "rewards": rng.choice(("points", "zero_sum")),
    }
    return Case(deck, {name: value for name, value in options.items() if value is not None})


def kernel_of(case: Case) -> Game:
    """Return the kernel's game for a case."""
    deck, options = case
    if deck == GARDEN:
        with warnings.catch_warnings():  # of fixed pairs
            warnings.simplefilter("ignore")
            own = {"vocabulary": VOCABULARY_FILE, "cards": CARDS_FILE}
            return rebuild("suspicious", {**options, "vocabulary": "own", "cards": "own"}, own)
    return kgb_env.game("suspicious-mini" if deck == MINI else "suspicious", **options)


class Kernel:
    """The kernel's game in the reference's terms; chance is played by hand."""

    sampling_error = 0.04

    def __init__(self, deck: str, options: dict[str, Any]):
        self.game = kernel_of(Case(deck, options))
        self.players = self.game.seats
        self.words, self.cards = deck_of(self.game)
        self.states = self.game.begin()
        self.texts = texts_of(self.game)

    def __deepcopy__(self, memo: dict) -> "Kernel":
        return self.at(self.states.copy())

    def at(self, states: np.ndarray) -> "Kernel":
        """Return the same game in another state."""
        other = object.__new__(Kernel)
        other.__dict__ = self.__dict__ | {"states": states}
        return other

    @property
    def to_move(self) -> int | str | None:
        seat = int(self.states["to_move"][0])
        return seat if seat >= 0 else {NOBODY: None, CHANCE: suspicious.CHANCE}[seat]

    @property
    def points(self) -> tuple[int, ...]:
        return tuple(self.states["points"][0, : self.players].tolist())

    @property
    def returns(self) -> tuple[float, ...]:
        return tuple(self.game.returns(self.states)[0].tolist())

    @property
    def result(self) -> tuple | None:
        outcome = self.game.outcome(self.states)
        return outcome and (outcome.reason, outcome.returns)

    def outcomes(self) -> dict[str, int]:
        if self.to_move != suspicious.CHANCE:
            return {}
        weights = self.game.weights()
        kernels.chance(self.states[0], weights, self.game.tables[0])
        return {
            self.game.notation.outcome(self.game, self.states, int(i)): int(weights[i]) for i in weights.nonzero()[0]
        }

    def legal(self) -> set[str]:
        """Return the legal texts, from the view of the seat to move."""
        seat = self.to_move
        if not isinstance(seat, int):
            return set()
        view = self.game.view(self.states, seat)
        actions = self.game.legal(view)
        assert list(actions) == list(self.game.legal(self.states)), "legal from view and from state"
        assert list(actions) == list(self.game.encode(view).action_mask[0].nonzero()[0]), "action mask"
        texts = self._texts(view, actions.tolist())
        assert len(texts) == len(actions), "two actions with one text"
        return texts

    def _texts(self, view: np.ndarray, actions: list[int]) -> set[str]:
        """Return the texts of actions; those of many words are kept, as they depend on the phase alone."""
        kept = self.texts.setdefault(int(view["phase"][0]), {}) if len(self.words) > 100 else {}
        for action in actions:
            if action not in kept or action >= len(self.words):
                kept[action] = self.game.notation.action(self.game, view, action)
        return {kept[action] for action in actions}

    def play(self, text: str) -> None:
        notation, is_chance = self.game.notation, self.to_move == suspicious.CHANCE
        read = notation.parse_outcome if is_chance else notation.parse_action
        number = read(self.game, self.states, text)
        if not is_chance and number not in self.game.legal(self.states):
            raise ValueError(f"{text!r} is illegal")
        kernels.step(self.states[0], number, self.game.tables[0])

    def view(self, viewer: int | str) -> np.ndarray:
        return self.game.view(self.states, viewer if isinstance(viewer, int) else PUBLIC_VIEWER)

    def knows(self, viewer: int | str, since: int = 0) -> list[dict]:
        """Return what a view says of every round since this one, as the reference's `knows` does."""
        seen = self.view(viewer)
        view = {name: seen[name][0].tolist() for name in FIELDS}
        return [self._round(view, number) for number in range(since, view["now"] + 1)] if view["first"] >= 0 else []

    def now(self) -> dict:
        """Return the last round as it is."""
        state = {name: self.states[name][0].tolist() for name in FIELDS}
        return self._round(state, state["now"])

    def _round(self, view: dict, number: int) -> dict:
        of_round = {name: view[name][number] for name in FIELDS[2:]}
        director = (view["first"] + number) % self.players
        seats = [(director + i) % self.players for i in range(1, self.players)]
        return {
            "director": director,
            "card": known(of_round["card"]),
            "agents": self._word(of_round["agents_word"]),
            "spy_word": self._word(of_round["spy_word"]),
            "spy": known(of_round["spy"]),
            "keywords": {seat: self.words[w] for seat in seats if (w := of_round["keyword"][seat]) >= 0},
            "link": self._word(of_round["link"]),
            "clues": tuple(
                {seat: self._word(clues[seat]) for seat in seats if clues[seat] != NONE} for clues in of_round["clue"]
            ),
            "debate": [
                (seat, known(accused[seat]))
                for accused in of_round["accused"]
                for seat in seats
                if accused[seat] >= 0 or accused[seat] == QUIET
            ],
            "votes": {seat: known(of_round["vote"][seat]) for seat in seats if of_round["vote"][seat] != NONE},
            "stopped": known(of_round["stopped"]),
            "guess": self._word(of_round["guess"]),
        }

    def _word(self, place: int) -> str | None:
        return self.words[place] if place >= 0 else None

    def worlds(self, viewer: int, samples: int, seed: int = 0) -> np.ndarray:
        """Return sampled states that a seat holds possible."""
        seeds = np.array([derive_seed(seed, 0, i) for i in range(samples)], np.uint64)
        return self.game.determinize(self.view(viewer), seeds)

    def deals(self, viewer: int) -> dict[Deal, float]:
        """Return how frequent each deal of the last round is among sampled worlds."""
        worlds = np.split(self.worlds(viewer, MANY), MANY)
        found = Counter(deal_of(self.at(world).now()) for world in worlds)
        return {deal: count / MANY for deal, count in found.items()}


# The fields of the kernel's record that are compared; after the first two they have an entry a round.
FIELDS = ["first", "now", "card", "agents_word", "spy_word", "spy", "keyword", "link", "clue", "accused", "vote"]
FIELDS += ["stopped", "guess"]


def deal_of(now: dict) -> Deal:
    """Return the deal of a round."""
    return Deal(*(now[name] for name in Deal._fields))


def known(number: int) -> int | None:
    """Return a number of the record, or None for what is not there, hidden or nobody."""
    return number if number >= 0 else None


def deck_of(game: Game) -> tuple[tuple[str, ...], tuple[Card, ...]]:
    """Return the words and cards of a game."""
    return _deck(game.data["vocabulary"], game.data["cards"])


@cache
def texts_of(game: Game) -> dict[int, dict[int, str]]:
    """Return memory for the texts of a game's actions by phase."""
    return {}


@cache
def _deck(vocabulary_text: str, cards_text: str) -> tuple[tuple[str, ...], tuple[Card, ...]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vocabulary = parse_vocabulary(vocabulary_text, "vocabulary")
        cards = parse_cards(cards_text, "cards", vocabulary)
    words = vocabulary.words
    return words, tuple(Card(*(tuple(words[w] for w in part) for part in card[:2])) for card in cards)


def reference_of(kernel: Kernel, case: Case) -> Suspicious:
    """Return the reference's game for a case."""
    return Suspicious(kernel.words, kernel.cards, **case.options)


# The same at every ply


def compare(kernel: Kernel, reference: Suspicious) -> None:
    """Assert that both engines are in the same position, allow the same and tell the same."""
    assert kernel.to_move == reference.to_move, f"to_move: {kernel.to_move}, {reference.to_move}"
    outcomes = kernel.outcomes()
    assert len(set(outcomes.values())) <= 1, f"weights: {outcomes}"
    for what, one, two in (
        ("outcomes", set(outcomes), set(reference.outcomes())),
        ("legal", kernel.legal(), reference.legal()),
    ):
        assert one == two, f"{what}: only kernel {one - two}, only reference {two - one}"
    is_between_rounds = reference.result or reference.rounds[-1].deal.card is None
    since = 0 if is_between_rounds else len(reference.rounds) - 1
    for viewer in (*range(reference.players), PUBLIC):
        told, known = kernel.knows(viewer, since), reference.knows(viewer)[since:]
        assert told == known, f"in the view of {viewer}: {list(difference(told, known))}"
    assert kernel.points == reference.points, f"points: {kernel.points}, {reference.points}"
    assert is_close(kernel.returns, reference.returns), f"returns: {kernel.returns}, {reference.returns}"
    assert (kernel.result is None) == (reference.result is None), "the end"
    if kernel.result and reference.result:
        (ended, given), (over, due) = kernel.result, reference.result
        assert ended == over, f"reason: {ended}, {over}"
        assert is_close(given, due), f"returns: {given}, {due}"
        assert kernel.game.min_return - 1e-5 <= min(given) <= max(given) <= kernel.game.max_return + 1e-5, "bounds"
        assert kernel.game.zero_sum == reference.is_zero_sum, "zero_sum"


def difference(one: list[dict], two: list[dict]) -> Iterator[str]:
    """Say where two lists of rounds differ."""
    if len(one) != len(two):
        yield f"{len(one)}, {len(two)} rounds"
    for number, (told, due) in enumerate(zip(one, two, strict=False)):
        for key, value in told.items():
            if value != due[key]:
                yield f"{key} of round {number}: {value}, {due[key]}"


def is_close(given: tuple, due: tuple) -> bool:
    """Tell whether numbers are the same but for rounding."""
    return len(given) == len(due) and all(abs(a - b) < 1e-5 for a, b in zip(given, due, strict=True))


def compare_observations(kernel: Kernel, reference: Suspicious) -> None:
    """Assert that every seat observes what the oracle observes, but for what its mask hides: what it does not know."""
    layout = kernel.game.observation
    for seat in range(kernel.players):
        frame, oracle = (kernel.game.encode(of(kernel.states, seat)) for of in (kernel.game.view, kernel.game.oracle))
        assert (frame.observation == oracle.observation * frame.observation_mask).all(), f"observation of {seat}"
        assert oracle.observation_mask.all(), "the oracle's mask"
        if reference.result:
            assert frame.observation_mask.all(), f"{seat} knows everything after the end"
            continue
        seen, deal = reference.knows(seat)[-1], reference.rounds[-1].deal._asdict()
        for piece, name in {"spy": "spy", "agents_word": "agents", "spy_word": "spy_word"}.items():
            is_shown = frame.observation_mask[0, getattr(layout, piece)].all()
            assert is_shown == (deal[name] == seen[name]), f"mask of {piece} for {seat}"
        everybody = [(seat + i) % kernel.players for i in range(kernel.players)]
        of_clues = np.all(frame.observation_mask[0, layout.clue].reshape(2, kernel.players, -1), axis=2)
        of_votes = np.all(frame.observation_mask[0, layout.vote].reshape(kernel.players, -1), axis=1)
        for i, other in enumerate(everybody):
            for answers, is_shown in ((seen["votes"], of_votes[i]), *zip(seen["clues"], of_clues[:, i], strict=True)):
                assert is_shown == (answers.get(other, "") is not None), f"mask of {other} for {seat}: {is_shown}"


# Worlds that a seat holds possible


def check_worlds(kernel: Kernel, reference: Suspicious, played: list[str], viewer: int, seed: int) -> Counter:
    """Sample worlds; return chi-squares and degrees of freedom of deals and of hidden choices, added up.

    Raises:
        AssertionError: a world cannot be, or shows the viewer something else.
    """
    deals, hidden = reference.deals(viewer), hidden_choices(reference, viewer)
    worlds = kernel.worlds(viewer, SAMPLES, seed)
    views = {view.tobytes() for view in kernel.game.view(worlds, viewer)}
    assert views == {kernel.view(viewer).tobytes()}, "a world shows its viewer something else"
    found: dict[Hashable, Counter] = {"deals": Counter(), **{key: Counter() for key in hidden}}
    for number, world in enumerate(np.split(worlds, SAMPLES)):
        now = kernel.at(world).now()
        deal = deal_of(now)
        assert deal in deals, f"{viewer} cannot hold {deal} possible"
        found["deals"][deal] += 1
        chosen = {key: choice_in(now, *key) for key in hidden}
        for key, choice in chosen.items():
            assert choice in hidden[key], f"{key}: {choice} was not legal"
            found[key][choice] += 1
        if number < 3:
            check_that_it_can_be(kernel.at(world), reference, played, chosen)
    happened: Counter = Counter(worlds=SAMPLES) + chi_square("deals", found["deals"], deals)
    for key, choices in hidden.items():
        happened += chi_square("hidden choices", found[key], dict.fromkeys(choices, 1 / len(choices)))
    return happened


def chi_square(kind: str, found: Counter, shares: Mapping[Any, Fraction | float]) -> Counter:
    """Return how far frequencies are from the probabilities, and how far they may be expected to be."""
    expected = {choice: SAMPLES * float(share) for choice, share in shares.items()}
    square = sum((found[choice] - number) ** 2 / number for choice, number in expected.items())
    return Counter({f"chi-square of {kind}": square, f"freedom of {kind}": len(shares) - 1})


def hidden_choices(reference: Suspicious, viewer: int) -> dict[tuple, set]:
    """Return what others may have written or voted unseen: legal choices by (kind, seat)."""
    now, seen = reference.rounds[-1], reference.knows(viewer)[-1]
    others = [seat for seat in range(reference.players) if seat != now.director]
    choices: dict[tuple, set] = {}
    said: set = {now.link}
    for kind, shown in zip(("clue 1", "clue 2"), seen["clues"], strict=True):
        choices |= {(kind, seat): set(reference.words) - said for seat, word in shown.items() if word is None}
        said |= set(shown.values())
    return choices | {
        ("vote", seat): set(others) - {seat} for seat, suspect in seen["votes"].items() if suspect is None
    }


def choice_in(now: dict, kind: str, seat: int) -> str | int:
    """Return what a seat has written or voted in a round."""
    return now["votes"][seat] if kind == "vote" else now["clues"][int(kind[-1]) - 1][seat]


def check_that_it_can_be(world: Kernel, reference: Suspicious, played: list[str], chosen: dict[tuple, Any]) -> None:
    """Assert that a world is the state that its own deal and choices lead to."""
    other = world.at(world.game.begin())
    before = [number for number, text in enumerate(played) if text.startswith("card")][-1]
    for text in played[:before]:
        other.play(text)
    deal, neutral = deal_of(world.now()), reference.is_neutral
    texts = [f"card {deal.card}", f"agents {deal.agents}", f"spy {deal.spy_word}"]
    texts += [f"{'spy seat' if neutral else 'name'} {deal.spy}"] if deal.spy is not None else []
    for text in [*texts, *played[before + len(texts) :]]:
        seat, word = other.to_move, text.split()[0]
        clue = f"clue {2 if len(other.knows(PUBLIC)[-1]['clues'][0]) == other.players - 1 else 1}"
        key = ("vote" if word == "vote" else clue, seat)
        other.play(f"{word} {chosen[key]}" if word in ("vote", "write") and key in chosen else text)
    differing = fields_that_differ(world.states, other.states)
    assert set(differing) <= {"rng"}, f"no game leads to this world: {differing} ({deal}, {chosen})"


def fields_that_differ(one: np.ndarray, two: np.ndarray) -> list[str]:
    """Name the fields in which two records differ."""
    return [name for name in one.dtype.names or () if one[name].tobytes() != two[name].tobytes()]


# Twins


def check_twin(case: Case, rng: random.Random, played: list[str]) -> Counter:
    """Play a game again, from some ply on with other secrets, as far as it goes; return how many pairs of views agreed.

    Raises:
        AssertionError: a seat can tell from its views what it does not know, or cannot tell what it knows.
    """
    kernel, twin = (Kernel(*case) for _ in range(2))
    reference, other = (reference_of(kernel, case) for _ in range(2))
    since, pairs = rng.randrange(len(played)), Counter[str]()
    for number, text in enumerate(played):
        if reference.to_move != other.to_move:
            break
        its = varied(text, rng, other) if number >= since else text
        for engine, line in ((kernel, text), (reference, text), (twin, its), (other, its)):
            engine.play(line)
        for viewer in (*range(kernel.players), PUBLIC) if number >= since else ():
            is_same = reference.knows(viewer) == other.knows(viewer)
            one, two = kernel.view(viewer), twin.view(viewer)
            assert is_same == (one.tobytes() == two.tobytes()), (
                f"twin at {number}: {viewer} knows {'the same' if is_same else 'a difference'}; "
                f"fields that differ: {fields_that_differ(one, two)}; {other.rounds[-1]}"
            )
            pairs["views alike" if is_same else "views that differ"] += 1
    return pairs


def varied(text: str, rng: random.Random, other: Suspicious) -> str:
    """Return a text, or another that may look like it to somebody."""
    choices = sorted(other.legal() | set(other.outcomes()))
    is_secret = text.split()[0] in ("card", "agents", "spy", "name", "write", "vote")
    if text not in choices or (is_secret and rng.random() < 0.25):
        same_kind = [choice for choice in choices if choice.split()[0] == text.split()[0]]
        return rng.choice(same_kind or choices)
    return text


# Playing


def choose(rng: random.Random, reference: Suspicious, skill: float) -> str:
    """Choose an outcome by its weight, or any action, and with probability `skill` one that makes things happen."""
    choices = sorted(reference.legal() | set(reference.outcomes()))
    if reference.to_move == suspicious.CHANCE or rng.random() >= skill:
        return rng.choice(choices)
    now, word = reference.rounds[-1], choices[-1].split()[0]
    family = reference.cards[now.deal.card].family
    wanted = {
        "say": [f"say {noun}" for noun in family],
        "write": [f"write {noun}" for noun in (*family[:2], now.deal.agents)],
        "vote": [f"vote {now.deal.spy}"],
        "guess": [f"guess {now.deal.agents}"],
    }
    return rng.choice([text for text in wanted.get(word, ()) if text in choices] or choices)


def events(text: str, reference: Suspicious) -> Iterator[str]:
    """Name what a text has brought about, to count it."""
    now = reference.rounds[-1]
    past = reference.rounds[-2] if len(reference.rounds) > 1 and now.deal.card is None else now
    word = text.rpartition(" ")[0] or text
    yield word
    if word == "write" and past.clues[1] and list(past.clues[1].values()).count(text.split()[1]) > 1:
        yield "second clue twice"
    if word in ("write", "guess") and text.split()[1] in past.deal[1:3]:
        yield f"{word} a keyword"
    if word == "vote" and len(past.votes) == reference.players - 1:
        stopped = {None: "nobody", past.deal.spy: "the spy"}.get(past.stopped, "an agent")
        yield f"{stopped} is stopped"
    if word == "guess":
        yield f"guess {'right' if past.guess == past.deal.agents else 'wrong'}"
    if reference.result:
        yield "end: match over"
        yield f"{reference.rounds_to_play} rounds"


def play_both(number: int) -> Counter:
    """Play one game in both engines and then its twin; return how often what happened.

    Raises:
        AssertionError: they differ; the message names the game and its moves.
    """
    case, rng = case_of(number), random.Random(number)
    kernel = Kernel(*case)
    reference = reference_of(kernel, case)
    skill = rng.choice((0, 0.4, 0.8))
    sampled = 0.02 if case.deck != MINI else 0.1  # of the plies
    played: list[str] = []
    happened: Counter = Counter()
    decisions = 0
    try:
        while reference.to_move is not None:
            text = choose(rng, reference, skill)
            decisions += reference.to_move != suspicious.CHANCE
            played.append(text)
            reference.play(text)
            kernel.play(text)
            compare(kernel, reference)
            happened.update(events(text, reference))
            if reference.to_move != suspicious.CHANCE and rng.random() < 0.1:
                compare_observations(kernel, reference)
            if isinstance(reference.to_move, int) and rng.random() < sampled:
                viewer = rng.randrange(reference.players)
                happened += check_worlds(kernel, reference, played, viewer, rng.getrandbits(32))
        assert decisions <= kernel.game.max_plies, f"max_plies: {decisions}, {kernel.game.max_plies}"
        happened += check_twin(case, rng, played)
    except (AssertionError, ValueError, KeyError) as error:
        where = f"game {number} ({case.deck}, {case.options})"
        raise AssertionError(f"{where}, {'; '.join(played)}: {type(error).__name__} {error}") from error
    options = (f"{name} {value}" for name, value in case.options.items())
    return (
        happened + Counter(plies=len(played), decisions=decisions, games=1) + Counter([f"deck {case.deck}", *options])
    )


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
        print(f"{count:9,.0f} {event}")


if __name__ == "__main__":
    main()

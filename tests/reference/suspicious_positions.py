"""Situations of Suspicious with the answers that the rulebook and the rulings give, worked out by hand.

Each is a script: texts that are played, and between them what must be true.  `check` plays one on any engine that has
`to_move`, `legal()`, `outcomes()`, `play(text)`, `points`, `result`, `knows(seat)` (a list of rounds), `deals(seat)`,
the attribute `sampling_error` if its deals are sampled, and can be deep-copied.

Most are played with the Garden, a deck of 21 words and ten cards, of which seven are fixed pairs; most nouns are on two
cards.  The others are played with the deck of the game's small variant, 12 words and two cards of six without links.
"""

import copy
from fractions import Fraction
from typing import NamedTuple

from tests.reference.suspicious import CHANCE, PUBLIC, Card, Deal

VOCABULARY_FILE = """
rose noun
tulip noun
lily noun
daisy noun
oak noun
pine noun
maple noun
apple noun
pear noun
grape noun
bread noun
cake noun
honey noun
green adjective
sweet adjective
wild adjective
fresh adjective
grow verb
cut verb
eat verb
bake verb
"""
CARDS_FILE = """
rose tulip lily daisy : grow cut wild
rose lily : sweet wild
tulip daisy : green cut
oak pine maple : grow green
oak apple : wild cut
pine pear : green grow
maple honey : sweet eat
apple pear grape : sweet eat cut
bread cake : bake eat
cake honey : sweet bake
"""
WORDS = VOCABULARY_FILE.split()[::2]
MINI_CARDS = [
    Card(("lion", "tiger", "bear", "wolf", "shark", "crocodile"), ()),
    Card(("apple", "pear", "peach", "cherry", "plum", "strawberry"), ()),
]
MINI_WORDS = [word for card in MINI_CARDS for word in card.family]
GARDEN, MINI = "garden", "mini"
CARDS = [Card(*(tuple(part.split()) for part in line.split(":"))) for line in CARDS_FILE.strip().splitlines()]


class Situation(NamedTuple):
    """A script with its reason; `script` mixes texts to play, several in a string, with expectations (see `check`)."""

    name: str
    why: str
    script: list
    players: int = 4
    options: dict | None = None
    deck: str = GARDEN


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
        assert shares(engine.outcomes()) == shares(what[0]), f"{where}; got {engine.outcomes()}"
    elif kind == "legal":
        assert set(engine.legal()) == what[0], f"{where}; got {sorted(engine.legal())}"
    elif kind == "has":
        assert what[0] <= set(engine.legal()), f"{where}; got {sorted(engine.legal())}"
    elif kind == "lacks":
        assert not what[0] & set(engine.legal()), f"{where}; got {sorted(engine.legal())}"
    elif kind in ("knows", "knew"):  # of the last round, of the one before
        for viewer in what[0] if isinstance(what[0], tuple) else what[:1]:
            known = engine.knows(viewer)[-1 if kind == "knows" else -2]
            assert {key: known[key] for key in what[1]} == what[1], f"{where}; {viewer} got {known}"
    elif kind == "rounds":  # how many have begun
        assert len(engine.knows(PUBLIC)) == what[0], where
    elif kind == "deals":
        held = engine.deals(what[0])
        assert held.keys() == what[1].keys(), f"{where}; got {held}"
        error = getattr(engine, "sampling_error", 0)
        assert all(abs(held[deal] - share) <= error for deal, share in what[1].items()), f"{where}; got {held}"
    elif kind == "result":
        reason, returns = engine.result
        assert reason == "match over", f"{where}; got {reason}"
        assert all(abs(a - b) < 1e-6 for a, b in zip(returns, what[0], strict=True)), f"{where}; got {returns}"
    elif kind == "points":
        assert engine.points == what[0], f"{where}; got {engine.points}"
    elif kind == "goes on":
        assert engine.result is None, where
    elif kind == "if":  # play these on a copy, then expect
        other = copy.deepcopy(engine)
        for text in what[0].split("; "):
            other.play(text)
        check_expectation(other, what[1], where)
    else:
        raise ValueError(f"unknown expectation: {item}")


def shares(weights: dict[str, int]) -> dict[str, Fraction]:
    """Return weights as probabilities."""
    return {text: Fraction(weight, sum(weights.values())) for text, weight in weights.items()}


def alike(*texts: str) -> dict[str, int]:
    """Return outcomes of the same weight."""
    return dict.fromkeys(texts, 1)


def each(verb: str, words: str) -> set[str]:
    """Return the texts of a verb with each of these words."""
    return {f"{verb} {word}" for word in words.split()}


def all_but(verb: str, words: str) -> set[str]:
    """Return the texts of a verb with every word of the Garden but these."""
    return {f"{verb} {word}" for word in set(WORDS) - set(words.split())}


def dealt(card: int, agents: str, spy_word: str, spy: int, link: str) -> str:
    """Return the texts up to the first clue."""
    return f"card {card}; agents {agents}; spy {spy_word}; name {spy}; say {link}"


def write(words: str) -> str:
    return "; ".join(f"write {word}" for word in words.split())


def quiet(seats: int) -> str:
    return "; ".join(["quiet"] * seats)


def vote(*suspects: int) -> str:
    return "; ".join(f"vote {suspect}" for suspect in suspects)


# A round of four players, director 0, up to the votes: seat 2 is the spy.
ROSES = dealt(0, "rose", "lily", 2, "wild")
CLUES = write("green sweet fresh cut grow eat")
TO_THE_VOTES = f"{CLUES}; {quiet(3)}"

ONE = {"rounds": 1}
NEUTRAL = {"rounds": 1, "director": "neutral"}
ZERO_SUM = {"rounds": 1, "rewards": "zero_sum"}

DEALING = [
    Situation(
        "the deal",
        "U1-U3: Director, card, two different nouns of it, all uniform; the Director names any other seat and says any "
        "word but the two; then the seat on its left writes.",
        [
            ("to move", CHANCE),
            ("outcomes", alike("director 0", "director 1", "director 2", "director 3")),
            "director 2",
            ("outcomes", alike(*(f"card {number}" for number in range(10)))),
            "card 0",
            ("outcomes", alike("agents rose", "agents tulip", "agents lily", "agents daisy")),
            "agents tulip",
            ("outcomes", alike("spy rose", "spy lily", "spy daisy")),
            "spy daisy",
            ("to move", 2),
            ("legal", {"name 3", "name 0", "name 1"}),
            "name 1",
            ("to move", 2),
            ("legal", all_but("say", "tulip daisy")),
            ("has", {"say rose", "say grow", "say bread"}),
            "say lily",
            ("to move", 3),
        ],
    ),
    Situation(
        "a fixed pair",
        "U2: the roles of the two words of a pair are drawn.",
        [
            "director 0; card 8",
            ("outcomes", alike("agents bread", "agents cake")),
            ("if", "agents bread", ("outcomes", alike("spy cake"))),
            ("if", "agents cake", ("outcomes", alike("spy bread"))),
        ],
    ),
    Situation(
        "neutral Director",
        "U3: spy and link are drawn, the link among the card's; the Director knows the deal and decides nothing.",
        [
            "director 3; card 7; agents pear; spy apple",
            ("to move", CHANCE),
            ("outcomes", alike("spy seat 0", "spy seat 1", "spy seat 2")),
            "spy seat 0",
            ("to move", CHANCE),
            ("outcomes", alike("link sweet", "link eat", "link cut")),
            "link eat",
            ("to move", 0),
            ("legal", all_but("write", "eat")),
            ("knows", 3, {"card": 7, "agents": "pear", "spy_word": "apple", "spy": 0}),
            ("knows", 0, {"card": None, "agents": None, "spy_word": None, "spy": None, "keywords": {0: "apple"}}),
        ],
        options=NEUTRAL,
    ),
    Situation(
        "who sees the deal",
        "U3, U4: the Director everything, every other seat its own keyword and nothing else, once the spy is named.",
        [
            "director 0; card 0; agents rose; spy lily",
            ("knows", 0, {"director": 0, "card": 0, "agents": "rose", "spy_word": "lily", "spy": None}),
            (
                "knows",
                (1, 2, 3, PUBLIC),
                {"director": 0, "card": None, "agents": None, "spy_word": None, "keywords": {}},
            ),
            "name 2",
            ("knows", 0, {"spy": 2}),
            ("knows", 1, {"keywords": {1: "rose"}}),
            ("knows", 2, {"keywords": {2: "lily"}}),
            ("knows", 3, {"keywords": {3: "rose"}}),
            ("knows", PUBLIC, {"keywords": {}}),
            "say wild",
            ("knows", (1, 2, 3, PUBLIC), {"card": None, "agents": None, "spy_word": None, "spy": None, "link": "wild"}),
        ],
    ),
]

CLUES_AND_DEBATE = [
    Situation(
        "first clues",
        "U5: from the Director's left, any word but the link, one's own keyword too; several may write the same.",
        [
            "director 1; " + dealt(0, "rose", "lily", 3, "wild"),
            ("to move", 2),
            ("legal", all_but("write", "wild")),
            "write rose",
            ("to move", 3),
            ("legal", all_but("write", "wild")),
            "write rose",
            ("to move", 0),
            ("has", {"write rose"}),
            "write lily",
            ("to move", 2),
            ("knows", (0, 1, 2, 3, PUBLIC), {"clues": ({2: "rose", 3: "rose", 0: "lily"}, {})}),
        ],
    ),
    Situation(
        "clues are hidden until all are written",
        "U5: also from the Director; one's own one knows.",
        [
            f"director 0; {ROSES}; write green",
            ("knows", 1, {"clues": ({1: "green"}, {})}),
            ("knows", (0, 2, 3, PUBLIC), {"clues": ({1: None}, {})}),
            "write sweet",
            ("knows", 1, {"clues": ({1: "green", 2: None}, {})}),
            ("knows", 2, {"clues": ({1: None, 2: "sweet"}, {})}),
            ("knows", (0, 3, PUBLIC), {"clues": ({1: None, 2: None}, {})}),
            "write fresh",
            ("knows", (0, 1, 2, 3, PUBLIC), {"clues": ({1: "green", 2: "sweet", 3: "fresh"}, {})}),
            "write cut; write grow",
            ("knows", 2, {"clues": ({1: "green", 2: "sweet", 3: "fresh"}, {1: None, 2: "grow"})}),
            ("knows", (0, 3), {"clues": ({1: "green", 2: "sweet", 3: "fresh"}, {1: None, 2: None})}),
        ],
    ),
    Situation(
        "second clues",
        "U5, rulebook 2: neither the link nor any first clue, whoever wrote it; twice the same in this turn is fine.",
        [
            f"director 0; {ROSES}; {write('green rose green')}",
            ("to move", 1),
            ("legal", all_but("write", "wild green rose")),
            "write lily",
            ("to move", 2),
            ("legal", all_but("write", "wild green rose")),
            ("has", {"write lily"}),
            "write lily; write tulip",
            (
                "knows",
                (0, 1, 2, 3),
                {"clues": ({1: "green", 2: "rose", 3: "green"}, {1: "lily", 2: "lily", 3: "tulip"})},
            ),
            ("legal", {"quiet", "accuse 2", "accuse 3"}),
        ],
    ),
    Situation(
        "debate",
        "U6: from the Director's left; another seat but the Director, or silence; public at once.",
        [
            f"director 2; {dealt(0, 'rose', 'lily', 0, 'wild')}; {CLUES}",
            ("to move", 3),
            ("legal", {"quiet", "accuse 0", "accuse 1"}),
            "accuse 0",
            ("knows", (0, 1, 2, 3, PUBLIC), {"debate": [(3, 0)]}),
            ("to move", 0),
            ("legal", {"quiet", "accuse 3", "accuse 1"}),
            "quiet",
            ("legal", {"quiet", "accuse 3", "accuse 0"}),
            "accuse 0",
            ("knows", (0, 1, 2, 3, PUBLIC), {"debate": [(3, 0), (0, None), (1, 0)]}),
            ("to move", 3),
            ("legal", {"vote 0", "vote 1"}),
        ],
    ),
    Situation(
        "several rounds of debate",
        "U6: debate_rounds times around the table, then the votes.",
        [
            f"director 3; {dealt(0, 'rose', 'lily', 0, 'wild')}; {CLUES}",
            ("to move", 0),
            "accuse 1; accuse 0; accuse 1",
            ("to move", 0),
            ("legal", {"quiet", "accuse 1", "accuse 2"}),
            "quiet; quiet; quiet",
            ("to move", 0),
            "accuse 2; quiet",
            ("to move", 2),
            "accuse 0",
            ("to move", 0),
            ("legal", {"vote 1", "vote 2"}),
        ],
        options={"debate_rounds": 3},
    ),
]

VOTES = [
    Situation(
        "votes are hidden until all have voted",
        "U7: for another seat but the Director; nobody sees one before the last, then everybody sees all.",
        [
            f"director 0; {ROSES}; {TO_THE_VOTES}",
            ("to move", 1),
            ("legal", {"vote 2", "vote 3"}),
            "vote 3",
            ("knows", 1, {"votes": {1: 3}}),
            ("knows", (0, 2, 3, PUBLIC), {"votes": {1: None}}),
            ("legal", {"vote 1", "vote 3"}),
            "vote 1",
            ("knows", (0, 3, PUBLIC), {"votes": {1: None, 2: None}}),
            ("to move", 3),
            ("legal", {"vote 1", "vote 2"}),
            "vote 1",
            ("knows", (0, 1, 2, 3, PUBLIC), {"votes": {1: 3, 2: 1, 3: 1}, "stopped": 1}),
        ],
        options=ONE,
    ),
    Situation(
        "a tie of all",
        "U7, U9: nobody is stopped, the spy escapes with 2 points.",
        [
            f"director 0; {ROSES}; {TO_THE_VOTES}; vote 2; vote 3; vote 1",
            ("knows", (0, 1, 2, 3, PUBLIC), {"stopped": None, "guess": None}),
            ("result", (0, 0, 2, 0)),
        ],
        options=ONE,
    ),
    Situation(
        "a tie of two for the most",
        "U7: 2-2-1, although one of the two is the spy, and although the other seat got fewer.",
        [
            f"director 5; {dealt(0, 'rose', 'lily', 2, 'wild')}; {write('rose rose rose rose rose')}",
            f"{write('oak oak oak oak oak')}; {quiet(5)}; vote 2; vote 2; vote 1; vote 1; vote 0",
            ("result", (0, 0, 2, 0, 0, 0)),
        ],
        players=6,
        options=ONE,
    ),
    Situation(
        "a tie below the most",
        "U7: 2-1-1-1: the most need not be more than half.",
        [
            f"director 5; {dealt(0, 'rose', 'lily', 2, 'wild')}; {write('rose rose rose rose rose')}",
            f"{write('oak oak oak oak oak')}; {quiet(5)}; vote 2; vote 2; vote 3; vote 4; vote 1",
            ("to move", 2),
            ("has", {"guess rose"}),
            ("knows", PUBLIC, {"stopped": 2}),
        ],
        players=6,
        options=ONE,
    ),
    Situation(
        "a tie of five players",
        "U7: 2-2, both of them agents.",
        [
            f"director 0; {dealt(8, 'cake', 'bread', 4, 'honey')}; {write('oak oak oak oak pear pear pear pear')}",
            f"{quiet(4)}; vote 2; vote 1; vote 1; vote 2",
            ("result", (0, 0, 0, 0, 2)),
        ],
        players=5,
        options=ONE,
    ),
    Situation(
        "an agent is stopped",
        "U8, U9: no guess; the round ends at once and the spy has 2 points.",
        [
            f"director 0; {ROSES}; {TO_THE_VOTES}; vote 3; vote 3; vote 1",
            ("to move", None),
            ("knows", (0, 1, 2, 3, PUBLIC), {"stopped": 3, "guess": None, "spy": 2}),
            ("result", (0, 0, 2, 0)),
        ],
        options=ONE,
    ),
    Situation(
        "the spy is stopped by its own side",
        "U7: accusations bind nobody, and the spy itself votes too.",
        [
            f"director 0; {ROSES}; {CLUES}; accuse 3; accuse 3; accuse 1; vote 2; vote 1; vote 2",
            ("to move", 2),
            ("legal", each("guess", " ".join(WORDS))),
        ],
    ),
]

STOPPED = f"director 0; {ROSES}; {TO_THE_VOTES}; vote 2; vote 3; vote 2"
THE_GUESS = [
    Situation(
        "the spy's guess",
        "U8: one guess, any word: its own keyword, the link and the clues too. Its keyword is public, the agents' not; "
        "but every agent knows now that its own is theirs.",
        [
            STOPPED,
            ("to move", 2),
            ("legal", each("guess", " ".join(WORDS))),
            ("knows", 0, {"card": 0, "agents": "rose", "spy_word": "lily", "spy": 2}),
            ("knows", (1, 3), {"agents": "rose", "spy_word": "lily", "spy": 2, "card": None}),
            ("knows", (1, 3), {"keywords": {1: "rose", 2: "lily", 3: "rose"}}),
            ("knows", (2, PUBLIC), {"agents": None, "spy_word": "lily", "spy": 2, "card": None}),
            ("knows", (2, PUBLIC), {"keywords": {2: "lily"}}),
        ],
        options=ONE,
    ),
    Situation(
        "guessed right",
        "U9: the spy 1, nobody else anything.",
        [
            f"{STOPPED}; guess rose",
            ("knows", (0, 1, 2, 3, PUBLIC), {"guess": "rose"}),
            ("result", (0, 0, 1, 0)),
        ],
        options=ONE,
    ),
    Situation(
        "guessed wrong",
        "U8, U9: only the exact word counts, not another of the family; each agent 2, Director and spy nothing.",
        [
            STOPPED,
            ("if", "guess tulip", ("result", (0, 2, 0, 2))),
            ("if", "guess lily", ("result", (0, 2, 0, 2))),
            ("if", "guess wild", ("result", (0, 2, 0, 2))),
            "guess daisy",
            ("knows", (0, 1, 2, 3, PUBLIC), {"guess": "daisy"}),
            ("result", (0, 2, 0, 2)),
        ],
        options=ONE,
    ),
    Situation(
        "everything is public after the round",
        "U9: card, both keywords, spy and points, for every seat; the next round has begun, its card is to be drawn.",
        [
            f"director 0; {ROSES}; {TO_THE_VOTES}; vote 2; vote 3; vote 1",
            ("to move", CHANCE),
            ("rounds", 2),
            ("points", (0, 0, 2, 0)),
            ("knew", (0, 1, 2, 3, PUBLIC), {"card": 0, "agents": "rose", "spy_word": "lily", "spy": 2}),
            ("knew", (0, 1, 2, 3, PUBLIC), {"votes": {1: 2, 2: 3, 3: 1}}),
            ("knows", (0, 1, 2, 3, PUBLIC), {"director": 1, "card": None, "spy": None, "clues": ({}, {})}),
        ],
    ),
]


def escape(card: int, agents: str, spy_word: str, players: int, spy: int) -> str:
    """Return a whole round but its Director, after which the spy has 2 points: every seat votes for the next one."""
    others = [(spy + i) % players for i in range(players)]  # the seat before the spy is the Director
    writers = others[:-1]
    votes = vote(*writers[1:], writers[0])
    words = write(" ".join(["rose"] * (players - 1) + ["oak"] * (players - 1)))
    return f"{dealt(card, agents, spy_word, spy, 'wild')}; {words}; {quiet(players - 1)}; {votes}"


PAIRS = [(card.family[0], card.family[1]) for card in CARDS]


def escapes(players: int, first_spy: int, rounds: int, first_card: int = 0) -> str:
    """Return rounds in which the seat on the Director's left is the spy and escapes."""
    return "; ".join(
        escape(first_card + number, *PAIRS[first_card + number], players, (first_spy + number) % players)
        for number in range(rounds)
    )


MATCHES = [
    Situation(
        "points of a match add up",
        "U1, U10: the Director moves to the left, and around; thrice 2 points, then 1 for a right guess.",
        [
            "director 2",
            escapes(4, 3, 1),
            ("knows", PUBLIC, {"director": 3}),
            escapes(4, 0, 1, 1),
            ("knows", PUBLIC, {"director": 0}),
            escapes(4, 1, 1, 2),
            ("goes on",),
            dealt(3, "oak", "maple", 3, "wild"),
            f"{CLUES}; {quiet(3)}; vote 3; vote 2; vote 3; guess oak",
            ("result", (2, 2, 0, 3)),
        ],
        options={"rounds": 4},
    ),
    Situation(
        "cards are not put back",
        "U2: a card once dealt is not dealt again in the match.",
        [
            f"director 0; {escapes(4, 1, 2)}",
            ("outcomes", alike(*(f"card {number}" for number in range(2, 10)))),
            "card 5; agents pear; spy pine",
            ("to move", 2),
        ],
    ),
    *(
        Situation(
            f"rounds of {players} players",
            "U1: twice each of 4 or 5, once each of 6 to 8.",
            [
                f"director 1; {escapes(players, 2, rounds - 1)}",
                ("goes on",),
                ("rounds", rounds),
                ("outcomes", alike(*(f"card {number}" for number in range(rounds - 1, 10)))),
                escapes(players, (rounds + 1) % players, 1, rounds - 1),
                ("result", (2 * rounds // players,) * players),
                ("to move", None),
            ],
            players=players,
        )
        for players, rounds in ((4, 8), (5, 10), (6, 6), (7, 7), (8, 8))
    ),
    Situation(
        "fewer rounds",
        "U1: option rounds.",
        [f"director 7; {escapes(8, 0, 2)}", ("goes on",), escapes(8, 2, 1, 2), ("result", (2, 2, 2, 0, 0, 0, 0, 0))],
        players=8,
        options={"rounds": 3},
    ),
    Situation(
        "zero-sum, the spy escapes",
        "U10: 2 points among 4 seats, mean 1/2, the Director's included.",
        [f"director 3; {escapes(4, 0, 1)}", ("result", (Fraction(3, 2), *[Fraction(-1, 2)] * 3))],
        options=ZERO_SUM,
    ),
    Situation(
        "zero-sum, the agents win",
        "U10: three agents have 6 points among 5 seats, mean 6/5.",
        [
            f"director 4; {dealt(3, 'oak', 'pine', 0, 'wild')}; {write('rose rose rose rose oak oak oak oak')}",
            f"{quiet(4)}; vote 1; vote 0; vote 0; vote 0; guess maple",
            ("result", (Fraction(-6, 5), Fraction(4, 5), Fraction(4, 5), Fraction(4, 5), Fraction(-6, 5))),
        ],
        players=5,
        options=ZERO_SUM,
    ),
    Situation(
        "zero-sum, round by round",
        "U10: 2 and then 1 point, each less its mean.",
        [
            f"director 3; {escapes(4, 0, 1)}",
            f"{dealt(1, 'lily', 'rose', 2, 'wild')}; {CLUES}; {quiet(3)}; vote 2; vote 1; vote 2; guess lily",
            ("result", (Fraction(5, 4), Fraction(-3, 4), Fraction(1, 4), Fraction(-3, 4))),
        ],
        options={"rounds": 2, "rewards": "zero_sum"},
    ),
    Situation(
        "the neutral Director scores nothing",
        "U3, U9: it is neither agent nor spy.",
        [
            f"director 0; card 0; agents rose; spy lily; spy seat 2; link wild; {TO_THE_VOTES}; {vote(2, 1, 2)}",
            "guess tulip",
            ("result", (0, 2, 0, 2)),
        ],
        options=NEUTRAL,
    ),
]


def rose_deals(share: Fraction, words: str, viewer: int = 1, others: tuple[int, int] = (2, 3)) -> dict[Deal, Fraction]:
    """Return the deals of card 0 of which one keyword is the viewer's, `rose`, and the other one of `words`."""
    return {
        deal: share
        for word in words.split()
        for deal in (Deal(0, word, "rose", viewer), *(Deal(0, "rose", word, spy) for spy in others))
    }


def pair_deals(share: Fraction, viewer: int = 1, others: tuple[int, int] = (2, 3)) -> dict[Deal, Fraction]:
    """Return the deals of card 1 in which the viewer has seen `rose`."""
    return {Deal(1, "lily", "rose", viewer): share} | {Deal(1, "rose", "lily", spy): share for spy in others}


# What a seat holds possible: each deal weighs as much as chance draws it.  `rose` is on two cards: two words in order
# from card 0 (four nouns) have 1/12, from card 1 (a pair) 1/2; nine deals of card 0 and three of card 1 are left.
DEALS = [
    Situation(
        "deals by the chance of their draws",
        "9/12 to 3/2: each of card 0 has 1/27, each of card 1 2/9; that one is the spy has 1/3, as before the deal.",
        [
            f"director 0; {dealt(0, 'rose', 'lily', 2, 'sweet')}",
            ("deals", 1, rose_deals(Fraction(1, 27), "tulip lily daisy") | pair_deals(Fraction(2, 9))),
            ("deals", 0, {Deal(0, "rose", "lily", 2): 1}),
        ],
    ),
    Situation(
        "the link is no keyword",
        "U3: after the link lily card 1 is impossible, and the other keyword is tulip or daisy.",
        [
            f"director 0; {dealt(0, 'rose', 'tulip', 2, 'lily')}",
            ("deals", 1, rose_deals(Fraction(1, 6), "tulip daisy")),
        ],
    ),
    Situation(
        "what the neutral Director's link tells",
        "wild is one link of three of card 0, of two of card 1: 9/36 to 3/4.",
        [
            "director 0; card 0; agents rose; spy lily; spy seat 2; link wild",
            ("deals", 1, rose_deals(Fraction(1, 36), "tulip lily daisy") | pair_deals(Fraction(1, 4))),
        ],
        options=NEUTRAL,
    ),
    Situation(
        "a neutral link of one card only",
        "sweet links card 1, not card 0.",
        [
            "director 0; card 1; agents rose; spy lily; spy seat 3; link sweet",
            ("deals", 1, pair_deals(Fraction(1, 3))),
        ],
        options=NEUTRAL,
    ),
    Situation(
        "before the link is said",
        "U4: a seat that has its keyword holds the same deals possible as with a link that tells nothing.",
        [
            "director 0; card 0; agents rose; spy lily; name 2",
            ("deals", 1, rose_deals(Fraction(1, 27), "tulip lily daisy") | pair_deals(Fraction(2, 9))),
        ],
    ),
    Situation(
        "no card twice",
        "U2: card 1 is gone.",
        [
            f"director 3; {escape(1, 'rose', 'lily', 4, 0)}; {dealt(0, 'rose', 'lily', 2, 'sweet')}",
            ("deals", 1, rose_deals(Fraction(1, 9), "tulip lily daisy")),
        ],
    ),
    Situation(
        "the stopped spy's deals",
        "U8: seat 1 has rose and is asked for a guess: 3/12 to 1/2, so lily, on both cards, has 1/9 + 2/3.",
        [
            f"director 0; {dealt(0, 'lily', 'rose', 1, 'sweet')}; {write('oak oak oak pear pear pear')}; {quiet(3)}",
            "vote 2; vote 1; vote 1",
            (
                "deals",
                1,
                {
                    Deal(0, "tulip", "rose", 1): Fraction(1, 9),
                    Deal(0, "lily", "rose", 1): Fraction(1, 9),
                    Deal(0, "daisy", "rose", 1): Fraction(1, 9),
                    Deal(1, "lily", "rose", 1): Fraction(2, 3),
                },
            ),
            ("deals", 2, {Deal(0, "lily", "rose", 1): Fraction(1, 7), Deal(1, "lily", "rose", 1): Fraction(6, 7)}),
        ],
    ),
    Situation(
        "clues and votes tell nothing of the deal",
        "hidden ones of others may be anything, shown ones too: they are choices.",
        [
            f"director 0; {dealt(1, 'rose', 'lily', 3, 'wild')}; write lily",
            (
                "deals",
                2,
                rose_deals(Fraction(1, 27), "tulip lily daisy", 2, (1, 3)) | pair_deals(Fraction(2, 9), 2, (1, 3)),
            ),
            f"{write('rose rose cut cut cut')}; accuse 2; quiet; accuse 2; vote 2",
            ("deals", 1, rose_deals(Fraction(1, 27), "tulip lily daisy") | pair_deals(Fraction(2, 9))),
        ],
    ),
]


def mini_deals(others: list[str]) -> dict[Deal, Fraction]:
    """Return the deals, alike, in which seat 2 has seen the first word and the other keyword is one of these."""
    own = MINI_WORDS[0]
    deals = [Deal(0, own, word, spy) for word in others for spy in (0, 3)] + [Deal(0, word, own, 2) for word in others]
    return dict.fromkeys(deals, Fraction(1, len(deals)))


SMALL = [
    Situation(
        "mini",
        "one round of four players; the other keyword is one of five, each as likely for the spy as for the agents.",
        [
            "director 1",
            ("outcomes", alike("card 0", "card 1")),
            "card 0",
            ("outcomes", alike(*(f"agents {word}" for word in MINI_WORDS[:6]))),
            f"agents {MINI_WORDS[0]}; spy {MINI_WORDS[1]}; name 0; say {MINI_WORDS[6]}",
            ("deals", 2, mini_deals(MINI_WORDS[1:6])),
            ("legal", {f"write {word}" for word in MINI_WORDS if word != MINI_WORDS[6]}),
            write(" ".join(MINI_WORDS[:3])),
            ("legal", {f"write {word}" for word in MINI_WORDS[3:] if word != MINI_WORDS[6]}),
            f"{write(' '.join(MINI_WORDS[3:6]))}; {quiet(3)}; vote 0; vote 0; vote 2",
            ("legal", {f"guess {word}" for word in MINI_WORDS}),
            f"guess {MINI_WORDS[0]}",
            ("result", (1, 0, 0, 0)),
        ],
        deck=MINI,
    ),
    Situation(
        "a neutral link without link words",
        "U3: any word but the keywords, and so it strikes the deals with it.",
        [
            f"director 1; card 0; agents {MINI_WORDS[0]}; spy {MINI_WORDS[1]}; spy seat 3",
            ("outcomes", alike(*(f"link {word}" for word in MINI_WORDS[2:]))),
            f"link {MINI_WORDS[2]}",
            ("deals", 2, mini_deals([MINI_WORDS[1], *MINI_WORDS[3:6]])),
        ],
        options={"director": "neutral"},
        deck=MINI,
    ),
]

SITUATIONS = [*DEALING, *CLUES_AND_DEBATE, *VOTES, *THE_GUESS, *MATCHES, *DEALS, *SMALL]

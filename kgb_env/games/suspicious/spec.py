"""What exists in Suspicious: the record, the actions, the observation.  (Rulings U1 to U10)"""

from __future__ import annotations

import numpy as np

from kgb_env.game import Ending
from kgb_env.games.suspicious.cards import LARGEST, LINKS, MOST_CARDS, MOST_FAMILIES
from kgb_env.games.suspicious.vectors import WIDTH
from kgb_env.games.suspicious.vocabulary import MOST
from kgb_env.layout import Field, Layout
from kgb_env.record import head, record

SEATS, FEWEST = 8, 4
ROUNDS = 10  # of the longest match, that of five
DEBATE_ROUNDS = 3
CLUES = 2

NONE = -2  # no word, seat or card, or none yet
QUIET = -3  # said nothing in the debate

# Phases.  Chance is due in the first four, and with a neutral Director also in NAME and LINK (U3).
DIRECTOR, CARD, AGENTS_WORD, SPY_WORD, NAME, LINK, CLUE_1, CLUE_2, DEBATE, VOTE, GUESS = range(11)

ESCAPED, GUESSED, CAUGHT = 2, 1, 2  # points of a spy that is not stopped or guesses right, of each agent if not (U9)

ENDINGS = (Ending("match over", "all rounds have been played (U1)"),)
MATCH_OVER = 1


def action_layout(players: int, words: int) -> Layout:
    """Return the actions; that of a word is its place in the vocabulary."""
    return Layout(
        Field("word", (words,), "say, write or guess a word: its place in the vocabulary"),
        Field("seat", (players - 1,), "name, accuse or vote for a seat, counted from the next on my left"),
        Field("quiet", (1,), "say nothing in the debate"),
    )


FIXED_OBSERVATION = (
    Field("phase", (7,), "due is: naming the spy, the link, clue 1, clue 2, debate, vote, guess; zeros after the end"),
    Field("rounds_left", (1,), "rounds left, this one included", ROUNDS),
)
_pieces = Layout(*FIXED_OBSERVATION)
PHASE, ROUNDS_LEFT = _pieces.phase.start, _pieces.rounds_left.start

OF_SEATS = ("to_move", "director", "spy", "stopped", "last_spy", "last_stopped", "points")
OF_THE_TALK = ("wrote", "quiet", "accused", "vote")
OF_WORDS = ("keyword", "link", "agents_word", "spy_word", "clue")


def observation_layout(players: int, debate_rounds: int, width: int) -> Layout:
    """Return the observation; seats count from the viewer, then from its left, and words are vectors."""
    pairs = (players, players)
    return Layout(
        *FIXED_OBSERVATION,
        Field("to_move", (players,), "who decides; zeros after the end"),
        Field("director", (players,), "the Director of the round"),
        Field("spy", (players,), "the spy; masked where I do not know it"),
        Field("stopped", (players,), "the seat that is stopped"),
        Field("last_spy", (players,), "the spy of the round before"),
        Field("last_stopped", (players,), "the seat that was stopped in the round before"),
        Field("points", (players,), "points so far", 2 * ROUNDS),
        Field("wrote", (CLUES, players), "who has written clue 1, clue 2"),
        Field("quiet", (debate_rounds, players), "who has said nothing in each round of the debate"),
        Field("accused", (debate_rounds, *pairs), "who (row) has accused whom"),
        Field("vote", pairs, "who (row) has voted for whom; masked while others vote unseen"),
        Field("keyword", (width,), "the vector of my keyword; zeros for the Director", low=-1),
        Field("link", (width,), "the Director's word", low=-1),
        Field("agents_word", (width,), "the agents' keyword; masked where I do not know it", low=-1),
        Field("spy_word", (width,), "the spy's keyword; likewise", low=-1),
        Field("clue", (CLUES, players, width), "the clues; masked while others write unseen", low=-1),
    )


STATE = record(
    [
        *head(SEATS),
        ("card", "i2", (ROUNDS,)),  # secret
        ("agents_word", "i2", (ROUNDS,)),  # secret; every word is its place in the vocabulary
        ("spy_word", "i2", (ROUNDS,)),  # secret
        ("keyword", "i2", (ROUNDS, SEATS)),  # secret: of each seat
        ("clue", "i2", (ROUNDS, CLUES, SEATS)),  # secret until all have written
        ("link", "i2", (ROUNDS,)),
        ("guess", "i2", (ROUNDS,)),
        ("spy", "i1", (ROUNDS,)),  # secret
        ("vote", "i1", (ROUNDS, SEATS)),  # secret until all have voted
        ("accused", "i1", (ROUNDS, DEBATE_ROUNDS, SEATS)),  # a seat, or QUIET
        ("stopped", "i1", (ROUNDS,)),
        ("points", "i1", (SEATS,)),
        ("players", "i1"),  # option
        ("rounds", "i1"),  # option
        ("debate_rounds", "i1"),  # option
        ("is_neutral", "i1"),  # option: chance names the spy and the link
        ("is_zero_sum", "i1"),  # option
        ("first", "i1"),  # the Director of the first round
        ("now", "i1"),  # the round that is played, from 0
        ("phase", "i1"),
        ("acted", "i1"),  # how many have acted in this phase
    ],
    __file__,
)
SECRETS = ("card", "agents_word", "spy_word", "keyword", "clue", "spy", "vote")

OBSERVED = (*OF_SEATS, *OF_THE_TALK, *OF_WORDS)

TABLES = np.dtype(
    (
        np.record,
        [
            ("words", "i8"),  # of the vocabulary, whose actions come first
            ("to_seat", "i8"),  # where the seats start among the actions
            ("to_quiet", "i8"),
            ("cards", "i8"),
            *((f"at_{name}", "i8") for name in OBSERVED),  # where each piece of the observation starts
            ("width", "i8"),  # numbers of a vector
            ("family_size", "i8", (MOST_CARDS,)),
            ("links", "i8", (MOST_CARDS,)),  # link words of each card, which may have none
            ("family", "i2", (MOST_CARDS, LARGEST)),
            ("link", "i2", (MOST_CARDS, LINKS[1])),
            ("vectors", "f4", (MOST * WIDTH,)),  # of the words, end to end
        ],
    )
)

# Deals that a seat can hold possible at once: before it has a keyword, all words of all cards; after that, the cards
# with its keyword, the other word and the spy's seat.
MOST_DEALS = max(MOST_CARDS * LARGEST * (LARGEST - 1), MOST_FAMILIES * (LARGEST - 1) * SEATS)

# Memory of determinize.
SCRATCH = np.dtype(
    (
        np.record,
        [
            ("deals", "i8"),  # how many are possible
            ("weight", "i8", (MOST_DEALS,)),
            ("card", "i2", (MOST_DEALS,)),
            ("agents_word", "i2", (MOST_DEALS,)),
            ("spy_word", "i2", (MOST_DEALS,)),
            ("spy", "i1", (MOST_DEALS,)),
            ("mask", "i1", (MOST + SEATS,)),  # legal actions
        ],
    )
)

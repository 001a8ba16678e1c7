"""How agents understand words: by a table of vectors, and by what somebody with a keyword would write."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from kgb_env.game import Game
from kgb_env.games.suspicious.deck import Deck, deck_of
from kgb_env.games.suspicious.vectors import TABLES, table_for
from kgb_env.games.suspicious.vocabulary import MOST
from kgb_env.jit import derive_seed, kernel

MIXED: Literal["mixed"] = "mixed"
TableName = Literal["mixed", "glove", "minilm", "combined"]

# The model of a speaker: which word somebody with a keyword writes, by its cosine to the keyword.  Chosen like the
# weights of a belief; from 12 on a greater sharpness changes little.
SHARPNESS = 12.0
OUT_OF_THE_BLUE = 0.05  # the share of words that have nothing to do with the keyword
OWN = 1e-3  # how likely somebody says the keyword itself, as against another word out of the blue


class Minds(NamedTuple):
    """Ways to understand words, a table of vectors each.

    Attributes:
        vectors: float32 (minds, words, width), of length 1.
        row: int64 (words,), where each word stands among the keywords of the cards; -1 if on no card.
        clue: float32 (minds, keywords, words), the log of the chance that somebody with a keyword writes a word.
        reveals: the same shape, the log of what a word alone tells: the chance of the keyword among its family.
        link: float32 (minds, keywords, keywords), the log of the sum over all words of how each links two keywords.
    """

    vectors: np.ndarray
    row: np.ndarray
    clue: np.ndarray
    reveals: np.ndarray
    link: np.ndarray


def minds_of(game: Game, table: TableName) -> Minds:
    """Return the minds of agents with this table: three if mixed, else one."""
    return _minds(deck_of(game), TABLES if table == MIXED else (table,))


@lru_cache(maxsize=8)
def _minds(deck: Deck, tables: tuple[str, ...]) -> Minds:
    keywords = np.array(sorted({word for card in deck.cards for word in card.family}))
    row = np.full(len(deck.vocabulary.words), -1)
    row[keywords] = np.arange(len(keywords))
    vectors = np.stack([table_for(table, deck.vocabulary) for table in tables])
    chance = np.stack([speaker(table, keywords) for table in vectors])
    reveals, link = np.empty_like(chance), np.zeros((len(tables), len(keywords), len(keywords)), np.float32)
    for own, others in enumerate(relatives(deck, keywords)):
        said = chance[:, row[others]]
        reveals[:, own] = np.log(chance[:, own] / said.sum(axis=1))
        fits = np.minimum(chance[:, own, None], said)
        fits[:, :, keywords[own]] = 0
        fits[:, np.arange(others.size), others] = 0
        link[:, own, row[others]] = np.log(fits.sum(axis=2))
    minds = Minds(vectors, row, np.log(chance), reveals, link)
    for array in minds:
        array.flags.writeable = False
    return minds


def speaker(table: np.ndarray, keywords: np.ndarray) -> np.ndarray:
    """Return the chance that somebody with a keyword writes a word: float32 (keywords, words).

    Args:
        table: the vectors (words, width) of length 1.
        keywords: places of the keywords in the vocabulary.
    """
    fits = np.exp(SHARPNESS * (table[keywords] @ table.T - 1))
    own = np.arange(keywords.size), keywords
    fits[own] = 0
    chance = (1 - OUT_OF_THE_BLUE) * fits / fits.sum(axis=1, keepdims=True) + OUT_OF_THE_BLUE / len(table)
    chance[own] *= OWN
    return chance


def relatives(deck: Deck, keywords: np.ndarray) -> list[np.ndarray]:
    """Return, for each keyword, the words that are with it on a card, itself included."""
    families: dict[int, set[int]] = {int(word): set() for word in keywords}
    for card in deck.cards:
        for word in card.family:
            families[word].update(card.family)
    return [np.array(sorted(families[int(word)])) for word in keywords]


@kernel
def mind_of(v, minds):
    """Return which mind a viewer has: it keeps one for the whole match, drawn by its seat and what it first saw."""
    seen = np.int64(v.keyword[0, v.viewer])
    if v.viewer == v.first:
        seen = v.agents_word[0] * np.int64(MOST) + v.spy_word[0]
    return np.int64(derive_seed(max(seen, 0), np.int64(v.viewer), 0) % np.uint64(minds))

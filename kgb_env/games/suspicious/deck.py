"""The words and cards of a configured game: from its data files to tables, and back to texts."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from kgb_env.errors import OptionError
from kgb_env.game import Game
from kgb_env.games.suspicious import spec
from kgb_env.games.suspicious.cards import Card, parse_cards
from kgb_env.games.suspicious.vectors import table_for
from kgb_env.games.suspicious.vocabulary import Vocabulary, parse_vocabulary, shipped_vocabulary
from kgb_env.layout import Layout


class Deck(NamedTuple):
    """What can be said, and what can be dealt."""

    vocabulary: Vocabulary
    cards: tuple[Card, ...]


@lru_cache
def read_deck(vocabulary: str, cards: str, vocabulary_name: str, cards_name: str) -> Deck:
    """Return the deck of these texts, the files of these names.

    Raises:
        DataFileError: names the file, and of every fault the line, what is wrong and what is allowed.
    """
    words = parse_vocabulary(vocabulary, vocabulary_name, shipped_vocabulary().index)
    return Deck(words, parse_cards(cards, cards_name, words))


def deck_of(game: Game) -> Deck:
    """Return the deck of a game."""
    names = game.options["vocabulary"], game.options["cards"]
    return read_deck(game.data["vocabulary"], game.data["cards"], *names)


def require_enough_cards(deck: Deck, rounds: int) -> None:
    """Refuse a match of more rounds than cards: none is dealt twice (U2)."""
    if len(deck.cards) < rounds:
        raise OptionError(
            f"the match has {rounds} rounds, and each takes a card: there are {len(deck.cards)}; "
            "name more cards, or fewer rounds"
        )


def vectors_of(vocabulary: Vocabulary, table: str, width: int) -> np.ndarray:
    """Return float32 (words, width): the first, strongest numbers of each word's vector, of length 1 again."""
    vectors = table_for(table, vocabulary)[:, :width]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(lengths, np.finfo(np.float32).tiny)


def build_tables(deck: Deck, options: dict[str, Any], actions: Layout, observation: Layout) -> np.ndarray:
    """Return one read-only record that all kernels take."""
    tables = np.zeros(1, spec.TABLES)
    t = tables[0]
    t.words, t.cards, t.width = len(deck.vocabulary.words), len(deck.cards), options["vector_size"]
    t.to_seat, t.to_quiet = actions.seat.start, actions.quiet.start
    for name in spec.OBSERVED:
        t[f"at_{name}"] = getattr(observation, name).start
    for number, card in enumerate(deck.cards):
        t.family_size[number], t.links[number] = len(card.family), len(card.links)
        t.family[number, : len(card.family)] = card.family
        t.link[number, : len(card.links)] = card.links
    vectors = vectors_of(deck.vocabulary, options["vectors"], options["vector_size"])
    t.vectors[: vectors.size] = vectors.ravel()
    tables.flags.writeable = False
    return tables

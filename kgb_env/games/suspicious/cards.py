"""The cards of Suspicious, families of related nouns with their link words, read and validated.  (Ruling U2)"""

from __future__ import annotations

import difflib
import warnings
from collections import Counter
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from kgb_env.errors import MOST_FAULTS
from kgb_env.games.suspicious.vocabulary import (
    STANDARD,
    WORDS,
    Fault,
    Vocabulary,
    content_lines,
    refuse,
    shipped_vocabulary,
)

CARDS = WORDS / "cards"
SMALLEST, LARGEST = 2, 8  # nouns of a family
HIDING = 6  # nouns of a family that leave five candidates for the other keyword
LINKS = 2, 3  # link words of a card that has any
NO_LINKS = "-"
MOST_CARDS = 256
MOST_FAMILIES = 2  # of one noun
BANDS = FAR, MEDIUM, CLOSE = "far", "medium", "close"
FROM = {MEDIUM: 0.40, CLOSE: 0.47}  # mean cosine of a family from which its band begins: thirds of our cards


class Card(NamedTuple):
    """A family of nouns, of which two become keywords, and the words that link any two of them.

    Attributes:
        family: places of the nouns in the vocabulary.
        links: places of the link words; there may be none.
        band: how alike the nouns are: ``far``, ``medium`` or ``close``; empty where the file does not say.
            The closer, the harder the spy is to find, and the easier for it to guess the agents' keyword.
    """

    family: tuple[int, ...]
    links: tuple[int, ...]
    band: str


def share_stem(first: str, second: str) -> bool:
    """Say whether two words begin alike (four letters, or all of the shorter) or the longer ends with the shorter.

    A rule of thumb on the careful side: it also meets pairs of no common origin (pen, pencil).
    """
    short, long = sorted((first, second), key=len)
    return long.startswith(short[:4]) or (len(short) >= 4 and long.endswith(short))


def band_of(family: tuple[int, ...], table: np.ndarray) -> str:
    """Return the band of a family: of the mean cosine of its pairs.

    Args:
        family: places of its words.
        table: the combined vectors (words, width) of length 1.
    """
    vectors = table[list(family)]
    mean = (vectors @ vectors.T)[np.triu_indices(len(family), 1)].mean()
    return max((band for band in FROM if mean >= FROM[band]), key=FROM.__getitem__, default=FAR)


def parse_cards(text: str, source: str, vocabulary: Vocabulary) -> tuple[Card, ...]:
    """Return the cards of a file: one ``nouns : links`` or ``nouns : links : band`` a line, ``-`` for no link words.

    Warns of families so small, fixed pairs above all, that who knows the cards knows too much about the other word.

    Raises:
        DataFileError: names ``source``, and of every fault the line, what is wrong and what is allowed.
    """
    faults: list[Fault] = []
    cards: list[Card] = []
    families: Counter[str] = Counter()
    small: list[str] = []
    for number, line in content_lines(text):
        parts = [part.split() for part in line.split(":")]
        if len(parts) not in (2, 3) or not all(parts):
            faults.append(Fault(number, f"expected 'NOUNS : LINKS' and perhaps ': BAND', not {line!r}"))
            continue
        nouns, links = parts[0], parts[1] if parts[1] != [NO_LINKS] else []
        band = " ".join(parts[2]) if len(parts) == 3 else ""
        reasons = _faults_of_size(nouns, links)
        if not reasons:  # the others take long to find in very long lines
            reasons = [*_faults_of_words(nouns, links, vocabulary), *_faults_of_kind(nouns, links, band)]
        families.update(set(nouns))
        reasons += [
            f"{noun!r} is in more than {MOST_FAMILIES} families"
            for noun in dict.fromkeys(nouns)
            if families[noun] > MOST_FAMILIES
        ]
        faults += [Fault(number, reason) for reason in reasons]
        if len(faults) > MOST_FAULTS:
            break  # to look for words that are meant takes long, and so many would not be told
        if not reasons:
            place = vocabulary.index.__getitem__
            cards.append(Card(tuple(map(place, nouns)), tuple(map(place, links)), band))
            small += [str(number)] if len(nouns) < HIDING else []
    if not faults and not 1 <= len(cards) <= MOST_CARDS:
        faults.append(Fault(0, f"number of cards: {len(cards)}; allowed are 1 to {MOST_CARDS}"))
    refuse(source, faults)
    if small:
        warnings.warn(
            f"{source}, lines {', '.join(small)}: families of fewer than {HIDING} nouns; "
            "a seat that knows the cards has fewer than five candidates for the other keyword",
            stacklevel=2,
        )
    return tuple(cards)


def _faults_of_words(nouns: list[str], links: list[str], vocabulary: Vocabulary) -> list[str]:
    """Return what is wrong with single words: not in the vocabulary, no noun, twice."""
    reasons = []
    for word in dict.fromkeys(nouns + links):
        if word not in vocabulary.index:
            near = difflib.get_close_matches(word, vocabulary.words, n=1)
            reasons.append(f"{word!r} is not in the vocabulary{f'; did you mean {near[0]!r}?' if near else ''}")
        elif word in nouns and vocabulary.index[word] >= vocabulary.nouns:
            reasons.append(f"{word!r} is no noun in the vocabulary; keywords are nouns")
    reasons += [f"{word!r} is there twice" for word, times in Counter(nouns + links).items() if times > 1]
    return reasons


def _faults_of_size(nouns: list[str], links: list[str]) -> list[str]:
    """Return what is wrong with the numbers of words."""
    reasons = []
    if not SMALLEST <= len(nouns) <= LARGEST:
        reasons.append(f"nouns: {len(nouns)}; a family has {SMALLEST} to {LARGEST}")
    if links and not LINKS[0] <= len(links) <= LINKS[1]:
        reasons.append(f"link words: {len(links)}; a card has {LINKS[0]} or {LINKS[1]}, or {NO_LINKS!r} for none")
    return reasons


def _faults_of_kind(nouns: list[str], links: list[str], band: str) -> list[str]:
    """Return what is wrong with a card as a whole: the band, shared stems."""
    reasons = [f"{band!r} is no band (allowed: {', '.join(BANDS)})"] if band and band not in BANDS else []
    words = dict.fromkeys(nouns + links)
    return reasons + [
        f"{one!r} and {other!r} share a stem" for one, other in combinations(words, 2) if share_stem(one, other)
    ]


@cache
def shipped_cards() -> tuple[Card, ...]:
    """Return our own cards, on our own vocabulary."""
    return parse_cards((CARDS / f"{STANDARD}.txt").read_text(encoding="utf-8"), STANDARD, shipped_vocabulary())

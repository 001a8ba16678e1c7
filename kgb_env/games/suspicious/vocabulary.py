"""The closed vocabulary of Suspicious, read and validated: every word that can be said, nouns first.  (Ruling U2)"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from kgb_env.errors import DataFileError

WORDS = Path(__file__).parent / "words"
VOCABULARIES = WORDS / "vocabularies"
STANDARD = "standard"  # the name of our own vocabulary, and of our own cards
CLASSES = NOUN, ADJECTIVE, VERB = "noun", "adjective", "verb"
LEAST, MOST = 12, 4096  # words of a vocabulary
LONGEST = 20  # letters of a word


class Fault(NamedTuple):
    """Something wrong in a file; lines count from 1, line 0 is the whole file."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}" if self.line else self.reason


@dataclass(frozen=True)
class Vocabulary:
    """The words that can be said.

    Attributes:
        words: in the order of the actions, keywords before words that are clues only.
        classes: of each word, ``noun``, ``adjective`` or ``verb``.
    """

    words: tuple[str, ...]
    classes: tuple[str, ...]

    @cached_property
    def nouns(self) -> int:
        """How many words are nouns, which alone can be keywords: the first ones."""
        return self.classes.count(NOUN)

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of each word."""
        return {word: place for place, word in enumerate(self.words)}


def content_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield (number, line) of the lines that say something; ``#`` starts a comment."""
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.partition("#")[0].strip()
        if line:
            yield number, line


def refuse(source: str, faults: Sequence[Fault]) -> None:
    """Raise DataFileError with all faults of a file, one a line, if there are any."""
    if faults:
        raise DataFileError.listing([f"{source}, {fault}" if fault.line else f"{source}: {fault}" for fault in faults])


def parse_vocabulary(text: str, source: str, known: Collection[str] | None = None) -> Vocabulary:
    """Return the vocabulary of a file: one ``word class`` a line, nouns first.

    Args:
        text: of the file.
        source: its name, for the message.
        known: the words that have a vector; by default any word may be used.

    Raises:
        DataFileError: names ``source``, and of every fault the line, what is wrong and what is allowed.
    """
    faults: list[Fault] = []
    line_of: dict[str, int] = {}
    classes: list[str] = []
    for number, line in content_lines(text):
        word, *rest = line.split()
        if len(rest) != 1 or rest[0] not in CLASSES:
            faults.append(Fault(number, f"expected a word and its class ({', '.join(CLASSES)}), not {line!r}"))
            continue
        reasons = []
        if not re.fullmatch(rf"[a-z]{{1,{LONGEST}}}", word):
            reasons.append(f"{word!r} is no word of 1 to {LONGEST} lower-case letters a to z")
        elif known is not None and word not in known:
            reasons.append(f"{word!r} has no vector in the tables; only words of the shipped vocabulary have one")
        if word in line_of:
            reasons.append(f"{word!r} is in line {line_of[word]} already")
        if rest[0] == NOUN and classes and classes[-1] != NOUN:
            reasons.append(f"the noun {word!r} follows a word of another class; nouns come first")
        faults += [Fault(number, reason) for reason in reasons]
        if not reasons:
            line_of[word] = number
            classes.append(rest[0])
    if not faults and not LEAST <= len(classes) <= MOST:
        faults.append(Fault(0, f"number of words: {len(classes)}; allowed are {LEAST} to {MOST}"))
    if not faults and classes.count(NOUN) < 2:
        faults.append(Fault(0, "a vocabulary needs two nouns at least: keywords are nouns"))
    refuse(source, faults)
    return Vocabulary(tuple(line_of), tuple(classes))


@cache
def shipped_vocabulary() -> Vocabulary:
    """Return our own vocabulary."""
    return parse_vocabulary((VOCABULARIES / f"{STANDARD}.txt").read_text(encoding="utf-8"), STANDARD)

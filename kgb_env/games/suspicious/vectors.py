"""What words mean to an agent: tables of word vectors, one row a word.  (words/NOTICE names their sources)"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from kgb_env.errors import DataFileError, OptionError
from kgb_env.games.suspicious.vocabulary import WORDS, Vocabulary, shipped_vocabulary

TABLES = GLOVE, MINILM, COMBINED = "glove", "minilm", "combined"
WIDTH = 96  # numbers of a shipped vector


def read_table(path: Path, words: int) -> np.ndarray:
    """Return the table of a file as float32 (words, width), each row of length 1.

    The file is a ``.npy`` of int8 (words, width); all rows have the same scale, which a direction does not need.

    Raises:
        DataFileError: the file is no such array, or has a row of zeros.
    """
    try:
        numbers = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise DataFileError(f"{path}: no readable .npy file: {error}") from None
    if not isinstance(numbers, np.ndarray) or numbers.dtype != np.int8 or numbers.ndim != 2 or len(numbers) != words:
        is_array = isinstance(numbers, np.ndarray)
        found = f"{numbers.dtype} {numbers.shape}" if is_array else "several arrays"
        raise DataFileError(f"{path}: expected int8 ({words}, width), one row a word of the vocabulary; found {found}")
    table = numbers.astype(np.float32)
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    if not lengths.all():
        raise DataFileError(f"{path}: row {int(lengths.argmin())} is all zeros; a word needs a direction")
    table /= lengths
    table.flags.writeable = False
    return table


@cache
def shipped_table(name: str) -> np.ndarray:
    """Return a table for our own vocabulary, read-only float32 (words, WIDTH) with rows of length 1.

    Raises:
        OptionError: there is no such table.
    """
    if name not in TABLES:
        raise OptionError(f"table={name!r}: no such table of word vectors; allowed are {', '.join(TABLES)}")
    return read_table(WORDS / f"{name}.npy", len(shipped_vocabulary().words))


def table_for(name: str, vocabulary: Vocabulary) -> np.ndarray:
    """Return the rows of a shipped table for the words of a vocabulary, in its order, read-only.

    Raises:
        OptionError: there is no such table.
        DataFileError: a word has no vector.
    """
    table, index = shipped_table(name), shipped_vocabulary().index
    if vocabulary.words == shipped_vocabulary().words:
        return table
    if unknown := [word for word in vocabulary.words if word not in index]:
        raise DataFileError(f"no vector in the shipped tables for {', '.join(map(repr, unknown))}")
    table = table[[index[word] for word in vocabulary.words]]
    table.flags.writeable = False
    return table

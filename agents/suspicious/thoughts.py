"""What the expert thinks, as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from agents.explanation import Table, percent
from kgb_env.game import Game
from kgb_env.games.suspicious.log import seat_text, speakers, word_text
from kgb_env.games.suspicious.spec import CLUES
from kgb_env.record import UNKNOWN

SHOWN = 8  # words in a table
WORTH_SAYING = 0.3  # a chance from which it is mentioned; an even one among four is less


def spy_table(game: Game, v: np.record, suspicion: np.ndarray) -> Table:
    """Return who has written and said what, and how likely each seat is the spy.

    Args:
        game: Suspicious with any options.
        v: a view by a seat.
        suspicion: (seats,) the chance of each.
    """
    now = int(v.now)
    rows = []
    for seat in speakers(v, now, game.seats):
        clues = (word_text(game, v.clue[now, number, seat]) for number in range(CLUES))
        accused = (seat_text(v.accused[now, lap, seat]) for lap in range(int(v.debate_rounds)))
        who = f"seat {seat}{', itself' if seat == v.viewer else ''}"
        rows.append((who, *clues, *accused, percent(suspicion[seat])))
    accuses = ["accuses"] * int(v.debate_rounds)
    return Table("Who is the spy (percent)", ("Who", "Clue 1", "Clue 2", *accuses, "Spy"), rows)


def keyword_table(game: Game, chances: dict[int, tuple[float, float]]) -> Table:
    """Return which keywords the agents and the spy may have.

    Args:
        game: Suspicious with any options.
        chances: of each word to be the agents' and the spy's.
    """
    likeliest = sorted(chances, key=lambda word: -sum(chances[word]))
    rows = [(word_text(game, word), *map(percent, chances[word])) for word in likeliest]
    return Table("Which keyword they have (percent)", ("Word", "Agents", "Spy"), rows)


def word_table(game: Game, chances: np.ndarray, fits: np.ndarray, reveals: np.ndarray) -> Table:
    """Return the words that a seat may say, the likeliest first.

    Args:
        game: Suspicious with any options.
        chances: (words,) of each to be said.
        fits: (words,) how often somebody with the same keyword would say it.
        reveals: (words,) how sure the keyword would be by that word alone.
    """
    likeliest = np.argsort(-chances, kind="stable")[:SHOWN]
    rows = [
        (word_text(game, word), *(percent(number[word]) for number in (chances, fits, reveals))) for word in likeliest
    ]
    note = (
        "Fits: how often somebody with its keyword would write it. Tells: how sure its keyword would be by that alone."
    )
    return Table("What it may say (percent)", ("Word", "Says", "Fits", "Tells"), rows, note)


def remark(game: Game, v: np.record, suspicion: np.ndarray, chances: dict[int, tuple[float, float]]) -> str:
    """Return in a sentence what a seat knows and believes; see ``spy_table`` and ``keyword_table``."""
    now = int(v.now)
    if v.card[now] != UNKNOWN:
        return "knows the keywords"
    own = int(v.keyword[now, v.viewer])
    parts = [
        f"has {word_text(game, own)}",
        *_suspects(v, suspicion),
        *_keywords(game, own, suspicion[v.viewer], chances),
    ]
    return "; ".join(parts)


def _suspects(v: np.record, suspicion: np.ndarray) -> Iterator[str]:
    """Yield whom it suspects."""
    if v.spy[v.now] == UNKNOWN and v.clue[v.now, 0].max() >= 0:
        seats = [int(seat) for seat in np.argsort(-suspicion, kind="stable") if suspicion[seat] >= WORTH_SAYING]
        names = ("itself" if seat == v.viewer else f"seat {seat}" for seat in seats)
        yield "suspects " + ", ".join(
            f"{name} {percent(suspicion[seat])} %" for name, seat in zip(names, seats, strict=True)
        )


def _keywords(game: Game, own: int, is_spy: float, chances: dict[int, tuple[float, float]]) -> Iterator[str]:
    """Yield which keyword it thinks the others have, if it may be the spy."""
    others = {word: agents for word, (agents, _) in chances.items() if word != own}
    if is_spy >= WORTH_SAYING and others:
        best = max(others, key=others.__getitem__)
        share = others[best] / max(sum(others.values()), 1e-300)
        yield f"if it is the spy, the others have {word_text(game, best)}, {percent(share)} %"

"""The rounds of Suspicious as text, as far as the viewer knows them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kgb_env.game import Game
from kgb_env.games.suspicious.deck import deck_of
from kgb_env.games.suspicious.spec import CLUES, GUESS, NONE, QUIET
from kgb_env.record import UNKNOWN

HIDDEN = "?"


def log_text(game: Game, records: np.ndarray) -> list[str]:
    """Write what the viewer knows of every round, a few lines each."""
    s = records[0]
    return [line for number in range(int(s.now) + 1) for line in _round(game, s, number)]


def word_text(game: Game, word: int) -> str:
    """Write a word; ``?`` if it is hidden, nothing if there is none."""
    return {UNKNOWN: HIDDEN, NONE: ""}[int(word)] if word < 0 else deck_of(game).vocabulary.words[word]


def seat_text(seat: int) -> str:
    """Write the number of a seat; ``?`` if it is hidden, nothing if there is none."""
    return {UNKNOWN: HIDDEN, NONE: "", QUIET: "quiet"}.get(int(seat), str(int(seat)))


def is_finished(s: np.record, number: int) -> bool:
    """Tell if a round has been played to its end."""
    return bool(s.over) or number < s.now


def speakers(s: np.record, number: int, seats: int) -> list[int]:
    """Return the seats but the Director, in the order in which they act."""
    director = (int(s.first) + number) % seats
    return [(director + place) % seats for place in range(1, seats)]


def _round(game: Game, s: np.record, number: int) -> Iterator[str]:
    """Yield the lines of a round."""
    order = speakers(s, number, game.seats)
    yield f"round {number + 1}: director {(order[0] - 1) % game.seats}"
    deal = {
        "card": seat_text(s.card[number]),
        "agents": word_text(game, s.agents_word[number]),
        "spy": word_text(game, s.spy_word[number]),
        "spy seat": seat_text(s.spy[number]),
    }
    yield "  " + ", ".join(f"{name} {text}" for name, text in deal.items() if text)
    own = s.keyword[number, s.viewer] if s.viewer >= 0 else NONE
    if own >= 0:
        yield f"  own keyword {word_text(game, own)}"
    if s.link[number] != NONE:
        yield f"  link {word_text(game, s.link[number])}"
    for clue in range(CLUES):
        words = [(seat, word_text(game, s.clue[number, clue, seat])) for seat in order]
        yield from _line(f"clue {clue + 1}", [f"{seat} {word}" for seat, word in words if word])
    for lap in range(int(s.debate_rounds)):
        said = [(seat, s.accused[number, lap, seat]) for seat in order]
        texts = [f"{seat} quiet" if at == QUIET else f"{seat} accuses {at}" for seat, at in said if at != NONE]
        yield from _line("debate", texts)
    votes = [(seat, seat_text(s.vote[number, seat])) for seat in order]
    yield from _line("votes", [f"{seat} for {other}" for seat, other in votes if other])
    yield from result(game, s, number)


def _line(name: str, texts: list[str]) -> Iterator[str]:
    if texts:
        yield f"  {name}: {', '.join(texts)}"


def result(game: Game, s: np.record, number: int) -> Iterator[str]:
    """Yield how a round ended, or that a stopped spy is to guess (U7 to U9)."""
    is_current = number == s.now and not s.over
    if is_current and s.phase != GUESS:
        return
    stopped = int(s.stopped[number])
    if stopped == NONE:
        yield "  nobody is stopped, the spy escapes"
    elif stopped != s.spy[number]:
        yield f"  stopped: seat {stopped}, an agent; the spy escapes"
    elif s.guess[number] == NONE:
        yield f"  stopped: seat {stopped}, the spy"
    else:
        is_right = s.guess[number] == s.agents_word[number]
        guess = word_text(game, s.guess[number])
        yield f"  stopped: seat {stopped}, the spy; guess {guess}, {'rightly' if is_right else 'wrongly'}"

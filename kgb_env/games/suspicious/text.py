"""How Suspicious is written: actions and outcomes.  Seats are absolute, words are words."""

from __future__ import annotations

import difflib

import numpy as np

from kgb_env.errors import NotationError
from kgb_env.game import Game
from kgb_env.games.suspicious.deck import deck_of
from kgb_env.games.suspicious.spec import AGENTS_WORD, CARD, DEBATE, DIRECTOR, GUESS, LINK, NAME, SPY_WORD, VOTE

LONGEST_LIST = 8  # of outcomes, in a message
QUIET_TEXT = "quiet"
DUE = {DIRECTOR: "director", CARD: "card", AGENTS_WORD: "agents", SPY_WORD: "spy", NAME: "spy seat", LINK: "link"}


def say_verb(phase: int) -> str:
    """Return what is done with a word in a phase."""
    return {LINK: "say", GUESS: "guess"}.get(phase, "write")


def seat_verb(phase: int) -> str:
    """Return what is done to a seat in a phase."""
    return {NAME: "name", VOTE: "vote"}.get(phase, "accuse")


def teller(records: np.ndarray) -> int:
    """Return the seat that relative seats count from: the one to move, or seat 0."""
    return max(0, int(records[0].to_move))


def action_text(game: Game, records: np.ndarray, action: int) -> str:
    """Write an action of the seat to move: ``name 3``, ``say flower``, ``write petal``, ``accuse 2``, ``quiet``."""
    kind, (number,) = game.actions.where(action)
    phase = int(records[0].phase)
    if kind == "word":
        return f"{say_verb(phase)} {deck_of(game).vocabulary.words[number]}"
    if kind == "seat":
        return f"{seat_verb(phase)} {(teller(records) + 1 + number) % game.seats}"
    return QUIET_TEXT


def parse_action(game: Game, records: np.ndarray, text: str) -> int:
    """Return the action of the seat to move that a text names, legal or not.

    Raises:
        NotationError: the text names none; the message says what is understood.
    """
    phase, parts = int(records[0].phase), text.split()
    if parts == [QUIET_TEXT]:
        return game.actions.quiet.start
    verbs = say_verb(phase), seat_verb(phase)
    if len(parts) != 2 or parts[0] not in verbs:
        raise NotationError(f"{text!r} is no action now; write {_due_text(phase)}")
    verb, name = parts
    if verb == verbs[0]:
        return game.actions.word.start + place_of_word(game, text, name)
    left = (int(name) - teller(records)) % game.seats if name in map(str, range(game.seats)) else 0
    if not left:
        raise NotationError(f"{text!r}: {verb} another seat; seats are 0 to {game.seats - 1}")
    return game.actions.seat.start + left - 1


def _due_text(phase: int) -> str:
    """Return what is written in a phase."""
    if phase in (NAME, DEBATE, VOTE):
        return f"'{seat_verb(phase)} SEAT'{f' or {QUIET_TEXT!r}' if phase == DEBATE else ''}"
    return f"'{say_verb(phase)} WORD'"


def place_of_word(game: Game, text: str, word: str) -> int:
    """Return the place of a word in the vocabulary, or raise NotationError."""
    index = deck_of(game).vocabulary.index
    if word not in index:
        near = difflib.get_close_matches(word, index, n=1)
        raise NotationError(
            f"{text!r}: {word!r} is not in the vocabulary{f'; did you mean {near[0]!r}?' if near else ''}"
        )
    return index[word]


def drawn(game: Game, records: np.ndarray) -> tuple[str, ...]:
    """Return the texts of all outcomes of the kind that is due, without its name."""
    s = records[0]
    deck = deck_of(game)
    words = deck.vocabulary.words
    if s.phase in (DIRECTOR, NAME):
        return tuple(map(str, range(game.seats)))
    if s.phase == CARD:
        return tuple(map(str, range(len(deck.cards))))
    card = deck.cards[int(s.card[s.now])]
    if s.phase == LINK:
        return tuple(words[place] for place in card.links) or words
    return tuple(words[place] for place in card.family)


def outcome_text(game: Game, records: np.ndarray, outcome: int) -> str:
    """Write an outcome of chance: ``director 2``, ``card 17``, ``agents rose``, ``spy tulip``, ``link flower``."""
    return f"{DUE[int(records[0].phase)]} {drawn(game, records)[outcome]}"


def parse_outcome(game: Game, records: np.ndarray, text: str) -> int:
    """Return the outcome that a text names, possible or not.

    Raises:
        NotationError: the text does not name an outcome of the kind that is due.
    """
    due, known = DUE.get(int(records[0].phase), "nothing"), drawn(game, records)
    *kind, name = text.split() or [""]
    if " ".join(kind) != due or name not in known:
        several = f"{known[0]} to {known[-1]}" if len(known) > LONGEST_LIST else ", ".join(known)
        raise NotationError(f"{text!r} is no outcome; due is '{due} X' with X one of {several}")
    return known.index(name)

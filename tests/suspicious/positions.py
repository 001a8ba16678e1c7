"""Positions of Suspicious by hand, in the words of its notation."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import kgb_env
from kgb_env import Game, kernels
from kgb_env.games.suspicious.deck import deck_of
from kgb_env.record import CHANCE, NOBODY, UNKNOWN

NOUNS = ["ant", "bee", "cow", "dog", "bear", "fox", "crab", "frog", "goat", "deer", "swan", "lion"]
FLOWERS = ["daffodil", "tulip", "daisy", "lily", "orchid", "lotus", "violet"]


def own_game(folder: Path, cards: str, words: Iterable[str] = (), **options: Any) -> Game:
    """Return the game with these cards, and these words if there are any, in files of the folder."""
    (folder / "cards.txt").write_text(cards, encoding="utf-8")
    if words:
        (folder / "words.txt").write_text("".join(f"{word} noun\n" for word in words), encoding="utf-8")
        options["vocabulary"] = str(folder / "words.txt")
    return kgb_env.game("suspicious", cards=str(folder / "cards.txt"), **options)


def card_of(game: Game, *words: str) -> int:
    """Return the number of the first card with these words in its family."""
    index, cards = deck_of(game).vocabulary.index, deck_of(game).cards
    return next(n for n, card in enumerate(cards) if {index[word] for word in words} <= set(card.family))


def dealt(game: Game, director: int = 0, agents: str = "lily", spy: str = "tulip") -> np.ndarray:
    """Return the first round with these keywords; the spy is still to be named."""
    card = card_of(game, agents, spy)
    return run(game, game.begin(), f"director {director}", f"card {card}", f"agents {agents}", f"spy {spy}")


def linked(game: Game, spy: int = 2, link: str = "flower", director: int = 0) -> np.ndarray:
    """Return the first round when the link has been said."""
    states = dealt(game, director)
    is_neutral = game.options["director"] == "neutral"
    events = (f"spy seat {spy}", f"link {link}") if is_neutral else (f"name {spy}", f"say {link}")
    return run(game, states, *events)


def written(game: Game, states: np.ndarray, words: str) -> np.ndarray:
    """Return the state after the seats in turn have written these words."""
    return run(game, states, *(f"write {word}" for word in words.split()))


def voted(game: Game, states: np.ndarray, *votes: int) -> np.ndarray:
    """Return the state after the seats in turn have voted for these."""
    return run(game, states, *(f"vote {seat}" for seat in votes))


def until_the_vote(game: Game, states: np.ndarray) -> np.ndarray:
    """Return a state with the link said when all have written what comes first, and debated quietly."""
    while DUE[int(states["phase"][0])] != "vote":
        texts = legal(game, states)
        states = run(game, states, "quiet" if "quiet" in texts else min(texts))
    return states


DUE = ("director", "card", "agents", "spy", "name", "link", "clue 1", "clue 2", "debate", "vote", "guess")


def due(states: np.ndarray) -> tuple[str, int]:
    """Return what is due, and by whom."""
    return DUE[int(states["phase"][0])], int(states["to_move"][0])


def run(game: Game, states: np.ndarray, *texts: str) -> np.ndarray:
    """Return the state after these outcomes and actions, each of which must be possible; the one given stays."""
    states = states.copy()
    states["viewer"] = NOBODY
    for text in texts:
        if states["to_move"][0] == CHANCE:
            action = game.notation.parse_outcome(game, states, text)
            assert outcomes(game, states)[action], f"{text} has no weight"
        else:
            action = game.notation.parse_action(game, states, text)
            assert action in game.legal(states), f"{text!r} is illegal"
        kernels.step(states[0], action, game.tables[0])
    return states


def outcomes(game: Game, states: np.ndarray) -> np.ndarray:
    """Return the weights of what chance may do."""
    weights = game.weights()
    kernels.chance(states[0], weights, game.tables[0])
    return weights


def likely(game: Game, states: np.ndarray) -> dict[str, int]:
    """Return the texts of what chance may do, with their weights."""
    weights = outcomes(game, states)
    return {game.notation.outcome(game, states, int(k)): int(weights[k]) for k in np.flatnonzero(weights)}


def legal(game: Game, states: np.ndarray) -> set[str]:
    """Return the texts of what the seat to move may choose."""
    return {game.notation.action(game, states, int(action)) for action in game.legal(states)}


def forbidden_words(game: Game, states: np.ndarray) -> set[str]:
    """Return the words that the seat to move may not say, write or guess."""
    allowed = {text.split()[1] for text in legal(game, states)}
    return set(deck_of(game).vocabulary.words) - allowed


def seen(game: Game, states: np.ndarray, seat: int, field: str) -> Any:
    """Return what a seat knows of a field in the round that is played; ``?`` for what is hidden."""
    view = game.view(states, seat)
    values = view[field][0, view["now"][0]]
    return [shown(game, field, v) for v in values[: game.seats]] if values.ndim else shown(game, field, values)


def shown(game: Game, field: str, value: int) -> Any:
    """Return a value in words."""
    if value < 0:
        return "?" if value == UNKNOWN else None
    is_word = field in ("agents_word", "spy_word", "keyword", "link", "guess")
    return deck_of(game).vocabulary.words[value] if is_word else int(value)


def clues(game: Game, states: np.ndarray, seat: int, number: int) -> list[str | None]:
    """Return what a seat knows of the first or second clue of every seat."""
    view = game.view(states, seat)
    row = view["clue"][0, view["now"][0], number - 1, : game.seats]
    return [shown(game, "keyword", word) for word in row]


def points(game: Game, states: np.ndarray) -> list[int]:
    """Return the scoreboard."""
    return states["points"][0, : game.seats].tolist()

"""Suspicious."""

from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator

from kgb_env.game import Game, Notation
from kgb_env.games.suspicious import legality, rules, spec, views, worlds
from kgb_env.games.suspicious.cards import BANDS, CARDS, LARGEST
from kgb_env.games.suspicious.deck import Deck, build_tables, deck_of, read_deck, require_enough_cards
from kgb_env.games.suspicious.drawing import draw, status
from kgb_env.games.suspicious.log import log_text
from kgb_env.games.suspicious.picture import marks, picture
from kgb_env.games.suspicious.roles import ROLES, role_of
from kgb_env.games.suspicious.summary import choices, knowledge
from kgb_env.games.suspicious.summary import rules as rules_in_short
from kgb_env.games.suspicious.text import action_text, outcome_text, parse_action, parse_outcome
from kgb_env.games.suspicious.vectors import WIDTH
from kgb_env.games.suspicious.vocabulary import STANDARD, VOCABULARIES
from kgb_env.kernels import Kernels
from kgb_env.layout import markdown_table
from kgb_env.options import GameOptions
from kgb_env.registry import Definition

__all__ = ["DEFINITION", "SuspiciousOptions"]

TWICE = 5  # seats up to which each is Director twice in a full match (U1)


def full_match(players: int) -> int:
    """Return the rounds of a full match (U1)."""
    return players * (2 if players <= TWICE else 1)


class SuspiciousOptions(GameOptions):
    """The options of Suspicious."""

    players: int = Field(5, ge=spec.FEWEST, le=spec.SEATS, description="seats, 4 to 8 (U1)")
    rounds: int | None = Field(
        None, ge=1, le=spec.ROUNDS, description="rounds; by default the full match, which is also the most (U1)"
    )
    director: Literal["player", "neutral"] = Field(
        "player", description="who names the spy and says the link: the Director, or chance (U3)"
    )
    debate_rounds: int = Field(1, ge=1, le=spec.DEBATE_ROUNDS, description="how often all speak in the debate (U6)")
    rewards: Literal["points", "zero_sum"] = Field(
        "points", description="the points, or what they are above the mean of all seats (U10)"
    )
    vectors: Literal["glove", "minilm", "combined"] = Field(
        "combined", description="the word vectors of the observation"
    )
    vector_size: int = Field(
        WIDTH, ge=1, le=WIDTH, description="numbers of a vector in the observation: the strongest components"
    )
    cards: str = Field(STANDARD, description="the cards: a shipped file or a path to your own (U2)")
    vocabulary: str = Field(STANDARD, description="the words: likewise")

    @model_validator(mode="after")
    def _play_the_full_match(self) -> Self:
        """Let the number of rounds be that of the full match by default, and never more (U1)."""
        most = full_match(self.players)
        if self.rounds is None:
            object.__setattr__(self, "rounds", most)
        elif self.rounds > most:
            raise ValueError(f"rounds={self.rounds}: a full match of {self.players} seats has {most} (U1)")
        return self


NOTATION = Notation(
    action_text,
    parse_action,
    outcome_text,
    parse_outcome,
    draw,
    log_text,
    picture,
    marks,
    rules=rules_in_short,
    knowledge=knowledge,
    choices=choices,
    status=status,
)
KERNELS = Kernels(rules.begin, rules.chance, legality.legal, rules.step, views.hide, views.observe, worlds.determinize)


def bounds(players: int, rounds: int, is_zero_sum: bool) -> tuple[float, float]:
    """Return the least and the most that a seat can get in a match (U9, U10).

    Best off is who escapes as the spy in every round but its own as Director, where a spy guesses right, which gives
    the others least.  Worst off is who gets nothing while all agents are paid.
    """
    directing = rounds // players
    most = spec.ESCAPED * (rounds - directing)
    if not is_zero_sum:
        return 0.0, float(most)
    everybody = most + spec.GUESSED * directing
    agents = spec.CAUGHT * (players - 2) * rounds
    return float(np.float32(-agents / players)), float(np.float32(most - everybody / players))


def longest(options: SuspiciousOptions) -> int:
    """Return the decisions of the longest match: every round ends with a guess."""
    by_director = 0 if options.director == "neutral" else 2
    by_each = spec.CLUES + options.debate_rounds + 1
    return (options.rounds or 0) * (by_director + (options.players - 1) * by_each + 1)


def most_outcomes(options: SuspiciousOptions, deck: Deck) -> int:
    """Return how many outcomes chance has at most."""
    is_any_word = options.director == "neutral" and not all(card.links for card in deck.cards)
    return max(options.players, len(deck.cards), LARGEST, len(deck.vocabulary.words) * is_any_word)


def build(id: str, options: SuspiciousOptions, data: dict[str, str]) -> Game:
    """Configure the game."""
    deck = read_deck(data["vocabulary"], data["cards"], options.vocabulary, options.cards)
    rounds, is_zero_sum = options.rounds or 0, options.rewards == "zero_sum"
    require_enough_cards(deck, rounds)
    actions = spec.action_layout(options.players, len(deck.vocabulary.words))
    observation = spec.observation_layout(options.players, options.debate_rounds, options.vector_size)
    least, most = bounds(options.players, rounds, is_zero_sum)
    has_roles = rounds == 1 and options.director == "neutral"
    return Game(
        id=id,
        title="Suspicious",
        options=options.model_dump(mode="json"),
        data=data,
        seats=options.players,
        state=spec.STATE,
        actions=actions,
        observation=observation,
        observation_dtype="float32",
        max_chance_outcomes=most_outcomes(options, deck),
        max_plies=longest(options),
        min_return=least,
        max_return=most,
        zero_sum=is_zero_sum,
        pays_at_the_end=False,
        secrets=spec.SECRETS,
        endings=spec.ENDINGS,
        kernels=KERNELS,
        notation=NOTATION,
        tables=build_tables(deck, options.model_dump(), actions, observation),
        scratch_dtype=spec.SCRATCH,
        fields={
            "players": options.players,
            "rounds": rounds,
            "debate_rounds": options.debate_rounds,
            "is_neutral": options.director == "neutral",
            "is_zero_sum": is_zero_sum,
        },
        roles=ROLES if has_roles else (),
        role_of=role_of if has_roles else None,
    )


def page_tables(game: Game) -> dict[str, str]:
    """Return some cards, and the sizes of the deck, for the page."""
    deck = deck_of(game)
    words = deck.vocabulary.words
    shown = [
        (number, ", ".join(words[k] for k in card.family), ", ".join(words[k] for k in card.links), card.band)
        for number, card in list(enumerate(deck.cards))[:: len(deck.cards) // 8]
    ]
    bands = [card.band for card in deck.cards]
    counts = [(f"cards, {band}", bands.count(band)) for band in BANDS]
    rounds = [(players, full_match(players)) for players in range(spec.FEWEST, spec.SEATS + 1)]
    return {
        "cards": markdown_table(("Card", "Family", "Links", "Band"), *shown),
        "words": markdown_table(
            ("What", "How many"),
            ("words", len(words)),
            ("nouns, which alone can be keywords", deck.vocabulary.nouns),
            ("cards", len(deck.cards)),
            *counts,
        ),
        "rounds": markdown_table(("Seats", "Rounds of a full match"), *rounds),
    }


DEFINITION = Definition(
    title="Suspicious",
    summary="four to eight seats share a word, but one of them has another; who?",
    options=SuspiciousOptions,
    build=build,
    page_tables=page_tables,
    files={"cards": CARDS, "vocabulary": VOCABULARIES},
    presets={"mini": {"players": 4, "rounds": 1, "cards": "mini", "vocabulary": "mini"}},
)

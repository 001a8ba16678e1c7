"""What the inference player holds dear: numbers found by letting it play against itself."""

import numpy as np

STYLE = np.dtype(
    (
        np.record,
        [
            # How it answers for the enemy's Double Agent (see bluff)
            ("lying", "f8"),  # how strongly harm shifts the answers
            ("unbearable", "f8"),  # harm that is prevented even by an answer that gives the lie away
            ("harm_capture", "f8"),
            ("harm_rob", "f8"),  # the briefcase is taken from the answering seat
            ("harm_fetch", "f8"),  # a loose briefcase is taken
            ("harm_carry", "f8"),  # the briefcase goes forward: times rows, by rows left
            ("doubt", "f8"),  # share of answers that it thinks are given in some other way
            # What a position is worth (see value)
            ("patience", "f8"),  # the worth of a turn's delay: values shrink by this factor
            ("hold", "f8"),  # the briefcase in hand, however far from home
            ("run", "f8"),  # the way home; hold + run is nearly a win
            ("chase", "f8"),  # nearness to a loose briefcase
            ("trap", "f8"),  # the briefcase with the enemy's Double Agent, who gets no yes from us
            ("regain", "f8"),  # the briefcase taken back next turn
            ("man", "f8"),  # a spy more
            ("attacked", "f8"),  # a spy that the enemy can capture
            ("threat", "f8"),  # an enemy spy that we can capture
            ("support", "f8"),  # nearness of spies to a briefcase in hand
            ("haste", "f8"),  # a move, whatever it does: who only waits will draw
            ("guess", "f8"),  # how surely the enemy picks the likeliest of its attacks: a power
            ("curiosity", "f8"),  # what an answer tells, a bit
            ("focus", "f8"),  # share of curiosity that is for spies near the briefcase
            ("tempo", "f8"),  # a second proposal in a turn
            ("promotion_risk", "f8"),  # so sure it may be that a spy to be promoted is its Double Agent
            # When it removes its own Double Agent
            ("suspicion", "f8"),  # how sure it must be to think of it
        ],
    )
)

DEFAULTS = {
    "lying": 2.0,
    "unbearable": 0.8,
    "harm_capture": 0.3,
    "harm_rob": 1.0,
    "harm_fetch": 0.5,
    "harm_carry": 1.0,
    "doubt": 0.02,
    "patience": 0.75,
    "hold": 0.2,
    "run": 0.75,
    "chase": 0.5,
    "trap": 0.05,
    "regain": 0.3,
    "man": 0.03,
    "attacked": 0.02,
    "threat": 0.01,
    "support": 0.0,
    "haste": 0.01,
    "guess": 2.0,
    "curiosity": 0.03,
    "focus": 0.7,
    "tempo": 0.05,
    "promotion_risk": 0.3,
    "suspicion": 0.08,
}


def make_style(**changes: float) -> np.ndarray:
    """Return one record of all numbers."""
    style = np.zeros(1, STYLE)
    for name, value in {**DEFAULTS, **changes}.items():
        style[name] = value
    return style

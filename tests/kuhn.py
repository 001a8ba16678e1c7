"""Kuhn poker: a whole game on the contract in one small file, outside the package."""

import numpy as np

from kgb_env.errors import NotationError
from kgb_env.game import Ending, Game, Notation
from kgb_env.jit import kernel, next_u64
from kgb_env.kernels import Kernels
from kgb_env.layout import Field, Layout
from kgb_env.loops import copy_world
from kgb_env.options import GameOptions
from kgb_env.record import CHANCE, GOING_ON, NOBODY, UNKNOWN, head, record
from kgb_env.registry import Definition

SEATS, CARDS = 2, 3
PASS, BET = 0, 1
ENDINGS = (Ending("fold", "a seat passes to a bet"), Ending("showdown", "the higher card wins"))
FOLD, SHOWDOWN = 1, 2
FIELDS = [*head(SEATS), ("events", "i1"), ("cards", "i1", (SEATS,)), ("log", "i1", (SEATS + 3,))]
STATE = record(FIELDS, __file__)
ACTIONS = Layout(Field("choice", (2,), "pass or bet"))
OBSERVATION = Layout(
    Field("cards", (SEATS, CARDS), "my card, theirs, one-hot"),
    Field("chosen", (3, 2), "what was chosen so far, one-hot"),
)
NOTHING = np.dtype((np.record, [("unused", "i1")]))  # neither tables nor scratch memory
CHOSEN = OBSERVATION.chosen.start
WORDS = ("pass", "bet")
NAMES = "JQK"


@kernel
def begin(s, tables):
    """Clear the record; the cards are dealt first."""
    s.returns[:] = 0
    s.events = 0
    s.to_move = CHANCE
    s.reason = GOING_ON
    s.over = False
    s.cards[:] = UNKNOWN
    s.log[:] = 0


@kernel
def chance(s, weights, tables):
    """Weigh the cards that are left."""
    weights[:] = 1
    if s.events == 1:
        weights[s.cards[0]] = 0


@kernel
def legal(v, mask, tables):
    """Allow both choices, always."""
    mask[:] = 1


@kernel
def step(s, action, tables):
    """Deal a card, pass or bet."""
    before = s.log[max(0, s.events - 1)]
    s.log[s.events] = action
    s.events += 1
    chosen = s.events - SEATS
    if chosen <= 0:
        s.cards[s.events - 1] = action
        s.to_move = CHANCE if chosen < 0 else 0
    elif chosen == 1 or (action == BET and before == PASS):
        s.to_move = chosen % SEATS
    else:
        finish(s, before, action)


@kernel
def finish(s, before, action):
    """Pay the winner."""
    winner = 0 if s.cards[0] > s.cards[1] else 1
    s.reason = SHOWDOWN
    if action == PASS and before == BET:
        winner = 1 - s.to_move
        s.reason = FOLD
    stake = 2 if action == BET else 1
    s.returns[winner] = stake
    s.returns[1 - winner] = -stake
    s.over = True
    s.to_move = NOBODY


@kernel
def hide(v, seat, tables):
    """Hide the other card until it is shown."""
    for owner in range(SEATS):
        if owner != seat and owner < v.events and v.reason != SHOWDOWN:
            v.cards[owner] = UNKNOWN
            v.log[owner] = UNKNOWN


@kernel
def observe(v, obs, obs_mask, tables):
    """Encode the cards, mine first, and the choices."""
    obs[:] = 0
    obs_mask[:] = 1
    for place in range(SEATS):
        card = int(v.cards[(v.viewer + place) % SEATS])
        if card == UNKNOWN:
            obs_mask[CARDS * place : CARDS * place + CARDS] = 0
        else:
            obs[CARDS * place + card] = 1
    for k in range(SEATS, v.events):
        obs[CHOSEN + 2 * (k - SEATS) + int(v.log[k])] = 1


@kernel
def determinize(v, seeds, out, scratch, tables):
    """Deal the unknown card from the two that the viewer does not hold."""
    for k in range(out.size):
        copy_world(v, seeds[k], out, k)
        w = out[k]
        for owner in range(SEATS):
            if w.cards[owner] == UNKNOWN:
                card = next_u64(w) % np.uint64(CARDS)
                while card == w.cards[1 - owner]:
                    card = next_u64(w) % np.uint64(CARDS)
                w.cards[owner] = card
                w.log[owner] = card
        w.rng = seeds[k]


KERNELS = Kernels(begin, chance, legal, step, hide, observe, determinize)


def parse(words, text, what):
    """Return the place of a text in a list."""
    if text not in words:
        raise NotationError(f"{text!r} is no {what}; choose one of {', '.join(words)}")
    return words.index(text)


def draw(game, records):
    """Draw the table."""
    s = records[0]
    cards = ["?" if card == UNKNOWN else NAMES[card] for card in s.cards]
    return f"cards {' '.join(cards)}; chosen {' '.join(log(game, records)) or 'nothing'}"


def log(game, records):
    """Write the choices."""
    return [WORDS[choice] for choice in records[0].log[SEATS : max(SEATS, records[0].events)]]


NOTATION = Notation(
    action=lambda game, records, action: WORDS[action],
    parse_action=lambda game, records, text: parse(WORDS, text, "choice"),
    outcome=lambda game, records, outcome: f"deal {NAMES[outcome]}",
    parse_outcome=lambda game, records, text: parse([f"deal {name}" for name in NAMES], text, "deal"),
    draw=draw,
    log=log,
)


def define(kernels=KERNELS, state=STATE, secrets=("cards", "log")):
    """Return the definition of the game, or of a broken one to test tests with."""

    def build(id, options, data):
        return Game(
            id=id,
            title="Kuhn poker",
            options={},
            data=data,
            seats=SEATS,
            state=state,
            actions=ACTIONS,
            observation=OBSERVATION,
            max_chance_outcomes=CARDS,
            max_plies=3,
            min_return=-2.0,
            max_return=2.0,
            zero_sum=True,
            secrets=secrets,
            endings=ENDINGS,
            kernels=kernels,
            notation=NOTATION,
            tables=np.zeros(1, NOTHING),
            scratch_dtype=NOTHING,
        )

    return Definition("Kuhn poker", "three cards, one bet", GameOptions, build, {})


DEFINITION = define()
ID = "tests.kuhn:DEFINITION"

"""The player that takes words at face value."""

from typing import Any

import numpy as np
from pydantic import ConfigDict, InstanceOf, validate_call

from agents.agent import require_deciders
from agents.suspicious.minds import MIXED, TableName, mind_of, minds_of
from kgb_env import Game
from kgb_env.games.suspicious.legality import director, legal
from kgb_env.games.suspicious.spec import CLUES, DEBATE, LINK, NAME, VOTE
from kgb_env.jit import kernel, mix, pick


class LiteralAgent:
    """Say the nearest word, and suspect the farthest.

    It writes the word nearest to its keyword, accuses and votes for whoever wrote the clue farthest from it, and as
    a stopped spy guesses the word nearest to it.  As Director it names anybody the spy and says the word whose
    distance to the farther keyword is least.

    Args:
        game: Suspicious with any options.
        table: the word vectors that it thinks in: ``glove``, ``minilm`` or ``combined``.  With ``mixed`` every seat
            has one of them for the whole match, drawn by its number and the first keywords that it sees.

    Raises:
        ValidationError: there is no such table.
    """

    @validate_call(config=ConfigDict(arbitrary_types_allowed=True))
    def __init__(self, game: InstanceOf[Game], *, table: TableName = MIXED) -> None:
        self.game = game
        self._vectors = minds_of(game, table).vectors
        self._mask = np.zeros(game.actions.size, np.int8)

    def initial_carry(self, n: int) -> None:
        """Return nothing: the views hold all that it needs."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        seeds = require_deciders(self.game, views, seeds)
        actions = np.empty(views.size, np.int64)
        choose_literally(views, seeds, actions, self._mask, self._vectors, self.game.tables)
        return actions, carry


@kernel
def choose_literally(views, seeds, actions, mask, vectors, tables):
    """Choose an action for every view."""
    for i in range(views.size):
        v, t, words = views[i], tables[0], vectors[mind_of(views[i], vectors.shape[0])]
        legal(v, mask, t)
        if v.phase == NAME:
            actions[i] = pick(mask, mix(seeds[i]))
        elif v.phase == DEBATE or v.phase == VOTE:
            actions[i] = t.to_seat + (farthest(v, words) - v.to_move - 1) % v.players
        else:
            actions[i] = nearest(v, mask, words)


@kernel
def nearest(v, mask, words):
    """Return the legal word nearest to one's keyword, other than it; a Director's is near both keywords."""
    now = np.int64(v.now)
    if v.phase == LINK:
        one, other = np.int64(v.agents_word[now]), np.int64(v.spy_word[now])
    else:
        one = other = np.int64(v.keyword[now, v.viewer])
    to_one, to_other = np.dot(words, words[one]), np.dot(words, words[other])
    best, closest = -1, -2.0
    for word in range(words.shape[0]):
        near = min(to_one[word], to_other[word])
        if mask[word] and word != one and near > closest:
            best, closest = word, near
    return best


@kernel
def farthest(v, words):
    """Return the other seat with the clue farthest from one's keyword."""
    now = np.int64(v.now)
    own = words[v.keyword[now, v.viewer]]
    best, least = -1, 2.0
    for left in range(1, v.players):
        seat = (v.viewer + left) % v.players
        if seat == director(v):
            continue
        for number in range(CLUES):
            near = np.dot(words[v.clue[now, number, seat]], own)
            if near < least:
                best, least = seat, near
    return best

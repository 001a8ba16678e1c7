"""The player that reads between the lines."""

from typing import Any

import numpy as np
from pydantic import ConfigDict, InstanceOf, validate_call

from agents.agent import require_deciders
from agents.explanation import Table
from agents.suspicious import thoughts
from agents.suspicious.belief import BELIEF, MODEL, MODELLED, believe
from agents.suspicious.choices import STYLE, STYLED, accuse, guess, say, score_clues, score_links
from agents.suspicious.minds import MIXED, TableName, mind_of, minds_of
from kgb_env import Game
from kgb_env.games.suspicious.legality import legal
from kgb_env.games.suspicious.spec import CLUE_1, CLUE_2, GUESS, LINK, NAME
from kgb_env.jit import kernel, mix, pick


class ExpertAgent:
    """Weigh every deal that could still be, and choose by that.

    It holds a belief over the spy, itself included, and the keywords: each clue and the Director's word has a
    likelihood under each of them, as seen through its own table.  It writes clues that somebody with the
    agents' keyword would write, as far as it knows that word, and that give its own away as little as may be; so
    it leans towards the others when it takes itself for the spy.  It accuses and votes by its belief, and a stopped spy
    guesses the likeliest keyword.  As Director it names anybody the spy and says a word that fits both keywords.

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
        self._minds = minds_of(game, table)
        self._model, self._style = weights(MODEL, MODELLED), weights(STYLE, STYLED)
        self._belief = np.zeros(1, BELIEF)
        self._scratch = game.scratch()
        self._mask = np.zeros(game.actions.size, np.int8)

    def initial_carry(self, n: int) -> None:
        """Return nothing: the views hold all that it needs."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        seeds = require_deciders(self.game, views, seeds)
        actions = np.empty(views.size, np.int64)
        _, row, clue, reveals, link = self._minds
        own = self._mask, self._belief, self._scratch, row, clue, reveals, link, self._model, self._style
        choose(views, seeds, actions, *own, self.game.tables)
        return actions, carry

    def beliefs(self, views: np.ndarray) -> np.ndarray:
        """Return what the viewers believe: (n, seats) float64, the chance of each to be the spy; 0 before one is."""
        self.game.require_views(views)
        chances = np.empty((views.size, self.game.seats))
        _, row, clue, _, link = self._minds
        suspect(views, chances, self._belief, self._scratch, row, clue, link, self._model, self.game.tables)
        return chances

    def explain(self, view: np.ndarray) -> list[Table]:
        """Return what it believes and considers in one view of the seat to move, as tables."""
        require_deciders(self.game, view, np.zeros(1, np.uint64))
        v, tables = view[0], [thoughts.spy_table(self.game, view[0], self.beliefs(view)[0])]
        if chances := self._keywords(view):
            tables.append(thoughts.keyword_table(self.game, chances))
        if v.phase in (LINK, CLUE_1, CLUE_2):
            tables.append(self._words(view))
        return tables

    def remark(self, view: np.ndarray) -> str:
        """Return what it believes in one view, in a sentence."""
        return thoughts.remark(self.game, view[0], self.beliefs(view)[0], self._keywords(view))

    def _keywords(self, view: np.ndarray) -> dict[int, tuple[float, float]]:
        """Return the chance of each word to be the agents' and the spy's keyword; nothing if the viewer knows."""
        self.beliefs(view)
        scratch, deals = self._scratch[0], int(self._scratch[0].deals)
        chances, words = self._belief[0].chance[:deals], len(self._minds.row)
        agents, spy = (np.bincount(found[:deals], chances, words) for found in (scratch.agents_word, scratch.spy_word))
        return {int(word): (agents[word], spy[word]) for word in np.flatnonzero(agents + spy)}

    def _words(self, view: np.ndarray) -> Table:
        """Return the words that it may say."""
        v, (_, row, clue, reveals, _) = view[0], self._minds
        self.act(view, np.zeros(1, np.uint64))  # leaves the chances of the words, but for their sum
        chances, mind = self._belief[0].score[: len(row)], mind_of(v, len(clue))
        own = row[v.agents_word[v.now] if v.phase == LINK else v.keyword[v.now, v.viewer]]
        return thoughts.word_table(
            self.game, chances / chances.sum(), np.exp(clue[mind, own]), np.exp(reveals[mind, own])
        )

    def facts(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return what the seats' beliefs are about: (n, seats) bool, who is the spy."""
        self.game.require_states(states)
        spies = states["spy"][np.arange(states.size), states["now"]]
        return spies[:, None] == np.arange(self.game.seats)


def weights(dtype: np.dtype, values: dict[str, float]) -> np.ndarray:
    """Return one record of numbers."""
    record = np.zeros(1, dtype)
    for name, value in values.items():
        record[name] = value
    return record


@kernel
def suspect(views, chances, belief, scratch, row, clue, link, model, tables):
    """Write how likely every viewer thinks each seat is the spy."""
    for i in range(views.size):
        mind = mind_of(views[i], clue.shape[0])
        believe(views[i], belief[0], scratch[0], row, clue[mind], link[mind], model[0], tables[0])
        for seat in range(chances.shape[1]):
            chances[i, seat] = belief[0].suspicion[seat]


@kernel
def choose(views, seeds, actions, mask, belief, scratch, row, clue, reveals, link, model, style, tables):
    """Choose an action for every view."""
    for i in range(views.size):
        v, b, s, t = views[i], belief[0], scratch[0], tables[0]
        mind = mind_of(v, clue.shape[0])
        legal(v, mask, t)
        if v.phase == NAME:
            actions[i] = pick(mask, mix(seeds[i]))
            continue
        believe(v, b, s, row, clue[mind], link[mind], model[0], t)
        if v.phase == LINK:
            score_links(v, b, row, clue[mind], style[0], t)
            actions[i] = say(b.score, mask, seeds[i], t)
        elif v.phase == CLUE_1 or v.phase == CLUE_2:
            score_clues(v, b, s, row, clue[mind], reveals[mind], style[0], t)
            actions[i] = say(b.score, mask, seeds[i], t)
        elif v.phase == GUESS:
            actions[i] = guess(b, s)
        else:
            actions[i] = accuse(v, b, style[0], t)

"""Infer which own spy is which piece, and choose by expected value."""

from typing import Any, Literal

import numpy as np
from pydantic import ConfigDict, InstanceOf, validate_call

from agents.agent import require_deciders
from agents.confusion.belief import MEMORY_OF_BELIEF, believe, prepare_subsets
from agents.confusion.bluff import yes_chance
from agents.confusion.geometry import geometry_of
from agents.confusion.proposals import brings_home, captures_the_last, steps
from agents.confusion.style import make_style
from agents.confusion.thoughts import GRANTED, TOLD, VALUE, answer_table, choice_table, notebook_table
from agents.confusion.value import MEMORY_OF_VALUE, fill_grants, prepare_powers, value
from agents.explanation import Table
from kgb_env import Game
from kgb_env.games.confusion.board import first_in_play, take_off
from kgb_env.games.confusion.legality import decode, is_free_answer, legal, true_answer, waiting
from kgb_env.games.confusion.rules import carry_out
from kgb_env.games.confusion.spec import (
    ACTIONS,
    ANSWER,
    COLUMNS,
    DOUBLE,
    DOUBLE_AGENT,
    EXPOSE,
    MOVE_TOKEN,
    NO,
    OUT,
    PLACE,
    PLACE_AT,
    PROMOTE,
    PROMOTE_NO,
    PROMOTE_YES,
    REVEAL,
    REVEAL_TOKEN,
    SEATS,
    SETUP_ROWS,
    SKIP,
    SPIES,
    TAKE,
    TAKE_NO,
    TAKE_YES,
    YES,
)
from kgb_env.jit import kernel, mix, pick

WON, LOST = 1.5, -2.0  # beyond all values of positions

MEMORY = np.dtype(
    (
        np.record,
        [
            *MEMORY_OF_BELIEF,
            *MEMORY_OF_VALUE,
            ("considered", "f8", (ACTIONS.size, 3)),  # what is noted about each choice; NaN if it was not looked at
            ("mask", "i1", (ACTIONS.size,)),
            ("is_noting", "?"),
            ("always_yes", "?"),  # ablations
            ("keeps_double_agent", "?"),
            ("is_raw", "?"),
        ],
    )
)


class InferenceAgent:
    """Weigh what each own spy may be, exactly, and choose what is worth most on average.

    Probabilities are over all deals that agree with the answers; answers about the spy that is the
    Double Agent in a deal count as likely as this agent itself would give them.  Proposals are valued
    by the position that they lead to, looking at what the enemy can do at once with his real pieces
    and what he must believe of them, and by what the answer tells.  For the enemy's Double Agent it lies
    when that pays, at odds that keep the lie hard to see.  It removes its own Double Agent, or exposes the
    enemy's, when the best proposal after that is worth more.  It uses the tokens Reveal 1 and Move 2, never Swap 2.

    Args:
        game: Confusion with any options.
        answers: "mixed"; or "yes": always yes when it is free to choose (an ablation).
        removes_double_agent: whether it may remove its own Double Agent (False: an ablation).
        belief: "marginals"; or "raw": all raw possibilities of a spy alike (an ablation).
        style: weights in place of those in ``style``, one record.

    Raises:
        ValidationError: an argument is none of these.
    """

    @validate_call(config=ConfigDict(arbitrary_types_allowed=True))
    def __init__(
        self,
        game: InstanceOf[Game],
        *,
        answers: Literal["mixed", "yes"] = "mixed",
        removes_double_agent: bool = True,
        belief: Literal["marginals", "raw"] = "marginals",
        style: InstanceOf[np.ndarray] | None = None,
    ) -> None:
        self.game = game
        self._style = make_style() if style is None else style
        self._geometry = geometry_of(game)
        self._memory = np.zeros(1, MEMORY)
        prepare_subsets(self._memory)
        prepare_powers(self._memory, self._style)
        self._memory["always_yes"] = answers == "yes"
        self._memory["keeps_double_agent"] = not removes_double_agent
        self._memory["is_raw"] = belief == "raw"
        self._worlds = game.new(2)
        self._mask = np.zeros(ACTIONS.size, np.int8)

    def initial_carry(self, n: int) -> None:
        """Return nothing: the views hold all that it needs."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        seeds = require_deciders(self.game, views, seeds)
        actions = np.empty(views.size, np.int64)
        choose(
            views, seeds, actions, self._worlds, self._mask, self._memory, self._geometry, self._style, self.game.tables
        )
        return actions, carry

    def beliefs(self, views: np.ndarray) -> np.ndarray:
        """Return what the viewers believe: (n, 13, 13) float64, the probability that an own spy is a piece."""
        self.game.require_views(views)
        chances = np.empty((views.size, SPIES, SPIES))
        believe_rows(views, chances, self._worlds, self._memory, self._style, self.game.tables)
        return chances

    def facts(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return what the seats' beliefs are about: (n, 13, 13) bool, what is so."""
        self.game.require_states(states)
        return states["piece"][np.arange(states.size), seats][:, :, None] == np.arange(SPIES)

    def explain(self, view: np.ndarray) -> list[Table]:
        """Return what it believes and considers in one view of the seat to move, as tables."""
        seeds = require_deciders(self.game, view, np.zeros(1, np.uint64))
        self.game.require_view(view)
        seat = int(view["viewer"][0])
        memory = self._memory[0]
        memory.considered[:] = np.nan
        self.act(view, seeds)
        self.beliefs(view)
        tables = [notebook_table(self.game, view, side, memory.chance[side]) for side in (seat, 1 - seat)]
        if view["phase"][0] == ANSWER:
            chance = chance_of_yes(view[0], memory.always_yes, self._style[0], self.game.tables[0])
            tables.append(answer_table(self.game, view, chance))
        elif not np.isnan(memory.considered[:, VALUE]).all():
            tables.append(choice_table(self.game, view, memory.considered))
        return tables


@kernel
def believe_rows(views, chances, worlds, memory, style, tables):
    """Write what every viewer believes about its own spies."""
    for i in range(views.size):
        believe(views[i], worlds, memory[0], style[0], tables[0])
        chances[i] = memory[0].chance[views[i].viewer]


@kernel
def choose(views, seeds, actions, worlds, mask, memory, geometry, style, tables):
    """Choose an action for every view."""
    for i in range(views.size):
        v = views[i]
        if v.phase == ANSWER:
            actions[i] = answer(v, seeds[i], memory[0].always_yes, style[0], tables[0])
        elif v.phase == PLACE:
            actions[i] = place_near(v, seeds[i], mask, tables[0])
        else:
            study(v, worlds, memory[0], style[0], tables[0])
            if v.phase == PROMOTE:
                lie = memory[0].chance[v.to_move, v.arrived, DOUBLE_AGENT]
                actions[i] = PROMOTE_YES if lie < style[0].promotion_risk else PROMOTE_NO
            elif v.phase == TAKE:
                actions[i] = take(v, worlds, memory[0], geometry[0], style[0], tables[0])
            else:
                actions[i] = act_or_propose(v, seeds[i], worlds, mask, memory[0], geometry[0], style[0], tables[0])


@kernel
def answer(v, seed, always_yes, style, tables):
    """Tell the truth, or for a Double Agent lie as ``bluff`` says."""
    return YES if luck(seed) < chance_of_yes(v, always_yes, style, tables) else NO


@kernel
def chance_of_yes(v, always_yes, style, tables):
    """Return how often it says yes to the proposal that waits."""
    kind, spy, direction, distance = waiting(v)
    seat = 1 - np.int64(v.to_move)
    if not is_free_answer(v, seat, spy):
        return 1.0 if true_answer(v, seat, spy, direction, distance, tables) else 0.0
    return 1.0 if always_yes else yes_chance(v, seat, kind, spy, direction, distance, style, tables)


@kernel
def luck(seed):
    """Return a number from 0 to 1, 1 excluded."""
    return np.float64(mix(seed) >> np.uint64(11)) / np.float64(1 << 53)


@kernel
def place_near(v, seed, mask, tables):
    """Place the next spy somewhere, rather near the briefcase than far from it."""
    legal(v, mask, tables)
    for place in range(SETUP_ROWS * COLUMNS):
        if mask[PLACE_AT + place]:
            near = COLUMNS - steps(np.int64(tables.turned[v.to_move, place]), np.int64(v.briefcase))
            mask[PLACE_AT + place] = near * near
    return pick(mask, mix(seed))


@kernel
def study(v, worlds, memory, style, tables):
    """Work out what both seats must believe about their own spies, and what they may hope to be granted."""
    believe(v, worlds, memory, style, tables)
    for seat in range(SEATS):
        fill_grants(v, seat, memory.grant[seat], memory.chance[seat], tables)


@kernel
def take(v, worlds, memory, geometry, style, tables):
    """Take the briefcase if that is worth more, both valued as if the enemy were to move."""
    seat = np.int64(v.to_move)
    worlds[0] = v
    w = worlds[0]
    w.briefcase = w.cell[seat, first_in_play(w, seat)]
    is_better = value(w, seat, memory, geometry, style, tables) > value(v, seat, memory, geometry, style, tables)
    return TAKE_YES if is_better else TAKE_NO


@kernel
def act_or_propose(v, seed, worlds, mask, memory, geometry, style, tables):
    """Choose the best proposal, or what comes before a better one: a removal or a token."""
    memory.considered[:] = np.nan
    memory.is_noting = True
    legal(v, mask, tables)
    best, chosen = best_proposal(v, seed, worlds, mask, memory, geometry, style, tables)
    memory.is_noting = False  # from here on it looks at proposals in other positions
    if best >= 1.0 or v.used_extra:
        return chosen
    told_most = likeliest_to_tell(v, mask, memory, style)
    for action in range(OUT, DOUBLE + 1):
        is_worth_a_thought = action in (EXPOSE, DOUBLE, told_most)
        if OUT <= action < EXPOSE:
            lie = memory.chance[v.to_move, action - OUT, DOUBLE_AGENT]
            is_worth_a_thought = lie >= style.suspicion and not memory.keeps_double_agent
        if mask[action] and is_worth_a_thought:
            worth = worth_of_extra(v, action, seed, worlds, memory, geometry, style, tables)
            memory.considered[action, VALUE] = worth
            if worth > best:
                best, chosen = worth, action
    return chosen


@kernel
def likeliest_to_tell(v, mask, memory, style):
    """Return the action that has the most useful piece revealed, or -1."""
    best, chosen = 0.0, -1
    for spy in range(SPIES):
        if mask[REVEAL + spy]:
            told = tells(v, spy, entropy(memory.chance[v.to_move, spy]), memory, style)
            if told > best:
                best, chosen = told, REVEAL + spy
    return chosen


@kernel
def entropy(chances):
    """Return how much one does not know, in bits."""
    bits = 0.0
    for chance in chances:
        if chance > 0.0:
            bits -= chance * np.log2(chance)
    return bits


@kernel
def worth_of_extra(v, action, seed, worlds, memory, geometry, style, tables):
    """Value a removal or a token by the best proposal after it."""
    seat, extra = np.int64(v.to_move), 0.0
    worlds[1] = v
    w = worlds[1]
    w.used_extra = 1
    if action == EXPOSE:
        if w.in_play[1 - seat] == 1:
            return WON
        take_off(w, 1 - seat, find_double_agent(w, 1 - seat))
    elif action < EXPOSE:
        if w.in_play[seat] == 1:
            return LOST
        take_off(w, seat, action - OUT)
    elif action == DOUBLE:
        w.tokens[seat, MOVE_TOKEN] = 0
        w.double = 2
        extra = style.tempo
    else:
        w.tokens[seat, REVEAL_TOKEN] = 0
        w.barred = 1 << (action - REVEAL)
        extra = tells(v, action - REVEAL, entropy(memory.chance[seat, action - REVEAL]), memory, style)
    legal(w, memory.mask, tables)
    return extra + best_proposal(w, seed, worlds, memory.mask, memory, geometry, style, tables)[0]


@kernel
def find_double_agent(w, seat):
    """Return the spy that is seen to be the Double Agent."""
    spy = 0
    while w.piece[seat, spy] != DOUBLE_AGENT:
        spy += 1
    return spy


@kernel
def best_proposal(v, seed, worlds, mask, memory, geometry, style, tables):
    """Return the value of the best proposal, or of a skip, and the action; chance breaks ties."""
    seat = np.int64(v.to_move)
    refused = value(v, seat, memory, geometry, style, tables)
    if mask[SKIP]:
        return refused, SKIP
    best, chosen = LOST, -1
    for action in range(NO):
        if mask[action]:
            worth = worth_of(v, seat, action, refused, worlds, memory, geometry, style, tables)
            worth += 1e-9 * luck(seed + np.uint64(action))
            if worth > best:
                best, chosen = worth, action
    return best, chosen


@kernel
def worth_of(v, seat, action, refused, worlds, memory, geometry, style, tables):
    """Return the expected value of a proposal, and of what its answer tells."""
    kind, spy, direction, distance = decode(v, action)
    granted = memory.grant[seat, spy, direction, distance]
    told = 0.0
    if 0.0 < granted < 1.0:
        told = -granted * np.log2(granted) - (1.0 - granted) * np.log2(1.0 - granted)
    lie = memory.chance[seat, spy, DOUBLE_AGENT]
    if lie > 0.0 and not v.promoted[seat, spy]:
        granted += lie * yes_chance(v, seat, kind, spy, direction, distance, style, tables)
    worth = refused
    if granted > 0.0:
        after = WON
        is_won = captures_the_last(v, seat, kind, spy, direction, distance, tables)
        is_won |= not v.safe_extraction and brings_home(v, seat, kind, spy, direction, distance, tables)
        if not is_won:
            worlds[0] = v
            carry_out(worlds[0], seat, kind, spy, direction, distance, tables)
            after = value(worlds[0], seat, memory, geometry, style, tables)
        worth += granted * (after - refused + style.haste)
    worth += tells(v, spy, told, memory, style)
    if memory.is_noting:
        noted = memory.considered[action]
        noted[VALUE], noted[GRANTED], noted[TOLD] = worth, granted, told
    return worth


@kernel
def tells(v, spy, bits, memory, style):
    """Return what it is worth to know more about an own spy: more, the nearer it is to the briefcase."""
    near = memory.power[steps(np.int64(v.cell[v.to_move, spy]), np.int64(v.briefcase))]
    return style.curiosity * bits * (1.0 - style.focus + style.focus * near)

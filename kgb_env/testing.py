"""The public contract test: ``check_game(game)`` plays a game and checks all that this package promises of it.

Run it on a game, a board or a file of pieces of your own:

    >>> from kgb_env.testing import check_game
    >>> check_game(kgb_env.game("confusion"), pairs=200).pairs >= 200
    True
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import numpy as np

from kgb_env import kernels, loops
from kgb_env.aec import KGBEnv
from kgb_env.batch import BatchEnv
from kgb_env.errors import GameOverError, IllegalActionError, KGBError, RecordError
from kgb_env.game import Game, derive_seed, require_seed
from kgb_env.prompt import text_view
from kgb_env.record import CHANCE, NOBODY, PUBLIC, UNKNOWN
from kgb_env.tracing import perft, trace, trace_elsewhere

CHECKED = 0.2  # share of positions that are checked; the others are only remembered
SPELLED = 0.03  # share of checked positions whose texts and environments are checked too
BRANCHES = 6  # actions tried in a position to see that none of them is forgotten
WORLDS = 4
ROUNDING = 1e-6  # thirds are not exact


__all__ = ["ContractError", "Report", "check_game", "perft"]


class ContractError(KGBError, AssertionError):
    """A game breaks its contract; the message says how and in which position."""


@dataclass
class Report:
    """What was checked: (state, seat) pairs, games, and how often each secret field was varied."""

    pairs: int = 0
    games: int = 0
    secrets: dict[str, int] = field(default_factory=dict)
    worlds: int = 0
    untrue_worlds: int = 0  # determinizations that differ from the truth
    varied: int = 0  # views whose determinizations differ in a secret


def check_game(
    game: Game,
    pairs: int = 2000,
    seed: int = 0,
    other_mode: bool = True,
    on_progress: Callable[[int], None] = lambda pairs: None,
) -> Report:
    """Check a configured game against the contract, over random play.

    Args:
        game: from ``kgb_env.game``.
        pairs: check at least so many (state, seat) pairs.
        seed: which games are played.
        other_mode: also play in a fresh process with the JIT off (or on, if it is off here), which
            must see and do the same.
        on_progress: called after each game with the number of pairs so far.

    Returns:
        What was checked.

    Raises:
        ContractError: what is broken.
    """
    check = _Check(game, require_seed(seed))
    check.record()
    check.chance_notation()
    while check.report.pairs < pairs:
        check.play_game()
        on_progress(check.report.pairs)
    check.coverage()
    check.environment()
    check.batch()
    check.copies()
    check.seeds()
    if other_mode:
        check.other_mode()
    return check.report


class _Check:
    """One run of the contract test."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game, self.seed = game, seed
        self.rng = np.random.default_rng(seed)
        self.report = Report(secrets=dict.fromkeys(game.secrets, 0))
        self.pools: dict[str, np.ndarray] = {}  # values that a secret field has had
        self.origin: dict[bytes, tuple] = {}  # view -> the seat's view before it, and its action there
        self.plies = 0

    def require(self, holds: Any, message: str) -> None:
        if not holds:
            raise ContractError(f"{self.game!r}: {message} (seed {self.seed}, game {self.report.games})")

    # The record

    def record(self) -> None:
        """Check layout and memory of the record."""
        dtype, names = self.game.state, self.game.state.names or ()
        sizes = [dtype[name].itemsize for name in names]
        self.require(dtype.itemsize == sum(sizes), "the record has padding")
        self.require(dtype.itemsize <= 8192, f"the record has {dtype.itemsize} bytes; 8192 are allowed")
        for name in self.game.secrets:
            self.require(name in names, f"the secret {name!r} is no field of the record")
            self.require(dtype[name].base.kind == "i", f"the secret field {name!r} must be signed")
        for memory in (self.game.new(), np.zeros(1, dtype)):
            try:
                self.game.play(memory, 0)
            except RecordError:
                continue
            self.require(False, "a record that was never started can be played")

    def chance_notation(self) -> None:
        """Take chance by hand: weights, notation, and luck that nothing else reads."""
        game, notation = self.game, self.game.notation
        states, weights = game.begin(), game.weights()
        states["rng"] = 12345
        while states["to_move"][0] == CHANCE:
            weights[:] = 0
            kernels.chance(states[0], weights, game.tables[0])
            self.require((weights >= 0).all() and weights.any(), "chance is due, but no outcome has a weight")
            for outcome in np.flatnonzero(weights):
                text = notation.outcome(game, states, int(outcome))
                self.require(
                    notation.parse_outcome(game, states, text) == outcome, f"outcome {text!r} is read otherwise"
                )
            kernels.step(states[0], int(self.rng.choice(np.flatnonzero(weights))), game.tables[0])
        self.require(states["rng"][0] == 12345, "something besides `advance` reads rng")

    # Play

    def play_game(self) -> None:
        """Play one game at random and check a share of its positions."""
        game = self.game
        states = game.start(derive_seed(self.seed, 0, self.report.games))
        knowledge: dict[int, np.ndarray] = {}
        last: list[tuple] = [(b"", -1)] * game.seats
        self.plies = 0
        while True:
            is_over = bool(states["over"][0])
            self.require(is_over == (states["to_move"][0] == NOBODY), "over and to_move disagree")
            self.memories(states, knowledge, last)
            if is_over or self.plies == 0 or self.rng.random() < CHECKED:
                for seat in range(game.seats):
                    self.pair(states, seat)
            if is_over:
                break
            seat = int(states["to_move"][0])
            action = int(self.rng.choice(game.legal(states)))
            last[seat] = (game.view(states, seat).tobytes(), action)
            before = states.tobytes()
            game.play(states, action)
            self.require(states.tobytes() != before, f"action {action} changes nothing")
            self.plies += 1
            self.require(self.plies <= game.max_plies, f"a game has more than max_plies={game.max_plies} decisions")
        self.ending(states)
        self.report.games += 1

    def memories(self, states: np.ndarray, knowledge: dict, last: list) -> None:
        """Check perfect recall: a view tells its seat's view and action before it, and no entry is forgotten."""
        for seat in range(self.game.seats):
            view = self.game.view(states, seat)
            if states["to_move"][0] == seat:
                found = self.origin.setdefault(view.tobytes(), last[seat])
                self.require(found == last[seat], f"seat {seat} cannot tell two pasts apart: recall is not perfect")
            known = knowledge.get(seat)
            if known is not None:
                for name in self.game.secrets:
                    lost = (known[name] != UNKNOWN) & (view[name] == UNKNOWN) & (states[name] == known[name])
                    self.require(not lost.any(), f"seat {seat} knew an entry of {name!r} and no longer does")
            knowledge[seat] = view

    def pair(self, states: np.ndarray, seat: int) -> None:
        """Check one (state, seat) pair."""
        game, before = self.game, states.tobytes()
        view = game.view(states, seat)
        self.require(view["rng"][0] == 0, "the view holds the luck to come")
        self.require(view["viewer"][0] == seat and not view["is_oracle"][0], "the view names another viewer")
        is_paid = states["over"][0] or not game.pays_at_the_end
        self.require(is_paid or not states["returns"].any(), "there are returns before the end")
        frame, full = game.encode(view), game.encode(game.oracle(states, seat))
        self.require(
            (frame.observation == full.observation * frame.observation_mask).all(),
            "observation != oracle observation * observation mask",
        )
        self.require(full.observation_mask.all(), "the oracle's observation mask is not all ones")
        is_low = (full.observation < game.observation.low()).any()
        self.require(
            not is_low and (full.observation <= game.observation.high()).all(), "an observation exceeds its layout"
        )
        self.masks(states, seat, frame.action_mask[0])
        self.public(states, view)
        self.twins(states, seat, frame)
        if not states["over"][0]:
            self.worlds(states, view)
        if self.rng.random() < SPELLED:
            self.texts(states, seat, view)
            self.branches(states, seat)
        self.require(states.tobytes() == before, "looking at a state has changed it")
        self.report.pairs += 1

    def masks(self, states: np.ndarray, seat: int, mask: np.ndarray) -> None:
        """Check the action mask against the engine, and that only the seat to move has one."""
        if states["to_move"][0] != seat:
            self.require(not mask.any(), f"seat {seat} is not to move and has an action mask")
            return
        self.require(mask.any(), f"seat {seat} is to move and has no legal action")
        legal = np.zeros_like(mask)
        kernels.legal(states[0], legal, self.game.tables[0])
        self.require((mask == legal).all(), "the mask from the view is not the mask from the state")
        for action in self.rng.integers(0, mask.size, 4):
            trial = states.copy()
            try:
                self.game.play(trial, int(action))
                self.require(mask[action], f"the engine accepts action {action}, which the mask forbids")
            except IllegalActionError:
                self.require(not mask[action], f"the engine refuses action {action}, which the mask allows")
                self.require(trial.tobytes() == states.tobytes(), "a refused action has changed the state")

    def public(self, states: np.ndarray, view: np.ndarray) -> None:
        """Check that a view holds all that everybody knows."""
        again = np.empty_like(view)
        loops.view_rows(view, np.array([PUBLIC]), again, self.game.tables)
        self.require(
            again.tobytes() == self.game.view(states, PUBLIC).tobytes(), "the public view is not in the seat's"
        )

    def twins(self, states: np.ndarray, seat: int, frame: loops.Frame) -> None:
        """Change each secret field where the seat may not see it: nothing that it sees may change."""
        view = frame.views
        for name in self.game.state.names or ():
            if name in ("rng", "viewer", "game"):
                continue
            hidden = np.flatnonzero((view[name] != states[name]).ravel())
            pool = self.pools[name] = np.unique(np.append(self.pools.get(name, np.zeros(0, np.int64)), states[name]))
            if not hidden.size:
                continue
            self.require(name in self.game.secrets, f"the field {name!r} is hidden but not declared secret")
            self.require((view[name].ravel()[hidden] == UNKNOWN).all(), f"hidden entries of {name!r} are not UNKNOWN")
            twin = states.copy()
            twin["rng"] = self.rng.integers(2**63)
            entry = int(self.rng.choice(hidden))
            others = pool[(pool != twin[name].reshape(-1)[entry]) & (pool >= 0)]
            if not others.size:
                continue
            twin[name].reshape(-1)[entry] = self.rng.choice(others)
            self.compare(states, twin, seat, frame, f"{name}[{entry}]")
            self.report.secrets[name] += 1

    def compare(self, states: np.ndarray, twin: np.ndarray, seat: int, frame: loops.Frame, what: str) -> None:
        """Check that a seat cannot tell two states apart on any channel."""
        other = self.game.encode(self.game.view(twin, seat))
        for channel, one, two in zip(frame._fields, frame, other, strict=True):
            self.require(one.tobytes() == two.tobytes(), f"seat {seat} sees the hidden {what} in its {channel}")
        if self.rng.random() < SPELLED:
            one_env, two_env = self.channels(states, seat), self.channels(twin, seat)
            for channel in one_env:
                leak = f"seat {seat} sees the hidden {what} in the environment's {channel}"
                self.require(one_env[channel] == two_env[channel], leak)

    def channels(self, states: np.ndarray, seat: int) -> dict[str, Any]:
        """Return all that the environment shows to an agent, in a form that can be compared."""
        agent = f"player_{seat}"
        env = KGBEnv(self.game, render_mode="ansi", render_as=agent)
        env.reset(seed=0)
        env._states = states.copy()
        env._report()
        view = env.view(agent)
        self.require(view["viewer"][0] == seat, f"what {agent} is shown is no view by its seat")
        shown = {
            "view": view.tobytes(),
            "info": {name: np.asarray(value).tobytes() for name, value in env.infos[agent].items()},
            "render": env.render(),
            "picture": env._repr_svg_(),
            "text": str(env) + repr(env),
            "log": self.game.notation.log(self.game, view),
            "prompt": text_view(view),
            "rewards": (env.rewards, env.terminations, env.truncations, env.agent_selection),
        }
        for name, value in env.observe(agent).items():
            shown[name] = value.tobytes()
        if env.agent_selection == agent:
            shown["last"] = env.last()[1:4]
        env.render_as = "public"
        return shown | {"public render": env.render(), "public picture": env._repr_svg_()}

    def worlds(self, states: np.ndarray, view: np.ndarray) -> None:
        """Check that determinizations look like the real state and are not it."""
        seeds = self.rng.integers(0, 2**63, WORLDS, dtype=np.uint64)
        worlds = self.game.determinize(view, seeds)
        seen = self.game.view(worlds, int(view["viewer"][0]))
        self.require(
            seen.tobytes() == np.repeat(view, WORLDS).tobytes(), "a determinization looks different to its viewer"
        )
        self.require((worlds["rng"] == seeds).all(), "a determinization's luck is not its seed")
        for name in self.game.secrets:
            filled = (worlds[name] == UNKNOWN) == (states[name] == UNKNOWN)
            self.require(filled.all(), f"a determinization leaves entries of {name!r} open")
        again = self.game.determinize(view, seeds)
        self.require(again.tobytes() == worlds.tobytes(), "determinize gives other states for the same seeds")
        truth = np.repeat(states, WORLDS)
        truth["rng"] = seeds
        self.report.varied += any((worlds[name] != worlds[name][:1]).any() for name in self.game.secrets)
        self.report.worlds += WORLDS
        self.report.untrue_worlds += int((truth != worlds).sum())

    def texts(self, states: np.ndarray, seat: int, view: np.ndarray) -> None:
        """Check that every action's text is read back as that action."""
        notation = self.game.notation
        for records in (states, view):
            for action in range(self.game.actions.size):
                text = notation.action(self.game, records, action)
                self.require(notation.parse_action(self.game, records, text) == action, f"{text!r} is read otherwise")
        log = notation.log(self.game, view)
        self.require(all(isinstance(line, str) for line in log), "the log is not a list of texts")
        self.require(notation.draw(self.game, view) == notation.draw(self.game, view), "two drawings differ")
        self.picture(states, seat, view)

    def picture(self, states: np.ndarray, seat: int, view: np.ndarray) -> None:
        """Check that everybody's picture is a well-formed document, and has what one points at to choose an action."""
        drawn = self.game.picture(view)
        self.require(drawn == self.game.picture(view), "two pictures differ")
        for record in (view, states, self.game.view(states, PUBLIC)):
            try:
                ElementTree.fromstring(self.game.picture(record).svg)
            except ElementTree.ParseError as error:
                self.require(False, f"a picture is no well-formed SVG: {error}")
        if states["to_move"][0] != seat:
            return
        pointed = {mark for action in self.game.legal(states) for mark in self.game.marks(view, int(action))}
        missing = [mark for mark in pointed if f'data-mark="{mark}"' not in drawn.svg]
        self.require(not missing, f"the picture has no {missing[:1]} to point at")

    def branches(self, states: np.ndarray, seat: int) -> None:
        """Check that a seat which chooses otherwise sees something else afterwards."""
        if states["to_move"][0] != seat:
            return
        seen: dict[bytes, int] = {}
        legal = self.game.legal(states)
        for action in self.rng.permutation(legal)[:BRANCHES]:
            after = states.copy()
            self.game.play(after, int(action))
            view = self.game.view(after, seat).tobytes()
            self.require(view not in seen, f"seat {seat} forgets whether it chose {action} or {seen.get(view)}")
            seen[view] = int(action)

    def ending(self, states: np.ndarray) -> None:
        """Check the returns of a finished game."""
        game, returns = self.game, self.game.returns(states)[0]
        self.require(game.outcome(states), "a finished game has no outcome")
        self.require(1 <= states["reason"][0] <= len(game.endings), "the reason is not in the list of endings")
        self.require(
            (game.min_return <= returns).all() and (returns <= game.max_return).all(), "a return is out of range"
        )
        self.require(
            not game.zero_sum or abs(returns.sum()) <= ROUNDING * np.abs(returns).sum(), "returns do not sum to zero"
        )
        try:
            game.play(states, 0)
        except GameOverError:
            return
        self.require(False, "a finished game can be played on")

    def coverage(self) -> None:
        """Check that all declared secrets were really hidden and varied, and worlds were not just the truth."""
        for name, count in self.report.secrets.items():
            self.require(count or not self.could_vary(name), f"the secret field {name!r} was never hidden from anybody")
        if any(self.report.secrets.values()):
            self.require(self.report.untrue_worlds, "determinize always returns the truth")
            self.require(self.report.varied, "a determinization is always the same")

    def could_vary(self, name: str) -> bool:
        """Tell if a field has had more than one value besides UNKNOWN, so that there was something to hide."""
        return (self.pools.get(name, np.zeros(0)) >= 0).sum() > 1

    # Environments

    def environment(self) -> None:
        """Play the AEC environment: spaces contain what comes out, rewards add up, a final one comes once."""
        env = KGBEnv(self.game)
        env.reset(seed=self.seed)
        names = list(env.infos[env.agents[0]])
        got: dict[str, list[float]] = {agent: [] for agent in env.possible_agents}
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, info = env.last()
            self.require(env.observation_space(agent).contains(seen), "an observation is not in its space")
            self.require(env.state_space.contains(env.state()), "the state is not in its space")
            self.require(list(info) == names, "the keys of an info change")
            if reward:
                got[agent].append(reward)
            over = terminated or truncated
            self.require(not (terminated and truncated), "an end is both termination and truncation")
            env.step(None if over else int(self.rng.choice(np.flatnonzero(seen["action_mask"]))))
        outcome = env.outcome
        assert outcome is not None
        for agent, final in zip(env.possible_agents, outcome.returns, strict=True):
            is_paid = got[agent] == ([final] if final else []) or not self.game.pays_at_the_end
            self.require(is_paid, f"{agent} got {got[agent]} and should get {final} once")
            self.require(
                abs(sum(got[agent]) - final) <= ROUNDING * (1 + abs(final)), f"{agent} got {got[agent]}, not {final}"
            )

    def batch(self) -> None:
        """Check that row i of a batch plays what a single environment plays."""
        game, rows = self.game, 3
        batch = BatchEnv(game, rows, seed=self.seed)
        singles = [KGBEnv(game, env_index=i) for i in range(rows)]
        for env in singles:
            env.reset(seed=self.seed)
        for _ in range(min(3 * game.max_plies, 300)):
            actions = np.array([self.rng.choice(np.flatnonzero(mask)) for mask in batch.frame.action_mask])
            for i, env in enumerate(singles):
                seen = env.observe(env.agent_selection)
                for name in seen:
                    same = (seen[name] == getattr(batch.frame, name)[i]).all()
                    self.require(same, f"row {i} of a batch shows another {name} than a single environment")
            result = batch.step(actions)
            for i, env in enumerate(singles):
                env.step(int(actions[i]))
                same = list(env.rewards.values()) == result.rewards[i].tolist()
                self.require(same, f"row {i} of a batch gives other rewards than a single environment")
                if result.terminated[i] or result.truncated[i]:
                    ended = (any(env.terminations.values()), any(env.truncations.values()))
                    self.require(ended == (result.terminated[i], result.truncated[i]), "a batch ends games otherwise")
                    self.require(batch.final_states[i] == env._started()[0], "final_states is another state")
                    env.reset()

    def copies(self) -> None:
        """Check that copies made in the middle of a game go on alike."""
        env = KGBEnv(self.game)
        env.reset(seed=self.seed)
        for _ in range(3):
            if env.outcome is None:
                env.step(int(self.rng.choice(self.game.legal(env._started()))))
        twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env.clone()]
        other = env.clone(seed=self.seed + 1)
        self.require(other._started()["rng"][0] != env._started()["rng"][0], "a clone with a seed keeps the luck")
        while env.outcome is None:
            action = int(self.rng.choice(self.game.legal(env._started())))
            for each in (env, *twins):
                each.step(action)
        for each in twins:
            self.require(each._started().tobytes() == env._started().tobytes(), "a copy plays differently")
            self.require(each.rewards == env.rewards, "a copy gives other rewards")
        self.require(pickle.loads(pickle.dumps(self.game)) is self.game, "a pickled game is another game")

    def seeds(self) -> None:
        """Check that a seed decides everything, and that seeds matter if there is chance."""
        starts = [self.game.start(derive_seed(self.seed, 0, k)).tobytes() for k in range(8)]
        again = [self.game.start(derive_seed(self.seed, 0, k)).tobytes() for k in range(8)]
        self.require(starts == again, "a seed gives another game the second time")
        self.require(len(set(starts)) == len(starts), "different seeds give the same luck")

    def other_mode(self) -> None:
        """Check that the rules do the same with and without the JIT."""
        here, there = trace(self.game, self.seed), trace_elsewhere(self.game, self.seed)
        self.require(here == there, "the rules play otherwise without the JIT than with it")

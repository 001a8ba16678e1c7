"""Golden playthroughs: games recorded as text that a person can follow, and that must come out the same.

The moves stand in the files; ``python -m tests.playthroughs`` (``make playthroughs``) plays new ones.
Read the difference before you commit it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from agents import make_agent
from kgb_env import CHANCE, NOBODY, PUBLIC, Game, derive_seed, game, kernels
from kgb_env.jit import next_u64, pick

FOLDER = Path(__file__).parent
SENSIBLE, RARE = 0.6, 0.05
RARELY = ("out", "expose", "accuse")  # kinds that would end games early
DRAWN = 12  # the table is drawn every so many decisions

# Name, id, options, seed.  Every option of every game stands in one of them with a value that is not its default.
RECORDED: tuple[tuple[str, str, dict, int], ...] = (
    ("confusion", "confusion", {"max_turns": 40}, 27),
    ("confusion_auto_answer", "confusion", {"max_turns": 12, "auto_answer": True}, 1),
    ("confusion_special_actions", "confusion", {"max_turns": 12, "special_actions": True}, 1),
    ("confusion_handicap", "confusion", {"max_turns": 8, "special_actions": [["reveal"], ["swap", "move"]]}, 1),
    ("confusion_honor_among_spies", "confusion", {"max_turns": 12, "honor_among_spies": True}, 1),
    ("confusion_tight_setup", "confusion", {"max_turns": 12, "tight_setup": True}, 1),
    ("confusion_safe_extraction", "confusion-mini", {"safe_extraction": True}, 1),
    ("confusion_variable_setup", "confusion", {"max_turns": 8, "variable_setup": True}, 1),
    ("confusion_promotion_sir", "confusion-mini", {"promotion_sir": True}, 124),
    ("confusion_honor_and_promotion", "confusion-mini7", {"promotion_sir": True, "honor_among_spies": True}, 1),
    ("confusion_mini", "confusion-mini", {}, 1),
    ("confusion_mini7", "confusion-mini7", {"max_turns": 30}, 1),
    (
        "confusion_everything",
        "confusion-mini7",
        {"special_actions": True, "tight_setup": True, "safe_extraction": True, "promotion_sir": True},
        125,
    ),
    ("double_agent", "double_agent", {}, 52),
    ("double_agent_three", "double_agent", {"players": 3, "max_turns": 30}, 13),
    ("double_agent_five_team", "double_agent", {"players": 5, "rewards": "team", "max_turns": 30}, 31),
    ("double_agent_six", "double_agent", {"players": 6, "stake": 0.5, "max_turns": 20}, 29),
    ("double_agent_deluxe", "double_agent", {"deluxe": True, "max_turns": 20}, 12),
    ("double_agent_deluxe_four", "double_agent", {"deluxe": True, "players": 4, "max_turns": 30}, 1),
    ("double_agent_mini", "double_agent-mini", {}, 7),
    ("double_agent_mini_team", "double_agent-mini", {"players": 4, "rewards": "team", "stake": 0}, 1),
    ("secret_formula", "secret_formula", {}, 4),
    ("secret_formula_two", "secret_formula", {"players": 2, "max_rounds": 40}, 11),
    ("secret_formula_three_mercy", "secret_formula", {"players": 3, "mercy": True, "max_rounds": 30}, 3),
    ("secret_formula_deluxe", "secret_formula", {"deluxe": True, "max_rounds": 20}, 3),
    ("secret_formula_deluxe_three", "secret_formula", {"deluxe": True, "players": 3, "max_rounds": 20}, 7),
    ("secret_formula_mini", "secret_formula-mini", {}, 5),
    ("secret_formula_mini_mercy", "secret_formula-mini", {"mercy": True}, 64),
    ("suspicious", "suspicious", {}, 1),
    ("suspicious_neutral", "suspicious", {"director": "neutral", "debate_rounds": 2, "rounds": 3}, 2),
    (
        "suspicious_eight",
        "suspicious",
        {"players": 8, "rewards": "zero_sum", "vectors": "glove", "vector_size": 32, "rounds": 3},
        2,
    ),
    ("suspicious_mini", "suspicious-mini", {}, 17),
    ("suspicious_mini_neutral", "suspicious-mini", {"players": 6, "director": "neutral", "rounds": 2}, 44),
)


Choose = Callable[[Game, np.ndarray], int]


def record(name: str, id: str, options: dict, seed: int, choose: Choose) -> str:
    """Play a game and return its playthrough.

    A line tells how many actions were legal and fingerprints what each seat sees.
    """
    configured = game(id, **options)
    shown = {k: v for k, v in configured.options.items() if v != default_options(configured)[k]}
    lines = [
        f"# {name}",
        f"game {configured.id}",
        f"options {json.dumps(shown)}",
        f"seed {seed}",
        "",
        *deal(configured, seed),
    ]
    states, plies = configured.start(derive_seed(seed, 0, 0)), 0
    while not states["over"][0]:
        if plies % DRAWN == 0:
            lines += ["", *configured.notation.draw(configured, configured.view(states, PUBLIC)).splitlines(), ""]
        lines.append(play_one(configured, states, choose(configured, states), plies))
        plies += 1
    outcome = configured.outcome(states)
    lines += ["", *configured.notation.draw(configured, configured.view(states, PUBLIC)).splitlines(), ""]
    lines += [f"{outcome.reason}: {' '.join(f'{r:+g}' for r in outcome.returns)}", "", "Log as seat 0 has it:"]
    lines += configured.notation.log(configured, configured.view(states, 0))
    return "\n".join(lines) + "\n"


def default_options(configured: Game) -> dict:
    """Return the options of a game as they are by default."""
    return game(configured.id).options


def deal(configured: Game, seed: int) -> list[str]:
    """Return the chance at the start of the game, in notation."""
    states, weights, texts = configured.begin(), configured.weights(), []
    states["rng"] = derive_seed(seed, 0, 0)
    while states["to_move"][0] == CHANCE:
        kernels.chance(states[0], weights, configured.tables[0])
        outcome = int(pick(weights, np.uint64(next_u64(states[0]))))
        texts.append(configured.notation.outcome(configured, states, outcome))
        kernels.step(states[0], outcome, configured.tables[0])
    states["viewer"] = NOBODY
    assert states.tobytes() == configured.start(derive_seed(seed, 0, 0)).tobytes()
    return [", ".join(texts)]


def play_one(configured: Game, states: np.ndarray, action: int, plies: int) -> str:
    """Play one decision and return its line."""
    seat, legal = int(states["to_move"][0]), configured.legal(states)
    text = configured.notation.action(configured, states, action)
    prints = [fingerprint(configured, states, each) for each in range(configured.seats)]
    configured.play(states, action)
    return f"{plies:4} seat {seat}: {text:16} of {legal.size:3}   sees {' '.join(prints)}"


def recorded(text: str) -> Choose:
    """Choose what stands in a playthrough."""
    moves = iter(re.findall(r"^ *\d+ seat \d: (.*?) +of +\d+   sees", text, re.MULTILINE))
    return lambda configured, states: configured.notation.parse_action(configured, states, next(moves))


def lively(seed: int) -> Choose:
    """Choose sensibly more often than not, else a kind of action first, so that rare kinds come up."""
    rng = np.random.default_rng(seed)

    def choose(configured: Game, states: np.ndarray) -> int:
        legal = configured.legal(states)
        kinds = [configured.actions.where(int(a))[0] for a in legal]
        if "move" in kinds and rng.random() < SENSIBLE:
            view = configured.view(states, states["to_move"])
            return int(make_agent(configured, "greedy").act(view, rng.integers(2**63, size=1, dtype=np.uint64))[0][0])
        weights = {kind: RARE if kind in RARELY else 1.0 for kind in kinds}
        chances = np.array([weights[kind] / kinds.count(kind) for kind in kinds])
        return int(rng.choice(legal, p=chances / chances.sum()))

    return choose


def fingerprint(configured: Game, states: np.ndarray, seat: int) -> str:
    """Return four bytes of a hash of observation and masks."""
    frame = configured.encode(configured.view(states, seat))
    seen = frame.observation.tobytes() + frame.observation_mask.tobytes() + frame.action_mask.tobytes()
    return hashlib.sha256(seen).hexdigest()[:8]


def path(name: str) -> Path:
    """Return where a playthrough is kept."""
    return FOLDER / f"{name}.txt"


def main() -> None:
    """Write all playthroughs."""
    for name, id, options, seed in RECORDED:
        path(name).write_text(record(name, id, options, seed, lively(seed)), encoding="utf-8")
        print(f"written: {path(name).name}")
    for stale in set(FOLDER.glob("*.txt")) - {path(name) for name, *_ in RECORDED}:
        stale.unlink()

"""Recorded games come out the same, and every game and option has one."""

import copy
import re

import pytest

import kgb_env
from kgb_env import derive_seed, game
from kgb_env.testing import perft
from tests.playthroughs import FOLDER, RECORDED, path, record, recorded
from tests.reference.agree import Case, kernel_of, reference_of, shipped
from tests.reference.confusion import TOKENS, Confusion

pytestmark = pytest.mark.nojit

WORDS = (" leave", "pass ", r"\dx[a-k]", "answer no", "out ", "expose", "reveal ", "move two", "swap ", "place ")
WORDS += (
    "promote no",
    "promote yes",
    "take",
    "decline",
    "uncovered",
    ", promoted",
    "extraction:",
    "elimination:",
    "turn limit:",
)
WORDS += ("gate north", ": surrender ", "to escape, go ", ": stay ", "alarm in", ": captured", "wakes up", "hits, then")
WORDS += ("open [A-Z]", ": inspect ", ": sabotage ", ", wrongly", ", rightly", "leave ", "exposure:", "escape:")
WORDS += (
    ": name ",
    ": say ",
    ": write ",
    ": vote ",
    ": guess ",
    ": quiet",
    "link ",
    "spy seat ",
    ", rightly",
    ", wrongly",
)
WORDS += ("nobody is stopped", ", an agent; the spy escapes", "match over:")
# Numbers of decisions to a depth of 1, 2, 3, ... from deal 0.
PERFT: list[tuple[str, dict, list[int]]] = [
    ("mini", {}, [26, 129, 916, 7214]),
    ("mini", {"auto_answer": True}, [26, 429, 9185]),
    ("mini", {"honor_among_spies": True}, [18, 18, 324, 324]),
    ("mini", {"special_actions": (TOKENS, TOKENS)}, [37, 276, 1456]),
    ("mini", {"promotion_sir": True, "safe_extraction": True, "tight_setup": True}, [16, 73, 336, 2372]),
    ("mini7", {"variable_setup": True}, [14, 182, 2184, 24024]),
]


@pytest.mark.parametrize(("name", "id", "options", "seed"), RECORDED, ids=[name for name, *_ in RECORDED])
def test_a_recorded_game_comes_out_the_same(name, id, options, seed):
    text = path(name).read_text(encoding="utf-8")
    assert record(name, id, options, seed, recorded(text)) == text, (
        "a game has changed: `make playthroughs`, read the diff"
    )


def test_every_game_option_and_preset_is_recorded():
    for info in kgb_env.games():
        played = [game(id, **options) for _, id, options, _ in RECORDED if id.partition("-")[0] == info.id]
        for option, default in info.options.items():
            assert any(each.options[option] != default for each in played), f"{info.id}: no playthrough with {option}"
        for preset in info.presets:
            assert any(id == preset for _, id, *_ in RECORDED), f"no playthrough of {preset}"
        assert any(id == info.id for _, id, *_ in RECORDED)


def test_no_stale_recordings():
    assert {file.name for file in FOLDER.glob("*.txt")} == {path(name).name for name, *_ in RECORDED}


@pytest.mark.parametrize("word", WORDS)
def test_every_kind_of_event_occurs(word):
    """The recordings really show what they are there for."""
    assert any(re.search(word, path(name).read_text(encoding="utf-8")) for name, *_ in RECORDED)


def reference_perft(played: Confusion, depth: int) -> int:
    """Count decisions with the independent engine."""
    legal = played.legal() if played.result is None else ()
    if depth == 1:
        return len(legal)
    count = 0
    for text in legal:
        after = copy.deepcopy(played)
        after.play(text)
        count += reference_perft(after, depth - 1)
    return count


@pytest.mark.parametrize(("name", "options", "counts"), PERFT, ids=[f"{name} {options}" for name, options, _ in PERFT])
def test_perft(name, options, counts):
    """The numbers are what they were, and what the independent engine counts."""
    case = Case(name, *shipped(name), {"max_turns": 20, "auto_answer": False, **options})
    configured = kernel_of(case)
    states = configured.start(derive_seed(0, 0, 0))
    assert [perft(configured, states, depth) for depth in range(1, len(counts) + 1)] == counts
    assert reference_perft(reference_of(case, configured, states), 3) == counts[2]

"""What only a second process can show: the disk cache, edited rules, hash seeds, what an import costs."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kgb_env.tracing import trace, trace_elsewhere

ROOT = Path(__file__).parent.parent

PLAY = """
import json, sys
import numpy as np
import kgb_env
from kgb_env import loops
from tests.kuhn import ID
kinds = (loops.start_rows, loops.play_rows, loops.view_rows, loops.encode_rows, loops.legal_rows)
paid = 0.0
for id in sys.argv[1:]:
    game = kgb_env.game(id)
    for seed in range(20):
        states = game.start(seed)
        for _ in range(3):
            if not states["over"][0]:
                game.encode(game.view(states, 0))
                game.play(states, game.legal(states)[-1])
        paid += float(np.abs(states["returns"]).sum())
print(json.dumps({
    "file": kgb_env.__file__, "paid": paid,
    "compiled": sum(sum(kind.stats.cache_misses.values()) for kind in kinds),
    "loaded": sum(sum(kind.stats.cache_hits.values()) for kind in kinds),
}))
"""


def play(cache, *games, folder=ROOT, **environment):
    """Play in a fresh process with every warning an error, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-c", PLAY, *games],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(folder), "NUMBA_DISABLE_JIT": "0", "NUMBA_CACHE_DIR": str(cache)}
        | environment,
    )
    return json.loads(done.stdout)


KUHN = "tests.kuhn:DEFINITION"


def test_a_second_process_compiles_nothing_whatever_was_played_before(tmp_path):
    first = play(tmp_path, KUHN)
    assert first["compiled"] == 5
    assert play(tmp_path, "confusion")["compiled"] == 5
    second = play(tmp_path, KUHN, "confusion")
    assert second["compiled"] == 0
    assert second["loaded"] == 10


def test_edited_rules_are_never_old(tmp_path):
    """Neither those of the package nor those of a game outside of it."""
    copy = tmp_path / "copy"
    for package in ("kgb_env", "tests"):
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    cache = tmp_path / "cache"
    for rules, id, old, new in (
        (copy / "tests/kuhn.py", KUHN, "stake = 2 if", "stake = 3 if"),
        (copy / "kgb_env/kernels.py", KUHN, "rule(s, action, tables)", "rule(s, 0 * action, tables)"),
    ):
        before = play(cache, id, folder=copy)
        assert Path(before["file"]).is_relative_to(copy)
        text = rules.read_text()
        assert old in text
        rules.write_text(text.replace(old, new))
        assert play(cache, id, folder=copy)["paid"] != before["paid"]


def test_without_a_folder_for_the_cache_one_warning_and_the_same_play(tmp_path):
    blocked = tmp_path / "file"
    blocked.touch()
    code = PLAY.replace("import kgb_env\n", "import warnings\nwarnings.simplefilter('always')\nimport kgb_env\n", 1)
    done = subprocess.run(
        [sys.executable, "-c", code, KUHN],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "0", "NUMBA_CACHE_DIR": str(blocked), "PYTHONPATH": str(ROOT)},
    )
    assert done.stderr.count("kernels will be compiled anew") <= 2  # one a folder of sources
    assert json.loads(done.stdout)["paid"] == play(tmp_path, KUHN)["paid"]


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_a_seed_gives_the_same_game_in_every_process(any_game, hash_seed):
    mode = os.environ.get("NUMBA_DISABLE_JIT", "0")
    there = trace_elsewhere(any_game, 3, PYTHONHASHSEED=hash_seed, NUMBA_DISABLE_JIT=mode)
    assert there == trace(any_game, 3)


def test_importing_is_light():
    """No torch, no drawing library, no statistics, and nothing is compiled."""
    code = (
        "import sys, kgb_env, agents\n"
        "heavy = {'torch', 'stable_baselines3', 'scipy.stats', 'pygame', 'matplotlib', 'PIL', 'ray', 'pandas'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "from kgb_env import loops\n"
        "assert not loops.play_rows.signatures\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, env={**os.environ, "NUMBA_DISABLE_JIT": "0"})

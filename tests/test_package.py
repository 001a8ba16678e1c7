"""What is installed: a wheel with all its data, working outside the checkout."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT],
        check=True,
        capture_output=True,
        text=True,
    )
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_all_data(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder, pattern, inside in (
        ("kgb_env/games", "**/*.txt", "kgb_env/games"),
        ("kgb_env/games", "**/*.md", "kgb_env/games"),
        ("configs", "**/*.toml", "experiments/configs"),
        ("kgb_env", "**/*.py", "kgb_env"),
        ("agents", "**/*.py", "agents"),
        ("experiments", "**/*.py", "experiments"),
        ("experiments", "**/*.jinja", "experiments"),
        ("experiments", "play/static/*", "experiments"),
    ):
        files = list((ROOT / folder).glob(pattern))
        assert files
        for path in files:
            assert f"{inside}/{path.relative_to(ROOT / folder).as_posix()}" in names
    assert {f"{package}/py.typed" for package in ("kgb_env", "agents", "experiments")} <= names
    assert not any(name.startswith("tests") for name in names)


def test_a_match_works_from_the_wheel_outside_the_checkout(wheel, tmp_path):
    """The wheel is unpacked beside the installed dependencies, where the checkout is not on the path."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    code = "import kgb_env, experiments.cli as cli; print(kgb_env.__file__); cli.app(['match', 'demo', '--games', '4'])"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), sysconfig.get_path("purelib")])},
    )
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "site") in done.stdout
    assert "greedy" in done.stdout

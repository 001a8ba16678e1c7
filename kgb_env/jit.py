"""The kernel decorator with its disk cache, and random numbers that live in a record."""

import contextlib
import hashlib
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numba
import numpy as np

PACKAGE = Path(__file__).resolve().parent
numba_config: Any = numba.config  # its attributes are made at run time
KEPT_FOLDERS = 12
BLOCK = 64


@lru_cache
def digest(folder: Path) -> str:
    """Fingerprint the Python files under ``folder``; data reaches kernels as arguments and does not matter."""
    hashed = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        if not any(part.startswith(".") for part in path.relative_to(folder).parts):
            hashed.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return hashed.hexdigest()[:12]


@lru_cache
def cache_folder(sources: Path) -> Path | None:
    """Make the cache folder for kernels in the folder ``sources``, or return None.

    numba only notices edits in the file of the kernel itself, so edited rules would silently run
    old.  The folder is therefore named after all the sources that a kernel there can call.
    """
    if numba_config.DISABLE_JIT:
        return None
    name = digest(PACKAGE)
    if not sources.is_relative_to(PACKAGE):
        name += "-" + digest(sources)
    try:
        root = Path(numba_config.CACHE_DIR or Path.home() / ".cache") / "kgb_env"
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
    except (OSError, RuntimeError) as error:
        warnings.warn(f"kernels will be compiled anew in every process: {error}", stacklevel=2)
        return None
    drop_old_folders(root)
    return folder


def drop_old_folders(root: Path) -> None:
    """Keep the folders that were used last; another process may do the same at the same time."""
    with contextlib.suppress(OSError):
        for old in sorted(root.iterdir(), key=os.path.getmtime)[:-KEPT_FOLDERS]:
            shutil.rmtree(old, ignore_errors=True)


def kernel(function: Callable) -> Any:
    """Compile ``function`` when it is first called, and keep the result on disk."""
    folder = cache_folder(Path(function.__code__.co_filename).resolve().parent)
    before = numba_config.CACHE_DIR
    numba_config.CACHE_DIR = str(folder or "")  # numba reads it while decorating and never later
    try:
        return numba.njit(cache=folder is not None, nogil=True, error_model="numpy")(function)
    finally:
        numba_config.CACHE_DIR = before


def wrapping_kernel(function: Callable) -> Any:
    """Compile a kernel whose 64-bit sums may wrap around; NumPy would warn without the JIT."""
    return np.errstate(over="ignore")(function) if numba_config.DISABLE_JIT else kernel(function)


@wrapping_kernel
def mix(number):
    """Scramble a uint64 (one step of SplitMix64: Steele, Lea and Flood, 2014)."""
    z = number + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@wrapping_kernel
def derive_seed(seed, env, episode):
    """Return the uint64 seed of one episode of one environment: the only way seeds are made."""
    return mix(mix(mix(np.uint64(seed)) + np.uint64(env)) + np.uint64(episode))


@wrapping_kernel
def next_u64(s):
    """Draw from the record's own stream: who copies a state copies its luck."""
    number = mix(s.rng)
    s.rng = s.rng + np.uint64(0x9E3779B97F4A7C15)
    return number


@kernel
def pick(weights, number):
    """Choose an index with a probability in proportion to its integer weight, or -1 if all are 0."""
    total = np.int64(0)
    for weight in weights:
        total += weight
    if total == 0:
        return -1
    left = np.int64(number % np.uint64(total))
    index = 0
    while True:  # pass whole blocks first: their sums are vectorised
        block = np.int64(0)
        for weight in weights[index : index + BLOCK]:
            block += weight
        if left < block:
            break
        left -= block
        index += BLOCK
    while left >= weights[index]:
        left -= weights[index]
        index += 1
    return index

"""Files that are written as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .config import ConfigError


def require_writable(path: Path) -> None:
    """Make the folder of a file, and see that the file can be written.

    Raises:
        ConfigError: it cannot.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise ConfigError(f"{path} is a folder; name a file")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise ConfigError(f"{path}: it cannot be written: permission denied")
    except OSError as error:
        raise ConfigError(f"{path}: it cannot be written: {error.strerror}") from None


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give the path of a new file beside a file, and put it in that file's place once all has been written.

    Whatever stops the writer, the old file stays as it was, and nothing is left behind.

    Raises:
        ConfigError: it cannot be written.
    """
    require_writable(path)
    fresh = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        yield fresh
        fresh.replace(path)
    except OSError as error:
        raise ConfigError(f"{path}: it cannot be written: {error.strerror or error}") from None
    finally:
        fresh.unlink(missing_ok=True)

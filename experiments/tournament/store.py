"""Results on disk: a SQLite file with one row a game, written as games end.

Chunks of games are written in one transaction each, so a process may be killed at any moment: what
is in the file is whole, and what is not in it is played when the tournament goes on.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from kgb_env import KGBError

APPLICATION = 0x4B_47_42_54  # "KGBT": how SQLite files say whose they are
VERSION = 1  # of the tables below
TABLES = (
    "CREATE TABLE manifest (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE timing (event TEXT NOT NULL, agent TEXT NOT NULL, decisions INTEGER NOT NULL, seconds REAL NOT NULL)",
    """CREATE TABLE games (
    event TEXT NOT NULL,
    game INTEGER NOT NULL,   -- number, from 0
    deal INTEGER NOT NULL,   -- number of the deal that it starts from
    seed TEXT NOT NULL,      -- of the deal: an integer from 0 to 2**64 - 1
    options TEXT NOT NULL,   -- of the game, as JSON
    agents TEXT NOT NULL,    -- by seat, a JSON list
    roles TEXT NOT NULL,     -- by seat, a JSON list; [] in a game without roles
    returns TEXT NOT NULL,   -- by seat, a JSON list
    reason TEXT NOT NULL,    -- the ending
    plies INTEGER NOT NULL,  -- decisions made
    fault TEXT,              -- why an agent forfeited
    crc INTEGER NOT NULL,    -- checksum of all that
    PRIMARY KEY (event, game)
) WITHOUT ROWID""",
)
COLUMNS = "event", "game", "deal", "seed", "options", "agents", "roles", "returns", "reason", "plies", "fault"


class StoreError(KGBError, RuntimeError):
    """A file of results is not one, is damaged, is in use, or belongs to another tournament."""


class Time(NamedTuple):
    """What an agent took for a chunk of games."""

    agent: str
    decisions: int
    seconds: float


class Store:
    """The results of one tournament; use it as a context manager.

    While it is open nobody else can open it.  A file that is there already must be of the same plan
    and sources, else it is refused and stays as it is; one without any game is taken over.

    Args:
        path: of the file; it is made if there is none.
        manifest: texts by name that say what the results are of.
        identity: the names among them that must be the same whenever the tournament goes on.

    Raises:
        StoreError: the file cannot be used; the message says why.
    """

    def __init__(self, path: Path, manifest: Mapping[str, str], identity: tuple[str, ...]) -> None:
        self.path = path
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=1.0, isolation_level=None)
        try:
            with self._explained():
                self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                with self._transaction():  # takes the lock
                    if not self._tables():
                        self._create(manifest)
                    else:
                        self._recognise(manifest, identity)
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._connection.close()

    def manifest(self) -> dict[str, str]:
        """Return what the results are of, as it was when they were begun."""
        with self._explained():
            return dict(self._connection.execute("SELECT name, value FROM manifest ORDER BY name"))

    def add(self, rows: list[tuple[Any, ...]], times: list[Time], event: str) -> None:
        """Write the games of a chunk (in the order of ``COLUMNS``) and what the agents took for them."""
        with self._explained(), self._transaction():
            marks = ", ".join("?" * (len(COLUMNS) + 1))
            summed = [(*row, checksum(row)) for row in rows]
            self._connection.executemany(f"INSERT INTO games VALUES ({marks})", summed)
            self._connection.executemany("INSERT INTO timing VALUES (?, ?, ?, ?)", [(event, *time) for time in times])

    def rows(self, event: str) -> list[dict[str, Any]]:
        """Return the finished games of an event, in order; lists are read from JSON.

        Raises:
            StoreError: a row is not as it was written.
        """
        with self._explained():
            columns = ", ".join(COLUMNS)
            found = self._connection.execute(
                f"SELECT {columns}, crc FROM games WHERE event = ? ORDER BY game", (event,)
            ).fetchall()
            rows = []
            for *values, crc in found:
                row = dict(zip(COLUMNS, values, strict=True))
                if crc != checksum(values):
                    raise StoreError(f"{self.path} is damaged: game {row['game']} of {event} is not as it was written")
                row.update({name: json.loads(row[name]) for name in ("agents", "roles", "returns")})
                rows.append(row)
        return rows

    def times(self, event: str) -> list[Time]:
        """Return what every agent took in an event, chunk by chunk."""
        with self._explained():
            rows = self._connection.execute(
                "SELECT agent, decisions, seconds FROM timing WHERE event = ? ORDER BY agent, seconds", (event,)
            )
            return [Time(*row) for row in rows]

    def _tables(self) -> set[str]:
        return {name for (name,) in self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def _create(self, manifest: Mapping[str, str]) -> None:
        self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
        self._connection.execute(f"PRAGMA user_version = {VERSION}")
        for statement in TABLES:
            self._connection.execute(statement)
        self._connection.executemany("INSERT INTO manifest VALUES (?, ?)", list(manifest.items()))

    def _recognise(self, manifest: Mapping[str, str], identity: tuple[str, ...]) -> None:
        """Refuse a file of something else."""
        (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION:
            raise StoreError(f"{self.path} is a database of something else; give another folder with --out")
        if version != VERSION:
            raise StoreError(f"{self.path} has tables of version {version}, this program writes version {VERSION}")
        (fault,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        if fault != "ok":
            raise StoreError(f"{self.path} is damaged ({' '.join(fault.split())})")
        missing = {"manifest", "timing", "games"} - self._tables()
        if missing:
            raise StoreError(f"{self.path} is damaged: it has no table {', '.join(sorted(missing))}")
        there = self.manifest()
        other = [name for name in identity if there.get(name) != manifest[name]]
        if not other:
            return
        if self._connection.execute("SELECT 1 FROM games LIMIT 1").fetchone():
            differences = "; ".join(f"{name}: {difference(there.get(name), manifest[name])}" for name in other)
            raise StoreError(
                f"{self.path} holds results of other {' and '.join(other)} ({differences}). "
                "Give another folder with --out, or move the file away to begin anew"
            )
        self._connection.execute("DELETE FROM manifest")  # nothing was played: a start that failed
        self._connection.executemany("INSERT INTO manifest VALUES (?, ?)", list(manifest.items()))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN EXCLUSIVE")
        try:
            yield
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.commit()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what SQLite or the file system complain about into a StoreError."""
        try:
            yield
        except StoreError:
            raise
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise StoreError(f"{self.path} is in use: does the same tournament run already?") from None
            raise StoreError(f"{self.path}: {error}") from None
        except (sqlite3.Error, OSError, ValueError) as error:
            raise StoreError(f"{self.path} is no file of results, or is damaged: {error}") from None


def checksum(row: Sequence[Any]) -> int:
    """Return a checksum of the columns of a game."""
    return zlib.crc32(json.dumps(list(row)).encode())


def difference(there: str | None, now: str) -> str:
    """Say where two texts differ, which may be JSON."""
    try:
        before, after = _leaves(json.loads(there or "")), _leaves(json.loads(now))
    except ValueError:
        return f"{there}, now {now}"
    places = [place for place in sorted(before.keys() | after.keys()) if before.get(place) != after.get(place)]
    return ", ".join(
        f"{place} was {before.get(place, 'not there')}, is {after.get(place, 'not there')}" for place in places[:5]
    )


def _leaves(value: Any, place: str = "") -> dict[str, str]:
    """Return the plain values inside lists and objects, by where they are."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        inside = [_leaves(part, f"{place}.{name}" if place else str(name)) for name, part in items]
        return {key: leaf for leaves in inside for key, leaf in leaves.items()}
    return {place: json.dumps(value)}

"""Games written down: every action and every outcome of chance in notation, one game a line of a file.

What is written is what has happened, never a seed: the line can still be read when the generator of random numbers
has changed.  It is checked against the rules when it is played again.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from kgb_env import kernels
from kgb_env.errors import KGBError, NotationError, OptionError, ReplayError
from kgb_env.game import Game
from kgb_env.options import read_data_file
from kgb_env.record import CHANCE, NOBODY
from kgb_env.registry import definition, rebuild

FORMAT = 1
BROKEN_OFF = "broken off"
LONGEST_SHOWN = 60  # letters of a text in a message
VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){0,5}[A-Za-z0-9_]{0,20}", re.ASCII)
ID = re.compile(r"(?=.{1,200}\Z)[A-Za-z_][\w.]*(:[A-Za-z_]\w*)?")  # of games
PRINTED = ("game", "agents", "moves", "reason")  # fields that a terminal may show
FIELDS = {
    "format": "a number",
    "version": "a text",
    "game": "a text",
    "options": "an object",
    "data": "an object of texts",
    "shipped": "an object of texts",
    "agents": "a list of texts",
    "moves": "a list of texts",
    "result": "an object or null",
    "reason": "a text",
}


class Position(NamedTuple):
    """A moment of a replayed game: a decision is due, or the game is over.

    Attributes:
        states: one row; its luck to come (``rng``) is not that of the game that was written down.
        made: how many of the moves have been made, outcomes of chance included.
        text: the action that led here, in notation; "" at the start.
        seat: who chose it, or NOBODY at the start.
    """

    states: np.ndarray
    made: int
    text: str
    seat: int


@dataclass(frozen=True)
class Replay:
    """A game that was written down.

    Attributes:
        game: the configured game.
        agents: who played, one a seat.
        moves: outcomes of chance and actions in notation, in order.
        returns: what each seat got, or None if the game was broken off.
        reason: the name of the ending, or why it was broken off.
        version: of the package that wrote it.
        where: the file and the line that it was read from, for messages.
    """

    game: Game
    agents: tuple[str, ...]
    moves: tuple[str, ...]
    returns: tuple[float, ...] | None
    reason: str
    version: str
    where: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if len(self.agents) != self.game.seats:
            raise ReplayError(f"agents: {len(self.agents)} are named; {self.game.id} has {self.game.seats} seats")

    def to_json(self) -> str:
        """Return the game as one line of JSON, without the line break.

        It holds the texts of data files that we do not ship, and digests of those that we do.
        """
        data, shipped = _files_of(self.game)
        line = {
            "format": FORMAT,
            "version": self.version,
            "game": self.game.id,
            "options": self.game.options,
            "data": data,
            "shipped": shipped,
            "agents": self.agents,
            "moves": self.moves,
            "result": None if self.returns is None else {"returns": self.returns, "reason": self.reason},
            "reason": self.reason,
        }
        return json.dumps(line)

    @classmethod
    def from_json(cls, line: str, where: str = "") -> Replay:
        """Return the game that a line holds.  Its moves are checked by ``positions``.

        Args:
            line: as ``to_json`` writes it.
            where: the file and the line, for messages.

        Raises:
            ReplayError: it is no such line, or cannot be played here; the message names the field.
        """
        try:
            told = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ReplayError(f"{_at(where)}not a line of JSON: {error}") from None
        try:
            _check_fields(told)
            game = _game_of(told)
            returns = _returns_of(told["result"], game)
            reason = told["reason"] if returns is None else told["result"]["reason"]
            return cls(game, tuple(told["agents"]), tuple(told["moves"]), returns, reason, told["version"], where)
        except ReplayError as error:
            raise ReplayError(f"{_at(where)}{error}") from None

    def positions(self) -> Iterator[Position]:
        """Play the game again, and yield it before every decision and at the end.

        Raises:
            ReplayError: a move is not understood or not possible under the rules here, some are left over, or the
                result is another; the message names the move, and the versions that wrote and read it.
        """
        states, index, text, seat = self.game.begin(), 0, "", NOBODY
        while True:
            while states["to_move"][0] == CHANCE:
                self._play_outcome(states, index)
                index += 1
            if index == len(self.moves) or states["over"][0]:
                break
            yield Position(states.copy(), index, text, seat)
            text, seat = self.moves[index], int(states["to_move"][0])
            self._play_action(states, index)
            index += 1
        self._check_end(states, index)
        yield Position(states, index, text, seat)

    def _play_outcome(self, states: np.ndarray, index: int) -> None:
        weights = self.game.weights()
        kernels.chance(states[0], weights, self.game.tables[0])
        outcome = self._understood(self.game.notation.parse_outcome, states, index)
        if not (0 <= outcome < weights.size and weights[outcome] > 0):
            possible = [self.game.notation.outcome(self.game, states, int(o)) for o in np.flatnonzero(weights)[:8]]
            raise self._fault(index, f"chance cannot bring it; possible are {', '.join(possible)}{_more(weights)}")
        kernels.step(states[0], outcome, self.game.tables[0])

    def _play_action(self, states: np.ndarray, index: int) -> None:
        action, legal = self._understood(self.game.notation.parse_action, states, index), self.game.legal(states)
        if action not in legal:
            allowed = [self.game.notation.action(self.game, states, int(a)) for a in legal[:8]]
            more = f" and {legal.size - 8} more" if legal.size > 8 else ""
            seat = int(states["to_move"][0])
            raise self._fault(index, f"illegal for seat {seat}; legal are {', '.join(allowed)}{more}")
        kernels.step(states[0], action, self.game.tables[0])

    def _understood(self, parse: Any, states: np.ndarray, index: int) -> int:
        """Return the action or outcome that a move names."""
        if index >= len(self.moves):
            raise self._fault(index, "the moves end where chance is due")
        try:
            return int(parse(self.game, states, self.moves[index]))
        except NotationError as error:
            raise self._fault(index, str(error)) from None

    def _check_end(self, states: np.ndarray, index: int) -> None:
        outcome = self.game.outcome(states)
        if index < len(self.moves):
            raise self._fault(index, "the game is over before it")
        if outcome is None and self.returns is not None:
            raise self._fault(index, f"the moves end before the game does; its result is told as {self.reason!r}")
        if outcome is not None and (outcome.returns, outcome.reason) != (self.returns, self.reason):
            told = "none" if self.returns is None else f"{self.reason} {_numbers(self.returns)}"
            raise self._fault(index, f"result: it ends as {outcome.reason} {_numbers(outcome.returns)}, told is {told}")

    def _fault(self, index: int, what: str) -> ReplayError:
        """Return an error that says where it was and who wrote it."""
        from kgb_env import __version__

        move = f"move {index + 1} {_shown(self.moves[index])}" if index < len(self.moves) else f"after move {index}"
        return ReplayError(
            f"{_at(self.where)}{move}: {what} (written by kgb {self.version}, read by kgb {__version__})"
        )


def read_replays(path: str | Path, number: int | None = None) -> Iterator[Replay]:
    """Yield the games of a file, one after the other.

    Args:
        path: of the file.
        number: of the only game that is wanted, counted from 1; the others are not looked at.

    Raises:
        ReplayError: the file or a line of it cannot be read, after the games before it; or there is no such game.
    """
    count = 0
    for place, line in _lines(Path(path)):
        count += 1
        if number in (None, count):
            yield _read_line(line, f"{path}, line {place}")
        if number == count:
            return
    if number is not None or not count:
        wanted = f"there is no game {number}; " if number is not None else ""
        raise ReplayError(f"{path}: {wanted}it holds {count} games")


def append_replay(path: str | Path, replay: Replay) -> None:
    """Write a game at the end of a file, which is made if need be.

    Raises:
        ReplayError: the file cannot be written.
    """
    with ReplayWriter(path) as writer:
        writer.write(replay)


class ReplayWriter:
    """Writes games at the end of a file, each at once; use as a context manager.

    Args:
        path: of the file, which is made if need be.

    Raises:
        ReplayError: the file cannot be written.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        try:
            self._file = Path(path).open("ab+")  # noqa: SIM115  it is closed by __exit__
            # A writer may have been stopped in the middle of its line: the next one stays whole.
            self._before = b"\n" if self._file.tell() and not _ends_a_line(self._file) else b""
        except OSError as error:
            raise self._fault(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        try:
            self._file.close()
        except OSError as error:  # what could not be written before cannot be written now
            raise self._fault(error) from None

    def write(self, replay: Replay) -> None:
        """Write a game.

        Raises:
            ReplayError: it cannot be written.
        """
        line = f"{replay.to_json()}\n".encode()
        try:
            self._file.write(self._before + line)
            self._file.flush()
        except OSError as error:
            raise self._fault(error) from None
        self._before = b""

    def _fault(self, error: OSError) -> ReplayError:
        return ReplayError(f"{self.path}: a game cannot be written there: {error.strerror}")


def _ends_a_line(file: Any) -> bool:
    file.seek(-1, 2)
    return file.read(1) == b"\n"


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that hold something, each with its number."""
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for place, line in enumerate(file, 1):
                if line.strip():
                    yield place, line
    except OSError as error:
        raise ReplayError(f"{path}: no games can be read there: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ReplayError(f"{path}: not a file of replays: {error}") from None


def _read_line(line: str, where: str) -> Replay:
    if not line.endswith("\n") and not _is_json(line):
        raise ReplayError(f"{where}: the line is cut off, its writer was stopped; the lines before it are whole")
    return Replay.from_json(line, where)


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _check_fields(told: Any) -> None:
    """Refuse what is not made as a line of this format is, or what a newer version has written."""
    from kgb_env import __version__

    if not isinstance(told, dict) or "format" not in told:
        raise ReplayError("not a replay: expected an object with the field 'format'")
    if told["format"] != FORMAT:
        raise ReplayError(
            f"format {_shown(told['format'])}, written by kgb {printable(str(told.get('version')))[:LONGEST_SHOWN]}; "
            f"kgb {__version__} reads {FORMAT}"
        )
    missing, unknown = [name for name in FIELDS if name not in told], [name for name in told if name not in FIELDS]
    if missing or unknown:
        fault = f"there is no field {missing[0]!r}" if missing else f"there is a field {unknown[0]!r}"
        raise ReplayError(f"{fault}; a line has {', '.join(FIELDS)}")
    for name, kind in FIELDS.items():
        if not _is(told[name], kind):
            raise ReplayError(f"{name}: expected {kind}, got {_shown(told[name])}")
        _require_whole_letters(name, told[name])
    for name in PRINTED:
        _require_printable(name, told[name])
    if not told["reason"]:
        raise ReplayError("reason: expected a text that says why the game ended, got ''")
    if _version(told["version"]) > _version(__version__):
        raise ReplayError(f"version: written by kgb {told['version']}, which is newer than kgb {__version__} here")


def _is(value: Any, kind: str) -> bool:
    """Tell if a value of JSON is what ``FIELDS`` says."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {
        "a number": isinstance(value, int),
        "a text": isinstance(value, str),
        "an object": isinstance(value, dict),
        "an object or null": isinstance(value, dict | None),
        "an object of texts": isinstance(value, dict) and all(isinstance(part, str) for part in parts),
        "a list of texts": isinstance(value, list) and all(isinstance(part, str) for part in parts),
    }[kind]


def _require_whole_letters(name: str, value: Any) -> None:
    """Refuse texts with half a letter in them: they can be written to no file."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise ReplayError(f"{name}: it holds a lone surrogate, which is no letter, or is too deeply nested") from None


def _require_printable(name: str, value: str | list[str]) -> None:
    """Refuse texts with letters in them that steer a terminal."""
    for text in [value] if isinstance(value, str) else value:
        if not text.isprintable():
            raise ReplayError(f"{name}: {_shown(text)} holds a letter that cannot be printed")


def printable(text: str) -> str:
    """Return a text with "?" for what cannot be printed."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _version(text: str) -> tuple[int, ...]:
    """Return a version as numbers that can be compared."""
    if not VERSION.fullmatch(text):
        raise ReplayError(f"version: expected numbers as in 0.1.0, got {_shown(text)}")
    return tuple(int(number) for number in re.findall(r"\d+", text)[:3])


def _game_of(told: Mapping[str, Any]) -> Game:
    """Return the game of a line, with the data files that it was played with."""
    if not ID.fullmatch(told["game"]):
        raise ReplayError(f"game: expected an id such as confusion, got {_shown(told['game'])}")
    try:
        files = definition(told["game"]).files
        options = definition(told["game"]).options.parse(told["options"])
        data = dict(told["data"])
        for name, digest in told["shipped"].items():
            data[name] = _shipped_text(name, getattr(options, name, None), files, digest)
        due = {name for name in files if getattr(options, name) is not None}
        if due != set(data):
            raise ReplayError(f"data: files of {', '.join(sorted(due)) or 'no option'} are due, got {sorted(data)}")
        return rebuild(told["game"], told["options"], data)
    except OptionError as error:
        raise ReplayError(f"game and options: {error}") from None
    except ReplayError:
        raise
    except KGBError as error:
        raise ReplayError(f"data: {error}") from None


def _shipped_text(name: str, value: Any, files: Mapping[str, Path], digest: str) -> str:
    """Return a shipped data file, if it is still the one that a game was played with."""
    if name not in files or not isinstance(value, str):
        raise ReplayError(f"shipped: no data file belongs to {name!r}; allowed are {', '.join(files) or 'none'}")
    text = _shipped(name, value, files)
    if text is None or _digest(text) != digest:
        change = "is not shipped any more" if text is None else "has changed since"
        raise ReplayError(f"shipped: the file {value!r} of the option {name} {change}; the game cannot be played again")
    return text


def _shipped(name: str, value: str, files: Mapping[str, Path]) -> str | None:
    """Return the text of a file that we ship, or None if there is none of this name."""
    is_shipped = value in {path.stem for path in files[name].glob("*.txt")}
    return read_data_file(name, value, files[name]) if is_shipped else None


@lru_cache(maxsize=16)  # all games of a match are the same
def _files_of(game: Game) -> tuple[dict[str, str], dict[str, str]]:
    """Return the texts of a game's data files that are the user's own, and digests of those that we ship."""
    files, data, shipped = definition(game.id).files, dict[str, str](), dict[str, str]()
    for name, text in game.data.items():
        if _shipped(name, game.options[name], files) == text:
            shipped[name] = _digest(text)
        else:
            data[name] = text
    return data, shipped


def _returns_of(result: Any, game: Game) -> tuple[float, ...] | None:
    if result is None:
        return None
    returns = result.get("returns")
    are_numbers = isinstance(returns, list) and all(type(each) in (int, float) for each in returns)
    if set(result) != {"returns", "reason"} or not isinstance(result["reason"], str) or not are_numbers:
        raise ReplayError(f"result: expected returns (numbers) and reason (a text), got {_shown(result)}")
    if len(returns) != game.seats:
        raise ReplayError(f"result: returns of {len(returns)} seats; {game.id} has {game.seats}")
    _require_printable("result", result["reason"])
    if not result["reason"]:
        raise ReplayError("result: the reason is empty; expected the name of an ending")
    try:
        numbers = tuple(map(float, returns))
    except OverflowError:
        numbers = (math.inf,)
    if not all(map(math.isfinite, numbers)):
        raise ReplayError(f"result: returns are finite numbers, got {_shown(returns)}")
    return numbers


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _at(where: str) -> str:
    return f"{where}: " if where else ""


def _shown(value: Any) -> str:
    """Return a value as a message has it."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def _numbers(returns: Sequence[float]) -> str:
    return " ".join(f"{each:+g}" for each in returns)


def _more(weights: np.ndarray) -> str:
    left = np.count_nonzero(weights) - 8
    return f" and {left} more" if left > 0 else ""

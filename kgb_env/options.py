"""Options of games: what exists, what is allowed, and data files of the user's own."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from kgb_env.errors import OptionError
from kgb_env.layout import markdown_table


def explain(error: ValidationError, model: type[BaseModel]) -> str:
    """Say in a line what is wrong with a configuration, naming the nearest known key."""
    faults = []
    for fault in error.errors():
        name = ".".join(map(str, fault["loc"]))
        if fault["type"] == "extra_forbidden":
            known = _fields_beside(fault["loc"], model)
            near = difflib.get_close_matches(str(fault["loc"][-1]), known, n=1)
            hint = f", did you mean {near[0]!r}?" if near else ""
            faults.append(f"there is no {name!r}{hint} (allowed: {', '.join(known) or 'none'})")
        elif fault["type"] == "missing":
            faults.append(f"{name!r} is missing")
        elif name:
            faults.append(f"{name}={fault['input']!r}: {fault['msg'].removeprefix('Value error, ')}")
        else:
            faults.append(fault["msg"].removeprefix("Value error, "))
    return "; ".join(faults)


def _fields_beside(place: tuple[int | str, ...], model: type[BaseModel]) -> list[str]:
    """Return the fields that a configuration has where one was not known, perhaps inside a list of parts."""
    for name in place[:-1]:
        if isinstance(name, str):
            annotation: Any = model.model_fields[name].annotation
            model = next((part for part in get_args(annotation) if isinstance(part, type)), annotation)
    return list(model.model_fields)


class GameOptions(BaseModel):
    """Base of a game's options: immutable, strict about types, unknown names refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @classmethod
    def parse(cls, options: Mapping[str, Any]) -> Self:
        """Return validated options, or raise OptionError."""
        try:
            return cls(**{name: _plain(value) for name, value in options.items()})
        except ValidationError as error:
            raise OptionError(explain(error, cls)) from None

    @classmethod
    def table(cls) -> str:
        """Return the options as a Markdown table."""
        rows = []
        for name, field in cls.model_fields.items():
            kind = getattr(field.annotation, "__name__", str(field.annotation).replace("|", "or"))
            rows.append((f"`{name}`", kind, f"`{field.default!r}`", field.description))
        return markdown_table(("Option", "Type", "Default", "Meaning"), *rows)


def _plain(value: Any) -> Any:
    """Return NumPy's numbers and paths as what options are made of."""
    if isinstance(value, np.integer | np.bool_):
        return value.item()
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def read_data_file(option: str, value: str, shipped: Path) -> str:
    """Return the text of the data file that an option names.

    Args:
        option: the option's name, for the message.
        value: the name of a file that we ship in the folder ``shipped``, or else a path.
        shipped: the folder.

    Raises:
        OptionError: there is no such file.
    """
    names = sorted(path.stem for path in shipped.glob("*.txt"))
    path = shipped / f"{value}.txt" if value in names else Path(value)
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise OptionError(
            f"{option}={value!r}: neither a shipped file ({', '.join(names)}) nor a readable text file: {error}"
        ) from None


def unprintable(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the letters of a data file that cannot be printed: line and column, from 1, and what is wrong."""
    for line, content in enumerate(text.split("\n"), start=1):
        for column, letter in enumerate(content.removesuffix("\r"), start=1):
            if not letter.isprintable() and letter != "\t":
                yield line, column, f"{letter!r} cannot be printed (allowed: letters, signs, spaces and tabs)"

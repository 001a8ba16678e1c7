"""The lines of what a language model answers, without decoration, and which of them state a move."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from kgb_env.errors import NotationError

# What models think before they answer; what they open and do not close is all that there is, cut off.
THOUGHTS = r"think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
THOUGHT = re.compile(rf"<(?P<tag>{THOUGHTS})\b[^<>]*>.*?(?:</(?P=tag)\s*>|\Z)", re.DOTALL | re.IGNORECASE)
REST_OF_A_THOUGHT = re.compile(rf"\A.*</(?:{THOUGHTS})\s*>", re.DOTALL | re.IGNORECASE)
STRUCK = re.compile(
    r"(?<!~)~~(?!~)(?:(?!\n[ \t]*\n)[^~])+~~(?!~)|(?!\A)<(?P<tag>s|del|strike)>[^<]*</(?P=tag)>", re.IGNORECASE
)
WHOLE_ANSWER = re.compile(r"\A<s>|</s>\s*\Z", re.IGNORECASE)  # some servers mark so where it begins and ends
TAGGED_MOVE = re.compile(
    r"<(?P<tag>(?:(?:final|best|chosen)_)?move|final_answer)>(?P<move>[^<>]+)</(?P=tag)>", re.IGNORECASE
)
NAMES_IN_JSON = ("move", "final_move", "action")
MARKS = re.compile(
    r"<\|[^<>|]*\|>|</?(?:answer|final|response|output|b|i|em|strong|code|pre|p|br|td|tr|table|end_of_turn|eos)\s*/?>",
    re.IGNORECASE,
)
FENCE = re.compile(r"^\s*(?:```|~~~)[\w-]*\s*$")
RULE = re.compile(r"[-=:|+#\s]*")  # between paragraphs, or the rows of a table
LATEX_ARROW = re.compile(r"\\(?:long)?(?:rightarrow|to)\b")
LATEX = re.compile(r"\\(?:boxed|text|texttt|textbf|mathrm|mathbf|mathtt|fbox)\b|\\[()\[\],;! ]|[${}]")
BULLET = re.compile(r"^(?:[-*+>#\u2022]+|\d+[.)])\s+")
LIST_ITEM = re.compile(r"^[\s>]*(?:[-*+\u2022]|\d+[.)])\s")
BEFORE = " \t*_`|\"'<>()[]\u201c\u201d\u2018\u2019\u00ab\u00bb"
AFTER = BEFORE + ".,;!"
INSIDE = re.compile(r"[*`\"\u201c\u201d\u00ab\u00bb]|(?<!\w)['\u2018\u2019_]|['\u2018\u2019_](?!\w)")
INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"))
ONE_CHARACTER = str.maketrans(
    {**dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\u2192\u27f6\u21d2", "-"), "×": "x"}
)
ARROW = re.compile(r"[-=]+>")

# A statement begins a line: 'Alternative move: B' and 'Do not play Move: A' are none.
HEAD = re.compile(
    r"(?:(?:so|therefore|thus|hence)\b,?\s+)?"
    r"(?:(?:(?:my|the)[\s_]+)?(?:(?:final|best|chosen|selected)[\s_]+)?(?:move|action|answer|choice|decision)"
    r"|i\s+(?:choose|play|will\s+play)|i['\u2019]ll\s+play)(?![\w-]|['\u2019]\w)"
    r"(?P<mark>[\s|]*(?:(?:[:=-]|is\b)[\s|:=-]*)?)(?P<rest>.*)",
    re.IGNORECASE,
)


class Line(NamedTuple):
    """A line of an answer that is not empty.

    Attributes:
        text: it, without decoration.
        rest: what follows the head of a statement, as in ``Move: T h2-h3``; None if it has none.  A head that is alone
            on its line belongs to the next one.
        has_mark: something stands between the head and the rest; ``I play T h2-h3`` has none.
        is_list_item: it is one.
        is_finished: a new line follows.
    """

    text: str
    rest: str | None
    has_mark: bool
    is_list_item: bool
    is_finished: bool


def lines_of(answer: str) -> list[Line]:
    """Return the filled lines of an answer: without thoughts, and without what is struck through.

    Args:
        answer: all that a model has written.

    Raises:
        NotationError: the answer is no text, or holds several moves in JSON.
    """
    if not isinstance(answer, str):
        raise NotationError(f"an answer is a text, got {type(answer).__name__}")
    *finished, last = ["" if FENCE.match(line) else line for line in _said(answer).split("\n")]
    lines: list[Line] = []
    for line in [*(_read(text, True) for text in finished), _read(last, False)]:
        if not RULE.fullmatch(line.text):
            head_before = lines.pop() if lines and lines[-1].rest == "" else None
            is_headed = line.has_mark or line.rest == ""
            lines.append(line if is_headed or not head_before else line._replace(rest=line.text, has_mark=True))
    return lines


def undecorated(line: str) -> str:
    """Take Markdown, LaTeX, quotes, table bars and a full stop away from around and inside a text."""
    text = LATEX.sub(" ", line).strip()
    while text != (text := _bare(BULLET.sub("", text))):
        pass
    return _bare(" ".join(INSIDE.sub(" ", text).split()))


def _bare(text: str) -> str:
    """Take decoration away from around a text; what stands before it may negate it, as in '!A'."""
    return text.lstrip(BEFORE).rstrip(AFTER)


def _read(line: str, is_finished: bool) -> Line:
    """Return a line, and what its statement is, if it is one."""
    text = undecorated(line)
    found = HEAD.fullmatch(text)
    if found and (inner := HEAD.fullmatch(undecorated(found["rest"]))) and inner["mark"].strip():
        found = inner  # as in 'Final answer: Move: T h2-h3'
    rest, has_mark = (undecorated(found["rest"]), bool(found["mark"].strip())) if found else (None, False)
    return Line(text, rest, has_mark, bool(LIST_ITEM.match(line)), is_finished)


def _said(answer: str) -> str:
    """Return an answer without thoughts and tags, in plain characters, and moves in tags or JSON as statements."""
    text = unicodedata.normalize("NFKC", answer).translate(INVISIBLE).translate(ONE_CHARACTER)
    text = "\n".join(REST_OF_A_THOUGHT.sub("", THOUGHT.sub("", text)).splitlines()) + "\n" * text.endswith(("\n", "\r"))
    text = WHOLE_ANSWER.sub("", STRUCK.sub("", text.lstrip()))
    text = TAGGED_MOVE.sub(lambda found: _as_statement(text[: found.start()], found["move"]), text)
    return ARROW.sub("-", LATEX_ARROW.sub("-", MARKS.sub(" ", _with_statements_for_json(text))))


def _as_statement(before: str, move: str) -> str:
    """Return a statement of a move, on a line of its own unless it is part of a sentence, as in 'I reject ...'."""
    last = before.rstrip(" \t")[-1:]
    gap = " " if last.isalnum() or last == "," else "\n"
    return f"{gap}Move: {' '.join(move.split())}\n"


def _with_statements_for_json(text: str) -> str:
    """Return a text in which each JSON object that names a move is a statement of it.

    Raises:
        NotationError: they name several.
    """
    parts, moves, done, start = [], set(), 0, text.find("{")
    while start >= 0:
        try:
            found, end = JSON.raw_decode(text, start)
            named = set(_moves_in(found))
        except (ValueError, RecursionError):
            found, named, end = (), set(), start + 1
        if own := [value for name, value in found if _is_move(name, value)]:
            moves |= named
            parts += [text[done:start], _as_statement(text[done:start], own[0])]
            done = end
        start = text.find("{", end)
    if len(moves) > 1:
        raise NotationError("the answer holds several moves in JSON; state one, in a line 'Move: <move>'")
    return "".join([*parts, text[done:]])


JSON = json.JSONDecoder(object_pairs_hook=tuple)  # objects as pairs: a name may come twice


def _moves_in(found: object) -> Iterator[str]:
    """Yield the moves that an object of JSON names, those in objects inside of it too."""
    for item in found if isinstance(found, tuple | list) else ():
        if isinstance(found, tuple) and _is_move(*item):
            yield " ".join(item[1].split())
        else:
            yield from _moves_in(item[1] if isinstance(found, tuple) else item)


def _is_move(name: str, value: object) -> bool:
    return name.casefold() in NAMES_IN_JSON and isinstance(value, str)

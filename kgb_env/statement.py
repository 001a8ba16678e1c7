"""Where the answer of a language model states its move, in whatever decoration."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from kgb_env.errors import NotationError

# What models think before they answer; what they open and do not close is all that there is, cut off.
THOUGHTS = r"think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
THOUGHT = re.compile(rf"<(?P<tag>{THOUGHTS})\b[^<>]*>.*?(?:</(?P=tag)\s*>|\Z)", re.DOTALL | re.IGNORECASE)
REST_OF_A_THOUGHT = re.compile(rf"\A.*</(?:{THOUGHTS})\s*>", re.DOTALL | re.IGNORECASE)
TAGGED_MOVE = re.compile(
    r"<(?P<tag>(?:(?:final|best|chosen)_)?move|final_answer)>(?P<move>[^<>]+)</(?P=tag)>", re.IGNORECASE
)
MARKS = re.compile(
    r"<\|[^<>|]*\|>|</?(?:s|answer|final|response|output|b|i|em|strong|code|pre|p|br|td|tr|table|end_of_turn|eos)\s*/?>",
    re.IGNORECASE,
)
FENCE = re.compile(r"^\s*(?:```|~~~)[\w-]*\s*$")
LATEX_ARROW = re.compile(r"\\(?:long)?(?:rightarrow|to)\b")
LATEX = re.compile(r"\\(?:boxed|text|texttt|textbf|mathrm|mathbf|mathtt|fbox)\b|\\[()\[\],;! ]|[${}]")
BULLET = re.compile(r"^(?:[-*+>#\u2022]+|\d+[.)])\s+")
LIST_ITEM = re.compile(r"^[\s>]*(?:[-*+\u2022]|\d+[.)])\s")
AROUND = " \t*_`~|\"'<>()[]\u201c\u201d\u2018\u2019\u00ab\u00bb.,;!"
INSIDE = re.compile(r"[*`\"\u201c\u201d\u2018\u2019\u00ab\u00bb]|(?<!\w)['_]|['_](?!\w)")
INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"))
ONE_CHARACTER = str.maketrans(
    {**dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\u2192\u27f6\u21d2", "-"), "×": "x"}
)
ARROW = re.compile(r"[-=]+>")

# A statement begins a line: 'Alternative move: B' and 'Do not play Move: A' are none.
HEAD = re.compile(
    r"(?:(?:(?:my|the)[ _]+)?(?:(?:final|best|chosen)[ _]+)?move|(?:(?:my|the)[ _]+)?(?:final[ _]+)?answer"
    r"|i[ ]+(?:choose|play))(?![\w-]|'\w)(?P<mark>[\s*_`~\"'|]*(?:(?:[:=-]|is\b)[\s*_`~\"'|:=-]*)?)(?P<rest>.*)",
    re.IGNORECASE,
)
# So begins who changes one's mind after a statement.
SECOND_THOUGHT = re.compile(
    r"(?:correct(?:ion|ed)|final|actually|instead|rather|scratch that|on second thoughts?|sorry|oops|hold on"
    r"|revised|update|edit)\b|(?:better|no|wait|hm+)\s*(?:[,:;.!-]|$)",
    re.IGNORECASE,
)
MOVE_WITHIN = re.compile(r"[.!?;]\s+(?:(?:my|the) )?(?:(?:final|best|chosen) )?(?:move|answer)\s*[:=]", re.IGNORECASE)


class Statement(NamedTuple):
    """What an answer states.

    Attributes:
        text: the move and what follows on its line, without decoration; without a statement, the last line.
        is_stated: a statement says so.
        has_mark: something stands between its head and the move, as in ``Move: T h2-h3``, so that the move may be cut
            short; ``I play T h2-h3`` has none.
        is_list_item: the line is one.
        is_finished: a new line follows.
        others: without a statement all other lines, else those that follow.
    """

    text: str
    is_stated: bool
    has_mark: bool
    is_list_item: bool
    is_finished: bool
    others: list[str]


def find_statement(answer: str, names_move: Callable[[str], bool]) -> Statement:
    """Return the last statement of an answer, else its last line.

    Args:
        answer: all that a model has written.
        names_move: tells if a text begins with a move; a head without a mark, as in ``I play``, needs one.

    Raises:
        NotationError: the answer is no text, or holds several moves in JSON.
    """
    if not isinstance(answer, str):
        raise NotationError(f"an answer is a text, got {type(answer).__name__}")
    lines = ["" if FENCE.match(line) else line for line in _said(answer).split("\n")]
    for number in reversed(range(len(lines))):
        if found := _headed(lines[number], names_move):
            return _stated(lines, number, *found)
    filled = [number for number, line in enumerate(lines) if undecorated(line)]
    if not filled:
        return Statement("", False, False, False, False, [])
    last = filled[-1]
    others = [undecorated(lines[number]) for number in filled[:-1]]
    return Statement(
        undecorated(lines[last]), False, False, bool(LIST_ITEM.match(lines[last])), last < len(lines) - 1, others
    )


def second_thought(lines: list[str]) -> str:
    """Return the line with which somebody has changed his mind, or nothing."""
    return next((line for line in lines if SECOND_THOUGHT.match(line) or MOVE_WITHIN.search(line)), "")


def undecorated(line: str) -> str:
    """Take Markdown, LaTeX, quotes, table bars and a full stop away from around and inside a text."""
    return " ".join(INSIDE.sub(" ", _stripped(line)).split()).strip(AROUND)


def _said(answer: str) -> str:
    """Return an answer without thoughts and tags, in plain characters, and moves in tags or JSON as statements."""
    text = unicodedata.normalize("NFKC", answer).translate(INVISIBLE).translate(ONE_CHARACTER)
    text = "\n".join(REST_OF_A_THOUGHT.sub("", THOUGHT.sub("", text)).splitlines()) + "\n" * text.endswith(("\n", "\r"))
    text = TAGGED_MOVE.sub(lambda found: f"\nMove: {found['move'].strip()}\n", text)
    return ARROW.sub("-", LATEX_ARROW.sub("-", MARKS.sub(" ", _moves_from_json(text))))


def _moves_from_json(text: str) -> str:
    """Return a text in which each JSON object that names a move is a statement of it.

    Raises:
        NotationError: they name several.
    """
    parts, moves, done, start = [], set(), 0, text.find("{")
    while start >= 0:
        try:
            found, end = JSON.raw_decode(text, start)
        except (ValueError, RecursionError):
            found, end = {}, start + 1
        if isinstance(move := found.get("move"), str):
            moves.add(" ".join(move.split()))
            parts += [text[done:start], f"\nMove: {' '.join(move.split())}\n"]
            done = end
        start = text.find("{", end)
    if len(moves) > 1:
        raise NotationError("the answer holds several moves in JSON; state one, in a line 'Move: <move>'")
    return "".join([*parts, text[done:]])


def _names_in_small_letters(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return a JSON object; one that names two moves is none."""
    if sum(name.casefold() == "move" for name, _ in pairs) > 1:
        raise ValueError("two moves in an object")
    return {name.casefold(): value for name, value in pairs}


JSON = json.JSONDecoder(object_pairs_hook=_names_in_small_letters)


def _stripped(line: str) -> str:
    """Take decoration away from around a line."""
    text = LATEX.sub(" ", line).strip()
    while text != (text := BULLET.sub("", text).strip(AROUND)):
        pass
    return text


def _headed(line: str, names_move: Callable[[str], bool]) -> tuple[str, bool] | None:
    """Return what follows the head of a statement, and if a mark stands between them; nothing if it is none."""
    found = HEAD.fullmatch(_stripped(line))
    if not found:
        return None
    rest, has_mark = found["rest"], bool(found["mark"].strip())
    while has_mark and (inner := HEAD.fullmatch(_stripped(rest))) and inner["mark"].strip():
        rest = inner["rest"]  # as in 'Final answer: Move: T h2-h3'
    text = undecorated(rest)
    return (text, has_mark) if has_mark or not text or names_move(text) else None


def _stated(lines: list[str], number: int, text: str, has_mark: bool) -> Statement:
    """Return a statement whose head is on a line; the move may follow on the next one that is not empty."""
    while not text and number < len(lines) - 1:
        number += 1
        text, has_mark = undecorated(lines[number]), True
    others = [line for after in lines[number + 1 :] if (line := undecorated(after))]
    is_item = bool(LIST_ITEM.match(lines[number]))
    return Statement(text, True, has_mark, is_item, number < len(lines) - 1, others)

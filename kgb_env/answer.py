"""How the answer of a language model becomes an action."""

from __future__ import annotations

import difflib
import re
from itertools import product

import numpy as np

from kgb_env.errors import NotationError
from kgb_env.game import Game
from kgb_env.registry import game_of

MOST_LISTED = 12  # legal moves, in a message
MOST_WORDS = 5  # of a move, besides those that no game has: each is tried in three spellings

# What models think before they answer; what they open and do not close is all that there is, cut off.
THOUGHTS = r"think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
THOUGHT = re.compile(rf"<(?P<tag>{THOUGHTS})\b[^<>]*>.*?(?:</(?P=tag)\s*>|\Z)", re.DOTALL | re.IGNORECASE)
REST_OF_A_THOUGHT = re.compile(rf"\A.*</(?:{THOUGHTS})\s*>", re.DOTALL | re.IGNORECASE)
MARKS = re.compile(
    r"<\|[^<>|]*\|>|</?(?:s|answer|final|response|output|b|i|em|strong|code|pre|p|br)\s*/?>", re.IGNORECASE
)
FENCE = re.compile(r"^\s*(?:```|~~~)[\w-]*\s*$")
STATED = re.compile(r"(?<![a-z])move(?![a-z])[\s*_`\"']*[:\uff1a]", re.IGNORECASE)
LATEX = re.compile(r"\\(?:boxed|text|texttt|textbf|mathrm|mathbf|mathtt|fbox)\b|\\[()\[\],;! ]|[${}]")
BULLET = re.compile(r"^(?:[-*+>#\u2022]+|\d+[.)])\s+")
AROUND = " \t*_`~\"'<>()[]\u201c\u201d\u2018\u2019\u00ab\u00bb.,;!"
ONE_CHARACTER = str.maketrans({**dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"), "\u00d7": "x"})


def parse_move(view: np.ndarray, answer: str) -> int:
    """Return the legal action that the answer of a language model states.

    The move is what the last ``Move: ...`` says, in whatever Markdown or LaTeX it stands; an answer without one may
    consist of a move, or end with it on a line of its own.  What is thought aloud between ``<think>`` and ``</think>``
    does not count.  Small and capital letters, and spaces, are forgiven where only one action can be meant.  An answer
    whose last statement is no legal move is refused: no earlier move is taken for it.

    Args:
        view: one view by the seat to move, the one that ``text_view`` has told of.
        answer: all that the model has written.

    Raises:
        NotationError: no legal move is stated; the message says what is wrong and which moves are legal, for the model.
        RecordError: it is no view by the seat to move, or its game has not been configured in this process.
    """
    game = game_of(view)
    game.require_view(view)
    legal = {game.notation.action(game, view, action): action for action in game.legal(view).tolist()}
    text, is_stated = _stated_move(answer)
    if not text:
        what = "nothing follows the last 'Move:'" if is_stated else "the answer states no move"
        raise NotationError(f"{what}; end it with a line 'Move: <move>'. {_listed(legal, '')}")
    if text in legal:
        return legal[text]
    try:
        meant = _actions_meant(game, view, text)
    except NotationError as error:
        if not is_stated:
            raise NotationError(
                f"the answer states no move: it holds no line 'Move: <move>', and its last line, {_cut(text)!r}, "
                f"is no move. {_listed(legal, text)}"
            ) from None
        raise NotationError(f"the move is not understood: {error}. {_listed(legal, text)}") from None
    allowed = [action for action in meant if action in legal.values()]
    if len(allowed) == 1:
        return allowed[0]
    if len(allowed) > 1:
        several = " or ".join(repr(game.notation.action(game, view, action)) for action in allowed)
        raise NotationError(f"{text!r} may mean {several}; write it as it is listed. {_listed(legal, text)}")
    raise _illegal(game.notation.action(game, view, meant[0]), legal)


# Finding the statement


def _stated_move(answer: str) -> tuple[str, bool]:
    """Return what an answer states last, without its decoration, and if 'Move:' says so; else its last line."""
    if not isinstance(answer, str):
        raise NotationError(f"an answer is a text, got {type(answer).__name__}")
    said = MARKS.sub(" ", REST_OF_A_THOUGHT.sub("", THOUGHT.sub("", answer)))
    lines = [line for line in said.splitlines() if not FENCE.match(line)]
    for number in reversed(range(len(lines))):
        if found := list(STATED.finditer(lines[number])):
            candidates = map(_undecorated, [lines[number][found[-1].end() :], *lines[number + 1 :]])
            return next(filter(None, candidates), ""), True
    return next(filter(None, map(_undecorated, reversed(lines))), ""), False


def _undecorated(line: str) -> str:
    """Take Markdown, LaTeX, quotes and a full stop away from around a move."""
    text = LATEX.sub(" ", line).translate(ONE_CHARACTER).strip()
    while text != (text := BULLET.sub("", text).strip(AROUND)):
        pass
    return " ".join(text.split())


# Understanding it


def _actions_meant(game: Game, view: np.ndarray, text: str) -> list[int]:
    """Return the actions that a text can mean: as it is written, else with other letters and spaces.

    Raises:
        NotationError: it can mean none; the game's own message.
    """
    try:
        return [game.notation.parse_action(game, view, text)]
    except NotationError as error:
        fault = error
    meant = {action for spelling in _spellings(text) if (action := _parsed(game, view, spelling)) is not None}
    if not meant:
        squeezed = _squeezed(text)
        meant = {a for a in range(game.actions.size) if _squeezed(game.notation.action(game, view, a)) == squeezed}
    if not meant:
        raise fault
    return sorted(meant)


def _spellings(text: str) -> list[str]:
    """Return a text with each of its words in small letters, in capitals, and as it is."""
    words = re.sub(r"\s*-\s*", "-", text).split()
    if len(words) > MOST_WORDS:
        return []
    return [" ".join(spelled) for spelled in product(*({word: 0, word.lower(): 0, word.upper(): 0} for word in words))]


def _parsed(game: Game, view: np.ndarray, text: str) -> int | None:
    try:
        return game.notation.parse_action(game, view, text)
    except NotationError:
        return None


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()


# Refusing it


def _illegal(text: str, legal: dict[str, int]) -> NotationError:
    """Return the error for a move that is not legal: it says if none of its kind is."""
    verb = text.partition(" ")[0]
    kinds = list(dict.fromkeys(move.partition(" ")[0] for move in legal))
    why = "" if verb in kinds else f": none with {verb!r} is, they begin with {', '.join(map(repr, kinds))}"
    return NotationError(f"{text!r} is understood, but it is not legal now{why}. {_listed(legal, text)}")


def _listed(legal: dict[str, int], text: str) -> str:
    """Name the legal moves, or those that look most like a text."""
    if len(legal) <= MOST_LISTED:
        return f"Legal moves: {', '.join(legal)}"
    near = difflib.get_close_matches(text, legal, MOST_LISTED, cutoff=0.0) if text else list(legal)[:MOST_LISTED]
    return f"{'Legal moves like it' if text else 'Some legal moves'}: {', '.join(near)}"


def _cut(text: str) -> str:
    """Shorten a line that is no move."""
    return text if len(text) <= 80 else f"{text[:80]}..."

"""How the answer of a language model becomes an action."""

from __future__ import annotations

import difflib
import re
import unicodedata
from functools import cached_property
from itertools import accumulate, product

import numpy as np

from kgb_env.errors import NotationError
from kgb_env.game import Game
from kgb_env.registry import game_of
from kgb_env.statement import Line, lines_of, undecorated

MOST_LISTED = 12  # legal moves, in a message
MOST_SHOWN = 80  # characters of an answer, in a message; a longer move is understood only as it is listed
MOST_WORDS = 5  # of a move, besides fillers: each is tried in three spellings
SQUARES_APART = re.compile(r"(?<=\d)(?: to |\s*[-x]\s*)(?=[a-z])", re.IGNORECASE)
FILLERS = {"to", "and", "seat", "cell", "the"}


def parse_move(view: np.ndarray, answer: str, *, is_cut_off: bool = False) -> int:
    """Return the legal action that the answer of a language model states.

    The last line that is not empty must be a statement, in whatever Markdown, LaTeX, table or tag: ``Move:``, ``My move
    is``, ``Final answer:``, ``Best action:``, ``Decision:``, ``I choose``, ``I play`` or the like, then one move, and
    nothing else.  The move may stand alone on the next line.  ``{"move": "..."}`` is a statement too, and so are
    ``final_move`` and ``action`` in JSON; all objects together may name one move only.  Whatever stands before is free:
    an explanation, and other statements, which do not count.  Nothing may follow.  Without any statement the last line
    may be a move, the only one of the answer, and not in a list.  What is thought aloud between ``<think>`` and
    ``</think>``, or struck through, does not count.

    Where only one action can be meant, letters, spaces and arrows may be others, ``to``, ``and``, ``the``, ``seat`` and
    ``cell`` may be added, and the first word of a move may be missing.

    Args:
        view: one view by the seat to move, the one that ``text_view`` has told of.
        answer: all that the model has written.
        is_cut_off: the answer was too long and ends somewhere; the line of its statement must be complete.

    Raises:
        NotationError: no legal move is stated; the message says what is wrong and which moves are legal, for the model.
        RecordError: it is no view by the seat to move, or its game has not been configured in this process.
    """
    game = game_of(view)
    game.require_view(view)
    words, lines = Words(game, view), lines_of(answer)
    stated = [number for number, line in enumerate(lines) if words.is_statement(line)]
    if not lines:
        raise NotationError(f"the answer states no move; end it with a line 'Move: <move>'. {words.listed('')}")
    if stated and (later := lines[stated[-1] + 1 :]):
        raise NotationError(
            f"nothing may follow the line {cut(lines[stated[-1]].text)!r}, but {cut(later[0].text)!r} follows; end "
            f"with one line 'Move: <move>'. {words.listed('')}"
        )
    if stated and not lines[-1].rest:
        raise NotationError(f"nothing follows the last 'Move:'; end with a line 'Move: <move>'. {words.listed('')}")
    if is_cut_off and not (stated and lines[-1].is_finished):
        raise NotationError(f"the answer ends before its move is complete. {words.listed('')}")
    return words.stated_move(lines[-1]) if stated else words.only_move(lines)


class Words:
    """What can be said in a position.

    Attributes:
        legal: from the text of each legal move to its action.
    """

    def __init__(self, game: Game, view: np.ndarray) -> None:
        self.game, self.view = game, view
        self.legal = {self.text(action): action for action in game.legal(view).tolist()}

    def is_statement(self, line: Line) -> bool:
        """Tell if a line states something; without a mark, as in ``I play safe``, only a move in full is stated.

        A move that is written like a statement, as ``answer yes``, is none.
        """
        if line.rest is None or line.has_mark or not line.rest:
            return line.rest is not None
        return bool(self.whole(line.rest)) and not self.whole(line.text)

    def stated_move(self, line: Line) -> int:
        """Return the legal move that a statement consists of.

        Raises:
            NotationError: it is none, or may be several.
        """
        text = line.rest or ""
        meant = self.whole(text) or self._spelled(text) or (self._without_first_word(text) if line.has_mark else [])
        allowed = [action for action in meant if action in self.legal.values()]
        if len(allowed) == 1:
            return allowed[0]
        if allowed:
            several = " or ".join(repr(self.text(action)) for action in allowed)
            raise NotationError(f"{cut(text)!r} may mean {several}; write it as listed. {self.listed(text)}")
        raise self.illegal(meant[0]) if meant else self._not_understood(text)

    def only_move(self, lines: list[Line]) -> int:
        """Return the move that the last line of an answer is, where nothing is stated.

        Raises:
            NotationError: it is none, or in a list, or not the only one of the answer.
        """
        *others, last = lines
        meant = self.whole(last.text)
        another = next((line.text for line in others if self.whole(line.text)), "")
        if not meant or last.is_list_item or another:
            only = f"is not its only move: {cut(another)!r} is one too"
            is_what = "is no move" if not meant else "is in a list" if last.is_list_item else only
            raise NotationError(
                f"the answer states no move: it holds no line 'Move: <move>', and its last line, {cut(last.text)!r}, "
                f"{is_what}. {self.listed(last.text)}"
            )
        return self.stated_move(last._replace(rest=last.text, has_mark=False))

    def whole(self, text: str) -> list[int]:
        """Return the actions that a text is, legal or not, as they are listed but for letters, spaces and fillers."""
        if (action := self.legal.get(text)) is not None:
            return [action]
        if len(text) > MOST_SHOWN:
            return []
        if (action := self._parsed(text)) is not None:
            return [action]
        terse = self._terse(text)
        return [action for action in self._by_letters.get(letters(terse), []) if is_same(terse, self._texts[action])]

    def text(self, action: int) -> str:
        """Return how an action is written."""
        return self.game.notation.action(self.game, self.view, action)

    def illegal(self, action: int) -> NotationError:
        """Return the error for a move that is not legal: it says if none of its kind is."""
        text = self.text(action)
        verb, others = text.partition(" ")[0], ", ".join(map(repr, self._kinds))
        why = "" if verb in self._kinds else f": none with {verb!r} is, they begin with {others}"
        return NotationError(f"{text!r} is understood, but it is not legal now{why}. {self.listed(text)}")

    def listed(self, text: str) -> str:
        """Name the legal moves, or those that look most like a text."""
        if len(self.legal) <= MOST_LISTED:
            return f"Legal moves: {', '.join(self.legal)}"
        some = list(self.legal)[:MOST_LISTED]
        near = difflib.get_close_matches(cut(text), self.legal, MOST_LISTED, cutoff=0.0) if text else some
        return f"{'Legal moves like it' if text else 'Some legal moves'}: {', '.join(near)}"

    @cached_property
    def _kinds(self) -> list[str]:
        """The first words of the legal moves."""
        return list(dict.fromkeys(move.partition(" ")[0] for move in self.legal))

    @cached_property
    def _texts(self) -> list[str]:
        """How all actions are written."""
        return [self.text(action) for action in range(self.game.actions.size)]

    @cached_property
    def _by_letters(self) -> dict[str, list[int]]:
        """All actions by their texts without spaces."""
        actions: dict[str, list[int]] = {}
        for action, text in enumerate(self._texts):
            actions.setdefault(letters(text), []).append(action)
        return actions

    @cached_property
    def _fillers(self) -> set[str]:
        """Words that say nothing now; in Suspicious 'seat' may be a word to write."""
        due = [text for text in self._texts if text.partition(" ")[0] in self._kinds]
        return FILLERS - {word for text in due for word in plain(text).split()}

    @cached_property
    def _no_form(self) -> str:
        """What the game says of a text that has not even the form of a move."""
        return self._fault("?").replace(repr("?"), "")

    def _terse(self, text: str) -> str:
        """Return a text without fillers; what ends it is none."""
        *words, last = SQUARES_APART.sub("-", text).split() or [""]
        return " ".join([*(word for word in words if word.casefold() not in self._fillers), last])

    def _without_first_word(self, text: str) -> list[int]:
        """Return the only legal move that ends with a text, its first word left out.

        One letter or digit is too little to tell one kind of move from another.
        """
        if len(text) > MOST_SHOWN or (len(text) < 2 and len(self._kinds) > 1):
            return []
        terse = self._terse(text)
        found = [action for move, action in self.legal.items() if is_same(terse, move.partition(" ")[2])]
        return found if len(found) == 1 else []

    def _spelled(self, text: str) -> list[int]:
        """Return the actions that a text is in other letters, without fillers."""
        return sorted({action for spelled in self._spellings(text) if (action := self._parsed(spelled)) is not None})

    def _spellings(self, text: str) -> list[str]:
        """Return a text without fillers, with each of its words in small letters, in capitals, and as it is."""
        words = self._terse(text).split()
        if len(text) > MOST_SHOWN or len(words) > MOST_WORDS:
            return []
        return [" ".join(spelled) for spelled in product(*({w: 0, w.lower(): 0, w.upper(): 0} for w in words))]

    def _parsed(self, text: str) -> int | None:
        try:
            return self.game.notation.parse_action(self.game, self.view, text)
        except NotationError:
            return None

    def _fault(self, text: str) -> str:
        """Return what the game says of a text that is no move."""
        try:
            self.game.notation.parse_action(self.game, self.view, text)
        except NotationError as error:
            return str(error)
        return ""

    def _not_understood(self, text: str) -> NotationError:
        """Return the error for a text that is no move: what is wrong with its form, or with what follows a move."""
        faults = {spelling: self._fault(spelling) for spelling in self._spellings(text)}
        of_form = (f for spelling, f in faults.items() if f.replace(repr(spelling), "") != self._no_form)
        why = next(of_form, "") or self._what_follows(text) or self._fault(cut(text))
        return NotationError(f"the move is not understood: {why}. {self.listed(text)}")

    def _what_follows(self, text: str) -> str:
        """Say what follows a move on its line; nothing if the text begins with none."""
        for end in reversed([found.start() for found in re.finditer(r"(?<=\S)\s", text[:MOST_SHOWN])]):
            move = undecorated(text[:end])
            if self.whole(move) or self._without_first_word(move):
                return f"nothing may follow the move on its line, but {cut(text[end:].strip())!r} follows {move!r}"
        return ""


def plain(text: str) -> str:
    """Return a text in small letters, and squares in one of the ways to write them."""
    return SQUARES_APART.sub("-", unicodedata.normalize("NFKC", text)).casefold()


def letters(text: str) -> str:
    """Return what is left of a text when small letters and spaces are forgiven."""
    return "".join(plain(text).split())


def is_same(text: str, move: str) -> bool:
    """Tell if a text is a move but for letters and spaces left out; 'vote 1 2' is not 'vote 12'."""
    said, listed = (set(accumulate(map(len, plain(words).split()))) for words in (text, move))
    return letters(text) == letters(move) and said <= listed


def cut(text: str) -> str:
    """Shorten a text for a message."""
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."

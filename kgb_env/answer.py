"""How the answer of a language model becomes an action."""

from __future__ import annotations

import difflib
import re
import unicodedata
from functools import cached_property
from itertools import product

import numpy as np

from kgb_env.errors import NotationError
from kgb_env.game import Game
from kgb_env.registry import game_of
from kgb_env.statement import Statement, find_statement, second_thought

MOST_LISTED = 12  # legal moves, in a message
MOST_SHOWN = 80  # characters of an answer, in a message
MOST_WORDS = 6  # of a move, besides those that no game has: each is tried in three spellings
SQUARES_APART = re.compile(r"(?<=\d)(?: to |\s*[-x]\s*)(?=[a-z])", re.IGNORECASE)
WORD = re.compile(r"[^\s.,;:!?()|]+")
FILLERS = ("to", "and", "seat", "cell", "the")
# What may not follow a move: another choice, a condition, or what makes of the statement a remark on the move.
NO_EXPLANATION = re.compile(r"^[\s,;:(]*(?:(?:or|and|then|if|unless|vs|versus|is|was|would|could)\b|[/&?+])", re.I)


def parse_move(view: np.ndarray, answer: str, *, is_cut_off: bool = False) -> int:
    """Return the legal action that the answer of a language model states.

    A statement is a line that begins, in whatever Markdown, LaTeX, table or tag, with ``Move:``, ``My move is``,
    ``Final move:``, ``Best move:``, ``Chosen move:``, ``Answer:``, ``Final answer:``, ``I choose`` or ``I play``; or
    ``{"move": "..."}``.  The last one counts.  An explanation may follow the move, but no other legal move; who changes
    his mind afterwards is refused, as is a statement that is no legal move: no earlier move is
    taken for it.  Without a statement the last line may be a move, the only one of the answer.  What is thought
    aloud between ``<think>`` and ``</think>`` does not count.  Where only one action can be meant, letters, spaces and
    arrows may be others, and the first word of a move may be missing.

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
    words = Words(game, view)
    stated = find_statement(answer, words.begins_with_move)
    if not stated.text:
        what = "nothing follows the last 'Move:'" if stated.is_stated else "the answer states no move"
        raise NotationError(f"{what}; end it with a line 'Move: <move>'. {words.listed('')}")
    if is_cut_off and not (stated.is_stated and stated.is_finished):
        raise NotationError(f"the answer ends before its move is complete. {words.listed('')}")
    return _stated_move(words, stated) if stated.is_stated else _only_move(words, stated)


def _stated_move(words: Words, stated: Statement) -> int:
    """Return the move that a statement begins with, if nothing else makes it doubtful."""
    action, rest = words.leading_move(stated.text, stated.has_mark)
    if (thought := second_thought(stated.others)) or (thought := words.other_move_among(stated.others, action)):
        raise NotationError(
            f"{words.legal_text(action)!r} is stated, but {cut(thought)!r} follows; end with one line 'Move: <move>' "
            f"and nothing after it. {words.listed(stated.text)}"
        )
    if NO_EXPLANATION.match(rest) or second_thought([rest.lstrip(" .,;:!-")]) or words.names_another(rest, action):
        raise NotationError(
            f"{cut(stated.text)!r} may mean more than {words.legal_text(action)!r}; write one move, and nothing else, "
            f"in the line 'Move: <move>'. {words.listed(stated.text)}"
        )
    return action


def _only_move(words: Words, stated: Statement) -> int:
    """Return the move that the last line of an answer is, where nothing is stated."""
    action = words.whole_line(stated.text)
    if action is None or stated.is_list_item:
        is_what = "is in a list" if action is not None else "is no move"
        raise NotationError(
            f"the answer states no move: it holds no line 'Move: <move>', and its last line, {cut(stated.text)!r}, "
            f"{is_what}. {words.listed(stated.text)}"
        )
    if action not in words.legal.values():
        raise words.illegal(action)
    if another := words.other_move_among(stated.others, None):
        raise NotationError(
            f"the answer states no move: it holds no line 'Move: <move>', and {cut(another)!r} and "
            f"{cut(stated.text)!r} both are moves. {words.listed(stated.text)}"
        )
    return action


class Words:
    """What can be said in a position.

    Attributes:
        legal: from the text of each legal move to its action.
    """

    def __init__(self, game: Game, view: np.ndarray) -> None:
        self.game, self.view = game, view
        self.legal = {game.notation.action(game, view, action): action for action in game.legal(view).tolist()}

    @cached_property
    def _by_key(self) -> dict[str, list[int]]:
        """All actions by what is left of their texts when letters and spaces are forgiven."""
        actions: dict[str, list[int]] = {}
        for action in range(self.game.actions.size):
            actions.setdefault(key(self.game.notation.action(self.game, self.view, action)), []).append(action)
        return actions

    @cached_property
    def _no_form(self) -> str:
        """What the game says of a text that has not even the form of a move."""
        return self._fault("?").replace(repr("?"), "")

    def begins_with_move(self, text: str) -> bool:
        """Tell if a text begins with a move, legal or not, in full."""
        return any(self.whole_line(prefix) is not None for prefix, _ in prefixes(text))

    def leading_move(self, text: str, may_be_short: bool) -> tuple[int, str]:
        """Return the legal move that a text begins with, the longest one, and the rest of the text.

        Raises:
            NotationError: it begins with none, or with one that is not legal or may be several.
        """
        if text in self.legal:
            return self.legal[text], ""
        if may_be_short and (short := self._without_first_word(text)) is not None:
            return short, ""
        for prefix, rest in prefixes(text):
            meant = self._meant(prefix)
            allowed = [action for action in meant if action in self.legal.values()]
            if len(allowed) == 1:
                return allowed[0], rest
            if allowed:
                several = " or ".join(repr(self.legal_text(action)) for action in allowed)
                raise NotationError(f"{cut(prefix)!r} may mean {several}; write it as listed. {self.listed(prefix)}")
            if meant:
                raise self.illegal(meant[0])
            if fault := self._fault_of_form(prefix):
                raise NotationError(f"the move is not understood: {fault}. {self.listed(prefix)}")
        raise NotationError(f"the move is not understood: {self._fault(cut(text))}. {self.listed(text)}")

    def whole_line(self, line: str) -> int | None:
        """Return the action that a line is, legal or not, as it would be listed but for letters and spaces."""
        if (action := self._parsed(line)) is not None:
            return action
        actions = self._by_key.get(key(line), []) if len(line) <= MOST_SHOWN else []
        legal = [action for action in actions if action in self.legal.values()]
        return next(iter(legal or actions), None)

    def other_move_among(self, lines: list[str], action: int | None) -> str:
        """Return the first of some lines that is a move, and not the given one; else nothing."""
        return next((line for line in lines if self.whole_line(line) not in (None, action)), "")

    def names_another(self, text: str, action: int) -> bool:
        """Tell if a text holds another legal move, word by word."""
        said = f" {' '.join(WORD.findall(text)).casefold()} "
        return any(f" {move.casefold()} " in said for move, number in self.legal.items() if number != action)

    def legal_text(self, action: int) -> str:
        """Return how an action is written."""
        return self.game.notation.action(self.game, self.view, action)

    def illegal(self, action: int) -> NotationError:
        """Return the error for a move that is not legal: it says if none of its kind is."""
        text = self.legal_text(action)
        verb = text.partition(" ")[0]
        kinds = list(dict.fromkeys(move.partition(" ")[0] for move in self.legal))
        why = "" if verb in kinds else f": none with {verb!r} is, they begin with {', '.join(map(repr, kinds))}"
        return NotationError(f"{text!r} is understood, but it is not legal now{why}. {self.listed(text)}")

    def listed(self, text: str) -> str:
        """Name the legal moves, or those that look most like a text."""
        if len(self.legal) <= MOST_LISTED:
            return f"Legal moves: {', '.join(self.legal)}"
        some = list(self.legal)[:MOST_LISTED]
        near = difflib.get_close_matches(cut(text), self.legal, MOST_LISTED, cutoff=0.0) if text else some
        return f"{'Legal moves like it' if text else 'Some legal moves'}: {', '.join(near)}"

    def _meant(self, text: str) -> list[int]:
        """Return the actions that a text can mean: as it is written, else with other letters, spaces and fillers."""
        if (action := self.legal.get(text)) is not None or (action := self._parsed(text)) is not None:
            return [action]
        if len(text) > MOST_SHOWN:
            return []
        found = set(self._by_key.get(key(text), [])) or {
            action for spelling in spellings(text) if (action := self._parsed(spelling)) is not None
        }
        return sorted(found)

    def _without_first_word(self, text: str) -> int | None:
        """Return the only legal move that ends with a text, its first word left out.

        One letter or digit is too little to tell one kind of move from another.
        """
        if len(text) < 2 and len({move.partition(" ")[0] for move in self.legal}) > 1:
            return None
        if self._meant(text):
            return None
        short = key(text)
        ends = [action for move, action in self.legal.items() if short and key(move.partition(" ")[2]) == short]
        return ends[0] if len(ends) == 1 else None

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

    def _fault_of_form(self, text: str) -> str:
        """Return what is wrong with a text that has the form of a move, nothing if it has not."""
        if len(text) > MOST_SHOWN:
            return ""
        faults = {spelling: self._fault(spelling) for spelling in [text, *spellings(text)]}
        return next((f for spelling, f in faults.items() if f.replace(repr(spelling), "") != self._no_form), "")


def prefixes(text: str) -> list[tuple[str, str]]:
    """Return the beginnings of a text in whole words, the longest first, each with the rest of the text."""
    words = list(re.finditer(r"\S+", text))[:MOST_WORDS]
    return [(text[: word.end()].strip(" ,;:.!()[]|"), text[word.end() :]) for word in reversed(words)]


def spellings(text: str) -> list[str]:
    """Return a text without fillers, with each of its words in small letters, in capitals, and as it is."""
    words = [word for word in SQUARES_APART.sub("-", text).split() if word.casefold() not in FILLERS]
    if len(words) > MOST_WORDS - 1:
        return []
    return [" ".join(spelled) for spelled in product(*({word: 0, word.lower(): 0, word.upper(): 0} for word in words))]


def key(text: str) -> str:
    """Return what is left of a text when letters, spaces and fillers are forgiven."""
    words = SQUARES_APART.sub("-", unicodedata.normalize("NFKC", text)).casefold().split()
    return "".join(word for word in words if word not in FILLERS)


def cut(text: str) -> str:
    """Shorten a text for a message."""
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."

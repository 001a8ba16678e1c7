"""Confusion in words, for a player who has never heard of it: the rules, and what a seat can deduce."""

from __future__ import annotations

import numpy as np

from kgb_env.game import Game
from kgb_env.games.confusion.files import PROMOTED_SIDE
from kgb_env.games.confusion.notebook import notebook
from kgb_env.games.confusion.spec import (
    BEYOND,
    FULL_COLUMNS,
    HOME_ROWS,
    LETTERS,
    LONGEST,
    MOST_IN_A_ROW,
    PLACE,
    RED,
    SEATS,
    SETUP_ROWS,
    WHITE,
    cell_name,
)
from kgb_env.games.confusion.text import SIDES, TOKEN_NAMES, piece_name, pieces_of


def rules(game: Game) -> str:
    """Return the rules in short, with what the options change."""
    sections = {
        "Goal": _goal(game),
        "What is hidden": _secrets(game),
        "A turn": _turn(game),
        "The briefcase": _briefcase(game),
        "Before the proposal": _extras(game),
        "Promotion": _promotion(game),
        "End": _end(game),
        "The movement pieces": _pieces(game),
        "How it is written": _notation(game),
    }
    return "\n\n".join("\n".join([f"{name}:", *(f"- {line}" for line in lines)]) for name, lines in sections.items())


def longest_distance(game: Game) -> int:
    """Return the longest distance that can be proposed (C16)."""
    is_used = (game.tables[0].path != BEYOND).any(axis=(0, 1, 2))
    return int(np.flatnonzero(is_used)[-1]) + 1 if is_used.any() else LONGEST


def first_row(game: Game, seat: int) -> int:
    """Return the number of a seat's first row."""
    return 1 if seat == WHITE else int(game.tables[0].rows)


def _goal(game: Game) -> list[str]:
    t = game.tables[0]
    lines = [
        f"Two seats: seat {WHITE} is {SIDES[WHITE]} and begins, seat {RED} is {SIDES[RED]}. The board has {t.columns} "
        f"columns (from a) and {t.rows} rows (from 1).",
        f"Each side has {t.spies} spies, named by letters: {' '.join(LETTERS[: t.spies])}. The same letter of the "
        "other side is another spy.",
        f"A briefcase lies on {cell_name(int(t.briefcase))} at the start. You win if one of your spies controls it on "
        f"the opponent's first row: White on row {first_row(game, RED)}, Red on row {first_row(game, WHITE)}.",
    ]
    if game.options["tight_setup"]:
        lines.append("The outermost column on each side is out of play: nobody can go there.")
    if game.options["safe_extraction"]:
        lines.append("It must still be controlled by you on that row when your next turn begins: only then do you win.")
    if game.options["variable_setup"]:
        lines.append(
            f"Before the first turn White, then Red, places its spies in alphabetical order on free squares of its own "
            f"first {SETUP_ROWS} rows, at most {MOST_IN_A_ROW} in a row, so that at least {FULL_COLUMNS} columns "
            "have two of them."
        )
    return lines


def _secrets(game: Game) -> list[str]:
    lines = [
        "Each spy has a movement piece, dealt at random, each piece once a side. You see the pieces of your "
        "opponent's spies and none of your own; the opponent sees yours. All else both see.",
    ]
    if game.options["honor_among_spies"]:
        lines.append("There is no Double Agent: all answers are true.")
    else:
        lines.append(
            "One of the pieces of each side is the Double Agent. That spy works for the opponent: whether it may move "
            "is for the opponent to say, yes or no, each time anew. So no answer rules the Double Agent out; a yes "
            "rules out all other pieces that do not allow the move, a no all that do."
        )
    return lines


def _turn(game: Game) -> list[str]:
    longest, is_honest = longest_distance(game), bool(game.options["honor_among_spies"])
    truth = f"{'The answer' if is_honest else 'For every piece but a Double Agent the answer'} must be true."
    lines = [
        f"The seat whose turn it is proposes a move: one of its own spies, one of eight straight directions, 1 to "
        f"{longest} squares. The way must be free of spies and of the briefcase, and it must not end on an own spy; "
        "it may end on an enemy or on the briefcase.",
        "The opponent, who sees the piece, answers. Yes: the piece allows that direction and at least that distance. "
        f"No: it does not. {truth}",
        "After a yes the spy moves, and an enemy on the square is captured, without its piece being shown. After a no "
        "it stays. Either way the turn is over" + (", but for Move 2 (below)." if _has_token(game, "move") else "."),
        "A seat that has spies but no possible proposal skips its turn.",
    ]
    if game.options["auto_answer"]:
        asked = "you are never asked" if is_honest else "you are asked only about the opponent's Double Agent"
        lines.append(f"True answers are given for you; {asked}.")
    return lines


def _briefcase(game: Game) -> list[str]:
    return [
        "A spy that lands on the briefcase controls it. Whoever captures the controlling spy controls it next.",
        "The controlling spy may be proposed to move and carry the briefcase, to move and leave it behind, or to stay "
        "and pass it on: as far as it could move itself, by a way that is free of spies, onto an empty square, where "
        "nobody controls it, or onto an own spy or an enemy, who then controls it. All of this is answered by the "
        "opponent like any proposal.",
    ]


def _extras(game: Game) -> list[str]:
    lines = []
    if not game.options["honor_among_spies"]:
        lines.append(
            "Once a turn, before proposing and besides it, you may remove one of your own spies for good (for instance "
            "one that you take for the Double Agent), without seeing its piece; or remove the opponent's Double Agent, "
            "which is then shown to him. A briefcase that it controlled stays where it is."
        )
    tokens = game.options["special_actions"]
    if any(tokens):
        names = dict(zip(("reveal", "move", "swap"), TOKEN_NAMES, strict=True))
        has = [", ".join(names[token] for token in seat) or "none" for seat in tokens]
        lines += [
            f"Tokens, each for one use, at most one a turn, before proposing, in a turn without a removal. White has "
            f"at the start: {has[WHITE]}; Red: {has[RED]}.",
            "Reveal 1: you are shown the piece of one of your spies, on the board or not, and the opponent hears which "
            "spy it is; it may not be proposed in this turn.",
            f"Move 2: two proposals in this turn, by two different spies that stand on your own first {HOME_ROWS} rows "
            "and do not control the briefcase. A no to the first ends that proposal only; the second lapses if none "
            "is legal.",
            "Swap 2: two such spies change places; then you propose another one (one of the two only if you have no "
            "other).",
        ]
    return lines or ["Nothing: a turn is a proposal."]


def _promotion(game: Game) -> list[str]:
    side = f"{PROMOTED_SIDE.distance} squares in all eight directions"
    if not game.options["promotion_sir"]:
        if not any(piece.is_promotable for piece in pieces_of(game)):
            return ["No piece of this set can be promoted."]
        return [
            f"A promotable piece that ends a move on the opponent's first row is promoted: it moves up to {side} from "
            "then on. That is announced, and so is that a piece there is not promoted."
        ]
    if game.options["honor_among_spies"]:
        return [f"Every spy that comes onto the opponent's first row is promoted: up to {side} from then on."]
    return [
        "Whenever a spy that is not promoted moves onto the opponent's first row from another row, and the game is not "
        f"won by that, its owner is asked whether to promote it: up to {side} from then on. Every piece but the Double "
        "Agent can be promoted. If it is the Double Agent, a yes uncovers and removes it, and a briefcase that it "
        "controlled lies on its square; then the opponent may take the briefcase, wherever it is, for his "
        "alphabetically first spy, or decline."
    ]


def _end(game: Game) -> list[str]:
    any_spy = "any spy" if game.options["honor_among_spies"] else "any spy, the Double Agent too,"
    wins = (
        f"A seat wins once {any_spy} of its own controls the briefcase on the opponent's first row, however it came to "
        "that, in either seat's turn."
    )
    if game.options["safe_extraction"]:
        wins = (
            f"A seat wins when its turn begins and {any_spy} of its own controls the briefcase on the opponent's first "
            "row. That comes before the limit of turns."
        )
    return [
        wins,
        "A seat whose last spy is gone has lost.",
        f"After {game.options['max_turns']} turns a seat the game is a draw.",
        "The winner gets +1, the loser -1, a draw is 0.",
    ]


def _pieces(game: Game) -> list[str]:
    directions = (
        "Directions: F is forward (away from one's own first row: up for White, down in rows for Red), B back, L left "
        "and R right as the owner sees the board, FL, FR, BL, BR diagonally. The number is the longest distance; "
        "shorter ones are allowed too."
    )
    named = [f"{number + 1}: {piece_name(game, number)}" for number in range(len(pieces_of(game)))]
    double_agent = [] if game.options["honor_among_spies"] else ["DA: Double Agent (as the opponent says)"]
    return [directions, "; ".join([*named, *double_agent])]


def _has_token(game: Game, token: str) -> bool:
    return any(token in seat for seat in game.options["special_actions"])


def _notation(game: Game) -> list[str]:
    options = game.options
    lines = [
        "On the drawing White's spies are capital letters, Red's small ones, `.` an empty square, `*` the briefcase. "
        "In moves the letter of a spy is always a capital, squares are small.",
        "`D f2-f4`: spy D is to go from f2 to f4; `D f2xf4`: onto an enemy; `D f2-f4 leave`: leaving the briefcase "
        "behind; `pass f4-h6`: the spy on f4 stays and passes the briefcase on to h6.",
        "`answer yes`, `answer no`; `skip`: no proposal is possible. Where it is told what has happened, the answer "
        "stands behind the proposal. `one of` in the table lists what was said of that spy alone; what follows from "
        "all spies together is told below it, and that is exact.",
    ]
    if not options["honor_among_spies"]:
        lines.append("`out D`: remove the own spy D; `expose`: remove the opponent's Double Agent.")
    extra = {"reveal": "`reveal D`: Reveal 1", "move": "`move two`: Move 2", "swap": "`swap D H`: Swap 2"}
    if has := [text for token, text in extra.items() if _has_token(game, token)]:
        lines.append(f"Tokens: {'; '.join(has)}.")
    if options["variable_setup"]:
        lines.append("`place D c2`: put spy D, whose turn it is, on c2.")
    if options["promotion_sir"] and not options["honor_among_spies"]:
        lines.append("`promote yes`, `promote no`; `take` the briefcase, or `decline`.")
    return lines


def knowledge(game: Game, view: np.ndarray) -> list[str]:
    """Say which way the viewer goes, and what both sides can deduce about their own spies, exactly (C13)."""
    s, me = view[0], int(view["viewer"][0])
    lines = [
        f"- You are {SIDES[me]}. Forward is from row {first_row(game, me)} to row {first_row(game, 1 - me)}; you win "
        f"with the briefcase on row {first_row(game, 1 - me)}, the opponent on row {first_row(game, me)}.",
    ]
    if s.phase != PLACE:
        controller = int(s.board[s.briefcase])
        where = f"- The briefcase is on {cell_name(int(s.briefcase))}, "
        lines.append(where + (_controller_text(controller) if controller else "and nobody controls it."))
    for seat in (me, 1 - me):
        lines += _notes(game, view, seat)
    return lines


def _controller_text(occupant: int) -> str:
    seat, spy = divmod(occupant - 1, len(LETTERS))
    assert seat < SEATS
    return f"controlled by {SIDES[seat]}'s spy {LETTERS[spy]}."


def _notes(game: Game, view: np.ndarray, seat: int) -> list[str]:
    """Write the notebook on one side's spies: which pieces each can have, by all answers, promotions and reveals."""
    notes, is_mine = notebook(game, view, seat), seat == view["viewer"][0]
    numbers = ["DA" if name == "Double Agent" else str(n) for n, name in enumerate(notes.pieces, start=1)]
    alike: dict[str, list[str]] = {}
    for letter, counts in zip(notes.letters, notes.counts.tolist(), strict=True):
        shares = [
            f"{number} ({100 * count / notes.deals:.0f} %)" if is_mine else number
            for number, count in zip(numbers, counts, strict=True)
            if count
        ]
        alike.setdefault(", ".join(shares), []).append(letter)
    if is_mine:
        head = (
            "- What each of your own spies can be, exactly, by everything that was said of all of them and since each "
            "piece is dealt once (the table lists more: it looks at each spy alone), with its share of the possible "
            f"deals ({notes.deals:,}):"
        )
    else:
        head = "- What your opponent can deduce in the same way about his own spies, which you see:"
    return [head, *(f"  - {' '.join(letters)}: {shares}" for shares, letters in alike.items())]

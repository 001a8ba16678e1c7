"""A person plays in the terminal: what is drawn, what is asked, and what may be answered.

Only reading is done in the main thread, all else aside, so that Ctrl-C is heard at any time: everything may have to
be compiled first, and agents may think long.
"""

from __future__ import annotations

import difflib
import signal
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path

import typer

from agents import Agent
from kgb_env import Game, IllegalActionError, NotationError, ReplayError

from ..aside import aside
from ..command import stop_once
from ..match import MatchError
from ..outside import let_go
from . import words
from .moves import Move, grouped, legal_moves
from .session import Session, save_game

LONGEST_GROUP = 60  # moves of one verb that are listed one by one
EXAMPLES = 6  # of a longer group
MOST_FOUND = 200  # moves that hold what is looked for
WIDTH = 96  # of a line of moves
HELP = (
    "Write a move, its number in this list, or its beginning; rules, known (what you can tell), log, draw, "
    "quit (the game is saved), ? for this list, ? and some letters (? {part}) for the moves that hold them."
)


class TerminalPlayer:
    """A game of one person against agents, line by line.

    Args:
        session: the game; all seats but one have agents.
        seat: the person's.
        read: called with a prompt, it returns a line, or raises EOFError.
    """

    def __init__(self, session: Session, seat: int, read: Callable[[str], str] = input) -> None:
        self.session, self.seat, self._read = session, seat, read
        self._told: list[str] = []  # lines of the log that have been printed
        self._numbered: list[Move] = []  # the moves of the last list

    def run(self) -> None:
        """Play until the game is over, or the person leaves.

        Raises:
            MatchError: an agent has failed.
        """
        while True:
            aside(self._go_on)
            if self.session.is_over:
                return
            if not self._turn():
                typer.echo("You leave the game.")
                return

    def _go_on(self) -> None:
        """Let agents play, and tell what has happened."""
        self._let_agents_play()
        self._tell_news()
        if self.session.is_over:
            self._tell_end()

    def _let_agents_play(self) -> None:
        session = self.session
        seat = session.mover
        try:
            while (question := session.question()) is not None:
                seat = question.seat
                session.play(session.think(question))
        except Exception as error:
            raise MatchError(f"{session.labels[seat or 0]!r} failed in seat {seat}: {error}") from error

    def _turn(self) -> bool:
        """Ask for a move until there is a legal one; return False if the person leaves."""
        moves = aside(self._begin_turn)
        while True:
            try:
                line = self._read(f"Seat {self.seat}, your move (? for help): ").strip()
            except (EOFError, KeyboardInterrupt):
                typer.echo()
                return False
            if line == "quit":
                return False
            if aside(self._answer, line, moves):
                return True

    def _begin_turn(self) -> list[Move]:
        """Show the table, and return the legal moves."""
        view = self.session.view(self.seat)
        self._numbered = []
        moves = legal_moves(self.session.game, view)
        if len(moves) == 1:
            typer.echo(words.due(self.session.game, view))
            typer.echo(f"You can only {moves[0].text!r}; press Enter.")
        else:
            self._draw()
        return moves

    def _answer(self, line: str, moves: Sequence[Move]) -> bool:
        """Do what a line says; return True if it was a legal move."""
        commands: dict[str, Callable[[], None]] = {
            "?": lambda: self._list(moves),
            "help": lambda: self._list(moves),
            "rules": self._tell_rules,
            "known": self._tell_known,
            "log": self._tell_all,
            "draw": self._draw,
        }
        if line in commands:
            commands[line]()
        elif line.startswith("?"):
            self._find(line[1:], moves)
        elif line or len(moves) == 1:
            try:
                self.session.move(self.seat, self._text_of(line) if line else moves[0].text, may_shorten=True)
                return True
            except (NotationError, IllegalActionError) as error:
                typer.echo(f"{error}{_hint(line, moves)}")
        return False

    def _text_of(self, line: str) -> str:
        """Return the move that a number stands for."""
        if not (line.isascii() and line.isdecimal()):
            return line
        if not 1 <= int(line) <= len(self._numbered):
            raise NotationError(f"there is no move {line} in a list on the screen; ? prints one")
        return self._numbered[int(line) - 1].text

    # What is printed

    def _draw(self) -> None:
        game = self.session.game
        view = self.session.view(self.seat)
        typer.echo(f"\n{game.notation.draw(game, view)}\n{words.due(game, view)}")

    def _tell_rules(self) -> None:
        typer.echo(words.rules(self.session.game) or "This game does not tell its rules.")

    def _tell_known(self) -> None:
        view = self.session.view(self.seat)
        typer.echo("\n".join([words.who(self.session.game, view), *words.known(self.session.game, view)]))

    def _log(self) -> list[str]:
        game = self.session.game
        return game.notation.log(game, self.session.view(self.seat))

    def _tell_all(self) -> None:
        self._told = self._log()
        typer.echo("\n".join(self._told) or "Nothing has happened yet.")

    def _tell_news(self) -> None:
        """Print the lines of the log that are new, or have changed since they were printed."""
        lines = self._log()
        known = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self._told, lines, strict=False)))
        if lines[known:]:
            typer.echo("\n" + "\n".join(f"  {line}" for line in lines[known:]))
        self._told = lines

    def _list(self, moves: Sequence[Move]) -> None:
        """Print the legal moves by their verbs; those of short groups get numbers."""
        self._numbered = []
        for verb, group in grouped(moves).items():
            if len(group) > LONGEST_GROUP:
                some = ", ".join(move.text for move in group[:: len(group) // EXAMPLES][:EXAMPLES])
                typer.echo(f"{verb}: {len(group):,} moves, such as {some}; ? and some letters finds others")
                continue
            self._number(group)
        typer.echo(HELP.format(part=_beginning(moves)))

    def _find(self, part: str, moves: Sequence[Move]) -> None:
        """Print the legal moves that hold some letters, with numbers."""
        part = " ".join(part.split())
        found = [move for move in moves if part.casefold() in move.text.casefold()]
        if not found:
            typer.echo(f"No move holds {part!r}; ? lists what there is.")
            return
        self._numbered = []
        self._number(found[:MOST_FOUND])
        if found[MOST_FOUND:]:
            typer.echo(f"and {len(found) - MOST_FOUND:,} more that hold {part!r}; write more of what you look for.")

    def _number(self, moves: Sequence[Move]) -> None:
        """Print moves with the numbers by which they can be chosen, after those that have some."""
        first = len(self._numbered) + 1
        self._numbered += moves
        typer.echo(_in_lines([f"{n} {move.text}" for n, move in enumerate(moves, first)]))

    def _tell_end(self) -> None:
        game, states = self.session.game, self.session.recording.states
        outcome = game.outcome(states)
        assert outcome is not None
        typer.echo(f"\nThe game is over ({outcome.reason}). How it was:\n\n{game.notation.draw(game, states)}")
        for seat, (label, got) in enumerate(zip(self.session.labels, outcome.returns, strict=True)):
            won = ", has won" if seat in outcome.winners else ""
            typer.echo(f"seat {seat}  {label}{' (you)' if seat == self.seat else ''}: {got:+g}{won}")


def _in_lines(parts: Sequence[str]) -> str:
    """Return texts side by side, in columns of equal width."""
    column = max(map(len, parts)) + 2
    a_line = max(1, WIDTH // column)
    lines = [parts[start : start + a_line] for start in range(0, len(parts), a_line)]
    return "\n".join("".join(part.ljust(column) for part in line).rstrip() for line in lines)


def _beginning(moves: Sequence[Move]) -> str:
    """Return how moves of the longest group begin, as an example of what to look for."""
    move = max(grouped(moves).values(), key=len)[0]
    return f"{move.verb} {move.rest[:1]}".strip()


def _hint(line: str, moves: Sequence[Move]) -> str:
    near = difflib.get_close_matches(line, [move.text for move in moves], n=3)
    return f"\nDid you mean {' or '.join(map(repr, near))}?" if near else ""


def play_in_terminal(game: Game, players: Sequence[Agent | None], labels: Sequence[str], seed: int, path: Path) -> None:
    """Let the person in the one seat without an agent play, and add the game to a file, however it ends."""
    seat = list(players).index(None)
    before = signal.signal(signal.SIGINT, stop_once)
    try:
        session = aside(Session, game, players, labels, seed)
        _play(session, seat, path)
    finally:
        let_go(players)
        signal.signal(signal.SIGINT, before)


def _play(session: Session, seat: int, path: Path) -> None:
    """Say who plays, let them play, and save the game."""
    others = ", ".join(f"seat {k} {label}" for k, label in enumerate(session.labels) if k != seat)
    typer.echo(f"{session.game.title}: you have seat {seat}, {others}. Seed {session.seed}.")
    who = aside(lambda: words.who(session.game, session.view(seat)))
    typer.echo(f"{who} Write rules for the rules of the game, ? for what you may do.")
    try:
        TerminalPlayer(session, seat).run()
    finally:
        if session.has_begun:
            _save(session, path)


def _save(session: Session, path: Path) -> None:
    try:
        save_game(session, path)
    except ReplayError:
        typer.echo(session.replay().to_json())  # at least it is on the screen
        raise
    typer.echo(f"The game is written in {path}.")

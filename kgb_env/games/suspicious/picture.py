"""Suspicious as a picture: the table with everybody's slates, the card in the middle, earlier rounds below."""

from __future__ import annotations

import re
from functools import cache
from math import cos, pi, sin

import numpy as np

from kgb_env.game import Game
from kgb_env.games.suspicious.drawing import status
from kgb_env.games.suspicious.log import is_finished, result, seat_text, word_text
from kgb_env.games.suspicious.spec import CLUES, NONE, QUIET
from kgb_env.games.suspicious.text import teller
from kgb_env.record import UNKNOWN
from kgb_env.render.picture import Picture, seen_by
from kgb_env.render.svg import PALETTE, PLAIN, chip, cut, element, fitting, group, seat_token, text

WIDTH, TABLE = 840, 640  # of the picture, and how far the table reaches down
CENTRE = (WIDTH // 2, 345)
AROUND = (312, 232)  # half the axes of the ring on which the slates lie
SLATE = (184, 124)
CARD = (244, 150)
LINE, COLUMN = 17, 400  # of an earlier round
ROLES = {"spy": (PALETTE.bad, "#ffffff"), "agent": ("#cfe3ef", PALETTE.ink), "Director": (PALETTE.gold, PALETTE.ink)}


def picture(game: Game, records: np.ndarray) -> Picture:
    """Draw what the viewer knows of the round that is played, his slate at the bottom, and of those before it."""
    s, due = records[0], status(game, records)
    layers = (
        _table(game),
        *(_slate(game, s, seat) for seat in range(game.seats)),
        _card(game, s),
        text(24, 30, due, fitting(due, 17, WIDTH - 48), font_weight="bold"),
        _earlier(game, s),
    )
    below = TABLE + 36 + LINE * -(-int(s.rounds) // 2) if s.rounds > 1 or s.over else TABLE
    return Picture(WIDTH, below, layers, f"Suspicious {seen_by(s)}")


@cache
def _table(game: Game) -> str:
    """Return the table."""
    x, y = CENTRE
    return element("ellipse", cx=x, cy=y, rx=AROUND[0] - 10, ry=AROUND[1] - 14, fill="#e9dcc3", stroke=PALETTE.line)


def _middle(game: Game, s: np.record, seat: int) -> tuple[int, int]:
    """Return the middle of a seat's slate; the next on the left follows clockwise."""
    angle = 2 * pi * (seat - max(0, int(s.viewer))) / game.seats + pi / 2
    return round(CENTRE[0] + AROUND[0] * cos(angle)), round(CENTRE[1] + AROUND[1] * sin(angle))


def _role(game: Game, s: np.record, seat: int) -> str:
    """Return what a seat is known to be in this round, or nothing."""
    if (int(s.first) + int(s.now)) % game.seats == seat and s.first >= 0:
        return "Director"
    if s.spy[s.now] == seat:
        return "spy"
    is_known = s.spy[s.now] not in (UNKNOWN, NONE)
    return "agent" if is_known else ""


def _slate(game: Game, s: np.record, seat: int) -> str:
    """Return a seat's slate: what it is, has written and said, and for whom it has voted."""
    (x, y), (width, height), now = _middle(game, s, seat), SLATE, int(s.now)
    is_next, is_stopped = seat == s.to_move, s.stopped[now] == seat
    frame = PALETTE.bad if is_stopped else PALETTE.good if is_next else PALETTE.line
    role = _role(game, s, seat)
    parts = [
        element(
            "rect",
            width=width,
            height=height,
            rx=9,
            fill="#ffffff",
            stroke=frame,
            stroke_width=3 if is_next or is_stopped else 1.5,
        ),
        seat_token(18, 18, seat, 11),
        chip(34, 10, role, 58, *ROLES[role]) if role else chip(34, 10, "?", 58, PALETTE.back, "#ffffff"),
        text(width - 9, 23, f"{int(s.points[seat])} pt", 13, text_anchor="end", font_weight="bold"),
    ]
    if seat == s.viewer and not s.is_oracle:
        parts.append(text(97, 22, "you", 11, fill=PALETTE.faint))
    if s.keyword[now, seat] >= 0:
        parts.append(_labelled(game, 44, "keyword", int(s.keyword[now, seat])))
    for clue in range(CLUES):
        if s.clue[now, clue, seat] != NONE:
            parts.append(_labelled(game, 62 + 18 * clue, f"clue {clue + 1}", int(s.clue[now, clue, seat])))
    parts.append(_said(s, seat))
    return group(*parts, transform=f"translate({x - width // 2} {y - height // 2})", data_mark=f"seat {seat}")


def _labelled(game: Game, y: int, label: str, word: int) -> str:
    """Return a word on a slate, or a covered place for a word that the viewer may not read yet."""
    name = text(10, y, label, 11, fill=PALETTE.faint)
    if word == UNKNOWN:
        return name + element("rect", x=66, y=y - 11, width=108, height=14, rx=3, fill=PALETTE.back)
    written = word_text(game, word)
    return name + text(66, y, written, fitting(written, 14, SLATE[0] - 74), font_weight="bold")


def _said(s: np.record, seat: int) -> str:
    """Return whom a seat has accused, and for whom it has voted, as their tokens."""
    now, parts, x = int(s.now), [], 10
    said = [int(at) for at in s.accused[now, : int(s.debate_rounds), seat] if at != NONE]
    y = SLATE[1] - 16
    if said:
        parts.append(text(x, y + 4, "says", 11, fill=PALETTE.faint))
        x += 42
    for at in said:
        if at == QUIET:
            parts.append(text(x, y + 4, "–", 13, text_anchor="middle"))
        else:
            parts.append(seat_token(x, y, at, 8))
        x += 20
    if s.vote[now, seat] != NONE:
        parts.append(text(114, y + 4, "votes", 11, fill=PALETTE.faint))
        voted = int(s.vote[now, seat])
        parts.append(
            seat_token(158, y, voted, 9) if voted >= 0 else element("circle", cx=158, cy=y, r=9, fill=PALETTE.back)
        )
    return "".join(parts)


def _card(game: Game, s: np.record) -> str:
    """Return the card with the two keywords, as far as they are known, and the Director's link."""
    (width, height), now = CARD, int(s.now)
    card = seat_text(s.card[now])
    parts = [
        element("rect", width=width, height=height, rx=12, fill=PALETTE.paper, stroke=PALETTE.wall, stroke_width=1.5),
        text(
            width / 2,
            26,
            f"Round {now + 1} of {int(s.rounds)}{f', card {card}' if card not in ('', '?') else ''}",
            13,
            text_anchor="middle",
        ),
    ]
    for n, (label, word) in enumerate((("agents", s.agents_word[now]), ("spy", s.spy_word[now]))):
        y = 44 + 28 * n
        parts.append(text(16, y + 14, label, 12, fill=PALETTE.faint))
        if word == UNKNOWN:
            parts.append(element("rect", x=76, y=y, width=width - 92, height=20, rx=4, fill=PALETTE.back))
        else:
            written = word_text(game, word)
            parts.append(text(76, y + 15, written, fitting(written, 15, width - 90), font_weight="bold"))
    link = word_text(game, s.link[now])
    if link:
        parts.append(text(16, 124, "link", 12, fill=PALETTE.faint))
        parts.append(text(76, 127, link, fitting(link, 22, width - 90), font_weight="bold", fill=PALETTE.good))
    x, y = CENTRE
    return group(*parts, transform=f"translate({x - width // 2} {y - height // 2})", pointer_events="none")


def _earlier(game: Game, s: np.record) -> str:
    """Return what happened in the rounds that are over, in two columns."""
    over = [number for number in range(int(s.now) + 1) if is_finished(s, number)]
    lines = -(-int(s.rounds) // 2)
    drawn = []
    for number in over:
        column, line = divmod(number, lines)
        words = f"{word_text(game, s.agents_word[number])} / {word_text(game, s.spy_word[number])}"
        end = ", ".join(text.strip() for text in result(game, s, number))
        told = cut(f"{number + 1}: {words}, spy {seat_text(s.spy[number])}; {_short(end)}", COLUMN - 12, PLAIN)
        size = fitting(told, 11, COLUMN - 12, PLAIN)
        drawn.append(text(24 + column * COLUMN, TABLE + 30 + LINE * line, told, size))
    if drawn:
        drawn.append(text(24, TABLE + 12, "Rounds so far", 13, font_weight="bold"))
    return "".join(drawn)


def _short(end: str) -> str:
    """Return the end of a round in a few words, the guess last: where there is no room it may be cut."""
    end = re.sub(r"guess (\w+), (\w+)", r"\2 guesses \1", end)
    return end.replace("stopped: seat ", "stopped ").replace(", the spy escapes", "").replace("the spy", "spy")


def marks(game: Game, view: np.ndarray, action: int) -> tuple[str, ...]:
    """Return what one points at to name, accuse or vote for a seat: its slate."""
    kind, (number,) = game.actions.where(action)
    return (f"seat {(teller(view) + 1 + number) % game.seats}",) if kind == "seat" else ()

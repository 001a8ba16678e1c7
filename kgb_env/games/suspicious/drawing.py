"""Suspicious drawn as text: the slates of the round and the scoreboard."""

from __future__ import annotations

import numpy as np

from kgb_env.game import Game
from kgb_env.games.suspicious.log import seat_text, speakers, word_text
from kgb_env.games.suspicious.spec import (
    CLUE_1,
    CLUE_2,
    CLUES,
    DEBATE,
    GUESS,
    LINK,
    NAME,
    NONE,
    VOTE,
)
from kgb_env.record import ILLEGAL, UNKNOWN

DOES = {
    NAME: "is to name the spy",
    LINK: "is to say the link",
    CLUE_1: "writes clue 1",
    CLUE_2: "writes clue 2",
    DEBATE: "has the word",
    VOTE: "votes",
    GUESS: "is the spy, stopped, and is to guess the agents' keyword",
}
GAP = "  "


def draw(game: Game, records: np.ndarray) -> str:
    """Draw what the viewer knows of the round: who wrote, said and voted what."""
    s = records[0]
    now, order = int(s.now), speakers(s, int(s.now), game.seats)
    seats = [(order[0] - 1) % game.seats, *order]  # from the Director to the left
    head = ["seat", "points", "keyword", "clue 1", "clue 2", *["accuses"] * int(s.debate_rounds), "votes for", ""]
    rows = [head, *(_slate(game, s, now, seat) for seat in seats)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = [status(game, records), "", *_deal(game, s, now), ""]
    lines += [GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def status(game: Game, records: np.ndarray) -> str:
    """Say which round it is and what is due."""
    s = records[0]
    if s.over:
        ending = game.ending(int(s.reason))
        if s.reason == ILLEGAL:
            return f"The game was ended by an {ending.name}."
        best = np.flatnonzero(s.returns[: game.seats] == s.returns[: game.seats].max())
        return f"The game is over: {ending.name}. Most points: seat {', seat '.join(map(str, best))}."
    if s.to_move < 0:
        return f"Round {s.now + 1} of {s.rounds}: the deal is being drawn."
    return f"Round {s.now + 1} of {s.rounds}: seat {s.to_move} {DOES[int(s.phase)]}."


def _deal(game: Game, s: np.record, now: int) -> list[str]:
    """Describe card, keywords and link."""
    words = [word_text(game, word) or "-" for word in (s.agents_word[now], s.spy_word[now], s.link[now])]
    card = seat_text(s.card[now]) or "-"
    return [f"card {card}{GAP}agents {words[0]}{GAP}spy {words[1]}{GAP}link {words[2]}"]


def _slate(game: Game, s: np.record, now: int, seat: int) -> list[str]:
    """Return the cells of a seat's line."""
    is_director = (int(s.first) + now) % game.seats == seat
    cells = [word_text(game, word) for word in (s.keyword[now, seat], *s.clue[now, :CLUES, seat])]
    said = [seat_text(s.accused[now, lap, seat]) for lap in range(int(s.debate_rounds))]
    known = "Director" if is_director else "" if s.spy[now] in (UNKNOWN, NONE) else "agent"
    role = "spy" if s.spy[now] == seat else known
    notes = [role, "stopped" if s.stopped[now] == seat else "", "you" if s.viewer == seat else ""]
    return [str(seat), str(s.points[seat]), *cells, *said, seat_text(s.vote[now, seat]), ", ".join(filter(None, notes))]

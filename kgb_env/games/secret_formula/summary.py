"""The Secret Formula in words, for a player who has never heard of it: the rules, and what a seat can tell."""

from __future__ import annotations

import numpy as np

from kgb_env.camp.summary import distances_in_words, gates_in_words, how_to_read_the_map, sectors_in_words
from kgb_env.camp.tables import FAR
from kgb_env.game import Game
from kgb_env.games.secret_formula.boards import camp_of, names_of
from kgb_env.games.secret_formula.legality import has_something, steps_to
from kgb_env.games.secret_formula.spec import (
    AWAKE,
    DOWN,
    ESCAPE,
    ESCAPED,
    FALSE,
    FORMULA,
    GATE,
    HIT,
    MOVE,
    NOWHERE,
    RETURN,
    WOKEN,
)
from kgb_env.prompt import grouped_choices

STATUS = {
    DOWN: "is knocked out; its next turn is missed",
    WOKEN: "has missed its last turn and moves in its next one",
    ESCAPED: "has missed its last turn, and has escaped from the guard since",
}


IN_ITS_TURN = "has missed its last turn, and has its turn now"


def rules(game: Game) -> str:
    """Return the rules in short, with what the options change."""
    sections = {
        "Goal": _goal(game),
        "What is hidden": _secrets(),
        "A turn": _turn(),
        "Rivals": _rivals(game),
        "The guard": _guard(game),
        "End and rewards": _end(game),
        "The camp": _camp(game),
        "How it is written": _notation(game),
    }
    return "\n\n".join("\n".join([f"{name}:", *(f"- {line}" for line in lines)]) for name, lines in sections.items())


def _goal(game: Game) -> list[str]:
    envelopes = len(names_of(game).envelopes)
    return [
        f"{game.seats} seats search a guarded camp. {envelopes} envelopes lie in it, and one of them, drawn at random, "
        "holds the formula. Whoever leaves the camp with that envelope through a gate wins.",
        "At the start each seat, the first one drawn, chooses a gate that nobody has chosen and stands outside it.",
    ]


def _secrets() -> list[str]:
    return [
        "Where every envelope lies, and who carries which, everybody sees. What is in it is known to those only who "
        "hold it or have ever held it, and to whoever has held all others.",
    ]


def _turn() -> list[str]:
    return [
        "The first seat is drawn; then turns go round by increasing number, after the last seat comes seat 0. A round "
        "is one turn of each seat, missed ones included, and begins before that of the first seat.",
        "Two dice are thrown; their sum is your count of steps. You name where to go, one goal after another:",
        "A cell with envelopes or rivals within the count: you walk there by the shortest way, take and examine all "
        "envelopes there, knock out all rivals there, and go on with the rest of the count. Your own cell is two "
        "steps away.",
        "Any other cell: a walk of exactly the rest must lead there (back and forth is allowed, so the distance must "
        "be even or odd like the rest), and it ends your move.",
        "Walking past something does nothing. From outside a gate the first step leads onto the gate's cell. A rest "
        "with which nothing can be named lapses.",
        "If you carry the formula, you may leave through a gate whose outside, one step beyond its cell, is within the "
        "count: you win. Without the formula nobody leaves.",
    ]


def _rivals(game: Game) -> list[str]:
    lines = [
        "Who is knocked out gives all envelopes to the attacker, stays where it is, and misses its next turn. Until "
        "then it can be robbed again, but misses no second turn for it.",
        "A seat that missed its last turn may, before it throws, hit all rivals on its own cell that are not knocked "
        "out, or wait.",
        "Nobody outside the camp can be attacked.",
    ]
    if game.options["mercy"]:
        lines.append("Mercy: nobody is knocked out or robbed between waking up and moving again.")
    return lines


def _guard(game: Game) -> list[str]:
    camp, codes = camp_of(game), names_of(game).sectors
    spirals = [sector.code for sector in camp.sectors if sector.is_spiral]
    unless = f", or if it is in {' or '.join(spirals)}" if spirals else ""
    return [
        "The guard is in one sector. At the start of each round but the first, before the first seat's turn even if "
        "that is missed, he goes on to the next one of his tour: "
        f"{' > '.join(codes[number] for number in camp.route)}, and again from the beginning.",
        "Alarm: a double thrown for a move by a seat that stands in a sector is no move. The guard comes into that "
        "sector at once, and goes on from there later; the turn is over. Any other double is an ordinary throw.",
        "Whoever is in the sector that the guard enters throws to escape. If a way to a door, round the guard, is "
        "within the throw, it may go (as in a move, but so that it ends outside) or stay and be captured. If not, or "
        f"if it is knocked out or stands on the guard's own cell{unless}, it is captured. Once out, the sector is "
        "closed to it like to all.",
        "They throw one after the other, from the seat whose turn it is or is about to begin, and each capture is "
        "carried out at once: who escapes later may take what was left. Whoever an escaping rival knocks out in the "
        "sector is captured when its throw would come.",
        "Captured: you are out of the camp and knocked out, your envelopes stay on the cell where you stood. In your "
        "first turn after the missed one you come in by any gate, which you choose before you throw. At the start of a "
        "round that missed turn of the first seat is the one about to begin.",
        "No walk enters the sector of the guard. But a move may end there, on any cell to which the exact rest would "
        "lead if it were open: that is surrendering, you are captured and leave your envelopes on that cell.",
        "On doors, gates and walkways nobody is captured.",
    ]


def _end(game: Game) -> list[str]:
    return [
        f"The winner gets +1, every other seat -1/{game.seats - 1}.",
        f"After {game.options['max_rounds']} rounds the game ends without a winner, and all get 0.",
    ]


def _camp(game: Game) -> list[str]:
    camp = camp_of(game)
    posts = [f"guard's post {names_of(game).cells[camp.number[sector.post]]}" for sector in camp.sectors]
    marks = ["`X` an envelope on a cell", "`&` the guard", "digits are the seats"]
    return [
        *how_to_read_the_map(camp, marks),
        "Of several seats on a cell the map shows the one with the highest number. A seat hides an envelope or the "
        "guard on its cell, an envelope the guard; the lines below the map name them all.",
        f"Gates: {gates_in_words(camp)}.",
        *sectors_in_words(camp, posts),
    ]


def _notation(game: Game) -> list[str]:
    names = names_of(game)
    return [
        f"`go {names.cells[0]}`: go to that cell; `surrender {names.cells[0]}`: end the move there, in the guard's "
        f"sector; `leave {names.gates[0]}`: leave the camp with the formula.",
        f"`gate {names.gates[0]}`: come in by that gate; `hit`, `wait`: before the throw; `stay`: let the guard "
        "capture you, or let the rest of the count lapse.",
        "Where it is told what has happened, `guard: ` and a sector means that he has entered it, and who `wakes up` "
        "has missed that turn.",
        f"Envelopes are named after the cells where they lay at first ({names.envelopes[0]}), wherever they are now. "
        "`?` behind the name: you do not know what is in it; FORMULA: it is this one; nothing: it is worthless.",
    ]


def knowledge(game: Game, view: np.ndarray) -> list[str]:
    """Say what a seat can tell besides what is drawn: the order, who knows which envelopes, how far things are."""
    s, me, names = view[0], int(view["viewer"][0]), names_of(game)
    order = [str((int(s.first) + place) % game.seats) for place in range(game.seats)]
    t = game.tables[0]
    lines = [
        f"- Order of turns in each round: seats {', '.join(order)}.",
        f"- The guard is in {names.sectors[s.guard]}; at the start of the next round he goes to "
        f"{names.sectors[t.next_sector[s.guard]]}, unless an alarm calls him elsewhere before.",
        *(f"- Seat {seat} {text}." for seat in range(game.seats) if (text := _condition(s, seat))),
        *_envelopes(game, s, me),
    ]
    if s.over or (s.cell[me] == NOWHERE and s.gate[me] == NOWHERE):
        return lines
    if s.cell[me] != NOWHERE and t.sector[s.cell[me]] == s.guard:
        return [*lines, "- You are in the guard's sector, and have to get out of it by a door or be captured."]
    return [*lines, f"- Shortest walks from where you are, round the guard's sector: {_distances(game, s, me)}."]


def _condition(s: np.record, seat: int) -> str:
    hunted = "has still to throw to escape from the guard" if int(s.hunted) >> seat & 1 else ""
    status = STATUS.get(int(s.status[seat]), "")
    if seat == s.to_move and s.phase in (HIT, RETURN):
        status = IN_ITS_TURN if s.status[seat] != AWAKE else ""
    return ", and ".join(filter(None, [status, hunted]))


def _envelopes(game: Game, s: np.record, me: int) -> list[str]:
    """Say who has held which envelopes, and what that tells the viewer."""
    names, lines = names_of(game).envelopes, []
    for seat in range(game.seats):
        held = [name for number, name in enumerate(names) if int(s.examined[seat]) >> number & 1]
        whose = "You hold or have held" if seat == me else f"Seat {seat} holds or has held, and so knows,"
        lines.append(f"- {whose} {', '.join(held) or 'no envelope'}.")
    contents = s.contents[: len(names)]
    formula, false = np.flatnonzero(contents == FORMULA), int((contents == FALSE).sum())
    if formula.size:
        return [*lines, f"- You know that {names[formula[0]]} holds the formula."]
    return [*lines, f"- The formula is in one of {len(names) - false} envelopes that you do not know."]


def _distances(game: Game, s: np.record, me: int) -> str:
    """List how far envelopes, seats and gates are."""
    camp, names, t = camp_of(game), names_of(game), game.tables[0]

    def steps(cell: int) -> float:
        length = int(steps_to(s, me, cell, t)) if cell != s.cell[me] else 0
        return length if length < FAR else np.inf

    lying = [(name, int(s.lies[number])) for number, name in enumerate(names.envelopes)]
    seats = [(f"seat {seat}", int(s.cell[seat])) for seat in range(game.seats) if seat != me]
    gates = [(f"gate {gate.name}", camp.number[gate.place]) for gate in camp.gates]
    found = [(f"envelope {name}", cell) for name, cell in lying if cell != NOWHERE]
    return distances_in_words((name, steps(cell)) for name, cell in [*found, *seats, *gates] if cell != NOWHERE)


def choices(game: Game, view: np.ndarray) -> list[str]:
    """List the legal actions: cells where something is first, the others by the sector that they are in."""
    s, t, camp = view[0], game.tables[0], camp_of(game)
    me, first = int(s.to_move), game.actions.go.start

    def place_of(action: int, text: str) -> str:
        if s.phase in (GATE, RETURN) or action < first:
            return ""
        cell = action - first
        sector = int(t.sector[cell])
        if s.phase == MOVE and sector == s.guard:
            return "surrender to the guard"
        where = camp.sectors[sector].name if sector != NOWHERE else "outside the sectors"
        if has_something(s, me, cell):
            return f"envelopes or rivals are there, and you go on with the rest, {where}"
        return f"ends the {'escape' if s.phase == ESCAPE else 'move'}, {where}"

    return grouped_choices(game, view, place_of)

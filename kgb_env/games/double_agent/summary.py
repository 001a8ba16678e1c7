"""The Double Agent in words, for a player who has never heard of it: the rules, and what a seat can tell."""

from __future__ import annotations

import numpy as np

from kgb_env.camp.drawing import place_name
from kgb_env.camp.summary import distances_in_words, gates_in_words, how_to_read_the_map, sectors_in_words, shortest
from kgb_env.game import Game
from kgb_env.games.double_agent.boards import camp_of, monitored, names_of
from kgb_env.games.double_agent.spec import (
    DOUBLE_AGENT,
    HIGHEST_THROW,
    LOWEST_THROW,
    NOWHERE,
    OFF,
    OPENING,
    SECURITY_AGENT,
)
from kgb_env.games.double_agent.worlds import count_histories
from kgb_env.prompt import grouped_choices


def rules(game: Game) -> str:
    """Return the rules in short, with what the options change."""
    sections = {
        "Goal": _goal(game),
        "What is hidden": _secrets(game),
        "A turn": _turn(game),
        "Inspecting": _inspecting(game),
        "Accusing and escaping": _accusing(game),
        "End and rewards": _end(game),
        "The camp": _camp(game),
        "How it is written": _notation(game),
    }
    return "\n\n".join("\n".join([f"{name}:", *(f"- {line}" for line in lines)]) for name, lines in sections.items())


def _goal(game: Game) -> list[str]:
    has_monitor = monitored(camp_of(game), bool(game.options["deluxe"]))
    is_team = game.options["rewards"] == "team"
    accusers = "Each Security Agent can win for all of them" if is_team else "A Security Agent wins, alone,"
    return [
        f"{game.seats} seats go about a training camp. One of them, drawn at random, is the Double Agent, the other "
        f"{game.seats - 1} are Security Agents.",
        f"There are {sum(has_monitor)} monitors, each in a sector of its own; at first all are ON. The Double Agent "
        f"sabotages them: once {game.tables[0].needed} are OFF it can win by leaving the camp through a gate.",
        f"{accusers} by accusing the Double Agent.",
        "Opening play, before anybody moves: the Double Agent must sabotage one monitor, any; the others wait. Nobody "
        "sees which one it was.",
    ]


def _secrets(game: Game) -> list[str]:
    return [
        "A Security Agent knows its own role only. The Double Agent knows all: roles, monitors, what others found.",
        "Everybody sees where all walk, and who inspects which monitor (the Security List); what an inspector found "
        "or did there only he and the Double Agent know.",
        "A monitor that is OFF stays OFF. So if you found it ON and find it OFF later, one of those who inspected it "
        "in between is the Double Agent; if you find it OFF the first time, it was either the opening play or one who "
        "had inspected it before.",
        "Who has accused is known to be a Security Agent.",
    ]


def _turn(game: Game) -> list[str]:
    return [
        "The first seat is drawn; then turns go round by increasing number, after the last seat comes seat 0. All "
        "start in the gazebo; the first step leads to a cell beside it, and nobody comes back in.",
        f"Two dice are thrown, {LOWEST_THROW} to {HIGHEST_THROW}. You go to any cell that a walk of exactly that many "
        "steps leads to and where nobody stands. Walks may go back and forth, so your own cell is reached by even "
        "throws, and a cell at distance d by every throw of at least d that is even or odd like d. You may pass "
        "others.",
        *_exits(game),
        "If you can land nowhere, you stay where you are; you may still accuse or leave instead.",
    ]


def _exits(game: Game) -> list[str]:
    """Say how far it is from the gazebo, if one of its exits is reached by even and another by odd walks."""
    exits = camp_of(game).start
    if len({(row + column) % 2 for row, column in exits}) < 2:
        return []
    named = ", ".join(map(place_name, exits))
    return [
        f"From the gazebo the distance through each of its exits ({named}) counts by itself: a cell may be reached by "
        "even throws through one and by odd throws through another."
    ]


def _inspecting(game: Game) -> list[str]:
    return [
        "If your walk ended in a sector with a monitor, you may inspect it: you see if it is ON or OFF. If it is ON, "
        "the Double Agent may inspect it and turn it OFF at the same time (sabotage); to the others that looks like "
        "any inspection. Or you skip.",
        "You may not inspect the monitor of the same sector again before you have ended a turn of yours outside it. At "
        "the start that holds for the sector around the gazebo too.",
    ]


def _accusing(game: Game) -> list[str]:
    winner = "all Security Agents win" if game.options["rewards"] == "team" else "the accuser wins alone"
    return [
        "Instead of going, a Security Agent may accuse another seat that is in play, no longer in the gazebo, not "
        f"exposed, and at most as many steps away as the throw (the shortest walk counts). If it is the Double Agent, "
        f"{winner}, and the game is over. If not, the accuser is out of the game, and the accused is exposed: all know "
        "now that it is a Security Agent, and it plays on. The Double Agent never accuses.",
        f"Instead of going, the Double Agent may leave the camp once {game.tables[0].needed} monitors are OFF, the "
        "opening's included, through a gate whose outside, one step beyond its cell, is within the throw. It wins.",
    ]


def _end(game: Game) -> list[str]:
    options, others = game.options, game.seats - 1
    lines = [f"The winner gets +1, every other seat -1/{others}."]
    if options["rewards"] == "team":
        lines = [
            f"If the Double Agent escapes it gets +1, every other seat -1/{others}. If it is accused it gets -1, and "
            f"all Security Agents, those that are out included, +1/{others} each, whoever accused it."
        ]
    if options["stake"]:
        lines.append(
            f"Besides, each wrong accusation costs its accuser {options['stake']:g}, which the other seats share in "
            "equal parts, however the game ends."
        )
    paid = "only the stakes of wrong accusations are paid then" if options["stake"] else "all get 0 then"
    return [*lines, f"After {options['max_turns']} rounds the game ends and nobody has won; {paid}."]


def _camp(game: Game) -> list[str]:
    camp = camp_of(game)
    has_monitor = monitored(camp, bool(game.options["deluxe"]))
    remarks = ["" if has_one else "no monitor" for has_one in has_monitor]
    return [
        *how_to_read_the_map(camp, ["digits are the seats"]),
        f"Gates: {gates_in_words(camp)}.",
        *sectors_in_words(camp, remarks),
    ]


def _notation(game: Game) -> list[str]:
    names = names_of(game)
    return [
        f"`go {names.cells[0]}`: walk to that cell; `stay`: there is nowhere to go.",
        "After the walk: `skip`, `inspect`, or as the Double Agent `sabotage`.",
        f"`accuse 1`: accuse seat 1; `leave {names.gates[0]}`: escape through that gate.",
        f"Opening play: `wait`, or as the Double Agent `open {names.sectors[0]}`.",
        "Where it is told what has happened, `opening play` stands for one that you have not seen.",
        "On the Security List `GAR 2` stands for an inspection of GAR by seat 2, `(GAR ON)` for one of your own.",
    ]


def knowledge(game: Game, view: np.ndarray) -> list[str]:
    """Say what a seat can tell besides what is drawn: its role, who is suspect, what it may do, how far things are."""
    s, me = view[0], int(view["viewer"][0])
    order = [str((int(s.first) + place) % game.seats) for place in range(game.seats)]
    lines = [f"- Order of turns in each round: seats {', '.join(order)}."]
    if s.role[me] == DOUBLE_AGENT:
        lines += _as_double_agent(game, s)
    else:
        lines += _as_security_agent(game, view)
    if s.out[me]:
        return [*lines, "- You are out of the game, and have no turns any more."]
    if s.exposed[me]:
        lines.append("- You are exposed: all know that you are a Security Agent, and nobody can accuse you any more.")
    if s.barred[me] != NOWHERE:
        lines.append(
            f"- You may not inspect {names_of(game).sectors[s.barred[me]]} before you have ended a turn outside it."
        )
    return [*lines, f"- Shortest walks from where you are: {_distances(game, s, me)}."]


def _as_double_agent(game: Game, s: np.record) -> list[str]:
    off, needed = int((s.monitor == OFF).sum()), int(game.tables[0].needed)
    lines = [f"- You are the Double Agent. Monitors that are OFF: {off}; needed for the escape: {needed}."]
    if s.opening > 0:
        lines.append(f"- In the opening play you sabotaged {names_of(game).sectors[s.opening - 1]}.")
    return lines


def _as_security_agent(game: Game, view: np.ndarray) -> list[str]:
    """Say who can still be the Double Agent, by all that the viewer has seen."""
    s, scratch = view[0], game.scratch()
    lines = ["- You are a Security Agent."]
    if s.over:
        return lines
    count_histories(s, scratch[0], game.tables[0])
    suspects = [f"seat {seat}" for seat in np.flatnonzero(scratch["suspects"][0, : game.seats])]
    certain = " and nobody else" if len(suspects) == 1 else ""
    return [
        *lines,
        f"- By your own findings and the accusations the Double Agent can be {', '.join(suspects)}{certain}.",
    ]


def _steps(game: Game, s: np.record, seat: int) -> np.ndarray:
    """Return the length of the shortest walk of a seat to every cell, (cells,)."""
    camp = camp_of(game)
    if s.cell[seat] != NOWHERE:
        return camp.steps[int(s.cell[seat])]
    return 1 + camp.steps[[camp.number[place] for place in camp.start]].min(axis=0)


def _distances(game: Game, s: np.record, me: int) -> str:
    camp, names, steps = camp_of(game), names_of(game), _steps(game, s, me)
    floors: dict[int, list[int]] = {number: [] for number in range(len(camp.sectors))}
    for place, sector in camp.sector_of.items():
        floors[sector].append(camp.number[place])
    seats = [(f"seat {seat}", int(s.cell[seat])) for seat in range(game.seats) if seat != me]
    return distances_in_words(
        [
            *((names.sectors[number], shortest(steps, cells)) for number, cells in floors.items()),
            *((f"gate {gate.name}", float(steps[camp.number[gate.place]])) for gate in camp.gates),
            *((name, float(steps[cell])) for name, cell in seats if cell != NOWHERE),
        ]
    )


def choices(game: Game, view: np.ndarray) -> list[str]:
    """List the legal actions, cells by the sector that they are in and what can be done there."""
    s, t, camp = view[0], game.tables[0], camp_of(game)
    me, first = int(s.to_move), game.actions.go.start

    def place_of(action: int, text: str) -> str:
        if s.phase == OPENING or action < first:
            return ""
        sector = int(t.sector[action - first])
        if sector == NOWHERE:
            return "outside the sectors"
        can_inspect = t.has_monitor[sector] and sector != s.barred[me]
        return f"{camp.sectors[sector].name} ({'you may inspect there' if can_inspect else 'no inspection'})"

    assert s.role[me] in (SECURITY_AGENT, DOUBLE_AGENT)
    return grouped_choices(game, view, place_of)

"""What a seat thinks, as arrays and tables: its Security List, and the posterior that follows from it."""

from __future__ import annotations

import numpy as np

from agents.double_agent.posterior import MEMORY, believe, inform
from agents.explanation import Table, percent
from kgb_env.game import Game
from kgb_env.games.double_agent.boards import names_of
from kgb_env.games.double_agent.log import security_list
from kgb_env.games.double_agent.spec import DOUBLE_AGENT, NEVER, OFF, ON, SEATS
from kgb_env.games.double_agent.worlds import read_entry
from kgb_env.jit import kernel
from kgb_env.record import UNKNOWN


def beliefs(game: Game, views: np.ndarray, model: np.ndarray) -> np.ndarray:
    """Return who the viewers believe is the Double Agent: (n, seats) float64, each row sums to 1.

    Args:
        game: The Double Agent with any options.
        views: (n,) views by seats.
        model: of the Double Agent, one record; see ``make_model``.
    """
    game.require_views(views)
    chances = np.empty((views.size, SEATS))
    believe_rows(views, chances, np.zeros(1, MEMORY), model, game.tables)
    return chances[:, : game.seats]


def facts(game: Game, states: np.ndarray) -> np.ndarray:
    """Return who is the Double Agent: (n, seats) bool."""
    game.require_states(states)
    return states["role"][:, : game.seats] == DOUBLE_AGENT


@kernel
def believe_rows(views, chances, memory, model, tables):
    """Write what every viewer believes."""
    for i in range(views.size):
        believe(views[i], np.int64(views[i].viewer), memory[0], model[0], tables[0])
        for seat in range(SEATS):
            chances[i, seat] = memory[0].posterior[seat]


def explain(game: Game, view: np.ndarray, model: np.ndarray) -> list[Table]:
    """Return what a viewer knows and believes, as tables.

    Args:
        game: The Double Agent with any options.
        view: one view by a seat.
        model: of the Double Agent, one record.
    """
    game.require_view(view)
    memory = np.zeros(1, MEMORY)
    believe(view[0], int(view[0].viewer), memory[0], model[0], game.tables[0])
    inform(memory[0])
    return [
        list_table(game, view),
        suspects_table(game, view, memory[0].joint, float(model[0].rate)),
        monitors_table(game, view, memory),
    ]


def list_table(game: Game, view: np.ndarray) -> Table:
    """Return the viewer's Security List, a row a monitor, numbered in the order of the inspections."""
    v, names = view[0], names_of(game)
    lines: dict[int, list[str]] = {sector: [] for sector in monitored(game)}
    for entry, text in enumerate(security_list(game, view)):
        sector, seat = (int(number) for number in read_entry(v, entry))
        inspector = text.strip("()").partition(" ")[2]
        lines[sector].append(f"{entry + 1}:{f'({inspector})' if seat == v.viewer else inspector}")
    rows = [(" ".join((f"{names.sectors[sector]} ", *line)),) for sector, line in lines.items()]
    note = "Number of the entry: who inspected; one's own in brackets, with the condition found."
    return Table(f"The Security List of seat {v.viewer}", ("Monitor, then the inspections of it",), rows, note)


def suspects_table(game: Game, view: np.ndarray, joint: np.ndarray, rate: float) -> Table:
    """Return the posterior: who is the Double Agent, and which monitor it sabotaged in the opening.

    Args:
        game: The Double Agent with any options.
        view: one view by a seat.
        joint: (seats, sectors) probabilities.
        rate: that of the model.
    """
    sectors, names = monitored(game), names_of(game)
    rows = []
    for seat in range(game.seats):
        chances = (percent(joint[seat, sector]) for sector in sectors)
        rows.append((f"seat {seat}", percent(joint[seat].sum()), *chances, standing(view[0], seat)))
    rows.append(("any", "100", *(percent(joint[:, sector].sum()) for sector in sectors), ""))
    title = "Who is the Double Agent, and which monitor was sabotaged in the opening (percent)"
    note = f"If a Double Agent sabotages {100 * rate:.0f} % of the monitors that it inspects and finds ON."
    return Table(title, ("Double Agent", "All", *(names.sectors[sector] for sector in sectors), ""), rows, note)


def monitors_table(game: Game, view: np.ndarray, memory: np.ndarray) -> Table:
    """Return what the viewer believes about each monitor.

    Args:
        game: The Double Agent with any options.
        view: one view by a seat.
        memory: what ``believe`` has filled, one record.
    """
    v, m, names = view[0], memory[0], names_of(game)
    marks = {NEVER: "", ON: "ON", OFF: "OFF"}
    suspects = [seat for seat in range(game.seats) if m.posterior[seat] > 0]
    rows = []
    for sector in monitored(game):
        seen = marks[int(v.mark[v.viewer, sector])]
        chances = (percent(m.off_if[suspect, sector]) for suspect in suspects)
        bits = f"{m.told[sector]:.2f}"
        rows.append((names.sectors[sector], seen, percent(m.off[sector]), *chances, bits))
    columns = ("Monitor", "Last seen", "OFF", *(f"if it is {suspect}" for suspect in suspects), "Bits")
    note = "Bits: what its condition would tell about who is the Double Agent."
    return Table("Which monitors are OFF now (percent)", columns, rows, note)


def monitored(game: Game) -> list[int]:
    """Return the sectors that have a monitor."""
    return np.flatnonzero(game.tables[0].has_monitor).tolist()


def standing(v: np.record, seat: int) -> str:
    """Return what is known of a seat."""
    if seat == v.viewer:
        return "itself"
    if v.out[seat]:
        return "out"
    if v.exposed[seat]:
        return "exposed"
    return "" if v.role[seat] == UNKNOWN else "Double Agent" if v.role[seat] == DOUBLE_AGENT else "Security Agent"

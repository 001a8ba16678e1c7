"""Who is the Double Agent, and which monitor did it sabotage in the opening?  The exact posterior of a seat.

The model: every monitor is as likely to be the one of the opening play; after that a Double Agent
sabotages a monitor that is ON at each of its own inspections with the same chance, ``rate``,
whatever else happens.  Walks and choices of what to inspect tell nothing.

A reading is certain and a monitor never turns ON again.  So, for a suspect, the readings of a monitor that
was not the opening's are as likely as that the suspect spared it at all of its inspections before the last ON,
and did not at all of those between that and the first OFF.
Given the suspect and the opening, monitors are independent.
"""

import numpy as np

from kgb_env.camp.board import SECTORS
from kgb_env.games.double_agent.spec import DOUBLE_AGENT, NEVER, OFF, ON, SEATS, TURNS
from kgb_env.games.double_agent.views import is_suspect
from kgb_env.games.double_agent.worlds import read_entry
from kgb_env.jit import kernel

RATE = 0.5
LEAST_RATE = 1e-4  # so that certainties come from the rules alone, and likelihoods never underflow

MODEL = np.dtype((np.record, [("rate", "f8"), ("spared", "f8", (TURNS + 1,))]))  # spared: (1 - rate) ** inspections

MEMORY_OF_POSTERIOR = [
    # What a seat's list says
    ("before", "i8", (SEATS, SECTORS)),  # inspections by each suspect before the last ON
    ("since", "i8", (SEATS, SECTORS)),  # from then on, until the first OFF
    # What follows from it
    ("likelihood", "f8"),  # of the readings, given the inspections; zero if they cannot be
    ("posterior", "f8", (SEATS,)),  # who is the Double Agent
    ("joint", "f8", (SEATS, SECTORS)),  # who, and which monitor was the opening's
    ("off_if", "f8", (SEATS, SECTORS)),  # the monitor is OFF now, if this suspect is the Double Agent
    ("off", "f8", (SECTORS,)),  # the monitor is OFF now
    ("odds", "f8", (SECTORS,)),  # room to work in
    # Small ones of the list
    ("is_suspect", "i1", (SEATS,)),
    ("reading", "i1", (SECTORS,)),  # the seat's last: NEVER, ON or OFF
    ("was_on", "i1", (SECTORS,)),  # some reading was ON
]
# One type for all: numba compiles kernels anew for another, and warns if that only adds fields.
MEMORY = np.dtype((np.record, [*MEMORY_OF_POSTERIOR, ("told", "f8", (SECTORS,))]))  # told: what ``inform`` fills


def make_model(rate: float = RATE) -> np.ndarray:
    """Return the model of a Double Agent, one record.

    Args:
        rate: how often it sabotages a monitor that it inspects and finds ON; kept away from 0 and 1 by LEAST_RATE.
    """
    model = np.zeros(1, MODEL)
    model["rate"] = min(max(rate, LEAST_RATE), 1 - LEAST_RATE)
    model["spared"] = (1 - model["rate"]) ** np.arange(TURNS + 1)
    return model


@kernel
def posterior_of(v, seat, posterior, memory, model, tables):
    """Write what a seat must believe: (SEATS,) chances that each seat is the Double Agent, which sum to 1.

    Args:
        v: a record in which the seat's readings are to be seen: its own view, the Double Agent's, or a state.
        seat: whose belief; the Double Agent itself is sure, where ``v`` shows its role.
        posterior: (SEATS,) to write to.
        memory: a record of MEMORY; ``weigh`` says what is in it afterwards.
        model: a record of MODEL.
        tables: those of the game.
    """
    believe(v, seat, memory, model, tables)
    for suspect in range(SEATS):
        posterior[suspect] = memory.posterior[suspect]


@kernel
def believe(v, seat, memory, model, tables):
    """Fill the whole of ``memory`` with what a seat must believe; see ``posterior_of``."""
    if v.role[seat] == DOUBLE_AGENT:
        be_certain(v, seat, memory)
    else:
        read_list(v, seat, memory, tables)
        weigh(memory, model, tables)


@kernel
def be_certain(v, seat, memory):
    """Fill what follows for the Double Agent, which knows."""
    memory.likelihood = 1.0
    memory.posterior[:] = 0.0
    memory.posterior[seat] = 1.0
    memory.joint[:] = 0.0
    if v.opening > 0:
        memory.joint[seat, v.opening - 1] = 1.0
    memory.off_if[:] = 0.0
    for sector in range(SECTORS):
        memory.off[sector] = v.monitor[sector] == OFF
        memory.off_if[seat, sector] = memory.off[sector]


# What a seat's list says


@kernel
def read_list(v, seat, memory, tables):
    """Note who may be the Double Agent, and the whole of a Security Agent's list.

    During the opening play it counts as made (D2).  At the end of a game all roles are public, and all
    monitors are read once more (D13).
    """
    memory.reading[:] = NEVER
    memory.was_on[:] = False
    memory.before[:] = 0
    memory.since[:] = 0
    for suspect in range(SEATS):
        is_left = v.role[suspect] == DOUBLE_AGENT if v.over else is_suspect(v, seat, suspect)
        memory.is_suspect[suspect] = suspect < v.players and is_left
    for entry in range(v.listed):
        sector, inspector = read_entry(v, entry)
        if inspector == seat:
            note_reading(sector, v.found[entry] != ON, memory)
        else:
            note_inspection(inspector, sector, memory)
    if v.over:
        for sector in range(SECTORS):
            if tables.has_monitor[sector]:
                note_reading(sector, v.monitor[sector] == OFF, memory)


@kernel
def note_inspection(inspector, sector, memory):
    """Note that another seat inspects a monitor: one of the list, or one that might follow it."""
    if memory.reading[sector] != OFF:
        memory.since[inspector, sector] += 1


@kernel
def note_reading(sector, is_off, memory):
    """Note what the seat itself reads: one of the list, or one that might follow it."""
    if is_off:
        memory.reading[sector] = OFF
        return
    memory.reading[sector] = ON
    memory.was_on[sector] = True
    for inspector in range(SEATS):
        memory.before[inspector, sector] += memory.since[inspector, sector]
        memory.since[inspector, sector] = 0


# What follows from it


@kernel
def weigh(memory, model, tables):
    """Fill ``likelihood``, ``posterior``, ``joint``, ``off_if`` and ``off`` from what has been noted.

    If the readings cannot be, all suspects are as likely, and the opening and ``off`` are zero.
    """
    monitors, total = 0, 0.0
    for sector in range(SECTORS):
        monitors += tables.has_monitor[sector]
    for suspect in range(SEATS):
        memory.posterior[suspect] = 0.0
        if memory.is_suspect[suspect]:
            weigh_openings(suspect, memory, model, tables)
            total += memory.posterior[suspect]
        else:
            memory.joint[suspect, :] = 0.0
            memory.off_if[suspect, :] = 0.0
    memory.likelihood = total / (monitors * count_suspects(memory))
    if total > 0.0:
        for suspect in range(SEATS):
            memory.posterior[suspect] /= total
            for sector in range(SECTORS):
                memory.joint[suspect, sector] /= total
    else:
        share_alike(memory)
    fill_off(memory, model, tables)


@kernel
def count_suspects(memory):
    """Return how many may be the Double Agent."""
    suspects = 0
    for suspect in range(SEATS):
        suspects += memory.is_suspect[suspect]
    return suspects


@kernel
def share_alike(memory):
    """Hold every suspect as likely."""
    suspects = count_suspects(memory)
    for suspect in range(SEATS):
        memory.posterior[suspect] = memory.is_suspect[suspect] / suspects


@kernel
def weigh_openings(suspect, memory, model, tables):
    """Fill ``joint`` for a suspect, and ``posterior`` with its sum, up to a common factor.

    It is the product of the likelihoods of all monitors but the opening's, which must never have been read ON.
    """
    product, impossible = 1.0, 0
    for sector in range(tables.sectors):
        if tables.has_monitor[sector]:
            odds = model.spared[memory.before[suspect, sector]]
            if memory.reading[sector] == OFF:
                odds *= 1.0 - model.spared[memory.since[suspect, sector]]
            memory.odds[sector] = odds
            if odds == 0.0:
                impossible += 1
            else:
                product *= odds
    for opening in range(SECTORS):
        weight = 0.0
        if tables.has_monitor[opening] and not memory.was_on[opening]:
            odds = memory.odds[opening]
            if impossible == 0:
                weight = product / odds
            elif impossible == 1 and odds == 0.0:
                weight = product
        memory.joint[suspect, opening] = weight
        memory.posterior[suspect] += weight


@kernel
def fill_off(memory, model, tables):
    """Fill ``off_if`` and ``off``."""
    memory.off[:] = 0.0
    for suspect in range(SEATS):
        sure = memory.posterior[suspect]
        if sure == 0.0:
            memory.off_if[suspect, :] = 0.0
            continue
        for sector in range(SECTORS):
            off = 0.0
            if tables.has_monitor[sector]:
                opened = memory.joint[suspect, sector] / sure
                off = 1.0
                if memory.reading[sector] != OFF:
                    off -= (1.0 - opened) * model.spared[memory.since[suspect, sector]]
            memory.off_if[suspect, sector] = off
            memory.off[sector] += sure * off


# What a further reading would tell


@kernel
def posterior_if(sector, is_off, posterior, memory):
    """Write what the seat would believe after it had read a monitor now, by what ``weigh`` has filled.

    Returns:
        The chance of that reading; if it is zero, the posterior stays what it is.
    """
    total = memory.off[sector] if is_off else 1.0 - memory.off[sector]
    for suspect in range(SEATS):
        posterior[suspect] = memory.posterior[suspect]
        if total > 0.0:
            off = memory.off_if[suspect, sector]
            posterior[suspect] *= (off if is_off else 1.0 - off) / total
    return max(total, 0.0)


@kernel
def information_of(sector, memory):
    """Return what reading a monitor now would tell about who is the Double Agent, in bits (mutual information)."""
    told = uncertainty(memory.off[sector])
    for suspect in range(SEATS):
        if memory.posterior[suspect] > 0.0:
            told -= memory.posterior[suspect] * uncertainty(memory.off_if[suspect, sector])
    return max(told, 0.0)


@kernel
def inform(memory):
    """Fill ``told``: the information of every monitor."""
    for sector in range(SECTORS):
        memory.told[sector] = information_of(sector, memory)


@kernel
def uncertainty(chance):
    """Return the entropy of a yes or no, in bits."""
    if chance <= 0.0 or chance >= 1.0:
        return 0.0
    return -(chance * np.log2(chance) + (1.0 - chance) * np.log2(1.0 - chance))

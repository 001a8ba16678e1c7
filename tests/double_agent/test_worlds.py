"""Possible worlds: the rulebook's sample list (D16), and every count beside brute force."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

import kgb_env
from kgb_env.games.double_agent import worlds
from kgb_env.games.double_agent.boards import names_of
from kgb_env.games.double_agent.spec import DOUBLE_AGENT, OFF, ON, SABOTAGED, SEAT, SEAT_BITS, SECTORS
from kgb_env.record import UNKNOWN
from tests.double_agent.positions import (
    MONITORS,
    dealt,
    inspected,
    list_of,
    own_game,
    run,
    standing,
    thrown,
)
from tests.random_play import random_states

pytestmark = pytest.mark.nojit


@pytest.fixture
def camp(tmp_path):
    return own_game(tmp_path)


def histories(game, view):
    """Return how many histories there are by suspect and sector of the opening, from the kernel."""
    scratch = game.scratch()
    worlds.count_histories(view[0], scratch[0], game.tables[0])
    counts = scratch["weights"][0].reshape(-1, SECTORS + 1)
    return {(int(seat), int(sector)): int(counts[seat, sector]) for seat, sector in np.argwhere(counts)}


def suspects(game, view):
    return {seat for seat, _ in histories(game, view)}


def openings(game, view):
    codes = [*names_of(game).sectors, *[""] * SECTORS]
    return {codes[sector] for _, sector in histories(game, view)}


# D16

ME, R, C, D = range(4)
SAMPLE = """
(INT ON) GAR R, GAR C, TER R, GYM D, (SEC OFF) TER C, GYM R, POW D, (GAR ON) GAR R, GYM C, STO D, GYM R, (TER ON)
DEC D, (GYM OFF) DEC R, INT C, STO D, (POW ON) STO R, GAR C, DEC D, DEC R, (GAR OFF) TER C, POW R, STO D, (TER ON)
DEC C, GYM R, POW D, (POW OFF)
"""
ENTRIES = SAMPLE.replace(",", "").replace("(", "").replace(")", "").split()
SEATS = {"R": R, "C": C, "D": D, "ON": ME, "OFF": ME}
SABOTAGED_BY_R = {7: "GYM", 10: "GAR", 27: "POW"}  # a truth behind the list: places in it, from 0


def after(text):
    """Return the game, and my view of the sample list up to my own entry with this text, the last one of them."""
    game, found = kgb_env.game("double_agent"), None
    states = dealt(game, double_agent=R, opening="SEC")
    for place, (code, who) in enumerate(zip(ENTRIES[::2], ENTRIES[1::2], strict=True)):
        does = SABOTAGED_BY_R.get(place) == code
        states = inspected(game, states, f"{SEATS[who]} {code}{' sabotage' if does else ''}")
        if list_of(game, states, ME)[-1] == text:
            found = game.view(states, ME)
    return game, found


def test_d16_the_sample_list_is_what_the_game_writes():
    game, view = after("(POW OFF)")
    lines = list_of(game, game.determinize(view, np.arange(1, dtype=np.uint64)), ME)
    pairs = zip(ENTRIES[::2], ENTRIES[1::2], strict=True)
    assert lines == [f"({code} {who})" if SEATS[who] == ME else f"{code} {SEATS[who]}" for code, who in pairs]
    assert len(lines) == 34


def test_d16_security_building_off_is_the_opening_play():
    game, view = after("(SEC OFF)")
    assert openings(game, view) == {"SEC"}
    assert suspects(game, view) == {R, C, D}


def test_d16_garden_and_terrace_on_tell_nothing_new():
    assert suspects(*after("(GAR ON)")) == {R, C, D}


def test_d16_gymnasium_off_leaves_all_who_have_been_there():
    game, view = after("(GYM OFF)")
    assert suspects(game, view) == {C, D, R}
    assert openings(game, view) == {"SEC"}
    assert all(world["role"][[C, D, R]].sum() == 1 for world in game.determinize(view, np.arange(30, dtype=np.uint64)))


def test_d16_garden_off_leaves_r_and_c():
    assert suspects(*after("(GAR OFF)")) == {R, C}


def test_d16_terrace_on_does_not_clear_c():
    assert suspects(*after("(TER ON)")) == {R, C}


def test_d16_power_plant_off_leaves_r_alone():
    game, view = after("(POW OFF)")
    assert suspects(game, view) == {R}
    drawn = game.determinize(view, np.arange(50, dtype=np.uint64))
    assert (drawn["role"][:, R] == DOUBLE_AGENT).all()
    assert len({world["found"].tobytes() for world in drawn}) > 1


# Brute force


def brute_force(game, view):
    """Return all histories: (suspect, opening, what each inspection found)."""
    v, codes = view[0], [m for m in range(int(game.tables[0].sectors)) if game.tables[0].has_monitor[m]]
    entries = [(int(e) >> SEAT_BITS, int(e) & SEAT) for e in v.security_list[: v.listed]]
    found = []
    for suspect in range(game.seats):
        if suspect == v.viewer or v.out[suspect] or v.exposed[suspect] or (v.over and v.role[suspect] != DOUBLE_AGENT):
            continue
        own = [k for k, (_, seat) in enumerate(entries) if seat == suspect]
        has_opened = (suspect - v.first) % game.seats < v.opened
        for opening in codes if has_opened else [None]:
            for wishes in product((False, True), repeat=len(own)):
                history = played(entries, suspect, opening, dict(zip(own, wishes, strict=True)))
                if history and agrees(v, *history):
                    found.append((suspect, opening, history[0]))
    return found


def counted_by_force(game, view):
    """Return how many histories there are by suspect and sector of the opening."""
    opened = ((suspect, opening) for suspect, opening, _ in brute_force(game, view))
    return Counter((suspect, SECTORS if opening is None else opening) for suspect, opening in opened)


def played(entries, suspect, opening, wishes):
    """Return the findings and the conditions after a history, or None if it sabotages what is OFF."""
    off, found = {opening}, []
    for k, (sector, _) in enumerate(entries):
        if wishes.get(k) and sector in off:
            return None
        found.append(SABOTAGED if wishes.get(k) else OFF if sector in off else ON)
        off |= {sector} if wishes.get(k) else set()
    return tuple(found), off


def agrees(v, found, off):
    """Tell if the viewer would have seen what it has seen."""
    own = all(seen in (UNKNOWN, f) for seen, f in zip(v.found[: v.listed].tolist(), found, strict=True))
    return own and all(c in (0, UNKNOWN, OFF if m in off else ON) for m, c in enumerate(v.monitor.tolist()))


def random_list(game, seed, length):
    """Return the view of a Security Agent after random inspections; the Double Agent sabotages half of the time."""
    rng = np.random.default_rng(seed)
    double_agent = int(rng.integers(game.seats))
    states = dealt(game, double_agent, str(rng.choice(MONITORS)), int(rng.integers(game.seats)))
    for _ in range(length):
        seat, code = int(rng.integers(game.seats)), str(rng.choice(MONITORS))
        is_on = states["monitor"][0, MONITORS.index(code)] == ON
        does = seat == double_agent and is_on and rng.random() < 0.5
        states = inspected(game, states, f"{seat} {code}{' sabotage' if does else ''}")
    return states, game.view(states, int(rng.choice([seat for seat in range(game.seats) if seat != double_agent])))


@pytest.mark.parametrize("seed", range(25))
def test_counts_are_those_of_brute_force(camp, seed):
    _, view = random_list(camp, seed, length=seed)
    assert histories(camp, view) == counted_by_force(camp, view)


@pytest.mark.parametrize("seed", range(4))
def test_every_suspect_is_as_likely_and_every_history_of_one(camp, seed):
    _, view = random_list(camp, 100 + seed, length=9)
    possible = brute_force(camp, view)
    drawn = camp.determinize(view, np.arange(40 * len(possible), dtype=np.uint64))
    counts = Counter(
        (int(w["role"].argmax()), int(w["opening"]) - 1, tuple(w["found"][: w["listed"]].tolist())) for w in drawn
    )
    assert set(counts) == set(possible)
    assert len(possible) == len(set(possible))
    histories_of = Counter(suspect for suspect, *_ in possible)
    expected = [counts.total() / len(histories_of) / histories_of[suspect] for suspect, *_ in possible]
    assert chisquare([counts[history] for history in possible], expected).pvalue > 1e-4


def test_inspecting_often_makes_nobody_more_suspect(camp):
    """Nobody has found anything yet, and one seat has inspected four monitors."""
    states = inspected(camp, dealt(camp, double_agent=2), "1 GAR", "1 HUT", "1 KIT", "1 LAB")
    drawn = camp.determinize(camp.view(states, 0), np.arange(3000, dtype=np.uint64))
    assert np.abs(drawn["role"][:, 1:4].mean(axis=0) - 1 / 3).max() < 0.04


def test_the_opening_plays_tell_nothing(camp):
    """Half of the seats have made theirs (D2)."""
    states = run(camp, camp.begin(), "double agent 2", "first 1", "wait")
    drawn = camp.determinize(camp.view(states, 0), np.arange(3000, dtype=np.uint64))
    assert np.abs(drawn["role"][:, 1:4].mean(axis=0) - 1 / 3).max() < 0.04


def test_worlds_agree_in_everything_with_their_list(camp):
    """Marks and monitors are what the history makes them, as the rules would have left them."""
    _, view = random_list(camp, 7, length=30)
    for world in camp.determinize(view, np.arange(20, dtype=np.uint64)):
        codes = names_of(camp).sectors
        again = dealt(camp, int(world["role"].argmax()), codes[world["opening"] - 1])
        for entry, found in zip(world["security_list"], world["found"][: world["listed"]], strict=False):
            text = f"{int(entry) & SEAT} {codes[int(entry) >> SEAT_BITS]}"
            again = inspected(camp, again, text + (" sabotage" if found == SABOTAGED else ""))
        for name in ("monitor", "mark", "found", "since", "security_list"):
            assert (again[name][0] == world[name]).all()


def test_during_the_opening_nobody_has_sabotaged_before_its_place(camp):
    states = dealt(camp, double_agent=3, opening=None, first=0)
    view = camp.view(run(camp, states, "wait"), 1)
    counted = counted_by_force(camp, view)
    assert histories(camp, view) == counted
    assert counted == {(0, 0): 1, (0, 1): 1, (0, 2): 1, (0, 3): 1, (2, SECTORS): 1, (3, SECTORS): 1}


@pytest.mark.parametrize("seed", range(6))
def test_at_the_end_the_monitors_are_seen_by_all(camp, seed):
    """D13: who sabotaged them is known then, but not when."""
    states, _ = random_list(camp, 50 + seed, length=12)
    double_agent = int(states["role"][0].argmax())
    viewer = (double_agent + 1) % 4
    cells = {double_agent: "f4", viewer: "h4"}
    states = run(camp, thrown(standing(camp, states, cells), viewer, 8), f"accuse {double_agent}")
    for seat in range(4):
        if seat != double_agent:
            view = camp.view(states, seat)
            counted = counted_by_force(camp, view)
            assert histories(camp, view) == counted
            assert {suspect for suspect, _ in counted} == {double_agent}


def test_the_double_agent_has_one_world_only(camp):
    states, _ = random_list(camp, 3, length=10)
    double_agent = int(states["role"][0].argmax())
    drawn = camp.determinize(camp.view(states, double_agent), np.arange(3, dtype=np.uint64))
    for world in drawn:
        assert world["rng"] in range(3)
        world["rng"] = states["rng"][0]
        assert world.tobytes() == states[0].tobytes()


def test_in_whole_games_on_the_small_board():
    """Views from play, accusations and all, with short lists."""
    game, checked = kgb_env.game("double_agent-mini", max_turns=8), 0
    for seed in range(12):
        for states in list(random_states(game, seed))[::5]:
            for seat in range(3):
                if states["role"][0, seat] != DOUBLE_AGENT and states["listed"][0] <= 12:
                    view = game.view(states, seat)
                    assert histories(game, view) == counted_by_force(game, view)
                    checked += 1
    assert checked > 60


def test_the_most_histories_fit_64_bits():
    game = kgb_env.game("double_agent", deluxe=True, players=4)
    states = dealt(game, double_agent=1, opening="SEC")
    codes = [code for code, has in zip(names_of(game).sectors, game.tables[0].has_monitor, strict=False) if has]
    states = inspected(game, states, *(f"1 {codes[k % 15]}" for k in range(60)))
    view = game.view(states, 0)
    assert histories(game, view)[1, 0] == 5**14
    assert sum(histories(game, view).values()) == 15 * 5**14 + 2 * 15

"""What the rules in words say about walks and maps is what the rules do."""

import numpy as np
import pytest

import kgb_env
from kgb_env.games.double_agent import boards as double_agent
from kgb_env.games.double_agent.spec import GO
from kgb_env.games.secret_formula import boards as secret_formula
from kgb_env.games.secret_formula.spec import MOVE
from tests.random_play import random_states

BY_EXITS = "the distance through each of its exits"
EVEN_OR_ODD = "a cell at distance d by every throw of at least d that is even or odd like d"
EXACT_REST = "so the distance must be even or odd like the rest"
BOARDS = {"mini": {"max": 40}, "standard": {"max": 12}, "deluxe": {"max": 8, "deluxe": True}}


def games_of(id, limit):
    """Return a game on the small, the standard and the deluxe board."""
    return [
        pytest.param(f"{id}-mini" if board == "mini" else id, {**options, limit: options["max"]}, id=board)
        for board, options in BOARDS.items()
    ]


def made(id, options):
    return kgb_env.game(id, **{name: value for name, value in options.items() if name != "max"})


def distances(camp, start, closed=None):
    """Return the distance of all places that can be reached, never stepping into a sector that is closed."""
    found, edge = {start: 0}, [start]
    for place in edge:
        for to in camp.links[place]:
            if to not in found and (closed is None or camp.sector_of.get(to) != closed):
                found[to] = found[place] + 1
                edge.append(to)
    return found


def landing(lengths, count):
    """Return where a walk of exactly so many steps ends, by the sentence in the rules."""
    return {place for place, length in lengths.items() if length <= count and (count - length) % 2 == 0}


def went(game, states, camp):
    """Return the places that the seat to move may go to."""
    kinds = (game.actions.where(int(action)) for action in game.legal(states))
    return {camp.places[number[0]] for kind, number in kinds if kind == "go"}


@pytest.mark.parametrize(("id", "options"), games_of("double_agent", "max_turns"))
def test_one_goes_where_the_rules_of_the_double_agent_say(id, options):
    game = made(id, options)
    camp, told = double_agent.camp_of(game), game.notation.rules(game)
    assert EVEN_OR_ODD in told
    compared = []
    for seed in range(4):
        for states in random_states(game, seed):
            s = states[0]
            if s.over or s.phase != GO:
                continue
            me = int(s.to_move)
            if s.cell[me] >= 0:
                ways = [distances(camp, camp.places[s.cell[me]])]
            else:
                ways = [{to: 1 + d for to, d in distances(camp, place).items()} for place in camp.start]
                if BY_EXITS not in told:
                    ways = [{to: min(way[to] for way in ways) for to in ways[0]}]
            taken = {camp.places[cell] for seat, cell in enumerate(s.cell[: game.seats]) if seat != me and cell >= 0}
            wanted = set().union(*(landing(way, int(s.throw)) for way in ways)) - taken
            assert went(game, states, camp) == wanted
            compared.append(s.cell[me] < 0)
    assert {*compared} == {True, False}


def test_exits_are_told_apart_only_where_it_matters():
    told = {id: kgb_env.game(id).notation.rules(kgb_env.game(id)) for id in ("double_agent", "double_agent-mini")}
    assert BY_EXITS not in told["double_agent"]
    assert f"{BY_EXITS} (b4, e4)" in told["double_agent-mini"]


@pytest.mark.parametrize(("id", "options"), games_of("secret_formula", "max_rounds"))
def test_one_goes_where_the_rules_of_the_secret_formula_say(id, options):
    """Places without envelopes or rivals, outside the guard's sector."""
    game = made(id, options)
    camp = secret_formula.camp_of(game)
    assert EXACT_REST in game.notation.rules(game)
    compared = []
    for seed in range(4):
        for states in random_states(game, seed):
            s = states[0]
            if s.over or s.to_move < 0 or s.phase != MOVE:
                continue
            me, guarded = int(s.to_move), int(s.guard)
            inside = s.cell[me] >= 0
            start = camp.places[s.cell[me]] if inside else camp.gates[s.gate[me]].place
            lengths = {to: d + (not inside) for to, d in distances(camp, start, guarded).items()}
            busy = {camp.places[cell] for seat, cell in enumerate(s.cell[: game.seats]) if seat != me and cell >= 0}
            busy |= {camp.places[cell] for cell in s.lies[: len(camp.hiding)] if cell >= 0}
            busy |= {place for place, sector in camp.sector_of.items() if sector == guarded}
            assert went(game, states, camp) - busy == landing(lengths, int(s.left)) - busy
            compared.append(inside)
    assert {*compared} == {True, False}


def test_the_map_hides_what_the_rules_say():
    """Of several seats on a cell the highest is drawn, seats over envelopes, envelopes over the guard."""
    game = kgb_env.game("secret_formula")
    told = game.notation.rules(game)
    assert "the map shows the one with the highest number" in told
    assert "A seat hides an envelope or the guard on its cell, an envelope the guard" in told
    camp, states = secret_formula.camp_of(game), game.start(1)
    s = states[0]
    post = camp.sectors[s.guard].post
    shown = []
    for seats, envelope in (([], False), ([], True), ([1, 3, 0], True), ([1, 0], False)):
        s.cell[:], s.lies[:] = -1, -1
        s.cell[seats] = camp.number[post]
        s.lies[0] = camp.number[post] if envelope else camp.number[camp.hiding[0]]
        drawn = game.notation.draw(game, states)
        shown.append(drawn.splitlines()[post[0]][post[1]])
        name = secret_formula.names_of(game).cells[camp.number[post]]
        assert [f"seat {seat} " in drawn and f"{name} " in drawn for seat in seats] == [True] * len(seats)
        assert (f" on {name}" in drawn) == envelope
    assert shown == ["&", "X", "3", "1"]


def test_a_seat_is_told_that_it_is_exposed():
    game = kgb_env.game("double_agent")
    states = game.start(3)
    agents = np.flatnonzero(states["role"][0, : game.seats] == 0)
    told = "You are exposed: all know that you are a Security Agent, and nobody can accuse you any more."
    for exposed in (0, 1):
        states["exposed"][0, agents[0]] = exposed
        views = [game.view(states, int(seat)) for seat in agents[:2]]
        assert [told in kgb_env.text_view(view) for view in views] == [bool(exposed), False]

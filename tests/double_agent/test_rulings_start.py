"""Rulings D1 to D4: players, roles, the opening play, the start, the turn."""

from math import ceil

import numpy as np
import pytest

import kgb_env
from kgb_env import PUBLIC, OptionError, kernels
from kgb_env.errors import NotationError
from kgb_env.games.double_agent.spec import DOUBLE_AGENT, SECURITY_AGENT
from kgb_env.record import UNKNOWN
from tests.double_agent.positions import (
    MONITORS,
    condition,
    dealt,
    is_throw_due,
    landings,
    legal,
    others,
    own_game,
    run,
    standing,
    thrown,
    where,
    whose_turn,
)

pytestmark = pytest.mark.nojit


@pytest.fixture
def camp(tmp_path):
    return own_game(tmp_path)


def chances(game, states):
    weights = game.weights()
    kernels.chance(states[0], weights, game.tables[0])
    return weights.tolist()


@pytest.mark.parametrize("players", range(3, 7))
def test_d1_one_seat_is_the_double_agent_each_as_likely(tmp_path, players):
    game = own_game(tmp_path, players=players)
    states = game.begin()
    assert chances(game, states) == [1] * players + [0] * (11 - players)
    states = run(game, states, "double agent 1")
    assert states["role"][0].tolist() == [DOUBLE_AGENT if seat == 1 else SECURITY_AGENT for seat in range(6)]


def test_d1_four_players_by_default_and_three_to_six():
    assert kgb_env.game("double_agent").seats == 4
    for players in (2, 7):
        with pytest.raises(OptionError, match="players"):
            kgb_env.game("double_agent", players=players)


def test_d1_a_security_agent_knows_its_own_role_only_and_the_double_agent_all(camp):
    states = dealt(camp, double_agent=2)
    assert camp.view(states, 0)["role"][0, :4].tolist() == [SECURITY_AGENT, UNKNOWN, UNKNOWN, UNKNOWN]
    assert camp.view(states, 2)["role"][0, :4].tolist() == states["role"][0, :4].tolist()
    assert camp.view(states, PUBLIC)["role"][0, :4].tolist() == [UNKNOWN] * 4


def test_d1_who_accuses_is_known_to_be_a_security_agent(camp):
    states = standing(camp, dealt(camp, double_agent=2), {0: "f4", 1: "h4"})
    states = run(camp, thrown(states, 0, 2), "accuse 1")
    for seat in (3, PUBLIC):
        assert camp.view(states, seat)["role"][0, [0, 1]].tolist() == [SECURITY_AGENT] * 2


def test_d2_every_seat_acts_once_from_the_first_seat_to_the_left(camp):
    states, order = dealt(camp, double_agent=3, opening=None, first=2), []
    while not is_throw_due(states):
        seat = int(states["to_move"][0])
        order.append(seat)
        assert legal(camp, states) == ({f"open {code}" for code in MONITORS} if seat == 3 else {"wait"})
        states = run(camp, states, "open LAB" if seat == 3 else "wait")
    assert order == [2, 3, 0, 1]
    assert condition(camp, states, "LAB") == "OFF"
    assert [condition(camp, states, code) for code in MONITORS[:3]] == ["ON"] * 3


def test_d2_nobody_learns_anything_and_it_is_no_inspection(camp):
    views = [camp.view(dealt(camp, 3, code), 0).tobytes() for code in MONITORS]
    assert len(set(views)) == 1
    assert views[0] == camp.view(dealt(camp, 1, "GAR"), 0).tobytes()
    assert dealt(camp)["listed"][0] == 0


def test_d3_the_first_seat_is_drawn_and_the_turn_passes_to_the_left(camp):
    states = run(camp, camp.begin(), "double agent 0")
    assert chances(camp, states) == [1] * 4 + [0] * 7
    states, order = dealt(camp, first=2), []
    for cell in ("c2", "f2", "j2", "n2", "c2"):
        order.append(whose_turn(camp, states))
        states = run(camp, standing(camp, states, {order[-1]: cell}), "throw 2", f"go {cell}")
    assert order == [2, 3, 0, 1, 2]


def test_d3_all_start_in_the_gazebo_which_is_not_occupied(camp):
    states = dealt(camp)
    assert [where(camp, states, seat) for seat in range(4)] == [None] * 4
    states = run(camp, states, "throw 2", "go c3", "throw 2")
    assert landings(camp, states) == {"b4", "d4", "b6"}  # c3 is occupied


@pytest.mark.parametrize(
    ("throw", "cells"),
    [
        (2, {"c3", "b4", "d4", "b6"}),
        (3, {"c2", "b5", "c4"}),
    ],
)
def test_d3_the_first_count_is_a_flagstone_beside_the_gazebo(camp, throw, cells):
    """From c4 and b5 with one count less, which may be spent back and forth."""
    assert landings(camp, run(camp, dealt(camp), f"throw {throw}")) == cells


def test_d3_nobody_enters_or_crosses_the_gazebo_again(camp):
    """From c4 to b5 it is two steps around the corner, and there is no cell c5."""
    states = thrown(standing(camp, dealt(camp), {0: "c4"}), 0, 2)
    assert landings(camp, states) == {"c4", "c2", "b5"}
    assert "b5" not in landings(camp, thrown(states, 0, 3))
    with pytest.raises(NotationError, match="no 'c5'"):
        run(camp, states, "go c5")


def test_d4_two_dice_of_which_doubles_mean_nothing(camp):
    states = dealt(camp)
    assert chances(camp, states) == [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]
    states = run(camp, states, "throw 12", "go f2")
    assert whose_turn(camp, states) == 1


def test_d4_a_turn_is_a_throw_going_and_the_choice_at_a_monitor(camp):
    states = standing(camp, dealt(camp, double_agent=1), {0: "g3"})
    states = thrown(states, 0, 3)
    assert others(camp, states) == set()
    states = run(camp, states, "go g6")
    assert legal(camp, states) == {"skip", "inspect"}
    states = run(camp, states, "skip")
    assert is_throw_due(states)
    assert whose_turn(camp, states) == 1


def test_the_number_of_monitors_to_sabotage_is_five_ninths_rounded_up(camp):
    assert camp.tables[0].needed == ceil(4 * 5 / 9) == 3
    assert kgb_env.game("double_agent-mini").tables[0].needed == 2
    assert kgb_env.game("double_agent").tables[0].needed == 5


def test_a_walk_across_a_seat_is_allowed(camp):
    """K10: passing through an occupied cell, never landing on it."""
    states = thrown(standing(camp, dealt(camp), {0: "g3", 1: "g4"}), 0, 2)
    assert "g5" in landings(camp, states)
    assert "g4" not in landings(camp, thrown(states, 0, 3))


def test_what_the_state_holds_is_small():
    assert kgb_env.game("double_agent").state.itemsize <= 4096


def test_a_start_is_a_start_whatever_was_before(camp):
    states = run(camp, dealt(camp), "throw 7", "go c4")
    kernels.begin(states[0], camp.tables[0])
    fresh = camp.begin()
    states["viewer"] = fresh["viewer"]
    assert states.tobytes() == fresh.tobytes()
    assert not np.asarray(fresh["log"]).any()

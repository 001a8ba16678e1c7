"""Rulings D12 to D15: the last Security Agent, the cap, the returns, the deluxe game."""

import numpy as np
import pytest

import kgb_env
from kgb_env import PUBLIC, derive_seed
from kgb_env.games.double_agent.boards import camp_of
from kgb_env.games.double_agent.spec import DOUBLE_AGENT
from kgb_env.record import NOBODY, UNKNOWN
from tests.double_agent.positions import (
    condition,
    dealt,
    findings,
    inspected,
    is_throw_due,
    others,
    own_game,
    result,
    run,
    standing,
    thrown,
    where,
    whose_turn,
)
from tests.random_play import random_states

pytestmark = pytest.mark.nojit


@pytest.fixture
def camp(tmp_path):
    return own_game(tmp_path)


CELLS = {0: "f4", 1: "h4", 2: "g5", 3: "g2", 4: "h5", 5: "f5"}


def accused(game, states, *pairs):
    """Return the state after these accusations, all seats being near each other."""
    for accuser, accused in pairs:
        cells = {seat: CELLS[seat] for seat in range(game.seats) if not states["out"][0, seat]}
        states = run(game, thrown(standing(game, states, cells), accuser, 8), f"accuse {accused}")
    return states


# D12


def test_d12_the_last_security_agent_can_only_accuse_rightly(camp):
    states = accused(camp, dealt(camp, double_agent=3), (0, 1), (1, 2))
    assert others(camp, thrown(states, 2, 12)) == {"accuse 3"}
    assert camp.view(states, 2)["role"][0, 3] == DOUBLE_AGENT
    assert camp.view(states, PUBLIC)["role"][0, 3] == DOUBLE_AGENT  # nobody else is left


def test_d12_who_is_shown_that_one_suspect_is_left_knows(camp):
    states = accused(camp, dealt(camp, double_agent=3), (0, 1))
    assert camp.view(states, 2)["role"][0, 3] == DOUBLE_AGENT  # it knows itself not to be
    assert camp.view(states, 1)["role"][0, 2:4].tolist() == [UNKNOWN] * 2
    assert camp.view(states, PUBLIC)["role"][0, 2:4].tolist() == [UNKNOWN] * 2


@pytest.mark.parametrize("players", [3, 4, 6])
def test_d12_a_security_agent_is_always_left(tmp_path, players):
    """In games in which everybody accuses whom he can."""
    game, rng = own_game(tmp_path, players=players), np.random.default_rng(players)
    for k in range(20):
        states = game.start(derive_seed(players, 0, k))
        while not states["over"][0]:
            legal = game.legal(states)
            rash = legal[(legal >= game.actions.accuse.start) & (legal < game.actions.accuse.stop)]
            game.play(states, int(rng.choice(rash if rash.size else legal)))
            in_play = [not states["out"][0, s] and states["role"][0, s] != DOUBLE_AGENT for s in range(players)]
            assert sum(in_play) >= 1


# D13


def rounds(game, states):
    """Play on the spot until the game is over, and return the seats that had a turn."""
    order = []
    while whose_turn(game, states) is not None:
        seat = whose_turn(game, states)
        order.append(seat)
        states = standing(game, states, {seat: "bdfhjl"[seat] + "2"})
        states = run(game, states, "throw 2", f"go {where(game, states, seat)}")
    return order, states


def test_d13_the_cap_is_exact_to_the_turn(tmp_path):
    game = own_game(tmp_path, max_turns=3)
    order, states = rounds(game, dealt(game, first=2))
    assert order == [2, 3, 0, 1] * 3
    assert result(game, states) == ("turn limit", [0.0] * 4)
    assert game.is_truncation(states["reason"])[0]
    assert states["to_move"][0] == NOBODY


def test_d13_a_round_ends_before_the_first_seats_place_in_play_or_not(tmp_path):
    game = own_game(tmp_path, max_turns=3)
    states = run(game, thrown(standing(game, dealt(game, 3), {0: "f4", 1: "h4"}), 0, 8), "accuse 1")
    order, states = rounds(game, states)
    assert order == [1, 2, 3] * 3
    assert result(game, states)[0] == "turn limit"


def test_d13_out_in_the_last_place_of_the_last_round(tmp_path):
    game = own_game(tmp_path, max_turns=2)
    states = dealt(game, double_agent=0)
    for cell in ("b2", "d2", "h2"):
        seat = whose_turn(game, states)
        states = run(game, standing(game, states, {seat: cell}), "throw 2", f"go {cell}")
    states = run(game, thrown(standing(game, states, {3: "j2"}), 3, 8), "accuse 2")
    order, states = rounds(game, states)
    assert order == [0, 1, 2]
    assert result(game, states) == ("turn limit", [0.333333, 0.333333, 0.333333, -1.0])


def test_d13_at_the_end_roles_and_monitors_become_public(camp):
    states = inspected(camp, dealt(camp, double_agent=3), "0 GAR", "3 KIT sabotage")
    states = accused(camp, states, (1, 3))
    for seat in (0, 1, 2, PUBLIC):
        view = camp.view(states, seat)
        assert view["role"][0, :4].tolist() == [0, 0, 0, DOUBLE_AGENT]
        assert [condition(camp, view, code) for code in ("GAR", "HUT", "KIT", "LAB")] == ["ON", "OFF", "OFF", "ON"]
    assert findings(camp.view(states, 1)) == ["?", "?"]  # what others have found is still theirs


# D14


@pytest.mark.parametrize("players", range(3, 7))
def test_d14_the_winner_gets_one_and_the_others_share_the_loss(tmp_path, players):
    game = own_game(tmp_path, players=players)
    states = accused(game, dealt(game, double_agent=1), (0, 1))
    share = round(-1 / (players - 1), 6)
    assert result(game, states) == ("exposure", [1.0, *[share] * (players - 1)])


def test_d14_wrong_accusations_move_the_stake_to_all_others(tmp_path):
    game = own_game(tmp_path, stake=0.6)
    states = accused(game, dealt(game, double_agent=3), (0, 1), (1, 2), (2, 3))
    third = 1 / 3
    expected = [-third - 0.6 + 0.2, -third - 0.6 + 0.2, 1 + 0.4, -third + 0.4]
    assert result(game, states) == ("exposure", [round(r, 6) for r in expected])


def test_d14_without_a_stake_it_costs_nothing(tmp_path):
    game = own_game(tmp_path, stake=0)
    states = accused(game, dealt(game, double_agent=3), (0, 1), (1, 2), (2, 3))
    assert result(game, states) == ("exposure", [-0.333333, -0.333333, 1.0, -0.333333])


def test_d14_team_rewards(tmp_path):
    game = own_game(tmp_path, rewards="team")
    start = dealt(game, double_agent=3)
    assert result(game, accused(game, start, (0, 3))) == ("exposure", [0.333333] * 3 + [-1.0])
    wrong = accused(game, start, (0, 1), (1, 3))
    assert result(game, wrong) == ("exposure", [-0.666667, 0.666667, 0.666667, -0.666667])
    escape = thrown(standing(game, inspected(game, start, "3 KIT sabotage", "3 LAB sabotage"), {3: "b2"}), 3, 5)
    assert result(game, run(game, escape, "leave west")) == ("escape", [-0.333333] * 3 + [1.0])


@pytest.mark.parametrize("players", range(3, 7))
@pytest.mark.parametrize("stake", [0, 0.1, 1, 7.3])
@pytest.mark.parametrize("rewards", ["individual", "team"])
def test_d14_the_bounds_are_reached(tmp_path, players, stake, rewards):
    game = own_game(tmp_path, players=players, stake=stake, rewards=rewards)
    start = dealt(game, double_agent=players - 1)
    chain = [(seat, seat + 1) for seat in range(players - 2)]
    ready = inspected(game, start, f"{players - 1} KIT sabotage", f"{players - 1} LAB sabotage")
    ends = [accused(game, start, (0, players - 1))]
    for wrong in (chain, chain[:1]):
        states = accused(game, ready, *wrong)
        escape = thrown(standing(game, states, {players - 1: "b2"}), players - 1, 5)
        ends.append(run(game, escape, "leave west"))
    returns = np.array([game.returns(states)[0] for states in ends])
    assert returns.max() == np.float32(game.max_return)
    assert returns.min() == np.float32(game.min_return)
    assert np.abs(returns.sum(axis=1)).max() < 1e-5


def test_d14_returns_come_once_at_the_end():
    game = kgb_env.game("double_agent-mini")
    for states in random_states(game, 5):
        assert states["over"][0] or not states["returns"].any()


# D15


@pytest.fixture(scope="module")
def deluxe():
    return kgb_env.game("double_agent", deluxe=True)


def test_d15_six_seats_by_default_and_four_to_six(deluxe):
    assert deluxe.seats == 6
    assert kgb_env.game("double_agent", deluxe=True, players=4).seats == 4
    with pytest.raises(kgb_env.OptionError, match="deluxe game has 4 to 6"):
        kgb_env.game("double_agent", deluxe=True, players=3)


def test_d15_fifteen_monitors_eight_sabotages_six_gates(deluxe):
    t = deluxe.tables[0]
    assert (t.sectors, t.has_monitor.sum(), t.needed, t.gates) == (18, 15, 8, 6)
    names = [sector.name for sector in camp_of(deluxe).sectors]
    without = {name for name, has_monitor in zip(names, t.has_monitor, strict=True) if not has_monitor}
    assert without == {"Observation Tower", "Woods", "Garage"}


def test_d15_no_choice_in_a_sector_without_a_monitor(deluxe):
    t = deluxe.tables[0]
    sector = [sector.name for sector in camp_of(deluxe).sectors].index("Garage")
    floor = np.flatnonzero(t.sector[: t.cells] == sector)
    states = dealt(deluxe, opening="SEC")
    states["cell"][0, 0], states["barred"][0, 0] = floor[0], -1
    states = thrown(states, 0, 2)
    deluxe.play(states, int(deluxe.actions.go.start + floor[0]))
    assert whose_turn(deluxe, states) == 1
    assert states["monitor"][0, sector] == 0
    before = run(deluxe, deluxe.begin(), "double agent 0", "first 0")
    with pytest.raises(kgb_env.IllegalActionError):
        deluxe.play(before, int(deluxe.actions.open.start + sector))


def test_d15_one_can_walk_from_board_to_board(deluxe):
    """K2: the grey cells and the gates in the fence are open."""
    t = deluxe.tables[0]
    assert (t.walk[:, : t.cells, : t.cells].min(axis=0) < 255).all()
    standard = kgb_env.game("double_agent").tables[0]
    assert standard.cells < t.cells


def test_17_after_an_elimination_the_turn_goes_on_to_the_next_seat_in_play(camp):
    states = accused(camp, dealt(camp, double_agent=3), (1, 0))
    assert is_throw_due(states)
    assert whose_turn(camp, states) == 2

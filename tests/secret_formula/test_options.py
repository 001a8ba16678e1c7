"""Options of The Secret Formula, its encoding, and that every game built of them keeps the contract."""

import pickle
import warnings

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test

import kgb_env
from kgb_env import PUBLIC, KGBEnv, OptionError
from kgb_env.errors import DataFileError
from kgb_env.games.secret_formula import rules, spec
from kgb_env.games.secret_formula.log import log_text
from kgb_env.testing import check_game
from tests.random_play import random_states
from tests.secret_formula.positions import BOARD, at, own_game, run

SHORT = {"max_rounds": 8}
GAMES = {
    "two": ("secret_formula", {"players": 2, **SHORT}),
    "three, mercy": ("secret_formula", {"players": 3, "mercy": True, **SHORT}),
    "deluxe, two": ("secret_formula", {"deluxe": True, "players": 2, **SHORT}),
    "deluxe, five": ("secret_formula", {"deluxe": True, "players": 5, **SHORT}),
    "deluxe, six": ("secret_formula", {"deluxe": True, **SHORT}),
    "mini, mercy": ("secret_formula-mini", {"mercy": True}),
}


@pytest.fixture(params=GAMES)
def game(request):
    """Return each game in turn."""
    id, options = GAMES[request.param]
    return kgb_env.game(id, **options)


def test_every_game_keeps_the_contract(game):
    assert check_game(game, pairs=150, other_mode=False).pairs >= 150


def test_pettingzoo_accepts_every_game(game):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(KGBEnv(game), num_cycles=100)
    seed_test(lambda: KGBEnv(game), num_cycles=20)


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 1}, "players=1"),
        ({"players": 5}, "the standard game has 2 to 4"),
        ({"deluxe": True, "players": 7}, "players=7"),
        ({"board": "mini", "players": 3}, "the board has 2"),
        ({"max_rounds": 61}, "max_rounds=61"),
        ({"max_rounds": 0}, "max_rounds=0"),
        ({"mercy": 1}, "boolean"),
        ({"board": "nowhere"}, "shipped file"),
        ({"other_board": "mini"}, "add deluxe=True"),
        ({"player": 4}, "did you mean 'players'"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        kgb_env.game("secret_formula", **options)


@pytest.mark.nojit
def test_bad_boards_are_refused(tmp_path):
    bare = BOARD.replace("X", ".").replace(" hiding 4", "")
    for board, message in ((BOARD.replace("=::", ":::"), "line"), (bare, "no hiding place")):
        with pytest.raises(DataFileError, match=message):
            own_game(tmp_path, board)


@pytest.mark.nojit
def test_boards_that_do_not_fit_are_refused():
    with pytest.raises(DataFileError, match=r"fence|letter"):
        kgb_env.game("secret_formula", deluxe=True, other_board="mini")


def test_pettingzoo_registration_and_presets():
    env = pettingzoo.make("aec", "kgb/secret_formula-mini-v0", max_rounds=5)
    assert env.game is kgb_env.game("secret_formula", board="mini", players=2, max_rounds=5)


@pytest.mark.nojit
def test_a_game_on_an_own_board_pickles_without_its_file(tmp_path):
    game = own_game(tmp_path)
    pickled = pickle.dumps(game)
    (tmp_path / "board.txt").unlink()
    assert pickle.loads(pickled) is game


# Room for the longest game


@pytest.mark.nojit
def test_the_log_forgets_the_oldest_events_but_no_two_pasts_look_alike(tmp_path):
    game = own_game(tmp_path)
    one, two = at(game, "seat 0 d2"), at(game, "seat 0 d2")
    for states, first in ((one, 1), (two, 2)):
        for event in range(spec.LOG + 50):
            rules.write(states[0], spec.LOG_SEAT, spec.MISSED + (first if event == 0 else 0))
    assert one["log"].tobytes() == two["log"].tobytes()
    assert one["forgotten"][0] != two["forgotten"][0]
    assert game.view(one, PUBLIC).tobytes() != game.view(two, PUBLIC).tobytes()
    lines = log_text(game, one)
    assert lines[0] == "(50 earlier events)"
    assert len(lines) == 1 + spec.LOG


@pytest.mark.nojit
def test_a_long_game_fits_into_the_log():
    for seed in range(2):
        *_, last = random_states(kgb_env.game("secret_formula", max_rounds=60), seed)
        assert last["events"][0] < spec.LOG * 0.8


# The observation


@pytest.mark.nojit
def test_no_layout_has_a_value_that_int8_cannot_hold():
    for id, options in GAMES.values():
        game = kgb_env.game(id, **options)
        assert game.observation.high().max() <= 127
        assert game.state.itemsize <= 4096


@pytest.mark.nojit
def test_named_entries_are_where_the_layout_says(tmp_path):
    """Decode positions by the layout alone and find the camp again, from every seat."""
    game = own_game(tmp_path, max_rounds=20)
    t, n = game.tables[0], 6
    for states in list(random_states(game, 4))[3:200:11]:
        s = states[0]
        for me in range(4):
            view = game.view(states, me)
            frame = game.encode(view)
            seen, mask = (game.observation.split(part[0]) for part in (frame.observation, frame.observation_mask))
            for place in range(4):
                seat = (me + place) % 4
                cell, plane = int(s.cell[seat]), seen["planes"][spec.FIRST_SEAT_PLANE + place]
                assert plane.sum() == (cell >= 0)
                assert seen["to_move"][place] == (s.to_move == seat)
                assert seen["first"][place] == (s.first == seat)
                assert seen["knocked_out"][place] == (s.status[seat] == spec.DOWN)
                assert seen["hunted"][place] == (int(s.hunted) >> seat) & 1
                assert seen["carried"][place] == (s.holder == seat).sum()
                assert seen["holder"][place].tolist() == (s.holder[:n] == seat).tolist()
                assert (seen["examined"][place] << np.arange(n)).sum() == s.examined[seat]
                assert seen["at_gate"][place].sum() == (s.gate[seat] >= 0)
                if cell >= 0:
                    assert plane[t.row[cell], t.column[cell]]
                    assert (seen["row"][place], seen["column"][place]) == (t.row[cell] + 1, t.column[cell] + 1)
            assert seen["guard"].argmax() == s.guard
            assert seen["next_guard"].argmax() == t.next_sector[s.guard]
            assert (seen["ground"] > 0).sum() == t.cells
            lying = {int(t.place[cell]) for cell in s.lies[:n] if cell >= 0}
            assert set(np.flatnonzero(seen["envelopes"])) == lying
            unknown = {
                int(t.place[cell]) for e, cell in enumerate(s.lies[:n]) if cell >= 0 and not s.examined[me] >> e & 1
            }
            assert set(np.flatnonzero(seen["envelopes"] == spec.NOT_EXAMINED)) == unknown
            known = view["contents"][0, :n] >= 0
            assert mask["formula"].tolist() == known.tolist()
            assert seen["formula"].tolist() == (view["contents"][0, :n] == 1).tolist()
            if s.throw:
                low, high = spec.THROWS[s.throw - 1]
                assert seen["dice"].argmax(axis=1).tolist() == [low - 1, high - 1]
            assert seen["left"].sum() == (s.left > 0)
            left = int(s.max_rounds) - int(s.turn) // 4
            assert (seen["rounds_left"] << np.arange(spec.ROUND_BITS)).sum() == left


@pytest.mark.nojit
def test_the_spatial_part_can_be_reshaped(tmp_path):
    game = own_game(tmp_path)
    states = at(game, "seat 0 d2", "seat 1 e2", "then throw 1 2")
    observation = game.encode(game.view(states, 0)).observation
    planes = observation[:, game.observation.ground.start :].reshape(1, -1, 8, 17)
    pieces = game.observation.split(observation)
    assert (planes[:, 0] == pieces["ground"]).all()
    assert (planes[:, 1] == pieces["envelopes"]).all()
    assert (planes[:, 2:] == pieces["planes"]).all()
    legal = game.legal(states)
    go = legal[legal >= game.actions.go.start] - game.actions.go.start
    t = game.tables[0]
    reach = np.argwhere(pieces["planes"][0, spec.REACH_PLANE]).tolist()
    assert reach == sorted([int(t.row[cell]), int(t.column[cell])] for cell in go)


@pytest.mark.nojit
def test_the_same_camp_from_every_seat(tmp_path):
    """One policy can play every seat: the same situation turned by a seat is encoded alike."""
    game = own_game(tmp_path)
    seen = []
    for turn in range(4):
        seats = [(turn + k) % 4 for k in range(4)]
        lines = f"first {seats[0]}", f"turn {seats[0]}", f"seat {seats[0]} d2", f"seat {seats[1]} h4 woken"
        states = at(game, "formula h6", *lines, f"seat {seats[2]} e2", f"envelope h6 seat {seats[1]}", "then throw 1 2")
        seen.append([game.encode(game.view(run(game, states, "go e2"), seat))[1:] for seat in seats])
    for others in seen[1:]:
        for one, other in zip(seen[0], others, strict=True):
            for a, b in zip(one, other, strict=True):
                assert (a == b).all()

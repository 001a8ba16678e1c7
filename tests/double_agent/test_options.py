"""Options of The Double Agent, its encoding, and that every game built of them keeps the contract."""

import pickle
import warnings

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test

import kgb_env
from kgb_env import KGBEnv, OptionError
from kgb_env.errors import DataFileError
from kgb_env.games.double_agent import spec
from kgb_env.games.double_agent.boards import needed_for_escape
from kgb_env.testing import check_game
from tests.double_agent.positions import BOARD, dealt, inspected, own_game, run, standing, thrown
from tests.random_play import random_states

SHORT = {"max_turns": 12}
GAMES = {
    "three": ("double_agent", {"players": 3, **SHORT}),
    "five, team": ("double_agent", {"players": 5, "rewards": "team", **SHORT}),
    "six": ("double_agent", {"players": 6, "stake": 0, **SHORT}),
    "deluxe, four": ("double_agent", {"deluxe": True, "players": 4, **SHORT}),
    "deluxe, six": ("double_agent", {"deluxe": True, **SHORT}),
    "mini": ("double_agent-mini", {}),
    "mini, six, team": ("double_agent-mini", {"players": 6, "rewards": "team", "stake": 2.5}),
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
        ({"players": 2}, "players=2"),
        ({"players": 7}, "players=7"),
        ({"deluxe": True, "players": 3}, "the deluxe game has 4 to 6"),
        ({"max_turns": 61}, "max_turns=61"),
        ({"max_turns": 0}, "max_turns=0"),
        ({"stake": -0.5}, "stake=-0.5"),
        ({"stake": float("nan")}, "stake=nan"),
        ({"rewards": "both"}, "'individual' or 'team'"),
        ({"board": "nowhere"}, "shipped file"),
        ({"other_board": "mini"}, "add deluxe=True"),
        ({"deluxe": 1}, "boolean"),
        ({"player": 4}, "did you mean 'players'"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        kgb_env.game("double_agent", **options)


@pytest.mark.nojit
def test_bad_boards_are_refused(tmp_path):
    for board, message in (
        (BOARD.replace("=::", ":::"), "line"),
        (BOARD.replace("@", '"'), "no gazebo"),
    ):
        with pytest.raises(DataFileError, match=message):
            own_game(tmp_path, board)


@pytest.mark.nojit
def test_boards_that_do_not_fit_are_refused():
    with pytest.raises(DataFileError, match=r"fence|letter"):
        kgb_env.game("double_agent", deluxe=True, other_board="mini")


def test_pettingzoo_registration_and_presets():
    env = pettingzoo.make("aec", "kgb/double_agent-mini-v0", players=4)
    assert env.game is kgb_env.game("double_agent", board="mini", players=4, max_turns=20)
    assert kgb_env.game("double_agent-mini").seats == 3


@pytest.mark.nojit
def test_stake_may_be_written_as_an_integer():
    assert kgb_env.game("double_agent", stake=1) is kgb_env.game("double_agent", stake=1.0)


@pytest.mark.nojit
def test_a_game_on_an_own_board_pickles_without_its_file(tmp_path):
    game = own_game(tmp_path)
    pickled = pickle.dumps(game)
    (tmp_path / "board.txt").unlink()
    assert pickle.loads(pickled) is game


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("monitors", "deluxe", "needed"), [(9, False, 5), (3, False, 2), (2, False, 2), (18, False, 10), (15, True, 8)]
)
def test_monitors_needed(monitors, deluxe, needed):
    assert needed_for_escape(monitors, deluxe) == needed


@pytest.mark.nojit
def test_the_longest_game_has_room(tmp_path):
    """Six seats, sixty rounds, an inspection in every turn, by seats that go back and forth between two doors."""
    game = own_game(tmp_path, players=6)
    states = run(game, standing(game, dealt(game), {seat: "egikmb"[seat] + "2" for seat in range(6)}), "throw 7")
    plies = 6
    while not states["over"][0]:
        legal = game.legal(states)
        go = legal[legal >= game.actions.go.start]
        if states["phase"][0] == spec.INSPECTION:
            choice = spec.INSPECT
        else:
            cells = go - game.actions.go.start
            inside = [a for a, c in zip(go, cells, strict=True) if _would_inspect(game, states, int(c))]
            choice = inside[0] if inside else legal[-1]
        game.play(states, int(choice))
        plies += 1
    assert states["turn"][0] == spec.TURNS
    assert plies <= game.max_plies
    assert 50 < states["listed"][0] <= spec.STATE["security_list"].shape[0] == spec.TURNS  # one a turn at most
    assert (states["since"] >= 0).all()


def _would_inspect(game, states, cell):
    sector = int(game.tables[0].sector[cell])
    return sector >= 0 and sector != states["barred"][0, states["to_move"][0]]


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
    game = own_game(tmp_path)
    t = game.tables[0]
    for states in list(random_states(game, 4))[6:200:17]:
        for me in range(4):
            view = game.view(states, me)
            seen = game.observation.split(game.encode(view).observation[0])
            for place in range(4):
                seat, cell = (me + place) % 4, int(states["cell"][0, (me + place) % 4])
                plane = seen["planes"][spec.FIRST_SEAT_PLANE + place]
                assert plane.sum() == (cell >= 0)
                assert seen["out"][place] == states["out"][0, seat]
                assert seen["exposed"][place] == states["exposed"][0, seat]
                assert seen["to_move"][place] == (states["to_move"][0] == seat)
                assert seen["first"][place] == (states["first"][0] == seat)
                if cell >= 0:
                    assert plane[t.row[cell], t.column[cell]]
                    assert (seen["row"][place], seen["column"][place]) == (t.row[cell] + 1, t.column[cell] + 1)
                    assert seen["sector"][place].argmax() == max(0, t.sector[cell])
            assert (seen["planes"][spec.WALKABLE_PLANE] > 0).sum() == t.cells
            assert (seen["sectors"] > 0).sum() == (t.sector[: t.cells] >= 0).sum()
            left = int(states["max_turns"][0]) - int(states["turn"][0]) // 4
            assert (seen["rounds_left"] << np.arange(spec.ROUND_BITS)).sum() == left
            for k in range(min(spec.LISTED, int(states["listed"][0]))):
                entry = int(states["security_list"][0, states["listed"][0] - 1 - k])
                assert seen["list_sector"][k].argmax() == entry >> spec.SEAT_BITS
                assert (seen["list_seat"][k].argmax() + me) % 4 == entry & spec.SEAT
            assert not seen["list_sector"][int(states["listed"][0]) :].any()


@pytest.mark.nojit
def test_the_spatial_part_can_be_reshaped(tmp_path):
    game = own_game(tmp_path)
    states = thrown(standing(game, dealt(game), {0: "g3", 1: "k3"}), 0, 4)
    observation = game.encode(game.view(states, 0)).observation
    planes = observation[:, game.observation.sectors.start :].reshape(1, -1, 7, 17)
    pieces = game.observation.split(observation)
    assert (planes[:, 0] == pieces["sectors"]).all()
    assert (planes[:, 1:] == pieces["planes"]).all()
    legal = game.legal(states)
    go = legal[legal >= game.actions.go.start] - game.actions.go.start
    reach = np.argwhere(pieces["planes"][0, spec.REACH_PLANE]).tolist()
    t = game.tables[0]
    assert reach == sorted([int(t.row[cell]), int(t.column[cell])] for cell in go)


@pytest.mark.nojit
def test_the_same_camp_from_every_seat(tmp_path):
    """One policy can play every seat: the same situation turned by a seat is encoded alike."""
    game = own_game(tmp_path)
    seen = []
    for turn in range(4):
        states = dealt(game, double_agent=(1 + turn) % 4, first=turn)
        states = standing(game, states, {turn: "g3", (1 + turn) % 4: "k3"})
        states = run(game, states, "throw 3", "go g4", "inspect", "throw 3", "go k4", "sabotage")
        seen.append([game.encode(game.view(states, (turn + k) % 4))[1:] for k in range(4)])
    for others in seen[1:]:
        for one, other in zip(seen[0], others, strict=True):
            for a, b in zip(one, other, strict=True):
                assert (a == b).all()


@pytest.mark.nojit
def test_what_the_observation_hides_is_what_the_seat_does_not_know(tmp_path):
    game = own_game(tmp_path)
    states = inspected(game, dealt(game, double_agent=3), "0 HUT", "3 KIT sabotage", "0 GAR", "1 GAR")
    frame = game.encode(game.view(states, 0))
    seen, mask = game.observation.split(frame.observation[0]), game.observation.split(frame.observation_mask[0])
    assert mask["double_agent"].tolist() == [1, 0, 0, 0]
    assert mask["off"].tolist() == [0, 1, 0, 0]
    assert seen["off"].tolist() == [0, 1, 0, 0]
    assert not mask["opening"].any()
    assert seen["announced"].tolist() == [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert mask["list_found"][:4].tolist() == [[0, 0, 0], [1, 1, 1], [0, 0, 0], [1, 1, 1]]
    assert seen["list_found"][:4].tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 1, 0]]
    full = game.encode(game.view(states, 3))
    assert full.observation_mask.all()
    seen = game.observation.split(full.observation[0])
    assert seen["double_agent"].tolist() == [1, 0, 0, 0]
    assert seen["opening"].tolist() == [0, 1, 0, 0]
    assert seen["list_found"][2].tolist() == [0, 0, 1]


def test_boards_on_which_the_game_cannot_be_played_are_refused(tmp_path):
    """Two gardens (D7), maps too long for the observation, no monitor at all (D15)."""
    two = "title Two\nsector G GAR Garden\nsector H HUT Hut\ngates north\nroute GAR HUT\nmap\n"
    two += "###=####\n#::::::#\n#+###+##\n#G.@.H.#\n#.*#*..#\n########\n"
    with pytest.raises(DataFileError, match="several sectors"):
        own_game(tmp_path, two, players=3)
    top = "=:::::::::::::::=\n"
    long = BOARD.replace(top, top + "########:########\n" * 120 + "#:::::::::::::::#\n")
    with pytest.raises(DataFileError, match="at most 126"):
        own_game(tmp_path, long)
    mute = BOARD.replace("gates west", "unmonitored GAR HUT KIT LAB\ngates west")
    assert own_game(tmp_path, mute).tables[0].has_monitor[:4].all()  # it says something about the deluxe game only

"""Texts of pictures: none leaves its picture, lies on another or is hidden by what is drawn later."""

import itertools
import re
import sys
from collections import defaultdict

import numpy as np
import pytest

import kgb_env
from kgb_env import PUBLIC
from kgb_env.camp.picture import centre, size_of, tokens
from kgb_env.games.double_agent import boards as double_agent
from kgb_env.games.secret_formula import boards as secret_formula
from kgb_env.games.secret_formula.spec import DOWN, THROW, THROWS
from kgb_env.render.picture import Picture
from kgb_env.render.svg import LEAST, PLAIN, cut, fitting, seats_token, text, width_of
from tests.pictures.layout import boxes_of, faults_of
from tests.random_play import random_states

TOKENS = {"special_actions": True}
CASES = [
    ("confusion", {"max_turns": 20}),
    ("confusion", {**TOKENS, "promotion_sir": True, "variable_setup": True, "max_turns": 20}),
    ("confusion", {**TOKENS, "honor_among_spies": True, "tight_setup": True, "max_turns": 20}),
    ("confusion", {"special_actions": [["reveal"], []], "auto_answer": True, "max_turns": 20}),
    ("confusion-mini", {}),
    ("confusion-mini", TOKENS),
    ("double_agent", {"max_turns": 30}),
    ("double_agent", {"deluxe": True, "max_turns": 30, "players": 6}),
    ("double_agent-mini", {}),
    ("secret_formula", {"max_rounds": 20}),
    ("secret_formula", {"deluxe": True, "players": 6, "max_rounds": 20}),
    ("secret_formula-mini", {}),
    ("suspicious", {"players": 8, "debate_rounds": 3}),
    ("suspicious", {"players": 4}),
    ("suspicious-mini", {}),
]
CAMPS = {"double_agent": double_agent.camp_of, "secret_formula": secret_formula.camp_of}
SAMPLED = 6  # positions of a game
LONGEST_WORD = "counterrevolutionary"  # as long as a word of one's own deck may be


def below_the_map(game):
    """Return where panels begin: on a map the tokens lie on its names."""
    return size_of(CAMPS[game.id](game))[1] if game.id in CAMPS else 0


def faults_in(game, states):
    """Return what is wrong in the pictures of a position, as all see it."""
    views = [states, *(game.view(states, viewer) for viewer in (0, 1, game.seats - 1, PUBLIC))]
    return [fault for view in views for fault in faults_of(game.picture(view), below_the_map(game))]


@pytest.fixture(params=CASES, ids=lambda case: " ".join((case[0], *case[1])))
def game(request):
    """Return each game with some of its options."""
    id, options = request.param
    return kgb_env.game(id, **options)


def test_texts_leave_each_other_alone(game):
    positions = list(itertools.islice(random_states(game, 5), 400))
    sampled = {*range(0, len(positions), max(1, len(positions) // SAMPLED)), len(positions) - 1}
    for ply in sorted(sampled):
        assert faults_in(game, positions[ply]) == []


@pytest.mark.parametrize("deluxe", [False, True])
def test_there_is_room_for_all_that_is_known_of_seats(deluxe):
    """Of each seat the most that can be told at once, on cells and outside the gates with the longest names."""
    game = kgb_env.game("secret_formula", deluxe=deluxe)
    states = game.start(3)
    s, names = states[0], secret_formula.names_of(game)
    s.status[: game.seats], s.phase, s.throw, s.left, s.turn = DOWN, THROW, len(THROWS), 12, 59 * game.seats
    s.to_move = s.viewer = 0
    s.examined[: game.seats] = 2 ** len(names.envelopes) - 1
    s.holder[: len(names.envelopes)] = np.arange(len(names.envelopes)) % 2  # all are carried by two seats
    s.lies[:] = -1
    gate = max(range(len(names.gates)), key=lambda number: len(names.gates[number]))
    longest = max(range(len(names.cells)), key=lambda cell: (len(names.cells[cell]), game.tables[0].sector[cell] >= 0))
    for place, outside in ((-1, gate), (longest, -1)):
        s.cell[: game.seats], s.gate[: game.seats] = place, outside
        for viewer in range(game.seats):
            s.viewer = viewer
            assert faults_of(game.picture(states), below_the_map(game)) == []


@pytest.mark.parametrize("deluxe", [False, True])
def test_seats_are_told_that_they_are_exposed(deluxe):
    game = kgb_env.game("double_agent", deluxe=deluxe)
    states = game.start(3)
    states["exposed"][0, : game.seats] = 1
    states["since"][:] = 1
    view = game.view(states, 1)
    shown = [box.content for box in boxes_of(game.picture(view))[0]]
    assert shown.count("you, exposed") == 1
    assert shown.count("exposed") == game.seats - 1
    assert faults_in(game, states) == []
    seats = re.findall(r"^seat \d .*$", game.notation.draw(game, view), re.MULTILINE)
    assert [line.endswith(" (you), exposed") for line in seats] == [seat == 1 for seat in range(game.seats)]
    assert all(line.endswith(", exposed") for line in seats)


def test_rounds_with_the_longest_words_stay_in_their_columns(monkeypatch):
    for name in ("log", "picture"):
        module = sys.modules[f"kgb_env.games.suspicious.{name}"]
        monkeypatch.setattr(module, "word_text", lambda game, word: LONGEST_WORD if word >= 0 else "")
    game = kgb_env.game("suspicious", players=8)
    *_, states = random_states(game, 4)
    spies = states["spy"][0].copy()
    states["stopped"][0], states["guess"][0] = spies, 7  # each was stopped and guessed
    texts, _ = boxes_of(game.picture(states))
    told = [box.content for box in texts if "stopped" in box.content]
    assert len(told) == int(states["rounds"][0])
    assert all("spy; wrongly guesses" in line for line in told)
    assert faults_in(game, states) == []


# Seats on one place


def number_boxes(drawn):
    """Return where the numbers in a fragment are."""
    return boxes_of(Picture(800, 800, (drawn,)))[0]


@pytest.mark.parametrize("count", range(2, 7))
def test_seats_share_a_disc_that_shows_all_numbers(count):
    drawn = seats_token(100, 100, range(count), 11)
    numbers = number_boxes(drawn)
    assert [box.content for box in numbers] == [str(seat) for seat in range(count)]
    assert faults_of(Picture(800, 800, (drawn,))) == []
    outer = {float(radius) for radius in re.findall(r"A([\d.]+) ", drawn)}
    assert len(outer) == 1
    corners = np.array([(x, y) for b in numbers for x in (b.left, b.right) for y in (b.top, b.bottom)])
    assert np.hypot(*(corners - 100).T).max() < outer.pop()
    assert set(re.findall("M[^L]*L", drawn)) == {"M100 100L"}


@pytest.mark.parametrize(
    ("id", "options"), [("double_agent", {}), ("double_agent", {"deluxe": True}), ("secret_formula", {"deluxe": True})]
)
def test_seats_on_a_place_are_drawn_on_that_place_only(id, options):
    """Numbers can be read at the width of `rgb_array`, and nothing takes a click from the cells below."""
    camp = CAMPS[id](kgb_env.game(id, **options))
    places = list(camp.places)[::97]
    for place, count in itertools.product(places, range(1, 7)):
        drawn = tokens(camp, [(seat, place) for seat in range(count)])
        numbers = number_boxes(drawn)
        assert [box.content for box in numbers] == [str(seat) for seat in range(count)]
        middle = [
            sum(edges) / count for edges in zip(*((b.left + b.right, b.top + b.bottom) for b in numbers), strict=True)
        ]
        assert np.allclose(np.array(middle) / 2, centre(camp, place), atol=1)
        assert min(box.bottom - box.top for box in numbers) * 600 / size_of(camp)[0] > 3.5
        assert drawn.count("pointer-events") == drawn.count("<") - drawn.count("</")


def test_seats_outside_one_gate_share_a_disc():
    game = kgb_env.game("secret_formula")
    states = game.start(1)
    states["cell"][0, : game.seats] = -1
    for gate in range(len(secret_formula.names_of(game).gates)):
        states["gate"][0, : game.seats] = gate
        layer = game.picture(states).layers[1]
        discs = defaultdict(int)
        for middle in re.findall(r'd="M([\d.]+ [\d.]+)L[^"]*A', layer):
            discs[middle] += 1
        assert list(discs.values()) == [game.seats]
        assert faults_of(Picture(*size_of(secret_formula.camp_of(game)), (layer,))) == []


# Fitting


@pytest.mark.parametrize(("weight", "name"), [(1.0, "bold"), (PLAIN, None)])
def test_no_text_is_wider_than_is_reckoned(weight, name):
    for content in ("The game is over: match over. Most points: seat 0, seat 1.", "ah17 LAB", "mommy", "WWW", "(1/7)"):
        (box,) = number_boxes(text(0, 100, content, 100, font_weight=name))
        assert box.right - box.left <= 100 * width_of(content, weight)
        size = fitting(content, 30, 90, weight)
        (box,) = number_boxes(text(0, 100, content, size, font_weight=name))
        assert box.right - box.left <= 90


def test_what_would_become_too_small_is_cut():
    assert cut("short", 100) == "short"
    content = cut("long " * 40, 100, PLAIN)
    assert content.startswith("long long")
    assert content.endswith("...")
    assert fitting(content, 11, 100, PLAIN) >= LEAST
    assert width_of(content + "l", PLAIN) * LEAST > 100 - LEAST

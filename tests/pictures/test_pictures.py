"""Pictures: what they show, to whom, and how they can be seen."""

import copy
import io
import os
import pickle
import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from pettingzoo.test import render_test
from PIL import Image

import kgb_env
from experiments.pictures import SCENES
from kgb_env import PUBLIC, RenderError
from kgb_env.registry import BUILT_IN
from kgb_env.render.picture import Picture
from kgb_env.render.renderer import WIDTH
from kgb_env.render.svg import SEAT_COLOURS, dice, element, runs, text
from kgb_env.render.window import Window
from tests.random_play import random_states

SMALL = {
    "confusion": ("confusion-mini", {}),
    "double_agent": ("double_agent-mini", {}),
    "secret_formula": ("secret_formula-mini", {}),
    "suspicious": ("suspicious-mini", {}),
}


@pytest.fixture(params=BUILT_IN)
def small(request):
    """Return each game, small."""
    id, options = SMALL[request.param]
    return kgb_env.game(id, **options)


@pytest.fixture
def no_screen(monkeypatch):
    """Let pygame draw where nobody sees it."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def texts_of(svg):
    """Return the texts in a picture."""
    return [node.text for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


# Modes


@pytest.mark.parametrize("id", [id for id, _ in SMALL.values()])
def test_pettingzoo_accepts_all_modes(id, no_screen, monkeypatch):
    monkeypatch.setattr("kgb_env.render.renderer.FPS", 1000)
    render_test(lambda **arguments: kgb_env.make(id, **arguments), {"svg": lambda shown: shown.startswith("<svg")})


def test_pixels_are_a_picture(any_game):
    env = kgb_env.KGBEnv(any_game, render_mode="rgb_array")
    env.reset(seed=1)
    pixels = env.render()
    assert pixels.dtype == np.uint8
    assert pixels.shape[1:] == (WIDTH, 3)
    colours, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_counts=True)
    assert len(colours) > 20  # text and shapes with smooth edges
    assert colours[counts.argmax()].min() > 150  # and not black, as on other headless machines
    pixels[:] = 0
    assert env.render().any()  # a copy was handed out


def test_layers_one_upon_another_look_like_the_whole(small):
    picture = small.picture(small.view(small.start(3), 0))
    whole = np.asarray(Image.open(io.BytesIO(picture.png(WIDTH))).convert("RGB")).astype(int)
    assert np.abs(picture.rgb(WIDTH).astype(int) - whole).mean() < 0.5


def test_letters_are_drawn_without_any_font_of_the_machine():
    blank = Picture(100, 40, ("",)).rgb()
    written = Picture(100, 40, (text(10, 30, "spy", 24),)).rgb()
    assert (blank != written).any(axis=2).sum() > 100


def test_the_modes_show_the_same_record(small):
    shown = {}
    for mode in ("ansi", "svg"):
        env = kgb_env.KGBEnv(small, render_mode=mode, render_as="player_1")
        env.reset(seed=5)
        shown[mode] = env.render()
    view = env.view("player_1")
    assert shown == {"ansi": small.notation.draw(small, view), "svg": small.picture(view).svg}
    assert env._repr_svg_() == shown["svg"]


def test_jupyter_shows_an_environment_once_it_is_started(small):
    env = kgb_env.KGBEnv(small)
    assert env._repr_svg_() is None
    env.reset(seed=1)
    assert env._repr_svg_() == small.picture(small.view(env._states, PUBLIC)).svg
    learner = kgb_env.make_gym(small.id, **small.options)
    assert learner._repr_svg_() is None
    learner.reset(seed=1)
    assert f"as seat {learner.seat} sees it" in learner._repr_svg_()


def test_a_learner_sees_the_end_of_its_game(small):
    env = kgb_env.make_gym(small.id, render_mode="svg", **small.options)
    env.reset(seed=2)
    over = False
    while not over:
        _, _, terminated, truncated, _ = env.step(int(np.flatnonzero(env.action_masks())[0]))
        over = terminated or truncated
    assert any("over" in line or "won" in line or "draw" in line for line in texts_of(env.render()) if line)


def test_a_mode_that_does_not_exist_is_refused():
    for make in (kgb_env.make, kgb_env.make_gym):
        with pytest.raises(ValueError, match="choose one of 'human', 'rgb_array', 'ansi', 'svg'"):
            make("confusion", render_mode="video")


# A window


def test_a_window_shows_every_position_by_itself(no_screen, monkeypatch):
    shown = []
    monkeypatch.setattr(Window, "show", lambda window, picture: shown.append(picture))
    env = kgb_env.make("confusion-mini", render_mode="human")
    env.reset(seed=1)
    for _ in range(3):
        env.step(int(env.game.legal(env._states)[0]))
    assert len(shown) == 4
    learner = kgb_env.make_gym("confusion-mini", render_mode="human")
    learner.reset(seed=1)
    learner.step(int(np.flatnonzero(learner.action_masks())[0]))
    assert len(shown) == 6


def test_a_copy_opens_a_window_of_its_own(no_screen):
    env = kgb_env.make("confusion-mini", render_mode="human")
    env.reset(seed=1)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.render() is None
        other.close()
    env.close()
    env.close()


def test_environments_share_the_window(no_screen):
    import pygame

    one, other = (kgb_env.make("confusion-mini", render_mode="human") for _ in range(2))
    for env in (one, other):
        env.reset(seed=1)
    other.close()
    assert pygame.display.get_init()
    assert one.render() is None
    one.close()
    assert not pygame.display.get_init()


def test_closing_the_window_does_not_stop_the_game(no_screen):
    import pygame

    env = kgb_env.make("confusion-mini", render_mode="human")
    env.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    for _ in range(3):
        env.step(int(env.game.legal(env._states)[0]))
    assert not pygame.display.get_init()
    env.close()


def test_without_a_display_the_error_says_what_needs_none():
    code = "import kgb_env; env = kgb_env.make('confusion-mini', render_mode='human'); env.reset(seed=1)"
    environment = {**os.environ, "SDL_VIDEODRIVER": "x11", "DISPLAY": "", "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert "RenderError" in done.stderr
    assert "render_mode='rgb_array' needs no display" in done.stderr


def test_without_pygame_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(RenderError, match=r"kgb-env\[human\]"):
        Window("title", 4)


# Contents


def test_a_picture_is_saved_by_the_ending_of_its_name(tmp_path, small):
    picture = small.picture(small.start(1))
    picture.save(tmp_path / "a.svg")
    picture.save(tmp_path / "a.png", width=300)
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == picture.svg
    with Image.open(tmp_path / "a.png") as saved:
        assert saved.size[0] == 300
    with pytest.raises(ValueError, match=r"is saved as \.svg or \.png"):
        picture.save(tmp_path / "a.gif")


def test_what_can_be_pointed_at_is_in_every_picture(any_game):
    """Every legal action has the marks of its picture, or none at all."""
    for seed in range(2):
        for states in random_states(any_game, seed):
            if states["over"][0]:
                break
            view = any_game.view(states, states["to_move"])
            marked = set(re.findall('data-mark="([^"]*)"', any_game.picture(view).svg))
            for action in any_game.legal(states):
                assert set(any_game.marks(view, int(action))) <= marked


def test_marks_are_the_squares_that_a_move_names(confusion):
    states = confusion.start(1)
    view = confusion.view(states, 0)
    for action in confusion.legal(states):
        notation = confusion.notation.action(confusion, view, int(action))
        if squares := re.findall(r"[a-k]\d+", notation):
            assert confusion.marks(view, int(action)) == tuple(squares)


def test_only_known_pieces_are_shown(confusion):
    """C3: White sees where Red's spies can go, and the backs of its own."""
    states = confusion.start(1)
    known = {
        viewer: confusion.picture(confusion.view(states, viewer)).layers[-1].count("<rect") for viewer in (0, 1, PUBLIC)
    }
    assert known == {0: 13, 1: 13, PUBLIC: 0}
    assert confusion.picture(states).layers[-1].count("<rect") == 13


def test_the_double_agent_is_a_back_to_others():
    """D1: only the Double Agent knows whose role is whose."""
    game = kgb_env.game("double_agent")
    states = game.start(4)
    roles = states["role"][0, : game.seats]
    for seat in range(game.seats):
        shown = texts_of(game.picture(game.view(states, seat)).svg)
        assert shown.count("Double Agent") == roles[seat]
        assert shown.count("Security Agent") == (game.seats - 1 if roles[seat] else 1)
    assert "Double Agent" not in texts_of(game.picture(game.view(states, PUBLIC)).svg)
    assert texts_of(game.picture(states).svg).count("Double Agent") == 1


def test_a_keyword_is_on_one_slate_only():
    """U2: each sees its own keyword; the Director sees both on the card."""
    game = kgb_env.game("suspicious")
    for states in random_states(game, 3):
        if states["link"][0, 0] >= 0:
            break
    words = {
        game.notation.action(game, states, int(states[field][0, 0])).split()[1] for field in ("agents_word", "spy_word")
    }
    director = int(states["first"][0])
    for seat in range(game.seats):
        shown = words.intersection(texts_of(game.picture(game.view(states, seat)).svg))
        assert len(shown) == (2 if seat == director else 1)
    assert not words.intersection(texts_of(game.picture(game.view(states, PUBLIC)).svg))


def test_unexamined_envelopes_look_alike():
    """S3: what is in an envelope is seen by who takes it."""
    game = kgb_env.game("secret_formula")
    view = game.view(game.start(1), 0)
    envelopes = game.picture(view).layers[1]
    assert "#4d5a74" in envelopes
    assert "#e69f00" not in envelopes
    assert "#e69f00" in game.picture(game.start(1)).layers[1]


@pytest.mark.parametrize("id", BUILT_IN)
def test_the_page_shows_every_phase(id):
    """As many phases have a picture as the observation tells apart, and the end."""
    game = kgb_env.game(id)
    shown = [scene.phase for scene in SCENES[id]]
    phases = game.observation.phase
    assert len({phase for phase in shown if phase is not None}) == phases.stop - phases.start
    assert None in shown


def test_colours_of_seats_differ_for_the_colour_blind():
    """Simulated after Machado and others (2009): no red, no green, no blue cones."""
    blind = {
        "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
        "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    }
    colours = np.array([[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in SEAT_COLOURS[:6]]) / 255
    for matrix in blind.values():
        seen = np.clip(colours @ np.array(matrix).T, 0, 1)
        distances = np.linalg.norm(seen[:, None] - seen[None], axis=2)
        assert distances[~np.eye(len(seen), dtype=bool)].min() > 0.1


# Elements


def test_what_people_have_written_is_escaped():
    assert "a &lt; b &amp; c" in text(0, 0, "a < b & c")
    assert element("rect", data_mark='a"b<c') == '<rect data-mark="a&quot;b&lt;c"/>'
    assert ElementTree.fromstring(Picture(1, 1, (), "a < b").svg)[0].text == "a < b"


def test_squares_in_a_row_become_one_piece():
    assert runs([(0, 0), (0, 1), (1, 1), (0, 3)], 10) == "M0 0h20v10h-20zM30 0h10v10h-10zM10 10h10v10h-10z"


def test_a_die_has_as_many_pips_as_it_shows():
    assert [dice(0, 0, [value]).count("<circle") for value in range(1, 7)] == [1, 2, 3, 4, 5, 6]

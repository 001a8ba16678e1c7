"""The page of a replay in a browser, opened as a file: slider, keys, buttons, seats, addresses."""

import dataclasses
import shutil

import pytest

from experiments.replaying.page import page
from kgb_env import game
from tests.replaying.games import MINI, play, replay_of, replay_unseen_by_seat_1
from tests.replaying.test_page import data_of, svg_of

CHROMIUM = shutil.which("chromium")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no browser")


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def told():
    """Return a page of two games."""
    configured = game("double_agent-mini", **MINI["double_agent-mini"])
    first = play(configured, 1).replay(["expert", "naive", "random"][: configured.seats])
    return page([(4, first), (7, replay_of("confusion-mini"))])


@pytest.fixture
def tab(browser, told, tmp_path):
    """Open the page; no error may have come up when the test is over, and nothing may have been fetched."""
    (tmp_path / "game.html").write_text(told, encoding="utf-8")
    tab, faults, fetched = browser.new_page(viewport={"width": 1200, "height": 800}), [], []
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    tab.on("request", lambda request: fetched.append(request.url))
    tab.address = (tmp_path / "game.html").as_uri()
    opened(tab, "")
    yield tab
    tab.close()
    assert not faults
    assert {url.partition("#")[0] for url in fetched if not url.startswith("blob:")} == {tab.address}


def opened(tab, fragment):
    tab.goto(tab.address + fragment)
    tab.wait_for_selector("#picture svg")


def step(tab):
    return int(tab.input_value("#slider"))


def last(tab):
    return int(tab.get_attribute("#slider", "max"))


def drawn(tab):
    """Return the titles and the texts of the picture, as they are drawn."""
    return tab.evaluate("[...document.querySelectorAll('#picture text')].map(each => each.textContent)")


def as_drawn(tab, svg):
    code = "svg => { const box = document.createElement('div'); box.innerHTML = svg;"
    return tab.evaluate(f"{code} return [...box.querySelectorAll('text')].map(each => each.textContent); }}", svg)


def test_keys(tab):
    for key, wanted in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last(tab)), ("Home", 0)):
        tab.keyboard.press(key)
        assert step(tab) == wanted
    tab.keyboard.press("ArrowLeft")
    assert step(tab) == 0
    tab.keyboard.press("End")
    tab.keyboard.press("ArrowRight")
    assert step(tab) == last(tab)


def test_buttons_and_slider(tab):
    for button, wanted in (("#next", 1), ("#last", last(tab)), ("#back", last(tab) - 1), ("#first", 0)):
        tab.click(button)
        assert step(tab) == wanted
    tab.fill("#slider", "5")
    assert tab.inner_text("#place") == f"step 5 of {last(tab)}"


def test_it_plays_and_pauses(tab):
    tab.select_option("#speed", "200")
    tab.focus("#slider")
    tab.keyboard.press("Space")
    assert tab.inner_text("#play") == "Pause"
    tab.wait_for_function("Number(document.getElementById('slider').value) >= 2")
    tab.click("#play")
    paused = step(tab)
    tab.wait_for_timeout(500)
    assert (step(tab), tab.inner_text("#play")) == (paused, "Play")
    tab.click("#last")
    tab.click("#play")
    assert step(tab) == 0, "from the end it begins anew"
    tab.fill("#slider", str(last(tab) - 1))
    tab.click("#play")
    tab.wait_for_function("document.getElementById('play').textContent === 'Play'")
    assert step(tab) == last(tab)


def test_what_is_drawn_is_what_the_seat_sees(tab, told):
    shown = data_of(told)[0]
    for number, view in enumerate(shown["views"]):
        tab.select_option("#seat", str(number))
        for k in (0, 3, len(view["frames"]) - 1):
            tab.fill("#slider", str(k))
            assert drawn(tab) == as_drawn(tab, svg_of(shown, view["frames"][k]))
        moves = tab.locator("#moves button").all_inner_texts()
        assert moves == ["\n".join(frame["told"]) for frame in view["frames"] if frame["told"]]


def test_a_seat_that_has_seen_nothing_is_shown_no_picture(tab, tmp_path):
    (tmp_path / "game.html").write_text(page([(1, replay_unseen_by_seat_1())]), encoding="utf-8")
    tab.goto("about:blank")
    opened(tab, "")
    for seat, pictures in (("2", 0), ("1", 1), ("2", 0)):
        tab.select_option("#seat", seat)
        assert tab.locator("#picture svg").count() == pictures
        assert (tab.inner_text("#now") == "This seat has seen nothing yet.") == (not pictures)
    for key in ("ArrowRight", "ArrowLeft", "End", "Home"):
        tab.keyboard.press(key)
    assert (tab.inner_text("#picture"), tab.inner_text("#place")) == ("", "step 0 of 0")
    assert tab.url.endswith("#ply=0&seat=1")


def test_moves_can_be_clicked(tab, told):
    frames = data_of(told)[0]["views"][0]["frames"]
    tab.locator("#moves button").nth(4).click()
    wanted = [k for k, frame in enumerate(frames) if frame["told"]][4]
    assert step(tab) == wanted
    assert tab.inner_text("#moves [aria-current=true]").strip() == "\n".join(frames[wanted]["told"])


def test_another_seat_is_shown_at_the_same_moment(tab, told):
    shown = data_of(told)[0]
    tab.fill("#slider", "6")
    tab.select_option("#seat", "2")
    ply = shown["views"][2]["frames"][step(tab)]["ply"]
    assert ply <= 6
    assert all(frame["ply"] <= ply or frame["ply"] > 6 for frame in shown["views"][2]["frames"])


def test_the_address_remembers(tab):
    assert tab.url.endswith("#ply=0&game=4")
    opened(tab, "#ply=5&seat=1&game=4")
    assert (step(tab), tab.input_value("#seat")) == (5, "2")
    tab.keyboard.press("ArrowRight")
    assert "ply=6&seat=1" in tab.url
    tab.select_option("#game", "1")
    assert tab.inner_text("#title") == "Confusion"
    assert tab.url.endswith("#ply=0&game=7")
    tab.evaluate("location.hash = '#ply=2&seat=0&game=7'")
    tab.wait_for_function("document.getElementById('slider').value === '2'")
    opened(tab, "#ply=9999&seat=77&game=x")
    assert (step(tab), tab.input_value("#seat"), tab.inner_text("#title")) == (last(tab), "0", "The Double Agent")


def test_thoughts_are_beside_the_board(tab, told):
    frames = data_of(told)[0]["views"][0]["frames"]
    thinking = next(k for k, frame in enumerate(frames) if frame["thoughts"])
    tab.fill("#slider", str(thinking))
    assert tab.inner_text("#thoughts-title") == "What seat 0 thinks"
    assert tab.locator("#thoughts caption").count() == len(frames[thinking]["thoughts"])
    tab.select_option("#seat", "2")
    assert tab.is_hidden("#thoughts-box")


@pytest.mark.parametrize("width", [360, 600, 1000, 1700])
def test_it_fits(tab, width):
    tab.set_viewport_size({"width": width, "height": 900})
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.is_visible("#play")


def test_everything_has_a_name_and_can_be_reached_by_keys(tab):
    reached = set()
    for _ in range(12):
        tab.keyboard.press("Tab")
        reached.add(tab.evaluate("document.activeElement.id"))
    assert {"game", "seat", "first", "back", "play", "next", "last", "slider", "speed"} <= reached
    nameless = "[...document.querySelectorAll('button, select, input')].filter(each =>"
    assert not tab.evaluate(f"{nameless} !(each.ariaLabel || each.textContent.trim() || each.labels?.length)).length")


def test_a_game_without_a_reason_is_shown(tab, tmp_path):
    """No file can hold one; a program can make one."""
    replay = dataclasses.replace(replay_of("confusion-mini", plies=2), reason="")
    (tmp_path / "game.html").write_text(page([(1, replay)]), encoding="utf-8")
    tab.goto("about:blank")
    opened(tab, "#ply=1&game=1")
    assert "seat 0 random, seat 1 random. . " in tab.inner_text("#facts")

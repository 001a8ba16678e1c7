"""The page in a real browser: whole games by pointing alone, two persons at one table, keys, narrow screens."""

import os
import random
import shutil
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from experiments.play import rooms
from experiments.play.rooms import House
from experiments.play.serve import listen, make_server
from experiments.play.session import Session
from kgb_env import read_replays

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

CHROMIUM = shutil.which("chromium")
QUICK = {
    "confusion-mini": {"max turns": "3"},
    "double_agent-mini": {"max turns": "3"},
    "secret_formula-mini": {"max rounds": "2"},
    "suspicious-mini": {},
}
SHOTS = os.environ.get("KGB_SHOTS")  # a folder for pictures of the pages, for those who change them
MOST_CLICKS = 400
SEED = 5  # seat 1 is not the Director of Suspicious, and so has a vote
PATIENCE = int(os.environ.get("KGB_PATIENCE", 300))  # seconds: the server compiles the rules first
expect.set_options(timeout=1000 * PATIENCE)

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no chromium")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def serving(folder, port=0):
    """Serve in a thread; yield the port."""
    house = House(folder)
    server = make_server(house, "127.0.0.1")
    with listen("127.0.0.1", port) as listener:
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        yield listener.getsockname()[1]
        while not server.started:
            time.sleep(0.01)
        house.is_closing = server.should_exit = True
        thread.join(30)
        assert not thread.is_alive()


@pytest.fixture
def served(tmp_path, monkeypatch):
    """Return the address of a server whose games all have the same seed, and the folder where it saves."""
    monkeypatch.setattr(rooms, "new_seed", lambda: SEED)
    with serving(tmp_path) as port:
        yield f"http://127.0.0.1:{port}", tmp_path


@pytest.fixture
def visitor(browser, served):
    """Return what opens a page as a person of his own; nothing may go wrong on it, nor be forbidden by its policy."""
    contexts, faults = [], []

    def come(width=1200, height=800):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: "Content Security" in message.text and faults.append(message.text))
        page.set_default_timeout(1000 * PATIENCE)
        return page

    yield come
    for context in contexts:
        context.close()
    assert not faults


def shoot(page, name):
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)


def begin(page, address, game, others="random", persons=(0,)):
    """Begin a game in the lobby, and leave the page at it."""
    base, _, preset = game.partition("-")
    page.goto(address)
    page.check(f"input[name=game][value={base}]")
    form = page.locator("form.options:visible")
    if preset:
        form.locator(".presets").select_option(preset)
    for label, value in QUICK.get(game, {}).items():
        page.locator("form.options:visible").get_by_label(label).fill(value)
        page.keyboard.press("Tab")
    page.wait_for_load_state("networkidle")  # the lobby asks how many seats there are
    page.locator("#seats select").nth(1).wait_for()
    for seat, select in enumerate(page.locator("#seats select").all()):
        select.select_option("a person" if seat in persons else others)
    shoot(page, f"lobby-{game}")
    page.click("#create")
    page.wait_for_url("**/game/*")


def sit(page, seat):
    page.click(f"[aria-label='Sit in seat {seat}']")
    page.wait_for_url("**/seat/*")
    page.wait_for_selector("#picture svg")


def one_click(page, dice, may_type=False):
    """Point at one thing, whatever there is; return whether there was anything."""
    for kind in ("#menu button.main", ".hints .open", "#buttons button"):
        found = page.locator(kind)
        if number := found.count():
            one = found.nth(dice.randrange(number))
            try:
                if kind == ".hints .open":
                    one.dispatch_event("click", timeout=500)  # it may be under a smaller one
                else:
                    one.click(timeout=500)
            except playwright.TimeoutError:  # the page has changed in between
                return False
            return True
    if may_type and page.locator("#write").is_visible():
        words = page.locator("#words option")
        if number := words.count():
            page.fill("#text", words.nth(dice.randrange(number)).get_attribute("value"))
            page.keyboard.press("Enter")
            return True
    return False


def play_out(pages, seed=1, may_type=False, name=""):
    """Let persons point at random until the game is over."""
    dice, clicks = random.Random(seed), 0
    until = time.monotonic() + PATIENCE
    while any("over" not in page.inner_text("#status") for page in pages):
        assert time.monotonic() < until
        assert clicks < MOST_CLICKS
        for page in pages:
            if "your turn" in page.inner_text("#status"):
                if clicks in (0, 6):
                    shoot(page, f"{name}-{clicks}")
                clicks += one_click(page, dice, may_type)
        pages[0].wait_for_timeout(60)
    return clicks


@pytest.mark.parametrize("game", QUICK)
def test_a_whole_game_by_pointing_alone(visitor, served, game):
    address, folder = served
    page = visitor()
    begin(page, address, game)
    shoot(page, f"game-{game}")
    sit(page, 0)
    assert play_out([page], may_type=game.startswith("suspicious"), name=game)
    assert page.locator("#end table td").count() >= 4
    assert page.locator("#write").is_hidden()
    page.click("#reveal")
    shoot(page, f"{game}-end")
    with page.expect_download() as download:
        page.click("#end a")
    (saved,) = read_replays(folder / f"{game.partition('-')[0]}.jsonl")
    assert saved.to_json() == Path(download.value.path()).read_text().strip()
    assert list(saved.positions())


def test_options_are_chosen_in_the_lobby(visitor, served):
    address, _ = served
    page = visitor()
    page.goto(address)
    form = page.locator("form.options:visible")
    form.get_by_label("tight setup").check()
    form.locator("[data-set]").nth(1).get_by_label("swap").check()
    form.get_by_label("max turns").fill("0")
    page.keyboard.press("Tab")
    expect(page.locator("#error")).to_contain_text("max_turns=0")
    expect(page.locator("#create")).to_be_disabled()
    form.get_by_label("max turns").fill("30")
    page.keyboard.press("Tab")
    expect(page.locator("#create")).to_be_enabled()
    shoot(page, "lobby")
    page.click("#create")
    page.wait_for_url("**/game/*")
    told = page.locator("main p").nth(1).text_content()
    assert told == "max turns: 30, special actions: [[], ['swap']], tight setup: True"


def test_the_deluxe_game_has_more_seats(visitor, served):
    address, _ = served
    page = visitor()
    page.goto(address)
    page.check("input[name=game][value=secret_formula]")
    expect(page.locator("#seats select")).to_have_count(4)
    page.locator("form.options:visible").get_by_label("deluxe").first.check()
    expect(page.locator("#seats select")).to_have_count(6)


def test_two_persons_at_one_table(visitor, served):
    address, _ = served
    one, two = visitor(), visitor()
    begin(one, address, "confusion-mini", persons=(0, 1))
    url = one.url
    two.goto(url)
    sit(two, 1)
    expect(one.locator("#seats")).to_contain_text("taken")
    assert one.locator("[aria-label='Sit in seat 1']").count() == 0
    sit(one, 0)
    assert one.url != two.url
    assert one.locator("#drawn").text_content() != two.locator("#drawn").text_content()
    play_out([one, two], name="two")
    one.goto(url)
    one.get_by_text("To your seat").click()  # this browser knows its own seat, and not the other's
    one.wait_for_url("**/seat/*")
    two.goto(url)
    assert two.get_by_text("To your seat").count() <= 1


def test_reloading_shows_the_same(visitor, served):
    address, _ = served
    page = visitor()
    begin(page, address, "double_agent-mini")
    sit(page, 0)
    expect(page.locator("#status")).to_contain_text("your turn")
    before = page.locator("#drawn").text_content()
    page.reload()
    expect(page.locator("#status")).to_contain_text("your turn")
    assert page.locator("#drawn").text_content() == before


def test_moves_are_written_and_faults_explained(visitor, served):
    address, _ = served
    page = visitor()
    begin(page, address, "double_agent-mini")
    sit(page, 0)
    expect(page.locator("#status")).to_contain_text("your turn")
    page.fill("#text", "fly home")
    page.keyboard.press("Enter")
    expect(page.locator("#error")).to_contain_text("is no action")
    shoot(page, "fault")
    before = page.locator("#log").text_content()
    page.fill("#text", page.locator("#words option").first.get_attribute("value"))
    page.keyboard.press("Enter")
    expect(page.locator("#log")).not_to_have_text(before)


def test_keys_alone_do(visitor, served):
    address, _ = served
    page = visitor()
    begin(page, address, "confusion-mini", persons=(0, 1))
    sit(page, 0)
    first = page.locator(".hints .open").first
    first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#menu button").last).to_have_text("Cancel")
    assert page.locator(".hints .taken").count()
    page.keyboard.press("Escape")
    expect(page.locator("#menu button")).to_have_count(0)
    assert not page.locator(".hints .taken").count()
    first.focus()
    page.keyboard.press(" ")
    page.locator("#menu button").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#log li")).to_have_count(1)


def test_a_server_that_is_gone_and_comes_back(visitor, served, tmp_path):
    page = visitor()
    with serving(tmp_path) as port:
        begin(page, f"http://127.0.0.1:{port}", "double_agent-mini")
        sit(page, 0)
        expect(page.locator("#status")).to_contain_text("your turn")
    expect(page.locator("#connection")).to_have_text("No connection; trying again.")
    with serving(tmp_path, port):
        expect(page.locator("#connection")).to_have_text("This game is no longer on the server.")


@pytest.mark.parametrize("width", [360, 600])
def test_narrow_screens(visitor, served, width):
    address, _ = served
    page = visitor(width, 740)
    begin(page, address, "double_agent")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sit(page, 0)
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("#larger")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shoot(page, f"narrow-{width}")


def test_rules_and_what_is_due_are_on_the_page(visitor, served):
    address, _ = served
    page = visitor(1280, 900)
    begin(page, address, "confusion-mini", persons=(0, 1))
    page.focus("#rules summary")
    assert page.locator("#rules h3").first.is_hidden()
    page.keyboard.press("Enter")
    expect(page.locator("#rules h3").first).to_have_text("Goal")
    sit(page, 0)
    expect(page.locator("#who")).to_have_text("You are seat 0, White.")
    expect(page.locator("#due")).to_contain_text("White is to propose")
    expect(page.locator("#task")).to_contain_text("White is to propose")
    assert page.locator("#rules li").first.is_hidden()
    page.click("#rules summary")
    assert page.locator("#rules li").first.is_visible()
    page.click("#knowing summary")
    expect(page.locator("#known")).to_contain_text("You are White")
    shoot(page, "rules")


# Looks and moves at once: in several steps the page could change in between, and the move looked for be played.
FIRST_BUT = """verb => {
    const offered = [...document.querySelectorAll("#words option")].map(option => option.value);
    const found = offered.find(text => text.split(" ")[0] === verb);
    if (found || !offered.length) return found ?? null;
    document.getElementById("text").value = offered[0];
    document.getElementById("write").requestSubmit();
    return null;
}"""


def until_it_may(page, verb):
    """Play what comes first until there is a move of a verb; return it."""
    until = time.monotonic() + PATIENCE
    while not (move := page.evaluate(FIRST_BUT, verb)):
        assert time.monotonic() < until
        page.wait_for_timeout(60)
    return move


def test_a_vote_is_asked_for_once_more(visitor, served):
    address, _ = served
    page = visitor()
    begin(page, address, "suspicious-mini", persons=(1,))
    sit(page, 1)
    move = until_it_may(page, "vote")
    hint = page.locator(f"[data-hint='{move.replace('vote', 'seat')}']").first
    hint.click()
    expect(page.locator("#menu button").first).to_have_text(f"Play {move}")
    page.get_by_text("Cancel").click()
    expect(page.locator("#menu button")).to_have_count(0)
    assert "your turn" in page.inner_text("#status")
    hint.click()
    page.get_by_text(f"Play {move}").click()
    expect(page.locator("#log")).to_contain_text(f"1 for {move.removeprefix('vote ')}")


def test_a_button_that_cannot_be_taken_back_is_asked_for_once_more(visitor, served):
    address, _ = served
    page = visitor()
    begin(page, address, "confusion-mini", persons=(0, 1))
    sit(page, 0)
    page.get_by_role("button", name="expose").first.dblclick()
    expect(page.locator("#menu button").first).to_contain_text("Play expose")
    assert page.locator("#log li").count() == 0
    page.locator("#menu button").first.press("Enter")
    expect(page.locator("#log li")).to_have_count(1)


def test_what_is_small_is_asked_for_once_more(visitor, served):
    address, _ = served
    page = visitor(360, 740)
    begin(page, address, "double_agent", persons=(0,))
    sit(page, 0)
    move = until_it_may(page, "go")
    first = page.locator(f"[data-hint='{move.removeprefix('go ')}']").first
    assert first.bounding_box()["width"] >= 15.5
    while first.bounding_box()["width"] >= 24:
        page.click("#smaller")
    before = page.locator("#log li").count()
    first.click()
    expect(page.locator("#menu button").first).to_have_text(f"Play {move}")
    shoot(page, "small")
    assert page.locator("#log li").count() == before
    page.get_by_text("Cancel").click()
    for _ in range(3):
        page.click("#larger")
    assert first.bounding_box()["width"] >= 24
    first.click()
    expect(page.locator("#log")).to_contain_text(move)


def test_that_the_rules_are_being_prepared_is_said(visitor, served, monkeypatch):
    address, _ = served
    ready = threading.Event()

    def session(*arguments):
        assert ready.wait(PATIENCE)
        return Session(*arguments)

    monkeypatch.setattr("experiments.play.rooms.Session", session)
    page = visitor()
    begin(page, address, "confusion-mini", persons=(0, 1))
    expect(page.locator("#status")).to_contain_text("The rules are being prepared")
    page.click("[aria-label='Sit in seat 0']")
    page.wait_for_url("**/seat/*")
    expect(page.locator("#status")).to_contain_text("The rules are being prepared")
    shoot(page, "preparing")
    ready.set()
    expect(page.locator("#status")).to_contain_text("your turn")


def test_a_seat_that_is_gone_is_said_to_be(visitor, served):
    address, _ = served
    page = visitor()
    assert page.goto(f"{address}/seat/nobody").status == 404
    assert "no such seat" in page.inner_text("h1").lower()

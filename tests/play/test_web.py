"""The page's routes: what they answer, what they refuse, and that nobody sees what is another's."""

import json
import random
import re
import time
from unittest.mock import patch

import pytest
from starlette.testclient import TestClient

import kgb_env
from agents import AgentError
from experiments.play.forms import forms, offered_agents, require_player, shipped
from experiments.play.rooms import House
from experiments.play.web import HEADERS, LONGEST_BODY, make_app
from kgb_env import read_replays
from kgb_env.registry import BUILT_IN, preset_ids

QUICK = {
    "confusion-mini": {"max_turns": 3},
    "double_agent-mini": {"max_turns": 2},
    "secret_formula-mini": {"max_rounds": 2},
    "suspicious-mini": {},
}
SEATS = {"confusion-mini": 2, "double_agent-mini": 3, "secret_formula-mini": 2, "suspicious-mini": 4}
PEOPLE = {"game": "confusion-mini", "options": {"max_turns": 3}, "seats": [None, None]}


@pytest.fixture
def house(tmp_path):
    return House(tmp_path / "played", ["tests.play.own:Raises", "ismcts(simulations=2)"])


@pytest.fixture
def client(house):
    with TestClient(make_app(house), base_url="http://localhost:8000", raise_server_exceptions=True) as client:
        yield client


def begin(client, game=None, seed=5, **changes):
    with patch("experiments.play.rooms.new_seed", lambda: seed):  # no visitor can choose it
        response = client.post("/games", json=(game or PEOPLE) | changes)
    assert response.status_code == 201, response.text
    return response.json()["url"]


def sit(client, url, seat):
    response = client.post(f"{url}/sit", json={"seat": seat})
    assert response.status_code == 201, response.text
    return response.json()["url"]


def look(client, url):
    """Return the scene of a seat when nothing is being prepared or thought about."""
    until = time.monotonic() + 300
    while time.monotonic() < until:
        scene = client.get(f"{url}/state").json()
        is_persons = scene.get("mover") is not None and scene["seats"][scene["mover"]]["is_person"]
        if scene["status"] in ("over", "broken") or is_persons:
            return scene
        time.sleep(0.02)
    raise AssertionError("nothing happens")


def play(client, url, move=None):
    scene = look(client, url)
    return client.post(f"{url}/move", json={"version": scene["version"], "move": move or scene["moves"][0][0]})


# Whole games


@pytest.mark.parametrize("game", QUICK)
def test_a_whole_game_of_persons(client, house, game):
    url = begin(client, {"game": game, "options": QUICK[game], "seats": [None] * SEATS[game]}, seed=2)
    seats = [sit(client, url, seat) for seat in range(SEATS[game])]
    for _ in range(500):
        scene = look(client, seats[0])
        if scene["status"] == "over":
            break
        assert client.get(f"{seats[0]}/replay").status_code == 409
        assert client.get(f"{url}/replay").status_code == 409
        assert "open" not in scene
        mover = scene["mover"]
        assert play(client, seats[mover]).status_code == 200
    assert scene["result"]["reason"]
    assert len(scene["result"]["returns"]) == SEATS[game]
    line = client.get(f"{url}/replay")
    assert line.text == client.get(f"{seats[-1]}/replay").text
    (replay,) = read_replays(house.folder / f"{game.partition('-')[0]}.jsonl")
    assert replay.to_json() + "\n" == line.text
    assert list(replay.positions())
    assert play(client, seats[0], "anything").status_code == 409


@pytest.mark.parametrize("game", QUICK)
def test_a_whole_game_with_agents(client, game):
    others = ["random"] * (SEATS[game] - 1)
    url = begin(client, {"game": game, "options": QUICK[game], "seats": [None, *others]})
    seat = sit(client, url, 0)
    for _ in range(500):
        if look(client, seat)["status"] == "over":
            return
        assert play(client, seat).status_code == 200
    raise AssertionError("it does not end")


def test_the_view_is_that_of_the_rules(client):
    url = begin(client)
    white = sit(client, url, 0)
    game = kgb_env.game("confusion-mini", max_turns=3)
    view = game.view(game.start(kgb_env.derive_seed(5, 0, 0)), 0)
    scene = look(client, white)
    assert scene["text"] == game.notation.draw(game, view)
    assert scene["svg"] == game.picture(view).svg
    assert [text for text, _ in scene["moves"]] == [game.notation.action(game, view, int(a)) for a in game.legal(view)]


# Secrets


@pytest.mark.parametrize("game", QUICK)
def test_nothing_that_one_can_reach_shows_what_the_other_sees(client, house, game):
    url = begin(client, {"game": game, "options": QUICK[game], "seats": [None] * SEATS[game]}, seed=2)
    tokens = [sit(client, url, seat) for seat in range(SEATS[game])]
    for _ in range(6):
        scene = look(client, tokens[0])
        if scene["status"] == "over":
            break
        configured = house.room(url.rpartition("/")[2]).game
        states = house.room(url.rpartition("/")[2]).session.recording.states
        for seat, own in enumerate(tokens):
            reached = [f"{own}", f"{own}/state", f"{own}/replay", url, f"{url}/state", f"{url}/replay", "/"]
            told = "".join(client.get(path).text for path in reached)
            for other, token in enumerate(tokens):
                if other == seat:
                    continue
                assert token.rpartition("/")[2] not in told
                view = configured.view(states, other)
                for text in (configured.picture(view).svg, configured.notation.draw(configured, view)):
                    assert json.dumps(text)[1:-1] not in told
            for text in (configured.picture(states).svg, configured.notation.draw(configured, states)):
                assert json.dumps(text)[1:-1] not in told
        assert play(client, tokens[scene["mover"]]).status_code == 200


def test_versions_tell_nothing_of_what_a_seat_did_not_see(client):
    """The openings of The Double Agent are secret: how many decisions there were must not be seen either."""
    url = begin(client, {"game": "double_agent-mini", "seats": [None] * 3}, seed=2)
    tokens = [sit(client, url, seat) for seat in range(3)]
    room = client.app._app.state.house.room(url.rpartition("/")[2])
    versions = {seat: look(client, token)["version"] for seat, token in enumerate(tokens)}
    views = {seat: room.session.view(seat).tobytes() for seat in range(3)}
    for _ in range(8):
        scene = look(client, tokens[0])
        if scene["status"] == "over":
            break
        play(client, tokens[scene["mover"]])
        for seat, token in enumerate(tokens):
            version, view = look(client, token)["version"], room.session.view(seat).tobytes()
            assert version - versions[seat] == (view != views[seat])
            versions[seat], views[seat] = version, view


def test_a_seat_has_one_person(client):
    url = begin(client)
    token = sit(client, url, 0)
    assert client.post(f"{url}/sit", json={"seat": 0}).status_code == 409
    assert sit(client, url, 1) != token
    assert [seat["is_taken"] for seat in client.get(f"{url}/state").json()["seats"]] == [True, True]
    url = begin(client, seats=[None, "random"])
    assert client.post(f"{url}/sit", json={"seat": 1}).status_code == 409


def test_every_answer_has_the_headers(client):
    url = begin(client)
    token = sit(client, url, 0)
    for path in ("/", url, token, f"{token}/state", "/static/seat.js", "/palette.css", "/nothing", "/seat/nobody"):
        answer = client.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, path
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


def test_pages_ask_nobody_else_and_have_no_scripts_of_their_own(client):
    url = begin(client)
    for path in ("/", url, sit(client, url, 0), "/static/seat.js", "/static/board.js", "/static/page.css"):
        text = client.get(path, headers={"accept": "text/html"}).text
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), path
        assert not re.search(r"<script(?![^>]* src=)", text)
        assert not re.search(r"<[a-z][^>]* (style|on\w+)=", text)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "", "localhost.evil.example", "127.0.0.1.nip.io"]
)
def test_other_hosts_are_not_served(client, host):
    assert client.get("/", headers={"host": host}).status_code == 400


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "[::1]:8000", "[::1]", "LOCALHOST:1"])
def test_this_machine_is_served(client, host):
    assert client.get("/", headers={"host": host}).status_code == 200


def test_the_given_host_is_served(house):
    client = TestClient(make_app(house, ["192.168.1.5"]))
    assert client.get("/", headers={"host": "192.168.1.5:8000"}).status_code == 200


# News


def test_news_are_waited_for(client):
    url = begin(client)
    tokens = [sit(client, url, seat) for seat in range(2)]
    scene = look(client, tokens[0])
    begun = time.monotonic()
    house = client.app._app.state.house
    house.is_closing = True  # nobody waits any more
    assert client.get(f"{tokens[0]}/state", params={"since": scene["version"]}).status_code == 204
    assert time.monotonic() - begun < 5
    house.is_closing = False
    play(client, tokens[scene["mover"]])
    answer = client.get(f"{tokens[0]}/state", params={"since": scene["version"]})
    assert answer.status_code == 200
    assert answer.json()["version"] > scene["version"]
    assert client.get(f"{tokens[0]}/state", params={"since": 0}).status_code == 200  # a page from before a restart


@pytest.mark.parametrize("since", ["x", "-1", "1.5", "9" * 30, "", "٣"])
def test_since_is_a_number(client, since):
    token = sit(client, begin(client), 0)
    assert client.get(f"{token}/state", params={"since": since}).status_code == 422


# Refusals


def test_moves_out_of_turn_or_out_of_date(client):
    url = begin(client)
    tokens = [sit(client, url, seat) for seat in range(2)]
    scene = look(client, tokens[0])
    mover, other = scene["mover"], 1 - scene["mover"]
    scene = look(client, tokens[mover])
    move = scene["moves"][0][0]
    told = client.post(f"{tokens[other]}/move", json={"version": look(client, tokens[other])["version"], "move": move})
    assert (told.status_code, told.json()["error"]) == (409, "it is not your turn")
    told = client.post(f"{tokens[mover]}/move", json={"version": scene["version"] - 1, "move": move})
    assert told.status_code == 409
    assert client.post(f"{tokens[mover]}/move", json={"version": scene["version"], "move": move}).status_code == 200
    assert client.post(f"{tokens[mover]}/move", json={"version": scene["version"], "move": move}).status_code == 409


def test_moves_that_cannot_be(client):
    url = begin(client, {"game": "double_agent-mini", "seats": [None] * 3}, seed=5)
    tokens = [sit(client, url, seat) for seat in range(3)]
    mover = look(client, tokens[0])["mover"]
    told = play(client, tokens[mover], "fly home")
    assert told.status_code == 422
    assert "is no action; write for instance" in told.json()["error"]
    told = play(client, tokens[mover], f"accuse {(mover + 1) % 3}")
    assert told.status_code == 422
    assert "legal are" in told.json()["error"]
    for bad in ({"version": 1}, {"move": "x"}, {"version": "1", "move": "x"}, {"version": 1, "move": 2}, {"x": 1}):
        assert client.post(f"{tokens[mover]}/move", json=bad).status_code == 422


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"game": "chess"}, "no game 'chess'"),
        ({"game": "tests.kuhn:DEFINITION"}, "no game"),
        ({"game": "os:path"}, "no game"),
        ({"game": 7}, "game=7"),
        ({"game": "confusion-huge"}, "no game"),
        ({"options": {"max_turn": 3}}, "did you mean 'max_turns'"),
        ({"options": {"max_turns": "3"}}, "max_turns='3'"),
        ({"options": {"max_turns": 0}}, "max_turns=0"),
        ({"options": {"max_turns": 10**30}}, "max_turns"),
        ({"options": {"auto_answer": True}}, "auto_answer"),
        ({"options": {"pieces": "/etc/passwd"}}, "on the page it is one of"),
        ({"options": {"setup": "../setups/mini"}}, "on the page it is one of"),
        ({"options": {"setup": ["mini"]}}, "on the page it is one of"),
        ({"options": {"special_actions": [[{}], []]}}, "no token"),
        ({"options": {"special_actions": [["reveal"], 3]}}, "special_actions"),
        ({"options": []}, "options"),
        ({"seats": [None]}, "1 seats are filled"),
        ({"seats": [None] * 3}, "3 seats are filled"),
        ({"seats": [None, "nobody"]}, "no agent 'nobody' is offered"),
        ({"seats": [None, "ismcts(simulations=9)"]}, "is offered"),
        ({"seats": [None, "sb3:/etc/passwd"]}, "is offered"),
        ({"seats": [None, "os:getcwd"]}, "is offered"),
        ({"seats": [None, "llm"]}, "is offered"),
        ({"seats": [None, ""]}, "is offered"),
        ({"seats": [None, 3]}, "seats.1=3"),
        ({"seats": "me"}, "seats='me'"),
        ({"seats": ["random", "random"]}, "no seat is a person's"),
        ({"seed": 1}, "there is no 'seed'"),
        ({"colour": "red"}, "no 'colour'"),
    ],
)
def test_games_that_cannot_be(client, house, changes, told):
    response = client.post("/games", json=PEOPLE | changes)
    assert response.status_code == 422
    assert told in response.json()["error"]
    assert not house._rooms


def test_data_files_of_the_server_cannot_be_named(client):
    for id in BUILT_IN:
        for option in kgb_env.registry.definition(id).files:
            response = client.post("/check", json={"game": id, "options": {option: "/etc/hostname"}})
            assert response.status_code == 422, option
            assert "on the page" in response.json()["error"]


def test_agents_are_offered_for_the_games_that_they_play():
    named = ["greedy(noise=0.5)", "nobody", "ismcts(simulations=3)"]
    assert "greedy" in offered_agents("confusion", ())
    require_player("ismcts(simulations=3)")
    with pytest.raises(AgentError, match="nobody"):
        require_player("nobody")
    for id in BUILT_IN:
        offered = offered_agents(id, named)
        assert "ismcts(simulations=3)" in offered
        assert "nobody" not in offered
        assert "greedy(noise=0.5)" not in offered, "there is no such argument"
    assert "deduction" not in offered_agents("confusion", ["deduction"])


def test_agents_of_the_command_line_may_be_chosen(client):
    assert "ismcts(simulations=2)" in client.post("/check", json={"game": "confusion"}).json()["agents"]
    assert "llm" not in offered_agents("confusion", [])
    named = "llm(url='http://127.0.0.1:1', model=x)"
    assert named in offered_agents("confusion", [named])


@pytest.mark.parametrize("path", ["/games", "/check", "{game}/sit", "{seat}/move"])
def test_bodies_that_cannot_be(client, path):
    url = begin(client)
    path = path.format(game=url, seat=sit(client, url, 0))
    form = {"content-type": "application/x-www-form-urlencoded"}
    for headers in (form, {"content-type": "text/plain"}, {}):
        assert client.post(path, content=b'{"seat": 1}', headers=headers).status_code == 415
    as_json = {"content-type": "application/json"}
    assert client.post(path, content=b"x" * (LONGEST_BODY + 1), headers=as_json).status_code == 413
    assert client.post(path, content=iter([b"[" * 9000] * 9), headers=as_json).status_code == 413
    bad = [b"", b"{", b"[]", b"7", b'"x"', b"\xff\xfe", b"[" * 9000, b"9" * 9000, b'{"a": NaN}', b"{}", b"null"]
    for body in bad:
        assert client.post(path, content=body, headers=as_json).status_code == 422, body


def test_what_does_not_exist_and_what_is_done_otherwise(client):
    for path in ("/game/x", "/game/x/state", "/game/x/replay", "/seat/x", "/seat/x/state", "/seat/x/replay", "/x"):
        assert client.get(path).status_code == 404
        assert client.get(path, headers={"accept": "text/html"}).headers["content-type"].startswith("text/html")
    assert client.get("/static/../web.py").status_code == 404
    assert client.get("/static/%2e%2e/web.py").status_code == 404
    for path in ("/game/x/sit", "/seat/x/move"):
        assert client.post(path, json={"seat": 0, "version": 1, "move": "x"}).status_code in (404, 422)
        assert client.get(path).status_code == 405
    for path in ("/", "/seat/x", "/seat/x/state"):
        assert client.post(path, json={}).status_code == 405
    for path in ("/games", "/check"):
        assert client.get(path).status_code == 405
        assert client.delete(path).status_code == 405


def test_malformed_requests_never_crash_the_server(client):
    url = begin(client)
    token = sit(client, url, 0)
    dice = random.Random(1)
    values = [
        None,
        True,
        -1,
        0,
        1,
        2**63,
        1e308,
        "",
        "x",
        "\ud800",
        "\x00",
        "<script>",
        [],
        [[]],
        {},
        {"a": 1},
        "9" * 99,
    ]
    names = ["game", "options", "seats", "seed", "seat", "version", "move", "self", "cls", "__class__", "id", "\ud800"]
    for _ in range(300):
        body = {dice.choice(names): dice.choice(values) for _ in range(dice.randrange(4))}
        if dice.random() < 0.5:
            body = (
                PEOPLE
                | body
                | {"options": {dice.choice([*names, "setup", "pieces", "max_turns"]): dice.choice(values)}}
            )
        for path in ("/games", "/check", f"{url}/sit", f"{token}/move"):
            status = client.post(
                path, json=None, content=json.dumps(body), headers={"content-type": "application/json"}
            )
            assert status.status_code < 500, (path, body)
    for _ in range(100):
        path = "/" + "/".join(
            dice.choice(["game", "seat", "static", "%00", "..", "%ff", "x", "state"]) for _ in range(3)
        )
        assert client.get(path).status_code < 500, path


# Forms


def test_every_game_and_preset_has_a_form_that_begins_it(client):
    page = client.get("/").text
    for form in forms():
        assert f'data-id="{form.id}"' in page
        assert client.post("/check", json={"game": form.id}).status_code == 200
        defaults = {question.name: question.default for question in form.questions}
        assert "auto_answer" not in defaults
        assert client.post("/check", json={"game": form.id, "options": defaults}).status_code == 200, form.id
        for question in form.questions:
            for choice in question.choices:
                if choice is not None and question.name not in ("board", "other_board", "setup", "pieces"):
                    told = client.post("/check", json={"game": form.id, "options": {question.name: choice}})
                    assert told.status_code in (200, 422)
    assert {form.id for form in forms()} == {*BUILT_IN, *preset_ids()}
    assert "mini" in shipped("confusion", "setup")


def test_the_seats_of_a_game_with_options(client):
    told = client.post("/check", json={"game": "double_agent", "options": {"deluxe": True}}).json()
    assert told["seats"] == 6
    assert told["agents"][0] == "expert"


def test_rules_and_what_is_due_are_told(client):
    url = begin(client)
    seat = sit(client, url, 1)
    for path in (url, seat):
        page = client.get(path, headers={"accept": "text/html"}).text
        assert "<summary>Rules</summary>" in page
        assert "<h3>What is hidden</h3><ul><li>" in page
    scene = look(client, seat)
    assert scene["who"] == "You are seat 1, Red."
    assert scene["due"] == "Turn 1 of 3: White is to propose."
    assert "<li>You are Red." in scene["known"]

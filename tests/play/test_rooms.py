"""Games side by side on a server: what fails or is slow in one of them, limits, saving, the end."""

import json
import threading
import time

import pytest

from agents import make_agent
from agents.llm import Purse
from experiments.play import rooms
from experiments.play.rooms import House, RefusalError
from kgb_env import IllegalActionError, KGBError, NotationError, OptionError, game, read_replays
from tests.play import own

BAD = ["Raises", "Exits", "Illegal", "Nonsense"]


@pytest.fixture
def house(tmp_path, monkeypatch):
    """Return a house whose agents from outside are asked here, where they can do most harm."""
    monkeypatch.setattr(
        "experiments.play.rooms.make_player", lambda game, name, deadline: getattr(own, name.partition(":")[2])(game)
    )
    house = House(tmp_path, [f"tests.play.own:{name}" for name in (*BAD, "Slow")], most=3)
    yield house
    own.Slow.may_move.set()
    house.close()
    own.Slow.may_move.clear()


@pytest.fixture
def large_house(tmp_path):
    """Return a house for many games, whose agents are our own."""
    house = House(tmp_path, most=50)
    yield house
    house.close()


def begin(house, *seats, game="double_agent-mini"):
    """Begin a game in which nobody has sat down."""
    return house.create({"game": game, "seats": [seat and f"tests.play.own:{seat}" for seat in seats]}, seed=5)


def join(house, *seats):
    """Begin a game and take its first seat, so that agents play."""
    room = begin(house, *seats)
    house.sit(room.code, 0)
    return room


def until(is_so):
    end = time.monotonic() + 300
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def play_first(room, seat):
    scene = room.scene(seat)
    room.move(seat, scene["version"], scene["moves"][0][0])


@pytest.mark.parametrize("name", BAD)
def test_an_agent_that_fails_breaks_off_its_game_alone(house, capsys, name):
    bad, good = join(house, None, name, name), begin(house, None, None, None)
    until(lambda: bad.status == "broken" and good.status == "going")
    scene = bad.scene(0)
    assert f"{name} in seat" in scene["fault"]
    assert "secret" not in scene["fault"]
    assert scene["svg"]
    assert scene["moves"] == []
    assert f"{name} in seat" in capsys.readouterr().err
    with pytest.raises(RefusalError, match="over") as refused:
        bad.move(0, scene["version"], "wait")
    assert refused.value.status == 409
    assert json.loads(bad.replay_line())["result"] is None
    mover = good.session.mover
    house.sit(good.code, mover)
    play_first(good, mover)
    assert good.status == "going"
    assert threading.active_count() < 50


def test_a_slow_agent_keeps_nobody_waiting(house):
    slow, other = join(house, None, "Slow", "Slow"), begin(house, None, None, None)
    until(lambda: slow.session and other.session)
    play_first(other, other.session.mover)  # all is compiled now
    begun = time.monotonic()
    assert slow.scene(0)["status"] == "going"
    play_first(other, other.session.mover)
    assert time.monotonic() - begun < 5
    if slow.session.mover != 0:
        with pytest.raises(RefusalError, match="not your turn"):
            slow.move(0, slow.scene(0)["version"], "wait")
    own.Slow.may_move.set()
    until(lambda: slow.session.mover == 0 or slow.is_over)


def test_what_a_slow_agent_answers_after_the_end_is_not_played(house):
    room = join(house, None, "Slow", "Slow")
    until(lambda: room.session)
    if room.session.mover == 0:
        play_first(room, 0)
    moves = list(room.session.recording.moves)
    house.close()
    own.Slow.may_move.set()
    time.sleep(0.3)
    assert room.session.recording.moves == moves
    assert room.status == "broken"


def test_rules_and_pictures_that_fail_break_off_their_game(house, monkeypatch):
    room, other = begin(house, None, None, None), begin(house, None, None, game="confusion-mini")
    until(lambda: room.session and other.session)
    monkeypatch.setattr(room.session.recording, "play", lambda action: 1 / 0)
    seat = room.session.mover
    with pytest.raises(RefusalError, match="the rules: ZeroDivisionError"):
        play_first(room, seat)
    assert room.status == "broken"
    assert other.status == "going"
    monkeypatch.setattr("experiments.play.rooms.scene", lambda *_: 1 / 0)
    for _ in range(3):
        assert other.scene(0)["status"] == "broken"
    version = other.scene(0)["version"]
    assert other.scene(0, version) is None


def test_rules_that_cannot_even_begin(house, monkeypatch):
    monkeypatch.setattr("experiments.play.rooms.Session", lambda *_: 1 / 0)
    room = begin(house, None, None, None)
    until(lambda: room.status == "broken")
    assert "the rules: ZeroDivisionError" in room.scene(0)["fault"]
    for refused in (room.replay_line, lambda: room.move(0, room.scene(0)["version"], "wait")):
        with pytest.raises(RefusalError) as error:
            refused()
        assert error.value.status == 409


def test_a_server_that_stops_begins_nothing(house):
    house.close()
    with pytest.raises(RefusalError, match="stopping") as refused:
        begin(house, None, None, None)
    assert refused.value.status == 503


def test_persons_faults_break_off_nothing(house):
    room = begin(house, None, None, None)
    until(lambda: room.session)
    seat = room.session.mover
    version = room.scene(seat)["version"]
    with pytest.raises(NotationError):
        room.move(seat, version, "fly home")
    with pytest.raises(IllegalActionError):
        room.move(seat, version, f"accuse {(seat + 1) % 3}")
    with pytest.raises(RefusalError, match="look again"):
        room.move(seat, version + 1, "wait")
    assert room.status == "going"
    assert room.scene(seat, version) is None


def test_there_is_a_most_of_games_and_ended_ones_make_room(house):
    rooms = [begin(house, None, None, None) for _ in range(3)]
    until(lambda: all(room.session for room in rooms))
    token = house.sit(rooms[1].code, 0)
    with pytest.raises(RefusalError, match="3 games") as refused:
        begin(house, None, None, None)
    assert refused.value.status == 503
    rooms[1].close()
    begin(house, None, None, None)
    assert len(house._rooms) == 3
    for find in (lambda: house.room(rooms[1].code), lambda: house.place(token)):
        with pytest.raises(RefusalError) as refused:
            find()
        assert refused.value.status == 404
    assert house.room(rooms[0].code) is rooms[0]


def test_a_game_that_nobody_has_looked_at_for_a_day_makes_room(house, monkeypatch):
    rooms = [begin(house, None, None, None) for _ in range(3)]
    until(lambda: all(room.session for room in rooms))
    monkeypatch.setattr("experiments.play.rooms.IDLE", -1.0)
    begin(house, None, None, None)
    assert rooms[0].status == "broken"
    assert rooms[1].status == "going"


def test_a_game_in_which_nobody_sits_makes_room_after_ten_minutes(house, monkeypatch):
    rooms = [join(house, None, None, None), *(begin(house, None, None, None) for _ in range(2))]
    until(lambda: all(room.session for room in rooms))
    rooms[1].begun -= 599
    with pytest.raises(RefusalError, match="3 games"):
        begin(house, None, None, None)
    rooms[0].begun -= 601
    rooms[2].begun -= 601
    begin(house, None, None, None)
    assert [room.status for room in rooms] == ["going", "going", "broken"]


def test_agents_wait_for_the_first_person(house):
    own.Slow.may_move.set()
    rooms = [begin(house, *seats) for seats in ((None, "Slow", "Slow"), ("Slow", None, "Slow"))]
    until(lambda: all(room.session for room in rooms))
    room = next(room for room in rooms if not room.is_person(room.session.mover))
    time.sleep(0.3)
    assert not room.session.has_begun
    house.sit(room.code, next(seat for seat in range(3) if room.is_person(seat)))
    until(lambda: room.session.has_begun)


def test_a_game_of_agents_alone_is_refused(house):
    with pytest.raises(KGBError, match="no seat is a person's"):
        begin(house, "Slow", "Slow", "Slow")


def test_different_games_are_limited(large_house, monkeypatch):
    monkeypatch.setattr("experiments.play.rooms.MOST_CONFIGURATIONS", 2)

    def begin_one(**options):
        return large_house.create({"game": "confusion-mini", "options": options, "seats": [None, "random"]})

    for _ in range(3):
        with pytest.raises(OptionError):
            begin_one(max_turns=0)
    for turns in (3, 4, 3):
        begin_one(max_turns=turns)
    for _ in range(3):
        begin_one()  # as it is by default
    with pytest.raises(RefusalError, match="2 games with different options") as refused:
        begin_one(max_turns=5)
    assert refused.value.status == 503
    assert begin_one(max_turns=4).game is game("confusion-mini", max_turns=4)


def test_games_that_take_long_to_begin_leave_room_for_others(large_house, monkeypatch):
    may_begin, begun = threading.Event(), []

    def slow(configured, name, deadline):
        assert may_begin.wait(30)
        return make_agent(configured, name)

    monkeypatch.setattr("experiments.play.rooms.make_player", slow)
    asked = {"game": "confusion-mini", "seats": [None, "random"]}
    threads = [
        threading.Thread(target=lambda: begun.append(large_house.create(asked))) for _ in range(rooms.MOST_BEGINNINGS)
    ]
    for thread in threads:
        thread.start()
    until(lambda: not large_house._beginnings._value)
    with pytest.raises(RefusalError, match="games are being begun") as refused:
        large_house.create(asked)
    assert refused.value.status == 503
    may_begin.set()
    for thread in threads:
        thread.join()
    assert len(begun) == rooms.MOST_BEGINNINGS
    large_house.create(asked)


class Buyer(own.Raises):
    """Has a purse."""

    def __init__(self, game):
        super().__init__(game)
        self.purse = Purse()


class Couple(own.Raises):
    """Has two parts with purses, one of them inside of another part."""

    def __init__(self, game):
        super().__init__(game)
        self.parts = Buyer(game), own.Raises(game)
        self.parts[1].parts = (Buyer(game),)


def test_all_agents_of_a_name_share_their_purse(house, monkeypatch):
    monkeypatch.setattr("experiments.play.forms.fault_of", lambda game, name: "")
    monkeypatch.setattr(own, "Buyer", Buyer, raising=False)
    monkeypatch.setattr(own, "Couple", Couple, raising=False)
    house.agents = "tests.play.own:Buyer", "tests.play.own:Couple"
    first, second = (begin(house, None, "Buyer", "Couple") for _ in range(2))
    first._players[1].purse.pay(7)
    first._players[2].parts[1].parts[0].purse.pay(5)
    assert second._players[1] is not first._players[1]
    assert second._players[1].purse.spent == 7
    couple = second._players[2]
    assert [couple.parts[0].purse.spent, couple.parts[1].parts[0].purse.spent] == [0, 5]


def test_what_is_said_of_a_failure_holds_no_key(house, monkeypatch, capsys):
    monkeypatch.setenv("KGB_LLM_KEY", "a secret of the agent")
    room = join(house, None, "Raises", "Raises")
    until(lambda: room.status == "broken" or (room.session and room.session.mover == 0))
    if room.status != "broken":
        play_first(room, 0)
        until(lambda: room.status == "broken")
    told = capsys.readouterr().err
    assert "ZeroDivisionError: ***" in told
    assert "a secret" not in told


def test_what_goes_on_when_the_server_stops_is_saved(house, tmp_path):
    begun, untouched = begin(house, None, None, None), begin(house, None, None, game="confusion-mini")
    until(lambda: begun.session and untouched.session)
    play_first(begun, begun.session.mover)
    assert house.close() == [tmp_path / "double_agent.jsonl"]
    (replay,) = read_replays(tmp_path / "double_agent.jsonl")
    assert replay.returns is None
    assert replay.reason == "The server has ended the game."
    assert not (tmp_path / "confusion.jsonl").exists()
    house.close()
    assert len(list(read_replays(tmp_path / "double_agent.jsonl"))) == 1


def test_saving_that_fails_harms_nobody(house, tmp_path, capsys):
    room = begin(house, None, None, None)
    until(lambda: room.session)
    (tmp_path / "double_agent.jsonl").mkdir()
    play_first(room, room.session.mover)
    house.close()
    assert room.scene(0)["note"] == "The game could not be saved."
    assert "cannot be written" in capsys.readouterr().err


def test_two_persons_cannot_get_one_seat_at_a_time(house):
    room, got = begin(house, None, None, None), []

    def take():
        try:
            got.append(house.sit(room.code, 1))
        except RefusalError as error:
            got.append(error.status)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got.count(409) == 7
    assert len([token for token in got if token != 409]) == 1

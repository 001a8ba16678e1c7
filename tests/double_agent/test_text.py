"""Notation, drawings and the log: read back as written, wrong texts refused, nothing hidden shown."""

import numpy as np
import pytest

import kgb_env
from kgb_env import PUBLIC, kernels
from kgb_env.errors import NotationError
from kgb_env.games.double_agent.spec import THROW
from tests.double_agent.positions import dealt, inspected, own_game, run, standing, thrown
from tests.random_play import random_states

pytestmark = pytest.mark.nojit


@pytest.fixture
def camp(tmp_path):
    return own_game(tmp_path)


def parse(game, states, text):
    return game.notation.parse_action(game, states, text)


def positions(game):
    start = dealt(game, double_agent=3)
    return {
        "roles are dealt": game.begin(),
        "opening play": dealt(game, 3, opening=None),
        "throw": start,
        "go": run(game, start, "throw 7"),
        "monitor": run(game, thrown(standing(game, start, {2: "g3"}), 2, 3), "go g4"),
        "over": run(game, thrown(standing(game, start, {2: "f4", 3: "h4"}), 2, 9), "accuse 3"),
    }


def test_every_action_is_read_back_as_written(camp):
    for states in positions(camp).values():
        for records in (states, *(camp.view(states, seat) for seat in (0, 3, PUBLIC))):
            texts = [camp.notation.action(camp, records, action) for action in range(camp.actions.size)]
            assert [parse(camp, records, text) for text in texts] == list(range(camp.actions.size))
            assert len(set(texts)) == len(texts)


def test_the_notation_is_that_of_the_page(camp):
    states = thrown(standing(camp, dealt(camp, double_agent=3), {2: "g3"}), 2, 3)
    texts = [camp.notation.action(camp, states, action) for action in range(camp.actions.size)]
    assert texts[:5] == ["wait", "stay", "skip", "inspect", "sabotage"]
    assert texts[5:14] == ["accuse 3", "accuse 0", "accuse 1", "leave west", "leave east"] + [
        f"open {code}" for code in ("GAR", "HUT", "KIT", "LAB")
    ]
    assert texts[14:17] == ["go a2", "go b2", "go c2"]
    assert parse(camp, states, "  go   c2 ") == parse(camp, states, "go c2")


def test_accusations_name_seats_whoever_accuses(camp):
    start = dealt(camp)
    first = camp.actions.accuse.start
    for seat in range(4):
        states = thrown(standing(camp, start, {seat: "g3"}), seat, 3)
        assert camp.notation.action(camp, states, first) == f"accuse {(seat + 1) % 4}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no action; write for instance 'go a2', 'accuse 1', 'leave west', 'open GAR'"),
        ("go", "is no action"),
        ("go c5", "there is no 'c5' on the board; there are a2 to "),
        ("go c2 now", "is no action"),
        ("leave north", "no 'north' on the board; there are west, east"),
        ("open gar", "there are GAR, HUT, KIT, LAB"),
        ("accuse 0", "accuse another seat; seats are 0 to 3"),
        ("accuse 4", "seats are 0 to 3"),
        ("accuse ²", "seats are 0 to 3"),
        ("fly c2", "is no action"),
    ],
)
def test_other_texts_are_refused(camp, text, message):
    states = run(camp, dealt(camp), "throw 7")
    with pytest.raises(NotationError, match=message):
        parse(camp, states, text)


def test_outcomes_are_read_back_as_written(camp):
    for name, texts in (
        ("roles are dealt", [f"double agent {seat}" for seat in range(4)]),
        ("throw", [f"throw {throw}" for throw in range(2, 13)]),
    ):
        states, weights = positions(camp)[name], camp.weights()
        kernels.chance(states[0], weights, camp.tables[0])
        outcomes = np.flatnonzero(weights)
        assert [camp.notation.outcome(camp, states, int(outcome)) for outcome in outcomes] == texts
        assert [camp.notation.parse_outcome(camp, states, text) for text in texts] == outcomes.tolist()


@pytest.mark.parametrize("text", ["", "7", "throw", "throw 1", "throw 13", "throw seven", "first 0", "double agent 0"])
def test_other_outcomes_are_refused(camp, text):
    states = dealt(camp)
    assert states["phase"][0] == THROW
    with pytest.raises(NotationError, match=r"due is 'throw N' with N from 2 to 12"):
        camp.notation.parse_outcome(camp, states, text)


def drawing(game, states, viewer):
    return game.notation.draw(game, game.view(states, viewer))


def test_the_map_shows_the_seats_and_no_hiding_places(camp):
    states = standing(camp, dealt(camp), {0: "g4", 1: "c2"})
    rows = drawing(camp, states, PUBLIC).splitlines()[:7]
    assert rows == [
        "#################",
        "=:1:::::::::::::=",
        "##+###+###+###+##",
        "#G..#H0.#K..#L..#",
        '#.@"#...#...#...#',
        '#."##...#...#...#',
        "#################",
    ]


def test_a_drawing_says_what_its_viewer_knows(camp):
    states = inspected(camp, dealt(camp, double_agent=3), "0 HUT", "1 HUT", "3 KIT sabotage", "2 KIT")
    agent, double, public = (drawing(camp, states, viewer) for viewer in (0, 3, PUBLIC))
    assert "seat 0  gazebo                       Security Agent (you)" in agent
    assert agent.count("Security Agent") == 1
    assert "H HUT Hut                   OFF  left OFF       since then seat 1" in agent
    assert "K KIT Kitchen               ?    not inspected  seat 2, seat 3" in agent
    assert "(HUT OFF), HUT 1, KIT 3, KIT 2" in agent
    assert "HUT 0, HUT 1, (KIT OFF), KIT 2" in double
    assert double.count("Security Agent") == 3
    assert "HUT 0, HUT 1, KIT 3, KIT 2" in public
    assert "Agent" not in public


def test_a_drawing_says_what_is_due(camp):
    due = {
        "roles are dealt": "being drawn",
        "opening play": "Opening play: seat 0 is alone with the board.",
        "throw": "being drawn",
        "go": "Round 1 of 60: seat 0 has thrown 7 and is to go.",
        "monitor": "Round 1 of 60: seat 2 has thrown 3 and stands at a monitor.",
        "over": "The game is over: exposure. Best off: seat 2.",
    }
    for name, states in positions(camp).items():
        assert due[name] in drawing(camp, states, PUBLIC)


def test_the_log_says_what_its_viewer_knows(camp):
    states = standing(camp, dealt(camp, double_agent=1), {0: "g3", 1: "k3", 2: "o3"})
    states = run(
        camp, states, "throw 3", "go g4", "inspect", "throw 3", "go k4", "sabotage", "throw 3", "go o4", "skip"
    )
    states = run(camp, standing(camp, states, {3: "h4"}), "throw 9", "accuse 0")
    states = run(camp, states, "throw 4", "go g4", "throw 7", "go g3")
    agent, double, public = (camp.notation.log(camp, camp.view(states, seat)) for seat in (0, 1, PUBLIC))
    assert agent == [
        "seat 0: wait",
        "seat 1: opening play",
        "seat 2: opening play",
        "seat 3: wait",
        "seat 0: throw 3, go g4, inspect HUT: OFF",
        "seat 1: throw 3, go k4, inspect KIT",
        "seat 2: throw 3, go o4, skip",
        "seat 3: throw 9, accuse 0, wrongly",
        "seat 0: throw 4, go g4",
        "seat 1: throw 7, go g3",
    ]
    assert double[1] == "seat 1: open HUT"
    assert double[4:6] == ["seat 0: throw 3, go g4, inspect HUT: OFF", "seat 1: throw 3, go k4, inspect KIT: sabotaged"]
    assert public[4] == "seat 0: throw 3, go g4, inspect HUT"


def test_the_log_names_every_ending(camp):
    states = positions(camp)["over"]
    assert camp.notation.log(camp, states)[-1] == "seat 2: throw 9, accuse 3, rightly"
    ready = inspected(camp, dealt(camp, 3), "3 KIT sabotage", "3 LAB sabotage")
    states = run(camp, thrown(standing(camp, ready, {3: "b2"}), 3, 9), "leave west")
    assert camp.notation.log(camp, states)[-1] == "seat 3: throw 9, leave west"
    boxed = standing(camp, dealt(camp), {0: "b6", 1: "b5", 2: "c4"})
    assert camp.notation.log(camp, run(camp, boxed, "throw 3", "stay"))[-1] == "seat 0: throw 3, stay"


def test_the_log_has_an_entry_for_every_turn():
    game = kgb_env.game("double_agent-mini")
    for states in random_states(game, 3):
        turns = int((states["log"][0] > 0).sum())
        assert len(game.notation.log(game, states)) == states["opened"][0] + turns


def test_the_oracle_draws_everything(camp):
    states = dealt(camp, double_agent=3)
    text = camp.notation.draw(camp, camp.oracle(states, 0))
    assert text.count("Security Agent") == 3
    assert "?" not in text

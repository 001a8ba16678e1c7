"""What a seat knows as text: complete, of the view alone, and with the legal moves."""

import re
from importlib import import_module

import numpy as np
import pytest

import kgb_env
from kgb_env import PUBLIC, NotationError, RecordError, game, text_view
from kgb_env.camp.drawing import place_name
from kgb_env.camp.summary import how_to_read_the_map
from kgb_env.games.confusion import notebook
from kgb_env.games.secret_formula.spec import HIT, RETURN
from kgb_env.registry import BUILT_IN, game_of
from tests import kuhn
from tests.text_games import VARIANTS, decisions, listed_moves, variant


def told(configured):
    """Return the text for the first decision of a game."""
    states = configured.start(1)
    return text_view(configured.view(states, int(states["to_move"][0])))


@pytest.mark.parametrize("name", VARIANTS)
def test_the_moves_listed_are_the_legal_ones_in_every_phase(name):
    configured = variant(name)
    for seed in range(3):
        for states in decisions(configured, seed):
            if states["over"][0]:
                break
            view = configured.view(states, int(states["to_move"][0]))
            moves = [configured.notation.parse_action(configured, view, move) for move in listed_moves(text_view(view))]
            assert sorted(moves) == configured.legal(view).tolist()


@pytest.mark.parametrize("name", [*BUILT_IN, "double_agent-deluxe"])
def test_the_moves_listed_are_the_legal_ones_in_the_standard_games(name):
    id, _, deluxe = name.partition("-")
    configured = game(id, **({"deluxe": True} if deluxe else {}))
    for states in decisions(configured, 4, plies=12):
        view = configured.view(states, int(states["to_move"][0]))
        moves = [configured.notation.parse_action(configured, view, move) for move in listed_moves(text_view(view))]
        assert sorted(moves) == configured.legal(view).tolist()


@pytest.mark.parametrize("name", VARIANTS)
def test_who_cannot_tell_worlds_apart_reads_the_same(name):
    configured = variant(name)
    for states in decisions(configured, 5):
        for seat in range(configured.seats):
            view = configured.view(states, seat)
            text = text_view(view)
            if states["over"][0]:
                continue
            for world in configured.determinize(view, np.arange(3, dtype=np.uint64)):
                twin = configured.view(np.array([world]), seat)
                assert text_view(twin) == text


@pytest.mark.parametrize("name", VARIANTS)
def test_the_table_and_all_events_are_in_the_text(name):
    configured = variant(name)
    *_, states = decisions(configured, 6)
    view = configured.view(states, 0)
    text = text_view(view)
    assert configured.notation.draw(configured, view) in text
    assert "\n".join(configured.notation.log(configured, view)) in text
    assert "The game is over: there is nothing to choose." in text


@pytest.mark.parametrize("id", BUILT_IN)
def test_who_is_not_to_move_gets_no_moves(id):
    configured = game(id)
    states = configured.start(1)
    mover = int(states["to_move"][0])
    text = text_view(configured.view(states, (mover + 1) % configured.seats))
    assert f"You have nothing to choose now: seat {mover} is to move, not you." in text
    assert "legal moves:" not in text


@pytest.mark.parametrize("id", BUILT_IN)
def test_the_rules_can_be_left_out(id):
    configured = game(id)
    states = configured.start(1)
    view = configured.view(states, int(states["to_move"][0]))
    rules = configured.notation.rules(configured)
    assert rules in text_view(view)
    assert rules not in text_view(view, rules=False)


@pytest.mark.parametrize("name", VARIANTS)
def test_options_change_the_rules(name):
    id, options = VARIANTS[name]
    plain = game(id).notation.rules(game(id))
    for option, value in options.items():
        if option == "tight_setup":
            continue  # goes with variable_setup only, on this board
        changed = game(id, **{option: value})
        assert changed.notation.rules(changed) != plain, option


@pytest.mark.parametrize(
    ("id", "options", "words"),
    [
        ("confusion", {"max_turns": 17}, "After 17 turns a seat the game is a draw."),
        ("confusion", {"tight_setup": True}, "outermost column"),
        ("confusion", {"safe_extraction": True}, "when your next turn begins"),
        (
            "confusion",
            {"safe_extraction": True},
            "A seat wins when its turn begins and any spy, the Double Agent too, of",
        ),
        ("confusion", {"promotion_sir": True}, "Every piece but the Double Agent can be promoted"),
        ("confusion", {"promotion_sir": True}, "moves onto the opponent's first row from another row"),
        ("confusion", {"special_actions": True}, "the second lapses if none is legal"),
        ("confusion", {"auto_answer": True, "honor_among_spies": True}, "you are never asked"),
        ("confusion", {"honor_among_spies": True}, "There is no Double Agent"),
        ("confusion", {"promotion_sir": True}, "`promote yes`"),
        ("confusion", {"variable_setup": True}, "`place D c2`"),
        ("confusion", {"auto_answer": True}, "True answers are given for you"),
        ("confusion", {"special_actions": [["reveal"], ["swap"]]}, "at the start: Reveal 1; Red: Swap 2"),
        ("confusion", {"pieces": "mini", "setup": "mini"}, "The board has 5 columns"),
        ("double_agent", {"deluxe": True}, "There are 15 monitors"),
        ("double_agent", {"deluxe": True}, "once 8 are OFF"),
        ("double_agent", {"deluxe": True}, "`%` an open passage"),
        ("double_agent", {"stake": 0.5}, "costs its accuser 0.5"),
        ("double_agent", {"rewards": "team"}, "whoever accused it"),
        ("double_agent", {"rewards": "team"}, "all Security Agents win, and the game is over"),
        ("double_agent", {"stake": 0}, "nobody has won; all get 0 then"),
        ("double_agent", {"stake": 0, "rewards": "team"}, "nobody has won; all get 0 then"),
        ("double_agent", {"players": 6}, "6 seats go about"),
        ("secret_formula", {"mercy": True}, "Mercy:"),
        ("secret_formula", {"max_rounds": 9}, "After 9 rounds"),
        ("secret_formula", {"deluxe": True}, "6 seats search"),
        ("suspicious", {"director": "neutral"}, "Chance names the spy"),
        ("suspicious", {"debate_rounds": 3}, "Debate, 3 times"),
        ("suspicious", {"rewards": "zero_sum"}, "less the mean"),
        ("suspicious", {"rounds": 3}, "After 3 rounds the match is over"),
        ("suspicious", {"cards": "mini", "vocabulary": "mini", "rounds": 2}, "play 2 rounds"),
    ],
)
def test_rules_say_what_options_do(id, options, words):
    changed, plain = game(id, **options), game(id)
    assert words in changed.notation.rules(changed)
    assert words not in plain.notation.rules(plain)


@pytest.mark.parametrize(
    ("id", "options", "words"),
    [
        ("confusion", {"safe_extraction": True}, "in either seat's turn"),
        ("confusion", {}, "home"),
        ("confusion", {"promotion_sir": True}, "promotable"),
        ("confusion", {"promotion_sir": True, "honor_among_spies": True}, "promotable"),
        ("confusion", {"honor_among_spies": True, "safe_extraction": True}, "the Double Agent too"),
        ("double_agent", {"rewards": "team"}, "alone"),
        ("double_agent", {"rewards": "team", "stake": 0}, "stake"),
        ("double_agent", {"stake": 0}, "stake"),
        ("double_agent", {}, "in the camp,"),
        ("suspicious", {"rewards": "zero_sum"}, "each one."),
    ],
)
def test_rules_leave_out_what_options_take_away(id, options, words):
    configured = game(id, **options)
    assert words not in configured.notation.rules(configured)


@pytest.mark.parametrize(
    ("id", "words"),
    [
        ("confusion", "by a way that is free of spies"),
        ("confusion", "`one of` in the table lists what was said of that spy alone"),
        ("double_agent", "no longer in the gazebo, not exposed"),
        ("double_agent", "and it plays on"),
        ("double_agent", "you may still accuse or leave"),
        ("double_agent", "If it is ON, the Double Agent may inspect it and turn it OFF"),
        ("secret_formula", "is captured when its throw would come"),
        ("secret_formula", "each capture is carried out at once"),
        ("secret_formula", "A round is one turn of each seat"),
        ("suspicious", "but no clue and no vote before the others do"),
        ("suspicious", "seats with equal points share that"),
    ],
)
def test_rules_say_what_is_easily_overlooked(id, words):
    assert words in game(id).notation.rules(game(id))


def test_nothing_in_the_table_is_called_promotable_where_every_spy_is():
    assert "promotable" in told(game("confusion"))
    assert "promotable" not in told(game("confusion", promotion_sir=True))


@pytest.mark.parametrize("id", BUILT_IN)
def test_one_answer_is_one_move(id):
    text = told(game(id))
    assert "One answer is one move: if something else is to be chosen after it, you are asked again." in text
    assert "end your answer with one line of this form" in text
    assert text.endswith("Nothing may stand after the\nmove, neither in its line nor below it: explain before.\n")


@pytest.mark.parametrize(
    ("options", "absent", "present"),
    [
        ({}, ["place", "reveal", "swap", "move two", "promote", "decline"], ["out D", "expose", "answer yes"]),
        ({"honor_among_spies": True, "promotion_sir": True}, ["out D", "expose", "promote"], ["D f2-f4"]),
        ({"special_actions": [["reveal"], []]}, ["swap", "move two", "place"], ["reveal D"]),
        ({"variable_setup": True}, ["reveal"], ["place D c2"]),
        ({"promotion_sir": True}, ["swap"], ["promote yes", "decline"]),
    ],
)
def test_the_forms_that_a_game_names_are_those_of_its_options(options, absent, present):
    configured = game("confusion", **options)
    view = configured.view(configured.start(7), 0)
    with pytest.raises(NotationError) as refusal:
        configured.notation.parse_action(configured, view, "castle")
    assert not [form for form in absent if form in str(refusal.value)]
    assert all(form in str(refusal.value) for form in present)


@pytest.mark.parametrize(("director", "knows"), [("neutral", True), ("seat", False)])
def test_only_a_neutral_director_makes_of_the_deal_a_chance(director, knows):
    options = {"director": "neutral"} if director == "neutral" else {}
    configured = game("suspicious-mini", **options)
    texts, forms = [], set()
    for states in decisions(configured, 3):
        if states["over"][0]:
            break
        mover = int(states["to_move"][0])
        view = configured.view(states, mover)
        texts += [text_view(configured.view(states, seat)) for seat in range(configured.seats)]
        with pytest.raises(NotationError) as refusal:
            configured.notation.parse_action(configured, view, "castle")
        due = str(refusal.value).partition("write ")[2]
        verbs = {move.split()[0] for move in listed_moves(text_view(view))}
        assert {form.split()[0] for form in re.findall(r"'([^']*)'", due)} == verbs
        forms |= verbs
    assert any("with a chance of 1 in" in text for text in texts) == knows
    assert any("The Director chose the spy: it may be you" in text for text in texts) != knows
    assert not any("see everything" in text for text in texts)
    assert {"write", "vote", "accuse", "quiet"} <= forms


def test_a_seat_that_has_to_escape_reads_no_walks_and_what_its_turn_is():
    escapes = turns = 0
    configured = game("secret_formula-mini", max_rounds=40)
    for seed in range(6):
        for states in decisions(configured, seed, plies=250):
            s = states[0]
            if s["over"]:
                break
            mover = int(s["to_move"])
            text = text_view(configured.view(states, mover), rules=False)
            inside = s["cell"][mover] >= 0 and configured.tables[0].sector[s["cell"][mover]] == s["guard"]
            assert ("Shortest walks" in text) != bool(inside or (s["cell"][mover] < 0 and s["gate"][mover] < 0))
            assert ("You are in the guard's sector" in text) == bool(inside)
            escapes += bool(inside)
            if s["phase"] in (HIT, RETURN) and s["status"][mover] != 0:
                turns += 1
                assert f"Seat {mover} has missed its last turn, and has its turn now" in text
                assert f"Seat {mover} has missed its last turn and moves in its next one" not in text
    assert escapes
    assert turns


@pytest.mark.parametrize("id", ["double_agent", "secret_formula"])
@pytest.mark.parametrize("deluxe", [False, True])
def test_every_cell_is_one_that_the_map_explains(id, deluxe):
    configured = game(id, deluxe=deluxe)
    camp = import_module(f"kgb_env.games.{id}.boards").camp_of(configured)
    explained = set(re.findall(r"`(.)`", how_to_read_the_map(camp, [])[1])) | {s.letter for s in camp.sectors}
    drawn = configured.notation.draw(configured, configured.start(1)).splitlines()
    names = {place_name(place): drawn[place[0]][place[1]] for place in camp.cells}
    assert {mark for mark in names.values() if not mark.isdigit()} <= explained | {"X", "&"}
    others = "".join(
        drawn[row][column]
        for row, line in enumerate(camp.rows)
        for column, _ in enumerate(line)
        if (row, column) not in camp.cells
    )
    assert not set(others) & (explained - {"@"})


def test_pieces_of_ones_own_are_described(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("Hopper F FL 4\nDigger B 1\nEel FR 3 promotable\n")
    own = game("confusion", setup="mini", pieces=str(path))
    assert "Eel (FR 3, promotable)" in told(own)


def test_confusion_tells_what_can_be_deduced_exactly():
    configured = game("confusion-mini", max_turns=8)
    *_, states = decisions(configured, 7, plies=12)
    view = configured.view(states, 0)
    notes, text = notebook(configured, view, 0), text_view(view)
    assert f"the possible deals ({notes.deals:,})" in text
    for letter, row in zip(notes.letters, notes.possible, strict=True):
        (line,) = [
            line
            for line in text.partition("own spies can be")[2].splitlines()[1 : len(notes.letters) + 1]
            if letter in line.partition(":")[0].split()
        ]
        assert line.count("%") == row.sum()


def test_a_security_agent_reads_who_can_be_the_double_agent():
    configured = game("double_agent-mini", max_turns=6)
    for states in decisions(configured, 8):
        for seat in np.flatnonzero(states["role"][0, : configured.seats] == 0):
            view = configured.view(states, int(seat))
            if states["over"][0]:
                continue
            worlds = configured.determinize(view, np.arange(200, dtype=np.uint64))
            suspects = [f"seat {k}" for k in np.flatnonzero((worlds["role"][:, : configured.seats] == 1).any(axis=0))]
            assert f"the Double Agent can be {', '.join(suspects)}" in text_view(view)


def test_a_game_without_rules_in_words_is_told_too():
    poker = game(kuhn.ID)
    states = poker.start(1)
    text = text_view(poker.view(states, 0))
    assert "## Rules" not in text
    assert "- pass\n- bet\n" in text


def test_what_is_no_view_by_a_seat_is_refused():
    configured = game("confusion-mini")
    states = configured.start(1)
    with pytest.raises(RecordError, match="one view by a seat"):
        text_view(states)
    with pytest.raises(RecordError, match="one view by a seat"):
        text_view(configured.view(states, PUBLIC))
    with pytest.raises(RecordError, match="one view by a seat"):
        text_view(configured.oracle(states, 0))
    with pytest.raises(RecordError, match="got 2"):
        text_view(configured.view(configured.start(np.array([1, 2], np.uint64)), 0))
    with pytest.raises(RecordError, match="expected records of a game, got list"):
        text_view([1])


def test_a_game_is_found_by_its_records():
    for options in ({}, {"max_turns": 3}):
        configured = game("confusion-mini", **options)
        assert game_of(configured.start(1)) is configured


def test_a_game_that_nobody_has_configured_is_named():
    configured = game("confusion-mini")
    view = configured.view(configured.start(1), 0)
    view["game"] ^= 1
    with pytest.raises(RecordError, match=r"has been configured in this process; call kgb_env\.game"):
        text_view(view)


def test_it_is_exported():
    assert kgb_env.text_view is text_view

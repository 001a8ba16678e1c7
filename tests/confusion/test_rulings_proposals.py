"""Rulings C1 to C7: pieces, set-up, who sees what, proposals, answers, the briefcase.

The expected answers come from the rulings and the rulebook; positions.py says which letter has which piece.
"""

from itertools import product

import numpy as np
import pytest

import kgb_env
from kgb_env import PUBLIC, UNKNOWN, kernels
from kgb_env.errors import IllegalActionError
from tests.confusion.positions import (
    DA,
    DEAL,
    EVERYTHING,
    RED,
    WHITE,
    briefcase,
    dealt,
    legal,
    own_game,
    play,
    position,
    possible,
    promoted,
    result,
    revealed,
    squares,
    to_move,
)

pytestmark = pytest.mark.nojit

GAME = kgb_env.game("confusion")
AUTO = kgb_env.game("confusion", auto_answer=True)
CONTROLLED = {"white": {"J": "f6", "A": "a1"}, "red": {"A": "h8", "C": "k11"}}  # White's J has the briefcase

# C1 in the ruling's own words: directions and distance of the pieces 1 to 12.
MOVEMENTS = [
    ("F", 4),
    ("FL FR", 3),
    ("F L R", 2),
    ("F FL FR", 2),
    ("F B L R FL FR BL BR", 1),
    ("F B L R", 2),
    ("F B BL BR", 2),
    ("FL FR BL BR", 2),
    ("L R B", 3),
    ("F B", 3),
    ("FL FR B", 2),
    ("L R BL BR", 1),
]
# Columns to the right and rows up, for White; Red sees the board turned by 180 degrees.
STEPS = {
    "F": (0, 1),
    "B": (0, -1),
    "L": (-1, 0),
    "R": (1, 0),
    "FL": (-1, 1),
    "FR": (1, 1),
    "BL": (-1, -1),
    "BR": (1, -1),
}


def at(white, red, briefcase="k6", turn=0, game=GAME):
    return position(game, white, red, briefcase, turn)


def from_f6(seat, direction, distance):
    """Return the square so far from f6, as the seat sees directions."""
    right, up = STEPS[direction]
    sign = (1, -1)[seat] * distance
    return f"{chr(ord('f') + sign * right)}{6 + sign * up}"


@pytest.mark.parametrize("seat", [WHITE, RED])
def test_c1_each_piece_goes_where_the_ruling_says_seen_by_its_owner(seat):
    for direction, distance in product(STEPS, range(1, 5)):
        able = {n for n, (ways, most) in enumerate(MOVEMENTS, 1) if direction in ways.split() and distance <= most}
        for letter, piece in list(DEAL.items())[:-1]:
            sides = [{letter: "f6"}, {"X": "k1"}]
            states = at(*(sides if seat == WHITE else sides[::-1]), briefcase="a1", turn=seat)
            states = play(GAME, states, f"{letter} f6-{from_f6(seat, direction, distance)}")
            is_able = piece in able
            assert legal(GAME, states) == {"answer yes" if is_able else "answer no"}, (letter, direction, distance)
            after = play(GAME, states, "answer yes" if is_able else "answer no")
            assert possible(GAME, after, seat)[letter] == (able if is_able else EVERYTHING - able) | {DA}


def test_c2_where_the_spies_start_and_who_begins():
    states = dealt(GAME)
    white = "A c1, C d1, D e1, F g1, H h1, J i1, L c2, N d2, P e2, X f2, S g2, T h2, V i2"
    red = "A i11, C h11, D g11, F e11, H d11, J c11, L i10, N h10, P g10, X f10, S e10, T d10, V c10"
    for seat, expected in ((WHITE, white), (RED, red)):
        assert squares(GAME, states, seat) == dict(spy.split() for spy in expected.split(", "))
        assert possible(GAME, states, seat) == dict.fromkeys(DEAL, EVERYTHING)
        assert promoted(GAME, states, seat) == set()
        assert revealed(GAME, states, seat) == {}
    assert briefcase(states) == "f6"
    assert to_move(states) == WHITE
    assert result(GAME, states) is None


def test_c2_pieces_are_dealt_at_random_the_double_agents_too():
    states, weights = GAME.begin(), GAME.weights()
    for due in (13, 12):
        kernels.chance(states[0], weights, GAME.tables[0])
        assert sorted(weights) == [0] * (13 - due) + [1] * due
        kernels.step(states[0], 12, GAME.tables[0]) if due == 13 else None  # White's A is the Double Agent
    starts = GAME.start(np.arange(40, dtype=np.uint64))
    assert all(sorted(row) == list(range(13)) for row in starts["piece"].reshape(-1, 13).tolist())
    holders = {seat: set((starts["piece"][:, seat] == 12).argmax(axis=1)) for seat in (WHITE, RED)}
    assert all(len(letters) > 5 for letters in holders.values())  # not always X


def test_c2_a_set_up_of_ones_own(tmp_path):
    states = dealt(own := own_game(tmp_path), {"A": 1, "C": 2, "D": 3, "F": DA}, {"A": DA, "C": 3, "D": 2, "F": 1})
    assert squares(own, states, WHITE) == {"A": "b1", "C": "c1", "D": "d1", "F": "c2"}
    assert squares(own, states, RED) == {"A": "d5", "C": "c5", "D": "b5", "F": "c4"}
    assert briefcase(states) == "c3"
    assert {"A b1-a2", "F c2-c3", "F c2-e4"} <= legal(own, states)
    assert not {"A b1-a0", "F c2xc4", "F c2-c4"} & legal(own, states)  # the briefcase is in between
    after = play(own, states, "F c2-b3", "answer yes", "D b5-b4", "answer yes", "F b3xb4", "answer yes")
    assert squares(own, after, RED) == {"A": "d5", "C": "c5", "F": "c4"}


def test_c3_each_seat_sees_the_opponents_pieces_and_never_its_own():
    states = play(GAME, dealt(GAME), "L c2-c4", "answer yes", "L i10-h9", "answer no", "N d2-d3")
    for viewer, hidden in ((WHITE, [WHITE]), (RED, [RED]), (PUBLIC, [WHITE, RED])):
        view = GAME.view(states, viewer)
        for seat in (WHITE, RED):
            assert (view["piece"][0, seat] == UNKNOWN).all() == (seat in hidden)
            assert (view["piece"][0, seat] == states["piece"][0, seat]).all() == (seat not in hidden)
        differing = {name for name in view.dtype.names if (view[name] != states[name]).any()}
        assert differing <= {"piece", "viewer", "rng"}  # everything else is public


def test_c4_all_eight_directions_as_far_as_the_longest_piece_whatever_the_spys_own():
    states = at({"V": "f6"}, {"A": "a2"}, briefcase="k2")
    targets = {from_f6(WHITE, direction, distance) for direction, distance in product(STEPS, range(1, 5))}
    assert legal(GAME, states) == {f"V f6-{square}" for square in targets} | {"out V"}


def test_c4_not_off_the_board():
    states = at({"V": "f1"}, {"A": "a11"})
    ends = {text.split("-")[1] for text in legal(GAME, states) if text.startswith("V")}
    ahead = {f"f{row}" for row in range(2, 6)}
    aslant = {"e2", "d3", "c4", "b5", "g2", "h3", "i4", "j5"}
    assert ends == ahead | aslant | {f"{column}1" for column in "bcdeghij"}


def test_c4_blocked_by_spies_and_by_the_briefcase():
    options = legal(GAME, at({"A": "c3", "C": "c5"}, {"A": "f3", "C": "a11"}, briefcase="e5"))
    assert "A c3-c4" in options
    assert not {"A c3-c5", "A c3xc5", "A c3-c6", "A c3-c7"} & options  # neither onto nor over an own spy
    assert "A c3xf3" in options
    assert not {"A c3-f3", "A c3-g3"} & options  # onto an enemy, not over it
    assert "A c3-e5" in options
    assert not {"A c3-f6", "A c3-g7"} & options  # onto the briefcase, not over it


def test_c4_whether_the_piece_allows_it_is_the_answer_so_hopeless_ones_stay_legal():
    states = play(GAME, dealt(GAME), "A c1-b2", "answer no", "A i11-j10", "answer no")
    assert possible(GAME, states, WHITE)["A"].isdisjoint({2, 4, 5, 8, 11})
    assert "A c1-b2" in legal(GAME, states)  # refused before
    sure = at({"A": "f9", "C": "a1"}, {"A": "k8"})
    sure = play(GAME, sure, "A f9-f11", "answer yes", "A k8-k7", "answer yes")  # A is promoted: 2 at most
    assert "A f11-f7" in legal(GAME, sure)
    assert legal(GAME, play(GAME, sure, "A f11-f7")) == {"answer no"}


def test_c4_only_the_mover_and_only_spies_in_play():
    states = at({"A": "a1"}, {"C": "k11"}, turn=1)
    assert {text.split()[0] for text in legal(GAME, states)} == {"C", "out"}
    with pytest.raises(IllegalActionError, match="A F1"):  # Red's A is out of play
        play(GAME, states, "A F1")


@pytest.mark.parametrize(("set_of_pieces", "longest"), [("1", 1), ("1 promotable", 2), ("3 promotable", 3)])
def test_c4_the_longest_counts_the_promoted_side_if_a_piece_can_be_promoted(tmp_path, set_of_pieces, longest):
    pieces = f"One F {set_of_pieces}\nTwo B 1\nThree L 1"
    own = own_game(tmp_path, pieces, "board 7 x 7\nrow 1 A.C.D.F")
    states = dealt(own, {"A": 1, "C": 2, "D": 3, "F": DA}, {"A": 1, "C": 2, "D": 3, "F": DA})
    assert {t for t in legal(own, states) if t.startswith("A a1-a")} == {f"A a1-a{2 + d}" for d in range(longest)}


def test_c5_the_answer_is_a_step_of_the_opponent_and_true_except_for_a_double_agent():
    states = play(GAME, dealt(GAME), "N d2-d3")  # FL FR BL BR 2
    assert to_move(states) == RED
    assert legal(GAME, states) == {"answer no"}
    with pytest.raises(IllegalActionError, match="answer yes"):
        play(GAME, states, "answer yes")
    states = play(GAME, states, "answer no", "X f10-f9")
    assert to_move(states) == WHITE
    assert legal(GAME, states) == {"answer yes", "answer no"}
    states = play(GAME, states, "answer no", "N d2-b4")
    assert legal(GAME, states) == {"answer yes"}
    states = play(GAME, states, "answer yes", "X f10-f9")
    assert legal(GAME, states) == {"answer yes", "answer no"}  # freely each time, whatever was said before
    assert squares(GAME, play(GAME, states, "answer yes"), RED)["X"] == "f9"


def test_c5_answers_to_passes_and_leaving_are_free_for_a_double_agent_too():
    states = at({"X": "f6", "A": "a1"}, {"A": "k8"}, briefcase="f6")
    for text in ("X f6-f9", "X f6-f9 leave", "pass f6-f9"):
        assert legal(GAME, play(GAME, states, text)) == {"answer yes", "answer no"}


def test_c5_auto_answer_tells_the_truth_at_once_but_asks_for_a_double_agent():
    states = play(AUTO, dealt(AUTO), "S g2-g3")  # F B 3
    assert squares(AUTO, states, WHITE)["S"] == "g3"
    assert to_move(states) == RED
    assert possible(AUTO, states, WHITE)["S"] == {1, 3, 4, 5, 6, 7, 10, DA}
    states = play(AUTO, states, "X f10-f9")
    assert to_move(states) == WHITE
    assert legal(AUTO, states) == {"answer yes", "answer no"}
    assert squares(AUTO, states, RED)["X"] == "f10"
    assert to_move(play(AUTO, states, "answer no")) == WHITE  # and then it is White's turn


def test_c5_auto_answer_shows_nothing_at_a_seats_own_decisions():
    asked, told = dealt(GAME), dealt(AUTO)
    moves = ["S g2-g3", "X f10-f9", "L c2-c4", "L i10-h9"]
    answers = ["answer yes", "answer no", "answer yes", "answer no"]
    for turn, (move, answer) in enumerate(zip(moves, answers, strict=True)):
        asked = play(GAME, asked, move, answer)
        told = play(AUTO, told, move, *([answer] if move.startswith("X") else []))
        seat = (turn + 1) % 2
        views = [GAME.view(asked, seat), AUTO.view(told, seat)]
        different = {name for name in views[0].dtype.names if (views[0][name] != views[1][name]).any()}
        assert different == {"auto_answer", "game"}  # no count of plies, whether the answer was asked for or not


def test_c6_no_leaves_the_spy_where_it_is_and_ends_the_turn():
    states = play(GAME, at({"A": "c3"}, {"A": "c2"}), "A c3xc2", "answer no")
    assert squares(GAME, states, WHITE) == {"A": "c3"}
    assert squares(GAME, states, RED) == {"A": "c2"}
    assert to_move(states) == RED


def test_c6_yes_moves_and_captures_unrevealed():
    states = play(GAME, at({"J": "c3", "A": "a1"}, {"A": "c5", "C": "k11"}), "J c3xc5")
    assert squares(GAME, states, RED) == {"A": "c5", "C": "k11"}  # not before the answer
    states = play(GAME, states, "answer yes")
    assert squares(GAME, states, WHITE) == {"J": "c5", "A": "a1"}
    assert squares(GAME, states, RED) == {"C": "k11"}
    assert revealed(GAME, states, RED) == {}
    assert GAME.view(states, RED)["piece"][0, RED, 0] == UNKNOWN
    assert possible(GAME, states, RED)["A"] == EVERYTHING
    assert to_move(states) == RED
    assert not any(text.startswith(("A ", "out A")) for text in legal(GAME, states))


def test_c7_landing_on_the_briefcase_takes_control_and_nothing_else_does():
    states = at({"J": "f5", "A": "a1"}, {"A": "h8", "C": "k11"}, briefcase="f6")
    assert not any(text.startswith("pass") or text.endswith("leave") for text in legal(GAME, states))
    states = play(GAME, states, "J f5-f6", "answer yes", "A h8-h7", "answer yes")
    options = legal(GAME, states)
    assert {"J f6-f7", "J f6-f7 leave", "pass f6-f7"} <= options
    assert not any(text.startswith("A") and text.endswith("leave") for text in options)


@pytest.mark.parametrize(
    ("proposal", "spy", "case"), [("J f6-f8", "f8", "f8"), ("J f6-f8 leave", "f8", "f6"), ("pass f6-f8", "f6", "f8")]
)
def test_c7_carry_leave_or_pass(proposal, spy, case):
    start = at(**CONTROLLED, briefcase="f6")
    states = play(GAME, start, proposal)
    assert legal(GAME, states) == {"answer yes"}  # answered like any proposal: J is F B L R 2
    states = play(GAME, states, "answer yes")
    assert (squares(GAME, states, WHITE)["J"], briefcase(states)) == (spy, case)
    assert possible(GAME, states, WHITE)["J"] == {1, 3, 4, 6, 7, 10, DA}  # a pass tells as much as a move
    refused = proposal.replace("f8", "h8").replace("-", "x" if proposal.startswith("J") else "-")
    states = play(GAME, start, refused)
    assert legal(GAME, states) == {"answer no"}
    states = play(GAME, states, "answer no")
    assert (squares(GAME, states, WHITE)["J"], briefcase(states)) == ("f6", "f6")
    assert possible(GAME, states, WHITE)["J"] == EVERYTHING - {2, 4, 8, 11}
    assert to_move(states) == RED


def test_c7_a_pass_may_end_on_any_spy_but_goes_over_none():
    options = legal(GAME, at({"J": "f6", "A": "f7"}, {"A": "h6", "C": "k11"}, briefcase="f6"))
    assert "pass f6-f7" in options
    assert not {"J f6-f7", "J f6xf7", "J f6-f7 leave"} & options  # a spy does not go onto an own one
    assert not {"pass f6-f8", "pass f6-i6"} & options
    assert {"pass f6-h6", "J f6xh6", "J f6xh6 leave"} <= options


def test_c7_a_pass_gives_control_to_the_spy_it_reaches():
    states = at({"J": "f6", "A": "f7"}, {"A": "h6", "C": "k11"}, briefcase="f6")
    own = play(GAME, states, "pass f6-f7", "answer yes", "C k11-k10", "answer no")
    assert {"A f7-f8", "A f7-f8 leave", "pass f7-f6"} <= legal(GAME, own)
    assert not {"J f6-e6 leave", "J f6-f8"} & legal(GAME, own)
    enemy = play(GAME, states, "pass f6-h6", "answer yes")
    assert squares(GAME, enemy, RED)["A"] == "h6"  # nobody is captured by a briefcase
    assert {"A h6-h5 leave", "pass h6-h5"} <= legal(GAME, enemy)
    loose = play(GAME, states, "pass f6-f5", "answer yes")
    assert not any(text.startswith("pass") for text in legal(GAME, loose))


def test_c7_nobody_moves_through_a_loose_briefcase_not_even_who_left_it():
    states = at({"J": "f6", "A": "a1"}, {"A": "k8"}, briefcase="f6")
    states = play(GAME, states, "J f6-f5 leave", "answer yes", "A k8-k7", "answer yes")
    assert "J f5-f6" in legal(GAME, states)
    assert "J f5-f7" not in legal(GAME, states)


def test_c7_capturing_the_controller_takes_the_briefcase():
    states = at({"J": "f6", "A": "a1"}, {"J": "h6", "A": "k11"}, briefcase="f6", turn=1)
    states = play(GAME, states, "J h6xf6", "answer yes", "A a1-b1", "answer no")
    assert "J" not in squares(GAME, states, WHITE)
    assert briefcase(states) == "f6"
    assert "pass f6-f5" in legal(GAME, states)


def test_c7_a_capture_with_the_briefcase_keeps_it_or_leaves_it():
    states = at({"J": "f6", "A": "a1"}, {"J": "f7", "A": "k11"}, briefcase="f6")
    kept = play(GAME, states, "J f6xf7", "answer yes")
    left = play(GAME, states, "J f6xf7 leave", "answer yes")
    assert (briefcase(kept), briefcase(left)) == ("f7", "f6")
    for after in (kept, left):
        assert squares(GAME, after, WHITE)["J"] == "f7"
        assert squares(GAME, after, RED) == {"A": "k11"}

"""Piece and set-up files (C1, C2): the published facts, every fault named by source and line, files of one's own."""

import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import kgb_env
from agents import make_agent
from kgb_env.errors import DataFileError, OptionError
from kgb_env.games.confusion import files
from kgb_env.games.confusion.files import PIECES, SETUPS, Piece, build_tables, parse_pieces, parse_setup
from kgb_env.games.confusion.notebook import notebook
from kgb_env.testing import check_game
from tests.confusion.positions import (
    DA,
    EVERYTHING,
    SMALL_DEAL,
    SMALL_PIECES,
    SMALL_SETUP,
    WHITE,
    dealt,
    legal,
    own_game,
    play,
    position,
    possible,
    promoted,
)

STANDARD_TEXT = (PIECES / "standard.txt").read_text(encoding="utf-8")
STANDARD = parse_pieces(STANDARD_TEXT, "standard")

# Twelve pieces of one's own: the third is the only promotable one, and nobody goes farther than 3.
OWN = """
# my pieces
One    F B                   1
Two    L R                   2
Three  FL FR                 1   promotable
Four   F                     3

Five   BL BR F               2   # comment
Six    F B L R FL FR BL BR   2
Seven  B                     1
Eight  L                     1
Nine   R                     1
Ten    FL                    1
Eleven FR                    1
Twelve BL                    1
"""


# Published facts


def test_c1_the_default_set_keeps_to_what_is_published():
    files.check_published_facts(STANDARD)
    assert "reconstruction" in STANDARD_TEXT
    backward = {"B", "BL", "BR"}
    assert len({piece[1:3] for piece in STANDARD}) == 12
    assert (
        [p.is_promotable for p in STANDARD]
        == [not p.directions & backward for p in STANDARD]
        == [True] * 4 + [False] * 8
    )


def changed(number: int, **values) -> tuple[Piece, ...]:
    """Return the default pieces with one changed; numbers count from 1."""
    pieces = list(STANDARD)
    pieces[number - 1] = pieces[number - 1]._replace(**values)
    return tuple(pieces)


@pytest.mark.parametrize(
    ("pieces", "fact"),
    [
        (STANDARD[:-1], "12 pieces"),
        (changed(2, directions=frozenset("F"), distance=4), "all different"),
        (changed(1, is_promotable=False), "four are promotable"),
        (changed(3, directions=frozenset("FBR")), "cannot move backward"),
        (changed(5, distance=2), "promoted side"),
        (changed(1, distance=3), "4 straight forward"),
        (changed(5, distance=3), "1 in all eight"),
        (changed(6, distance=1), "2 orthogonally"),
    ],
)
def test_c1_a_default_set_against_a_published_fact_is_refused(pieces, fact):
    with pytest.raises(DataFileError, match=fact):
        files.check_published_facts(pieces)


# Faults


THIRTEEN = OWN + "Thirteen BR 1\n"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("Runner", 1, "expected a name, directions, a distance"),
        ("Runner F", 1, "expected a name, directions, a distance"),
        ("Runner F far", 1, "expected a name, directions, a distance"),
        ("Runner F 4 promoted", 1, "expected a name, directions, a distance"),
        ("Runner F -1", 1, "expected a name, directions, a distance"),
        ("Runner F 1.5", 1, "expected a name, directions, a distance"),
        ("Runner promotable", 1, "expected a name, directions, a distance"),
        ("# a comment\n\nRunner G 1", 3, "'G' is no direction"),
        ("Runner f 1", 1, "'f' is no direction"),
        ("Runner 4", 1, "at least one direction"),
        ("Runner F F 1", 1, "named twice"),
        ("Runner F 0", 1, "from 1 to 4"),
        ("Runner F 5", 1, "from 1 to 4"),
        ("Runner F 1\nRunner B 1", 2, "another piece called 'Runner'"),
        ("Runner F B 1\nOther B F 1", 2, "just like 'Runner'"),
        ("Runner F 1\nOther F 1 promotable", 2, "just like 'Runner'"),
        (THIRTEEN, THIRTEEN.count("\n"), "more than 12 pieces"),
    ],
)
def test_a_faulty_file_of_pieces_is_refused_with_line_and_reason(tmp_path, text, line, reason):
    with pytest.raises(DataFileError, match=rf"^mine, line {line}: .*{re.escape(reason)}.* in '.+'$"):
        parse_pieces(text, "mine")
    with pytest.raises(DataFileError, match=rf"pieces.txt, line {line}: "):
        own_game(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Run\x1bner F 1", "line 1, column 4: '\\x1b'"),
        ("# one\r\nRunner F 1\u202e\r\n", "line 2, column 11: '\\u202e'"),
        ("\tRunner F 1 # \uffff", "line 1, column 15: '\\uffff'"),
    ],
)
def test_what_cannot_be_printed_is_refused_with_line_and_column(text, place):
    for parse in (parse_pieces, parse_setup):
        with pytest.raises(DataFileError) as error:
            parse(text, "mine")
        assert str(error.value).startswith(f"mine, {place} cannot be printed")


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing but a comment"])
def test_a_file_without_pieces_is_refused(text):
    with pytest.raises(DataFileError, match="mine: there is no piece in it"):
        parse_pieces(text, "mine")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("hello", 1, "expected 'board COLUMNS x ROWS' or 'row NUMBER SQUARES'"),
        ("board 5 x 5\nrow 1 .A C.", 2, "expected 'board COLUMNS x ROWS' or 'row NUMBER SQUARES'"),
        ("board 13 x 11", 1, "5 to 11"),
        ("board 11 x 13", 1, "5 to 11"),
        ("board 3 x 5", 1, "5 to 11"),
        ("board 5 x 6", 1, "odd"),
        ("board 0 x 0", 1, "odd"),
        ("row 1 .ACD.", 1, "must come first"),
        ("board 5 x 5\nrow 3 .ACD.", 2, "rows are 1 to 2"),
        ("board 5 x 5\nrow 0 .ACD.", 2, "rows are 1 to 2"),
        ("board 5 x 5\nrow 1 .ACD.\nrow 1 ..F..", 3, "each once"),
        ("board 5 x 5\n# comment\nrow 1 .ACD", 3, "4 squares where the board has 5 columns"),
        ("board 5 x 5\nrow 1 .ACDFH", 2, "6 squares where the board has 5 columns"),
        ("board 5 x 5\nrow 1 .ACA.", 2, "'A' is no spy that is still free"),
        ("board 5 x 5\nrow 1 .ACD.\nrow 2 ..D..", 3, "'D' is no spy that is still free"),
        ("board 5 x 5\nrow 1 .ABC.", 2, "'B' is no spy"),
        ("board 5 x 5\nrow 1 .aCD.", 2, "'a' is no spy"),
    ],
)
def test_a_faulty_set_up_is_refused_with_line_and_reason(tmp_path, text, line, reason):
    with pytest.raises(DataFileError, match=rf"^mine, line {line}: .*{re.escape(reason)}.* in '.+'$"):
        parse_setup(text, "mine")
    with pytest.raises(DataFileError, match=rf"setup.txt, line {line}: "):
        own_game(tmp_path, setup=text)


def test_a_set_up_names_its_board_once():
    with pytest.raises(DataFileError, match="mine, line 4: "):
        parse_setup("board 11 x 11\nrow 1 ........ACD\nrow 2 .........F.\nboard 5 x 5", "mine")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "needs a line 'board COLUMNS x ROWS' and rows with spies"),
        ("board 5 x 5", "needs a line 'board COLUMNS x ROWS' and rows with spies"),
        ("board 5 x 5\nrow 1 .....", "needs a line 'board COLUMNS x ROWS' and rows with spies"),
        ("board 5 x 5\nrow 1 .ACF.", "3 spies must be the first of ACDFHJLNPSTVX; missing D"),
    ],
)
def test_a_set_up_without_what_it_needs_is_refused(text, reason):
    with pytest.raises(DataFileError, match=f"^mine: .*{reason}"):
        parse_setup(text, "mine")


def test_pieces_must_be_as_many_as_the_spies_besides_the_double_agent(tmp_path):
    with pytest.raises(DataFileError, match=r"mine: 12 pieces.*4 spies.*3 pieces are needed"):
        build_tables(STANDARD, parse_setup(SMALL_SETUP, "small"), "mine")
    with pytest.raises(DataFileError, match=r"pieces.txt: 2 pieces.*4 spies.*3 pieces are needed"):
        own_game(tmp_path, "One F 1\nTwo B 1")


@pytest.mark.parametrize("option", ["pieces", "setup"])
def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path, option):
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for value in ("no such file", str(tmp_path), str(binary)):
        with pytest.raises(OptionError, match=rf"{option}=.*neither a shipped file \(.*standard.*\) nor a readable"):
            kgb_env.game("confusion", **{option: value})


# What is read


def test_pieces_are_read_with_comments_spaces_and_promotion():
    pieces = parse_pieces(OWN, "mine")
    assert len(pieces) == 12
    assert pieces[2] == Piece("Three", frozenset({"FL", "FR"}), 1, True)
    assert pieces[4] == Piece("Five", frozenset({"F", "BL", "BR"}), 2, False)
    assert str(pieces[2]) == "Three (FR FL 1, promotable)"


def test_the_shipped_set_up_is_the_rulings():
    setup = parse_setup((SETUPS / "standard.txt").read_text(encoding="utf-8"), "standard")
    back = dict(zip("ACDFHJ", "cdeghi", strict=True))
    front = dict(zip("LNPXSTV", "cdefghi", strict=True))
    assert (setup.columns, setup.rows) == (11, 11)
    assert {s: "abcdefghijk"[column] for s, (column, row) in setup.spies.items() if row == 0} == back
    assert {s: "abcdefghijk"[column] for s, (column, row) in setup.spies.items() if row == 1} == front


# A file of one's own, in every part


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text(OWN, encoding="utf-8")
    return kgb_env.game("confusion", pieces=str(path), max_turns=20)


@pytest.mark.nojit
def test_own_pieces_rule_the_game(own):
    states = dealt(own)
    assert "A c1-c2" not in legal(own, states)
    assert {"L c2-c5", "L c2-f5"} <= legal(own, states)  # the longest is 3
    assert "L c2-c6" not in legal(own, states)
    states = play(own, states, "S g2-e4", "answer no", "A i11-j10", "answer no")
    assert possible(own, states, WHITE)["S"] == EVERYTHING - {6}  # only Six goes 2 forward and left
    arrival = position(own, {"D": "f10", "A": "a1"}, {"A": "k8"}, "k6")
    arrival = play(own, arrival, "D f10-g11", "answer yes")
    assert promoted(own, arrival, WHITE) == {"D"}
    assert possible(own, arrival, WHITE)["D"] == {3}


@pytest.mark.nojit
@pytest.mark.parametrize("name", ["random", "greedy"])
def test_agents_play_with_own_pieces(own, name):
    agent = make_agent(own, name)
    states, carry = own.start(np.arange(3, dtype=np.uint64)), agent.initial_carry(3)
    for ply in range(20):
        views = own.view(states, states["to_move"].astype(np.int64))
        actions, carry = agent.act(views, np.arange(3, dtype=np.uint64) + np.uint64(1000 * ply), carry)
        own.play(states, actions)  # refuses what is illegal
    assert (states["events"] > 0).all()


@pytest.mark.nojit
def test_notation_and_notebook_with_own_pieces(own):
    states = play(own, dealt(own), "S g2-e4", "answer no", "A i11-j10", "answer no", "L c2-c3", "answer no")
    drawn = own.notation.draw(own, own.view(states, WHITE))
    assert "Six (F FR R BR B BL L FL 2)" in drawn
    assert "Runner" not in drawn
    assert own.notation.log(own, states)[0] == "White: S g2-e4: no"
    found = notebook(own, own.view(states, WHITE), WHITE)
    assert found.pieces == (*(piece.name for piece in parse_pieces(OWN, "own")), "Double Agent")
    assert found.possible[found.letters.index("S")].tolist() == [number != 6 for number in range(1, 14)]


def test_own_pieces_keep_the_contract(own):
    assert check_game(own, pairs=50, other_mode=False).pairs >= 50


def test_a_small_set_up_of_ones_own_keeps_the_contract(tmp_path):
    game = own_game(tmp_path, max_turns=20)
    assert dealt(game, SMALL_DEAL, SMALL_DEAL)["piece"][0, WHITE].tolist()[:4] == [0, 1, 2, 12]
    assert check_game(game, pairs=50, other_mode=False).pairs >= 50
    assert DA in possible(game, dealt(game, SMALL_DEAL, SMALL_DEAL), WHITE)["A"]


UNPICKLE = """
import pickle, sys
game, states, view = pickle.load(sys.stdin.buffer)
from agents import make_agent
from kgb_env.games.confusion import notebook
action = make_agent(game, "greedy").act(view, view["rng"])[0]
game.play(states, action)
print(game.notation.log(game, states)[0], notebook(game, view, 0).pieces[0])
"""


def test_a_pickled_game_needs_its_file_no_more(tmp_path):
    game = own_game(tmp_path, SMALL_PIECES.replace("Lance", "Mine"))
    states = dealt(game, SMALL_DEAL, SMALL_DEAL)
    cargo = pickle.dumps((game, states, game.view(states, WHITE)))
    for path in tmp_path.iterdir():
        path.unlink()
    done = subprocess.run([sys.executable, "-c", UNPICKLE], input=cargo, capture_output=True, check=True)
    assert re.fullmatch(r"White: [ACDF] .* Mine\n", done.stdout.decode())


def test_a_changed_file_is_another_game_and_the_same_file_the_same(tmp_path):
    game = own_game(tmp_path)
    assert own_game(tmp_path) is game
    other = own_game(tmp_path, SMALL_PIECES.replace("promotable", ""))
    assert other is not game
    assert other.tables["promotable"][0] == 0
    assert game.tables["promotable"][0] == 1

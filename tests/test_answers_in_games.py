"""How answers of language models are read in every game: whatever is legal, easily misread, or said in other words."""

from functools import cache, partial

import numpy as np
import pytest

from kgb_env import NotationError, game, parse_move
from tests import kuhn
from tests.text_games import VARIANTS, decisions, understood, variant


def position_with(name, wanted, **options):
    """Return the first view whose mover has some moves, and how to write what was understood of an answer."""
    configured = game(name, **options)
    for seed in range(20):
        for states in decisions(configured, seed):
            if states["over"][0]:
                break
            view = configured.view(states, int(states["to_move"][0]))
            moves = [configured.notation.action(configured, view, action) for action in configured.legal(view).tolist()]
            if set(wanted) <= set(moves):
                return moves, partial(understood, configured, view)
    raise AssertionError(f"no position with {wanted}")


def test_an_answer_may_be_a_bare_yes():
    _, read = position_with("confusion-mini", ["answer yes", "answer no"], max_turns=8)
    for answer in ("Move: yes", "Move: Yes.", "Answer: yes", "Move: answer yes", "answer yes", "My move is `YES`"):
        assert read(answer) == "answer yes"
    for answer in ("yes", "Move: yes or no", "Answer yes would be a lie", "Move: answer no\nanswer yes"):
        with pytest.raises(NotationError):
            read(answer)
    with pytest.raises(NotationError, match="nothing may follow the move on its line, but 'it may' follows 'yes'"):
        read("Move: yes, it may.")


def test_seats_and_cells_are_understood_as_one_says_them():
    for seed in range(20):
        configured = game("double_agent-mini", max_turns=12)
        for states in decisions(configured, seed):
            if states["over"][0]:
                break
            view = configured.view(states, int(states["to_move"][0]))
            moves = [configured.notation.action(configured, view, action) for action in configured.legal(view).tolist()]
            accusation = next((move for move in moves if move.startswith("accuse")), "")
            walk = next((move for move in moves if move.startswith("go")), "")
            if accusation and walk:
                seat, cell = accusation.split()[1], walk.split()[1]
                for move, texts in {
                    accusation: [f"Accuse {seat}", f"accuse seat {seat}", f"ACCUSE SEAT {seat}"],
                    walk: [cell, f"go to {cell}", f"go to the cell {cell.upper()}", f"Go {cell}"],
                }.items():
                    for text in texts:
                        assert parse_move(view, f"Move: {text}") == configured.notation.parse_action(
                            configured, view, move
                        )
                with pytest.raises(NotationError):
                    parse_move(view, f"Move: {seat}")  # a seat, or what?
                return
    raise AssertionError("nobody can accuse")


def test_squares_and_pairs_are_understood_as_one_says_them():
    moves, read = position_with("confusion-mini7", ["move two"], special_actions=True)
    swap = next(move for move in moves if move.startswith("swap"))
    _, first, second = swap.split()
    for text in (f"swap {first} and {second}", f"Swap {second} {first}", swap.lower()):
        assert read(f"Move: {text}") == swap
    assert read("Move: two") == read("move two") == read("Move: move two") == "move two"
    proposal = next(move for move in moves if "-" in move)
    assert read(f"Move: {proposal.replace('-', ' to ')}") == proposal


def test_a_refusal_names_all_moves_where_there_are_few():
    poker = game(kuhn.ID)
    view = poker.view(poker.start(1), 0)
    with pytest.raises(NotationError, match=r"Legal moves: pass, bet$"):
        parse_move(view, "Move: raise")


def test_a_small_letter_that_may_be_two_things_is_one_that_is_legal_or_none():
    configured = game("suspicious-mini")
    states = next(s for s in decisions(configured, 1) if s["to_move"][0] >= 0)
    view = configured.view(states, int(states["to_move"][0]))
    seat = (int(states["to_move"][0]) + 1) % configured.seats
    assert configured.notation.action(configured, view, parse_move(view, f"Move: NAME {seat}")) == f"name {seat}"
    with pytest.raises(NotationError, match="name another seat"):
        parse_move(view, f"Move: name {int(states['to_move'][0])}")


@cache
def positions_of(configured, plies=10):
    """Return a view of each decision of a random game by the seat to move, and its legal moves by their texts."""
    positions = []
    for states in decisions(configured, 2, plies):
        if not states["over"][0]:
            view = configured.view(states, int(states["to_move"][0]))
            legal = configured.legal(view).tolist()
            positions.append((view, {configured.notation.action(configured, view, action): action for action in legal}))
    return positions


def read_or_refused(view, answer):
    """Return the action that is understood, None if the answer is refused."""
    try:
        return parse_move(view, answer)
    except NotationError:
        return None


DECORATIONS = [
    "**Move:** `{}`.",
    "I explain.\n\n- So my final action is: *{}*\n",
    "```\nMove: {}\n```\n---\n",
    "# Decision\n\n> {}",
    '{{"move": "{}"}}',
    "<answer><move>{}</move></answer>",
    "$\\boxed{{\\text{{Move: {}}}}}$",
]


@pytest.mark.parametrize("name", VARIANTS)
def test_every_legal_move_is_understood_as_it_is_listed_and_in_other_letters(name):
    luck = np.random.default_rng(2)
    for view, moves in positions_of(variant(name)):
        for move in luck.permutation(list(moves))[:8].tolist():
            action = moves[move]
            assert parse_move(view, f"Move: {move.lower()}") == action
            assert parse_move(view, f"move: {move.upper()}") == action
            assert [parse_move(view, decoration.format(move)) for decoration in DECORATIONS] == [action] * 7


@pytest.mark.parametrize("name", VARIANTS)
def test_a_word_after_the_move_makes_of_it_what_the_whole_text_means_or_nothing(name):
    luck = np.random.default_rng(3)
    for view, moves in positions_of(variant(name)):
        words = ["next", "because", "not", "no", "the", "seat", "cell", "to", "and", "or", "x", "1", "leave"]
        words += {word for move in moves for word in move.split()}
        for move in luck.permutation(list(moves))[:3].tolist():
            for word in luck.permutation(words)[:8].tolist():
                assert read_or_refused(view, f"Move: {move} {word}") == moves.get(f"{move} {word}")


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize(
    ("answer", "meant"),
    [
        ("Move: {a}, leave the briefcase behind", None),
        ("Move: {a}\n\nI play {b} next.", None),
        ("Move: {a}\n- Move: {b} loses", None),
        ("Move: {a}\nI've changed my mind: {b}", None),
        ("Move: {a}; on reflection {b}", None),
        ("Move: ~~{a}~~", None),
        ("Move: {a}\n\n> Move: {b}\n\nwas what I considered first.", None),
        ('{{"candidates": [{{"move": "{b}"}}], "final_move": "{a}"}}', None),
        ("Next move: {a}", None),
        ("{b}\n{a}", None),
        ("Move: {b}\n~~Move: {a}~~", "b"),
        ("Move: {b}\nMove: {a}", "a"),
        ("Move: {b} loses.\nSo my move is: {a}", "a"),
        ("Final decision: {a}", "a"),
        ('{{"action": "{a}"}}', "a"),
        ("It is best.\n\n{a}", "a"),
    ],
)
def test_answers_that_are_easily_misread(name, answer, meant):
    choices = 0
    for view, moves in positions_of(variant(name))[:5]:
        if len(moves) > 1:
            a, *_, b = moves
            found = read_or_refused(view, answer.format(a=a, b=b))
            assert found == (None if meant is None else moves[a if meant == "a" else b])
            choices += 1
    assert choices > 2


def test_a_filler_that_is_a_word_of_the_game_is_a_word():
    words, votes = set(), 0
    for view, moves in positions_of(game("suspicious", rounds=1), plies=40):
        verb = next(iter(moves)).partition(" ")[0]
        for word in {"seat", "cell"} & {move.partition(" ")[2] for move in moves} - words:
            for text in (f"{verb} {word}", f"{verb.title()} {word}", f"**{word.upper()}**", word, f"{verb} the {word}"):
                assert parse_move(view, f"Move: {text}") == moves[f"{verb} {word}"]
            for text in (f"{verb} seat cell", f"{verb} rose {word}", f"{verb} {word} rose", f"the {word} {verb}"):
                assert read_or_refused(view, f"Move: {text}") is None
            words.add(word)
        if verb == "vote":
            move, action = next(iter(moves.items()))
            seat = move.split()[1]
            for text in (f"vote seat {seat}", f"Vote the seat {seat}", f"seat {seat}", seat):
                assert parse_move(view, f"Move: {text}") == action
            with pytest.raises(NotationError, match=f"but 'on reflection 0' follows 'vote {seat}'"):
                parse_move(view, f"Move: vote {seat}; on reflection 0")
            votes += 1
    assert words == {"seat", "cell"}
    assert votes

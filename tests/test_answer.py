"""How answers of language models are read: the last line states one move, in whatever decoration."""

from functools import partial

import numpy as np
import pytest

import kgb_env
from kgb_env import NotationError, RecordError, game, parse_move
from tests.text_games import understood


@pytest.fixture(scope="module")
def standing():
    """Return a view in Confusion at the first proposal, and how to write what was understood."""
    configured = game("confusion")
    states = configured.start(7)
    view = configured.view(states, 0)
    return view, partial(understood, configured, view)


# White may propose these at the start: T h2-h3, D e1-f1, P e2-d3, out A.
@pytest.mark.parametrize(
    "answer",
    [
        "Move: T h2-h3",
        "move: T h2-h3",
        "MOVE:T h2-h3",
        "Move : T h2-h3",
        "**Move:** T h2-h3",
        "**Move: T h2-h3**",
        "**Move**: `T h2-h3`",
        "__Move:__ _T h2-h3_",
        "- Move: T h2-h3",
        "3. Move: T h2-h3",
        "> Move: T h2-h3",
        "### Move: T h2-h3",
        "Final move: T h2-h3.",
        'Move: "T h2-h3".',
        "Move: 'T h2-h3'!",
        "Move: “T h2-h3”",
        "Move: <T h2-h3>",
        "Move: [T h2-h3]",
        "Move:\nT h2-h3",
        "**Move:**\n\n```\nT h2-h3\n```",
        "```text\nMove: T h2-h3\n```",
        "```Move: T h2-h3```",
        "Move: \\boxed{T h2-h3}",
        "$\\boxed{\\text{Move: T h2-h3}}$",
        "\\[ \\boxed{T h2-h3} \\]",
        "Move: \\textbf{T h2-h3}.",
        "Move: T h2–h3",
        "Move: T  h2 - h3",
        "Move: t H2-H3",
        "Move: Th2-h3",
        "Move: T F1",
        "Move: t f1",
        "I go forward.\nMove: T h2-h3",
        "Move: T h2-h3<|im_end|>",
        "<answer>Move: T h2-h3</answer>",
        "<think>Move: D e1-f1 is bad.</think>Move: T h2-h3",
        "<thinking>\nMove: D e1-f1\n</thinking>\n\nMove: T h2-h3",
        "Perhaps Move: D e1-f1\n</think>\nMove: T h2-h3",
        "Move: T h2-h3\n<think>Or rather Move: D e1-f1",
        "T h2-h3",
        "It is best to go forward.\n\n`T h2-h3`",
        "Move: T h2-h3\r\n",
        "My move: T h2-h3",
        "My move is T h2-h3.",
        "My final move is: T h2-h3",
        "The best move is T h2-h3",
        "Best move: T h2-h3",
        "Chosen move = T h2-h3",
        "Final answer: T h2-h3",
        "Answer: T h2-h3",
        "Final answer: **Move: T h2-h3**",
        "Move - T h2-h3",
        "Move is T h2-h3",
        "**Move** `T h2-h3`",
        "I choose T h2-h3.",
        "<move>T h2-h3</move>",
        "| Move | T h2-h3 |",
        "| Spy | T |\n|---|---|\n| **Move** | `T h2-h3` |",
        '{"move": "T h2-h3"}',
        '{"reason": "so {it} is", "move": "T h2-h3", "sure": true}',
        '{"analysis": {"risk": 1}, "Move": "T h2-h3"}',
        '```json\n{\n  "why": "safe",\n  "move": "T h2-h3"\n}\n```',
        "## Move\nT h2-h3",
        "Move:\u200b T h2-h3\u200b",
        "\ufeffMove: T\u00a0h2-h3",
        "Ｍｏｖｅ：Ｔ ｈ２-ｈ３",
        "Move: T h2->h3",
        "Move: T h2 → h3",
        "Move: T h2 \\rightarrow h3",
        "Move: T h2 to h3",
        "Move: h2-h3",
        "Move: **T** `h2-h3`",
        "Move: T *h2*-*h3*",
        "Move: D e1-f1\nMove: T h2-h3",
        "D e1-f1 is slow.\n> T h2-h3",
        "Move: T h2-h3\n\n---\n```\n",
        "Move: D e1-f1 is slow.\nMove: T h2-h3",
        "Move: D e1-f1\nFinal choice: T h2-h3",
        "I was wrong about the move: D e1-f1\nSelected action - T h2-h3",
        "I play safe here.\nT h2-h3",
        "So my move is: T h2-h3",
        "So, my final decision is T h2-h3.",
        "Therefore I choose T h2-h3",
        "Thus: no.\nHence, **the best action: T h2-h3**",
        "Final decision: T h2-h3",
        "My choice = `T h2-h3`",
        "I'll play T h2-h3.",
        "I’ll play **T h2-h3**",
        "I will play T h2-h3",
        "Decision:\n\n> T h2-h3",
        "## Final answer\n**Move:**\nT h2-h3",
        "Move: T h2-h3\n~~Move: D e1-f1~~",
        "Move: ~~D e1-f1~~ T h2-h3",
        "Move: ~~D e1-f1~~\nT h2-h3",
        "~~Move: D e1-f1\nor none~~\n~~~\nMove: T h2-h3\n~~~",
        "Move: T h2-h3\n<s>Move: D e1-f1</s>",
        "Move: <del>D e1-f1</del> T h2-h3",
        "<s>Move: T h2-h3</s>",
        "I take this one: <move>\n T h2-h3\n</move>",
        "<why>safe</why><final_move>T h2-h3</final_move>",
        "I choose <move>T h2-h3</move>",
        '{"action": "T h2-h3"}',
        '{"final_move": "T h2-h3"}',
        '[{"Action": "T h2-h3", "why": ["D e1-f1", {"is": "slow"}]}]',
        '{"move": "T h2-h3", "final_move": "T  h2-h3"}',
        'I answer: {"move": "T h2-h3", "reason": "D e1-f1 is slow"}',
        '{"candidates": [{"move": "D e1-f1"}]}\n{"move": "T h2-h3"}',
    ],
)
def test_a_move_is_understood_in_any_decoration(standing, answer):
    assert standing[1](answer) == "T h2-h3"


def test_the_choice_is_what_stands_last_not_what_is_rejected(standing):
    answer = """\
    I see three moves.

    1. **Move: D e1-f1** is slow.
    2. Move: P e2-d3: tells little.
    3. `Move: out A` loses a spy for nothing.

    None of them is good, so:

    **Move:** `T h2-h3`"""
    assert standing[1](answer) == "T h2-h3"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "states no move"),
        ("   \n\n", "states no move"),
        ("<think>Move: T h2-h3</think>", "states no move"),
        ("<think>Move: T h2-h3, or else", "states no move"),
        ("I like T h2-h3 best.", r"holds no line 'Move: <move>', and its last line, 'I like T h2-h3 best', is no move"),
        ("T h2-h3\nThat is my choice", "holds no line"),
        ("Legal moves: T h2-h3", "holds no line"),
        ("Move:", "nothing follows the last 'Move:'"),
        ("Move: <move>", "not understood"),
        ("Move: T h2-h3 or D e1-f1", "nothing may follow the move on its line, but 'or D e1-f1' follows 'T h2-h3'"),
        ("Move: T h2-h3 and D e1-f1", "but 'and D e1-f1' follows"),
        ("Move: T h2-h3/D e1-f1", "not understood"),
        ("Move: T h2-h3 / D e1-f1", "but '/ D e1-f1' follows"),
        ("Move: T h2-h3, then D f1-g1", "but 'then D f1-g1' follows 'T h2-h3'"),
        ("Move: T h2-h3; on reflection D e1-f1", "but 'on reflection D e1-f1' follows 'T h2-h3'"),
        ("Move: T h2-h3 rather than D e1-f1", "nothing may follow the move on its line"),
        ("Move: T h2-h3, leave the briefcase behind", "but 'leave the briefcase behind' follows"),
        ("Move: T h2-h3, no, the other way", "nothing may follow the move on its line"),
        ("Move: T h2-h3 is slow", "but 'is slow' follows"),
        ("Move: T h2-h3 because it is safe", "but 'because it is safe' follows"),
        ("Move: T h2-h3, since nobody can answer no.", "nothing may follow the move on its line"),
        ("Move: T h2-h3 (one step forward)", r"but '\(one step forward' follows"),
        ("Move: T h2-h3 - the others stay", "but '- the others stay' follows"),
        ("Move: T h2-h3 the", "but 'the' follows"),
        ("Move: T h2-h1 or h3", "but 'or h3' follows 'T h2-h1'"),
        ("Move: h2-h3, it is safe", "but 'it is safe' follows 'h2-h3'"),
        ("| Move | T h2-h3 | safe |", "but 'safe' follows"),
        ("I play **T h2-h3**, which is safe.", "holds no line"),
        ("Move: T h2-h3<br>which is safe", "but 'which is safe' follows"),
        ("Move: T h2-h3\n\nThis keeps the others safe.", "follow the line 'Move: T h2-h3', but 'This keeps the others"),
        ("Move: T h2-h3.\nSo I keep the others.\n\nGood.", "but 'So I keep the others' follows"),
        ("## Move\n\n`T h2-h3`\n\n## Why\nIt is safe.", "but 'Why' follows"),
        ("Move: T h2-h3\nD e1-f1", "nothing may follow the line 'Move: T h2-h3', but 'D e1-f1' follows"),
        ("Move: T h2-h3\n\n- **d e1 - f1**", "but 'd e1 - f1' follows"),
        ("Move: T h2-h3\n\nI play D e1-f1 next.", "but 'I play D e1-f1 next' follows"),
        ("Move: T h2-h3\n- Move: D e1-f1 loses", "but 'loses' follows 'D e1-f1'"),
        ("Move: T h2-h3\nI've changed my mind: D e1-f1", "nothing may follow the line"),
        ("Move: T h2-h3\n\n> Move: D e1-f1\n\nwas what I considered first.", "but 'was what I considered first'"),
        ("Move: T h2-h3\nCorrection: D e1-f1", "but 'Correction: D e1-f1' follows"),
        ("Move: T h2-h3\nNo, I take D e1-f1", "nothing may follow the line"),
        ("Move: T h2-h3\nI was wrong. Move: D e1-f1", "nothing may follow the line"),
        ("Move: T h2-h3\nAlternative move: D e1-f1", "nothing may follow the line"),
        ("Move: T h2-h3\nNext move: D e1-f1", "nothing may follow the line"),
        ("Move: T h2-h3\nPlan B: D e1-f1", "nothing may follow the line"),
        ("Move: T h2-h3\nThe opponent's last move: D e1-f1", "nothing may follow the line"),
        ("Move: T h2-h3\nDo not play Move: D e1-f1", "nothing may follow the line"),
        ("Move: T h2-h3\nThis is better than D e1-f1.", "nothing may follow the line"),
        ("Move: T h2-h3\nI play safe here, and I choose nothing else.", "nothing may follow the line"),
        ("Move: T h2-h3\nMove:", "nothing follows the last 'Move:'"),
        ("Move: ~~T h2-h3~~", "nothing follows the last 'Move:'"),
        ("Move: ~T h2-h3~", "not understood"),
        ("~~Move: T h2-h3", "holds no line"),
        ("<del>Move: T h2-h3</del>", "holds no line"),
        ("Move: <s>T h2-h3</s>", "nothing follows"),
        ("Move: \\sout{T h2-h3}", "not understood"),
        ("Move: !T h2-h3", "not understood"),
        ("Move: T h 2-h3", "not understood"),
        ("I take <move> T h2-h3 </move> now", "holds no line"),
        ("This one: <move> T h2-h3 </move> now", "but 'now' follows"),
        ("I reject <move>T h2-h3</move>", "holds no line"),
        ('I answer {"move": "T h2-h3"}', "holds no line"),
        ('{"move": "T h2-h3"} it is.', "but 'it is' follows"),
        ("Next move: T h2-h3", "holds no line"),
        ("Plan B: T h2-h3", "holds no line"),
        ("Move 1: T h2-h3", "holds no line"),
        ("Move: not T h2-h3", "not understood"),
        ("Alternative move: T h2-h3", "holds no line"),
        ("Second-best move: T h2-h3", "holds no line"),
        ("Expected opponent move: T h2-h3", "holds no line"),
        ("I rejected the move: T h2-h3", "holds no line"),
        ("The opponent's last move: T h2-h3", "holds no line"),
        ("Do not play Move: T h2-h3", "holds no line"),
        ("I go forward. Move: T h2-h3", "holds no line"),
        ("Move: T h2-h3\nFinal move: castle", "not understood"),
        ('{"move": "T h2-h3"} or {"move": "D e1-f1"}', "several moves in JSON"),
        ('{"move": "T h2-h1"}', "not legal now"),
        ('{"move": "T h2-h3", "move": "D e1-f1"}', "several moves in JSON"),
        ('{"move": "T h2-h3", "action": "D e1-f1"}', "several moves in JSON"),
        ('{"candidates": [{"move": "D e1-f1"}], "final_move": "T h2-h3"}', "several moves in JSON"),
        ('{"final_move": "T h2-h3", "then": {"if": {"action": "D e1-f1"}}}', "several moves in JSON"),
        ('{"best": {"move": "T h2-h3"}, "next": {"move": "D e1-f1"}}', "holds no line"),
        ('{"opponent": {"move": "T h2-h3"}}', "holds no line"),
        ("D e1-f1\nT h2-h3", "'T h2-h3', is not its only move: 'D e1-f1' is one too"),
        ("1. D e1-f1\n\nT h2-h3", "not its only move"),
        ("Move: T h2-h3?", "not understood"),
        ("- T h2-h3", "is in a list"),
        ("1. T h2-h3", "is in a list"),
        ("I choose between\n- D e1-f1\n- T h2-h3", "is in a list"),
        ("T h2-h1", "not legal now"),
        ("Move: T h2-h3 leave", "spy T does not control the briefcase"),
        ("Move: A", "not understood"),
        ("Move: the runner forward", "write for instance 'D f2-f4'"),
        ("Move: T h2-h3\nMove: castle", "not understood"),
        ("Move: T h2-h9", "no straight way of 1 to 4 squares"),
        ("Move: T a1-a2", "spy T is on h2"),
        ("Move: T h2-h1", "'T h2-h1' is understood, but it is not legal now"),
        ("Move: T h2-h3\nNo, rather\nMove: T h2-h1", "not legal now"),
        ("Move: ANSWER YES", "none with 'answer' is, they begin with 'A', 'D'"),
        ("Move: expose", "not legal now"),
        ("Move: leave F1", "not legal now"),
    ],
)
def test_what_is_not_stated_or_not_legal_is_refused_with_the_reason(standing, answer, reason):
    view, _ = standing
    if answer == "Move: expose":
        view = view.copy()
        view["used_extra"] = 1  # a removal has been made
    with pytest.raises(NotationError, match=reason):
        parse_move(view, answer)


def test_a_refusal_names_the_moves_nearest_to_what_was_meant(standing):
    with pytest.raises(NotationError) as refusal:
        parse_move(standing[0], "Move: T h2-h1")
    near = str(refusal.value).partition("Legal moves like it: ")[2].split(", ")
    assert len(near) == 12
    assert near[0].startswith("T h2-")


@pytest.mark.parametrize(
    "answer", ["Move: {}", "{}", "Move: T {}", "Move: T h2-h3\nCorrection: {}", "Move: T h2-h3 or {}"]
)
def test_a_refusal_of_a_long_answer_is_short(standing, answer):
    for noise in ("x" * 5000, "x " * 2500):
        with pytest.raises(NotationError) as refusal:
            parse_move(standing[0], answer.format(noise))
        assert len(str(refusal.value)) < 700


@pytest.mark.parametrize(
    ("answer", "is_good"),
    [
        ("It is safe.\nMove: T h2-h3\n\n", True),
        ('{"move": "T h2-h3"}', True),
        ("Move: T h2-h3\nIt is sa", False),
        ("Move: T h2-h3\n", True),
        ("## Move\nT h2-h3\n", True),
        ("```\nMove: T h2-h3\n```", True),
        ("Move: T h2-h3", False),
        ("Move: D e1-f1\nMove: T h2-h3", False),
        ("## Move\nT h2-h3", False),
        ("Move: T h2-h3\nMove:", False),
        ("T h2-h3", False),
        ("T h2-h3\n", False),
    ],
)
def test_the_statement_of_an_answer_that_is_cut_off_is_a_whole_line(standing, answer, is_good):
    if is_good:
        assert parse_move(standing[0], answer, is_cut_off=True) == parse_move(standing[0], "Move: T h2-h3")
    else:
        with pytest.raises(NotationError, match=r"ends before its move is complete|nothing follows|nothing may follow"):
            parse_move(standing[0], answer, is_cut_off=True)


def test_only_the_seat_to_move_can_be_answered_for(standing):
    configured = game("confusion")
    states = configured.start(7)
    with pytest.raises(RecordError, match="mover's view"):
        parse_move(configured.view(states, 1), "Move: T h2-h3")
    with pytest.raises(RecordError, match="one view by a seat"):
        parse_move(states, "Move: T h2-h3")
    with pytest.raises(NotationError, match="an answer is a text, got NoneType"):
        parse_move(standing[0], None)


def test_long_answers_are_read_quickly(standing):
    noise = "<think " * 2000 + "move move: " * 2000 + "\\boxed{" * 2000 + "\n- * - * " * 2000
    noise += "\nMove a b c d e f\n{" * 1000 + '{"a":' * 1000
    assert standing[1](f"Move: D e1-f1\n{noise}\nMove: T h2-h3") == "T h2-h3"
    with pytest.raises(NotationError, match="holds no line"):
        parse_move(standing[0], noise + "\nno move")
    assert kgb_env.parse_move is parse_move
    assert isinstance(parse_move(standing[0], "Move: T h2-h3"), int | np.integer)

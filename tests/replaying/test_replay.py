"""Games written down and played again: the same views, and a clear word for every line that cannot be read."""

import dataclasses
import json
import random
import re
from pathlib import Path

import numpy as np
import pytest

import kgb_env
from kgb_env import (
    NOBODY,
    PUBLIC,
    GameOverError,
    IllegalActionError,
    Recording,
    Replay,
    ReplayError,
    SeedError,
    append_replay,
    derive_seed,
    game,
    read_replays,
    registry,
)
from tests.playthroughs import RECORDED
from tests.replaying.games import MINI, play, replay_of

CAPS = {"max_turns": 4, "max_rounds": 4, "rounds": 2}
PLIES = 50

pytestmark = pytest.mark.nojit


def short(id, options):
    """Configure a game with its caps lowered."""
    known = game(id, **options).options
    return game(id, **{**options, **{name: min(cap, known[name]) for name, cap in CAPS.items() if name in known}})


@pytest.mark.parametrize(
    ("id", "options"), [(id, o) for _, id, o, _ in RECORDED] + list(MINI.items()), ids=lambda value: str(value)
)
def test_a_game_is_played_again_as_everybody_saw_it(id, options):
    """Presets, variants and options: the playthroughs have them all."""
    configured, seen = short(id, options), []
    states = configured.start(derive_seed(3, 0, 0))
    rng = np.random.default_rng(3)
    recording = Recording(configured, derive_seed(3, 0, 0))
    while True:
        assert recording.states.tobytes() == states.tobytes()
        seen.append(states.copy())
        if states["over"][0] or len(seen) > PLIES:
            break
        action = int(rng.choice(configured.legal(states)))
        configured.play(states, action)
        recording.play(action)
    written = recording.replay([f"agent {seat}" for seat in range(configured.seats)])
    read = Replay.from_json(written.to_json())
    assert (read, read.game) == (written, configured)
    assert read.version == kgb_env.__version__
    outcome = configured.outcome(states)
    assert read.returns == (outcome.returns if outcome else None)
    assert read.reason == (outcome.reason if outcome else "broken off")
    positions = list(read.positions())
    assert len(positions) == len(seen)
    for position, state in zip(positions, seen, strict=True):
        for seat in (PUBLIC, *range(configured.seats)):
            assert configured.view(position.states, seat).tobytes() == configured.view(state, seat).tobytes()


def test_a_copy_of_a_recording_goes_on_by_itself():
    recording = Recording(game("confusion-mini"), derive_seed(3, 0, 0))
    copied = recording.copy()
    assert copied.replay(["a", "b"]) == recording.replay(["a", "b"])
    copied.play(recording.game.legal(recording.states)[0])
    assert len(copied.moves) > len(recording.moves)
    assert copied.states.tobytes() != recording.states.tobytes()
    assert recording.states.tobytes() == Recording(recording.game, derive_seed(3, 0, 0)).states.tobytes()


def test_positions_say_who_did_what():
    written = replay_of("double_agent-mini")
    first, *others = written.positions()
    assert (first.text, first.seat) == ("", NOBODY)
    before = first
    for position in others:
        assert position.seat == before.states["to_move"][0]
        assert position.text == written.moves[before.made]
        before = position
    assert before.made == len(written.moves)
    assert before.states["over"][0]


def test_what_cannot_be_played_changes_nothing():
    recording = play(game("confusion-mini"), plies=3)
    states, moves = recording.states.tobytes(), list(recording.moves)
    legal = game("confusion-mini").legal(recording.states)
    for wrong in (-1, 10_000, next(a for a in range(1000) if a not in legal)):
        with pytest.raises(IllegalActionError):
            recording.play(wrong)
    assert (recording.states.tobytes(), recording.moves) == (states, moves)
    over = play(game("confusion-mini"))
    with pytest.raises(GameOverError):
        over.play(0)
    with pytest.raises(SeedError):
        Recording(game("confusion-mini"), -1)


@pytest.mark.parametrize("id", MINI)
def test_many_actions_at_once_are_played_as_one_by_one(id):
    chosen = []
    one = play(game(id, **MINI[id]), 5, on_ply=lambda recording: chosen.append(recording.states.copy()))
    positions = list(one.replay(["a"] * one.game.seats).positions())
    actions = [
        one.game.notation.parse_action(one.game, before, after.text)
        for before, after in zip(chosen, positions[1:], strict=False)
    ]
    many = Recording(one.game, derive_seed(5, 0, 0))
    many.play(np.array(actions, np.int64))
    assert (many.moves, many.states.tobytes()) == (one.moves, one.states.tobytes())


def test_of_many_actions_those_before_a_wrong_one_are_played():
    recording, one = (play(game("confusion-mini"), plies=0) for _ in range(2))
    first = int(one.game.legal(one.states)[0])
    one.play(first)
    with pytest.raises(IllegalActionError, match=r"^no action 9999; actions are"):
        recording.play(np.array([first, 9999, first]))
    assert (recording.moves, recording.states.tobytes()) == (one.moves, one.states.tobytes())


def test_agents_are_one_a_seat():
    with pytest.raises(ReplayError, match=r"agents: 1 are named; confusion has 2 seats"):
        play(game("confusion-mini"), plies=1).replay(["greedy"])


# Data files


def test_a_file_of_the_users_own_travels_with_the_game(tmp_path, monkeypatch):
    shipped = Path(kgb_env.__file__).parent / "games" / "confusion" / "pieces" / "mini.txt"
    own = tmp_path / "own.txt"
    own.write_text(shipped.read_text().replace("Smuggler", "Skipper"))
    written = replay_of("confusion-mini", pieces=str(own))
    line, before = written.to_json(), [p.states.tobytes() for p in written.positions()]
    told = json.loads(line)
    assert "Skipper" in told["data"]["pieces"]
    assert set(told["shipped"]) == {"setup"}
    own.unlink()
    monkeypatch.setattr(registry, "_GAMES", {})  # as in another process, on another machine
    read = Replay.from_json(line)
    assert read.game is not written.game
    assert [p.states.tobytes() for p in read.positions()] == before
    assert read.to_json() == line


def test_shipped_files_are_told_by_their_digests():
    told = json.loads(replay_of("suspicious-mini").to_json())
    assert told["data"] == {}
    assert {name: len(digest) for name, digest in told["shipped"].items()} == {"cards": 64, "vocabulary": 64}


# Lines that cannot be read


def damaged(change, id="confusion-mini"):
    told = json.loads(replay_of(id).to_json())
    change(told)
    return json.dumps(told)


def put(name, value):
    return lambda told: told.update({name: value})


def put_in(part, name, value):
    return lambda told: told[part].update({name: value})


def drop(name):
    return lambda told: told.pop(name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("format", 2), r"format 2, written by kgb 0\.1\.0; kgb 0\.1\.0 reads 1"),
        (drop("format"), "not a replay: expected an object with the field 'format'"),
        (put("version", "99.0.0"), r"version: written by kgb 99\.0\.0, which is newer than kgb 0\.1\.0 here"),
        (put("version", "new"), "version: expected numbers as in 0.1.0, got 'new'"),
        (put("version", 1), "version: expected a text, got 1"),
        (put("version", "9" * 5000), "version: expected numbers as in 0.1.0, got '999"),
        (put("version", "0.1.٣"), "version: expected numbers"),
        (put("version", "\ud800"), "version: it holds a lone surrogate"),
        (put("format", ["\ud800"]), "format "),
        (lambda told: told.update(format=2, version="\x1b[31m"), r"format 2, written by kgb \?\[31m; kgb"),
        (drop("moves"), "there is no field 'moves'; a line has format, version"),
        (put("colour", "red"), "there is a field 'colour'; a line has format, version"),
        (put("moves", ["out A", 1]), "moves: expected a list of texts"),
        (put("agents", "greedy"), "agents: expected a list of texts, got 'greedy'"),
        (put("agents", ["greedy"]), "agents: 1 are named; confusion has 2 seats"),
        (put("game", "chess"), "game and options: no game 'chess'; there are confusion"),
        (put("game", f"{'a.' * 2000}a:b"), "game: expected an id such as confusion, got 'a.a"),
        (put("game", "tests.replaying.fails:GAME"), "no game .*: ZeroDivisionError: division by zero"),
        (put("game", "no_such_module:GAME"), "game and options: no game 'no_such_module:GAME'"),
        (put_in("options", "max_turn", 7), "there is no 'max_turn', did you mean 'max_turns'"),
        (put_in("options", "max_turns", -1), "max_turns=-1"),
        (put_in("options", "pieces", "gone"), "the file 'gone' of the option pieces is not shipped any more"),
        (put_in("shipped", "pieces", "0" * 64), "the file 'mini' of the option pieces has changed since"),
        (put_in("shipped", "board", "0" * 64), "no data file belongs to 'board'; allowed are pieces, setup"),
        (put("shipped", {}), r"data: files of pieces, setup are due, got \[\]"),
        (lambda told: told.update(shipped={}, data={"pieces": "?", "setup": "?"}), "data: "),
        (put("result", {"returns": [1, -1]}), r"result: expected returns \(numbers\) and reason"),
        (put_in("result", "returns", [1.0]), "result: returns of 1 seats; confusion has 2"),
        (put_in("result", "returns", ["a", "b"]), r"result: expected returns \(numbers\)"),
        (put_in("result", "returns", [True, False]), r"result: expected returns \(numbers\)"),
        (put_in("result", "returns", [10**400, 0]), "result: returns are finite numbers, got .1000"),
        (put_in("result", "returns", [float("nan"), 0]), "result: returns are finite numbers"),
        (put_in("result", "returns", [0, float("-inf")]), "result: returns are finite numbers"),
        (put_in("result", "reason", ""), "result: the reason is empty"),
        (put_in("result", "reason", "\x1b[31m"), "result: '.*' holds a letter that cannot be printed"),
        (put_in("result", "\udfff", 1), "result: it holds a lone surrogate"),
        (put("reason", ""), "reason: expected a text that says why the game ended"),
        (put("reason", "so\rlong"), "reason: 'so.*long' holds a letter that cannot be printed"),
        (put("agents", ["a\x1b]0;b\x07", "c"]), "agents: '.*' holds a letter that cannot be printed"),
        (put("agents", ["a", "b\u202ec"]), "agents: '.*' holds a letter that cannot be printed"),
        (put("agents", ["\ud800", "a"]), "agents: it holds a lone surrogate"),
        (put("moves", ["out\x1dA"]), "moves: '.*' holds a letter that cannot be printed"),
        (put("moves", ["\ud800"]), "moves: it holds a lone surrogate"),
        (put("game", "\ud800:A"), "game: it holds a lone surrogate"),
        (put("game", "os:\x00"), "game: '.*' holds a letter that cannot be printed"),
        (put("game", ".os:A"), "game: expected an id such as confusion, got '.os:A'"),
        (put_in("options", "\ud800", 1), "options: it holds a lone surrogate"),
        (put_in("data", "pieces", "\ud800"), "data: it holds a lone surrogate"),
    ],
)
def test_a_damaged_line_is_refused(change, message):
    with pytest.raises(ReplayError, match=f"^games.jsonl, line 7: .*{message}"):
        Replay.from_json(damaged(change), "games.jsonl, line 7")


@pytest.mark.parametrize("line", ["", "[]", "7", "null", "{", '{"format": 1', "[" * 100_000])
def test_what_is_no_line_at_all_is_refused(line):
    with pytest.raises(ReplayError, match=r"^here: not a "):
        Replay.from_json(line, "here")


VALUES = [
    *(None, True, -1, 0, 10**400, float("nan"), 1e400, [], {}, [[]], {"a": 1}),
    *("", "\ud800", "\x00", "\x1b[31m", "9" * 5000, "²", "os:path", "..:x", ":", "\x00:\x00", "this is:bad", "a..b:c"),
]


def mutated(told, dice):
    """Return a line with one thing changed, anywhere in it."""
    part, name = told, dice.choice([*told, "x"])
    while isinstance(part.get(name) if isinstance(part, dict) else part[name], dict | list) and dice.random() < 0.8:
        inner = part[name]
        if not inner:
            break
        part, name = inner, dice.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
    old = part.get(name) if isinstance(part, dict) else part[name]
    if isinstance(old, str) and dice.random() < 0.5:
        at = dice.randrange(len(old) + 1)
        part[name] = old[:at] + dice.choice(["\x07", "\ud800", "²", "9", " ", "", old, "\n", "[/x]"]) + old[at + 1 :]
    else:
        part[name] = dice.choice(VALUES)
    return json.dumps(told)


@pytest.mark.parametrize("id", MINI)
def test_mutated_lines_are_replays_or_refused(id):
    line, dice, faults = replay_of(id, plies=4).to_json(), random.Random(23), []
    for _ in range(60):
        try:
            replay = Replay.from_json(mutated(json.loads(line), dice))
            assert Replay.from_json(replay.to_json()) == replay
            list(replay.positions())
        except ReplayError as error:
            faults.append(str(error).encode())  # it can be printed anywhere
    assert len(faults) > 20


def test_mutated_bytes_are_replays_or_refused(tmp_path):
    line, dice = replay_of("confusion-mini", plies=4).to_json().encode(), random.Random(2)
    path, faults = tmp_path / "games.jsonl", []
    for _ in range(60):
        at = dice.randrange(len(line))
        path.write_bytes(line[:at] + dice.randbytes(dice.randrange(3)) + line[at + 1 :] + b"\n")
        try:
            for replay in read_replays(path):
                list(replay.positions())
        except ReplayError as error:
            faults.append(str(error))
    assert all("games.jsonl" in fault for fault in faults)
    assert len(faults) > 20


def test_what_cannot_be_printed_is_not_written_down():
    recording = play(game("confusion-mini"), plies=2)
    replay = recording.replay(["a\x1b[31mb\ud800", "é 名\u202e\n"], "it\x07 failed:\n[/x]")
    assert replay.agents == ("a?[31mb?", "é 名??")
    assert replay.reason == "it? failed:?[/x]"
    assert recording.replay(["a", "b"], "").reason == "broken off"
    assert Replay.from_json(replay.to_json()) == replay


def deal_twice(told):
    told["moves"][5] = f"deal C={told['moves'][4].partition('=')[2]}"


def swap_result(told):
    told["result"]["returns"].reverse()


VERSIONS = r"\(written by kgb 0\.0\.9, read by kgb 0\.1\.0\)$"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda told: told["moves"].__setitem__(0, "deal Q=1"), "move 1 'deal Q=1': "),
        (deal_twice, r"move 6 'deal C=\d': chance cannot bring it; possible are deal C="),
        (lambda told: told["moves"].__setitem__(8, "jump"), "move 9 'jump': "),
        (lambda told: told["moves"].__setitem__(8, "F c2-e5"), r"move 9 'F c2-e5': .*"),
        (lambda told: told["moves"].__setitem__(8, "answer yes"), "move 9 'answer yes': illegal for seat 0; legal are"),
        (lambda told: told["moves"].append("answer yes"), r"move \d+ 'answer yes': the game is over before it"),
        (lambda told: told["moves"].pop(), r"after move \d+: the moves end before the game does"),
        (lambda told: told.update(moves=told["moves"][:3]), "after move 3: the moves end where chance is due"),
        (lambda told: told.update(moves=[]), "after move 0: the moves end where chance is due"),
        (swap_result, r"after move \d+: result: it ends as .*, told is "),
        (put_in("result", "reason", "escape"), r"after move \d+: result: it ends as .*, told is escape"),
        (put("result", None), r"after move \d+: result: it ends as .*, told is none"),
    ],
)
def test_a_game_against_the_rules_is_refused(change, message):
    def older(told):
        change(told)
        told["version"] = "0.0.9"

    read = Replay.from_json(damaged(older), "games.jsonl, line 7")
    with pytest.raises(ReplayError, match=f"^games.jsonl, line 7: {message}.*{VERSIONS}"):
        list(read.positions())


@pytest.mark.parametrize("id", MINI)
def test_no_text_of_a_move_does_anything_but_a_clear_error(id):
    written, rng = replay_of(id), np.random.default_rng(5)
    letters = list("abcDA019 -=,.?*#é\n\0") + [word for move in written.moves for word in move.split()]
    refused = []
    for _ in range(150):
        moves, k = list(written.moves), int(rng.integers(len(written.moves)))
        cut = int(rng.integers(len(moves[k]) + 1))
        moves[k] = moves[k][:cut] + str(rng.choice(letters)) + moves[k][cut + int(rng.integers(3)) :]
        changed = dataclasses.replace(written, moves=tuple(moves))
        try:
            list(changed.positions())
        except ReplayError as error:
            refused.append(str(error))
    assert len(refused) > 50
    assert all(re.match(r"(after )?move \d+", message) for message in refused)


# Files


def test_a_file_holds_a_game_a_line(tmp_path):
    path = tmp_path / "games.jsonl"
    written = [replay_of(id, seed) for seed, id in enumerate(MINI)]
    for each in written:
        append_replay(path, each)
    assert path.read_text().count("\n") == len(written)
    assert list(read_replays(path)) == written
    assert list(read_replays(path, 3)) == written[2:3]
    with pytest.raises(ReplayError, match=r"games.jsonl: there is no game 6; it holds 5 games"):
        list(read_replays(path, 6))


def test_games_before_a_line_that_was_cut_off_can_be_read(tmp_path):
    path, written = tmp_path / "games.jsonl", [replay_of("confusion-mini", seed) for seed in range(3)]
    for each in written:
        append_replay(path, each)
    whole = path.read_bytes()
    for cut in (1, 40, len(written[2].to_json()) - 1):
        path.write_bytes(whole[: -cut - 1])
        games = read_replays(path)
        assert [next(games), next(games)] == written[:2]
        with pytest.raises(ReplayError, match=r"line 3: the line is cut off, its writer was stopped"):
            next(games)
    append_replay(path, written[0])
    assert list(read_replays(path, 4)) == written[:1], "a game that is written after it stays whole"
    path.write_bytes(whole.rstrip(b"\n"))
    assert list(read_replays(path)) == written, "only the line break is missing"


def test_files_that_are_none(tmp_path):
    with pytest.raises(ReplayError, match=r"missing.jsonl: no games can be read there: No such file"):
        list(read_replays(tmp_path / "missing.jsonl"))
    with pytest.raises(ReplayError, match=r"a game cannot be written there: "):
        append_replay(tmp_path / "no" / "folder.jsonl", replay_of("confusion-mini"))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(ReplayError, match=r"picture.png: not a file of replays"):
        list(read_replays(tmp_path / "picture.png"))
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(ReplayError, match=r"empty.jsonl: it holds 0 games"):
        list(read_replays(tmp_path / "empty.jsonl"))


def test_a_line_is_plain_text():
    assert re.fullmatch(r"[ -~]+", replay_of("confusion-mini", agents=["Zoë\n", "</script>"]).to_json())

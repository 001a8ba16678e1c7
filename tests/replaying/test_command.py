"""The command ``kgb replay``: what it checks, prints and writes."""

import re

import imageio.v3 as iio
import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from experiments.cli import app
from experiments.replaying import film
from experiments.replaying.timeline import SPECTATOR, timeline
from kgb_env import append_replay, game, read_replays
from tests.replaying.games import play, replay_of, replay_unseen_by_seat_1
from tests.replaying.test_page import data_of


@pytest.fixture
def path(tmp_path):
    """Return a file of three games."""
    path = tmp_path / "games.jsonl"
    for seed in (1, 2, 3):
        append_replay(path, replay_of("confusion-mini", seed, agents=["greedy", f"random({seed})"]))
    return path


def kgb(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_help_ends_with_examples():
    assert "kgb replay" in kgb("replay", "--help").stdout.split("Options")[-1]


def test_all_games_are_checked_and_listed(path):
    result = kgb("replay", path)
    rows = re.findall(r"^ *(\d) +confusion +greedy, random\(\d\) +\d+ +(.*?) *$", result.stdout, re.MULTILINE)
    assert [number for number, _ in rows] == ["1", "2", "3"]
    assert all(re.match(r"[a-z ]+: seat 0 [+-]1, seat 1 [+-]1", told) for _, told in rows)
    assert "3 games checked" in result.stdout
    assert "1 game checked" in kgb("replay", path, "--game", 2).stdout


def test_the_list_counts_decisions(path):
    lengths = [len(list(replay.positions())) - 1 for replay in read_replays(path)]
    moves = [len(replay.moves) for replay in read_replays(path)]
    listed = re.findall(r"^ *\d +confusion +greedy, random\(\d\) +(\d+) ", kgb("replay", path).stdout, re.MULTILINE)
    assert "Plies" in kgb("replay", path).stdout
    assert [int(plies) for plies in listed] == lengths
    assert all(plies < count for plies, count in zip(lengths, moves, strict=True)), "chance is not counted"


def test_the_list_says_which_agent_had_which_role(tmp_path):
    configured = game("double_agent-mini", max_turns=4)
    replay = play(configured, plies=3).replay(["roles(double_agent=random, security_agent=naive)"] * configured.seats)
    append_replay(tmp_path / "games.jsonl", replay)
    roles = configured.roles_in(list(replay.positions())[-1].states)[0].tolist()
    parts = {"double_agent": "random (double_agent)", "security_agent": "naive (security_agent)"}
    openly = [parts[configured.roles[role]] for role in roles]
    seat = openly.index("naive (security_agent)")
    known = [name if who == seat else "random or naive" for who, name in enumerate(openly)]
    for flags, names in ((), openly), (("--seat", seat), known):
        text = kgb("replay", tmp_path / "games.jsonl", "--text", *flags).stdout
        assert f"seats: {', '.join(names)}." in text
        listed = kgb("replay", tmp_path / "games.jsonl", *flags).stdout.split()
        assert [word.strip(",") for word in listed if word.startswith(("random", "naive"))] == [
            word for name in names for word in name.split() if word in ("random", "naive")
        ]


def test_a_fault_is_said_after_the_games_before_it(path):
    lines = path.read_text().splitlines()
    lines[1] = re.sub(r'"answer (yes|no)"', '"answer maybe"', lines[1], count=1)
    path.write_text("\n".join(lines))
    result = kgb("replay", path)
    assert result.exit_code == 2
    assert "greedy, random(1)" in result.stdout
    assert "random(3)" not in result.stdout
    assert "checked:" not in result.stdout
    assert re.search(r"line 2: move \d+ 'answer maybe': .*written by kgb .*, read by kgb", result.stderr)
    assert kgb("replay", path, "--game", 3).exit_code == 0


def test_names_and_reasons_are_printed_as_they_are(tmp_path):
    replay = play(game("confusion-mini"), plies=4).replay(["[/x]", "[red]a"], "list [bold] [/INST]")
    append_replay(tmp_path / "games.jsonl", replay)
    listed, told = kgb("replay", tmp_path / "games.jsonl"), kgb("replay", tmp_path / "games.jsonl", "--text")
    for result in (listed, told):
        assert result.exit_code == 0
        assert "[/x], [red]a" in result.stdout
        assert "list [bold] [/INST]" in result.stdout


def test_what_steers_a_terminal_never_reaches_it(path):
    lines = path.read_text().splitlines()
    lines[1] = lines[1].replace("random(2)", "random\\u001b]0;x\\u0007")
    path.write_text("\n".join(lines))
    for flags in ([], ["--text"], ["--html", path.parent / "x.html"]):
        result = kgb("replay", path, *flags)
        assert result.exit_code == 2
        assert "\x1b" not in result.output.replace("\x1b[", "")
        assert "line 2: agents: " in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", 4], "there is no game 4; it holds 3 games"),
        (["--seat", 2, "--text"], "--seat 2: the seats of confusion are 0 to 1"),
        (["--seat", 2, "--html", "x.html"], "--seat 2: the seats of confusion are 0 to 1"),
        (["--seat", 2, "--game", 1, "--gif", "x.gif"], "--seat 2: the seats of confusion are 0 to 1"),
        (["--gif", "x.gif"], "holds several games; film one: --game 1"),
        (["--gif", "x.mp4", "--game", 1], "x.mp4: its name must end in .gif"),
        (["--mp4", "x.avi", "--game", 1], "x.avi: its name must end in .mp4"),
        (["--game", 1, "--html", "/dev/null/x.html"], "it cannot be written"),
        (["--game", 1, "--gif", "/dev/null/x.gif"], "it cannot be written"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(path, arguments, message):
    result = kgb("replay", path, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_too_many_games_for_a_page(path, tmp_path):
    for seed in range(4, 14):
        append_replay(path, replay_of("confusion-mini", seed))
    assert "more than 12 games, too many for a page" in kgb("replay", path, "--html", tmp_path / "x.html").stderr
    assert not (tmp_path / "x.html").exists()


def test_text_shows_the_table_at_every_step(path):
    replay = replay_of("confusion-mini", 2)
    for seat, flags in ((SPECTATOR, []), (1, ["--seat", 1])):
        text = kgb("replay", path, "--game", 2, "--text", *flags).stdout
        for step in timeline(replay, list(replay.positions()), seat):
            assert replay.game.notation.draw(replay.game, step.record).rstrip() in text
            assert "\n".join(step.told) in text
    assert not set(re.findall(r"chance: .*", kgb("replay", path, "--text").stdout)) & set(text.splitlines())


def test_text_names_the_options_that_were_changed_alone(tmp_path):
    append_replay(tmp_path / "games.jsonl", replay_of("confusion", plies=2, max_turns=30))
    append_replay(tmp_path / "games.jsonl", replay_of("confusion", plies=2))
    heads = re.findall(r"^Game .*", kgb("replay", tmp_path / "games.jsonl", "--text").stdout, re.MULTILINE)
    assert heads == [
        "Game 1: confusion, seats: random, random. Options: max_turns=30.",
        "Game 2: confusion, seats: random, random.",
    ]


def test_a_seat_that_has_seen_nothing(tmp_path):
    path, out = tmp_path / "games.jsonl", tmp_path / "out.gif"
    append_replay(path, replay_unseen_by_seat_1())
    text = kgb("replay", path, "--seat", 1, "--text").stdout
    assert "\n\nThis seat has seen nothing yet.\n\nbroken off\n" in text
    assert kgb("replay", path, "--seat", 1).exit_code == 0
    filmed = kgb("replay", path, "--seat", 1, "--gif", out)
    assert filmed.exit_code == 2
    assert filmed.stderr == "kgb: --seat 1: there is nothing to film; this seat has seen nothing yet\n"
    assert not out.exists()
    assert kgb("replay", path, "--seat", 0, "--gif", out).exit_code == 0


def test_text_of_a_seat_tells_no_secret(tmp_path):
    configured = game("suspicious-mini")
    replay = play(configured, plies=8).replay(["random"] * configured.seats, reason="the spy is 2")
    append_replay(tmp_path / "games.jsonl", replay)
    keywords = {move.split()[-1] for move in replay.moves if re.match(r"agents|spy (?!seat)", move)}
    last = list(replay.positions())[-1].states
    for seat in range(configured.seats):
        text = kgb("replay", tmp_path / "games.jsonl", "--text", "--seat", seat).stdout
        known = " ".join(configured.notation.log(configured, configured.view(last, seat)))
        assert len(keywords) == 2
        assert {word for word in keywords if word in text} == {word for word in keywords if word in known}
        assert "the spy is 2" not in text


def test_pages(path, tmp_path):
    out = tmp_path / "new" / "all.html"
    assert re.search(r"Written: .*all.html \(\d+\.\d MB\)", kgb("replay", path, "--html", out).stdout.replace("\n", ""))
    assert [shown["number"] for shown in data_of(out.read_text())] == [1, 2, 3]
    kgb("replay", path, "--game", 2, "--seat", 1, "--html", out, "--no-thoughts")
    (shown,) = data_of(out.read_text())
    assert (shown["number"], [view["seat"] for view in shown["views"]]) == (2, [1])


# Films


@pytest.mark.parametrize("seat", [SPECTATOR, 0])
def test_a_gif_has_the_steps_for_its_frames(path, tmp_path, seat):
    replay, out = replay_of("confusion-mini", 1), tmp_path / "game.gif"
    flags = [] if seat is SPECTATOR else ["--seat", seat]
    kgb("replay", path, "--game", 1, "--gif", out, "--width", 240, "--fps", 4, *flags)
    steps = list(timeline(replay, list(replay.positions()), seat))
    frames = list(iio.imiter(out))
    assert len(frames) == len(steps)
    assert {frame.shape[1] for frame in frames} == {240}
    assert [iio.immeta(out, index=k)["duration"] for k in (0, len(frames) - 1)] == [250, 3250]
    for k in (0, len(frames) - 1):
        drawn = replay.game.picture(steps[k].record).rgb(240)
        assert np.abs(frames[k][: len(drawn)].astype(int) - drawn[: len(frames[k])]).mean() < 6


def test_a_video_has_the_steps_for_its_frames(path, tmp_path):
    replay, out = replay_of("confusion-mini", 1), tmp_path / "game.mp4"
    kgb("replay", path, "--game", 1, "--mp4", out, "--width", 321, "--fps", 2.5)
    frames = iio.imread(out, plugin="pyav")
    steps = list(timeline(replay, list(replay.positions()), SPECTATOR))
    assert len(frames) == len(steps) + round(film.LAST_FRAME_SECONDS * 2.5)
    assert frames.shape[2] == 322, "videos have even sides"
    assert iio.immeta(out, plugin="pyav")["fps"] == 2.5
    drawn = replay.game.picture(steps[3].record).rgb(322)
    assert np.abs(frames[3][: len(drawn)].astype(int) - drawn[: len(frames[3])]).mean() < 6


@pytest.mark.parametrize("fps", [0.7, 7, 30, 50])
def test_a_gif_is_as_long_as_was_asked_for(path, tmp_path, fps):
    """Its pauses are hundredths of a second; what is cut from one is given to another."""
    out = tmp_path / "game.gif"
    kgb("replay", path, "--game", 1, "--gif", out, "--width", 64, "--fps", fps)
    with Image.open(out) as drawn:
        pauses = []
        for frame in range(drawn.n_frames):
            drawn.seek(frame)
            pauses.append(drawn.info["duration"])
    steps = len(list(timeline(replay_of("confusion-mini", 1), list(replay_of("confusion-mini", 1).positions()), None)))
    assert sum(pauses) == pytest.approx(1000 * (steps / fps + film.LAST_FRAME_SECONDS), abs=10)
    assert min(pauses) >= 20, "browsers slow down what is quicker"


def test_a_gif_that_cannot_be_so_fast_is_refused_before_anything_is_written(path, tmp_path):
    flags = ("--gif", tmp_path / "a.gif", "--html", tmp_path / "a.html", "--fps", 50.5)
    result = kgb("replay", path, "--game", 1, *flags)
    assert result.exit_code == 2
    assert "--fps 50.5: a GIF has at most 50 steps a second; --mp4 may have more" in result.stderr
    assert not list(tmp_path.glob("a.*"))


def test_without_the_extra_a_video_says_what_is_missing(path, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "av", None)
    result = kgb("replay", path, "--game", 1, "--mp4", tmp_path / "game.mp4", "--width", 100)
    assert result.exit_code == 2
    assert "films need the extra `video`: pip install" in result.stderr


def test_the_games_are_never_written_over(path, tmp_path):
    games = path.read_bytes()
    for flag, name in (("--html", "games.html"), ("--gif", "games.gif")):
        same = tmp_path / name
        same.hardlink_to(path)
        result = kgb("replay", path, "--game", 1, flag, same)
        assert result.exit_code == 2
        assert "holds the games" in result.stderr
        assert same.read_bytes() == games == path.read_bytes()


@pytest.mark.parametrize("arguments", [("--html", "games.jsonl"), ("--gif", "a.mp4"), ("--mp4", "a"), ("--html", ".")])
def test_a_name_that_does_not_fit_is_refused_before_anything_is_drawn(path, tmp_path, monkeypatch, arguments):
    monkeypatch.setattr("experiments.replaying.show.page", lambda *_: pytest.fail("it was drawn"))
    monkeypatch.chdir(tmp_path)
    result = kgb("replay", path, "--game", 1, *arguments)
    assert result.exit_code == 2
    assert "must end in" in result.stderr


def test_a_film_that_is_stopped_leaves_the_old_one_whole(path, tmp_path, monkeypatch):
    out = tmp_path / "game.gif"
    kgb("replay", path, "--game", 1, "--gif", out, "--width", 100)
    whole = out.read_bytes()
    frames = film._Frames.__iter__

    def stop(drawn):
        yield from list(frames(drawn))[:2]
        raise KeyboardInterrupt

    monkeypatch.setattr(film._Frames, "__iter__", stop)
    result = kgb("replay", path, "--game", 2, "--gif", out, "--width", 100)
    assert result.exit_code == 130
    assert out.read_bytes() == whole
    assert sorted(each.name for each in tmp_path.iterdir()) == ["game.gif", "games.jsonl"]


def test_the_list_of_a_seat_tells_no_more_than_it_may_know(tmp_path):
    path = tmp_path / "games.jsonl"
    recording = play(game("confusion-mini"), 1, plies=3)
    append_replay(path, recording.replay(["greedy", "greedy"], "forfeit: seat 1 held the Double Agent"))
    assert "Double Agent" in kgb("replay", path).stdout
    assert "Double Agent" not in kgb("replay", path, "--seat", 0).stdout
    result = kgb("replay", path, "--seat", 5)
    assert result.exit_code == 2
    assert "the seats of confusion are 0 to 1" in result.stderr

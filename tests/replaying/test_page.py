"""The page of a replay: the pictures are the game's own, and a seat's page holds what the seat knows alone."""

import base64
import dataclasses
import json
import re
import zlib
from importlib.metadata import EntryPoint, entry_points

import numpy as np
import pytest

from experiments.replaying.page import page
from experiments.replaying.players import players
from experiments.replaying.thoughts import Thinkers
from experiments.replaying.timeline import SPECTATOR, news, timeline
from kgb_env import PUBLIC, UNKNOWN, Recording, derive_seed, game
from tests.replaying.games import MINI, play, replay_of, replay_unseen_by_seat_1


def data_of(told):
    """Return what a page holds."""
    packed = re.search(r'<script type="application/octet-stream" id="data">([A-Za-z0-9+/=]*)</script>', told)
    return json.loads(zlib.decompress(base64.b64decode(packed.group(1))))["games"]


def svg_of(shown, frame):
    return "".join(shown["layers"][number] for number in frame["picture"]) + "</svg>\n"


@pytest.mark.parametrize("id", MINI)
def test_frames_are_the_pictures_of_the_game(id):
    replay = replay_of(id)
    (shown,) = data_of(page([(1, replay)], with_thoughts=False))
    positions = list(replay.positions())
    assert [view["seat"] for view in shown["views"]] == [None, *range(replay.game.seats)]
    for view in shown["views"]:
        steps = list(timeline(replay, positions, view["seat"]))
        assert len(steps) == len(view["frames"])
        for step, frame in zip(steps, view["frames"], strict=True):
            assert svg_of(shown, frame) == replay.game.picture(step.record).svg
    assert len(shown["layers"]) == len(set(shown["layers"]))


@pytest.mark.parametrize("id", MINI)
def test_a_seats_page_holds_what_the_seat_sees_alone(id):
    replay = replay_of(id)
    positions = list(replay.positions())
    for seat in range(replay.game.seats):
        (shown,) = data_of(page([(1, replay)], seat, with_thoughts=False))
        (view,) = shown["views"]
        known = {replay.game.picture(replay.game.view(p.states, seat)).svg for p in positions}
        assert {svg_of(shown, frame) for frame in view["frames"]} == known
        assert [frame["ply"] for frame in view["frames"]] == list(range(len(view["frames"])))
        lines = {line for frame in view["frames"] for line in frame["told"]}
        log = "\n".join(
            line for p in positions for line in replay.game.notation.log(replay.game, replay.game.view(p.states, seat))
        )
        assert all(line.split("… ")[-1] in log for line in lines)


def test_secrets_of_others_are_not_in_a_seats_page():
    """Until the game is over; broken off, it tells even less."""
    configured = game("suspicious-mini")
    replay = play(configured, plies=8).replay(["random"] * configured.seats, reason="the spy is a secret")
    words = {move.split()[1] for move in replay.moves if move.startswith(("agents", "spy "))}
    last = list(replay.positions())[-1].states
    for seat in range(configured.seats):
        told = json.dumps(data_of(page([(1, replay)], seat, with_thoughts=False)))
        own = configured.notation.log(configured, configured.view(last, seat))
        for word in words:
            assert (word in told) == (word in "\n".join(own)), (seat, word)
        assert "secret" not in told
    assert "the spy is a secret" in json.dumps(data_of(page([(1, replay)], with_thoughts=False)))


def twins(id, seed):
    """Yield broken-off games that differ, and a seat that cannot tell which is which."""
    recording = play(game(id, **MINI[id]), seed, plies=1)
    rng, configured = np.random.default_rng(seed), recording.game
    actions = []
    start = Recording(configured, derive_seed(seed, 0, 0))
    while not start.states["over"][0]:
        legal = configured.legal(start.states)
        chosen, other = (int(a) for a in (rng.choice(legal), rng.choice(legal)))
        pair = [again(configured, seed, [*actions, last]) for last in (chosen, other)]
        if pair[0].moves != pair[1].moves and len(actions) < 12:
            for seat in range(configured.seats):
                one, two = (configured.view(each.states, seat).tobytes() for each in pair)
                if one == two:
                    yield *(each.replay(["random"] * configured.seats) for each in pair), seat
        actions.append(chosen)
        start.play(chosen)


def again(configured, seed, actions):
    recording = Recording(configured, derive_seed(seed, 0, 0))
    for action in actions:
        recording.play(action)
    return recording


@pytest.mark.parametrize("id", ["double_agent-mini", "suspicious-mini"])
def test_games_that_a_seat_cannot_tell_apart_give_it_the_same_page(id):
    found = 0
    for seed in range(4):
        for one, other, seat in twins(id, seed):
            assert one.moves != other.moves
            assert page([(1, one)], seat, with_thoughts=False) == page([(1, other)], seat, with_thoughts=False)
            found += 1
    assert found >= 4


def test_with_answers_given_at_once_a_seat_sees_its_own_decisions_alone():
    """Between them its view would betray the Double Agent (C5)."""
    replay = replay_of("confusion-mini", auto_answer=True)
    positions = list(replay.positions())
    for seat in (0, 1):
        for step in timeline(replay, positions, seat):
            assert step.record["over"][0] or step.record["to_move"][0] == seat
    assert len(list(timeline(replay, positions, SPECTATOR))) == len(positions)


def test_a_seat_that_has_seen_nothing_is_told_so_and_shown_no_picture():
    replay = replay_unseen_by_seat_1()
    (shown,) = data_of(page([(1, replay)]))
    unseen = {"picture": [], "told": ["This seat has seen nothing yet."], "mover": None, "ply": 0, "thoughts": []}
    assert [view["frames"] == [unseen] for view in shown["views"]] == [False, False, True]
    (alone,) = data_of(page([(1, replay)], seat=1))
    assert (alone["views"][0]["frames"], alone["layers"]) == ([unseen], [])


def test_the_spectator_reads_every_move():
    replay = replay_of("secret_formula-mini")
    positions = list(replay.positions())
    told = [line for step in timeline(replay, positions, SPECTATOR) for line in step.told]
    read = [move for line in told for move in re.sub(r"^(seat \d|chance): ", "", line).split(", ")]
    assert read == list(replay.moves)


def test_news():
    assert news(["a"], ["a", "b", "b"]) == ("b", "b")
    assert news(["a", "x: go 1"], ["a", "x: go 1, inspect"]) == ("x: … inspect",)
    assert news(["Red: A d5-e5"], ["Red: A d5-e5: yes", "White: out A"]) == ("… yes", "White: out A")
    assert news(["1: ?"], ["1: open"]) == ("1: open",)
    assert news(["a", "b"], ["a", "b"]) == ()


def test_several_games_share_a_page_and_names_cannot_break_it():
    replays = [replay_of("confusion-mini", seed, agents=["</script><b>", "<!--"]) for seed in (1, 2)]
    told = page([(3, replays[0]), (9, replays[1])])
    assert "<b>" not in told
    assert told.count("</script>") == 2
    assert [shown["number"] for shown in data_of(told)] == [3, 9]
    assert data_of(told)[0]["views"][1]["name"] == "Seat 0: </script><b>"


@pytest.mark.parametrize("word", ["http:", "https:", "src=", "@import", "url("])
def test_a_page_needs_nothing_from_elsewhere(word):
    told = page([(1, replay_of("confusion-mini"))])
    assert word not in told
    # Names of XML are no addresses that anything is fetched from.
    pictures = "".join(data_of(told)[0]["layers"]).replace("http://www.w3.org/2000/svg", "")
    assert not re.search(rf"(?<!xmlns=\"){re.escape(word)}(?!#)", pictures)


# Who played


ROLES = "roles(double_agent=naive, security_agent='rate(p=0.3)')"


def game_of_roles(label=ROLES, plies=10_000):
    """Return a game in which one agent has all seats, and the names of its parts by seats."""
    configured = game("double_agent-mini", **MINI["double_agent-mini"])
    replay = play(configured, plies=plies).replay([label] * configured.seats)
    roles = configured.roles_in(list(replay.positions())[-1].states)[0].tolist()
    parts = {"double_agent": "naive", "security_agent": "rate(p=0.3)"}
    return replay, [f"{parts[configured.roles[role]]} ({configured.roles[role]})" for role in roles]


def test_spectators_read_which_agent_played_a_seat():
    replay, names = game_of_roles()
    assert json.loads(replay.to_json())["agents"] == [ROLES] * replay.game.seats
    assert len(set(names)) == 2
    (shown,) = data_of(page([(1, replay)], with_thoughts=False))
    assert shown["views"][0]["agents"] == names


def test_a_seat_reads_of_itself_alone_which_agent_played_it():
    replay, names = game_of_roles(plies=3)
    for seat in range(replay.game.seats):
        (shown,) = data_of(page([(1, replay)], seat, with_thoughts=False))
        (view,) = shown["views"]
        last = replay.game.view(list(replay.positions())[-1].states, seat)
        is_known = replay.game.roles_in(last)[0] != UNKNOWN
        assert is_known[seat]
        assert is_known.all() == names[seat].endswith("(double_agent)"), "he knows who the others are"
        assert view["agents"] == [
            name if known else "naive or rate(p=0.3)" for name, known in zip(names, is_known, strict=True)
        ]
        assert view["name"] == f"Seat {seat}: {names[seat]}"


@pytest.mark.parametrize(
    ("label", "named"),
    [
        ("roles(double_agent=naive, security_agent=naive)#2", "naive#2"),
        ("expert#2", "expert#2"),
        ("roles(double_agent=naive)", "roles(double_agent=naive)"),
        ("roles(double_agent=4, security_agent=naive)", "roles(double_agent=4, security_agent=naive)"),
        ("roles(double_agent='\\x1b[2J', security_agent=a)", "roles(double_agent='\\x1b[2J', security_agent=a)"),
        ("roles(", "roles("),
        ("Ann #", "Ann #"),
    ],
)
def test_names_of_players(label, named):
    replay, _ = game_of_roles(label, plies=1)
    assert set(players(replay, None)) == {named}
    assert all(each.isprintable() for each in players(replay, list(replay.positions())[-1].states))


# Thoughts


def thoughts_in(view):
    return [frame["ply"] for frame in view["frames"] if frame["thoughts"]]


def test_an_agent_says_what_it_thought_at_its_own_decisions():
    configured = game("double_agent-mini", **MINI["double_agent-mini"])
    replay = play(configured).replay(["expert", "naive", "random"][: configured.seats])
    (shown,) = data_of(page([(1, replay)]))
    spectator, own, *others = shown["views"]
    movers = {k: int(p.states["to_move"][0]) for k, p in enumerate(replay.positions())}
    assert thoughts_in(spectator) == [ply for ply, seat in movers.items() if seat == 0]
    assert thoughts_in(own)
    assert not any(thoughts_in(view) for view in others)
    titles = {shown["tables"][k][0] for frame in own["frames"] for k in frame["thoughts"]}
    assert "The Security List of seat 0" in titles
    assert not data_of(page([(1, replay)], with_thoughts=False))[0]["tables"]
    assert not data_of(page([(1, replay)], seat=1))[0]["tables"], "another seat's thoughts are not for this one"
    assert data_of(page([(1, replay)], seat=0))[0]["tables"]


def test_the_agent_of_a_role_is_asked():
    configured = game("double_agent-mini", **MINI["double_agent-mini"])
    name = "roles(double_agent=naive, security_agent=expert)"
    replay = play(configured).replay([name] * configured.seats)
    positions = list(replay.positions())
    thinkers = Thinkers(replay, range(configured.seats))
    roles = configured.roles_in(positions[0].states)[0]
    for position in positions[:-1]:
        seat = int(position.states["to_move"][0])
        assert bool(thinkers.of(position.states)) == (configured.roles[roles[seat]] == "security_agent")


@pytest.mark.parametrize(
    "name", ["Ann", "no such agent(", "sb3:missing.zip", "tests.tournament.own:Missing", "random", "greedy#2"]
)
def test_who_cannot_be_asked_is_left_out(name):
    replay = replay_of("confusion-mini", agents=[name, name])
    assert not data_of(page([(1, replay)]))[0]["tables"]


def test_a_file_names_no_code_that_is_run(monkeypatch):
    from experiments.replaying import thoughts

    monkeypatch.setattr(thoughts, "make_agent", lambda *arguments: pytest.fail("it was made"))
    replay = replay_of("confusion-mini", agents=["os:getcwd", "roles(a=sb3:model.zip)"])
    assert page([(1, replay)])


@pytest.mark.parametrize(
    ("id", "label"),
    [
        ("confusion-mini", "ismcts(rollout='sb3\\x3a/model.zip')"),
        ("confusion-mini", "llm(transcript='/file', url='http\\x3a//x', model=m)"),
        ("confusion-mini", "llm"),
        ("confusion-mini", "ismcts"),
        ("confusion-mini", "greedy"),
        ("confusion-mini", "confusion.inference"),
        ("confusion-mini", "inference(answers='y/s')"),
        ("confusion-mini", "inference(answers='a.b')"),
        ("confusion-mini", "inference(answers=[yes])"),
        ("confusion-mini", "inference(answers='')"),
        ("confusion-mini", "inference(" * 9 + ")" * 9),
        ("double_agent-mini", "roles(double_agent='sb3\\x3am.zip', security_agent=expert)"),
        ("double_agent-mini", "roles(double_agent='os\\x3agetcwd', security_agent=expert)"),
        ("double_agent-mini", "roles(double_agent=llm, security_agent=expert)"),
        ("double_agent-mini", "roles(double_agent=roles(double_agent='expert(rate=[1])'), security_agent=expert)"),
        ("double_agent-mini", "roles(double_agent=4, security_agent=expert)"),
    ],
)
def test_labels_that_could_do_harm_are_not_made(monkeypatch, id, label):
    from experiments.replaying import thoughts

    monkeypatch.setattr(thoughts, "make_agent", lambda *arguments: pytest.fail("it was made"))
    replay = replay_of(id, plies=2)
    labelled = dataclasses.replace(replay, agents=(label,) * replay.game.seats)
    assert not Thinkers(labelled, range(replay.game.seats))._agents


@pytest.mark.parametrize(
    ("id", "label"),
    [
        ("confusion-mini", "inference"),
        ("confusion-mini", "inference(answers=yes, removes_double_agent=False)#2"),
        ("double_agent-mini", "expert(rate=0.3)"),
        ("double_agent-mini", "deduction"),
        ("double_agent-mini", "roles(double_agent='rate(p=0.3)', security_agent=expert)"),
    ],
)
def test_labels_of_our_own_agents_are_made(id, label):
    replay = replay_of(id, plies=2, agents=[label] * game(id).seats)
    assert len(Thinkers(replay, range(replay.game.seats))._agents) == replay.game.seats


def test_agents_of_other_packages_are_not_made(monkeypatch):
    def points(group):
        return [*entry_points(group=group), EntryPoint("confusion.inference", "tests.leaks:none_such", group)]

    monkeypatch.setattr("agents.names.entry_points", points)
    replay = replay_of("confusion-mini", seed=77, plies=2, agents=["inference(belief=raw)", "greedy"])
    assert not Thinkers(replay, range(2))._agents


def test_public_knowledge_of_the_end_is_what_the_page_says():
    """Its result is told in every seat's page: all of them see it at the end."""
    for id in MINI:
        replay = replay_of(id)
        last = list(replay.positions())[-1].states
        for seat in (PUBLIC, *range(replay.game.seats)):
            outcome = replay.game.outcome(replay.game.view(last, seat))
            assert (outcome.returns, outcome.reason) == (replay.returns, replay.reason)

"""Games with roles: who wins in which role, and agents that play roles instead of seats."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import kgb_env
from agents import AgentError, make_agent
from agents.roles import RolesAgent
from experiments.cli import app
from experiments.config import ConfigError, MatchConfig, parse_roles
from experiments.match import Played, play_match, set_up
from experiments.report import notes_on
from experiments.seating import balanced_seatings
from experiments.statistics import interval, summarize
from kgb_env.games.double_agent.spec import DOUBLE_AGENT, ESCAPE, EXPOSURE, SECURITY_AGENT, TURN_LIMIT

GAME = "double_agent-mini"
ROLES = ("--role", "double_agent=rate(p=0.7)", "--role", "security_agent=naive")
QUICK = ("match", GAME, "--games", 12, "--option", "max_turns=6")
PLAYERS = {"double_agent": "rate(p=0.7)", "security_agent": "naive"}


@pytest.fixture(scope="module")
def game():
    return kgb_env.game(GAME, max_turns=6)


class Watching:
    """Plays like `naive`, and notes in which roles."""

    def __init__(self, game):
        self.agent, self.roles = make_agent(game, "naive"), set()

    def initial_carry(self, n):
        return None

    def act(self, views, seeds, carry=None):
        self.roles |= set(views["role"][np.arange(views.size), views["viewer"]].tolist())
        return self.agent.act(views, seeds)


def played_with(game, results, labels):
    """Return a match of these (roles, returns, ending) of each game."""
    roles, returns, reasons = zip(*results, strict=True)
    return Played(
        game=game,
        labels=tuple(labels),
        seed=1,
        seatings=balanced_seatings(len(labels), game.seats),
        returns=np.array(returns, np.float32),
        reasons=np.array(reasons, np.int8),
        plies=np.full(len(results), 9),
        roles=np.array(roles, np.int8),
    )


FIRST, SECOND = (1, 0, 0), (0, 1, 0)  # where the Double Agent sits


# Roles of games


def test_games_name_their_roles(game):
    assert kgb_env.game("confusion").roles == ()
    assert game.roles[DOUBLE_AGENT] == "double_agent"
    assert game.roles[SECURITY_AGENT] == "security_agent"
    assert len(game.roles) == 2


def test_a_match_notes_the_roles(game):
    played = play_match(game, {name: make_agent(game, name) for name in ("naive", "rate(p=0.7)")}, games=60, batch=7)
    by_deal = played.roles.reshape(played.deals, len(played.seatings), game.seats)
    assert (by_deal == by_deal[:, :1]).all(), "the same in all seatings of a deal"
    assert (played.roles.sum(axis=1) == DOUBLE_AGENT).all()
    assert len(np.unique(played.roles, axis=0)) == game.seats
    escaped = played.reasons == ESCAPE
    assert escaped.any()
    assert (played.returns[escaped].argmax(axis=1) == played.roles[escaped].argmax(axis=1)).all()


def test_a_match_without_roles_has_none():
    confusion = kgb_env.game("confusion", max_turns=2)
    played = play_match(confusion, {"random": make_agent(confusion, "random")}, games=1)
    assert played.roles is None
    assert "by_role" not in summarize(played)
    assert not any("role" in note for note in notes_on(played))


# Figures by role


def test_wins_are_counted_by_agent_and_role(game):
    results = [
        (FIRST, (1, -0.5, -0.5), ESCAPE),
        (SECOND, (1, -0.5, -0.5), EXPOSURE),
        (SECOND, (0.5, -1, 0.5), EXPOSURE),  # a team
        (FIRST, (0, 0, 0), TURN_LIMIT),
        (FIRST, (0.5, -1, 0.5), TURN_LIMIT),  # a wrong accusation
    ]
    security_agent, double_agent = summarize(played_with(game, results, "a"))["by_role"]
    assert list(security_agent) == ["agent", "role", "games", "wins", "win_rate", "low", "high"]
    assert security_agent["agent"] == double_agent["agent"] == "a"
    assert [security_agent[key] for key in ("role", "games", "wins", "win_rate")] == ["security_agent", 10, 4, 0.4]
    assert [double_agent[key] for key in ("role", "games", "wins", "win_rate")] == ["double_agent", 5, 2, 0.4]


def test_two_agents_have_each_role_equally_often(game):
    played = play_match(game, {name: make_agent(game, name) for name in ("naive", "random")}, games=60)
    result = summarize(played)
    rows = result["by_role"]
    assert [(row["agent"], row["role"]) for row in rows] == [
        (agent, role) for agent in ("naive", "random") for role in game.roles
    ]
    assert [row["games"] for row in rows] == [60, 30, 60, 30]
    for agent in result["agents"]:
        assert agent["wins"] == sum(row["wins"] for row in rows if row["agent"] == agent["name"])


def test_intervals_resample_deals(game):
    """The Double Agent's six games of a deal all end alike: as much evidence as one game."""
    escape, exposure = (FIRST, (1, -0.5, -0.5), ESCAPE), (FIRST, (-0.5, 1, -0.5), EXPOSURE)
    seatings = len(balanced_seatings(2, 3))
    results = [result for deal in range(40) for result in [exposure if deal % 4 else escape] * seatings]
    rows = summarize(played_with(game, results, "ab"))["by_role"]
    expected = interval((np.arange(40) % 4 == 0).astype(float), seed=1)
    for row in rows:
        if row["role"] == "double_agent":
            assert (row["games"], row["win_rate"]) == (120, 0.25)
            assert (row["low"], row["high"]) == pytest.approx(expected, abs=1e-6)
        else:
            assert row["low"] < row["win_rate"] < row["high"]


def test_an_agent_alone_has_intervals_by_role(game):
    row = summarize(played_with(game, [(FIRST, (1, -0.5, -0.5), ESCAPE)] * 20, "a"))["by_role"][1]
    assert row["win_rate"] == row["high"] == 1
    assert 0.8 < row["low"] < 0.9, "the exact bound"


def test_the_notes_say_what_a_win_is(game):
    escape = (FIRST, (1, -0.5, -0.5), ESCAPE)
    draw, cut_off = (FIRST, (0, 0, 0), TURN_LIMIT), (FIRST, (0.5, -1, 0.5), TURN_LIMIT)
    notes = " ".join(notes_on(played_with(game, [escape, draw], "a")))
    assert "its score says nothing, roles, endings and length do" in notes
    assert "not of sides: all win who share the highest return" in notes
    assert "truncated" not in notes
    assert "1 truncated game has winners" in " ".join(notes_on(played_with(game, [escape, draw, cut_off], "a")))
    assert "2 truncated games have winners" in " ".join(notes_on(played_with(game, [escape, *[cut_off] * 2], "a")))


# Agents that play roles


def test_each_agent_plays_its_role_alone(game):
    double_agent, security_agent = Watching(game), Watching(game)
    agent = RolesAgent(game, double_agent=double_agent, security_agent=security_agent)
    by_role = play_match(game, {"roles": agent}, games=10)
    assert double_agent.roles == {DOUBLE_AGENT}
    assert security_agent.roles == {SECURITY_AGENT}
    by_seat = play_match(game, {"naive": make_agent(game, "naive")}, games=10)
    assert by_role.returns.tobytes() == by_seat.returns.tobytes()
    assert by_role.plies.tobytes() == by_seat.plies.tobytes()


class Remembering(Watching):
    def initial_carry(self, n):
        return np.zeros((n, 1))


class Hasty(Watching):
    is_reproducible = False


@pytest.mark.parametrize(
    ("players", "says"),
    [
        ({**PLAYERS, "spy": "naive"}, "no role 'spy'; the roles of double_agent are security_agent, double_agent"),
        ({"double_agent": "naive"}, "who is to play security_agent\\? Every role needs an agent"),
        ({}, "who is to play security_agent and double_agent\\?"),
        ({**PLAYERS, "double_agent": "nobody"}, "no agent 'nobody' plays double_agent; there are .*naive"),
    ],
)
def test_players_that_do_not_fit_are_refused(game, players, says):
    with pytest.raises(AgentError, match=says):
        RolesAgent(game, **players)


def test_agents_with_a_memory_are_refused(game):
    with pytest.raises(AgentError, match="double_agent: an agent that has a memory"):
        RolesAgent(game, double_agent=Remembering(game), security_agent="naive")


def test_a_game_without_roles_is_refused():
    with pytest.raises(AgentError, match="confusion has no roles; name agents for its seats instead"):
        RolesAgent(kgb_env.game("confusion"), spy="random")


def test_who_cannot_be_reproduced_says_so(game):
    assert RolesAgent(game, double_agent="naive", security_agent="naive").is_reproducible
    assert not RolesAgent(game, double_agent=Hasty(game), security_agent="naive").is_reproducible


# The command


def kgb(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_roles_are_given_by_flags(tmp_path):
    told = kgb(*QUICK, *ROLES, "--json", "--out", tmp_path)
    found = json.loads(told.stdout)
    assert [row["name"] for row in found["agents"]] == ["roles(double_agent=rate(p=0.7), security_agent=naive)"]
    assert [(row["agent"], row["role"], row["games"]) for row in found["by_role"]] == [
        ("naive", "security_agent", 24),
        ("rate(p=0.7)", "double_agent", 12),
    ]
    assert list(found)[7:9] == ["by_seat", "by_role"]
    report = (tmp_path / "report.md").read_text()
    assert re.search(r"## By role\n\n\| Agent \| Role .*\n.*\n\| naive \| security_agent \| 24 \|", report)
    assert "| Draws |" not in report
    command = re.search(r"^kgb match .*$", report, re.MULTILINE)[0]
    assert "--role 'double_agent=rate(p=0.7)' --role security_agent=naive" in command


def test_the_roles_are_in_the_table():
    told = kgb(*QUICK, *ROLES).stdout
    assert re.search(r"^ ?rate\(p=0\.7\) +double_agent +12 ", told, re.MULTILINE)
    assert "Draws" not in told
    told = kgb("match", GAME, "naive", "random", "--games", 6).stdout
    assert "Draws" in told
    assert re.search(r"^ ?random +security_agent +6 ", told, re.MULTILINE)


def test_roles_are_given_by_a_configuration(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        f'game = "{GAME}"\ngames = 12\n[options]\nmax_turns = 6\n'
        '[roles]\ndouble_agent = "rate( p = 0.7 )"\nsecurity_agent = "naive"\n'
    )
    assert kgb("match", path, "--json").stdout == kgb(*QUICK, *ROLES, "--json").stdout
    found = json.loads(kgb("match", path, "--role", "double_agent=random", "--json").stdout)
    assert [row["agent"] for row in found["by_role"]] == ["naive", "random"]


def test_roles_equal_the_agent_of_that_name():
    by_role = json.loads(kgb(*QUICK, *ROLES, "--json").stdout)
    by_seat = json.loads(kgb(*QUICK, by_role["agents"][0]["name"], "--json").stdout)
    assert {**by_role, "by_role": None} == {**by_seat, "by_role": None}


def test_a_match_of_roles_is_one_agent_in_all_seats():
    config = MatchConfig.parse({"game": GAME, "roles": PLAYERS})
    game, agents = set_up(config)
    assert config.players == PLAYERS
    assert list(agents) == config.labels == ["roles(double_agent=rate(p=0.7), security_agent=naive)"]
    assert isinstance(agents[config.labels[0]], RolesAgent)
    assert len(balanced_seatings(len(agents), game.seats)) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--role spy=naive --role double_agent=naive", "there is no role 'spy'; the roles of double_agent are"),
        ("--role double_agent=naive", r"who is to play security_agent\? Every role needs an agent"),
        ("--role double_agent", "--role 'double_agent': write ROLE=AGENT, as in double_agent=naive"),
        ("--role =naive", "--role '=naive': write ROLE=AGENT"),
        ("--role spy=a --role spy=b", "--role 'spy=b': spy is played by a already"),
        ("--role double_agent=naive --role security_agent=nive", "no agent 'nive' plays double_agent, did you mean"),
        ("--role double_agent=naive --role security_agent=naive(", "agent 'naive\\(': '\\(' was never closed"),
        ("naive --role double_agent=naive", "agents and roles are both given; name either"),
    ],
)
def test_faulty_roles_are_one_clear_line(arguments, says):
    result = kgb("match", GAME, *arguments.split())
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert re.match(rf"kgb: .*{says}", line), line


@pytest.mark.parametrize("id", ["confusion", "tests.kuhn:DEFINITION"])
def test_a_game_without_roles_says_so(id):
    result = kgb("match", id, "--role", "spy=random")
    assert result.exit_code == 2
    assert result.stderr == f"kgb: {id} has no roles; name agents for its seats instead\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('agents = ["naive"]\n[roles]\ndouble_agent = "naive"', "agents and roles are both given"),
        ("", "nobody plays; name agents, or who plays each role under roles"),
        ("[roles]\ndouble_agent = 3", "roles.double_agent=3: .*string"),
        ('roles = "naive"', "roles='naive': .*dictionary"),
    ],
)
def test_faulty_roles_in_a_configuration_are_named(tmp_path, text, says):
    path = tmp_path / "faulty.toml"
    path.write_text(f'game = "{GAME}"\n{text}')
    result = kgb("match", path)
    assert result.exit_code == 2
    assert re.match(rf"kgb: .*faulty\.toml: {says}", result.stderr), result.stderr


def test_roles_are_read_from_texts():
    assert parse_roles(["a=b(c=1)", "d=e"]) == {"a": "b(c=1)", "d": "e"}
    with pytest.raises(ConfigError, match="ROLE=AGENT"):
        parse_roles(["a"])

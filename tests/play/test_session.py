"""Sessions: the same games as in matches, persons' moves, what is refused, and what is saved."""

import numpy as np
import pytest

import kgb_env
from agents import make_agent
from experiments.config import ConfigError
from experiments.match import decisions
from experiments.play.moves import grouped, legal_moves, understand
from experiments.play.session import PERSON, Session, new_seed, save_game, seat_labels, strongest_agent
from kgb_env import GameOverError, IllegalActionError, NotationError, ReplayError, loops, read_replays
from kgb_env.registry import games

SMALL = {
    "confusion-mini": {"max_turns": 8},
    "double_agent-mini": {"max_turns": 4},
    "secret_formula-mini": {"max_rounds": 4},
    "suspicious-mini": {},
}


class Rememberer:
    """Chooses by what it remembers: the number of its decisions and the sum of their seeds."""

    def __init__(self, game):
        self.game = game

    def initial_carry(self, n):
        return np.zeros((n, 2), np.uint64)

    def act(self, views, seeds, carry):
        carry = carry + np.stack([np.ones_like(seeds), seeds % np.uint64(1000)], 1)
        legal = [self.game.legal(views[i : i + 1]) for i in range(views.size)]
        chosen = [mask[int(carry[i, 0] * 7 + carry[i, 1]) % mask.size] for i, mask in enumerate(legal)]
        return np.array(chosen), carry


@pytest.fixture(params=SMALL)
def small(request):
    return kgb_env.game(request.param, **SMALL[request.param])


@pytest.mark.parametrize("make", [lambda game: make_agent(game, "random"), Rememberer], ids=["random", "with memory"])
def test_agents_alone_play_the_game_of_the_match(small, make):
    agent, seed = make(small), 11
    session = Session(small, [agent] * small.seats, ["a"] * small.seats, seed)
    assert not session.has_begun
    session.run_agents()
    *_, (states, _) = decisions(small, agent, seed)
    assert session.is_over
    assert session.mover is None
    assert session.recording.states.tobytes() == states.tobytes()
    assert session.question() is None


def test_a_move_that_is_interrupted_has_not_been_made(small, monkeypatch):
    def interrupted(*arguments):
        play_openly(*arguments)
        raise KeyboardInterrupt

    play_openly = loops.play_openly
    session = Session(small, [None] * small.seats, [PERSON] * small.seats, 3)
    before = session.replay()
    monkeypatch.setattr(loops, "play_openly", interrupted)
    with pytest.raises(KeyboardInterrupt):
        session.play(small.legal(session.recording.states)[0])
    assert session.replay() == before
    assert not session.has_begun
    assert list(session.replay().positions())


def test_a_person_moves_when_it_is_his_turn(small):
    session = Session(small, [None, *[make_agent(small, "random")] * (small.seats - 1)], ["x"] * small.seats, 3)
    while not session.is_over:
        session.run_agents()
        if session.is_over:
            break
        assert session.mover == 0
        with pytest.raises(GameOverError, match="seat 0's turn"):
            session.move(1, "whatever")
        before = session.recording.states.tobytes()
        with pytest.raises(NotationError):
            session.move(0, "no such move")
        assert session.recording.states.tobytes() == before
        session.move(0, legal_moves(small, session.view(0))[-1].text)
    with pytest.raises(GameOverError, match="over"):
        session.move(0, "whatever")


def test_illegal_moves_are_explained_from_what_the_seat_sees():
    game = kgb_env.game("double_agent-mini")
    session = Session(game, [None] * 3, [PERSON] * 3, 5)
    seat, before = session.mover, session.recording.states.tobytes()
    with pytest.raises(IllegalActionError, match=f"accuse .* is illegal for seat {seat}; legal are"):
        session.move(seat, f"accuse {(seat + 1) % 3}")
    assert session.recording.states.tobytes() == before


def test_understanding(small):
    session = Session(small, [None] * small.seats, [PERSON] * small.seats, 4)
    for _ in range(6):
        view = session.view(session.mover)
        moves = legal_moves(small, view)
        assert sum(map(len, grouped(moves).values())) == len(moves)
        for move in moves[:20]:
            assert understand(small, view, f"  {move.text} ") == move.action
        rests = [move.rest for move in moves]
        alone = next((move for move in moves if move.rest and rests.count(move.rest) == 1), None)
        if alone and alone.rest not in [move.text for move in moves]:
            assert understand(small, view, alone.rest) == alone.action
        session.play(moves[0].action)


def test_beginnings_are_understood_only_where_they_may_be():
    game = kgb_env.game("suspicious-mini", director="player")
    session = Session(game, [None] * 4, [PERSON] * 4, 4)
    view = session.view(session.mover)
    texts = [move.text for move in legal_moves(game, view)]
    assert understand(game, view, texts[0][:-1] + texts[0][-1:], may_shorten=True) is not None
    with pytest.raises(NotationError, match="may be 'name"):
        understand(game, view, "na", may_shorten=True)
    with pytest.raises(NotationError, match="no action"):
        understand(game, view, "na")
    with pytest.raises(NotationError):
        understand(game, view, "", may_shorten=True)


def test_what_is_refused():
    game = kgb_env.game("confusion-mini")
    with pytest.raises(ConfigError, match="auto_answer"):
        Session(kgb_env.game("confusion", auto_answer=True), [None, None], ["a", "b"], 1)
    with pytest.raises(ConfigError, match="1 players"):
        Session(game, [None], ["a", "b"], 1)
    with pytest.raises(kgb_env.SeedError):
        Session(game, [None, None], ["a", "b"], -1)


def test_who_has_the_other_seats():
    game = kgb_env.game("double_agent-mini")
    assert seat_labels(game, 1, []) == ["expert", None, "expert"]
    assert seat_labels(game, 0, ["naive", "random"]) == [None, "naive", "random"]
    with pytest.raises(ConfigError, match="seats of double_agent are 0 to 2"):
        seat_labels(game, 3, [])
    with pytest.raises(ConfigError, match="3 agents for 2 other seats"):
        seat_labels(game, 0, ["naive"] * 3)
    assert {info.id: strongest_agent(info.id) for info in games()} == {
        "confusion": "inference",
        "double_agent": "expert",
        "secret_formula": "expert",
        "suspicious": "expert",
    }
    assert new_seed() != new_seed()


def test_games_are_saved_over_or_not(tmp_path, small):
    agents = [make_agent(small, "random")] * small.seats
    session = Session(small, agents, ["random"] * small.seats, 2)
    session.play(session.think(session.question()))
    save_game(session, tmp_path / "deep" / "games.jsonl", "no more time")
    session.run_agents()
    save_game(session, tmp_path / "deep" / "games.jsonl")
    broken, whole = read_replays(tmp_path / "deep" / "games.jsonl")
    assert broken.returns is None
    assert broken.reason == "no more time"
    assert whole.agents == ("random",) * small.seats
    *_, last = whole.positions()
    assert last.states["over"][0]
    assert small.returns(last.states).tolist() == [list(whole.returns)]
    (tmp_path / "file").write_text("")
    with pytest.raises(ReplayError, match="cannot be made"):
        save_game(session, tmp_path / "file" / "games.jsonl")

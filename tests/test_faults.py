"""Kinds of fault that users of similar projects have reported, and where we show that we are free of them.

Secrets: 1 hidden by phase instead of by owner, determinizations that are the truth (test_leaks, check_game);
2 a mask for the seat that is not to move (test_aec, test_leaks); 3 tensors that shift with hidden moves (here);
4 one channel forgotten (test_leaks); 5 that somebody acted shows who may act (here); 6 planning with true luck (here).
Observations: 7 different situations encoded alike (here); 8 everybody gets the first seat's observation (here);
9 tables that differ from the vector (here, test_docs); 10 a live seat without a legal action, 11 mask against engine
(check_game); 12 looking changes something (test_aec); 13 no room for the longest game (here).
Rewards: 14, 15 a final reward lost or given twice (check_game); 16, 18 termination and truncation, 19 the end
(test_aec); 17 the seat after an eliminated one skipped (here, double_agent/test_rulings_turns D9).
Copies and seeds: 20, 22 copies in mid-game (test_aec, check_game); 21 other processes (test_processes).
Matches: 24, 25 results that depend on the order of listing or on the seat (test_match).
"""

import numpy as np
import pytest

import kgb_env
from agents import make_agent
from kgb_env import CHANCE, KGBEnv, RecordError, game, kernels
from kgb_env.games.confusion import spec
from kgb_env.games.confusion.spec import DOUBLE_AGENT
from tests import kuhn
from tests.random_play import random_states

pytestmark = pytest.mark.nojit


def test_3_pieces_of_an_observation_stay_in_place(any_game):
    """Whatever happens, one layout decodes every observation, and its own side's hidden entries are the same."""
    sizes = set()
    for k, states in enumerate(random_states(any_game)):
        if k % 10 == 0:
            for seat in range(any_game.seats):
                pieces = any_game.observation.split(any_game.encode(any_game.view(states, seat)).observation)
                sizes.add(tuple(piece.shape for piece in pieces.values()))
    assert sizes == {tuple((1, *field.shape) for field in any_game.observation.fields)}


def test_5_an_automatic_answer_looks_like_a_double_agents():
    """With auto_answer the proposer sees the same whether the opponent had to answer or not."""
    confusion = game("confusion", auto_answer=True)
    states = confusion.start(11)
    action = confusion.notation.parse_action(confusion, states, "L F1")
    spy = spec.LETTERS.index("L")
    views = []
    for piece in (0, DOUBLE_AGENT):  # a Runner, who may go forward, and a Double Agent whose master says yes
        world = states.copy()
        other = int(np.flatnonzero(world["piece"][0, 0] == piece)[0])
        world["piece"][0, 0, other] = world["piece"][0, 0, spy]
        world["piece"][0, 0, spy] = piece
        confusion.play(world, action)
        asked = bool(world["phase"][0] == spec.ANSWER)
        assert asked == (piece == DOUBLE_AGENT)
        if asked:
            confusion.play(world, spec.YES)
        assert confusion.legal(world).size
        confusion.play(world, int(confusion.legal(world)[0]))
        while world["to_move"][0] != 0 or world["phase"][0] == spec.ANSWER:
            confusion.play(world, int(confusion.legal(world)[0]))
        views.append(confusion.view(world, 0).tobytes())
    assert views[0] == views[1]


def test_5_those_who_should_know_do():
    """Each seat sees the other's Double Agent, in the view and in the observation."""
    confusion = game("confusion")
    states = confusion.start(3)
    for seat in (0, 1):
        view = confusion.view(states, seat)
        assert (view["piece"][0, 1 - seat] == states["piece"][0, 1 - seat]).all()
        pieces = confusion.observation.split(confusion.encode(view).observation)["piece"][0]
        assert (pieces[1].argmax(axis=1) == states["piece"][0, 1 - seat]).all()
        assert not pieces[0].any()


def test_6_views_hold_no_luck_and_cannot_be_played(any_game):
    states = any_game.start(5)
    view = any_game.view(states, int(states["to_move"][0]))
    waiting = (int(states["to_move"][0]) + 1) % any_game.seats
    assert states["rng"][0] != 0
    assert view["rng"][0] == 0
    oracle = any_game.oracle(states, 0)
    assert oracle["rng"][0] == 0
    for refused in (
        lambda: any_game.play(view, 0),
        lambda: any_game.play(oracle, 0),
        lambda: any_game.view(view, 0),
        lambda: any_game.oracle(view, 0),
        lambda: any_game.determinize(states, np.zeros(1, np.uint64)),
        lambda: any_game.determinize(oracle, np.zeros(1, np.uint64)),
        lambda: any_game.determinize(any_game.new(), np.zeros(1, np.uint64)),
        lambda: any_game.encode(states),
        lambda: make_agent(any_game, "random").act(states, np.zeros(1, np.uint64)),
        lambda: make_agent(any_game, "random").act(oracle, np.zeros(1, np.uint64)),
        lambda: make_agent(any_game, "random").act(np.zeros(1, kuhn.NOTHING), np.zeros(1, np.uint64)),
        lambda: make_agent(any_game, "random").act(any_game.view(states, waiting), np.zeros(1, np.uint64)),
    ):
        with pytest.raises(RecordError):
            refused()


def test_7_twelve_information_sets_have_twelve_observations():
    poker = game(kuhn.ID)
    seen = {}
    stack = [poker.begin()]
    while stack:
        states = stack.pop()
        seat = int(states["to_move"][0])
        if seat >= 0:
            frame = poker.encode(poker.view(states, seat))
            seen.setdefault(frame.observation.tobytes(), set()).add(frame.views.tobytes())
        weights = poker.weights() if seat == CHANCE else np.ones(poker.actions.size, np.int64)
        if seat == CHANCE:
            kernels.chance(states[0], weights, poker.tables[0])
        for action in np.flatnonzero(weights) if not states["over"][0] else ():
            after = states.copy()
            kernels.step(after[0], int(action), poker.tables[0])
            stack.append(after)
    assert len(seen) == 12
    assert all(len(views) == 1 for views in seen.values())


def test_7_every_turn_and_phase_is_encoded_differently(confusion):
    seen = {}
    for states in random_states(confusion):
        if not states["over"][0]:
            seat = int(states["to_move"][0])
            key = (int(states["turn"][0]), int(states["phase"][0]), int(states["used_extra"][0]))
            observation = confusion.encode(confusion.view(states, seat)).observation.tobytes()
            assert seen.setdefault(observation, key) == key


def test_7_every_turn_and_phase_of_the_double_agent_is_encoded_differently(any_double_agent):
    """The same cells and throws in another round, or by another seat's turn, are another observation."""
    seen = {}
    for states in random_states(any_double_agent, 3):
        if not states["over"][0]:
            seat = int(states["to_move"][0])
            key = (int(states["turn"][0]), int(states["phase"][0]), seat)
            observation = any_double_agent.encode(any_double_agent.view(states, seat)).observation.tobytes()
            assert seen.setdefault((seat, observation), key) == key


def test_8_each_seat_gets_its_own_observation(confusion):
    env = KGBEnv(confusion)
    env.reset(seed=8)
    one, two = (env.observe(agent) for agent in env.possible_agents)
    assert (one["observation"] != two["observation"]).any()
    pieces = [confusion.observation.split(seen["observation"])["piece"] for seen in (one, two)]
    states = env._states
    for seat in (0, 1):
        assert (pieces[seat][1].argmax(axis=1) == states["piece"][0, 1 - seat]).all()


def test_9_named_entries_are_where_the_layout_says(confusion):
    """Decode a position by the layout alone and find the board again, from both sides."""
    for states in list(random_states(confusion, 4))[100:140:13]:
        for seat in (0, 1):
            pieces = confusion.observation.split(confusion.encode(confusion.view(states, seat)).observation[0])
            for side in (0, 1):
                owner = seat ^ side
                for spy in range(spec.SPIES):
                    cell = int(states["cell"][0, owner, spy])
                    assert pieces["in_play"][side, spy] == (cell >= 0)
                    if cell < 0:
                        assert not pieces["row"][side, spy].any()
                        continue
                    row, column = divmod(cell if seat == 0 else spec.CELLS - 1 - cell, spec.COLUMNS)
                    assert pieces["row"][side, spy].argmax() == row
                    assert pieces["column"][side, spy].argmax() == column
                    assert pieces["planes"][side, row, column]
            assert pieces["planes"][0].sum() == states["in_play"][0, seat]
            assert pieces["planes"][1].sum() == states["in_play"][0, 1 - seat]
            assert pieces["planes"][2].sum() == 1
            left = 2 * int(states["max_turns"][0]) - int(states["turn"][0])
            assert (pieces["turns_left"] << np.arange(spec.TURN_BITS)).sum() == left


def test_13_the_longest_game_has_room():
    """Two hundred turns a seat, a removal whenever possible, and no answer but no."""
    confusion = game("confusion")
    states = confusion.start(1)
    plies = 0
    while not states["over"][0]:
        legal = confusion.legal(states)
        removals = legal[(legal >= spec.OUT) & (legal <= spec.EXPOSE)]
        seat = int(states["to_move"][0])
        if removals.size and states["in_play"][0, seat] > 1 and states["in_play"][0].min() > 1:
            choice = removals[0]
        elif states["phase"][0] == spec.ANSWER:
            choice = legal[0]
        else:
            choice = next(a for a in legal if a < spec.NO or a == spec.SKIP)
        confusion.play(states, int(choice))
        plies += 1
    assert states["turn"][0] == 400
    assert 400 < states["events"][0] <= spec.EVENTS
    assert plies <= confusion.max_plies
    assert (states["log"][0, states["events"][0] :] == 0).all()


def test_13_no_game_can_log_more_events_than_there_is_room():
    """Each turn is one entry; each spy is removed at most once, each Double Agent exposed at most once."""
    assert spec.EVENTS >= spec.SEATS * (spec.MAX_TURNS + spec.SPIES) + spec.SEATS
    assert max(spec.EVENTS, 2 * spec.MAX_TURNS) < np.iinfo(np.int16).max
    assert spec.ACTIONS.size <= spec.ACTION_BITS
    assert spec.STATE.itemsize <= 4096


def test_17_eliminated_seats_stay_are_never_selected_and_get_their_reward_at_the_end(any_double_agent):
    """Everybody accuses whom he can: most games lose a seat before they end."""
    env, rng, eliminated = KGBEnv(any_double_agent), np.random.default_rng(17), 0
    accusations = any_double_agent.actions.accuse
    for seed in range(12):
        env.reset(seed=seed)
        while env.outcome is None:
            out = env._states["out"][0]
            assert env.agents == env.possible_agents
            assert not out[env.possible_agents.index(env.agent_selection)]
            for seat in np.flatnonzero(out):
                seen = env.observe(env.possible_agents[seat])
                assert not seen["action_mask"].any()
                assert env.rewards[env.possible_agents[seat]] == 0
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            rash = legal[(legal >= accusations.start) & (legal < accusations.stop)]
            env.step(int(rng.choice(rash if rash.size else legal)))
        final = dict(zip(env.possible_agents, env.outcome.returns, strict=True))
        eliminated += int(env._states["out"][0].sum())
        got = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            got[agent] += env.last()[1]
            env.step(None)
        assert got == final
    assert eliminated > 4


def test_views_are_small_enough_for_many(confusion):
    batch = kgb_env.make_batch("confusion", 64, seed=0)
    arrays = (batch.states, batch.final_states, *batch.frame)
    assert sum(array.nbytes for array in arrays) / 64 * 8192 < 1e9 / 4


def test_records_of_other_options_are_refused(confusion):
    """All options of a game share one dtype; each record knows its game."""
    mini = game("confusion-mini")
    states, view = mini.start(1), mini.view(mini.start(1), 0)
    for refused in (
        lambda: confusion.play(states, 0),
        lambda: confusion.view(states, 0),
        lambda: confusion.legal(states),
        lambda: confusion.encode(view),
        lambda: confusion.determinize(view, np.zeros(1, np.uint64)),
        lambda: make_agent(confusion, "greedy").act(view, np.zeros(1, np.uint64)),
    ):
        with pytest.raises(RecordError, match="other options"):
            refused()


def test_legal_asks_for_the_view_of_the_seat_to_move(confusion):
    states = confusion.start(1)
    assert (confusion.legal(confusion.view(states, 0)) == confusion.legal(states)).all()
    for view in (confusion.view(states, 1), confusion.view(states, kgb_env.PUBLIC), confusion.new()):
        with pytest.raises(RecordError):
            confusion.legal(view)


def test_seeds_and_seats_are_checked(any_game):
    states = any_game.start(np.arange(3))
    views = any_game.view(states, states["to_move"])
    agent = make_agent(any_game, "random")
    for refused in (
        lambda: any_game.start(1.7),
        lambda: any_game.start(-1),
        lambda: any_game.start(np.zeros((2, 2), np.uint64)),
        lambda: any_game.determinize(views[:1], np.array([-1])),
        lambda: any_game.determinize(views[:1], np.array([0.5])),
        lambda: agent.act(views, np.zeros(2, np.uint64)),
        lambda: agent.act(views, np.zeros(3)),
        lambda: kgb_env.derive_seed(1.5, 0, 0),
        lambda: kgb_env.derive_seed(0, -1, 0),
        lambda: kgb_env.derive_seed(0, 0, True),
    ):
        with pytest.raises(kgb_env.SeedError):
            refused()
    for refused in (
        lambda: any_game.view(states, 1.9),
        lambda: any_game.view(states, [0, 1]),
        lambda: any_game.view(states, 9),
    ):
        with pytest.raises(ValueError, match="seat"):
            refused()
    for several in (views, views[:0]):
        with pytest.raises(RecordError, match="one view"):
            any_game.determinize(several, np.zeros(1, np.uint64))
    choices = [agent.act(views, np.arange(3, dtype=kind))[0].tolist() for kind in (np.int64, np.uint64, np.int8)]
    assert choices[0] == choices[1] == choices[2]

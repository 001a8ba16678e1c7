"""The batched environment, beyond what the contract test checks."""

import copy
import pickle

import numpy as np
import pytest

import kgb_env
from kgb_env import BatchEnv, IllegalActionError, KGBEnv, OptionError, SeedError
from kgb_env.record import ILLEGAL, NOBODY, UNKNOWN

pytestmark = pytest.mark.nojit


def first_actions(batch):
    return batch.frame.action_mask.argmax(axis=1)


def test_an_illegal_action_anywhere_changes_nothing(any_game):
    batch = BatchEnv(any_game, 3, seed=1)
    before, episodes = batch.states.tobytes(), batch.episodes.copy()
    for bad in (any_game.actions.size, -1, 10**12):
        actions = first_actions(batch)
        actions[2] = bad
        with pytest.raises(IllegalActionError, match="game 2: no action"):
            batch.step(actions)
    for wrong in (np.zeros(2, int), np.zeros(3), [[0], [0], [0]]):
        with pytest.raises(IllegalActionError, match="expected 3 integer"):
            batch.step(wrong)
    assert batch.states.tobytes() == before
    assert (batch.episodes == episodes).all()
    batch.step(first_actions(batch))


@pytest.mark.parametrize(("illegal", "loss"), [("terminate", 0.0), ("penalty", 3.0)])
def test_an_illegal_action_ends_only_its_game(any_game, illegal, loss):
    batch = BatchEnv(any_game, 3, seed=1, illegal=illegal, penalty=3.0)
    offender = int(batch.to_move[1])
    actions = first_actions(batch)
    actions[1] = -1
    result = batch.step(actions)
    assert result.terminated.tolist() == [False, True, False]
    assert not result.truncated.any()
    expected = np.zeros((3, any_game.seats))
    expected[1, offender] = -loss
    assert (result.rewards == expected).all()
    assert batch.episodes.tolist() == [0, 1, 0]
    assert batch.final_states["reason"][1] == ILLEGAL


def test_masks_that_a_caller_has_spoilt_do_not_count(any_game):
    batch = BatchEnv(any_game, 2, seed=1)
    batch.frame.action_mask[:] = 1
    with pytest.raises(IllegalActionError):
        batch.step(np.full(2, any_game.actions.size))


def test_what_a_caller_keeps_never_changes(any_game):
    batch = BatchEnv(any_game, 4, seed=2)
    kept, copies = [], []
    for k in range(12):
        frame = batch.step(first_actions(batch)).frame
        keep = (frame, frame.observation[1:3], frame.views[:1], frame.action_mask.T)[k % 4]
        arrays = list(keep) if k % 4 == 0 else [keep]
        kept.append(arrays)
        copies.append([array.copy() for array in arrays])
        del frame, keep, arrays
    for arrays, saved in zip(kept, copies, strict=True):
        assert all((a == b).all() for a, b in zip(arrays, saved, strict=True))


def test_memory_is_used_again_when_nobody_holds_it(any_game):
    batch = BatchEnv(any_game, 4, seed=2)
    places = set()
    for _ in range(20):
        places.add(batch.step(first_actions(batch)).frame.observation.ctypes.data)
    assert len(places) <= 3


def test_final_states_are_the_last_states():
    batch = kgb_env.make_batch("confusion", 3, seed=0, max_turns=1)
    assert (batch.final_states["viewer"] == UNKNOWN).all()
    ended = np.zeros(3, bool)
    while not ended.all():
        result = batch.step(first_actions(batch))
        for i in np.flatnonzero(result.truncated | result.terminated):
            final = batch.final_states[i]
            assert final.over
            assert final.viewer == NOBODY
            assert final.turn == 2
            ended[i] = True
    assert result.truncated.any()


def test_rows_are_views_of_the_seats_to_move(any_game):
    batch = BatchEnv(any_game, 5, seed=3)
    for _ in range(10):
        views = batch.frame.views
        assert (views["viewer"] == batch.to_move).all()
        assert (views["viewer"] == views["to_move"]).all()
        batch.step(first_actions(batch))


def test_reset_starts_anew(any_game):
    batch = BatchEnv(any_game, 3, seed=4)
    start = batch.states.tobytes()
    batch.step(first_actions(batch))
    batch.reset(seed=4)
    assert batch.states.tobytes() == start
    batch.reset(seed=5)
    assert batch.states.tobytes() != start


def test_bad_arguments_are_refused(any_game):
    for num_envs in (0, -1, 2.0, True):
        with pytest.raises(OptionError, match="num_envs"):
            BatchEnv(any_game, num_envs)
    with pytest.raises(SeedError):
        BatchEnv(any_game, 1, seed=-1)
    with pytest.raises(ValueError, match="illegal"):
        BatchEnv(any_game, 1, illegal="ignore")


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_what_a_caller_keeps_never_changes_after_a_pickle(any_game, protocol):
    """Arrays from a pickle may not own their memory, so references to them are not seen."""
    batch = pickle.loads(pickle.dumps(BatchEnv(any_game, 4, seed=2), protocol))
    for _ in range(20):
        kept = batch.frame.observation[1:3]
        before = kept.copy()
        for _ in range(3):
            batch.step(first_actions(batch))
        assert (kept == before).all()


def test_a_copy_goes_on_alike(any_game):
    batch = BatchEnv(any_game, 3, seed=5)
    batch.step(first_actions(batch))
    for make_copy in (copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch, 5))):
        other = make_copy(batch)
        for _ in range(3):
            one, two = batch.step(first_actions(batch)), other.step(first_actions(other))
            assert (one.rewards == two.rewards).all()
            assert all(a.tobytes() == b.tobytes() for a, b in zip(one.frame, two.frame, strict=True))
        assert batch.states.tobytes() == other.states.tobytes()


def test_states_handed_out_are_copies(any_game):
    batch = BatchEnv(any_game, 2, seed=1)
    before = batch.states.tobytes()
    batch.states["returns"] = 5
    batch.final_states["returns"] = 5
    batch.episodes[:] = 7
    assert batch.states.tobytes() == before
    assert not batch.final_states["returns"].any()
    assert not batch.episodes.any()


def test_a_reset_without_a_seed_plays_the_next_episodes(any_game):
    batch = BatchEnv(any_game, 2, seed=7)
    batch.reset()
    env = KGBEnv(any_game, env_index=1)
    env.reset(seed=7)
    env.reset()
    assert batch.episodes.tolist() == [1, 1]
    assert batch.states[1] == env._states[0]

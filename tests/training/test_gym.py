"""Gymnasium environments: the checkers, registration, masks, and vectors that play as their rows do alone."""

import pickle
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from stable_baselines3.common.env_checker import check_env as sb3_check_env

import kgb_env
from kgb_env import GameOverError, IllegalActionError, OptionError

GAMES = ["confusion-mini", "double_agent-mini", "secret_formula-mini", "suspicious-mini"]


@pytest.mark.parametrize("observation", ["dict", "vector"])
@pytest.mark.parametrize("id", GAMES)
def test_the_checkers_are_content(id, observation):
    env = gymnasium.make(f"kgb/{id}-v0", observation=observation, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
        sb3_check_env(env.unwrapped)


@pytest.mark.parametrize("id", GAMES)
def test_episodes_from_the_first_reset_to_the_end(id):
    env = kgb_env.make_gym(id, opponents="random", oracle=True)
    for episode in range(5):
        seen, info = env.reset(seed=4) if episode == 0 else env.reset()
        assert env.observation_space.contains(seen)
        done = False
        while not done:
            assert np.array_equal(env.action_masks(), info["action_mask"])
            assert info["reason"] == 0
            assert (seen["observation"] == seen["oracle"] * seen["observation_mask"]).all()
            seen, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
            done = terminated or truncated
        assert env.observation_space.contains(seen)
        assert info["reason"] > 0
        assert not env.action_masks().any()
        with pytest.raises(GameOverError, match="call reset"):
            env.step(0)


def test_before_the_first_reset_nothing_can_be_done():
    with pytest.raises(GameOverError, match="call reset"):
        kgb_env.make_gym("confusion-mini").step(0)


def test_arguments_that_are_wrong():
    for arguments, error in (
        ({"observation": "planes"}, OptionError),
        ({"observation": "vector", "oracle": True}, OptionError),
        ({"opponents": "gredy"}, kgb_env.KGBError),
        ({"render_mode": "video"}, ValueError),
        ({"seat": 2}, OptionError),
        ({"max_turnz": 3}, OptionError),
    ):
        with pytest.raises(error):
            kgb_env.make_gym("confusion-mini", **arguments)
    env = kgb_env.make_gym("confusion-mini", illegal="raise")
    env.reset(seed=1)
    with pytest.raises(IllegalActionError):
        env.step(int(env.action_masks().argmin()))
    with pytest.raises(IllegalActionError):
        env.step(1.5)


def test_it_draws_what_the_learner_sees():
    env = kgb_env.make_gym("confusion-mini", seat=1, render_mode="ansi")
    env.reset(seed=3)
    drawn = env.render()
    assert drawn == env.game.notation.draw(env.game, env.game.view(env._batch.states, 1))
    assert kgb_env.make_gym("confusion-mini").render() is None


@pytest.mark.parametrize("observation", ["dict", "vector"])
@pytest.mark.parametrize("id", GAMES)
def test_the_vector_plays_as_gymnasiums_own_of_its_rows(id, observation):
    arguments = {"opponents": ["random", "random"], "observation": observation}
    ours = kgb_env.make_gym_vec(id, 4, **arguments)
    rows = [lambda i=i: kgb_env.make_gym(id, env_index=i, **arguments) for i in range(4)]
    theirs = SyncVectorEnv(rows, autoreset_mode=AutoresetMode.SAME_STEP)
    same(ours.reset(seed=9), theirs.reset(seed=[9] * 4))
    rng, ended = np.random.default_rng(0), 0
    for _ in range(60):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in ours.action_masks()])
        result = ours.step(actions)
        same(result, theirs.step(actions))
        ended += result[2].sum() + result[3].sum()
    assert ended > 0
    assert ours.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space


def same(one, other):
    """Compare nested results of two environments."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            same(one[key], other[key])
    elif isinstance(one, tuple) or (isinstance(one, np.ndarray) and one.dtype == object):
        for left, right in zip(one, other, strict=True):
            same(left, right)
    else:
        assert np.array_equal(one, other), (one, other)


def test_a_vector_is_made_by_gymnasium_too_and_counted_by_its_wrappers():
    envs = gymnasium.make_vec("kgb/confusion-mini-v0", num_envs=3, opponents="greedy")
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    envs.reset(seed=1)
    lengths = []
    for _ in range(200):
        _, _, _, _, infos = envs.step(envs.unwrapped.action_masks().argmax(axis=1))
        if "episode" in infos:
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
    assert lengths
    assert min(lengths) > 0
    with pytest.raises(ValueError, match="give one integer"):
        envs.unwrapped.reset(seed=[1, 2, 3])


def test_without_a_seed_two_environments_differ():
    one, other = kgb_env.make_gym("confusion"), kgb_env.make_gym("confusion")
    drawn = [env.reset()[0]["observation"].tolist() for env in (one, other) for _ in range(3)]
    assert len({tuple(seen) for seen in drawn}) > 1


def test_it_pickles_in_mid_game():
    env = kgb_env.make_gym("secret_formula-mini", opponents="collector")
    env.reset(seed=2)
    env.step(int(env.action_masks().argmax()))
    other = pickle.loads(pickle.dumps(env))
    for _ in range(10):
        action = int(env.action_masks().argmax())
        same(env.step(action), other.step(action))
        if env._is_over:
            break


def test_the_environments_need_no_torch():
    code = "import sys, kgb_env; kgb_env.make_gym('confusion-mini').reset(); print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"

"""The vector environment of Stable-Baselines3."""

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

import kgb_env
from experiments.training.vec_env import SB3VecEnv

GAMES = ["confusion-mini", "double_agent-mini", "secret_formula-mini", "suspicious-mini"]


@pytest.mark.parametrize("id", GAMES)
def test_it_steps_as_the_vector_does(id):
    plain, envs = kgb_env.make_gym_vec(id, 6), SB3VecEnv(kgb_env.make_gym_vec(id, 6))
    envs.seed(5)
    seen, (expected, _) = envs.reset(), plain.reset(seed=5)
    assert all(np.array_equal(seen[key], expected[key]) for key in expected)
    returns, ended = np.zeros(6), 0
    for _ in range(60):
        masks = get_action_masks(envs)
        assert np.array_equal(masks, plain.action_masks())
        actions = masks.argmax(axis=1)
        seen, rewards, dones, infos = envs.step(actions)
        expected, gained, terminated, truncated, told = plain.step(actions)
        assert all(np.array_equal(seen[key], expected[key]) for key in expected)
        assert np.array_equal(dones, terminated | truncated)
        returns += gained
        for row in range(6):
            assert bool(infos[row]) == dones[row]
            if dones[row]:
                ended += 1
                assert infos[row]["episode"]["r"] == pytest.approx(returns[row])
                assert infos[row]["TimeLimit.truncated"] == truncated[row]
                last = infos[row]["terminal_observation"]
                assert all(np.array_equal(last[key], told["final_obs"][row][key]) for key in last)
        returns[dones] = 0
        assert rewards.dtype == np.float32
    assert ended


def test_methods_and_attributes():
    envs = SB3VecEnv(kgb_env.make_gym_vec("confusion-mini", 4))
    envs.reset()
    assert is_masking_supported(envs)
    assert len(envs.env_method("action_masks", indices=[1, 3])) == 2
    assert envs.get_attr("num_envs") == [4] * 4
    assert envs.env_is_wrapped(VecMonitor, 2) == [False]
    envs.env_method("set_opponents", "greedy")
    assert type(envs.envs.batch.players[0]).__name__ == "GreedyAgent"


def test_maskable_ppo_takes_it():
    """A tiny run of a real learner, with masks, the same twice."""

    def train():
        envs = SB3VecEnv(kgb_env.make_gym_vec("confusion-mini", 8))
        model = MaskablePPO("MultiInputPolicy", envs, n_steps=16, batch_size=64, n_epochs=1, seed=3, device="cpu")
        model.learn(256)
        return np.concatenate([value.numpy().ravel() for value in model.policy.state_dict().values()])

    assert np.array_equal(train(), train())


@pytest.mark.parametrize("bootstraps", [True, False])
def test_a_game_that_its_limit_cuts_off_is_bootstrapped_only_if_asked_for(bootstraps):
    """Else nothing tells MaskablePPO, which adds the critic's opinion where an info says so, that it was cut off."""
    envs = SB3VecEnv(kgb_env.make_gym_vec("confusion-mini", 4, max_turns=2), bootstrap_truncated=bootstraps)
    envs.reset()
    found = []
    for _ in range(40):
        masks = np.stack(envs.env_method("action_masks"))
        _, _, dones, infos = envs.step(masks.argmax(axis=1))
        found += [info["TimeLimit.truncated"] for info, done in zip(infos, dones, strict=True) if done]
    assert len(found) > 10
    assert any(found) == bootstraps

"""Models of Stable-Baselines3 as agents: what they play is what they were trained to, in any batch."""

import json

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO

import kgb_env
from agents import AgentError, make_agent
from agents.names import is_from_outside
from agents.sb3 import PolicyAgent, load_policy
from experiments.config import MatchConfig
from experiments.match import play_match, set_up
from experiments.tournament.plan import Plan
from experiments.tournament.run import run
from experiments.training.vec_env import SB3VecEnv
from kgb_env import LearnerBatch

ID = "confusion-mini"
GAME = kgb_env.game(ID)
SMALL = {"n_steps": 16, "batch_size": 64, "n_epochs": 1, "seed": 3, "device": "cpu"}
SEEDS = np.arange(200, dtype=np.uint64)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Return the files of a few models, hardly trained."""
    folder = tmp_path_factory.mktemp("models")
    plain, vector = (SB3VecEnv(kgb_env.make_gym_vec(ID, 8, observation=form)) for form in ("dict", "vector"))
    oracle = SB3VecEnv(kgb_env.make_gym_vec(ID, 8, oracle=True))
    made = {
        "masked": MaskablePPO("MultiInputPolicy", plain, **SMALL).learn(256),
        "plain": PPO("MlpPolicy", vector, policy_kwargs={"net_arch": [32]}, **SMALL),
        "oracle": MaskablePPO("MultiInputPolicy", oracle, **SMALL),
        "values": DQN("MlpPolicy", kgb_env.make_gym(ID, observation="vector"), buffer_size=10),
    }
    for name, model in made.items():
        model.save(folder / f"{name}.zip")
    return folder, made


def views(n=200):
    """Return views of seats to move from the middle of games."""
    batch = LearnerBatch(GAME, n, seed=1)
    for _ in range(3):
        batch.step(batch.frame.action_mask.argmax(axis=1))
    return batch.frame.views.copy(), batch.frame


def test_its_probabilities_are_those_of_the_model(models):
    folder, made = models
    seen, frame = views()
    agent = make_agent(GAME, f"sb3:{folder}/masked.zip")
    found = agent._probabilities(GAME.encode(seen))
    observations = {
        "observation": torch.as_tensor(frame.observation),
        "observation_mask": torch.as_tensor(frame.observation_mask),
    }
    with torch.no_grad():
        expected = made["masked"].policy.get_distribution(observations, action_masks=frame.action_mask)
    assert found == pytest.approx(expected.distribution.probs.numpy(), abs=1e-5)


@pytest.mark.parametrize("name", ["masked", "plain"])
def test_choices_are_legal_drawn_from_seeds_and_the_same_in_any_batch(models, name):
    seen, frame = views()
    agent = make_agent(GAME, f"sb3:{models[0]}/{name}.zip")
    actions, _ = agent.act(seen, SEEDS)
    assert frame.action_mask[np.arange(200), actions].all()
    alone = [agent.act(seen[i : i + 1], SEEDS[i : i + 1])[0][0] for i in range(200)]
    assert actions.tolist() == alone
    assert actions.tolist() != agent.act(seen, SEEDS + np.uint64(1000))[0].tolist()


def test_draws_have_the_probabilities(models):
    seen, _ = views(1)
    agent = make_agent(GAME, f"sb3:{models[0]}/masked.zip")
    many = np.repeat(seen, 20_000)
    actions, _ = agent.act(many, np.arange(20_000, dtype=np.uint64))
    found = np.bincount(actions, minlength=GAME.actions.size) / 20_000
    assert np.abs(found - agent._probabilities(GAME.encode(seen))[0]).max() < 0.02
    best, _ = make_agent(GAME, f"sb3:{models[0]}/masked.zip", choice="best").act(seen, SEEDS[:1])
    assert best[0] == agent._probabilities(GAME.encode(seen))[0].argmax()


def test_it_plays_matches_and_tournaments(models, tmp_path):
    name = f"sb3:{models[0]}/masked.zip"
    assert is_from_outside("confusion", name)
    game, agents = set_up(MatchConfig(game=ID, agents=[name, "random"]))
    assert play_match(game, agents, 20).games == 20
    plan = Plan.parse({"events": [{"game": ID, "agents": [name, "random"], "games": 100}]})
    for workers in (1, 2):
        run(plan, tmp_path / str(workers), workers, None)
    one, two = ((tmp_path / str(workers) / "summary.json").read_bytes() for workers in (1, 2))
    assert one == two
    (event,) = json.loads(one)["events"]
    assert (event["forfeits"], event["not_reproducible"]) == (0, [])


def test_it_can_be_an_opponent(models):
    batch = LearnerBatch(GAME, 20, opponents=f"sb3:{models[0]}/plain.zip")
    for _ in range(5):
        batch.step(batch.frame.action_mask.argmax(axis=1))


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("nothing.zip", "there is no file"),
        ("values.zip", "gives no probabilities"),
        ("oracle.zip", "its actor, not only its critic, reads 'oracle'"),
        ("text.zip", "is no model that Stable-Baselines3 has saved"),
    ],
)
def test_what_does_not_fit_is_refused(models, name, fault):
    (models[0] / "text.zip").write_text("no model")
    with pytest.raises(AgentError, match=fault):
        make_agent(GAME, f"sb3:{models[0]}/{name}")


def test_probabilities_that_are_no_numbers_are_noticed(models):
    policy, form = load_policy(GAME, models[0] / "masked.zip")
    with torch.no_grad():
        policy.action_net.bias.fill_(float("nan"))
    with pytest.raises(AgentError, match="probabilities that are no numbers"):
        PolicyAgent(GAME, policy, form).act(views()[0], SEEDS)


def test_a_model_of_another_game_is_refused(models):
    with pytest.raises(AgentError, match="was trained on another game or other options"):
        make_agent("secret_formula-mini", f"sb3:{models[0]}/masked.zip")
    with pytest.raises(AgentError, match="there is no 'sampling'"):
        make_agent(GAME, f"sb3:{models[0]}/masked.zip(sampling=best)")

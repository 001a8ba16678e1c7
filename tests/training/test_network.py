"""Networks on named pieces: what they read, what they cannot read, and what is shared between men."""

import numpy as np
import pytest
import torch
from gymnasium import spaces

import kgb_env
from experiments.training.network import ActionHead, PiecesExtractor, PiecesPolicy, Sizes, word_vectors
from kgb_env import LearnerBatch
from kgb_env.gym import observation_space

GAMES = {
    "confusion": {},
    "confusion-mini": {},
    "double_agent": {},
    "double_agent-mini": {},
    "secret_formula": {"players": 2},
    "suspicious": {"vector_size": 24},
    "suspicious-mini": {},
}
SMALL = {"channels": 3, "features": 16, "hidden": (12,)}


def policy_of(game, oracle=False):
    space = observation_space(game, oracle=oracle)
    return PiecesPolicy(space, spaces.Discrete(game.actions.size), lambda _: 1e-3, game=game, **SMALL)


def frames(game, n=6, steps=4):
    """Return what learners see in the middle of games, and the states."""
    batch = LearnerBatch(game, n, seed=2)
    for _ in range(steps):
        batch.step(batch.frame.action_mask.argmax(axis=1))
    return batch.frame, batch.states, batch.seats


def observations(frame, oracle=None):
    parts = {"observation": frame.observation, "observation_mask": frame.observation_mask}
    parts |= {} if oracle is None else {"oracle": oracle}
    return {name: torch.as_tensor(values).float() for name, values in parts.items()}


@pytest.mark.parametrize("id", GAMES)
def test_every_entry_of_an_observation_is_read_once(id):
    game = kgb_env.game(id, **GAMES[id])
    sizes = Sizes(game.observation)
    read = np.concatenate([sizes.on_board, sizes.others, sizes.of_men.ravel()])
    assert sorted(read.tolist()) == list(range(game.observation.size))
    assert (sizes.men is not None) == id.startswith("confusion")
    assert (sizes.grid is None) == id.startswith("suspicious")


@pytest.mark.parametrize("id", GAMES)
def test_every_legal_action_has_a_logit_and_a_gradient(id):
    game = kgb_env.game(id, **GAMES[id])
    torch.manual_seed(1)
    policy, (frame, _, _) = policy_of(game), frames(game)
    logits = policy.action_net(policy.extract_features(observations(frame)))
    assert logits.shape == (6, game.actions.size)
    assert torch.isfinite(logits).all()
    logits[:, -1].sum().backward()
    changed = [name for name, weight in policy.named_parameters() if weight.grad is not None and weight.grad.any()]
    assert any("_dense" in name for name in changed)
    assert any("action_net" in name for name in changed)


@pytest.mark.parametrize("id", GAMES)
def test_what_is_unknown_is_not_zero(id):
    """Whether an entry is unknown changes the features, though its number in the observation is 0 either way."""
    game = kgb_env.game(id, **GAMES[id])
    torch.manual_seed(1)
    extractor = PiecesExtractor(observation_space(game), game.observation, **SMALL)
    seen = observations(frames(game)[0])
    known = {**seen, "observation_mask": torch.ones_like(seen["observation_mask"])}
    assert (seen["observation_mask"] == 0).any()
    assert not torch.allclose(extractor(seen), extractor(known))


@pytest.mark.parametrize("id", ["confusion", "double_agent", "suspicious-mini"])
def test_the_critic_alone_sees_what_is_hidden(id):
    game = kgb_env.game(id, **GAMES[id])
    torch.manual_seed(1)
    policy, (frame, states, seats) = policy_of(game, oracle=True), frames(game)
    oracle = game.encode(game.oracle(states, seats)).observation
    one, other = observations(frame, oracle), observations(frame, np.zeros_like(oracle))
    masks = frame.action_mask.astype(bool)
    assert torch.equal(
        policy.get_distribution(one, masks).log_prob(torch.arange(6)),
        policy.get_distribution(other, masks).log_prob(torch.arange(6)),
    )
    assert not torch.allclose(policy.predict_values(one), policy.predict_values(other))
    assert not torch.allclose(policy.predict_values(one), policy.predict_values({**one, "oracle": one["observation"]}))


def test_two_spies_that_change_places_change_their_logits():
    """One layer serves all spies, so what the network knows of one it knows of all."""
    game = kgb_env.game("confusion")
    torch.manual_seed(1)
    policy, (frame, _, _) = policy_of(game), frames(game)
    seen = observations(frame)
    moves = game.actions.move

    def logits(seen):
        return policy.action_net(policy.extract_features(seen)).detach().numpy()[:, moves].reshape(6, 13, 8, 4)

    swapped = {}
    for name, values in seen.items():
        values = values.clone()
        for field in game.observation.fields:
            if field.shape[:2] == (2, 13):
                piece = getattr(game.observation, field.name)
                part = values[:, piece].reshape(6, 2, 13, -1).clone()
                part[:, 0, [2, 7]] = part[:, 0, [7, 2]]
                values[:, piece] = part.reshape(6, -1)
        swapped[name] = values
    before, after = logits(seen), logits(swapped)
    assert not np.allclose(before[:, 2], before[:, 7], atol=1e-5)
    np.testing.assert_allclose(after[:, 2], before[:, 7], atol=1e-5)
    np.testing.assert_allclose(after[:, 7], before[:, 2], atol=1e-5)
    np.testing.assert_allclose(after[:, 5], before[:, 5], atol=1e-5)


def test_actions_of_a_man_are_where_they_belong():
    """Each logit is that of its number: those of spy 4 come from the features of spy 4 alone."""
    game = kgb_env.game("confusion")
    torch.manual_seed(1)
    extractor = PiecesExtractor(observation_space(game), game.observation, **SMALL)
    head = ActionHead(game, extractor)
    features = torch.randn(1, extractor.features_dim)
    changed = features.clone()
    changed[0, extractor.context + 4 * extractor.man : extractor.context + 5 * extractor.man] += 1
    moved = {game.actions.where(int(i)) for i in np.flatnonzero((head(features) != head(changed))[0].numpy())}
    assert {(name, place[0]) for name, place in moved} == {("move", 4), ("out", 4), ("reveal", 4)}
    assert len(moved) == 8 * 4 + 2


def test_words_of_one_meaning_have_logits_alike():
    game = kgb_env.game("suspicious")
    vectors = word_vectors(game)
    assert vectors.shape == (game.actions.size, 96)
    lengths = np.linalg.norm(vectors, axis=1)
    np.testing.assert_allclose(lengths[game.actions.word], 1, atol=1e-5)
    assert not lengths[game.actions.seat].any()
    torch.manual_seed(1)
    extractor = PiecesExtractor(observation_space(game), game.observation, **SMALL)
    head = ActionHead(game, extractor)
    torch.nn.init.zeros_(head._others.weight)
    torch.nn.init.zeros_(head._others.bias)
    logits = head(torch.rand(1, extractor.features_dim))[0].detach().numpy()[game.actions.word]
    words = vectors[game.actions.word]
    nearest = (words @ words.T - 2 * np.eye(len(words))).argmax(axis=1)
    assert np.abs(logits - logits[nearest]).mean() < 0.9 * np.abs(logits - np.roll(logits, 1)).mean()
    assert word_vectors(kgb_env.game("confusion")) is None

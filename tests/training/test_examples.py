"""Examples of training with other tools: what they calculate, that they learn, and the same from the same seed."""

import numpy as np
import pytest
import torch
from gymnasium import spaces
from typer.testing import CliRunner

import kgb_env
from experiments.examples import aec_self_play, cleanrl_ppo
from kgb_env import IllegalActionError

GAMES = ["confusion-mini", "double_agent-mini", "secret_formula-mini", "suspicious-mini"]


@pytest.fixture(autouse=True)
def one_thread():
    """Sums over several threads may differ in the last place."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def weights_of(network):
    return torch.cat([values.flatten() for values in network.state_dict().values()])


def check_training(train, arguments):
    """Train with a tiny budget, from one seed twice and from another one, and return the network."""
    network, again = train(arguments), train(arguments)
    assert torch.equal(weights_of(network), weights_of(again))
    assert torch.isfinite(weights_of(network)).all()
    return network


def run_as_command(module, *arguments):
    """Return what the example prints when it is run."""
    app = module.typer.Typer()
    app.command()(module.main)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.output


# Self-play through PettingZoo


@pytest.mark.parametrize("game", GAMES)
def test_aec_trajectories_hold_all_that_the_game_paid(game):
    """With several seats, some of which may not move at all, and in a game that pays all the time."""
    env = kgb_env.make(game)
    rng = np.random.default_rng(1)
    choosers = dict.fromkeys(env.possible_agents, lambda _, mask: int(rng.choice(np.flatnonzero(mask))))
    for number in range(5):
        paths = aec_self_play.play_game(env, choosers, 3 if number == 0 else None)
        assert [sum(path.rewards) for path in paths.values()] == pytest.approx(list(env.outcome.returns), abs=1e-5)
        for path in paths.values():
            assert len(path.rewards) == len(path.actions) + 1
            assert len(path.actions) == len(path.returns())


def test_aec_returns_are_what_came_after_each_decision():
    path = aec_self_play.Trajectory(actions=[5, 6, 7], rewards=[0.5, 1.0, 0.0, -3.0])
    assert path.returns().tolist() == [-2.0, -3.0, -3.0]
    assert aec_self_play.Trajectory(rewards=[1.0]).returns().tolist() == []


def test_aec_self_play_learns_the_same_from_the_same_seed():
    arguments = aec_self_play.Arguments(updates=2, games=2, hidden=16)
    network = check_training(aec_self_play.train, arguments)
    other = aec_self_play.train(aec_self_play.Arguments(updates=2, games=2, hidden=16, seed=2))
    untrained = aec_self_play.train(aec_self_play.Arguments(updates=0, games=2, hidden=16))
    for different in (other, untrained):
        assert not torch.equal(weights_of(network), weights_of(different))


def test_aec_self_play_makes_what_won_more_likely():
    """One decision that paid and one that cost, from the same observation."""
    torch.manual_seed(0)
    policy = aec_self_play.Policy(4, 3, 8)
    seen, mask = np.ones(4, np.float32), np.array([1, 1, 0], np.int8)
    paths = [
        aec_self_play.Trajectory([seen], [mask], [action], [0.0, reward]) for action, reward in ((0, 1.0), (1, -1.0))
    ]
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
    before = policy(torch.from_numpy(seen), torch.from_numpy(mask))[0].probs
    aec_self_play.improve(policy, optimizer, paths, entropy=0.0)
    after = policy(torch.from_numpy(seen), torch.from_numpy(mask))[0].probs
    assert after[0] > before[0]
    assert after[1] < before[1]
    assert after[2] == before[2] == 0


def test_aec_self_play_is_a_command():
    printed = run_as_command(aec_self_play, "--updates", "10", "--games", "1", "--hidden", "8", "--final-games", "4")
    assert "update 10: " in printed
    assert "mean return against random: " in printed


# PPO on the vector environment


def test_ppo_advantages():
    """Two games at once, over two steps: the first ends with its first step, the second goes on behind them."""
    rewards, values = torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([[0.5, 1.0], [0.25, 0.5]])
    ends, following = torch.tensor([[1.0, 0.0], [0.0, 0.0]]), torch.tensor([0.75, 1.5])
    advantages = cleanrl_ppo.advantages_of(rewards, values, ends, following, gamma=0.5, lam=0.5)
    last = [0.5 * 0.75 - 0.25, 2 + 0.5 * 1.5 - 0.5]
    first = [1 - 0.5, 0.5 * 0.5 - 1 + 0.25 * last[1]]
    assert advantages.tolist() == [pytest.approx(first), pytest.approx(last)]


def test_ppo_advantages_are_returns_where_nothing_is_expected():
    rewards, ends = torch.tensor([[0.0], [1.0], [0.0], [-1.0]]), torch.tensor([[0.0], [1.0], [0.0], [1.0]])
    advantages = cleanrl_ppo.advantages_of(rewards, torch.zeros(4, 1), ends, torch.tensor([9.0]), gamma=1.0, lam=1.0)
    assert advantages.flatten().tolist() == [1.0, 1.0, -1.0, -1.0]


def test_ppo_never_chooses_what_is_forbidden():
    network = cleanrl_ppo.ActorCritic(BOX, 6, 8)
    masks = torch.rand(2000, 6) < 0.4
    masks[:, 2] = True
    choices = network.choices(torch.randint(-1, 2, (2000, 4), dtype=torch.int8), masks)
    assert masks.gather(1, choices.sample()[:, None]).all()
    assert (choices.probs[~masks] == 0).all()
    assert torch.isfinite(choices.entropy()).all()
    envs = cleanrl_ppo.make_envs(cleanrl_ppo.Arguments(), 3)
    _, infos = envs.reset(seed=1)
    with pytest.raises(IllegalActionError):
        envs.step(infos["action_mask"].argmin(axis=1))


TINY = {"num_envs": 4, "num_steps": 8, "total_steps": 96, "epochs": 1, "minibatches": 2, "hidden": 8}
BOX = spaces.Box(-1, 1, (4,), np.int8)


@pytest.mark.parametrize("game", GAMES)
def test_ppo_learns_the_same_from_the_same_seed(game):
    arguments = cleanrl_ppo.Arguments(game, **TINY)
    network = check_training(cleanrl_ppo.train, arguments)
    other = cleanrl_ppo.train(cleanrl_ppo.Arguments(game, **TINY, seed=2))
    assert not torch.equal(weights_of(network), weights_of(other))


@pytest.mark.parametrize("game", GAMES)
def test_ppo_learns_from_what_it_played(game, monkeypatch):
    """The network finds in the rollout what it saw, whole or broken numbers, and says the same of it once more."""
    learned = []

    def look(network, optimizer, rollout, advantages, arguments):
        seen = rollout.seen.flatten(0, 1)
        choices = network.choices(seen, rollout.masks.flatten(0, 1))
        assert torch.allclose(choices.log_prob(rollout.actions.flatten()), rollout.log_probs.flatten(), atol=1e-5)
        assert torch.allclose(network.values(seen), rollout.values.flatten(), atol=1e-5)
        assert (seen / network.scale).abs().max() <= 1
        learned.append(rollout.ends.sum())

    monkeypatch.setattr(cleanrl_ppo, "improve", look)
    cleanrl_ppo.train(cleanrl_ppo.Arguments(game, **{**TINY, "total_steps": 1000}))
    assert len(learned) == 1000 // 32
    assert sum(learned) > 0


def test_ppo_changes_every_layer():
    few, many = (cleanrl_ppo.train(cleanrl_ppo.Arguments(**{**TINY, "total_steps": steps})) for steps in (32, 96))
    for (name, before), after in zip(few.named_parameters(), many.parameters(), strict=True):
        assert not torch.equal(before, after), name


class Rigged:
    """Two rows that pay what is told, and end where it is told, whatever is chosen."""

    rewards, ends = [[1, 0.25], [-1, 0.5], [7, 0.25]], [[True, False], [True, False], [False, True]]

    def reset(self, seed):
        self.step_number = -1
        return self._seen()

    def _seen(self):
        return np.zeros((2, 4), np.int8), {"action_mask": np.ones((2, 3), np.int8)}

    def step(self, actions):
        assert actions.shape == (2,)
        self.step_number += 1
        seen, infos = self._seen()
        ends = np.array(self.ends[self.step_number])
        return seen, np.array(self.rewards[self.step_number]), ends, ~ends & False, infos


def test_ppo_scores_the_first_game_of_each_row(monkeypatch):
    monkeypatch.setattr(cleanrl_ppo, "make_envs", lambda arguments, num_envs: Rigged())
    network = cleanrl_ppo.ActorCritic(BOX, 3, 8)
    assert cleanrl_ppo.score(network, cleanrl_ppo.Arguments(final_games=2)) == (1.0, 0.0)


def test_ppo_scores_nothing_where_nothing_is_learned():
    """No seat is better off when all play at random, as the network does at first, nearly."""
    torch.manual_seed(1)
    envs = cleanrl_ppo.make_envs(cleanrl_ppo.Arguments(), 1)
    network = cleanrl_ppo.make_network(envs, cleanrl_ppo.Arguments(hidden=8))
    mean, error = cleanrl_ppo.score(network, cleanrl_ppo.Arguments(final_games=300))
    assert abs(mean) < 4 * error
    assert 0.03 < error < 1 / 300**0.5


def test_ppo_is_a_command_and_saves(tmp_path):
    path = tmp_path / "network.pt"
    options = [f"--{name.replace('_', '-')}={value}" for name, value in {**TINY, "total_steps": 320}.items()]
    printed = run_as_command(cleanrl_ppo, *options, "--final-games", "4", "--save", str(path))
    assert "320 steps, " in printed
    assert "mean return against random: " in printed
    saved = torch.load(path, weights_only=True)
    arguments = cleanrl_ppo.Arguments(**saved["arguments"])
    assert arguments.hidden == 8
    envs = cleanrl_ppo.make_envs(arguments, 1)
    network = cleanrl_ppo.make_network(envs, cleanrl_ppo.Arguments(hidden=8))
    network.load_state_dict(saved["weights"])
    assert torch.equal(weights_of(network), weights_of(cleanrl_ppo.train(arguments)))


@pytest.mark.slow
def test_ppo_beats_random():
    arguments = cleanrl_ppo.Arguments(total_steps=40_000, hidden=64, epochs=3)
    mean, error = cleanrl_ppo.score(cleanrl_ppo.train(arguments), arguments)
    assert mean > 0.3
    assert mean > 6 * error


# TorchRL


@pytest.fixture
def torchrl_self_play():
    """Return the example, if its package is installed."""
    pytest.importorskip("torchrl")
    from experiments.examples import torchrl_self_play

    return torchrl_self_play


# TorchRL warns of parts of its own that are to go, and not in its own name.
quietly = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.mark.slow
@quietly
@pytest.mark.parametrize("game", ["confusion-mini", "double_agent-mini", "suspicious-mini"])
def test_torchrl_decisions_are_those_of_the_seats_to_move(torchrl_self_play, game):
    """And what nobody expects, with a critic that is always 0, is the return, the less the farther away."""
    env = torchrl_self_play.make_env(game)
    env.set_seed(1)
    policy, critic = torchrl_self_play.make_networks(env, 8)
    for values in critic.parameters():
        values.data.zero_()
    played = env.rollout(env.game.max_plies, policy)
    plies, seats = played["seats", "mask"].shape
    assert played["next", "done"].flatten().tolist() == [False] * (plies - 1) + [True]
    assert (played["seats", "mask"].sum(dim=1) == 1).all()
    assert played["next", "seats", "reward"].sum(dim=0).flatten().tolist() == pytest.approx(
        list(env.outcome.returns), abs=1e-5
    )
    decisions = torchrl_self_play.decisions_of(played, torchrl_self_play.make_estimator(critic))["seats"]
    assert decisions.batch_size == (plies,)
    assert decisions["action_mask"].gather(1, decisions["action"][:, None]).all()
    rewards, expected = played["next", "seats", "reward"].squeeze(-1), torch.zeros(seats)
    for ply in reversed(range(plies)):
        expected = rewards[ply] + 0.95 * expected
        seat = int(played["seats", "mask"][ply].int().argmax())
        assert float(decisions["advantage"][ply]) == pytest.approx(float(expected[seat]), abs=1e-5)


@pytest.mark.slow
@quietly
def test_torchrl_expects_nothing_after_the_limit(torchrl_self_play):
    """With a critic that always says 1: then a decision before a draw by the limit is 1 worse than expected."""
    env = torchrl_self_play.make_env("confusion-mini")
    env.set_seed(1)
    policy, critic = torchrl_self_play.make_networks(env, 8)
    for name, values in critic.named_parameters():
        values.data.fill_(float(name.endswith("layers.2.bias")))
    for _ in range(20):
        played = env.rollout(env.game.max_plies, policy)
        if played["next", "truncated"].any():
            break
    decisions = torchrl_self_play.decisions_of(played, torchrl_self_play.make_estimator(critic))["seats"]
    assert played["next", "truncated"].any()
    assert float(decisions["advantage"][-1]) == -1.0


@pytest.mark.slow
@quietly
def test_torchrl_learns_the_same_from_the_same_seed(torchrl_self_play):
    tiny = {"updates": 2, "decisions": 32, "epochs": 1, "minibatches": 2, "hidden": 8}
    policy = check_training(torchrl_self_play.train, torchrl_self_play.Arguments(**tiny))
    other = torchrl_self_play.train(torchrl_self_play.Arguments(**tiny, seed=2))
    untrained = torchrl_self_play.train(torchrl_self_play.Arguments(**{**tiny, "learning_rate": 0.0}))
    for different in (other, untrained):
        assert not torch.equal(weights_of(policy), weights_of(different))


@pytest.mark.slow
@quietly
def test_torchrl_begins_with_the_probabilities_that_it_played_with(torchrl_self_play):
    """The loss finds the actions again: before any change every ratio is 1."""
    env = torchrl_self_play.make_env("confusion-mini")
    env.set_seed(1)
    policy, critic = torchrl_self_play.make_networks(env, 8)
    with torch.no_grad():
        played = env.rollout(env.game.max_plies, policy)
    decisions = torchrl_self_play.decisions_of(played, torchrl_self_play.make_estimator(critic))
    losses = torchrl_self_play.make_loss(policy, critic, 0.01)(decisions)
    assert float(losses["kl_approx"]) == pytest.approx(0, abs=1e-6)
    assert float(losses["clip_fraction"]) == 0
    assert losses["loss_objective"].shape == ()


@pytest.mark.slow
@quietly
def test_torchrl_is_a_command(torchrl_self_play):
    options = ["--updates=10", "--decisions=16", "--epochs=1", "--minibatches=1", "--hidden=8", "--final-games=2"]
    printed = run_as_command(torchrl_self_play, *options)
    assert "160 decisions, " in printed
    assert "mean return against random: " in printed

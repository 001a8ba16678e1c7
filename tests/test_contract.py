"""Every game keeps the contract, and PettingZoo's own tests pass."""

import warnings

import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test

import kgb_env
from kgb_env import KGBEnv, kernels, loops
from kgb_env.kernels import Kernels
from kgb_env.testing import check_game


def test_check_game(any_game):
    report = check_game(any_game, pairs=1000)
    assert report.pairs >= 1000
    assert all(report.secrets.values())


@pytest.mark.nojit
def test_check_game_in_both_modes(any_game):
    assert check_game(any_game, pairs=40, other_mode=False).pairs >= 40


def test_pettingzoo_api(any_game):
    """Only the two warnings that PettingZoo has for every Dict observation."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(KGBEnv(any_game), num_cycles=200)
    assert {str(w.message).partition(" ")[0] for w in caught} <= {"Observation"}
    assert len({str(w.message) for w in caught}) <= 2


def test_pettingzoo_seeds(any_game):
    seed_test(lambda: KGBEnv(any_game))


def test_registered_with_pettingzoo():
    env = pettingzoo.make("aec", "kgb/confusion-v0", max_turns=3)
    assert env.game is kgb_env.game("confusion", max_turns=3)
    assert env.metadata["name"] == "kgb/confusion-v0"


@pytest.mark.nojit
def test_two_games_with_equal_records_are_refused(confusion):
    with pytest.raises(ValueError, match="same state dtype"):
        kernels.bind(confusion.state, Kernels(*[loops.start_rows] * 7))

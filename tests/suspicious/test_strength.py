"""What the agents of Suspicious are worth: samples of `python -m tests.suspicious.told`."""

import pytest

import kgb_env
from agents import make_agent
from experiments.calibration import calibrate
from tests.suspicious.told import are_caught, are_right, endings, points


@pytest.fixture(scope="module")
def scored():
    game = kgb_env.game("suspicious", rounds=1)
    agents = {name: make_agent(game, name) for name in ("literal", "expert")}
    return {(a, s): endings(game, agents[a], agents[s], 500) for a in agents for s in agents}


def test_an_expert_scores_more_in_each_role(scored):
    mean = {who: {role: values.mean() for role, values in points(ends).items()} for who, ends in scored.items()}
    assert mean["literal", "expert"]["spy"] > mean["literal", "literal"]["spy"] + 0.5
    assert mean["expert", "literal"]["agents"] > mean["literal", "literal"]["agents"] + 0.05


def test_between_experts_both_sides_have_a_chance(scored):
    ends = scored["expert", "expert"]
    assert 0.55 < are_caught(ends).mean() < 0.85
    assert 0.55 < are_right(ends)[are_caught(ends)].mean() < 0.85


def test_the_beliefs_of_experts_are_calibrated():
    result = calibrate(kgb_env.game("suspicious", rounds=1), "expert", games=250)
    assert result.deviation < 0.07
    full = [row for row in result.bins if row.size >= 150]
    assert len(full) >= 8
    assert all(abs(row.predicted - row.observed) < 0.12 for row in full)

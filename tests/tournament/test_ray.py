"""The same tournament on a Ray cluster."""

import pytest

from experiments.tournament.plan import Plan
from experiments.tournament.run import run

PLAN = Plan.parse({"events": [{"game": "confusion-mini", "agents": ["random", "greedy"], "games": 1200}]})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_a_local_cluster_finds_the_same(tmp_path):
    pytest.importorskip("ray")
    run(PLAN, tmp_path / "here", 1, None)
    run(PLAN, tmp_path / "there", 1, "local")
    assert (tmp_path / "here/summary.json").read_bytes() == (tmp_path / "there/summary.json").read_bytes()

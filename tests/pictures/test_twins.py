"""What a seat is shown does not depend on what it cannot see; `python -m tests.twins` plays more games."""

import pytest

import kgb_env
from tests.twins import GAMES, play


@pytest.mark.parametrize(("id", "options"), GAMES, ids=range(len(GAMES)))
def test_twins_are_shown_alike(id, options):
    compared, different = play(kgb_env.game(id, **options), 7, positions_of_a_game=6)
    assert compared > 0
    assert different > 0

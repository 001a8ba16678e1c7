"""A module that cannot be imported."""

GAME = 1 / 0

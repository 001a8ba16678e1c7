"""Twins: states that differ only in what a seat cannot see must be drawn and told alike.

``python -m tests.twins --games 1000`` plays many games; a few are part of the suite.
"""

import argparse

import numpy as np
from joblib import Parallel, delayed
from rich.progress import track

import kgb_env
from kgb_env import PUBLIC

GAMES = (
    ("confusion", {}),
    ("confusion", {"special_actions": True, "promotion_sir": True, "variable_setup": True}),
    ("double_agent", {}),
    ("double_agent", {"deluxe": True}),
    ("secret_formula", {}),
    ("secret_formula", {"deluxe": True}),
    ("suspicious", {}),
    ("suspicious", {"players": 8, "rounds": 2}),
)
SAMPLED = 20  # positions of a game


def shown(game, states, seat):
    """Return all that a person at a seat can be shown: picture, table, events, and the text for language models."""
    view = game.view(states, seat)
    told = game.picture(view).svg, game.notation.draw(game, view), game.notation.log(game, view)
    return told if seat == PUBLIC else (*told, kgb_env.text_view(view))


def compare(game, states, seed):
    """Compare a state with a twin for every seat; return how many twins really differ from it."""
    different = 0
    for seat in range(game.seats):
        if states["over"][0] or bool(game.options.get("auto_answer")):
            continue
        view = game.view(states, seat)
        twin = game.determinize(view, np.array([seed + seat], np.uint64))
        assert shown(game, states, seat) == shown(game, twin, seat), f"seat {seat} of {game!r} sees what it may not"
        public = [game.picture(game.view(each, PUBLIC)).svg for each in (states, twin)]
        assert public[0] == public[1], f"the public picture of {game!r} shows what seat {seat} may not see"
        different += any((states[name] != twin[name]).any() for name in game.secrets)
    return different


def play(game, seed, positions_of_a_game=SAMPLED):
    """Play a random game, compare twins at sampled positions; return comparisons made, and twins that differed."""
    rng = np.random.default_rng(seed)
    states, positions = game.start(kgb_env.derive_seed(seed, 0, 0)), []
    while not states["over"][0]:
        positions.append(states.copy())
        game.play(states, int(rng.choice(game.legal(states))))
    sampled = rng.choice(len(positions), min(positions_of_a_game, len(positions)), replace=False)
    different = [compare(game, positions[ply], seed * 1000 + ply) for ply in sampled]
    return len(different) * game.seats, sum(different)


def main():
    """Play many games of each kind."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=1000, help="of all kinds together")
    games = -(-parser.parse_args().games // len(GAMES))
    for id, options in GAMES:
        game = kgb_env.game(id, **options)
        played = Parallel(n_jobs=-1, return_as="generator")(delayed(play)(game, seed) for seed in range(games))
        counts = np.array(list(track(played, f"{id} {options}", total=games)))
        compared, different = counts.sum(axis=0)
        print(f"{game!r:.60}: {games:,} games, {compared:,} views, {different:,} of the twins differ in a secret")


if __name__ == "__main__":
    main()

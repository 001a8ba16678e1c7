"""Small maps for tests: one that is right, and random ones."""

import random

from kgb_env.camp.board import Board, load_board, read_board

# Two sectors that share a door; the Den is a spiral.
SMALL = """\
title    A test
sector   A  HAL  Hall
sector   B  DEN  Den
spiral   DEN post 1 hiding 4
gates    north
route    HAL DEN
scenery  ~  pond
map
###=####
#~~:~~~#
#~~::~~#
###+####
#A.*+12#
#X..#43#
########
"""
FIRST_ROW = SMALL.splitlines().index("map") + 2  # its line in the file


def small(**changes: str) -> Board:
    """Return the small board, with some text of the file replaced."""
    return load_board(changed(**changes), "test")


def changed(old: str = "", new: str = "") -> str:
    """Return the small board's file with some text replaced."""
    assert SMALL.count(old) == 1 or not old
    return SMALL.replace(old, new) if old else SMALL


def random_board(seed: int) -> Board:
    """Return a board with two ragged rooms left and right of a walkway; the rooms may have several doors."""
    dice = random.Random(seed)
    while True:
        board, _ = read_board(_random_file(dice))
        if board is not None:
            return board


def _random_file(dice: random.Random) -> str:
    rooms = [[["." if dice.random() < 0.8 else "~" for _ in range(4)] for _ in range(5)] for _ in "AB"]
    for letter, room in zip("AB", rooms, strict=True):
        places = [(row, column) for row in range(5) for column in range(4)]
        for character, (row, column) in zip((letter, "*", "X"), dice.sample(places, 3), strict=True):
            room[row][column] = character
    walls = [["+" if dice.random() < 0.4 else "#" for _ in range(5)] for _ in "AB"]
    way = [":" if dice.random() < 0.9 else "#" for _ in range(5)]
    lines = ["title T", "sector A AAA A", "sector B BBB B", "gates north", "route AAA BBB", "scenery ~ pond", "map"]
    lines.append("######=######")
    for row in range(5):
        lines.append(f"#{''.join(rooms[0][row])}{walls[0][row]}{way[row]}{walls[1][row]}{''.join(rooms[1][row])}#")
    return "\n".join([*lines, "#" * 13])

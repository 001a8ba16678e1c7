"""What a proposal of Confusion would do if it were granted."""

from kgb_env.games.confusion.board import is_goal, is_own
from kgb_env.games.confusion.spec import COLUMNS, HAND, MOVE
from kgb_env.jit import kernel


@kernel
def captures_the_last(v, seat, kind, spy, direction, distance, tables):
    """Tell if a proposal of the seat captures the enemy's last spy when it is granted (C11)."""
    target = tables.path[seat, v.cell[seat, spy], direction, distance]
    return kind != HAND and v.in_play[1 - seat] == 1 and is_own(v.board[target], 1 - seat)


@kernel
def brings_home(v, seat, kind, spy, direction, distance, tables):
    """Tell if a proposal of the seat brings the briefcase home when it is granted (C8)."""
    target = tables.path[seat, v.cell[seat, spy], direction, distance]
    if not is_goal(target, seat, tables):
        return False
    if kind == HAND:
        return is_own(v.board[target], seat)
    return target == v.briefcase or (kind == MOVE and v.cell[seat, spy] == v.briefcase)


@kernel
def steps(start, end):
    """Return the distance in king's steps."""
    return max(abs(start // COLUMNS - end // COLUMNS), abs(start % COLUMNS - end % COLUMNS))

"""What a game provides, and the dispatch to it by record type.

``step(s, action, tables)`` plays the rules of whichever game the record ``s`` belongs to, from
Python and from jitted code alike.  Dispatch on the record type keeps the generic loops in the disk
cache; closures over kernels would be compiled anew in every process.
"""

from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
from numba.extending import overload


class Kernels(NamedTuple):
    """The seven functions that are a game's rules; the functions below say what each does."""

    begin: Callable
    chance: Callable
    legal: Callable
    step: Callable
    hide: Callable
    observe: Callable
    determinize: Callable


_BY_DTYPE: dict[np.dtype, Kernels] = {}
_BY_TYPE: dict[numba.types.Record, Kernels] = {}


def bind(state: np.dtype, kernels: Kernels) -> None:
    """Let records of dtype ``state`` be played by ``kernels``."""
    if _BY_DTYPE.setdefault(state, kernels) != kernels:
        raise ValueError(
            f"{kernels.step.__module__} and {_BY_DTYPE[state].step.__module__} have the same state dtype; "
            "rename a field, or rules would be mixed up"
        )
    _BY_TYPE[numba.from_dtype(state)] = kernels


def begin(s, tables):
    """Set the start, before any chance; the options that rules read are already in the record."""
    _BY_DTYPE[s.dtype].begin(s, tables)


def chance(s, weights, tables):
    """Write the integer weight of every outcome that is due."""
    _BY_DTYPE[s.dtype].chance(s, weights, tables)


def legal(v, mask, tables):
    """Write 1 for every action that the seat to move may choose, 0 for every other."""
    _BY_DTYPE[v.dtype].legal(v, mask, tables)


def step(s, action, tables):
    """Apply the choice of a seat or an outcome of chance."""
    _BY_DTYPE[s.dtype].step(s, action, tables)


def hide(v, seat, tables):
    """Set to UNKNOWN, in a copy of the state, what ``seat`` (or PUBLIC) may not know."""
    _BY_DTYPE[v.dtype].hide(v, seat, tables)


def observe(v, obs, obs_mask, tables):
    """Write every entry of the observation, and 1 in the mask where the viewer knows the entry."""
    _BY_DTYPE[v.dtype].observe(v, obs, obs_mask, tables)


def determinize(v, seeds, out, scratch, tables):
    """Fill ``out`` with full states that the viewer cannot tell from the real one."""
    _BY_DTYPE[v.dtype].determinize(v, seeds, out, scratch, tables)


@overload(begin)
def _begin(s, tables):
    rule = _BY_TYPE[s].begin
    return lambda s, tables: rule(s, tables)


@overload(chance)
def _chance(s, weights, tables):
    rule = _BY_TYPE[s].chance
    return lambda s, weights, tables: rule(s, weights, tables)


@overload(legal)
def _legal(v, mask, tables):
    rule = _BY_TYPE[v].legal
    return lambda v, mask, tables: rule(v, mask, tables)


@overload(step)
def _step(s, action, tables):
    rule = _BY_TYPE[s].step
    return lambda s, action, tables: rule(s, action, tables)


@overload(hide)
def _hide(v, seat, tables):
    rule = _BY_TYPE[v].hide
    return lambda v, seat, tables: rule(v, seat, tables)


@overload(observe)
def _observe(v, obs, obs_mask, tables):
    rule = _BY_TYPE[v].observe
    return lambda v, obs, obs_mask, tables: rule(v, obs, obs_mask, tables)


@overload(determinize)
def _determinize(v, seeds, out, scratch, tables):
    rule = _BY_TYPE[v].determinize
    return lambda v, seeds, out, scratch, tables: rule(v, seeds, out, scratch, tables)

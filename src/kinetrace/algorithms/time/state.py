"""The state that a step in time takes and returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...arrays import Array


class State(NamedTuple):
    """Configuration and velocity, and what a method keeps from one step to the next."""

    q: Array
    """(nq,)"""
    v: Array
    """(nv,)"""
    kept: Mapping[str, Array] = {}
    """Arrays by name, such as impulses that the next step begins with; empty for most methods."""

"""The state that a step in time takes and returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...arrays import Array


class State(NamedTuple):
    """Configuration and velocity, and what a method keeps from one step to the next.

    Methods that solve for dry friction and hard stops keep "impulses" (n,), one for each velocity with either, in the
    order of v: those of the last step [N m s, N s], positive along positive velocities. They are a result, and where
    the next solution begins. All others keep nothing.
    """

    q: Array
    """(nq,)"""
    v: Array
    """(nv,)"""
    kept: Mapping[str, Array] = {}
    """Arrays by name, such as impulses that the next step begins with; empty for most methods."""

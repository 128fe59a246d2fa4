"""Common parts of tables of serial arms: names, and adding one link."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array
from ...errors import ModelError
from ...support.plain import plain_list
from ..builder import Builder
from ..joints import Joint


def inertia_of_each(inertias: Sequence[Array | None] | None, n: int) -> list[Array | None]:
    """The inertias of n links, by default none."""
    each = [None] * n if inertias is None else plain_list("inertias", inertias, f"one for each of {n} joints")
    if len(each) != n:
        raise ModelError(f"inertias must be one per joint, {n}, got {len(each)}")
    return each


def add_link(
    builder: Builder,
    i: int,
    joint: Joint,
    placements: tuple[Array | None, Array | None],
    inertia: Array | None,
) -> None:
    """Append link i (from 1) to base, link1, …; `placements` are those before and after the joint."""
    parent, child = "base" if i == 1 else f"link{i - 1}", f"link{i}"
    builder.link(child, inertia)
    before, after = placements
    builder.joint(f"joint{i}", joint, parent=parent, child=child, placement=before, child_placement=after)

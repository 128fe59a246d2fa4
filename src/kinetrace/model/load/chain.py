"""What the tables of serial arms share: their names, and a link at a time."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Array
from ...errors import ModelError
from ..builder import Builder
from ..joints import Joint


def add_link(
    builder: Builder,
    i: int,
    joint: Joint,
    placements: tuple[Array | None, Array | None],
    inertias: Sequence[Array | None] | None,
    n: int,
) -> None:
    """Append link i of n (from 1) to base, link1, …; `placements` are those before and after the joint."""
    if inertias is not None and len(inertias) != n:
        raise ModelError(f"inertias must be one a joint, {n}, got {len(inertias)}")
    parent, child = "base" if i == 1 else f"link{i - 1}", f"link{i}"
    builder.link(child, None if inertias is None else inertias[i - 1])
    before, after = placements
    builder.joint(f"joint{i}", joint, parent=parent, child=child, placement=before, child_placement=after)

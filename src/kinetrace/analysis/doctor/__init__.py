"""Errors and oddities of a model, each with a remedy: `Robot.doctor` and the command `kinetrace doctor`.

A check is a small function of a model that yields findings. Those of a kind are one finding, which names all places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...model.model import Model
from . import actuators, inertias, joints, motion, overlaps, units
from .finding import SEVERITIES, Finding, Report, Severity
from .urdf_file import apply_edits, file_of, findings, meshes

__all__ = ["CHECKS", "SEVERITIES", "Finding", "Report", "Severity", "examine", "repaired"]

CHECKS: tuple[Callable[[Model], Iterator[Finding]], ...] = (
    *(inertias.impossible, motion.massless, units.units, inertias.placeholders, inertias.points),
    *(motion.condition, joints.limits, joints.in_degrees, joints.mimics, motion.closures, motion.gravity),
    *(meshes, overlaps.overlaps, inertias.sides, joints.efforts, joints.strong, joints.damping),
    *(actuators.actuators, actuators.keyframes),
)
"""In the order of a report, as far as findings are equally grave."""


def examine(model: Model, more: Sequence[Finding] = ()) -> Report:
    """All findings about a model and the file that it was read from, and `more`, such as those of loading it.

    What the file says of a link is not said again of the body that the link is part of.

    >>> import kinetrace as kt
    >>> print(examine(kt.load("planar2r").model).summary)
    1 note
    """
    root = file_of(model)
    first = [*more, *(() if root is None else findings(root, model))]
    said = {finding.kind for finding in first}
    found = [finding for check in CHECKS for finding in check(model)]
    return Report(model.name, [*first, *(finding for finding in found if finding.kind not in said)])


def repaired(model: Model) -> tuple[Model, list[Finding]]:
    """The model without what can be fixed, and what that was: first in its file, then in what is read from that.

    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> repaired(model) == (model, [])
    True
    """
    model, done = apply_edits(model)
    for finding in examine(model):
        if finding.fix is not None:
            model = finding.fix(model)
            done.append(finding)
    return model, done

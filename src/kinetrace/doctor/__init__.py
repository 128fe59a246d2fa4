"""What is wrong or odd with a model, each with a remedy: `Robot.doctor` and the command `kinetrace doctor`.

A check is a small function of a model that yields findings. Those of a kind are one finding, which names all places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..model.model import Model
from . import inertias, joints, motion, parts
from .finding import SEVERITIES, Finding, Report, Severity

__all__ = ["CHECKS", "SEVERITIES", "Finding", "Report", "Severity", "examine", "repaired"]

CHECKS: tuple[Callable[[Model], Iterator[Finding]], ...] = (
    *(inertias.impossible, motion.massless, inertias.units, inertias.placeholders, motion.condition),
    *(joints.limits, joints.mimics, motion.closures, motion.gravity),
    *(parts.meshes, parts.sides, joints.efforts, joints.damping),
)
"""In the order of a report, as far as findings are equally grave."""


def examine(model: Model, more: Sequence[Finding] = ()) -> Report:
    """All findings about a model, and `more`, such as those about its file.

    >>> import kinetrace as kt
    >>> print(examine(kt.load("planar2r").model).summary)
    1 note
    """
    return Report(model.name, [*more, *(finding for check in CHECKS for finding in check(model))])


def repaired(model: Model) -> Model:
    """The model without what can be fixed.

    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> repaired(model) is model
    True
    """
    for finding in examine(model):
        model = model if finding.fix is None else finding.fix(model)
    return model

"""Findings of an examination: one thing about a model, its place, why it matters, and a remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, overload

import numpy as np

from ...arrays import Array
from ...errors import name_list
from ...lie import inertia
from ...model.body import Body
from ...model.model import Model

Severity = Literal["error", "warning", "note"]
"""An error: results are missing, or those of no robot. A warning: numbers that are probably wrong, and on which results
depend. A note: worth knowing, or only of interest to other programs."""
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

Fix = Callable[[Model], Model]
"""A model without the thing that was found; all else stays."""
Edit = Callable[[], None]
"""A change of the elements of a file that were looked at."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong or odd about a model."""

    severity: Severity
    """How grave it is."""
    kind: str
    """A short name, the same for all robots."""
    where: tuple[str, ...]
    """The links, joints, closures or places in the file that it is about; none if it is about all of the robot."""
    what: str
    """Description of the finding, with the numbers."""
    why: str
    """Why it matters."""
    remedy: str
    """Remedy."""
    fix: Fix | None = None
    """Repair of the model by `Robot.repaired`, if there is one."""
    edit: Edit | None = None
    """Repair of the file, before a model is read from it, if there is one."""
    done: str = ""
    """Changes by `fix` or `edit`, in words and numbers."""

    def __str__(self) -> str:
        return f"{self.severity}: {self.kind}{self.place and f' ({self.place})'}: {self.what}. {self.remedy}"

    @property
    def place(self) -> str:
        """Where it is, for a message: the first few of many places; "" if it is about all of the robot."""
        return name_list(self.where, of_names=False)

    @property
    def fixable(self) -> bool:
        """Whether `Robot.repaired` does something about it."""
        return self.fix is not None or self.edit is not None

    def as_json(self) -> dict[str, Any]:
        """Its texts, of types that JSON knows."""
        texts = {name: getattr(self, name) for name in ("severity", "kind", "what", "why", "remedy", "done")}
        return {**texts, "where": list(self.where), "fixable": self.fixable}


class Report(Sequence[Finding]):
    """Findings about a robot, the gravest first; its text is for people.

    >>> import kinetrace as kt
    >>> report = kt.load("planar2r").doctor()
    >>> report.changes_motion, [finding.kind for finding in report]
    (False, ['no damping'])
    """

    def __init__(self, name: str, findings: Sequence[Finding]) -> None:
        self.name = name
        """The robot's."""
        self._findings = sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))

    @overload
    def __getitem__(self, index: int) -> Finding: ...

    @overload
    def __getitem__(self, index: slice) -> list[Finding]: ...

    def __getitem__(self, index: int | slice) -> Finding | list[Finding]:
        return self._findings[index]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._findings)

    def __len__(self) -> int:
        return len(self._findings)

    def __str__(self) -> str:
        return "\n".join([f"{self.name}: {self.summary}", *map(str, self)])

    __repr__ = __str__

    @property
    def counts(self) -> dict[Severity, int]:
        """How many findings there are of each severity."""
        return {severity: sum(x.severity == severity for x in self) for severity in SEVERITIES}

    @property
    def changes_motion(self) -> bool:
        """Whether there are errors or warnings: results depend on them."""
        return any(x.severity != "note" for x in self)

    @property
    def summary(self) -> str:
        """How many there are, in words."""
        found = [f"{n} {severity}{'s'[: n != 1]}" for severity, n in self.counts.items() if n]
        return ", ".join(found) if found else "nothing wrong"


@dataclass(frozen=True)
class MassProperties:
    """A body's mass as a distribution, about its centre and along its principal axes."""

    mass: float
    center: Array
    """(3,) the centre of mass in the body frame."""
    moments: Array
    """(3,) principal moments of inertia about the centre, ascending."""
    spreads: Array
    """(3,) the standard deviations of the mass along the principal axes [m], ascending; NaN if impossible."""


def mass_of(body: Body) -> MassProperties | None:
    """Its mass; None without any."""
    return mass_from(body.J)


def mass_from(J: Array) -> MassProperties | None:
    """The mass of an inertia (6, 6); None without any."""
    m, c, I_c = inertia.to_mass_com(J)
    if not m > 0.0:
        return None
    moments = np.linalg.eigvalsh(I_c)
    with np.errstate(invalid="ignore"):
        spreads = np.sqrt((np.sum(moments) / 2 - moments)[::-1] / m)
    return MassProperties(float(m), c, moments, spreads)


def moments_text(moments: Array) -> str:
    """Principal moments for a message.

    >>> moments_text(np.array([1.0, 2.0, 2.5]))
    '1, 2, 2.5'
    """
    return ", ".join(f"{each:.3g}" for each in moments)


def replace_bodies(model: Model, bodies: Sequence[Body]) -> Model:
    """The model with these bodies instead of those of the same indices."""
    new = {body.index: body for body in bodies}
    return replace(model, bodies=tuple(new.get(body.index, body) for body in model.bodies))

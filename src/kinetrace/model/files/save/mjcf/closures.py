"""Closures of a model as equality constraints of MJCF, which hold them softly."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .....arrays import Array
from .....lie import se3
from ....closures import Closure
from ....constraints import Combined, Constraint, Contact, OnAxis, OnPlane, Parallel, Point, Rigid, Together
from ....model import Model
from ..losses import Unsaid
from .elements import MjcfElement
from .joints import pose_text, text

Variables = Mapping[tuple[int, int], tuple[str, float]]
"""(body, variable of its joint) → the joint of MJCF that has it, and the scale of that."""


class Constraints:
    """Equality constraints, with the sites and tendons that they use."""

    def __init__(self, model: Model, variables: Variables, unsaid: Unsaid) -> None:
        self.equalities, self.tendons, self.sites = (
            list[MjcfElement](),
            list[MjcfElement](),
            dict[int, list[MjcfElement]](),
        )
        self._variables = variables
        for closure in model.closures:
            if closure.terms:
                self._couple(closure, unsaid)
            else:
                self._close(closure, unsaid)

    def follow(self, name: str, source: str, ratio: float, offset: float) -> None:
        """A joint that is a multiple of another."""
        self.equalities.append(_joint(name, name, source, offset, ratio))

    def _close(self, closure: Closure, unsaid: Unsaid) -> None:
        kind, points = _kind(closure.constraint)
        if kind is None:
            unsaid.add("closures of a kind that MJCF does not have", closure.name, changes=True)
            return
        if len(points) > 1:
            unsaid.add("hinges that close loops, written as two points that coincide", closure.name)
        for k, point in enumerate(points):
            name = closure.name + (f"_{k + 1}" if k else "")
            ends = {"name": name}
            for which, side, frame in (("site1", "a", closure.a), ("site2", "b", closure.b)):
                ends[which] = f"{name}:{side}"
                X = frame.X_bf @ se3.pose(np.eye(3), point)
                site = MjcfElement("site", {"name": ends[which], **pose_text(X)})
                self.sites.setdefault(frame.body, []).append(site)
            self.equalities.append(MjcfElement(kind, ends))

    def _couple(self, closure: Closure, unsaid: Unsaid) -> None:
        factors = [((term.body, k), float(x)) for term in closure.terms for k, x in enumerate(term.factors[0]) if x]
        if closure.size != 1 or any(at not in self._variables for at, _ in factors):
            unsaid.add("couplings of joints that MJCF does not have", closure.name, changes=True)
            return
        offset = float(np.ravel(closure.offset)[0])
        terms = [(self._variables[at][0], x / self._variables[at][1]) for at, x in factors]
        (first, c), *others = terms
        if len(others) <= 1:
            other = others[0] if others else None
            ratio = 0.0 if other is None else -other[1] / c
            self.equalities.append(_joint(closure.name, first, other and other[0], offset / c, ratio))
            return
        joints = [MjcfElement("joint", {"joint": joint, "coef": text(x)}) for joint, x in terms]
        self.tendons.append(MjcfElement("fixed", {"name": closure.name}, joints))
        numbers = text(np.array([offset, 0.0, 0.0, 0.0, 0.0]))
        said = {"name": closure.name, "tendon1": closure.name, "polycoef": numbers}
        self.equalities.append(MjcfElement("tendon", said))


def _joint(name: str, joint: str, other: str | None, offset: float, ratio: float) -> MjcfElement:
    """joint = offset + ratio · other."""
    ends = {"joint1": joint} if other is None else {"joint1": joint, "joint2": other}
    return MjcfElement("joint", {"name": name, **ends, "polycoef": text(np.array([offset, ratio, 0.0, 0.0, 0.0]))})


def _kind(constraint: Constraint) -> tuple[str | None, list[Array]]:
    """Tag, and the points of the frames at which it is."""
    here = np.zeros(3)
    if isinstance(constraint, Contact | Combined):  # rows that follow from others may be written: MuJoCo's are soft
        constraint = constraint.inner
    if constraint == Rigid():
        return "weld", [here]
    if isinstance(constraint, Point):
        return "connect", [here]
    if isinstance(constraint, Together) and tuple(map(type, constraint.parts)) == (Parallel, OnAxis, OnPlane):
        axis = constraint.parts[0].axis  # type: ignore[attr-defined]  # of Parallel
        return "connect", [here, 0.1 * np.asarray(axis)]
    return None, []

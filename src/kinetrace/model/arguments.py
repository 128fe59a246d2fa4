"""What the arguments of functions of a model are called: a name says what shape an array has, and what it means."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..errors import unknown

if TYPE_CHECKING:
    from .model import Model

Shape = tuple[int, ...]


class Named(NamedTuple):
    """An array that is known by its name."""

    shape: Callable[[Model], Shape]
    meaning: str


def _q(model: Model) -> Shape:
    return (model.nq,)


def _v(model: Model) -> Shape:
    return (model.nv,)


ARGUMENTS = {
    "q": Named(_q, "configuration, joints in the order below"),
    "q0": Named(_q, "configuration at the beginning"),
    "q1": Named(_q, "configuration at the end"),
    "v": Named(_v, "velocity, joints in the order below"),
    "a": Named(_v, "acceleration, joints as in v"),
    "tau": Named(_v, "joint forces [N m, N], joints as in v"),
    "u": Named(_v, "any vector, joints as in v"),
    "nu": Named(_v, "quasi-velocity, as many entries as v"),
    **{f"d{name}": Named(_v, f"direction of the derivative by {name}") for name in ("q", "v", "a", "tau", "u", "nu")},
    "dy": Named(lambda model: (model.dof,), "rate of the independent velocities"),
    "tau_weight": Named(_v, "of joint forces, joints as in v: positive"),
    "internal_forces": Named(lambda model: (model.closure_rows,), "wanted forces of the closures, row by row"),
    "point": Named(lambda _: (3,), "point of the frame, in its axes [m]: the frame's origin unless given"),
    "dt": Named(lambda _: (), "time step [s]"),
    "base_velocity": Named(lambda _: (6,), "twist of the base in its own frame"),
    "base_acceleration": Named(lambda _: (6,), "rate of the components of base_velocity"),
    "stabilisation": Named(lambda _: (2,), "of closures: frequency [1/s] and damping ratio of Baumgarte's method"),
}
"""Name → shape, without batch axes, and meaning."""


def _driven(model: Model, name: str) -> Shape:
    closure = next((c for c in model.closures if c.name == name), None)
    if closure is None:
        raise unknown("closure", name, model.closure_slices)
    return (3, closure.size if closure.terms else 6)


MAPPINGS: dict[str, Callable[[Model, str], Shape]] = {"wrench": lambda model, frame: (6,), "drive": _driven}
"""The arguments that map names, of frames or closures, to arrays, whose shapes these functions tell."""


def argument_shapes(model: Model) -> dict[str, Shape]:
    """The shapes of all arrays that are known by their names.

    >>> import kinetrace as kt
    >>> shapes = argument_shapes(kt.load("quadruped", base="free").model)
    >>> shapes["q"], shapes["tau"], shapes["dt"]
    ((19,), (18,), ())
    """
    return {name: argument.shape(model) for name, argument in ARGUMENTS.items()}

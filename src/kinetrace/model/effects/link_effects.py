"""Passive effects on links, and their joint forces: gravity compensation, and a fluid around the robot.

A link whose weight is compensated by the fraction c, as by a counterweight or by buoyancy, is pushed at its centre of
mass by −c m g. In a fluid of density ρ and viscosity β, which moves with the wind, MuJoCo's model of inertia boxes
takes a link for the box (a, b, c) of its mass that has its moments of inertia. With the angular velocity ω, and the
velocity u of the centre relative to the fluid, in the principal axes, x being one of these and b, c the other sides,

    f_x = −½ ρ b c |u_x| u_x − 3π β d u_x                      d = (a + b + c)/3
    n_x = −ρ a (b⁴ + c⁴) |ω_x| ω_x / 64 − π β d³ ω_x

Twists V relative to the fluid are carried from body to body as those of the robot are, beginning with −wind at the
base, and gravity as a twist G = (0, g) that no joint changes:

    V_i = Ad_{X⁻¹} V_p + S_i v_i,    G_i = Ad_{X⁻¹} G_p
    F_i = Σ F(V_i, G_i) of the links of the body + Σ_c Ad*_{X_c⁻¹} F_c,    τ_i = −S_iᵀ F_i

The wind blows along the axes of the base, and the fluid is carried along by a base that is moved (`base_velocity`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...arrays import Array, abs, concatenate, is_concrete, stack
from ...errors import ModelError
from ...lie import Ad_inv, Ad_inv_dual, Pose, ad, ad_dual, inertia, se3
from ..checks import MAX_NUMBER, is_present, number, numbers, pose, text
from ..record import Record, read_only

if TYPE_CHECKING:
    from ..body import Body
    from ..model import Model

_MIN_SECOND_MOMENT = 1e-15
"""Second moment that a box has at least, as MuJoCo takes it [kg m²]."""


@dataclass(frozen=True, eq=False)
class Fluid(Record):
    """The fluid around a robot.

    Parameters
    ----------
    density : float, default 0.0
        Density [kg/m³]: about 1.2 of air, 1000 of water.
    viscosity : float, default 0.0
        Dynamic viscosity [Pa s]: about 1.8e-5 of air, 9e-4 of water.
    wind : array_like, shape (3,), default (0, 0, 0)
        Velocity of the fluid in the axes of the base [m/s].

    Raises
    ------
    ModelError
        If a value is not finite, or density or viscosity is negative.

    Examples
    --------
    >>> from kinetrace.model import Fluid
    >>> Fluid(density=1.2, wind=[5, 0, 0]).wind
    array([5., 0., 0.])
    """

    density: float = 0.0
    viscosity: float = 0.0
    wind: Array = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name in ("density", "viscosity"):
            x = number(getattr(self, name), f"fluid: {name}")
            if is_concrete(x) and not 0.0 <= x <= MAX_NUMBER:
                raise ModelError(f"fluid: {name} must be finite and not negative, at most {MAX_NUMBER:g}, got {x}")
            object.__setattr__(self, name, x)
        wind = numbers(self.wind, "fluid: wind")
        if wind.shape != (3,) or (is_concrete(wind) and not np.all(np.abs(wind) <= MAX_NUMBER)):
            raise ModelError(f"fluid: wind must be three finite numbers, got {self.wind!r}")
        object.__setattr__(self, "wind", read_only(wind))


@dataclass(frozen=True, eq=False)
class LinkEffects(Record):
    """Effects on a link by itself: the compensation of its weight, and the fluid around it.

    Parameters
    ----------
    link : str
        Name of the link.
    placement : array_like, shape (4, 4)
        Pose of the principal axes at its centre of mass: in the link, or, of a finished body, in that.
    mass : float
        Its mass [kg].
    box : array_like, shape (3,)
        Sides, along these axes, of the box that the fluid meets [m]; zero if it meets none.
    gravity_compensation : float, default 0.0
        Part of the weight that is compensated: 1 if all is, more if the link rises.

    Raises
    ------
    ModelError
        If a number is not finite, or a mass or side is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from kinetrace.model import LinkEffects
    >>> LinkEffects("bob", np.eye(4), 2.0, [0.1, 0.1, 0.3], gravity_compensation=1.0).mass
    2.0
    """

    link: str
    placement: Array
    mass: float
    box: Array
    gravity_compensation: float = 0.0

    def __post_init__(self) -> None:
        what = f"effects on link {text(self.link, 'the name of a link with effects')!r}"
        object.__setattr__(self, "placement", pose(self.placement, f"{what}: placement"))
        for name, least in (("mass", 0.0), ("gravity_compensation", -MAX_NUMBER)):
            x = number(getattr(self, name), f"{what}: {name}")
            if is_concrete(x) and not least <= x <= MAX_NUMBER:
                raise ModelError(f"{what}: {name} must be from {least:g} to {MAX_NUMBER:g}, got {x}")
            object.__setattr__(self, name, x)
        box = numbers(self.box, f"{what}: box")
        if box.shape != (3,) or (is_concrete(box) and not np.all((box >= 0.0) & (box <= MAX_NUMBER))):
            raise ModelError(f"{what}: box must be three finite numbers, none negative, got {self.box!r}")
        object.__setattr__(self, "box", read_only(box))

    @staticmethod
    def of_moments(
        link: str, placement: Array, mass: float, moments: Array, gravity_compensation: float = 0.0
    ) -> LinkEffects:
        """Effects on a link with the box that has its moments of inertia.

        Parameters
        ----------
        link : str
            Name of the link.
        placement : array_like, shape (4, 4)
            Pose of its principal axes at its centre of mass, in the link.
        mass : float
            Its mass [kg].
        moments : array_like, shape (3,)
            Its principal moments of inertia [kg m²].
        gravity_compensation : float, default 0.0
            Part of the weight that is compensated.

        Returns
        -------
        LinkEffects
            The effects, with the box √(6 (I_y + I_z − I_x)/m) along x, and so on.

        Raises
        ------
        ModelError
            If the mass is not above zero, or a number not finite.

        Examples
        --------
        >>> import numpy as np
        >>> from kinetrace.model import LinkEffects
        >>> LinkEffects.of_moments("bob", np.eye(4), 12.0, [5.0, 2.0, 5.0]).box.round(6)
        array([1., 2., 1.])
        """
        m = number(mass, f"effects on link {link!r}: mass")
        if is_concrete(m) and not m > 0.0:
            raise ModelError(f"effects on link {link!r}: a box with these moments needs a mass above zero, got {mass}")
        I = np.asarray(moments, dtype=float)
        second = np.maximum(I.sum() - 2.0 * I, _MIN_SECOND_MOMENT)
        return LinkEffects(link, placement, mass, np.sqrt(second / mass * 6.0), gravity_compensation)

    def without_box(self) -> LinkEffects:
        """The same effects without those of a fluid.

        Returns
        -------
        LinkEffects
            Effects whose box has no sides.

        Examples
        --------
        >>> import numpy as np
        >>> from kinetrace.model import LinkEffects
        >>> LinkEffects("bob", np.eye(4), 12.0, [1.0, 2.0, 1.0]).without_box().box
        array([0., 0., 0.])
        """
        return replace(self, box=np.zeros(3))

    def inertia(self) -> Array:
        """Spatial inertia of the box.

        Returns
        -------
        ndarray, shape (6, 6)
            Inertia about and in the frame that the placement is in.

        Examples
        --------
        >>> import numpy as np
        >>> from kinetrace.model import LinkEffects
        >>> LinkEffects("bob", np.eye(4), 12.0, [1.0, 2.0, 1.0]).inertia().diagonal()
        array([ 5.,  2.,  5., 12., 12., 12.])
        """
        second = self.mass * self.box * self.box / 12.0
        R = se3.rotation(self.placement)
        moments = R @ (np.eye(3) * (second.sum() - second)) @ R.T
        return inertia.from_mass_com(self.mass, se3.translation(self.placement), moments)


def effects_in_frame(effects: tuple[LinkEffects, ...] | None, X: Array) -> tuple[LinkEffects, ...] | None:
    """The effects of a body in another frame, X (4, 4) being the frame of before in it."""
    return effects and tuple(replace(x, placement=X @ x.placement) for x in effects)


def of_both(
    effects: tuple[LinkEffects, ...] | None, more: tuple[LinkEffects, ...] | None, X: Array
) -> tuple[LinkEffects, ...] | None:
    """The effects of two bodies that are one, the frame of the second at X (4, 4) in that of the first."""
    return (*(effects or ()), *(effects_in_frame(more, X) or ())) or None


def renamed_effects(
    effects: tuple[LinkEffects, ...] | None, names: Mapping[str, str]
) -> tuple[LinkEffects, ...] | None:
    """The effects on links that have other names now."""
    return effects and tuple(replace(x, link=names.get(x.link, x.link)) for x in effects)


def one_fluid(fluid: Fluid | None, other: Fluid | None) -> Fluid | None:
    """The fluid around two robots that are joined, of which one may have none."""
    if fluid is not None and other is not None and fluid != other:
        raise ModelError("joined: the robots are in two fluids, which differ")
    return fluid if other is None else other


_LINEAR = np.repeat([0.0, 1.0], 3)
_OTHERS = np.array([1, 2, 0]), np.array([2, 0, 1])
"""For each axis, the two others."""


def has_link_effects(model: Model) -> bool:
    """Whether anything acts on links by itself."""
    return any(body.link_effects is not None for body in model.bodies)


class Ambient(NamedTuple):
    """Flow and gravity at a body, in its own frame, and their changes with q and v: rows of changes are velocities."""

    V: Array
    """(6,) twist relative to the fluid."""
    G: Array
    """(6,) gravity."""
    X: Pose = Pose()
    S: Array = None
    columns: Array = None
    """(nv, 6) the screws of the joint for each velocity of the robot."""
    dS: Array = None
    """(nv_i, 6, nv_i) the changes of S along the joint's own q."""
    share: Array = None
    """(nv_i, nv) the part that the joint has in each velocity of the robot."""
    V_q: Array = None
    V_v: Array = None
    G_q: Array = None
    """(nv, 6) along q ⊕ ε and v."""


def link_forces(model: Model, q: Array, v: Array, *, lifts: bool = True) -> Array:
    """Joint forces (nv,) that overcome what acts on links; `lifts`: with the compensation of weights."""
    met, F = _flow_and_gravity(model, q, v), dict[int, Array]()
    tau = [np.zeros(body.joint.nv) for body in model.bodies]
    for body in reversed([body for body in model.bodies if body.index in met]):
        at = met[body.index]
        total = _wrench(model, body, at, lifts) + F.get(body.index, np.zeros(6))
        tau[body.index] = -(at.S.T @ total)
        F[body.parent] = F.get(body.parent, np.zeros(6)) + at.X.Ad_inv_dual(total)
    return model.gather(tau)


def link_force_derivatives(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """∂/∂q and ∂/∂v (nv, nv) of `link_forces`."""
    n, met = model.nv, _flow_and_gravity(model, q, v, changes=True)
    nothing = np.zeros(6), np.zeros((n, 6)), np.zeros((n, 6))
    F, found = dict[int, tuple[Array, ...]](), [(np.zeros((b.joint.nv, n)),) * 2 for b in model.bodies]
    for body in reversed([body for body in model.bodies if body.index in met]):
        at = met[body.index]
        own = _wrench(model, body, at, True), *_wrench_changes(model, body, at)
        total, by_q, by_v = (x + y for x, y in zip(own, F.get(body.index, nothing), strict=True))
        turned = (total @ at.dS).T @ at.share  # with the joint's own screws
        found[body.index] = -(at.S.T @ by_q.T + turned), -(at.S.T @ by_v.T)
        passed = total, by_q - ad_dual(at.columns, total), by_v
        before = F.get(body.parent, nothing)
        F[body.parent] = tuple(x + at.X.Ad_inv_dual(y) for x, y in zip(before, passed, strict=True))
    by_q, by_v = (model.gather([x[k] for x in found]) for k in range(2))
    return by_q, by_v


def lifted_energy(model: Model, q: Array) -> Array:
    """Potential energy () of the compensation of weights: Σ c m g·p, which cancels that of gravity."""
    X, total = dict[int, Array](), np.zeros(())
    for body, q_i in zip(model.bodies, model.split_q(q), strict=True):
        X[body.index] = X.get(body.parent, np.eye(4)) @ body.placement(q_i)
        for link in body.link_effects or ():
            center = (X[body.index] @ link.placement)[:3, 3]
            total = total + link.gravity_compensation * link.mass * (model.gravity @ center)
    return total


def _wrench(model: Model, body: Body, at: Ambient, lifts: bool) -> Array:
    """The wrench (6,) of all that acts on the links of a body."""
    total = np.zeros(6)
    for link in body.link_effects or ():
        if lifts and is_present(link.gravity_compensation):
            total = total + _lift(link, at.G)
        if model.fluid is not None and is_present(link.box):
            total = total + _drag(link, model.fluid, at.V)
    return total


def _wrench_changes(model: Model, body: Body, at: Ambient) -> tuple[Array, Array]:
    """How it changes (nv, 6) along q ⊕ ε and v."""
    by_q = by_v = np.zeros((model.nv, 6))
    for link in body.link_effects or ():
        if is_present(link.gravity_compensation):
            by_q = by_q + _lift(link, at.G_q)
        if model.fluid is not None and is_present(link.box):
            by_q = by_q + _drag_change(link, model.fluid, at.V, at.V_q)
            by_v = by_v + _drag_change(link, model.fluid, at.V, at.V_v)
    return by_q, by_v


def _flow_and_gravity(model: Model, q: Array, v: Array, changes: bool = False) -> dict[int, Ambient]:
    """Flow and gravity at bodies with effects and those that carry them, by index; if wanted, with their changes."""
    needed = frozenset[int]().union(*(model.ancestors(b.index) for b in model.bodies if b.link_effects is not None))
    wind = np.zeros(3) if model.fluid is None else model.fluid.wind
    none = np.zeros((model.nv, 6))
    base = Ambient(concatenate([np.zeros(3), -wind]), concatenate([np.zeros(3), model.gravity]))
    base, found = base._replace(V_q=none, V_v=none, G_q=none), dict[int, Ambient]()
    shares = model.split_v(np.eye(model.nv)) if changes else [None] * len(model.bodies)
    for body, q_i, v_i, share in zip(model.bodies, model.split_q(q), model.split_v(v), shares, strict=True):
        if body.index in needed:
            parent, X, S = found.get(body.parent, base), body.placement(q_i), body.subspace(q_i)
            V, G = X.Ad_inv(parent.V), X.Ad_inv(parent.G)
            at = Ambient(V + S @ v_i, G, X, S)
            found[body.index] = _changing(body, at, parent, V, q_i, v_i, share) if changes else at
    return found


def _changing(body: Body, at: Ambient, parent: Ambient, V: Array, q: Array, v: Array, share: Array) -> Ambient:
    """The same with its changes; V is the parent's twist in the body's frame. See `algorithms.derivatives.tree`."""
    columns = (at.S @ share).T
    dS = stack([body.subspace_rate(q, e) for e in np.eye(body.joint.nv)], axis=0)
    return at._replace(
        columns=columns,
        dS=dS,
        share=share,
        V_q=at.X.Ad_inv(parent.V_q) + ad(V, columns) + share.T @ (dS @ v),
        V_v=at.X.Ad_inv(parent.V_v) + columns,
        G_q=at.X.Ad_inv(parent.G_q) + ad(at.G, columns),
    )


def _lift(link: LinkEffects, G: Array) -> Array:
    """The wrench (..., 6) of the compensation on the body, G (..., 6) being gravity in its frame."""
    force = _LINEAR * Ad_inv(link.placement, G)
    return Ad_inv_dual(link.placement, -link.gravity_compensation * link.mass * force)


def _drag(link: LinkEffects, fluid: Fluid, V: Array) -> Array:
    """The wrench (6,) of the fluid on the body, V (6,) being its twist relative to that."""
    u, (quadratic, linear) = Ad_inv(link.placement, V), _resistances(link.box, fluid)
    return Ad_inv_dual(link.placement, -(quadratic * abs(u) + linear) * u)


def _drag_change(link: LinkEffects, fluid: Fluid, V: Array, dV: Array) -> Array:
    """How that changes (k, 6) with V, by dV (k, 6)."""
    u, (quadratic, linear) = Ad_inv(link.placement, V), _resistances(link.box, fluid)
    slope = -(2.0 * quadratic * abs(u) + linear)
    return Ad_inv_dual(link.placement, slope * Ad_inv(link.placement, dV))


def _resistances(box: Array, fluid: Fluid) -> tuple[Array, Array]:
    """Factors (6,) of |u| u and of u."""
    a, (b, c), d = box, (box[k] for k in _OTHERS), box.sum() / 3.0
    quadratic = concatenate([a * (b**4 + c**4) / 64.0, b * c / 2.0])
    linear = np.array([math.pi] * 3 + [3.0 * math.pi] * 3) * concatenate([np.ones(3) * d**3, np.ones(3) * d])
    return fluid.density * quadratic, fluid.viscosity * linear

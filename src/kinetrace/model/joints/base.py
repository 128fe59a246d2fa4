"""Base class of joints, and joints with one axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ...arrays import Array, concatenate, objects, stack
from ...errors import ModelError, value_text
from ...support.attributes import cached_property
from ..checks import unit
from ..constraints import Constraint
from ..dual import Dual, depends, derivative_along
from ..record import Record


def columns(*angular_linear: tuple[Array, Array]) -> Array:
    """A (6, k) matrix from k pairs (angular, linear)."""
    return stack([concatenate(pair) for pair in angular_linear], axis=-1)


Snap: TypeAlias = Callable[[Array], Array]
"""A function that rounds near-trivial constants; see `checks.snap`."""


ZERO = np.zeros(3)


EYE = np.eye(3)

OF_DISPLACEMENTS = ("tangent", "bracket", "integrate", "difference")
"""Methods that differ from those of coordinates wherever v is not q̇."""


class Part(NamedTuple):
    """A joint of a manifold, and where its variables stand among all."""

    joint: Joint
    q: slice
    v: slice


class Joint(Record):
    """Joint: its motion, and the manifold of its configurations.

    Methods take the joint's own variables, of any scalar type, and are in its own frame. A class needs `placement`, and
    either `nq` and `nv`, which are equal and may depend on its fields, or `manifold`, the group that q is in. All else
    follows: `subspace`, `subspace_rate` and `bias_gradient` from `placement`, exactly, by dual numbers; a `subspace`
    that is written saves operations.

    Attributes
    ----------
    nq : int
        Number of configuration variables.
    nv : int
        Number of velocities: the degrees of freedom.
    manifold : tuple of Joint or int
        Joints of whose variables q is made, one after the other, and v of their velocities; a number stands for as many
        coordinates. (Spherical(), 2) are a unit quaternion and two numbers; () are coordinates alone.

    Examples
    --------
    >>> import kinetrace as kt
    >>> joint = kt.joints.Spherical()
    >>> isinstance(joint, kt.joints.Joint), joint.nq, joint.nv
    (True, 4, 3)
    """

    manifold: tuple[Any, ...] = ()
    """Joints, or numbers of coordinates, of whose variables q is made, one after the other; () for coordinates."""
    nq: int
    """Number of configuration variables."""
    nv: int
    """Number of velocity variables: the degrees of freedom."""

    if not TYPE_CHECKING:  # type checkers see declared attributes alone

        def __getattr__(self, name: str) -> Any:
            """The sizes of a class that has a manifold; others have numbers, properties or fields of these names."""
            if name not in ("nq", "nv"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            if not self.manifold:
                told = f"the class {type(self).__name__} has neither {name} nor a manifold"
                raise ModelError(f"{told}: write nq and nv, or the group of q, as manifold = (kt.joints.Spherical(),)")
            return int(sum(getattr(part.joint, name) for part in self._parts))

    @property
    def quaternion(self) -> slice | None:
        """Where the first unit quaternion stands among the configuration variables, if there is one."""
        for part, at, _ in self._parts:
            if part.quaternion is not None:
                place = range(part.nq)[part.quaternion]
                return slice(at.start + place.start, at.start + place.stop)
        return None

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        """The joints of the manifold, and where their variables stand in q and v."""
        found, q, v = list[Part](), 0, 0
        if not isinstance(self.manifold, tuple) or not all(isinstance(x, Joint | int) for x in self.manifold):
            told = "manifold must be a tuple of joints and numbers of coordinates, such as (kt.joints.Spherical(), 2)"
            raise ModelError(f"{type(self).__name__}.{told}, got {value_text(self.manifold)}")
        for item in self.manifold:
            part = Coordinates(item) if isinstance(item, int) else item
            found.append(Part(part, slice(q, q + part.nq), slice(v, v + part.nv)))
            q, v = q + part.nq, v + part.nv
        return tuple(found)

    def _joined(self, method: str, qs: Sequence[Array], vs: Sequence[Array], *others: Any) -> Array:
        """What a method of the joints of the manifold gives for their entries of qs and vs, one after the other."""
        return concatenate(
            [
                getattr(part, method)(*(q[..., at_q] for q in qs), *(v[..., at_v] for v in vs), *others)
                for part, at_q, at_v in self._parts
            ]
        )

    def _diagonal(self, method: str, *qs: Array) -> Array:
        """The block-diagonal matrix of what a method of the joints of the manifold gives for their entries of qs."""
        rows = []
        for part, at_q, at_v in self._parts:
            x = getattr(part, method)(*(q[at_q] for q in qs))
            n = len(x)
            rows.append(concatenate([np.zeros((n, at_v.start)), x, np.zeros((n, self.nv - at_v.stop))]))
        return concatenate(rows, axis=0)

    @property
    def has_motor(self) -> bool:
        """Whether the joint has a motor unless joints with motors are named; none that does not move has one."""
        return self.nv > 0

    @property
    def commuting_translation(self) -> Array | None:
        """Direction (3,) along which translations commute with the joint's motion; None if there is none."""
        return None

    @property
    def rotation_axis(self) -> Array | None:
        """Axis (3,), if the joint rotates about it by q and does nothing else; otherwise None."""
        return None

    @property
    def rotates(self) -> bool:
        """Whether the joint rotates; if not, translations along all directions commute with its motion."""
        return True

    @cached_property
    def has_constant_subspace(self) -> bool:
        """Whether S is the same for all q: no entry of it is computed from q."""
        if type(self).subspace_rate is not Joint.subspace_rate:
            return False
        try:
            q = objects([Dual(float(x)) for x in self.neutral()], (self.nq,))
            with np.errstate(all="ignore"):
                return not depends(self.subspace(q))
        except (ArithmeticError, AttributeError, TypeError, ValueError):  # it computes with q what dual numbers cannot
            return False

    @property
    def has_coordinates(self) -> bool:
        """Whether v is the rate of coordinates q, which is not so for quaternions."""
        own = [name for name in OF_DISPLACEMENTS if getattr(type(self), name) is not getattr(Joint, name)]
        return self.nq == self.nv and not own and not self.manifold

    @property
    def is_free(self) -> bool:
        """Whether the joint allows every motion, and moves as `Free` does: S is the identity, and X⁺ = X exp v."""
        return False

    @property
    def axes_turn(self) -> bool:
        """Whether velocities have components along axes that turn with the body, and are not angular alone."""
        return type(self).turn_axes is not Joint.turn_axes or any(part.axes_turn for part, *_ in self._parts)

    def travel(self, lower: Array, upper: Array) -> float:
        """Bound of the distance of the moved frame's origin from the joint's frame.

        Parameters
        ----------
        lower : array, shape (nq,)
            Lower bounds of q; minus infinity where there is none.
        upper : array, shape (nq,)
            Upper bounds of q; infinity where there is none.

        Returns
        -------
        float
            The distance [m]: zero if the joint only turns, infinite if nothing bounds it.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Prismatic().travel(np.array([-0.3]), np.array([0.2]))
        0.3
        """
        return math.inf

    def along_z(self) -> Joint | None:
        """Same joint about the z axis.

        Returns
        -------
        Joint or None
            The joint, if it has one axis, and commutes with rotations about and translations along it; otherwise None.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.joints.Revolute([1, 0, 0]).along_z().axis
        array([0., 0., 1.])
        """
        return None

    def placement(self, q: Array) -> Array:
        """Pose of the moved frame in the joint's frame.

        Parameters
        ----------
        q : array, shape (nq,)
            Configuration.

        Returns
        -------
        ndarray, shape (4, 4)
            The pose.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Prismatic([1, 0, 0]).placement(np.array([0.3]))
        array([[1. , 0. , 0. , 0.3],
               [0. , 1. , 0. , 0. ],
               [0. , 0. , 1. , 0. ],
               [0. , 0. , 0. , 1. ]])
        """
        told = "write placement(self, q), the pose (4, 4) of the moved frame in the joint's frame"
        raise ModelError(f"the class {type(self).__name__} has no placement: {told}")

    def subspace(self, q: Array) -> Array:
        """Motion subspace S: the joint allows the twists S v.

        Unless a class has its own, S follows from the placement: S v = (X⁻¹ Ẋ)ˇ.

        Parameters
        ----------
        q : array, shape (nq,)
            Configuration.

        Returns
        -------
        ndarray, shape (6, nv)
            The matrix S in the moved frame, angular rows first.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Cylindrical().subspace(np.zeros(2))
        array([[0., 0.],
               [0., 0.],
               [1., 0.],
               [0., 0.],
               [0., 0.],
               [0., 1.]])
        """
        X, directions = self.placement(q), self.tangent(q)
        Rt = X[:3, :3].T
        return stack([_twist(Rt, derivative_along(self.placement, q, d)) for d in directions.T], axis=-1)

    def subspace_rate(self, q: Array, v: Array) -> Array:
        """Rate Ṡ of the motion subspace.

        Parameters
        ----------
        q : array, shape (nq,)
            Configuration.
        v : array, shape (nv,)
            Velocity.

        Returns
        -------
        ndarray, shape (6, nv)
            The rate of S, in the moved frame.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Universal().subspace_rate(np.zeros(2), np.array([0.0, 1.0]))[:3]
        array([[0., 0.],
               [0., 0.],
               [1., 0.]])
        """
        if self.has_constant_subspace:
            return np.zeros((6, self.nv))
        return derivative_along(self.subspace, q, self.tangent(q) @ v)

    def bias(self, q: Array, v: Array) -> Array:
        """Acceleration Ṡ v that is left when v̇ = 0.

        Parameters
        ----------
        q : array, shape (nq,)
            Configuration.
        v : array, shape (nv,)
            Velocity.

        Returns
        -------
        ndarray, shape (6,)
            The product Ṡ v, in the moved frame.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Universal().bias(np.zeros(2), np.array([1.0, 2.0]))
        array([0., 0., 2., 0., 0., 0.])
        """
        return self.subspace_rate(q, v) @ v

    def bias_gradient(self, q: Array, v: Array) -> Array:
        """Derivative of the bias along q ⊕ ε.

        Parameters
        ----------
        q : array, shape (nq,)
            Configuration.
        v : array, shape (nv,)
            Velocity.

        Returns
        -------
        ndarray, shape (6, nv)
            The derivative, in the moved frame.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Universal().bias_gradient(np.array([0.0, 0.5]), np.array([1.0, 2.0]))[:3].round(3)
        array([[ 0.   , -1.755],
               [ 0.   ,  0.   ],
               [ 0.   , -0.959]])
        """
        if self.has_constant_subspace:
            return np.zeros((6, self.nv))
        directions = self.tangent(q)
        gradient = [derivative_along(lambda x: self.bias(x, v), q, directions[:, k]) for k in range(self.nv)]
        return stack(gradient, axis=-1)

    def tangent(self, q: Array) -> Array:
        """Derivative of q ⊕ ε at ε = 0: q̇ = tangent(q) v.

        Parameters
        ----------
        q : array, shape (nq,)
            Configuration.

        Returns
        -------
        ndarray, shape (nq, nv)
            The derivative.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Spherical().tangent(np.array([1.0, 0.0, 0.0, 0.0]))
        array([[0. , 0. , 0. ],
               [0.5, 0. , 0. ],
               [0. , 0.5, 0. ],
               [0. , 0. , 0.5]])
        """
        return self._diagonal("tangent", q) if self.manifold else np.eye(self.nv)

    def bracket(self, u: Array, w: Array) -> Array:
        """Lie bracket [u, w] of two velocities: zero where they are rates of coordinates.

        Parameters
        ----------
        u : array, shape (..., nv)
            Velocity of the first motion.
        w : array, shape (..., nv)
            Velocity of the second motion.

        Returns
        -------
        ndarray, shape (..., nv)
            The bracket.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Spherical().bracket(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
        array([0., 0., 1.])
        """
        return self._joined("bracket", (), (u, w)) if self.manifold else 0 * u

    def coadjoint(self, v: Array, p: Array) -> Array:
        """Coadjoint action ad_vᵀ p, the dual of the bracket.

        Parameters
        ----------
        v : array, shape (nv,)
            Velocity.
        p : array, shape (nv,)
            Momentum.

        Returns
        -------
        ndarray, shape (nv,)
            The products p · [v, w] with all unit velocities w.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Spherical().coadjoint(np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]))
        array([0., 1., 0.])
        """
        return self._joined("coadjoint", (), (v, p)) if self.manifold else 0 * p

    def dexp(self, theta: Array, w: Array) -> Array:
        """Product dexp_θ w of a velocity: w where velocities are rates of coordinates.

        The displacement q ⊕ (θ + ε w) is that of exp(ε dexp_θ w) before q ⊕ θ, to first order in ε.

        Parameters
        ----------
        theta : array, shape (nv,)
            Displacement θ: a velocity, multiplied by a time.
        w : array, shape (nv,)
            Its rate.

        Returns
        -------
        ndarray, shape (nv,)
            The velocity, in the axes before the displacement.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Spherical().dexp(np.array([0.1, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])).round(4)
        array([0.    , 0.9983, 0.05  ])
        """
        return self._joined("dexp", (), (theta, w)) if self.manifold else w

    def dexp_inv(self, theta: Array, w: Array) -> Array:
        """Inverse of `dexp`.

        Parameters
        ----------
        theta : array, shape (nv,)
            Displacement θ: a velocity, multiplied by a time.
        w : array, shape (nv,)
            Velocity, in the axes before the displacement.

        Returns
        -------
        ndarray, shape (nv,)
            The rate of θ that `dexp` maps to `w`.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Spherical().dexp_inv(np.array([0.1, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])).round(4)
        array([ 0.    ,  0.9992, -0.05  ])
        """
        return self._joined("dexp_inv", (), (theta, w)) if self.manifold else w

    def dexp_dual(self, theta: Array, p: Array) -> Array:
        """Product dexp_θᵀ p of a momentum.

        The displacement q ⊕ (θ + ε w) is that of exp(ε dexp_θ w) before q ⊕ θ, to first order in ε.

        Parameters
        ----------
        theta : array, shape (nv,)
            Displacement θ: a velocity, multiplied by a time.
        p : array, shape (nv,)
            Momentum.

        Returns
        -------
        ndarray, shape (nv,)
            The products p · dexp_θ w with all unit velocities w.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Spherical().dexp_dual(np.array([0.1, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])).round(4)
        array([ 0.    ,  0.9983, -0.05  ])
        """
        return self._joined("dexp_dual", (), (theta, p)) if self.manifold else p

    def dexp_inv_dual(self, theta: Array, p: Array) -> Array:
        """Inverse of `dexp_dual`.

        Parameters
        ----------
        theta : array, shape (nv,)
            Displacement θ: a velocity, multiplied by a time.
        p : array, shape (nv,)
            Momentum.

        Returns
        -------
        ndarray, shape (nv,)
            The momentum that `dexp_dual` maps to `p`.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Spherical().dexp_inv_dual(np.array([0.1, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])).round(4)
        array([0.    , 0.9992, 0.05  ])
        """
        return self._joined("dexp_inv_dual", (), (theta, p)) if self.manifold else p

    def neutral(self) -> Array:
        """Configuration that places the moved frame on the joint's frame.

        Returns
        -------
        ndarray, shape (nq,)
            The configuration.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.joints.Spherical().neutral()
        array([1., 0., 0., 0.])
        """
        return self._joined("neutral", (), ()) if self.manifold else np.zeros(self.nq)

    def integrate(self, q: Array, v: Array) -> Array:
        """Configuration q ⊕ v, reached in unit time at constant velocity.

        Parameters
        ----------
        q : array, shape (nq,)
            Configuration.
        v : array, shape (nv,)
            Velocity, multiplied by the time of the step.

        Returns
        -------
        ndarray, shape (nq,)
            The configuration q ⊕ v.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Spherical().integrate(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.2, 0.0, 0.0])).round(3)
        array([0.995, 0.1  , 0.   , 0.   ])
        """
        return self._joined("integrate", (q,), (v,)) if self.manifold else q + v

    def axis_rate(self, v: Array) -> Array:
        """What v̇ lacks to the rate of the velocity in axes that do not turn with the body.

        Parameters
        ----------
        v : array, shape (nv,)
            Velocity.

        Returns
        -------
        ndarray, shape (nv,)
            The rate, ω × v for the linear part of a twist; zero unless v is one.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Free().axis_rate(np.array([0.0, 0.0, 2.0, 3.0, 0.0, 0.0]))
        array([0., 0., 0., 0., 6., 0.])
        """
        return self._joined("axis_rate", (), (v,)) if self.manifold else np.zeros(self.nv)

    def advance(self, q: Array, v: Array) -> Array:
        """Configuration reached in unit time at a velocity that is constant in axes that do not turn.

        Parameters
        ----------
        q : array, shape (nq,)
            Configuration.
        v : array, shape (nv,)
            Velocity, multiplied by the time of the step.

        Returns
        -------
        ndarray, shape (nq,)
            The configuration: q ⊕ v unless v is a twist.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> ball = kt.joints.Free()
        >>> ball.advance(ball.neutral(), np.array([0.0, 0.0, np.pi, 1.0, 0.0, 0.0]))[:3]
        array([1., 0., 0.])
        """
        return self._joined("advance", (q,), (v,)) if self.manifold else self.integrate(q, v)

    def turn_axes(self, theta: Array, v: Array) -> Array:
        """Components of a velocity in the axes that the body has after a displacement.

        Parameters
        ----------
        theta : array, shape (nv,)
            Displacement, a velocity multiplied by the time of the step.
        v : array, shape (nv,)
            Velocity.

        Returns
        -------
        ndarray, shape (nv,)
            The same velocity; other components only if v is a twist.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> theta, v = np.array([0.0, 0.0, np.pi / 2, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0, 2.0, 0.0, 0.0])
        >>> kt.joints.Free().turn_axes(theta, v).round(3) + 0.0
        array([ 0.,  0.,  1.,  0., -2.,  0.])
        """
        return self._joined("turn_axes", (), (theta, v)) if self.manifold else v

    def difference(self, q0: Array, q1: Array) -> Array:
        """Difference q1 ⊖ q0: the v with q0 ⊕ v = q1.

        Parameters
        ----------
        q0 : array, shape (nq,)
            Configuration at the beginning.
        q1 : array, shape (nq,)
            Configuration at the end.

        Returns
        -------
        ndarray, shape (nv,)
            The velocity, multiplied by the time.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Revolute().difference(np.array([0.25]), np.array([1.0]))
        array([0.75])
        """
        return self._joined("difference", (q0, q1), ()) if self.manifold else q1 - q0

    def difference_gradient(self, q0: Array, q1: Array) -> Array:
        """Derivative of q1 ⊖ q0 along q1 ⊕ ε.

        Parameters
        ----------
        q0 : array, shape (nq,)
            Configuration at the beginning.
        q1 : array, shape (nq,)
            Configuration at the end.

        Returns
        -------
        ndarray, shape (nv, nv)
            The derivative.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Revolute().difference_gradient(np.array([0.25]), np.array([1.0]))
        array([[1.]])
        """
        return self._diagonal("difference_gradient", q0, q1) if self.manifold else np.eye(self.nv)

    def normalise(self, q: Array) -> Array:
        """Nearest valid configuration: a quaternion is scaled to unit length.

        Parameters
        ----------
        q : array, shape (nq,)
            Configuration.

        Returns
        -------
        ndarray, shape (nq,)
            The valid configuration.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Spherical().normalise(np.array([2.0, 0.0, 0.0, 0.0]))
        array([1., 0., 0., 0.])
        """
        return self._joined("normalise", (q,), ()) if self.manifold else q

    def closing(self) -> Constraint:
        """Constraint that lets two frames move as by this joint, which closes loops.

        Returns
        -------
        Constraint
            The constraint, with 6 − nv rows.

        Raises
        ------
        ModelError
            If the joint cannot close a loop.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.joints.Revolute([0, 1, 0]).closing().transmits
        ('moment along z', 'moment along x', 'force along z', 'force along x', 'force along y')
        """
        own = "closing() of a class of your own does, as by kt.closures.Rows(matrix)"
        raise ModelError(f"a {type(self).__name__} joint cannot close a loop: it does not say what it holds; {own}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def random(self, rng: np.random.Generator, limits: tuple[Array, Array], shape: tuple[int, ...] = ()) -> Array:
        """Random configurations, uniform between limits.

        A variable without limits is in an interval of length 2π; quaternions are uniform over rotations.

        Parameters
        ----------
        rng : numpy.random.Generator
            Generator of random numbers.
        limits : tuple of array, shape (nq,)
            Lower and upper limits, which may be infinite.
        shape : tuple of int, default ()
            Batch axes.

        Returns
        -------
        ndarray, shape (*shape, nq)
            The configurations.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Revolute().random(np.random.default_rng(0), (np.array([0.0]), np.array([1.0])), (2,)).round(3)
        array([[0.637],
               [0.27 ]])
        """
        lower, upper = limits
        if self.manifold:
            each = [part.random(rng, (lower[at], upper[at]), shape) for part, at, _ in self._parts]
            return np.concatenate(each, axis=-1)
        low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * math.pi, -math.pi))
        high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + 2 * math.pi, math.pi))
        return rng.uniform(low, high, (*shape, self.nq))

    def snapped(self, snap: Snap) -> Joint:
        """Same joint with a function applied to its axes.

        Parameters
        ----------
        snap : callable
            Function that rounds near-trivial constants of an array.

        Returns
        -------
        Joint
            The joint.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.joints.Revolute([1e-15, 0, 1]).snapped(np.round).axis
        array([0., 0., 1.])
        """
        return self


class Coordinates(Joint):
    """Some numbers of a manifold: coordinates that move nothing by themselves."""

    def __init__(self, count: int) -> None:
        self.nq = self.nv = count

    def placement(self, q: Array) -> Array:
        return np.eye(4)


def _twist(Rt: Array, rate: Array) -> Array:
    """The twist (6,) of a pose with the rotation R and the rate (4, 4), in the moved frame."""
    W = Rt @ rate[:3, :3]
    return concatenate([stack([W[2, 1], W[0, 2], W[1, 0]]), Rt @ rate[:3, 3]])


def farthest(lower: Array, upper: Array, rate: float = 1.0) -> float:
    """The largest |rate x| (n,) for x between bounds, as a length; zero if the rate is, whatever the bounds."""
    return float(abs(rate) * np.linalg.norm(np.maximum(np.abs(lower), np.abs(upper)))) if rate else 0.0


@dataclass(frozen=True, eq=False)
class Axial(Joint):
    """A joint described by one axis, a unit vector in the joint's frame."""

    axis: Array = field(default=(0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis, f"axis of a {type(self).__name__} joint"))

    @property
    def commuting_translation(self) -> Array | None:
        return self.axis

    def along_z(self) -> Joint | None:
        return replace(self, axis=EYE[2])

    def snapped(self, snap: Snap) -> Joint:
        return replace(self, axis=snap(self.axis))


def check_class(joint: Joint, name: str, what: str) -> None:
    """An error for a user's class that is derived from a joint of the package: it may move otherwise than that one."""
    kind = type(joint)
    own = [base for base in kind.__mro__ if base.__module__.startswith(__package__) and base is not Joint]
    if own and own[0] is not kind:
        told = f"what it is derived from, {own[0].__name__}, may move otherwise"
        raise ModelError(f"joint {name!r}: {what} has no {kind.__name__} joints, and {told}")

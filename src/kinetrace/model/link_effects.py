"""What acts on links by itself, as records: gravity compensation, and a fluid around the robot; see `link_forces`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, is_concrete
from ..errors import ModelError
from ..lie import inertia, se3
from .checks import LARGEST, number, numbers, pose, text
from .record import Record, read_only

_LEAST = 1e-15
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
            if is_concrete(x) and not 0.0 <= x <= LARGEST:
                raise ModelError(f"fluid: {name} must be finite and not negative, at most {LARGEST:g}, got {x}")
            object.__setattr__(self, name, x)
        wind = numbers(self.wind, "fluid: wind")
        if wind.shape != (3,) or (is_concrete(wind) and not np.all(np.abs(wind) <= LARGEST)):
            raise ModelError(f"fluid: wind must be three finite numbers, got {self.wind!r}")
        object.__setattr__(self, "wind", read_only(wind))


@dataclass(frozen=True, eq=False)
class LinkEffects(Record):
    """What acts on a link by itself: the compensation of its weight, and the fluid around it.

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
        for name, least in (("mass", 0.0), ("gravity_compensation", -LARGEST)):
            x = number(getattr(self, name), f"{what}: {name}")
            if is_concrete(x) and not least <= x <= LARGEST:
                raise ModelError(f"{what}: {name} must be from {least:g} to {LARGEST:g}, got {x}")
            object.__setattr__(self, name, x)
        box = numbers(self.box, f"{what}: box")
        if box.shape != (3,) or (is_concrete(box) and not np.all((box >= 0.0) & (box <= LARGEST))):
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
        second = np.maximum(I.sum() - 2.0 * I, _LEAST)
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


def moved(effects: tuple[LinkEffects, ...] | None, X: Array) -> tuple[LinkEffects, ...] | None:
    """The effects of a body in another frame, X (4, 4) being the frame of before in it."""
    return effects and tuple(replace(x, placement=X @ x.placement) for x in effects)


def of_both(
    effects: tuple[LinkEffects, ...] | None, more: tuple[LinkEffects, ...] | None, X: Array
) -> tuple[LinkEffects, ...] | None:
    """The effects of two bodies that are one, the frame of the second at X (4, 4) in that of the first."""
    return (*(effects or ()), *(moved(more, X) or ())) or None


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

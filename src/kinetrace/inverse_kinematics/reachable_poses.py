"""Reachability of a frame: poses of random configurations, and how well it can be moved there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError, lookup
from ..robot import Robot
from ..robot.types import Float
from ..support.conversion import as_count, as_rng
from ..support.optional import require_package
from .goals import check_moves

PLANES = {"xy": (0, 1, 2), "xz": (0, 2, 1), "yz": (1, 2, 0)}
"""Plane → the axes of a picture, and the one across it."""


@dataclass(frozen=True, eq=False)
class Reachability:
    """Poses that a frame takes at random configurations within the joint limits.

    `Robot.reachability` makes it.

    Parameters
    ----------
    q : ndarray, shape (n, nq)
        Configurations.
    pose : ndarray, shape (n, 4, 4)
        Poses of the frame.
    manipulability : ndarray, shape (n,)
        Manipulability of the frame there.
    frame : str
        Name of the frame.
    measure : str
        Measure of manipulability.

    Examples
    --------
    >>> import kinetrace as kt
    >>> found = kt.load("planar2r").reachability("tip", 100)
    >>> found.position.shape, found.manipulability.max().round(3), found.measure
    ((100, 3), np.float64(1.0), 'volume')
    """

    q: Float
    pose: Float
    manipulability: Float
    frame: str
    measure: str

    @property
    def position(self) -> Float:
        """Positions (n, 3) of the frame [m]."""
        return self.pose[:, :3, 3]

    @property
    def box(self) -> tuple[Float, Float]:
        """Corners (3,) of the smallest box with all positions in it [m]."""
        return self.position.min(axis=0), self.position.max(axis=0)

    def __repr__(self) -> str:
        low, high = (x.round(3).tolist() for x in self.box)
        return f"Reachability({self.frame!r}, {len(self.q)} poses from {low} to {high} m)"

    def draw(self, ax: Any = None, *, plane: str | None = None, thickness: float = 0.1) -> Any:
        """Draw the positions, coloured by manipulability.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw into, which have three dimensions unless a plane is given; those of a new figure unless given.
        plane : {"xy", "xz", "yz"}, optional
            Plane through the middle of the positions to draw a slice of; all positions unless given.
        thickness : float, default 0.1
            Thickness of the slice [m].

        Returns
        -------
        matplotlib.axes.Axes
            The axes; `ax.figure.savefig` writes them to a file.

        Raises
        ------
        InputError
            If the plane is unknown, or matplotlib is not installed.

        Examples
        --------
        >>> import kinetrace as kt
        >>> ax = kt.load("planar2r").reachability("tip", 200).draw(plane="xz")
        >>> ax.get_xlabel(), len(ax.collections[0].get_offsets())
        ('x [m]', 200)
        """
        Figure = require_package("matplotlib.figure", "draw", "plot").Figure
        p, values = self.position, self.manipulability
        order = np.argsort(values)  # the best on top
        if plane is None:
            ax = Figure(figsize=(6, 5)).add_subplot(projection="3d") if ax is None else ax
            dots = ax.scatter(*p[order].T, c=values[order], s=2, cmap="viridis", linewidth=0)
            ax.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
            ax.locator_params(nbins=5)
        else:
            across, up, through = lookup("plane", plane, PLANES)
            middle = 0.5 * (self.box[0] + self.box[1])[through]
            order = order[np.abs(p[order, through] - middle) <= 0.5 * thickness + 1e-12]
            ax = Figure(figsize=(6, 5)).add_subplot() if ax is None else ax
            dots = ax.scatter(p[order, across], p[order, up], c=values[order], s=4, cmap="viridis", linewidth=0)
            ax.set(xlabel=f"{'xyz'[across]} [m]", ylabel=f"{'xyz'[up]} [m]")
        ax.set_aspect("equal")
        ax.figure.colorbar(
            dots, ax=ax, label=f"manipulability ({self.measure})", shrink=0.8, pad=0.15 if plane is None else 0.05
        )
        return ax


def reachability(robot: Robot, frame: str, n: int, seed: Any, axes: Any, measure: Any) -> Reachability:
    """Poses of a frame at n random configurations."""
    check_moves(robot)
    model, count = robot.model, as_count("n", n, 1)
    q = model.random(as_rng(seed), (count,))
    q = robot.assemble(np.concatenate([q, q[:1]]))[:-1]  # of several, those that do not close are NaN
    q = q[np.isfinite(q).all(axis=-1)]
    if not len(q):
        raise InputError(f"none of {count} random guesses leads to closed loops; try a larger n or another seed")
    return Reachability(
        q=q,
        pose=robot.pose(q, frame),
        manipulability=robot.manipulability(q, frame, axes=axes, measure=measure),
        frame=frame,
        measure=measure,
    )

"""Pictures of a robot: drawings, plots, and how it shows itself in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ..simulate import Trajectory
from ..support import html
from ..support.keywords import known_keywords
from .closed_dynamics import ClosedDynamics
from .types import Array


class Pictures(ClosedDynamics):
    """Drawings and plots."""

    @known_keywords
    def draw(
        self,
        q: Array | Trajectory | None = None,
        *,
        ax: Any = None,
        show: str | Sequence[str] = "closures",
        frame: str | Sequence[str] | None = None,
        wrench: Mapping[str, Array] | None = None,
        shapes: bool | None = None,
        ghosts: int = 4,
        view: tuple[float, float] | None = None,
    ) -> Any:
        """Picture of the robot in space, by matplotlib.

        The robot has its own shapes, or, if it has none, a capsule from each joint to the next: a short cylinder is a
        revolute joint, a box a prismatic one, a ball a spherical one. Scales are equal, and the robot fills the axes.

        Parameters
        ----------
        q : array_like, shape (..., nq), or Trajectory, optional
            Configuration. Of several, the first one, and of a trajectory the last one, with others pale behind it. By
            default `home`.
        ax : mpl_toolkits.mplot3d.Axes3D, optional
            Axes to draw into, which may hold other robots; those of a new figure unless given.
        show : str or sequence of str, default "closures"
            What to show besides, names in a sequence or with commas between: "frames" (red x, green y, blue z), "axes"
            (of joints), "com" (centre of mass), "inertia" (for each body the ellipsoid of even density that has its
            inertia), "closures" (where loops close), "trail" (the way of a frame through all configurations),
            "manipulability" (velocities of a frame's origin that joint velocities of length 1 cause; of joints with
            motors, or independent ones if loops are closed).
        frame : str or sequence of str, optional
            Frames that "frames", "manipulability" and "trail" are about; by default those of all bodies for the
            first, and the frame at the end of the longest chain for the others.
        wrench : mapping of str to array_like, shape (6,), optional
            Wrenches (moment, force) on frames, in these frames [N m, N]: forces have red arrows, moments violet ones
            with two heads; the largest of each kind has a fixed length.
        shapes : bool, optional
            Whether to draw the robot's own shapes; by default if it has any. Meshes are read by trimesh, if it is
            installed; bodies whose meshes cannot be read are drawn as capsules.
        ghosts : int, default 4
            Number of other configurations of `q` that are drawn, evenly chosen.
        view : tuple of float, optional
            Elevation and azimuth of the eye [degrees]; flat robots are seen from the front unless given.

        Returns
        -------
        mpl_toolkits.mplot3d.Axes3D
            The axes; `ax.figure.savefig` writes them to a file.

        Raises
        ------
        InputError
            If a name, a shape or `ax` is wrong, or matplotlib is not installed.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.5, dt=0.01)
        >>> ax = robot.draw(motion, show="trail", frame="tip", ghosts=3)
        >>> len(ax.collections), ax.lines[0].get_data_3d()[0].round(2)[::10]
        (4, array([2.  , 2.  , 1.97, 1.86, 1.67, 1.3 ]))
        >>> ax.figure.savefig("fall.png")  # doctest: +SKIP
        """
        from ..view.draw import draw

        return draw(self._unchecked(), q, ax, show, frame, wrench, shapes, ghosts, view)

    @known_keywords
    def plot(
        self,
        what: Literal["mass_matrix", "counts", "workspace"],
        q: Array | None = None,
        *,
        frame: str | None = None,
        path: str | Path | None = None,
    ) -> Any:
        """Figure of a quantity of the robot, by matplotlib.

        Motions and energies have `Trajectory.plot`.

        Parameters
        ----------
        what : {"mass_matrix", "counts", "workspace"}
            The mass matrix as a heat map; operation counts of the main algorithms as bars; or where a frame's origin
            can be, seen from above and from the side, at 5000 random configurations within the limits.
        q : array_like, shape (nq,), optional
            Configuration of the mass matrix; by default `home`.
        frame : str, optional
            Frame of the workspace and of counts that are about a frame; the robot's last frame unless given.
        path : str or Path, optional
            File to write the figure to, .png, .svg or .pdf.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        InputError
            If a name or shape is wrong, the file cannot be written, or matplotlib is not installed.

        Examples
        --------
        >>> import kinetrace as kt
        >>> figure = kt.load("planar2r").plot("mass_matrix", [0.3, 0.8])  # path="mass.pdf" writes it
        >>> figure.axes[0].get_title()
        'mass matrix, planar2r'
        """
        from ..view.plot import plot

        return plot(self._unchecked(), what, q, frame, None if path is None else Path(path))

    def _repr_html_(self) -> str:
        from ..view.html import of_model

        source = self._source
        check = ", checks its arguments" if source.check else ""
        return of_model(self.model, "Robot", html.escaped(f", {source.dtype}, {source.backend}{check}"))

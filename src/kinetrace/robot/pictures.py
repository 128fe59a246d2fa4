"""Pictures of a robot: pages, drawings, plots, and how it shows itself in a notebook.

As those of `conveniences`, these methods import the application that they call, `view`, when they are first called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..support import html
from ..support.keywords import known_keywords
from ..support.threads import importing
from .base import RobotBase
from .conveniences import as_robot
from .types import Array

if TYPE_CHECKING:
    from ..simulation import Trajectory
    from ..view.view import View
    from ..worlds import World


class Pictures(RobotBase):
    """Pages, drawings and plots."""

    @known_keywords
    def view(
        self,
        q: Any = None,
        *,
        t: Any = None,
        beside: View | Sequence[View] = (),
        at: Any = None,
        wrench: Mapping[str, Any] | None = None,
        trail: str | None = None,
        show: str | Sequence[str] = ("closures", "contacts"),
        theme: str | None = None,
        floor: bool = True,
        world: World | None = None,
        open: bool | None = None,
    ) -> View:
        """Page that shows the robot, its configurations or its motion.

        The page is one file that needs no network: sliders move the joints, links can be dragged, and the robot's
        dynamics run in it. Notebooks show the returned view; elsewhere a browser opens. See docs/viewer.md.

        Parameters
        ----------
        q : Trajectory or array_like, shape (..., nq), optional
            Motion, or configurations; `home` unless given. Of a batch, the first is the robot and the
            others are ghosts, translucent and without controls.
        t : array_like, shape (T,), optional
            Times [s] that make q (..., T, nq) a motion.
        beside : View or sequence of View, default ()
            Views of other robots, which stand in the same scene; their motions have the same times. What one of the
            views shows is shown of all robots.
        at : array_like, shape (3,) or (4, 4), optional
            Point [m] or pose of the robot in the scene; the origin unless given.
        wrench : mapping of str to array_like, shape (6,), optional
            Wrenches that are drawn: frame → moment [N m] and force [N] in that frame.
        trail : str, optional
            Name of the frame that leaves a trail in a motion.
        show : str or sequence of str, default ("closures", "contacts")
            What is shown besides the links, names in a sequence or with commas between: "frames", "axes", "com",
            "inertia", "closures", "contacts" (points and forces, of robots in worlds), "wrenches", "names",
            "collision", "trail"; "plots" over time.
        theme : {"light", "dark"}, optional
            Colours of the page; those of the system unless given.
        floor : bool, default True
            Whether there is a floor, a grid below the lowest point of the robot and its motion, or on the plane of its
            world; the page can switch it.
        world : World, optional
            What the robot stands on and meets, as in `simulate`; motions that were simulated in a world have theirs.
            The simulation in the page has its contacts, unless they are too many: the page says so.
        open : bool, optional
            Whether to open a browser; True outside notebooks unless given.

        Returns
        -------
        View
            The page: `save` writes it as HTML, PNG, GIF or MP4, `html` is its text.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> robot.view(robot.random(5, seed=0), show="frames", open=False)
        View('planar2r')
        >>> robot.view(robot.simulate([0.0, 0.0], [0.0, 0.0], t=1.0, dt=1e-2), open=False)
        View('planar2r', t=0…1)
        """
        with importing("kinetrace.view.view"):
            from ..view.view import view

        return view(
            as_robot(self),
            q,
            t=t,
            beside=beside,
            at=at,
            wrench=wrench,
            trail=trail,
            show=show,
            theme=theme,
            floor=floor,
            world=world,
            open=open,
        )

    @known_keywords
    def draw(
        self,
        q: Array | Trajectory | None = None,
        *,
        ax: Any = None,
        show: str | Sequence[str] = ("closures", "contacts"),
        frame: str | Sequence[str] | None = None,
        wrench: Mapping[str, Array] | None = None,
        shapes: bool | None = None,
        ghosts: int = 4,
        view: tuple[float, float] | None = None,
        world: World | None = None,
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
        show : str or sequence of str, default ("closures", "contacts")
            What to show besides, names in a sequence or with commas between: "frames" (red x, green y, blue z), "axes"
            (of joints), "com" (centre of mass), "inertia" (for each body the ellipsoid of even density that has its
            inertia), "closures" (where loops close), "contacts" (of robots in worlds: where shapes touch, and the
            forces of a motion), "trail" (the way of a frame through all configurations),
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
        world : World, optional
            What the robot stands on and meets, as in `simulate`; motions that were simulated in a world have theirs.

        Returns
        -------
        mpl_toolkits.mplot3d.Axes3D
            The axes; `ax.figure.savefig` writes them to a file.

        Raises
        ------
        InputError
            If a name, a shape or `ax` is wrong, or matplotlib is not installed.

        >>> robot = kt.load("planar2r")
        >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.5, dt=0.01)
        >>> ax = robot.draw(motion, show="trail", frame="tip", ghosts=3)
        >>> len(ax.collections), ax.lines[0].get_data_3d()[0].round(2)[::10]
        (4, array([2.  , 2.  , 1.97, 1.86, 1.67, 1.3 ]))
        >>> ax.figure.savefig("fall.png")  # doctest: +SKIP
        """
        with importing("kinetrace.view.draw"):
            from ..view.draw import draw

        return draw(as_robot(self._unchecked()), q, ax, show, frame, wrench, shapes, ghosts, view, world)

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

        >>> figure = kt.load("planar2r").plot("mass_matrix", [0.3, 0.8])  # path="mass.pdf" writes it
        >>> figure.axes[0].get_title()
        'mass matrix, planar2r'
        """
        with importing("kinetrace.view.plot"):
            from ..view.plot import plot

        return plot(as_robot(self._unchecked()), what, q, frame, None if path is None else Path(path))

    def _repr_html_(self) -> str:
        with importing("kinetrace.view.html"):
            from ..view.html import of_model

        settings = self._settings
        check = ", checks its arguments" if settings.check else ""
        return of_model(self.model, "Robot", html.html_text(f", {settings.dtype}, {settings.backend}{check}"))

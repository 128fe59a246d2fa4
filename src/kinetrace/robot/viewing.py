"""Pages that show the robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..support.keywords import known_keywords
from .configurations import Configurations
from .simulation import Simulation

if TYPE_CHECKING:
    from ..view.view import View


class Viewing(Configurations, Simulation):
    """Pages that show the robot."""

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
        show: str | Sequence[str] = "closures",
        theme: str | None = None,
        floor: bool = True,
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
        show : str or sequence of str, default "closures"
            What is shown besides the links, names in a sequence or with commas between: "frames", "axes", "com",
            "inertia", "closures", "wrenches", "names", "collision", "trail"; "plots" over time.
        theme : {"light", "dark"}, optional
            Colours of the page; those of the system unless given.
        floor : bool, default True
            Whether there is a floor, a grid below the lowest point of the robot and its motion; the page can switch it.
        open : bool, optional
            Whether to open a browser; True outside notebooks unless given.

        Returns
        -------
        View
            The page: `save` writes it as HTML, PNG, GIF or MP4, `html` is its text.

        Raises
        ------
        InputError
            If a shape does not fit or a name is unknown.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> robot.view(robot.random(5, seed=0), show="frames", open=False)
        View('planar2r')
        >>> robot.view(robot.simulate([0.0, 0.0], [0.0, 0.0], t=1.0, dt=1e-2), open=False)
        View('planar2r', t=0…1)
        """
        from ..view.view import view

        return view(
            self,
            q,
            t=t,
            beside=beside,
            at=at,
            wrench=wrench,
            trail=trail,
            show=show,
            theme=theme,
            floor=floor,
            open=open,
        )

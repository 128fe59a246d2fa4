"""Robots in worlds.

As those of `conveniences`, these methods import the applications that they call, `worlds` and `simulation`, when they
are first called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...model.model import Model
from ...support.keywords import known_keywords
from ...support.threads import importing
from ..base import RobotBase
from ..conveniences import as_robot

if TYPE_CHECKING:
    from ...worlds import World
    from ..robot import Robot


class SceneMethods(RobotBase):
    """A robot in a world as one robot, and its steps."""

    _scenes: dict[Model, Robot]
    """Robots of scenes by their models, whose steps are compiled."""
    _worlds: dict[Any, Any]
    """Scenes by their worlds."""

    @known_keywords
    def with_world(self, world: World) -> Robot:
        """The robot in a world as one robot: with the bodies of the objects, and contacts in steps in time.

        Its first variables are the robot's. All that steps robots takes it: `step`, `rollout`, `simulate`, kernels,
        frameworks. The numbers of the world are in its model, those of the first motion where it has several;
        `contact=` gives others. `simulate`, `rollout` and `step` with `world=` do the same for the robot's own state.

        Parameters
        ----------
        world : World
            What the robot stands on and meets.

        Returns
        -------
        Robot
            The scene.

        Raises
        ------
        InputError
            If no shapes may touch, names are unknown or clash, or there are too many pairs.

        Examples
        --------
        >>> import kinetrace as kt
        >>> world = kt.World(objects={"box": kt.worlds.Box([0.2, 0.2, 0.2], mass=1.0, pose=[1, 0, 0.1])}, pairs="feet")
        >>> kt.load("quadruped", base="free").with_world(world)
        Robot('quadruped', nq=26, nv=24)
        """
        with importing("kinetrace.worlds.scene"):
            from ...worlds import scene

        return scene.scene_robot(as_robot(self._unchecked()), scene.world_of(world))

    def _step_in_world(self, world: Any, q: Any, v: Any, *given: Any, **named: Any) -> Any:
        """`step` of the robot in a world."""
        with importing("kinetrace.simulation"):
            from ... import simulation

        return simulation.scenes.step(as_robot(self._on_checked(q, v)), world, q, v, *given, **named)

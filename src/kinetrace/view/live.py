"""Scenes that Python moves while one looks, in a browser: `live`, by viser.

The server listens on this machine alone.
"""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from threading import RLock
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..arrays import Array
from ..errors import InputError, KinetraceError, printable, shorten
from ..lie import so3
from ..model import configurations
from ..model.body import WORLD
from ..model.configurations import home, q_parts, v_units
from ..model.model import Model
from ..robot import Robot
from ..support.optional import require_package
from .skeleton import body_poses, skeleton
from .solids import Solid, solids

HOST = "127.0.0.1"
ANGLE_RANGE, DISTANCE_RANGE = np.pi, 1.0
"""Range of sliders of joints without limits [rad, m], to both sides."""
LABEL_LENGTH = 40
"""Characters of a slider's label."""
LIMIT_SLACK = 1e-9
"""How far a value may be beyond its limit, relative to it, before it is said: rounding."""


class Slider(NamedTuple):
    """Variable that a slider moves, with its range."""

    place: int
    """In q."""
    joint: str
    label: str
    lower: float
    upper: float


def live(robot: Robot, q: npt.ArrayLike | None = None, *, port: int = 8080) -> Live:
    """A scene with a robot in it, at the address `.url` of this machine.

    `robot` is a `Robot`. The scene starts at q (nq,), by default `home`. If the port is taken, the next free
    one is used. Needs viser, the extra `live`.

    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> with live(robot) as scene:  # doctest: +SKIP
    ...     for x in np.linspace(0, 1, 100):
    ...         scene.show([x, -x])
    """
    return Live(robot, q, port)


class Live:
    """A scene that `live` made: `show` moves the robot, `close` ends the server.

    Sliders of the page move it too; `q` is where it is. Sliders of a robot with closed loops are those of its
    independent joints, and the others follow.
    """

    def __init__(self, robot: Robot, q: npt.ArrayLike | None, port: int) -> None:
        viser = require_package("viser", "a live scene", "live")
        self._robot, self._model = robot, robot.model
        self._q = self._check_q(home(self._model) if q is None else q)
        self._lock, self._is_moving = RLock(), False
        with redirect_stdout(StringIO()):  # it prints a table, even if it is not verbose
            self._server = viser.ViserServer(host=HOST, port=port, label=_label(self._model.name), verbose=False)
        self._nodes = self._scene()
        self._beyond = self._server.gui.add_markdown("")
        self._sliders = [(x, self._slider(x)) for x in sliders(self._model)]
        self.show(self._q)

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://{HOST}:{self._server.get_port()}"

    @property
    def q(self) -> Array:
        """Configuration (nq,) that is shown."""
        with self._lock:
            return self._q.copy()

    def show(self, q: npt.ArrayLike) -> None:
        """Move the robot to a configuration (nq,)."""
        configuration = self._check_q(q)
        with self._lock, self._server.atomic():
            self._q = configuration
            for i, X in body_poses(self._model, configuration).items():
                self._nodes[i].position = X[:3, 3]
                self._nodes[i].wxyz = so3.to_quaternion(X[:3, :3])
            self._is_moving = True
            try:
                for x, handle in self._sliders:
                    handle.value = float(np.clip(configuration[x.place], x.lower, x.upper))
                self._beyond.content = limit_warning(self._model, configuration)
            finally:
                self._is_moving = False

    def poses(self) -> dict[int, Array]:
        """Pose (4, 4) of each body in the scene, and of the world, -1."""
        poses = {}
        with self._lock:
            for i, node in self._nodes.items():
                poses[i] = np.eye(4)
                poses[i][:3, :3] = so3.from_quaternion(np.asarray(node.wxyz, dtype=float))
                poses[i][:3, 3] = node.position
        return poses

    def close(self) -> None:
        """End the server; the page shows nothing more."""
        with redirect_stdout(StringIO()):
            self._server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_q(self, q: npt.ArrayLike) -> Array:
        configurations.check_q(self._model, q, limits=False)
        if np.ndim(q) != 1:
            raise InputError(f"a scene shows one configuration of shape ({self._model.nq},), got shape {np.shape(q)}")
        return np.array(q, dtype=float)

    def _scene(self) -> dict[int, Any]:
        """A node per body, with its solids on it."""
        scene, size = self._server.scene, skeleton(self._model).scale
        self._server.gui.configure_theme(show_share_button=False, show_logo=False)  # sharing would leave this machine
        scene.set_up_direction("+z")
        scene.add_grid("/ground", 4 * size, 4 * size, cell_size=size / 4, section_size=size)
        nodes = {i: scene.add_frame(_node(i), show_axes=False) for i in (WORLD, *range(len(self._model.bodies)))}
        for k, solid in enumerate(solids(self._model, coarse=False)):
            vertices, faces = triangles(solid)
            color = tuple(round(255 * x) for x in solid.color)
            look: dict[str, Any] = {"color": color, "flat_shading": True, "side": "double"}
            scene.add_mesh_simple(f"{_node(solid.body)}/solid{k}", vertices, faces, **look)
        self._server.initial_camera.position = (1.1 * size, -1.1 * size, 0.9 * size)
        self._server.initial_camera.look_at = (0.0, 0.0, 0.4 * size)
        return nodes

    def _slider(self, x: Slider) -> Any:
        step = (x.upper - x.lower) / 1000
        value = float(np.clip(self._q[x.place], x.lower, x.upper))
        handle = self._server.gui.add_slider(_label(x.label), x.lower, x.upper, step, value)
        handle.on_update(lambda event: self._follow_slider(x, event.target.value))
        return handle

    def _follow_slider(self, x: Slider, value: float) -> None:
        """Follow a slider, unless it follows the robot; where loops cannot close, the robot stays."""
        with self._lock:
            if self._is_moving:
                return
            q = self._q.copy()
            q[x.place] = value
            if self._model.closures:
                try:
                    q = np.asarray(self._robot.assemble(q, hold=[x.joint]))
                except KinetraceError:
                    q = self._q
            self.show(q)


def sliders(model: Model) -> list[Slider]:
    """Sliders of all joints with coordinates; of closed loops, those of independent ones.

    >>> import kinetrace as kt
    >>> [x.joint for x in sliders(kt.load("four_bar").model)]
    ['crank']
    """
    result, low, high = [], model.bounds.lower, model.bounds.upper
    for body in model.independent_joints:
        positions, speeds = model.slices[body.index]
        units, parts = v_units(body.joint), q_parts(body.joint)
        for k in range(body.joint.nv) if body.joint.nq == body.joint.nv else ():
            if speeds.start + k not in model.independent:
                continue
            place, reach = positions.start + k, ANGLE_RANGE if units[k] == "rad" else DISTANCE_RANGE
            lower = float(low[place]) if np.isfinite(low[place]) else min(-reach, float(high[place]) - 2 * reach)
            upper = float(high[place]) if np.isfinite(high[place]) else max(reach, lower + 2 * reach)
            if lower < upper:
                label = f"{body.joint_name} {parts[k]}".rstrip()
                result.append(Slider(place, body.joint_name, label, lower, upper))
    return result


def limit_warning(model: Model, q: Array) -> str:
    """A line that names the variables which are beyond their limits; empty if none is.

    >>> import kinetrace as kt
    >>> limit_warning(kt.load("panda").model, np.array([0.0, 2.0, 0.0, -1.0, 0.0, 1.0, 0.0]))
    '⚠ beyond limits: panda_joint2 (0.237 above 1.763)'
    """
    names = [f"{body.joint_name} {part}".rstrip() for body in model.independent_joints for part in q_parts(body.joint)]
    over, under = q - model.bounds.upper, model.bounds.lower - q
    excesses = [
        f"{printable(name)} ({by:.3g} {where} {limit:.4g})"
        for excess, limits, where in ((over, model.bounds.upper, "above"), (under, model.bounds.lower, "below"))
        for name, by, limit in zip(names, excess, limits, strict=True)
        if by > LIMIT_SLACK * max(1.0, abs(limit))
    ]
    return f"⚠ beyond limits: {', '.join(excesses)}" if excesses else ""


def triangles(solid: Solid) -> tuple[Array, Array]:
    """Vertices (n, 3) and triangles (k, 3) of a solid."""
    first = 4 * np.arange(len(solid.facets))[:, None]
    faces = np.concatenate([first + np.array(corners) for corners in ((0, 1, 2), (0, 2, 3))])
    return solid.facets.reshape(-1, 3).astype(np.float32), faces.astype(np.uint32)


def _node(body: int) -> str:
    """The name of a body in the scene: its number, since names of files may hold anything."""
    return "/world" if body == WORLD else f"/body{body}"


def _label(name: str) -> str:
    return printable(shorten(name, LABEL_LENGTH))

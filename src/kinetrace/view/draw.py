"""Drawings of a robot by matplotlib: `Robot.draw`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from .. import algorithms
from ..arrays import Array
from ..errors import LONGEST_NAME, InputError, shorten
from ..model import configurations
from ..model.body import WORLD
from ..model.configurations import home
from ..model.model import Model
from ..robot import Robot
from ..simulation.trajectory import Trajectory
from ..support.conversion import as_array, as_count, as_flag, as_names
from ..support.optional import require_package
from . import facets
from .options import DRAWING_ITEMS, angles, directions, items_to_show
from .shapes import inertia_ellipsoid, semiaxes, upright
from .skeleton import body_poses, loops, skeleton, tip
from .solids import Solid, solids
from .worlds.ground import ground_below
from .worlds.shown import ShownContacts, robot_part, shown, touching_points

LIGHT_DIRECTION = np.array([0.4, -0.55, 0.73])
"""Direction to the light, in the world."""
RED, GREEN, BLUE, GOLD, VIOLET, TRAIL = "#d1242f", "#1a7f37", "#0969da", "#bf8700", "#8250df", "#cf5a16"
PALE_PARTS, SLATE = (0.78, 0.5), (0.5, 0.57, 0.67)
"""Part of the ground's colour in the first ghost and in the last one, and the colour that is mixed in."""
TURNED_AWAY = 0.25
"""Facets that are turned away by more than this, the sine of an angle, are not seen: in perspective, some still are."""
MOST_POINTS = 600
"""Number of points of a trail."""
FILLED_PART = 0.94
"""Part of the axes that a robot fills."""
ARROW_LENGTH = 0.3
"""Length of the largest force, and of the largest moment, of the robot's reach; of a usual contact force."""
LONGEST_FORCE = 3.0
"""Length of the longest arrow of a contact force, relative to that of a usual one."""
GROUND_PART = 1.1
"""Half of the size of the ground that is drawn, of the size of what stands on it."""


_boxes: WeakKeyDictionary[Any, Array] = WeakKeyDictionary()
"""Axes of matplotlib → least and greatest coordinates (2, 3) of the robots drawn in them."""


@dataclass(frozen=True)
class _DrawnState:
    """A robot in the configuration that is drawn, with the frames that are wanted."""

    robot: Robot
    q: Array
    poses: Mapping[int, Array]
    """Of bodies in the world, by index."""
    frames: tuple[str, ...]
    """Those that the caller named; the tip of the robot if there are none."""
    are_named: bool

    def pose(self, name: str) -> Array:
        """Pose (4, 4) of a frame in the world."""
        frame = self.robot.model.frame(name)
        return self.poses[frame.body] @ frame.X_bf


def draw(
    robot: Robot,
    q: Any,
    ax: Any,
    show: str | Sequence[str],
    frame: str | Sequence[str] | None,
    wrench: Mapping[str, npt.ArrayLike] | None,
    shapes: bool | None,
    ghosts: int,
    view: tuple[float, float] | None,
    world: Any = None,
) -> Any:
    """Draw a robot into axes of matplotlib, new ones unless given, and return them."""
    given, items = shown(robot, q, None, world), items_to_show(show, DRAWING_ITEMS)
    robot, model = given.robot, given.robot.model
    states, main = _states(model, given.q)
    q = states[main]
    frames, wrenches = _frames(model, frame), _wrenches(model, wrench)
    if view is not None:
        elevation, azimuth = _numbers(view, 2, "view", "elevation and azimuth in degrees")
        view = float(elevation), float(azimuth)
    ghosts, shapes = as_count("ghosts", ghosts), None if shapes is None else as_flag("shapes", shapes)
    ax, is_new = _axes(ax)
    points = _bodies(ax, model, [*_ghosts(states, main, ghosts), q], shapes)
    pen = _Pen(ax, skeleton(robot_part(model)).scale)
    if "contacts" in items:
        points.append(pen.contacts(model, q, given.contacts(np.array([main]))))
    state = _DrawnState(robot=robot, q=q, poses=body_poses(model, q), frames=frames, are_named=frame is not None)
    if "trail" in items and frames:
        points.append(pen.trail(_path(model, states, frames[-1])))
    for item, mark in _MARKS.items():
        if item in items:
            points += mark(pen, state)
    if wrenches:
        points.append(pen.wrenches([(state.pose(name), x) for name, x in wrenches.items()]))
    _frame_picture(ax, np.concatenate([x.reshape(-1, 3) for x in points]), is_new, view)
    return ax


def _states(model: Model, q: Any) -> tuple[Array, int]:
    """All configurations (n, nq), and which of them is not a ghost: of a motion the last, of others the first."""
    is_motion = isinstance(q, Trajectory)
    if is_motion and q.q.ndim > 2:
        raise InputError(f"draw shows one motion: motion.lane(...) takes one of the batch {q.q.shape[:-2]}")
    x = home(model) if q is None else q.q if is_motion else q
    configurations.check_q(model, x, limits=False)
    states = np.asarray(x, dtype=float).reshape(-1, model.nq) if model.nq else np.zeros((1, 0))
    if not len(states):
        raise InputError("q holds no configuration")
    return states, len(states) - 1 if is_motion else 0


def _ghosts(states: Array, main: int, most: int) -> list[Array]:
    """Other configurations, evenly chosen, the farthest from the main one first."""
    others = range(len(states) - 1) if main else range(len(states) - 1, 0, -1)
    places = np.linspace(0, len(others), min(most, len(others)), endpoint=False).astype(int)
    return [states[others[k]] for k in places]


def _frames(model: Model, frame: str | Sequence[str] | None) -> tuple[str, ...]:
    names = tuple(filter(None, [tip(model)])) if frame is None else as_names((frame,)) or ()
    return tuple(model.frame(name).name for name in names)


def _numbers(x: Any, n: int, name: str, what: str) -> Array:
    """So many finite numbers, or an error."""
    array = as_array(name, x)
    if array.shape != (n,) or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        raise InputError(f"{name} must be {n} finite numbers, {what}; got {shorten(repr(x), LONGEST_NAME)}")
    return np.asarray(array, dtype=float)


def _wrenches(model: Model, wrench: Any) -> dict[str, Array]:
    """Moment and force (6,) at frames, by their names."""
    if wrench is not None and not isinstance(wrench, Mapping):
        raise InputError(f"wrench maps names of frames to (moment, force), got {type(wrench).__name__}")
    return {
        model.frame(name).name: _numbers(x, 6, f"wrench of {name!r}", "moment and force")
        for name, x in (wrench or {}).items()
    }


def _path(model: Model, states: Array, name: str) -> Array:
    """Points (k, 3) that a frame passes, at most `MOST_POINTS` of them."""
    frame = model.frame(name)
    some = states[np.unique(np.linspace(0, len(states) - 1, MOST_POINTS).astype(int))]
    return np.array([(body_poses(model, q)[frame.body] @ frame.X_bf)[:3, 3] for q in some])


def _axes(ax: Any) -> tuple[Any, bool]:
    """Axes of matplotlib, and whether nothing is drawn in them yet."""
    pyplot = require_package("matplotlib.pyplot", "draw", "plot")
    if ax is None:
        figure = pyplot.figure(figsize=(5.0, 5.0))
        ax = figure.add_axes((0, 0, 1, 1), projection="3d")
    if not hasattr(ax, "add_collection3d"):
        raise InputError("ax must be axes in space: figure.add_subplot(projection='3d')")
    ax.computed_zorder = False  # marks on the robot are in front of it
    return ax, not ax.has_data()


def _bodies(ax: Any, model: Model, states: list[Array], shapes: bool | None) -> list[Array]:
    """Draw all solids, paler the earlier they are; returns their facets."""
    from matplotlib.colors import to_rgb

    ground = np.array(to_rgb(ax.get_figure().get_facecolor()))
    parts, drawn = solids(model, shapes), list[Array]()
    for k, q in enumerate(states):
        poses, is_ghost = body_poses(model, q), k < len(states) - 1
        visible = [solid for solid in parts if not solid.is_ground and not (is_ghost and solid.body == WORLD)]
        if not visible:
            continue
        in_world = [facets.place(x.facets, poses[x.body]) for x in visible]
        seen = ~np.concatenate(facets.inside(in_world, [x.is_convex for x in visible]))
        faces = np.concatenate(in_world)[seen]
        lit = np.concatenate([x.normals @ poses[x.body][:3, :3].T for x in visible])[seen]
        color = np.concatenate([np.tile(x.color, (len(x.facets), 1)) for x in visible])[seen]
        paint = shade(lit, color)
        if is_ghost:  # as far toward the ground as it is far from the robot
            pale = PALE_PARTS[0] + (PALE_PARTS[1] - PALE_PARTS[0]) * k / (len(states) - 1)
            paint = pale * ground + (1 - pale) * (0.4 * paint + 0.6 * shade(lit, np.array(SLATE)))
        is_closed = np.concatenate([np.full(len(x.facets), x.is_closed) for x in visible])[seen]
        normals = np.where(is_closed[:, None], facets.normals(faces), 0.0)
        ax.add_collection3d(_collection(faces, paint, normals, zorder=1 + k / len(states)))
        drawn.append(faces)
    drawn = drawn or [np.zeros((1, 3))]
    _draw_ground(ax, model, parts, drawn)
    return drawn


def _collection(faces: Array, paint: Array, normals: Array, zorder: float) -> Any:
    """Facets of which those that are seen from behind are not drawn, from wherever one looks."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    class Solids(Poly3DCollection):  # type: ignore[misc]
        def do_3d_projection(self) -> Any:
            away = normals @ directions(self.axes.elev, self.axes.azim)[2] < -TURNED_AWAY
            colors = np.concatenate([paint, ~away[:, None]], axis=1)
            self.set_facecolor(colors)
            self.set_edgecolor(colors)
            return super().do_3d_projection()

    return Solids(faces, facecolors=paint, edgecolors=paint, linewidths=0.6, zorder=zorder)


def shade(normals: Array, color: Array) -> Array:
    """Colours (k, 3) of facets with these normals and this colour (3,), or these (k, 3)."""
    light = 0.5 + 0.5 * normals @ (LIGHT_DIRECTION / np.linalg.norm(LIGHT_DIRECTION))
    gloss = 0.16 * np.clip(light, 0.0, 1.0)[:, None] ** 12
    return np.clip((0.42 + 0.55 * light)[:, None] * color + gloss, 0.0, 1.0)


def _draw_ground(ax: Any, model: Model, parts: Sequence[Solid], drawn: list[Array]) -> None:
    """The ground around what was drawn, behind all of it."""
    points = np.concatenate([x.reshape(-1, 3) for x in drawn])
    low, high = points.min(axis=0), points.max(axis=0)
    ground = ground_below(model, parts, (low + high) / 2, GROUND_PART * float((high - low).max()))
    if ground is not None:
        paint = shade(ground.normals, ground.colors)
        ax.add_collection3d(_collection(ground.facets, paint, ground.normals, zorder=0.5))


class _Pen:
    """Marks on a robot, sized by its reach."""

    def __init__(self, ax: Any, scale: float) -> None:
        self.ax, self.scale = ax, scale

    def line(self, points: Array, color: Any, width: float, **more: Any) -> None:
        self.ax.plot(*np.asarray(points).T, color=color, linewidth=width, solid_capstyle="round", zorder=8, **more)

    def dots(self, points: Array, color: str) -> None:
        self.ax.plot(*points.T, "o", color=color, ms=6, mec="white", mew=1.0, zorder=12)

    def frames(self, state: _DrawnState) -> list[Array]:
        """Axes of the frames that were named, of all bodies if none was."""
        poses = [state.poses[body.index] for body in state.robot.model.bodies]
        if state.are_named:
            poses = [state.pose(name) for name in state.frames]
        tips = [X[:3, 3] + 0.09 * self.scale * X[:3, :3].T for X in poses]
        for X, ends in zip(poses, tips, strict=True):
            for end, color in zip(ends, (RED, GREEN, BLUE), strict=True):
                self.line(np.stack([X[:3, 3], end]), color, 1.8)
        return tips

    def closures(self, state: _DrawnState) -> list[Array]:
        """Points that closures hold together: on both sides, wherever they are apart."""
        ends = [x.ends(state.poses[x.a.body], state.poses[x.b.body]) for x in loops(state.robot.model)]
        if ends:
            self.dots(np.array(ends).reshape(-1, 3), RED)
        return []

    def center_of_mass(self, state: _DrawnState) -> list[Array]:
        """A disc in four quarters, as engineers draw it."""
        point = np.asarray(algorithms.center_of_mass(state.robot.model, state.q))
        for style, color in (("o", "black"), ("P", "white")):
            self.ax.plot(*point[:, None], style, color=color, ms=11 if style == "o" else 9, mec=color, mew=0, zorder=12)
        self.ax.plot(*point[:, None], "o", color="none", ms=11, mec="black", mew=1.2, zorder=13)
        return []

    def manipulability(self, state: _DrawnState) -> list[Array]:
        """Ellipsoids of velocities at the frames that were named, at the last frame if none was."""
        robot, drawn = state.robot, []
        is_closed = bool(robot.model.closures)
        jacobian = robot.reduced_jacobian if is_closed else robot.jacobian
        for name in state.frames if state.are_named else state.frames[-1:]:
            J = np.asarray(jacobian(state.q, name, expressed_in="aligned"))[3:]
            J = J if is_closed else J[:, list(robot.model.driven)]
            drawn.append(self.ellipsoid(state.pose(name)[:3, 3], J @ J.T, 0.22 * self.scale, VIOLET))
        return drawn

    def trail(self, points: Array) -> Array:
        self.line(points, TRAIL, 2.0)
        return points

    def axes(self, state: _DrawnState) -> list[Array]:
        """Axes of joints, dashed."""
        drawn = []
        for symbol in skeleton(state.robot.model).symbols:
            if symbol.kind in ("revolute", "prismatic", "cylindrical"):
                X = state.poses[symbol.body]
                center, along = X[:3, :3] @ symbol.center + X[:3, 3], X[:3, :3] @ symbol.axis
                dashes = "-." if symbol.kind != "prismatic" else (0, (6, 2))
                ends = np.stack([center - 0.13 * self.scale * along, center + 0.13 * self.scale * along])
                self.line(ends, "black", 0.9, linestyle=dashes)
                drawn.append(ends)
        return drawn

    def inertias(self, state: _DrawnState) -> list[Array]:
        """Ellipsoids of the inertias of bodies."""
        drawn = []
        for body in state.robot.model.bodies:
            (c, A), X = inertia_ellipsoid(body.J), state.poses[body.index]
            if np.trace(A) > 0:
                drawn.append(self.ellipsoid(X[:3, :3] @ c + X[:3, 3], X[:3, :3] @ A @ X[:3, :3].T, None, GOLD))
        return drawn

    def ellipsoid(self, center: Array, A: Array, largest: float | None, color: str) -> Array:
        """Points x with xᵀ A⁻¹ x = 1 about a centre, if wanted scaled to a largest semiaxis."""
        from matplotlib.colors import to_rgb
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        semi, axes = semiaxes(A)
        if largest is not None:
            semi = semi * (largest / (semi.max() or 1.0))
        faces = facets.ellipsoid(np.maximum(semi, 1e-3 * self.scale), 28) @ axes.T + center
        paint = np.concatenate(
            [shade(facets.normals(faces), np.array(to_rgb(color))), np.full((len(faces), 1), 0.3)], axis=1
        )
        self.ax.add_collection3d(Poly3DCollection(faces, facecolors=paint, edgecolors="none", zorder=7))
        return faces

    def wrenches(self, wrenches: Sequence[tuple[Array, Array]]) -> Array:
        """Arrows of forces, and of moments with two heads, by poses; the largest of each kind has a fixed length."""
        points = []
        for rows, color in ((slice(3, 6), RED), (slice(0, 3), VIOLET)):
            largest = max(float(np.linalg.norm(x[rows])) for _, x in wrenches)
            for X, x in wrenches:
                if np.linalg.norm(x[rows]) > 1e-9 * largest:
                    arrow = X[:3, :3] @ x[rows] * (ARROW_LENGTH * self.scale / largest)
                    points += [X[:3, 3], X[:3, 3] + arrow]
                    self.arrow(X[:3, 3], arrow, color, 2 if rows.start == 0 else 1)
        return np.array(points).reshape(-1, 3)

    def contacts(self, model: Model, q: Array, known: ShownContacts | None) -> Array:
        """Where shapes touch, and if they are known arrows of the forces on the robot."""
        if model.contacts is None:
            return np.zeros((0, 3))
        if known is None:
            points = touching_points(model, q, self.scale)
            self.dots(points, GOLD)
            return points
        ends = [known.points[0]]
        for point, force in zip(known.points[0], known.forces[0], strict=True):
            size = min(float(np.linalg.norm(force)) / known.usual_force, LONGEST_FORCE)
            ends.append(point[None] + size * ARROW_LENGTH * self.scale * force / np.linalg.norm(force))
            self.arrow(point, ends[-1][0] - point, RED, 1)
        self.dots(known.points[0], GOLD)
        return np.concatenate(ends)

    def arrow(self, begin: Array, along: Array, color: str, heads: int) -> None:
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        length = float(np.linalg.norm(along))
        size, direction = min(0.022 * self.scale, 0.25 * length), along / length
        R = upright(direction)
        self.line(np.stack([begin, begin + along - 1.5 * size * direction]), color, 2.4)
        head = facets.revolve(np.array([[0.0, -2.6], [0.8, -2.6], [0.0, 0.0]]) * size, 16)
        for k in range(heads):
            cone = head @ R.T + begin + along - 1.8 * k * size * direction
            self.ax.add_collection3d(Poly3DCollection(cone, facecolors=color, edgecolors="none", zorder=9))


_MARKS: dict[str, Callable[[_Pen, _DrawnState], list[Array]]] = {
    "axes": _Pen.axes,
    "inertia": _Pen.inertias,
    "frames": _Pen.frames,
    "closures": _Pen.closures,
    "com": _Pen.center_of_mass,
    "manipulability": _Pen.manipulability,
}
"""Items of `show` → functions that draw them, and return points that must be seen."""


def _frame_picture(ax: Any, points: Array, is_new: bool, view: tuple[float, float] | None) -> None:
    """Equal scales, no more room than needed, no box."""
    low, high = points.min(axis=0), points.max(axis=0)
    if not is_new:  # limits are wider than what was drawn, so that it is in the middle
        before = _boxes.get(ax, np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()]).T)
        low, high = np.minimum(low, before[0]), np.maximum(high, before[1])
    _boxes[ax] = np.stack([low, high])
    middle, size = (low + high) / 2, float((high - low).max())
    half = np.maximum((high - low) / 2, 0.02 * size if size > 0 else 1.0)
    if is_new:
        ax.view_init(*(view or angles(half)))
        ax.set_proj_type("persp", focal_length=1.8)
        ax.set_axis_off()
    elif view is not None:
        ax.view_init(*view)
    corners = middle + half * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    _fit(ax, points if is_new and size > 0 else corners, middle, half)


def _fit(ax: Any, points: Array, middle: Array, half: Array) -> None:
    """Set limits and zoom so that the points fill the axes, seen from where they are seen now."""
    zoom, (right, up, _) = 1.0, directions(ax.elev, ax.azim)
    for _ in range(4):
        for setter, x, h in zip((ax.set_xlim, ax.set_ylim, ax.set_zlim), middle, half, strict=True):
            setter(x - h, x + h, view_margin=0.0)
        ax.set_box_aspect(tuple(half), zoom=zoom)  # it changes an array
        ax.apply_aspect()
        step = 0.1 * float(half.max())
        seen = _pixels(ax, np.concatenate([points, [middle, middle + step * right]]))
        low, high = seen[:-2].min(axis=0), seen[:-2].max(axis=0)
        room = np.array([ax.bbox.width, ax.bbox.height])
        off = ((low + high) / 2 - room / 2 - (ax.bbox.x0, ax.bbox.y0)) * step / abs(seen[-1] - seen[-2]).max()
        middle = middle + off[0] * right + off[1] * up
        zoom *= FILLED_PART * float((room / np.maximum(high - low, 1e-9)).min())


def _pixels(ax: Any, points: Array) -> Array:
    """Where points (n, 3) are on the canvas (n, 2)."""
    seen = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ ax.get_proj().T
    return np.asarray(ax.transData.transform(seen[:, :2] / seen[:, 3:]))

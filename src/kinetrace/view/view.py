"""`View`: a robot, or several, in a page."""

from __future__ import annotations

import html
import itertools
import math
import os
import shutil
import stat
import sys
import tempfile
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError, ModelWarning, lookup, shorten, warn
from ..model.checks import pose as checked_pose
from ..model.configurations import check_q, home
from ..model.model import Model
from ..robot import Robot
from ..robot.types import Float
from ..support.attributes import cached_property
from ..support.conversion import as_array, as_flag
from ..support.files import write_atomically
from .files import Files, floats
from .html import page
from .options import PAGE_ITEMS, SHOWN_AT_FIRST, items_to_show
from .programs import programs
from .scene import frame_number, robot_scene, wrench_scene
from .skeleton import tip
from .worlds.shown import Shown, ShownContacts, robot_part, stands_on_heights
from .worlds.shown import shown as in_world

THEMES = ("light", "dark")
VIEW_SUFFIXES = (".html", ".png", ".gif", ".mp4")
"""Suffixes of files that a view is saved as."""
PAGE_ROW_RATE = 120.0
"""Rows per second of a motion that a page keeps; more are thinned out."""
_NAMED_FILES = 5
"""Number of files that a note about missing files names."""
MAX_GHOSTS = 200
_RATES = {"velocity": "v", "force": "tau"}
"""Fields of `SceneRobot` → fields of `Trajectory`."""
FOLDER_PREFIX = "kinetrace-view-"
"""Prefix of the names of folders for opened pages."""
DAY_SECONDS = 86400.0
_PAGE_NUMBERS = itertools.count(1)
NOTEBOOK_HEIGHT = 560
"""Height of the page in a notebook [pixels]."""


@dataclass(frozen=True)
class SceneRobot:
    """One robot of a view: its configuration, its motion and its ghosts."""

    robot: Robot
    q: Float
    """(nq,)."""
    placement: Float
    """(4, 4) of the robot's world in the scene."""
    motion: Float | None = None
    """(T, nq)."""
    velocity: Float | None = None
    """(T, nv) of the motion, if they are known."""
    force: Float | None = None
    """(T, nv): joint forces of the motion, if they are known."""
    ghosts: Float | None = None
    """(B, nq), or (B, T, nq) with a motion."""
    wrenches: tuple[dict[str, Any], ...] = ()
    trail: int | None = None
    """Index of the frame that leaves a trail."""
    contacts: ShownContacts | None = None
    """Contacts of the motion, if the robot is in a world."""


@dataclass(frozen=True, eq=False, repr=False)
class View:
    """Page that shows robots: `Robot.view` makes it.

    A notebook shows it as it is. The page is one file, which needs no network and no server.

    Parameters
    ----------
    robots : tuple of SceneRobot
        Robots with their configurations and motions.
    t : ndarray, shape (T,), optional
        Times of the motions [s].
    options : dict
        Items that are shown at first, theme, and whether the floor is hidden.

    Examples
    --------
    >>> import kinetrace as kt
    >>> view = kt.load("planar2r").view(open=False)
    >>> view
    View('planar2r')
    >>> view.html.startswith("<!doctype html>"), "http://" in view.html.split("<script", 1)[0]
    (True, False)
    """

    robots: tuple[SceneRobot, ...]
    t: Float | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        over = f", t={self.t[0]:g}…{self.t[-1]:g}" if self.t is not None else ""
        return f"View({', '.join(repr(x.robot.name) for x in self.robots)}{over})"

    @cached_property
    def html(self) -> str:
        """The page as text.

        Examples
        --------
        >>> import kinetrace as kt
        >>> "<title>planar2r</title>" in kt.load("planar2r").view(open=False).html
        True
        """
        files, scenes = Files(), dict[int, tuple[dict[str, Any], str]]()
        for shown in self.robots:
            model = shown.robot.model
            if id(model) not in scenes:
                scenes[id(model)] = robot_scene(model, files), programs(model)
        note = ""
        if files.missing:
            named = [f"{shorten(name, 120)!r} ({why})" for name, why in list(files.missing.items())[:_NAMED_FILES]]
            rest = f", and {len(files.missing) - _NAMED_FILES} more" if len(files.missing) > _NAMED_FILES else ""
            note = f"files of meshes that are not shown: {', '.join(named)}{rest}"
            warn(note, ModelWarning)
        up = -np.asarray(self.robots[0].robot.model.gravity, dtype=float)
        scene = {
            "title": " and ".join(dict.fromkeys(x.robot.name for x in self.robots)) or "robot",
            "up": (up / length).tolist() if (length := float(np.linalg.norm(up))) > 0 else [0, 0, 1],
            "robots": [{**scenes[id(x.robot.model)][0], **_state(x)} for x in self.robots],
            "files": files.items,
            "note": note,
            "options": {"show": [], **self.options},
        }
        if self.t is not None:
            scene["t"] = floats(self.t)
        return page(scene, [scenes[id(x.robot.model)][1] for x in self.robots])

    def _repr_html_(self) -> str:
        text = html.escape(self.html, quote=True)
        style = f"width:100%;height:{NOTEBOOK_HEIGHT}px;border:0;border-radius:12px"
        return f'<iframe srcdoc="{text}" style="{style}" allowfullscreen></iframe>'

    def open(self) -> None:
        """Show the page in a browser, from a file in the folder for temporary files.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").view(open=False).open()  # doctest: +SKIP
        """
        safe = "".join(c if c.isalnum() or c in "-_" else "_" for c in self.robots[0].robot.name)[:60]
        if not _folder().is_dir():
            _folder.cache_clear()
        path = _folder() / f"{safe or 'robot'}-{next(_PAGE_NUMBERS)}.html"
        path.write_text(self.html, encoding="utf-8")
        screen = sys.platform != "linux" or any(os.environ.get(x) for x in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
        if not screen or not webbrowser.open(path.as_uri()):
            warn(f"no browser can be opened here; the page is {str(path)!r}", UserWarning)

    def save(
        self,
        path: str | Path,
        *,
        size: tuple[int, int] = (1280, 800),
        rate: float = 30.0,
        time: float | None = None,
        panel: bool = False,
    ) -> None:
        """Write the page, a picture or a film to a file.

        Pictures and films are taken by a browser without a window, moment by moment, so that they do not depend on
        the speed of the machine; that needs the extra `record` and Chrome, Chromium or Edge. Without a motion, a film
        turns around the robot.

        Parameters
        ----------
        path : str or Path
            Path with the suffix .html, .png, .gif or .mp4, which decides the format.
        size : tuple of int, default (1280, 800)
            Width and height of pictures and films [pixels]; odd ones of an .mp4 are rounded down to even ones, which
            its codec wants.
        rate : float, default 30.0
            Pictures per second of films: at most 240, in GIFs 50.
        time : float, optional
            Time of a picture, within the motion [s]; its beginning unless given.
        panel : bool, default False
            Whether a picture shows the controls, too.

        Raises
        ------
        InputError
            If the suffix is unknown, the time is not in the motion, or what pictures need is not there.

        Examples
        --------
        >>> import pathlib, tempfile, kinetrace as kt
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "planar2r.html"
        ...     kt.load("planar2r").view(open=False).save(path)
        ...     path.stat().st_size > 100_000
        True
        """
        place = Path(path).expanduser()
        check_file(place)
        if place.suffix == ".html":
            write_atomically({place: self.html.encode("utf-8")})
            return
        from . import capture

        capture.save(self.html, place, size=size, rate=rate, time=time, times=self.t, panel=as_flag("panel", panel))


@cache
def _folder() -> Path:
    """The folder of this process for pages that browsers open.

    A browser may read a page after the process has ended, so the folder stays; the next process removes those that are
    older than a day.
    """
    folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
    now = folder.stat()
    for old in folder.parent.glob(f"{FOLDER_PREFIX}*"):
        with suppress(OSError):
            info = old.lstat()
            if stat.S_ISDIR(info.st_mode) and info.st_uid == now.st_uid and now.st_mtime - info.st_mtime > DAY_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
    return folder


def check_file(path: Path) -> None:
    """An error if a view cannot be written there."""
    if path.suffix not in VIEW_SUFFIXES:
        raise InputError(f"{path.name!r}: views are written as {', '.join(VIEW_SUFFIXES)}")
    if not path.absolute().parent.is_dir():
        raise InputError(f"there is no folder {str(path.absolute().parent)!r}")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder")


def _state(shown: SceneRobot) -> dict[str, Any]:
    """State of one robot of the scene, as JSON of the page."""
    state: dict[str, Any] = {
        "q": shown.q.tolist(),
        "placement": shown.placement.ravel().tolist(),
        "wrenches": list(shown.wrenches),
    }
    if shown.trail is not None:
        state["trail"] = shown.trail
    if shown.contacts is not None:
        state["contacts"] = {
            "names": shown.contacts.names,
            "points": floats(shown.contacts.points),
            "forces": floats(shown.contacts.forces),
            "usual": shown.contacts.usual_force,
        }
    for name in ("motion", "velocity", "force"):
        if (rows := getattr(shown, name)) is not None:
            state[name] = floats(rows)
    if shown.ghosts is not None and shown.ghosts.ndim == 3:
        state["ghostMotions"] = [floats(rows) for rows in shown.ghosts]
    elif shown.ghosts is not None:
        state["ghosts"] = shown.ghosts.tolist()
    return state


def view(
    robot: Robot,
    q: Any = None,
    *,
    t: Any = None,
    beside: View | Sequence[View] = (),
    at: Any = None,
    wrench: Mapping[str, Any] | None = None,
    trail: str | None = None,
    show: str | Sequence[str] = SHOWN_AT_FIRST,
    theme: str | None = None,
    floor: bool = True,
    world: Any = None,
    open: bool | None = None,
) -> View:
    """The view of a robot; see `Robot.view`."""
    times, shown = _scene_robot(in_world(robot, q, t, world), placement=at, wrench=wrench, trail=trail)
    others = _views(beside)
    options = _options(show, theme, shown.robot.model, wrench=bool(wrench), trail=trail is not None)
    if not as_flag("floor", floor) or stands_on_heights(shown.robot.model):
        options["hide"] = ["floor"]
    result = View(
        robots=(shown, *(x for other in others for x in other.robots)),
        t=_common_times(times, others),
        options=_merge_options(options, *(other.options for other in others)),
    )
    if open if open is not None else not _in_notebook():
        result.open()
    return result


def _scene_robot(
    given: Shown, *, placement: Any, wrench: Mapping[str, Any] | None, trail: str | None
) -> tuple[Float | None, SceneRobot]:
    """Times (T,) of a motion, and the robot in the first lane of q; the other lanes are its ghosts."""
    robot, q, model = given.robot, given.q, given.robot.model
    times, rows = _motion(robot, q, given.t)
    lanes: Float
    motion: dict[str, Any] = {}
    if times is None:
        lanes = rows.reshape(math.prod(rows.shape[:-1]), model.nq)
        first = lanes[0]
    else:
        lanes = rows.reshape(math.prod(rows.shape[:-2]), len(times), model.nq)
        kept = _page_rows(times)
        motion = {key: _lane(q, name, len(times), model.nv, kept) for key, name in _RATES.items()}
        motion["contacts"] = given.contacts(kept)
        times, lanes = times[kept], lanes[:, kept]
        first, motion["motion"] = lanes[0, 0], lanes[0]
    if len(ghosts := lanes[1:]) > MAX_GHOSTS:
        raise InputError(f"a page shows at most {MAX_GHOSTS} ghosts, got {len(ghosts)}: take some of them, as q[::10]")
    if motion:
        motion["trail"] = frame_number(model, tip(robot_part(model)) if trail is None else model.frame(trail).name)
    elif trail is not None:
        raise InputError("trail needs a motion: a Trajectory, or q with times t")
    return times, SceneRobot(
        robot=robot,
        q=first,
        placement=_placement(placement),
        ghosts=ghosts if len(ghosts) else None,
        wrenches=tuple(wrench_scene(model, wrench)),
        **motion,
    )


def _options(
    show: str | Sequence[str], theme: str | None, model: Model, *, wrench: bool, trail: bool
) -> dict[str, Any]:
    """Options of a page: wrenches and a trail that were given are shown, too, and contacts where there may be some."""
    added = [name for name, is_given in (("wrenches", wrench), ("trail", trail)) if is_given]
    wanted = [x for x in items_to_show(show, PAGE_ITEMS) if x != "contacts" or model.contacts is not None]
    options: dict[str, Any] = {"show": [*wanted, *added]}
    if theme is not None:
        options["theme"] = lookup("theme", theme, {x: x for x in THEMES})
    return options


def _motion(robot: Robot, q: Any, t: Any) -> tuple[Float | None, Float]:
    """Times (T,), if it is a motion, and configurations (..., nq)."""
    nq = robot.model.nq
    if hasattr(q, "t") and hasattr(q, "q"):
        if t is not None:
            raise InputError("t is part of a Trajectory: give arrays q and t, or the Trajectory alone")
        q, t = q.q, q.t
    if q is None:
        if t is not None:
            raise InputError("t are the times of a motion: give the configurations (T, nq), too")
        return None, home(robot.model)
    rows = _finite("q", q)
    if rows.shape[-1:] != (nq,) or 0 in rows.shape[:-1]:
        raise InputError(f"q must be a Trajectory or have shape (..., {nq}), got {rows.shape}")
    check_q(robot.model, q, limits=False)
    if t is None:
        return None, rows
    times = _finite("t", t)
    if rows.ndim < 2 or times.shape != rows.shape[-2:-1]:
        raise InputError(f"t must have one time per row of q (..., T, {nq}): got t {times.shape} and q {rows.shape}")
    if (np.diff(times) < 0).any():
        raise InputError("t must not decrease")
    return times, rows


def _finite(name: str, x: Any) -> Float:
    array = as_array(name, x)
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name} must be numbers, got {array.dtype}")
    if not np.isfinite(array).all():
        raise InputError(f"{name} must be finite; entry {np.argwhere(~np.isfinite(array))[0].tolist()} is not")
    return array.astype(float)


def _page_rows(t: Float) -> npt.NDArray[np.intp]:
    """Rows of a motion that a page keeps: at most `PAGE_ROW_RATE` per second; the first and the last stay."""
    span = float(t[-1] - t[0])
    most = max(2, round(span * PAGE_ROW_RATE) + 1)
    if len(t) <= most:
        return np.arange(len(t))
    return np.unique(np.r_[np.searchsorted(t, np.linspace(t[0], t[-1], most)), len(t) - 1].clip(0, len(t) - 1))


def _lane(motion: Any, name: str, rows: int, nv: int, kept: npt.NDArray[np.intp]) -> Float | None:
    """Velocities or joint forces (T, nv) of the first lane of a motion; None if it has none that are finite."""
    if not all(hasattr(motion, x) for x in ("t", "q", "v", "tau")):
        return None
    array = np.asarray(getattr(motion, name), dtype=float)
    if array.shape[-2:] != (rows, nv) or 0 in array.shape:
        return None
    lane: Float = array.reshape(-1, rows, nv)[0, kept]
    return lane if np.isfinite(lane).all() else None


def _placement(at: Any) -> Float:
    """The pose of a robot in the scene: from a point (3,), a pose (4, 4) or nothing."""
    X = np.eye(4)
    if at is None:
        return X
    pose = _finite("at", at)
    if pose.shape == (3,):
        X[:3, 3] = pose
        return X
    if pose.shape != (4, 4):
        raise InputError(f"at must be a point (3,) or a pose (4, 4), got shape {pose.shape}")
    return np.asarray(checked_pose(pose, "at"))


def _views(beside: Any) -> list[View]:
    views = [beside] if isinstance(beside, View) else beside
    if not isinstance(views, list | tuple) or not all(isinstance(x, View) for x in views):
        raise InputError("beside must be views, such as other.view(open=False, at=[1, 0, 0])")
    return list(views)


def _merge_options(*options: dict[str, Any]) -> dict[str, Any]:
    """Options of several views: all items that any of them shows; of other options, the first one counts.

    >>> _merge_options({"show": ["com"]}, {"show": ["trail", "com"], "theme": "dark"})
    {'show': ['com', 'trail'], 'theme': 'dark'}
    """
    shown = dict.fromkeys(name for x in options for name in x.get("show", ()))
    return {key: value for x in reversed(options) for key, value in x.items()} | {"show": list(shown)}


def _common_times(t: Float | None, others: list[View]) -> Float | None:
    """Times of all motions of a scene."""
    times = [x for x in (t, *(other.t for other in others)) if x is not None]
    for other in times[1:]:
        if other.shape != times[0].shape or not np.allclose(other, times[0]):
            raise InputError("motions beside each other must have the same times: Trajectory.resample gives them")
    return times[0] if times else None


def _in_notebook() -> bool:
    """Whether a notebook shows what a cell returns."""
    shell: Callable[[], Any] | None = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return shell is not None and "kernel" in getattr(shell(), "__module__", "").lower()

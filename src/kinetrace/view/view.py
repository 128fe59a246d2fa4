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

from ..errors import InputError, ModelWarning, lookup, shortened, warn
from ..model.checks import pose as checked_pose
from ..model.configurations import check_q, home
from ..robot import Robot
from ..robot.types import Float
from ..support.attributes import cached_property
from ..support.conversion import as_array, as_flag
from ..support.files import write_atomically
from .files import Files, floats
from .html import page
from .options import IN_PAGES, chosen
from .programs import programs
from .scene import frame_number, robot_scene, wrench_scene
from .skeleton import tip

THEMES = ("light", "dark")
WRITTEN = (".html", ".png", ".gif", ".mp4")
"""Suffixes of files that a view is saved as."""
FASTEST = 120.0
"""Rows per second of a motion that a page keeps; more are thinned out."""
_NAMED = 5
"""Files that are not shown, and are named."""
MOST_GHOSTS = 200
FOLDER = "kinetrace-view-"
"""What the names of folders for opened pages begin with."""
DAY = 86400.0
_COUNT = itertools.count(1)
HEIGHT = 560
"""Of the page in a notebook [pixels]."""


@dataclass(frozen=True)
class Shown:
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


@dataclass(frozen=True, eq=False, repr=False)
class View:
    """Page that shows robots: `Robot.view` makes it.

    A notebook shows it as it is. The page is one file, which needs no network and no server.

    Parameters
    ----------
    robots : tuple of Shown
        Robots with their configurations and motions.
    t : ndarray, shape (T,), optional
        Times of the motions [s].
    options : dict
        What is shown at first.

    Examples
    --------
    >>> import kinetrace as kt
    >>> view = kt.load("planar2r").view(open=False)
    >>> view
    View('planar2r')
    >>> view.html.startswith("<!doctype html>"), "http://" in view.html.split("<script", 1)[0]
    (True, False)
    """

    robots: tuple[Shown, ...]
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
        files, made = Files(), dict[int, tuple[dict[str, Any], str]]()
        for shown in self.robots:
            model = shown.robot.model
            if id(model) not in made:
                made[id(model)] = robot_scene(model, files), programs(model)
        note = ""
        if files.missing:
            named = [f"{shortened(name, 120)!r} ({why})" for name, why in list(files.missing.items())[:_NAMED]]
            rest = f", and {len(files.missing) - _NAMED} more" if len(files.missing) > _NAMED else ""
            note = f"files of meshes that are not shown: {', '.join(named)}{rest}"
            warn(note, ModelWarning)
        up = -np.asarray(self.robots[0].robot.model.gravity, dtype=float)
        scene = {
            "title": " and ".join(dict.fromkeys(x.robot.name for x in self.robots)) or "robot",
            "up": (up / length).tolist() if (length := float(np.linalg.norm(up))) > 0 else [0, 0, 1],
            "robots": [{**made[id(x.robot.model)][0], **_state(x)} for x in self.robots],
            "files": files.items,
            "note": note,
            "options": {"show": [], **self.options},
        }
        if self.t is not None:
            scene["t"] = floats(self.t)
        return page(scene, [made[id(x.robot.model)][1] for x in self.robots])

    def _repr_html_(self) -> str:
        text = html.escape(self.html, quote=True)
        style = f"width:100%;height:{HEIGHT}px;border:0;border-radius:12px"
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
        path = _folder() / f"{safe or 'robot'}-{next(_COUNT)}.html"
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
        from . import record

        record.save(self.html, place, size=size, rate=rate, time=time, times=self.t, panel=as_flag("panel", panel))


@cache
def _folder() -> Path:
    """The folder of this process for pages that browsers open.

    A browser may read a page after the process has ended, so the folder stays; the next process removes those that are
    older than a day.
    """
    made = Path(tempfile.mkdtemp(prefix=FOLDER))
    now = made.stat()
    for old in made.parent.glob(f"{FOLDER}*"):
        with suppress(OSError):
            found = old.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == now.st_uid and now.st_mtime - found.st_mtime > DAY:
                shutil.rmtree(old, ignore_errors=True)
    return made


def check_file(path: Path) -> None:
    """An error if a view cannot be written there."""
    if path.suffix not in WRITTEN:
        raise InputError(f"{path.name!r}: views are written as {', '.join(WRITTEN)}")
    if not path.absolute().parent.is_dir():
        raise InputError(f"there is no folder {str(path.absolute().parent)!r}")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder")


def _state(shown: Shown) -> dict[str, Any]:
    """What the page has to know of one robot of the scene besides the robot itself."""
    found: dict[str, Any] = {
        "q": shown.q.tolist(),
        "placement": shown.placement.ravel().tolist(),
        "wrenches": list(shown.wrenches),
    }
    if shown.trail is not None:
        found["trail"] = shown.trail
    for name in ("motion", "velocity", "force"):
        if (rows := getattr(shown, name)) is not None:
            found[name] = floats(rows)
    if shown.ghosts is not None and shown.ghosts.ndim == 3:
        found["ghostMotions"] = [floats(rows) for rows in shown.ghosts]
    elif shown.ghosts is not None:
        found["ghosts"] = shown.ghosts.tolist()
    return found


def view(
    robot: Robot,
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
    """The view of a robot; see `Robot.view`."""
    model = robot.model
    times, rows = _motion(robot, q, t)
    moving: Float | None = None
    velocity: Float | None = None
    force: Float | None = None
    lanes: Float
    if times is None:
        lanes = rows.reshape(math.prod(rows.shape[:-1]), model.nq)
        first, ghosts = lanes[0], lanes[1:]
    else:
        lanes = rows.reshape(math.prod(rows.shape[:-2]), len(times), model.nq)
        kept = _kept(times)
        velocity, force = (_lane(q, name, len(times), model.nv, kept) for name in ("v", "tau"))
        times, lanes = times[kept], lanes[:, kept]
        first, ghosts, moving = lanes[0, 0], lanes[1:], lanes[0]
    if len(ghosts) > MOST_GHOSTS:
        raise InputError(f"a page shows at most {MOST_GHOSTS} ghosts, got {len(ghosts)}: take some of them, as q[::10]")
    index = None
    if moving is not None:
        index = frame_number(model, tip(model) if trail is None else model.frame(trail).name)
    elif trail is not None:
        raise InputError("trail needs a motion: a Trajectory, or q with times t")
    shown = Shown(
        robot,
        first,
        _placement(at),
        moving,
        velocity,
        force,
        ghosts if len(ghosts) else None,
        tuple(wrench_scene(model, wrench)),
        index,
    )
    others = _others(beside)
    times, robots = _together(times, (shown, *(x for other in others for x in other.robots)), others)
    options: dict[str, Any] = {"show": list(chosen(show, IN_PAGES))}
    if wrench:
        options["show"].append("wrenches")
    if trail is not None:
        options["show"].append("trail")
    if not as_flag("floor", floor):
        options["hide"] = ["floor"]
    if theme is not None:
        options["theme"] = lookup("theme", theme, {x: x for x in THEMES})
    made = View(robots, times, _united(options, *(other.options for other in others)))
    if open if open is not None else not _in_notebook():
        made.open()
    return made


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


def _kept(t: Float) -> npt.NDArray[np.intp]:
    """Rows of a motion that a page keeps: at most `FASTEST` per second; the first and the last stay."""
    span = float(t[-1] - t[0])
    most = max(2, round(span * FASTEST) + 1)
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
    given = _finite("at", at)
    if given.shape == (3,):
        X[:3, 3] = given
        return X
    if given.shape != (4, 4):
        raise InputError(f"at must be a point (3,) or a pose (4, 4), got shape {given.shape}")
    return np.asarray(checked_pose(given, "at"))


def _others(beside: Any) -> list[View]:
    found = [beside] if isinstance(beside, View) else beside
    if not isinstance(found, list | tuple) or not all(isinstance(x, View) for x in found):
        raise InputError("beside must be views, such as other.view(open=False, at=[1, 0, 0])")
    return list(found)


def _united(*options: dict[str, Any]) -> dict[str, Any]:
    """What any of several views shows; else the first that says something counts.

    >>> _united({"show": ["com"]}, {"show": ["trail", "com"], "theme": "dark"})
    {'show': ['com', 'trail'], 'theme': 'dark'}
    """
    shown = dict.fromkeys(name for x in options for name in x.get("show", ()))
    return {key: value for x in reversed(options) for key, value in x.items()} | {"show": list(shown)}


def _together(t: Float | None, robots: tuple[Shown, ...], others: list[View]) -> tuple[Float | None, tuple[Shown, ...]]:
    """One row of times for all motions of a scene."""
    times = [x for x in (t, *(other.t for other in others)) if x is not None]
    for other in times[1:]:
        if other.shape != times[0].shape or not np.allclose(other, times[0]):
            raise InputError("motions beside each other must have the same times: Trajectory.resample gives them")
    return (times[0] if times else None), robots


def _in_notebook() -> bool:
    """Whether a notebook shows what a cell returns."""
    shell: Callable[[], Any] | None = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return shell is not None and "kernel" in getattr(shell(), "__module__", "").lower()

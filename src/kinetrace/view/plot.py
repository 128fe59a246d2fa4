"""Plots of a robot by matplotlib: `Robot.plot`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..algorithms.registry.declaration import check_tree
from ..arrays import Array
from ..errors import InputError, KinetraceError, lookup
from ..model import configurations
from ..model.configurations import home
from ..robot import Robot
from ..simulation.figures import check_picture, new_figure, write_figure
from ..simulation.metadata import names_of
from .skeleton import tip

COUNTED_ALGORITHMS = (
    *("pose", "jacobian", "gravity", "inverse_dynamics", "mass_matrix", "coriolis_matrix", "forward_dynamics"),
    *("inverse_dynamics_derivatives", "forward_dynamics_derivatives"),
)
"""The algorithms of the picture of counts."""
OPERATION_KINDS = (
    ("mul", "multiplications", "#0969da"),
    ("add", "additions", "#7fb2ea"),
    ("rest", "others", "#bf8700"),
)
LABELLED_SIZE = 12
"""Matrices up to this size have their numbers written into the map."""
SAMPLES, SEED = 5000, 0
"""Random configurations of a workspace."""


def plot(robot: Robot, what: str, q: npt.ArrayLike | None, frame: str | None, path: Path | None) -> Any:
    """A figure, written to a file if a path is given."""
    make = lookup("what", what, PLOTS)
    if path is not None:
        check_picture(path)
    model = robot.model
    if frame is not None:
        model.frame(frame)
    if q is None:
        q = home(model)
    configurations.check_q(model, q, limits=False)
    if np.ndim(q) != 1:
        raise InputError(f"q must be one configuration of shape ({model.nq},), got shape {np.shape(q)}")
    figure = make(robot, np.asarray(q, dtype=float), frame or tip(model))
    if path is not None:
        write_figure(figure, path)
    return figure


def mass_matrix(robot: Robot, q: Array, frame: str) -> Any:
    """The mass matrix, by joints; colours are of ∛M, so that small entries are seen."""
    names, M = names_of(robot.model), np.asarray(robot.mass_matrix(q), dtype=float)
    n = len(M)
    size = min(11.0, max(3.2, 1.6 + 0.52 * n))
    figure = new_figure(size + 0.8, size)
    ax, shown = figure.subplots(), np.cbrt(M)
    largest = float(np.abs(shown).max(initial=0.0)) or 1.0
    image = ax.imshow(shown, cmap="RdBu_r", vmin=-largest, vmax=largest)
    ticks = {"fontsize": "small" if n <= 16 else "xx-small"}
    ax.set_xticks(range(n), names.v, rotation=90 if n > 3 else 0, **ticks)
    ax.set_yticks(range(n), names.v, **ticks)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if n <= LABELLED_SIZE:
        for i, j in np.ndindex(M.shape):
            dark = "white" if abs(shown[i, j]) > 0.6 * largest else "black" if abs(M[i, j]) >= 0.005 else "grey"
            ax.text(j, i, _entry_text(float(M[i, j])), ha="center", va="center", fontsize=7.5, color=dark)
    bar = figure.colorbar(image, ax=ax, shrink=0.8)
    values = np.array([-1.0, -0.5, 0.0, 0.5, 1.0]) * largest
    bar.set_ticks(values, labels=[f"{x**3:.2g}" for x in values])
    units = list(dict.fromkeys(names.v_units))
    bar.set_label("M [kg m²]" if units == ["rad/s"] else "M [kg]" if units == ["m/s"] else "M [kg m², kg m, kg]")
    ax.set_title(f"mass matrix, {robot.model.name}", fontsize="medium")
    return figure


def _entry_text(x: float) -> str:
    """A number in five characters; nothing for zero."""
    return "" if abs(x) < 1e-12 else "0.00" if abs(x) < 0.005 else f"{x:.2f}" if abs(x) < 100 else f"{x:.3g}"


def counts(robot: Robot, q: Array, frame: str) -> Any:
    """Scalar operations of the main algorithms, as bars."""
    rows = []
    for name in COUNTED_ALGORITHMS:
        static: dict[str, Any] = {"frame": frame} if name in ("pose", "jacobian") else {}
        try:
            n = robot.count(name, **static)
        except KinetraceError:  # not every robot has every algorithm
            continue
        rows.append((name.replace("_", " "), {"mul": n.mul, "add": n.add, "rest": n.div + n.sqrt + n.trig}))
    figure = new_figure(8.0, 1.1 + 0.36 * len(rows))
    ax, left = figure.subplots(), np.zeros(len(rows))
    for kind, label, color in OPERATION_KINDS:
        wide = np.array([x[kind] for _, x in rows])
        ax.barh(range(len(rows)), wide, left=left, color=color, label=label, height=0.7)
        left = left + wide
    for k, total in enumerate(left):
        ax.annotate(f"{int(total):,}", (total, k), (4, 0), textcoords="offset points", va="center", fontsize="small")
    ax.set_yticks(range(len(rows)), [name for name, _ in rows])
    ax.invert_yaxis()
    ax.set_xlim(0, 1.12 * left.max(initial=1.0))
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", alpha=0.3)
    ax.set_axisbelow(True)
    ax.set_xlabel("scalar operations per state")
    ax.legend(frameon=False, fontsize="small", loc="upper right")
    ax.set_title(f"operation counts, {robot.model.name} ({robot.model.nv} degrees of freedom)", fontsize="medium")
    return figure


def workspace(robot: Robot, q: Array, frame: str) -> Any:
    """Where the origin of a frame can be, from above and from the side."""
    model = robot.model
    if not frame:
        raise InputError("the robot has no frame, whose workspace could be drawn")
    check_tree("a picture of the workspace", model, "random configurations leave them open")
    points = np.asarray(robot.pose(model.random(np.random.default_rng(SEED), (SAMPLES,)), frame))[:, :3, 3]
    figure = new_figure(9.0, 4.6)
    for ax, (i, j), seen in zip(figure.subplots(1, 2), ((0, 1), (0, 2)), ("from above", "from the side"), strict=True):
        ax.plot(points[:, i], points[:, j], ".", markersize=2.6, color="#0969da", alpha=0.6, mew=0, rasterized=True)
        ax.plot(0, 0, "+", color="black", markersize=9)
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xlabel(f"{'xyz'[i]} [m]")
        ax.set_ylabel(f"{'xyz'[j]} [m]")
        ax.set_title(seen, fontsize="small")
        ax.grid(alpha=0.3)
    figure.suptitle(f"workspace of {frame}, {model.name}", fontsize="medium")
    return figure


PLOTS: dict[str, Callable[[Robot, Array, str], Any]] = {
    "mass_matrix": mass_matrix,
    "counts": counts,
    "workspace": workspace,
}

"""Figures of docs/theory, drawn from the robots themselves."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from PIL import Image

import kinetrace as kt
from kinetrace.lie import se3, so3

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.patches import Circle, Ellipse, FancyArrowPatch, FancyBboxPatch, Polygon, Rectangle

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "theory" / "figures"
INK, FAINT, LINK = "#1f2328", "#d0d7de", "#aeb8c4"
RED, BLUE, GREEN, AMBER, VIOLET = "#d1242f", "#0969da", "#1a7f37", "#bf8700", "#8250df"
DIVERGING = LinearSegmentedColormap.from_list("diverging", [BLUE, "white", RED])
LOOK = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "mathtext.fontset": "dejavusans",
    "text.color": INK,
    "axes.edgecolor": "#6e7781",
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.hashsalt": "kinetrace",
    "svg.fonttype": "path",
}
Array = np.ndarray[Any, Any]


# ---- parts of drawings


def blank(width: float, height: float, columns: int = 1, **kwargs: Any) -> tuple[Any, Any]:
    """A figure whose axes have equal scales and no frame."""
    figure, axes = plt.subplots(1, columns, figsize=(width, height), squeeze=False, **kwargs)
    for ax in axes[0]:
        ax.set_aspect("equal")
        ax.axis("off")
    return figure, axes[0] if columns > 1 else axes[0][0]


def arrow(
    ax: Any, start: Any, end: Any, color: str = INK, width: float = 1.6, bend: float = 0.0, **kwargs: Any
) -> None:
    """An arrow with a filled head."""
    style = {"arrowstyle": "-|>,head_length=5,head_width=2.4", "shrinkA": 0, "shrinkB": 0} | kwargs
    ax.add_patch(
        FancyArrowPatch(
            start,
            end,
            color=color,
            linewidth=width,
            connectionstyle=f"arc3,rad={bend}",
            zorder=kwargs.pop("zorder", 6),
            **style,
        )
    )


def write(ax: Any, place: Any, shift: tuple[float, float], text: str, **kwargs: Any) -> None:
    """Text beside a place."""
    x, y = np.asarray(place) + np.asarray(shift)
    ax.text(x, y, text, **({"ha": "center", "va": "center"} | kwargs))


class View:
    """An orthographic view of space: points (..., 3) → (..., 2)."""

    def __init__(self, azimuth: float, elevation: float) -> None:
        a, e = np.radians([azimuth, elevation])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        ahead = -np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        self.rows = np.stack([right, np.cross(right, ahead)])

    def __call__(self, points: Any) -> Array:
        """Places on the page."""
        return np.asarray(points, float) @ self.rows.T

    def frame(self, ax: Any, X: Array, size: float, name: str = "", offset: tuple[float, float] = (0, 0)) -> None:
        """Three axes, in red, green and blue."""
        origin = self(X[:3, 3])
        for axis, color in zip(X[:3, :3].T, (RED, GREEN, BLUE), strict=True):
            arrow(ax, origin, self(X[:3, 3] + size * axis), color, 1.5, mutation_scale=0.8)
        if name:
            write(ax, origin, offset, name, zorder=9)

    def screw(self, ax: Any, point: Array, direction: Array, reach: float, radius: float, at: float) -> None:
        """The line of a screw, and the turn about it at a part of its reach."""
        color = VIOLET
        ends = self(point[None] + direction * np.array([[-0.3 * reach], [reach]]))
        ax.plot(*ends.T, color=color, linewidth=1.0, dashes=(5, 3), zorder=4)
        across = np.linalg.svd(direction[None])[2][1:]
        across[1] *= np.sign(np.linalg.det(np.stack([*across, direction])))
        t = np.linspace(-0.4, 1.35 * np.pi, 60)[:, None]
        ring = self(point + at * reach * direction + radius * (np.cos(t) * across[0] + np.sin(t) * across[1]))
        ax.plot(*ring[:-3].T, color=color, linewidth=1.5, zorder=7)
        arrow(ax, ring[-4], ring[-1], color, 1.5, mutation_scale=0.9)


def grid_of(ax: Any, matrix: Array, x: float, y: float, cell: float, color: str, block: int = 1) -> tuple[float, float]:
    """The nonzero entries of a matrix as squares, its top left corner at (x, y); returns width and height."""
    rows, columns = matrix.shape
    shade = np.abs(matrix) > 1e-12
    picture = np.ones((rows, columns, 4)) * matplotlib.colors.to_rgba(color)
    picture[~shade] = matplotlib.colors.to_rgba("#f6f8fa")
    ax.imshow(picture, extent=(x, x + columns * cell, y - rows * cell, y), interpolation="nearest", zorder=2)
    lines = [[(x + k * cell, y), (x + k * cell, y - rows * cell)] for k in range(block, columns, block)]
    lines += [[(x, y - k * cell), (x + columns * cell, y - k * cell)] for k in range(block, rows, block)]
    ax.add_collection(LineCollection(lines, colors="white", linewidths=0.7, zorder=3))
    ax.add_patch(
        Rectangle(
            (x, y - rows * cell), columns * cell, rows * cell, fill=False, edgecolor="#6e7781", linewidth=0.9, zorder=4
        )
    )
    return columns * cell, rows * cell


# ---- figures


def chain() -> Any:
    """A chain of three joints: frames, screws, M_i."""
    view = View(-62, 20)
    figure, ax = blank(8.2, 5.0)
    turn = so3.exp(np.array([np.pi / 2, 0, 0]))
    places = [
        se3.pose(np.eye(3), np.array([0, 0, 0.75])),
        se3.pose(turn, np.array([0.55, 0, 0.75])),
        se3.pose(np.eye(3), np.array([1.35, 0, 0])),
    ]
    q, S = [0.2, 0.5, -1.0], np.array([0.0, 0, 1, 0, 0, 0])
    poses = [np.eye(4)]
    for M, angle in zip(places, q, strict=True):
        poses.append(poses[-1] @ M @ se3.exp(S * angle))
    tip = poses[-1] @ se3.pose(np.eye(3), np.array([1.1, 0, 0]))

    base = np.array([[-0.32, -0.32, 0], [0.32, -0.32, 0], [0.32, 0.32, 0], [-0.32, 0.32, 0]])
    ax.add_patch(Polygon(view(base), facecolor="#e6eaef", edgecolor="#8c959f", zorder=1))
    places_of_joints = [X[:3, 3] for X in poses]
    corner = np.array([*places_of_joints[1][:2], places_of_joints[2][2]])
    outline = view([*places_of_joints[:2], corner, *places_of_joints[2:], tip[:3, 3]])
    for color, width in ((LINK, 17), ("#e6ebf1", 13)):
        ax.plot(*outline.T, color=color, linewidth=width, solid_capstyle="round", solid_joinstyle="round", zorder=2)
    names = [(0.0, 0.12), (-0.14, -0.06), (-0.14, -0.06)]
    for k, (X, shift) in enumerate(zip(poses[1:], names, strict=True), 1):
        ax.add_patch(Circle(view(X[:3, 3]), 0.08, facecolor="white", edgecolor=INK, linewidth=1.2, zorder=5))
        reach = 1.4 if k == 1 else 0.95
        view.screw(ax, X[:3, 3], X[:3, 2], reach, 0.15, 0.78)
        write(ax, view(X[:3, 3] + reach * X[:3, 2]), shift, f"$S_{k}$", color=VIOLET, fontsize=14)
    offsets = [(-0.16, 0.16), (-0.25, 0.02), (0.16, -0.2), (0.2, 0.1)]
    for k, (X, offset) in enumerate(zip(poses, offsets, strict=True)):
        view.frame(ax, X, 0.36, rf"$\{{{k}\}}$", offset)
    view.frame(ax, tip, 0.36, "tip", (0.0, -0.2))
    middles = [(outline[0] + outline[1]) / 2, outline[2], (outline[3] + outline[4]) / 2]
    for k, (middle, shift) in enumerate(zip(middles, [(0.26, 0.0), (-0.3, 0.14), (-0.1, 0.26)], strict=True), 1):
        write(ax, middle, shift, f"$M_{k}$", fontsize=13, color="#57606a")
    law = "$X_{i-1,i} = M_i\\; e^{\\hat S_i q_i}$\n\n$V_i = \\mathrm{Ad}_{X^{-1}} V_{i-1} + S_i \\dot q_i$"
    ax.text(0.98, 0.04, law, transform=ax.transAxes, ha="right", va="bottom", fontsize=13)
    ax.margins(0.04)
    return figure


def screw() -> Any:
    """A body that moves along a screw."""
    view = View(-72, 16)
    figure, ax = blank(8.0, 3.5)
    n, pitch, angle = np.array([1.0, 0.0, 0.0]), 0.36, 2.45 * np.pi
    S = np.concatenate([n, pitch * n])  # through the origin
    start = se3.pose(so3.exp(np.array([0.3, 0, 0])), np.array([0.35, -0.3, -0.55]))
    ax.plot(*view([[-0.25, 0, 0], [3.7, 0, 0]]).T, color=VIOLET, linewidth=1.2, dashes=(5, 3), zorder=2)
    arrow(ax, view([3.45, 0, 0]), view([3.9, 0, 0]), VIOLET, 1.8)
    write(ax, view([3.9, 0, 0]), (0.15, -0.02), "$n$", color=VIOLET, fontsize=14)
    ax.plot(*view([0, 0, 0]), "o", color=VIOLET, markersize=6, zorder=6)
    write(ax, view([0, 0, 0]), (0.0, 0.18), "$p$", color=VIOLET, fontsize=14)
    path = np.array([(se3.exp(S * x) @ start)[:3, 3] for x in np.linspace(0, angle, 200)])
    ax.plot(*view(path).T, color="#c3ccd6", linewidth=3, zorder=1)
    for x in np.linspace(0, angle, 8):
        X = se3.exp(S * x) @ start
        ax.plot(*view([[X[0, 3], 0, 0], X[:3, 3]]).T, color="#afb8c1", linewidth=0.9, zorder=1)
        view.frame(ax, X, 0.25)
    write(ax, view(path[0]), (-0.12, -0.22), "$X(0)$", fontsize=12)
    write(ax, view(path[-1]), (0.12, -0.3), "$X(t) = e^{\\hat S t} X(0)$", ha="left", fontsize=12)
    ends = view([[0.35, 0, -1.05], [0.35 + 2 * np.pi * pitch, 0, -1.05]])
    arrow(ax, *ends, INK, 1.0, arrowstyle="<|-|>,head_length=4,head_width=2")
    write(ax, ends.mean(0), (0.0, -0.16), "$2 \\pi h$ per turn", fontsize=11)
    ax.margins(0.04)
    return figure


TREE = {
    1: ((0, 0.0), 0),
    2: ((-1.3, 1.0), 1),
    3: ((0, 1.0), 1),
    4: ((1.3, 1.0), 1),
    5: ((-1.3, 2.0), 2),
    6: ((0.75, 2.0), 4),
    7: ((1.85, 2.0), 4),
}
"""Body → its place and its parent."""


def sweeps() -> Any:
    """Outward and inward sweeps over a tree."""
    figure, axes = blank(9.4, 4.5, 2)
    words = [
        (BLUE, "outward: base → tips", "$V_i = \\mathrm{Ad}_{X_i^{-1}} V_p + S_i v_i$", "$V, \\dot V$"),
        (
            RED,
            "inward: tips → base",
            "$F_i = J_i \\dot V_i - \\mathrm{ad}_{V_i}^T J_i V_i + \\sum \\mathrm{Ad}_{X_k^{-1}}^T F_k$",
            "$F,\\ \\hat J$",
        ),
    ]
    for ax, (color, title, law, what) in zip(axes, words, strict=True):
        ax.add_patch(Rectangle((-0.55, -1.02), 1.1, 0.12, facecolor="#e6eaef", edgecolor="#8c959f"))
        for k in np.linspace(-0.5, 0.4, 7):
            ax.plot([k, k + 0.12], [-1.16, -1.02], color="#8c959f", linewidth=0.8)
        ax.text(0.72, -0.98, "base", va="center", color="#57606a")
        for i, (place, parent) in TREE.items():
            below = np.array(TREE[parent][0] if parent else (0, -0.9), float)
            above, gap = np.array(place, float), 0.27
            way = (above - below) / np.linalg.norm(above - below)
            ends = below + (gap if parent else 0.06) * way, above - gap * way
            arrow(ax, *(ends if color == BLUE else ends[::-1]), color, 2.2)
            ax.add_patch(Circle(place, 0.235, facecolor="white", edgecolor=INK, linewidth=1.3, zorder=7))
            ax.text(*place, str(i), ha="center", va="center", zorder=8)
        ax.text(0.24, -0.44, what, color=color, fontsize=12, va="center")
        ax.text(0, 2.72, title, ha="center", fontsize=12, color=color, weight="bold")
        ax.text(0, -1.62, law, ha="center", fontsize=11.5)
        step = ["first", "then", "last"] if color == BLUE else ["last", "then", "first"]
        for height, when in zip((0, 1, 2), step, strict=True):
            ax.text(-2.25, height, when, ha="center", va="center", color="#8c959f", fontsize=9, style="italic")
        ax.set_xlim(-2.7, 2.5)
        ax.set_ylim(-1.95, 2.95)
    figure.subplots_adjust(left=0, right=1, top=1, bottom=0, wspace=0)
    return figure


def factors() -> Any:
    """M = Sᵀ Gᵀ J G S for a chain and for a tree."""
    figure, rows = plt.subplots(2, 1, figsize=(9.2, 5.2))
    hinge = kt.joints.Revolute(np.array([0.36, 0.48, 0.8]))
    shape = kt.lie.inertia.from_mass_com(1.0, [0.1, 0.2, 0.3], np.diag([0.1, 0.2, 0.25]) + 0.02)
    trees = {"chain": [-1, 0, 1, 2, 3], "tree": [-1, 0, 1, 0, 3]}
    for ax, (name, parents) in zip(rows, trees.items(), strict=True):
        ax.set_aspect("equal")
        ax.axis("off")
        b = kt.Builder(name)
        for i, parent in enumerate(parents):
            b.link(f"l{i}", inertia=shape)
            b.joint(
                f"j{i}",
                hinge,
                parent="base" if parent < 0 else f"l{parent}",
                child=f"l{i}",
                placement=se3.exp(np.array([0.3, 0.2, 0.5, 0.4, 0.1, 0.2])),
            )
        g = kt.operators.global_matrices(b.build(), np.full(5, 0.4))
        x, cell, height = 0.0, 1.0, 30.0
        parts: list[tuple[str, Array | None, str]] = [
            ("$M$", g.S.T @ g.G.T @ g.J @ g.G @ g.S, VIOLET),
            ("=", None, ""),
            ("$S^T$", g.S.T, AMBER),
            ("$G^T$", g.G.T, RED),
            ("$J$", g.J, GREEN),
            ("$G$", g.G, BLUE),
            ("$S$", g.S, AMBER),
        ]
        for label, matrix, color in parts:
            if matrix is None:
                ax.text(x + 1.2, height / 2, label, fontsize=15, ha="center", va="center")
                x += 4.6
                continue
            size = 2.0 if label == "$M$" else cell
            tall = matrix.shape[0] * size
            w, _ = grid_of(ax, matrix, x, (height + tall) / 2, size, color, 1 if label == "$M$" else 6)
            ax.text(x + w / 2, (height - tall) / 2 - 2.6, label, ha="center", va="center", fontsize=12)
            x += w + 2.2
        ax.set_xlim(-14, x)
        ax.set_ylim(-4.5, height + 0.5)
        ax.text(-12.5, height / 2, name, fontsize=12, weight="bold", va="center", rotation=90, ha="center")
        small_tree(ax, parents, -6, height / 2 - 8)
    figure.subplots_adjust(left=0.01, right=0.99, top=0.99, bottom=0.01, hspace=0.04)
    return figure


def small_tree(ax: Any, parents: list[int], x: float, y: float) -> None:
    """A sketch of which body carries which."""
    places: list[tuple[float, float]] = []
    for i, parent in enumerate(parents):
        if parent < 0:
            places.append((x, y))
        else:
            brothers = [k for k, p in enumerate(parents) if p == parent]
            aside = 0.0 if len(brothers) == 1 else (-2.2 if i == brothers[0] else 2.2)
            places.append((places[parent][0] + aside, places[parent][1] + 4.0))
    for i, parent in enumerate(parents):
        if parent >= 0:
            ax.plot(*zip(places[parent], places[i], strict=True), color="#8c959f", linewidth=1.4, zorder=5)
        ax.add_patch(Circle(places[i], 1.25, facecolor="white", edgecolor=INK, linewidth=1, zorder=6))
        ax.text(*places[i], str(i + 1), ha="center", va="center", fontsize=7.5, zorder=7)


def quadruped() -> tuple[Any, Array, Array]:
    """The robot, its mass matrix and its root at a random configuration."""
    robot = kt.load("quadruped", base="free", backend="numpy")
    q = robot.random(seed=3)
    W = np.stack([robot.mass_root_product(q, e) for e in np.eye(robot.nv)], axis=-1)
    return robot, robot.mass_matrix(q), W


LEGS = ("base", "FL", "FR", "RL", "RR")


def legs_on(ax: Any, n: int = 18) -> None:
    """Names of the blocks along the top, lines between them."""
    edges = [0, 6, 9, 12, 15, 18]
    for edge in edges[1:-1]:
        ax.axhline(edge - 0.5, color="white", linewidth=1.6)
        ax.axvline(edge - 0.5, color="white", linewidth=1.6)
    ax.set_xticks([(a + b - 1) / 2 for a, b in pairwise(edges)], LEGS)
    ax.set_yticks([])
    ax.tick_params(length=0, labelsize=8.5, top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.set_xlim(-0.5, n - 0.5)


def sparsity() -> Any:
    """Zeros of M, W, W⁻¹ and M⁻¹ of a quadruped."""
    _, M, W = quadruped()
    figure, axes = plt.subplots(1, 4, figsize=(10.2, 3.1))
    inverse = np.linalg.inv(W)
    pictures = {
        "$M = W W^T$": (M, VIOLET),
        "$W$": (W, BLUE),
        "$W^{-1}$": (inverse, BLUE),
        "$M^{-1} = W^{-T} W^{-1}$": (inverse.T @ inverse, VIOLET),
    }
    for ax, (name, (matrix, color)) in zip(axes, pictures.items(), strict=True):
        filled = np.abs(matrix) > 1e-12 * np.abs(matrix).max()
        ax.imshow(filled, cmap=ListedColormap(["#f1f3f5", color]), vmin=0, vmax=1, interpolation="nearest")
        legs_on(ax)
        ax.set_xlabel(f"{name}\n{filled.sum()} of 324", fontsize=11)
    figure.tight_layout(w_pad=1.2)
    return figure


def coriolis() -> Any:
    """Ṁ − 2C and its symmetric part for three forms of C."""
    robot = kt.load("panda", backend="numpy")
    q, v = robot.random(seed=0), np.random.default_rng(0).normal(size=7)
    rate = robot.mass_matrix_rate(q, v)
    figure, axes = plt.subplots(2, 3, figsize=(7.4, 5.1))
    scale = 0.35
    for column, form in enumerate(("newton", "skew", "christoffel")):
        K = rate - 2 * robot.coriolis_matrix(q, v, form=form)
        for ax, matrix in zip(axes[:, column], (K, (K + K.T) / 2), strict=True):
            picture = ax.imshow(matrix, cmap=DIVERGING, vmin=-scale, vmax=scale)
            ax.set_xticks([])
            ax.set_yticks([])
            ax.set_xticks(np.arange(0.5, 6.5), minor=True)
            ax.set_yticks(np.arange(0.5, 6.5), minor=True)
            ax.grid(which="minor", color=FAINT, linewidth=0.5)
            ax.tick_params(which="both", length=0)
        axes[0, column].set_title(f'form="{form}"', fontsize=11, family="monospace")
        largest = np.abs(K + K.T).max() / 2
        axes[1, column].set_xlabel("zero: skew" if largest < 1e-12 else f"up to {largest:.2f}: not skew", fontsize=10)
    axes[0, 0].set_ylabel("$\\dot M - 2C$", fontsize=12)
    axes[1, 0].set_ylabel("its symmetric part", fontsize=11)
    figure.subplots_adjust(left=0.07, right=0.87, top=0.93, bottom=0.07, wspace=0.12, hspace=0.1)
    bar = figure.colorbar(picture, cax=figure.add_axes((0.9, 0.15, 0.018, 0.7)), extend="both")
    bar.set_label("kg m² / s")
    bar.outline.set_linewidth(0.6)
    return figure


def geodesics() -> Any:
    """A fan of geodesics of a two-link arm over its curvature, and one of them in space."""
    robot = kt.load("planar2r", gravity=(0, 0, 0))
    grid = np.linspace(-np.pi, np.pi, 181)
    K = robot.sectional_curvature(np.stack([np.zeros(181), grid], axis=-1), [1, 0], [0, 1])
    figure, (ax, space) = plt.subplots(1, 2, figsize=(9.4, 4.4), gridspec_kw={"width_ratios": [1.28, 1]})
    soft = LinearSegmentedColormap.from_list("soft", ["#a9cdf3", "white", "#f5b5b9"])
    picture = ax.imshow(
        np.tile(K[:, None], (1, 2)),
        cmap=soft,
        vmin=-2.2,
        vmax=2.2,
        extent=(-np.pi, np.pi, -np.pi, np.pi),
        origin="lower",
        aspect="auto",
        interpolation="bilinear",
    )
    start = np.array([-1.9, 0.2])
    root = np.linalg.cholesky(robot.mass_matrix(start))
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 19)
    v = np.linalg.solve(root.T, np.stack([np.cos(angles), np.sin(angles)]))  # unit energy norm
    t = np.linspace(0, 6.5, 320)
    q, _ = robot.geodesic(np.tile(start, (19, 1)), v.T, t)
    for k, path in enumerate(q):
        inside = (np.abs(path) < np.pi).all(-1)
        last = len(path) if inside.all() else int(np.argmin(inside))
        ax.plot(*path[:last].T, color=BLUE if k != 12 else RED, linewidth=0.9 if k != 12 else 2.0)
    ax.plot(*start, "o", color=INK, markersize=5)
    ax.set_xlabel("$q_1$ [rad]")
    ax.set_ylabel("$q_2$ [rad]")
    ax.set_xlim(-np.pi, np.pi)
    ax.set_ylim(-np.pi, np.pi)
    ax.set_xticks([-np.pi, 0, np.pi], ["−π", "0", "π"])
    ax.set_yticks([-np.pi, 0, np.pi], ["−π", "0", "π"])
    ax.set_title("geodesics from one configuration", fontsize=11)
    bar = figure.colorbar(picture, ax=ax, pad=0.02, aspect=32)
    bar.set_label("curvature $K(q_2)$  [1 / kg m²]")
    bar.outline.set_linewidth(0.6)
    path = q[12][(np.abs(q[12]) < np.pi).all(-1)]
    for k, fraction in enumerate(np.linspace(0, 1, 9)):
        pose = path[round(fraction * (len(path) - 1))]
        elbow = np.array([np.cos(pose[0]), np.sin(pose[0])])
        tip = elbow + np.array([np.cos(pose.sum()), np.sin(pose.sum())])
        shade = 0.2 + 0.8 * fraction
        space.plot(
            *zip((0, 0), elbow, tip, strict=True),
            color=INK,
            alpha=shade,
            linewidth=2.4,
            marker="o",
            markersize=4,
            markerfacecolor="white",
            zorder=3 + k,
        )
    tips = np.stack([np.cos(path[:, 0]) + np.cos(path.sum(-1)), np.sin(path[:, 0]) + np.sin(path.sum(-1))])
    space.plot(*tips, color=RED, linewidth=2, zorder=2)
    space.set_aspect("equal")
    space.axis("off")
    space.set_title("the red one, in space", fontsize=11)
    figure.tight_layout()
    return figure


def quasi() -> Any:
    """A free motion in velocities, and in quasi-velocities."""
    robot = kt.load("planar2r", gravity=(0, 0, 0))
    q, v = np.array([0.3, 1.1]), np.array([1.0, -2.0])
    t = np.linspace(0, 4.0, 400)
    qs, vs = robot.geodesic(q, v, t)
    nu = robot.mass_root_transposed_product(qs, vs)
    energy = robot.kinetic_energy(q, v)
    figure, axes = plt.subplots(1, 2, figsize=(8.6, 3.9))
    picked = [0, 150, 260, 370]
    for ax, path, names in ((axes[0], vs, ("$v_1$", "$v_2$")), (axes[1], nu, ("$\\nu_1$", "$\\nu_2$"))):
        for color, k in zip((RED, AMBER, GREEN, BLUE), picked, strict=True):
            M = robot.mass_matrix(qs[k]) if ax is axes[0] else np.eye(2)
            values, vectors = np.linalg.eigh(M)
            size = 2 * np.sqrt(2 * energy / values)
            angle = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0]))
            ax.add_patch(
                Ellipse(
                    (0, 0),
                    *size,
                    angle=angle,
                    fill=False,
                    edgecolor=color if ax is axes[0] else FAINT,
                    linewidth=1.0,
                    alpha=0.8,
                )
            )
            ax.plot(*path[k], "o", color=color, markersize=7, zorder=6)
        ax.plot(*path.T, color=INK, linewidth=1.2, zorder=4)
        ax.axhline(0, color=FAINT, linewidth=0.8, zorder=0)
        ax.axvline(0, color=FAINT, linewidth=0.8, zorder=0)
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xlabel(names[0], fontsize=12)
        ax.set_ylabel(names[1], fontsize=12)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_title("$\\frac{1}{2} v^T M(q) v$ constant: the ellipse changes with $q$", fontsize=10.5)
    axes[1].set_title("$\\frac{1}{2} |\\nu|^2$ constant: $\\nu$ turns on a circle", fontsize=10.5)
    figure.tight_layout(w_pad=2.5)
    return figure


def free_base() -> Any:
    """Blocks of M on a free base, beside the tree."""
    _, M, _ = quadruped()
    figure, (ax, heat) = plt.subplots(1, 2, figsize=(8.8, 3.9), gridspec_kw={"width_ratios": [1, 1.05]})
    ax.set_aspect("equal")
    ax.axis("off")
    ax.plot([-1.6, 1.6], [-2.2, -2.2], color="#8c959f", linewidth=1)
    for k in np.linspace(-1.5, 1.5, 17):
        ax.plot([k, k - 0.12], [-2.2, -2.34], color="#8c959f", linewidth=0.8)
    ax.text(1.7, -2.25, "world", va="center", color="#57606a")
    arrow(ax, (-1.5, -2.15), (-1.08, -0.02), AMBER, 2.2, bend=-0.5)
    ax.text(
        -2.75,
        -1.1,
        "free joint:\n$S = 1_{6 \\times 6}$,\n$v = (\\omega, v)$",
        color=AMBER,
        ha="center",
        va="center",
        fontsize=10,
    )
    ax.add_patch(
        FancyBboxPatch(
            (-1.0, -0.22),
            2.0,
            0.44,
            boxstyle="round,pad=0.04",
            facecolor="#dfe5ec",
            edgecolor=INK,
            linewidth=1.2,
            zorder=3,
        )
    )
    ax.text(0, 0, "trunk", ha="center", va="center", zorder=4)
    legs = {"FL": (0.95, BLUE), "FR": (0.45, GREEN), "RL": (-0.45, VIOLET), "RR": (-0.95, RED)}
    for name, (x, color) in legs.items():
        knee, foot = (x + np.sign(x) * 0.25, -0.75), (x, -1.35)
        ax.plot(
            *zip((x, -0.2), knee, foot, strict=True),
            color=color,
            linewidth=3.2,
            marker="o",
            markersize=5,
            markerfacecolor="white",
            zorder=2,
        )
        ax.text(x, -1.65, name, color=color, ha="center", fontsize=10)
    ax.set_xlim(-3.4, 2.2)
    ax.set_ylim(-2.5, 0.7)
    block = np.zeros((18, 18))
    block[:6, :6] = 1
    for leg in range(4):
        part = slice(6 + 3 * leg, 9 + 3 * leg)
        block[part, part] = 2 + leg
        block[:6, part] = block[part, :6] = 6
    colors = ["#f6f8fa", AMBER, BLUE, GREEN, VIOLET, RED, "#e7d9b5"]
    heat.imshow(block, cmap=ListedColormap(colors), vmin=0, vmax=6, interpolation="nearest")
    legs_on(heat)
    assert not np.any((np.abs(M) > 1e-12) & (block == 0))
    heat.text(2.5, 2.5, "locked\ninertia", ha="center", va="center", color="white", fontsize=10)
    heat.text(11.5, 2.5, "coupling", ha="center", va="center", color="#6b5518", fontsize=10)
    for leg in range(4):
        heat.text(
            7 + 3 * leg,
            7 + 3 * leg,
            rf"$M_{{\mathrm{{{LEGS[leg + 1]}}}}}$",
            ha="center",
            va="center",
            color="white",
            fontsize=10,
        )
    heat.text(14.5, 8.4, "0", ha="center", va="center", color="#8c959f", fontsize=15)
    heat.text(8.5, 14.5, "0", ha="center", va="center", color="#8c959f", fontsize=15)
    heat.set_xlabel("$M(q)$: no entries between legs", fontsize=10.5)
    figure.tight_layout()
    return figure


def closed_loop() -> Any:
    """A four-bar linkage, its tree with the cut, and the projection."""
    robot = kt.load("four_bar", backend="numpy")
    q = robot.assemble()
    ends = {name: robot.pose(q, name)[[0, 2], 3] for name in ("crank", "coupler", "rocker")}
    cut = (robot.pose(q, "coupler") @ [0.5, 0, 0, 1])[[0, 2]]
    figure, axes = blank(10.4, 3.5, 3)
    for ax, gap in ((axes[0], 0.0), (axes[1], 0.075)):
        aside = np.array([gap, -0.35 * gap])
        for a, b, color in (
            (ends["crank"], ends["coupler"], RED),
            (ends["coupler"], cut - aside * 0.4, GREEN),
            (ends["rocker"], cut + aside, BLUE),
        ):
            ax.plot(*zip(a, b, strict=True), color=color, linewidth=6, alpha=0.85, solid_capstyle="round", zorder=2)
        for place in (ends["crank"], ends["coupler"], ends["rocker"]):
            ax.add_patch(Circle(place, 0.016, facecolor="white", edgecolor=INK, linewidth=1.3, zorder=5))
        for foot in (ends["crank"], ends["rocker"]):
            ax.add_patch(
                Polygon(
                    foot + np.array([[0, 0], [-0.035, -0.06], [0.035, -0.06]]),
                    facecolor="#e6eaef",
                    edgecolor="#8c959f",
                    zorder=1,
                )
            )
        if gap:
            for place, color in ((cut - aside * 0.4, GREEN), (cut + aside, BLUE)):
                ax.add_patch(Circle(place, 0.016, facecolor=color, edgecolor=INK, linewidth=1.2, zorder=6))
            ax.plot(*zip(cut - aside * 0.4, cut + aside, strict=True), color=INK, linewidth=1, linestyle=":", zorder=4)
            write(ax, cut, (0.03, 0.09), "$N V_{ab} = 0$", fontsize=11)
            write(ax, cut - aside * 0.4, (-0.05, 0.03), "a", color=GREEN, fontsize=11)
            write(ax, cut + aside, (0.05, 0.0), "b", color=BLUE, fontsize=11)
        else:
            ax.add_patch(Circle(cut, 0.016, facecolor="white", edgecolor=INK, linewidth=1.3, zorder=6))
        box = np.array([*ends.values(), cut])
        ax.set_xlim(box[:, 0].min() - 0.12, box[:, 0].max() + 0.18)
        ax.set_ylim(box[:, 1].min() - 0.12, box[:, 1].max() + 0.17)
    axes[0].set_title("the loop", fontsize=11)
    axes[1].set_title("a tree, and a closure of the cut", fontsize=11)
    ax = axes[2]
    ax.set_title("quasi-accelerations: a projection", fontsize=11)
    line = np.array([np.cos(0.45), np.sin(0.45)])
    free = np.array([0.55, 1.25])
    foot = (free @ line) * line
    ax.plot(*np.outer(line, [-0.35, 1.65]), color=BLUE, linewidth=2)
    write(ax, 1.5 * line, (0.1, -0.2), "$Z^T \\nu = 0$", color=BLUE, fontsize=11)
    arrow(ax, (0, 0), free, INK, 1.8)
    arrow(ax, (0, 0), foot, GREEN, 2.4)
    arrow(ax, free, foot, RED, 1.4, linestyle=(0, (4, 2)))
    corner = foot - 0.1 * line
    up = np.array([-line[1], line[0]]) * 0.1
    ax.plot(*zip(foot + up, corner + up, corner, strict=True), color="#57606a", linewidth=0.9)
    write(ax, free, (-0.05, 0.12), "$\\varepsilon$ (free)", fontsize=11)
    write(ax, 0.62 * foot, (0.12, -0.16), "closed", color=GREEN, fontsize=11)
    write(ax, (free + foot) / 2, (0.25, 0.08), "$Z \\lambda$", color=RED, fontsize=12)
    shape = np.ptp(axes[0].get_xlim()) / np.ptp(axes[0].get_ylim())
    ax.set_ylim(-0.4, 1.6)
    ax.set_xlim(0.65 - shape, 0.65 + shape)
    figure.subplots_adjust(left=0.01, right=0.99, top=0.88, bottom=0.02, wspace=0.04)
    return figure


FIGURES: dict[str, Callable[[], Any]] = {
    "chain.svg": chain,
    "screw.svg": screw,
    "sweeps.svg": sweeps,
    "factors.svg": factors,
    "sparsity.svg": sparsity,
    "coriolis.png": coriolis,
    "geodesics.png": geodesics,
    "quasi.svg": quasi,
    "free_base.svg": free_base,
    "closed_loop.svg": closed_loop,
}
"""File → what draws it."""


def draw(name: str) -> Path:
    """Draw the figure of a name, that of its file."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = FOLDER / name
    with plt.rc_context(LOOK):
        figure = FIGURES[name]()
        metadata = {"Date": None} if file.suffix == ".svg" else {"Software": None}
        figure.savefig(file, dpi=120, facecolor="white", bbox_inches="tight", pad_inches=0.1, metadata=metadata)
        plt.close(figure)
    if file.suffix == ".png":
        Image.open(file).convert("RGB").quantize(220, kmeans=1).save(file, optimize=True)
    return file

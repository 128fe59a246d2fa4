"""Draw the bundled mechanisms in their assembled configurations for docs/closed_chains.md; dots mark closures.

    python tools/draw_mechanisms.py            # all, into docs/mechanisms
    python tools/draw_mechanisms.py stewart    # one

Shapes are those of the models, as facets that are shaded by their normals and sorted by depth. Needs matplotlib.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np

import kinetrace as kt
from kinetrace.model import Geometry

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "mechanisms"
LIGHT = np.array([0.35, -0.6, 0.72])
VIEWS = {
    # name: (elevation, azimuth)
    "four_bar": (12, -75),
    "five_bar": (12, -75),
    "slider_crank": (12, -75),
    "stewart": (18, -62),
    "delta": (14, -60),
    "two_pandas_beam": (16, -68),
    "three_fingers_ball": (24, -70),
    "free_two_arms": (38, -60),
    "bicycle": (12, -68),
}
WIDEST, HIGHEST = 420, 340
"""Size of a picture in pixels."""
GREY = (0.6, 0.6, 0.62, 1.0)


def facets(shape: Geometry) -> list[np.ndarray]:
    """Faces (k, 3) of a shape, in its own frame."""
    if shape.kind == "box":
        return box(np.array(shape.size) / 2)
    if shape.kind == "sphere":
        return sphere(shape.size[0])
    return cylinder(*shape.size)


def box(h: np.ndarray) -> list[np.ndarray]:
    """Six faces, split into small ones, which sort better by depth."""
    steps, found = np.linspace(-1, 1, 7), []
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        for side in (-1, 1):
            for a, b in pairwise(steps):
                for c, d in pairwise(steps):
                    face = np.empty((4, 3))
                    face[:, k], face[:, i], face[:, j] = side, (a, b, b, a), (c, c, d, d)
                    found.append(face[::side] * h)
    return found


def cylinder(radius: float, length: float, sides: int = 28, rings: int = 8) -> list[np.ndarray]:
    """Lateral surface of many quadrangles, and two ends."""
    angles, heights = np.linspace(0, 2 * np.pi, sides + 1), np.linspace(-length / 2, length / 2, rings + 1)
    x, y = radius * np.cos(angles), radius * np.sin(angles)
    found = []
    for i in range(sides):
        for a, b in pairwise(heights):
            rows = (x[i], y[i], a), (x[i + 1], y[i + 1], a), (x[i + 1], y[i + 1], b), (x[i], y[i], b)
            found.append(np.array(rows))
        for z, way in ((length / 2, 1), (-length / 2, -1)):
            found.append(np.array([(0, 0, z), (x[i], y[i], z), (x[i + 1], y[i + 1], z)])[::way])
    return found


def sphere(radius: float, n: int = 20) -> list[np.ndarray]:
    """Quadrangles between meridians and parallels."""
    t, p = np.meshgrid(np.linspace(0, np.pi, n), np.linspace(0, 2 * np.pi, 2 * n), indexing="ij")
    points = radius * np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], axis=-1)
    pairs = [(i, j) for i in range(n - 1) for j in range(2 * n - 1)]
    return [np.array([points[i, j], points[i + 1, j], points[i + 1, j + 1], points[i, j + 1]]) for i, j in pairs]


def shaded(face: np.ndarray, color: tuple[float, ...]) -> tuple[float, ...]:
    """Colour of a face, shaded by its normal."""
    normal = np.cross(face[1] - face[0], face[2] - face[0])
    if not np.any(normal):
        normal = np.cross(face[2] - face[0], face[3] - face[0])
    light = LIGHT / np.linalg.norm(LIGHT)
    share = 0.62 + 0.38 * float(normal @ light) / float(np.linalg.norm(normal))
    return (*(share * x for x in color[:3]), 1.0)


def draw(name: str) -> Path:
    """Draw one mechanism."""
    robot = kt.load(name)
    q, (elevation, azimuth) = robot.assemble(), VIEWS[name]
    faces, colors = [], []
    for shape in robot.model.geometry:
        if shape.role == "visual":
            X = robot.pose(q, shape.frame) @ shape.placement
            moved = [face @ X[:3, :3].T + X[:3, 3] for face in facets(shape)]
            faces += moved
            colors += [shaded(face, shape.color or GREY) for face in moved]
    figure = plt.figure(figsize=(8, 8))
    axes = figure.add_axes((0, 0, 1, 1), projection="3d", computed_zorder=False)
    axes.add_collection3d(Poly3DCollection(faces, facecolors=colors, linewidths=0, antialiased=False))
    points = np.concatenate(faces)
    low, high = points.min(axis=0), points.max(axis=0)
    for setter, a, b in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), low, high, strict=True):
        setter(a, b)
    axes.set_box_aspect(high - low, zoom=0.9)
    axes.plot(*closing_points(robot, q).T, "o", color="#d62728", ms=9, mec="white", mew=1.5, zorder=10)
    axes.view_init(elevation, azimuth)
    axes.set_proj_type("persp", focal_length=1.6)
    axes.set_axis_off()
    FOLDER.mkdir(exist_ok=True)
    file = FOLDER / f"{name}.png"
    figure.savefig(file, dpi=200, facecolor="white")
    plt.close(figure)
    shrink(file)
    return file


def closing_points(robot: kt.Robot, q: np.ndarray) -> np.ndarray:
    """Points (k, 3) where loops close: frames b of closures, contact points of wheels."""
    poses = []
    for closure in robot.model.closures:
        X = robot.pose(q, robot.model.bodies[closure.b.body].name) @ closure.b.X_bf
        wheel = getattr(closure.constraint, "radius", 0.0)
        poses.append(X[:3, 3] - [0.0, 0.0, wheel])
    return np.array(poses)


def shrink(file: Path) -> None:
    """Crop the margins of a picture, scale it down and reduce it to 64 colours."""
    from PIL import Image, ImageChops

    picture = Image.open(file).convert("RGB")
    cut = picture.crop(ImageChops.difference(picture, Image.new("RGB", picture.size, "white")).getbbox())
    scale = min(WIDEST / cut.width, HIGHEST / cut.height)
    small = cut.resize((round(scale * cut.width), round(scale * cut.height)), Image.Resampling.LANCZOS)
    small.quantize(64, dither=Image.Dither.NONE).save(file, optimize=True)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or VIEWS:
        print(f"wrote {draw(chosen)}")

"""Drawings of robots: docs/closed_chains.md, docs/pictures.md and docs/inverse_kinematics.md."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image, ImageChops

import kinetrace as kt
from kinetrace.view import capture

matplotlib.use("Agg")

from matplotlib import pyplot as plt

DOCS = Path(__file__).resolve().parents[2] / "docs"
MECHANISMS = {
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
LARGEST_PICTURE = 60_000
"""Bytes of a picture with all its colours."""
READY = np.array([0.4, -0.5, 0.0, -2.2, 0.0, 1.7, 0.8])
"""A configuration of the Panda."""


def mechanism(name: str) -> Path:
    """A bundled mechanism where it was assembled; dots mark closures."""
    figure = plt.figure(figsize=(3.6, 3.6))
    ax = figure.add_axes((0, 0, 1, 1), projection="3d")
    kt.load(name).draw(ax=ax, view=MECHANISMS[name])
    return save(figure, DOCS / "mechanisms" / f"{name}.png", (420, 340))


def robots() -> Path:
    """Robots with their own shapes above, and as capsules below."""
    names = ("panda", "ur5e", "humanoid", "quadruped", "stewart")
    figure = plt.figure(figsize=(12.5, 5.6))
    for k, name in enumerate(names):
        robot = kt.load(name, base="free" if name in ("humanoid", "quadruped") else "fixed")
        for row, shapes in enumerate((True, False)):
            place = (k / len(names), 0.5 - row / 2, 1 / len(names), 0.5)
            ax = figure.add_axes(place, projection="3d")
            robot.draw(ax=ax, shapes=shapes, show=())
    return save(figure, DOCS / "pictures" / "robots.png", (1250, 560))


def marks() -> Path:
    """Frames, axes, a wrench, ellipsoids."""
    figure = plt.figure(figsize=(12.5, 4.2))
    panda, ur5e, humanoid = kt.load("panda"), kt.load("ur5e"), kt.load("humanoid", base="free")
    axes = [figure.add_axes((k / 4, 0, 0.25, 1), projection="3d") for k in range(4)]
    wrench = {"panda_hand": [0.0, 0.0, 3.0, 0.0, -5.0, -10.0]}
    panda.draw(READY, ax=axes[0], show=("axes", "com"), wrench=wrench, shapes=False)
    panda.draw(READY, ax=axes[1], show="frames")
    ur5e.draw(ax=axes[2], show="manipulability", frame="tool0")
    humanoid.draw(ax=axes[3], show=("inertia", "com"), shapes=False)
    return save(figure, DOCS / "pictures" / "marks.png", (1250, 420))


def ghosts() -> Path:
    """A falling arm: ghosts, and the way of its hand."""
    robot = kt.load("panda")
    motion = robot.simulate(READY, np.zeros(7), t=0.35, dt=1e-3)
    ax = robot.draw(motion, show="trail", frame="panda_hand", ghosts=3)
    return save(ax.figure, DOCS / "pictures" / "ghosts.png", (520, 480))


def plots() -> list[Path]:
    """The mass matrix, operation counts, workspace and energies of a Panda, and a motion."""
    robot, folder = kt.load("panda"), DOCS / "pictures"
    motion = robot.simulate(READY, np.zeros(7), t=1.0, dt=1e-3)
    figures = {
        "mass_matrix": robot.plot("mass_matrix", READY),
        "operations": robot.plot("counts"),
        "workspace": robot.plot("workspace", frame="panda_hand"),
        "motion": motion.plot(),
        "energy": motion.plot(what="energy"),
    }
    return [save(figure, folder / f"{name}.png", (760, 620)) for name, figure in figures.items()]


def inverse_kinematics() -> Path:
    """Solutions of one pose, and what a Panda's hand can reach."""
    robot, frame = kt.load("panda"), "panda_hand"
    goal = kt.lie.se3.pose(np.diag([1.0, -1.0, -1.0]), np.array([0.45, 0.1, 0.35]))
    found = robot.inverse_kinematics(goal, frame, q0=robot.random(300, seed=3), restarts=0)
    q = found.q[found.success]
    elbow, chosen = robot.pose(q, "panda_link4")[:, :3, 3], [0]
    while len(chosen) < 5:  # each with its elbow as far as possible from those before
        chosen.append(int(np.linalg.norm(elbow[:, None] - elbow[chosen], axis=-1).min(axis=1).argmax()))
    figure = plt.figure(figsize=(10.5, 4.6))
    left = figure.add_axes((0.0, 0.0, 0.45, 0.92), projection="3d")
    robot.draw(q[chosen], ax=left, show="frames", frame=frame, ghosts=4, view=(18, -62))
    figure.text(0.225, 0.94, "five configurations with one pose of the hand", ha="center")
    right = figure.add_axes((0.52, 0.12, 0.44, 0.78))
    robot.reachability(frame, 150_000).draw(right, plane="xz", thickness=0.06)
    right.set_title("positions of the hand within 3 cm of the plane y = 0", fontsize="medium")
    file = DOCS / "pictures" / "inverse_kinematics.png"
    figure.savefig(file, dpi=110)
    plt.close(figure)
    return file


def notebook() -> Path:
    """How objects show themselves, in a light and in a dark page."""
    robot = kt.load("panda")
    motion = kt.load("planar2r").simulate([0.5, 0.0], [0.0, 0.0], t=2, dt=0.01)
    shown = (robot, robot.kernel("inverse_dynamics"), motion)
    column = "".join(f"<div style='margin:0 0 1.5em'>{x._repr_html_()}</div>" for x in shown)
    colors = (("#ffffff", "#1f2328"), ("#14171c", "#e6edf3"))
    halves = "".join(f"<div style='background:{a};color:{b};padding:1.2em;flex:1'>{column}</div>" for a, b in colors)
    page = f"<!doctype html><body style='margin:0;display:flex;font:14px sans-serif'>{halves}"
    file = DOCS / "pictures" / "notebook.png"
    with capture.browser() as browser:
        tab = browser.new_page(viewport={"width": 1500, "height": 400})
        tab.set_content(page.replace("<details>", "<details open>", 1))
        tab.screenshot(path=str(file), full_page=True)
    return shrink(file, (1250, 900))


def save(figure: plt.Figure, file: Path, most: tuple[int, int]) -> Path:
    """Write a figure, at most so many pixels wide and high."""
    file.parent.mkdir(exist_ok=True)
    figure.savefig(file, dpi=300, facecolor="white")
    plt.close(figure)
    return shrink(file, most)


def shrink(file: Path, most: tuple[int, int]) -> Path:
    """Crop the margins of a picture, scale it down, and reduce large ones to 256 colours."""
    picture = Image.open(file).convert("RGB")
    cut = picture.crop(ImageChops.difference(picture, Image.new("RGB", picture.size, "white")).getbbox())
    scale = min(most[0] / cut.width, most[1] / cut.height, 1.0)
    small = cut.resize((round(scale * cut.width), round(scale * cut.height)), Image.Resampling.LANCZOS)
    small.save(file, optimize=True)
    if file.stat().st_size > LARGEST_PICTURE:
        small.quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)
    return file


FIGURES: dict[str, Callable[[], object]] = {
    **{name: lambda name=name: mechanism(name) for name in MECHANISMS},
    "robots": robots,
    "marks": marks,
    "ghosts": ghosts,
    "plots": plots,
    "notebook": notebook,
    "inverse_kinematics": inverse_kinematics,
}
"""Picture → what draws it, and returns its file or files."""


def draw(name: str) -> object:
    """Draw the picture of a name."""
    return FIGURES[name]()

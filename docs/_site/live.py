"""The live page of the viewer, one file of the site: a Panda draws a lying eight, a Stewart platform rocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sphinx.application import Sphinx

import kinetrace as kt
from kinetrace.view.view import View

FILE = "_static/live.html"
SECONDS, ROWS = 6.0, 240
PHASE = np.linspace(0, 2 * np.pi, ROWS + 1)
ROCKING = (0.16, 0.16, 0.22)
"""Largest turns of the platform about its axes [rad]."""
HEAVING = 0.05
"""How far it goes up and down [m]."""


def arm_motion(robot: kt.Robot) -> np.ndarray:
    """Configurations of a Panda, one per phase."""
    ready = robot.home()
    targets = np.tile(robot.pose(ready, "panda_hand"), (ROWS + 1, 1, 1))
    targets[:, 1, 3] += 0.28 * np.sin(PHASE)
    targets[:, 2, 3] += 0.14 * np.sin(2 * PHASE)
    q = [ready]
    for target in targets[1:]:  # each from the one before: a smooth motion
        q.append(robot.inverse_kinematics(target, "panda_hand", q0=q[-1], rest=ready).q)
    return np.array(q)


def platform_motion(robot: kt.Robot) -> np.ndarray:
    """Closed configurations of a Stewart platform, one per phase: its plate is led, the legs follow."""
    home, led = robot.assemble(), np.zeros((ROWS + 1, robot.nv))
    turns = np.array([np.sin(PHASE), np.cos(PHASE) - 1, np.sin(PHASE)]).T * ROCKING
    led[:, robot.v_slice("platform_motion")] = np.column_stack([turns, 0 * turns[:, :2], HEAVING * np.sin(2 * PHASE)])
    return robot.assemble(robot.integrate(home, led), hold=["platform_motion"])


def scene(theme: str | None = None) -> View:
    """Both of them, in motion."""
    t = SECONDS * PHASE / PHASE[-1]
    arm, platform = kt.load("panda"), kt.load("stewart")
    beside = platform.view(platform_motion(platform), t=t, at=[0.1, 1.15, 0.0], show=(), open=False)
    return arm.view(arm_motion(arm), t=t, trail="panda_hand", beside=beside, show=(), theme=theme, open=False)


def write(app: Sphinx, error: Exception | None) -> None:
    """Put the page beside the other files of a site that was built."""
    if error is None and app.builder.format == "html":
        (Path(app.outdir) / FILE).write_text(scene().html, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Robots on the ground in MuJoCo, by the settings that people choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...robot import Robot
from ..ground import GROUND_DT, GROUND_FRICTION


@dataclass(frozen=True)
class ContactSettings:
    """Options of a model; those that are None are the defaults."""

    cone: str = "pyramidal"
    solver: str = "Newton"
    iterations: int | None = None
    ls_iterations: int | None = None


ONE_ITERATION = "Newton, pyramidal cone, 1 iteration"
CONTACT_SETTINGS: Mapping[str, ContactSettings] = {
    ONE_ITERATION: ContactSettings(iterations=1, ls_iterations=5),
    "Newton, pyramidal cone": ContactSettings(),
    "Newton, elliptic cone": ContactSettings(cone="elliptic"),
    "CG, pyramidal cone, 2 iterations": ContactSettings(solver="CG", iterations=2, ls_iterations=4),
    "PGS, pyramidal cone, 3 iterations": ContactSettings(solver="PGS", iterations=3),
}
"""Name → settings; the last two are fast, and far from a solution."""
_SKIPPED = ("ISLAND", "MIDPHASE", "SENSOR", "EULERDAMP")
"""What these robots have no use for, and takes time."""


def ground_model(
    mujoco: Any, robot: Robot, settings: ContactSettings, dt: float = GROUND_DT, among_itself: bool = False
) -> Any:
    """A robot with its shapes, on a plane; its shapes do not touch each other unless that is asked for.

    Parts that nothing here needs are off: by that it is faster than with the defaults.
    """
    with TemporaryDirectory() as folder:
        robot.save(Path(folder) / "robot.xml")
        spec = mujoco.MjSpec.from_file(str(Path(folder) / "robot.xml"))
    for geom in spec.geoms:
        geom.contype, geom.conaffinity = int(among_itself), 1
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 0.01], contype=1, conaffinity=0)
    for geom in spec.geoms:
        geom.condim, geom.friction = 3, [GROUND_FRICTION, 0.005, 0.0001]
    model = spec.compile()
    model.jnt_limited[:] = 0
    return with_settings(mujoco, model, settings, dt)


def with_settings(mujoco: Any, model: Any, settings: ContactSettings, dt: float = GROUND_DT) -> Any:
    """The same model with the settings."""
    model.opt.timestep = dt
    model.opt.cone = getattr(mujoco.mjtCone, f"mjCONE_{settings.cone.upper()}")
    model.opt.solver = getattr(mujoco.mjtSolver, f"mjSOL_{settings.solver.upper()}")
    for name in ("iterations", "ls_iterations"):
        value = getattr(settings, name)
        if value is not None:
            setattr(model.opt, name, value)
    for name in _SKIPPED:
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}", 0))
    return model

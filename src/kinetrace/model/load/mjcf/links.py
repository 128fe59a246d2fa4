"""What acts on bodies by itself: `gravcomp`, and the fluid of `option`, by MuJoCo's model of inertia boxes.

Bodies with a `fluidshape` are in MuJoCo's model of ellipsoids instead, which is not used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...builder import Builder
from ...link_effects import Fluid, LinkEffects
from .names import Names
from .tree import inertial_frame
from .unused import Unused, is_off

_LEAST = 1e-15
"""Mass below which MuJoCo has no fluid act on a body [kg]."""


def add_link_effects(builder: Builder, model: Any, names: Names, unused: Unused) -> None:
    """Compensation of weights and the fluid, as far as they act."""
    if is_off(model, "SPRING") and is_off(model, "DAMPER"):
        return
    has_fluid = model.opt.density > 0.0 or model.opt.viscosity > 0.0
    if has_fluid:
        builder.fluid(Fluid(model.opt.density, model.opt.viscosity, np.array(model.opt.wind)))
    for i in range(1, model.nbody):
        mass, compensation = float(model.body_mass[i]), float(model.body_gravcomp[i])
        is_ellipsoid = has_fluid and _is_ellipsoid(model, i)
        if is_ellipsoid and model.body_weldid[i] != 0:
            unused.remark("forces of the fluid on bodies with a fluidshape", names.bodies[i])
        meets = has_fluid and mass > _LEAST and not is_ellipsoid
        if model.body_weldid[i] == 0 or not (meets or (compensation and mass)):
            continue
        made = LinkEffects.of_moments(
            names.bodies[i], inertial_frame(model, i), mass, model.body_inertia[i], compensation
        )
        builder.link_effects(made.without_box() if is_ellipsoid else made)
    if np.any(model.body_gravcomp):
        _name_actuators(model, names, unused)


def _is_ellipsoid(model: Any, i: int) -> bool:
    first = int(model.body_geomadr[i])
    return bool(np.any(model.geom_fluid[first : first + int(model.body_geomnum[i])].reshape(-1, 12)[:, 0] > 0.0))


def _name_actuators(model: Any, names: Names, unused: Unused) -> None:
    """Where MuJoCo has actuators compensate weights: here it is no part of their forces, nor bounded by theirs."""
    works = model.nu > 0 and not is_off(model, "ACTUATION")
    for j in np.flatnonzero(getattr(model, "jnt_actgravcomp", np.zeros(model.njnt))):
        is_free = works and not model.jnt_actfrclimited[j]
        kind = "gravity compensation of actuators, which counts as a passive force without bounds"
        unused.remark(kind, names.joints[j], harmless=is_free)

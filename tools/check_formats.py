"""Every robot of example-robot-data, and every bundled one, through all formats: what comes back moves in the same way.

    python tools/check_formats.py              # all
    python tools/check_formats.py panda talos  # names that contain one of these

Per robot, with its base fixed and free: JSON gives an equal model; URDF the same mass matrix, forces and limits; a
`pinocchio.Model` that is loaded, and one that is made, the same forces; all meshes are found. Prints the largest
relative error of each, and exits with 1 if one is above 1e-12.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

import kinetrace as kt
from kinetrace.interop import pinocchio as to_pin
from kinetrace.model import Model, load_model, zoo
from kinetrace.model.files.save import json_text, urdf_text

MOST = 1e-12


def files() -> dict[str, Path]:
    """Readable name → URDF file."""
    found = {name: Path(zoo.path(name)) for name in kt.robot_names(closed=False)}
    for file in metadata.distribution("example-robot-data").files or []:
        if file.suffix == ".urdf":
            found["/".join(file.parts[-3:])] = Path(str(file.locate()))
    return found


def error(ours: Any, theirs: Any) -> float:
    """Largest difference, relative to the largest number."""
    return float(np.abs(ours - theirs).max(initial=0.0) / max(np.abs(ours).max(initial=0.0), 1e-300))


def state(model: Model) -> tuple[Any, Any, Any]:
    """A configuration, a velocity and an acceleration."""
    rng = np.random.default_rng(model.nv)
    q = model.integrate(model.neutral(), rng.uniform(-2.0, 2.0, model.nv))
    return q, *rng.normal(size=(2, model.nv))


def in_pinocchio(model: Model, theirs: Any) -> float:
    """Error of joint forces."""
    q, v, a = state(model)
    states = to_pin.q(model, theirs, q), to_pin.v(model, theirs, q, v), to_pin.a(model, theirs, q, v, a)
    tau = pin.rnea(theirs, theirs.createData(), *states)
    return error(kt.algorithms.inverse_dynamics(model, q, v, a), to_pin.from_tau(model, theirs, states[0], tau))


def checked(file: Path, base: Any) -> dict[str, float]:
    """Errors by what was compared; meshes that are missing count."""
    model = load_model(file, base=base, check="ignore")
    plain, (q, v, a) = model.without_joint_effects(), state(model)
    text, unsaid = urdf_text(model)
    back = load_model(text, base="free" if any("base='free'" in x for x in unsaid) else "fixed", check="ignore")
    M, tau = (
        [getattr(kt.algorithms, f)(m, *given) for m in (model, back)]
        for f, given in (("mass_matrix", (q,)), ("inverse_dynamics", (q, v, a)))
    )
    limits = [
        np.concatenate([m.limits.lower, m.limits.upper, m.limits.velocity, m.limits.effort]) for m in (model, back)
    ]
    found = {
        "JSON": float(load_model(json_text(model), check="ignore") != model),
        "URDF": max(error(*M), error(*tau), float(not np.array_equal(*limits))),
        "to Pinocchio": in_pinocchio(plain, to_pin.to_model(plain)),
        "meshes not found": float(len({x.mesh for x in model.geometry if x.mesh and not Path(str(x.mesh)).is_file()})),
    }
    root = (pin.JointModelFreeFlyer(),) if base == "free" else ()
    try:
        theirs = pin.buildModelFromUrdf(str(file), *root)
    except ValueError:  # a file that it does not read
        return found
    loaded = load_model(theirs, joint_effects=False, check="ignore")
    return found | {"states": in_pinocchio(plain, theirs), "from Pinocchio": in_pinocchio(loaded, theirs)}


def main(names: list[str]) -> int:
    """Check the robots whose names contain one of these."""
    warnings.simplefilter("ignore")
    worst, count = Counter[str](), 0
    for name, file in files().items():
        if names and not any(each in name for each in names):
            continue
        for base in ("fixed", "free"):
            try:
                found = checked(file, base)
            except kt.ModelError as refused:
                print(f"{name}: refused: {refused.problem}")
                break
            count += 1
            for what, x in found.items():
                if x > MOST:
                    print(f"{name}, {base} base: {what}: {x:.3g}")
                worst[what] = max(worst[what], x)
    print(f"{count} robots:", ", ".join(f"{what} {x:.1e}" for what, x in worst.items()))
    return int(any(x > MOST for what, x in worst.items() if what != "meshes not found"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

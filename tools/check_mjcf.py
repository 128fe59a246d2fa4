"""Compare every MJCF model of a folder, as kinetrace loads it, with MuJoCo: `python tools/check_mjcf.py FOLDER`.

For each file, of the model as MuJoCo compiles it, with nothing set to zero:

    mass, M, bias, pose, site   at random states
    passive                     springs, dampers, compensation of gravity, the fluid
    acceleration                whole, under random forces, with MuJoCo's constraints off (so without frictionloss)
    closures                    where loops are closed, rows of equality constraints and of closures span the same

Errors are relative to the largest entry. A file is "ok" if all are equal. It is "named" if some differ, kinetrace has
named something that it does not use, and all are equal once that is set to zero or left out: these are the figures that
are printed then. Anything else is "BAD". What kinetrace says is counted; with --remarks it is printed.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import warnings
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np

import kinetrace as kt
from kinetrace.algorithms.kinematics.forward_kinematics import link_pose
from kinetrace.algorithms.sweeps.tree import outward
from kinetrace.interop import mujoco as convert
from kinetrace.model.files.load.mjcf import compile_mjcf, names_of

QUANTITIES = ("mass", "M", "bias", "pose", "site", "passive", "acceleration", "closures")
SHOWN = ("M", "bias", "passive", "acceleration", "closures")
STATES = 3


def states(model: Any, rng: np.random.Generator) -> Iterator[tuple[Any, Any]]:
    """Random qpos and qvel, within the ranges of joints."""
    for _ in range(STATES):
        qpos = model.qpos0.copy()
        for j in range(model.njnt):
            at, kind = model.jnt_qposadr[j], model.jnt_type[j]
            if kind < 2:
                end = at + (7 if kind == 0 else 4)
                qpos[at:end] = rng.normal(size=end - at)
                qpos[end - 4 : end] /= np.linalg.norm(qpos[end - 4 : end])
            else:
                lower, upper = model.jnt_range[j] if model.jnt_limited[j] else (-1.0, 1.0)
                qpos[at] = rng.uniform(lower, upper)
        yield qpos, rng.normal(size=model.nv)


def off(found: Any, wanted: Any) -> float:
    """The largest difference, relative to the largest entry; infinite if a number is not finite."""
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    if found.shape != wanted.shape or not np.isfinite([*found.flat, *wanted.flat]).all():
        return float("inf")
    size = np.abs(wanted).max(initial=0.0)
    return float(np.abs(found - wanted).max(initial=0.0) / (size if size > 1e-12 else 1.0))


def full_mass_matrix(model: Any, data: Any) -> Any:
    """M (nv, nv) of MuJoCo 3 or 4."""
    M = np.zeros((model.nv, model.nv))
    if hasattr(data, "qM"):
        mujoco.mj_fullM(model, M, data.qM)
    else:
        mujoco.mj_fullM(model, data, M)
    return M


def beyond(rows: Any, others: Any) -> float:
    """The largest part of a row (of k, nv) that is not a combination of others, relative to the largest row."""
    _, values, V = np.linalg.svd(others)
    span = V[: int((values > 1e-8 * max(values.max(initial=0.0), 1e-300)).sum())]
    left, whole = (np.linalg.norm(x, axis=1).max(initial=0.0) for x in (rows - rows @ span.T @ span, rows))
    return float(left / max(whole, 1e-300))


def equality_rows(model: Any, data: Any) -> Any:
    """Rows (k, nv) of MuJoCo's equality constraints."""
    mujoco.mj_forward(model, data)
    J = np.zeros((data.nefc, model.nv))
    if mujoco.mj_isSparse(model):
        for row in range(data.nefc):
            begin, count = data.efc_J_rowadr[row], data.efc_J_rownnz[row]
            J[row, data.efc_J_colind[begin : begin + count]] = data.efc_J[begin : begin + count]
    else:
        J = data.efc_J.reshape(-1, model.nv)[: data.nefc].copy()
    return J[data.efc_type[: data.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY]


def compensated(model: Any, data: Any) -> Any:
    """Forces (nv,) of actuators that compensate gravity, which count as passive here."""
    if not hasattr(data, "qfrc_gravcomp") or not model.nu:
        return np.zeros(model.nv)
    return np.where(model.jnt_actgravcomp[model.dof_jntid], data.qfrc_gravcomp, 0.0)


def compared(robot: kt.Robot, model: Any) -> dict[str, float]:
    """Largest differences by quantity."""
    names, data, rng = names_of(model), mujoco.MjData(model), np.random.default_rng(0)
    found = dict.fromkeys(QUANTITIES if robot.model.closures else QUANTITIES[:-1], 0.0)
    moving = np.zeros(model.nbody, dtype=bool)
    for b in range(1, model.nbody):
        moving[b] = model.body_jntnum[b] > 0 or moving[model.body_parentid[b]]
    masses = [kt.lie.inertia.mass(body.J) for body in robot.model.bodies]
    found["mass"] = off(sum(masses), model.body_mass[moving].sum())
    full = robot.model
    plain, smooth = full.without_passive_forces, replace(full, closures=(), assembly=None)
    for body in full.bodies:
        if body.effects is not None:
            smooth = smooth.with_joint_effects(body.joint_name, friction=0.0)
    constraints, flags = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT, int(model.opt.disableflags)
    for qpos, qvel in states(model, rng):
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = qpos, qvel, rng.normal(size=model.nv)
        model.opt.disableflags = flags | constraints
        mujoco.mj_forward(model, data)
        model.opt.disableflags = flags
        q, v = convert.from_q(robot, model, qpos), convert.from_v(robot, model, qpos, qvel)
        T = convert.velocity_map(robot, model, q)
        a = convert.from_a(robot, model, qpos, qvel, np.zeros(model.nv))  # not zero for free joints
        own = compensated(model, data)
        tau = convert.from_tau(robot, model, qpos, data.qfrc_applied + data.qfrc_actuator - own)
        with np.errstate(all="ignore"):
            ours = {
                "M": kt.algorithms.mass_matrix(full, q),
                "bias": kt.algorithms.inverse_dynamics(plain, q, v, a) - plain.armature @ a,
                "passive": kt.algorithms.passive_forces(smooth, q, v),
                "acceleration": kt.algorithms.forward_dynamics(smooth, q, v, tau),
            }
        wanted = {
            "M": T.T @ full_mass_matrix(model, data) @ T,
            "bias": convert.from_tau(robot, model, qpos, data.qfrc_bias),
            "passive": convert.from_tau(robot, model, qpos, -data.qfrc_passive - own),
            "acceleration": convert.from_a(robot, model, qpos, qvel, data.qacc),
        }
        for name, x in ours.items():
            found[name] = max(found[name], off(x, wanted[name]))
        found["acceleration"] = rounding_allowed(found["acceleration"], wanted["M"])
        poses = outward(full, link_pose, np.eye(4), full.split_q(q))
        places = ("pose", names.bodies, data.xpos, data.xmat), ("site", names.sites, data.site_xpos, data.site_xmat)
        for kind, frames, p, R in places:
            for k, frame in enumerate(full.frames[name] for name in frames):
                X = (np.eye(4) if frame.body < 0 else poses[frame.body]) @ frame.X_bf
                error = max(np.abs(X[:3, 3] - p[k]).max(), np.abs(X[:3, :3] - R[k].reshape(3, 3)).max())
                found[kind] = max(found[kind], float(error))
    if full.closures:
        found["closures"] = closures_off(robot, model, data, rng)
    return found


def rounding_allowed(error: float, M: Any) -> float:
    """The error of an acceleration, less where the mass matrix turns the rounding of forces into larger ones."""
    return error / max(1.0, 1e-7 * float(np.linalg.cond(M))) if M.size and np.isfinite(M).all() else error


def closures_off(robot: kt.Robot, model: Any, data: Any, rng: np.random.Generator) -> float:
    """How far rows of equality constraints and of closures are from spanning the same, where all are closed."""
    mujoco.mj_resetData(model, data)
    home = robot.model.assembly.q
    near = [home, *(robot.integrate(home, 0.1 * rng.normal(size=robot.nv)) for _ in range(STATES - 1))]
    worst = 0.0
    for q in robot.assemble(np.stack(near)):
        if not np.isfinite(q).all():
            continue
        data.qpos[:], data.qvel[:] = convert.q(robot, model, q), 0.0
        leave_out(model, data, robot.closure_names)
        theirs = equality_rows(model, data) @ convert.velocity_map(robot, model, q)
        ours = np.asarray(kt.algorithms.closure_jacobian(robot.model, q))
        worst = max(worst, beyond(ours, theirs), beyond(theirs, ours))
    return worst


def supported(model: Any) -> Any:
    """The model with what kinetrace may name as not used set to zero."""
    for name in ("tendon_stiffness", "tendon_damping", "tendon_armature"):
        if hasattr(model, name):
            getattr(model, name)[:] = 0.0
    for name in ("dof_dampingpoly", "jnt_stiffnesspoly", "tendon_dampingpoly", "tendon_stiffnesspoly"):
        if hasattr(model, name):
            getattr(model, name)[:] = 0.0
    for name in ("dof_damping", "dof_armature", "dof_frictionloss", "jnt_stiffness"):
        getattr(model, name)[:] = np.maximum(getattr(model, name), 0.0)
    quaternions = np.isin(model.jnt_type[model.dof_jntid], (0, 1))
    model.dof_armature[quaternions] = 0.0
    model.jnt_stiffness[model.jnt_type == 0] = 0.0
    for a in model.jnt_dofadr[model.jnt_type == 0]:
        if len(set(model.dof_damping[a : a + 3].tolist())) > 1:  # of directions in the world
            model.dof_damping[a : a + 6] = 0.0
    if model.opt.density or model.opt.viscosity:
        shaped = model.geom_fluid.reshape(-1, 12)
        model.geom_size[shaped[:, 0] > 0.0] = 1e-9  # ellipsoids that are hardly pushed
        shaped[shaped[:, 0] > 0.0, 1:] = 0.0
    if not model.nu:
        model.jnt_actgravcomp[:] = 0
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def leave_out(model: Any, data: Any, closures: Collection[str]) -> None:
    """Switch off the equality constraints that are not closures of the robot."""
    for e in range(model.neq):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_EQUALITY, e)
        kind = ("connect", "weld", "joint", "tendon", *["equality"] * 9)[model.eq_type[e]]
        data.eq_active[e] = (name or f"{kind}{e}") in closures


def is_model(file: Path) -> bool:
    """Whether a file is MJCF of its own, not a part of another."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(r"<mujoco[\s>]", text) is not None


class Row(NamedTuple):
    """What came of a file."""

    found: dict[str, float]
    """Differences by quantity; none if the file was refused."""
    said: list[str]
    """What kinetrace says."""
    word: str
    """Size of the robot, or what kept the file from being compared."""
    named: dict[str, float]
    """Differences of the whole model, if they are due to what is named."""

    def wrong(self, tolerance: float) -> list[str]:
        """Quantities that differ, though nothing that is named explains it."""
        return [x for x, error in self.found.items() if not error <= tolerance]


def row(file: Path, tolerance: float = 1e-9) -> Row:
    """Differences, remarks, and a word on what kept the file from being compared."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            robot = kt.load(file, backend="numpy")
        except kt.KinetraceError as error:
            return Row({}, [], f"refused: {error}", {})
        said = [str(w.message).removeprefix(f"{file}: ") for w in caught]
        has_named = any(not issubclass(w.category, kt.errors.HarmlessWarning) for w in caught)
    whole = compared(robot, compile_mjcf(file).model)  # without the shapes whose files are missing
    made = Row(whole, said, f"nv={robot.nv} dof={robot.dof}", {})
    if not made.wrong(tolerance) or not has_named:
        return made
    return Row(compared(robot, supported(compile_mjcf(file).model)), said, made.word, whole)


def main() -> int:
    """Print the table; the number of files with a difference above the tolerance that nothing explains."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder of MJCF files, or one file")
    parser.add_argument("--remarks", action="store_true", help="print what kinetrace says that it does not use")
    parser.add_argument("--tolerance", type=float, default=1e-9)
    options = parser.parse_args()
    files = [options.folder] if options.folder.is_file() else sorted(options.folder.rglob("*.xml"))
    counts = dict.fromkeys(("ok", "named", "BAD", "--"), 0)
    for file in filter(is_model, files):
        began = time.perf_counter()
        found = row(file, options.tolerance)
        wrong = found.wrong(options.tolerance)
        mark = "BAD" if wrong else "named" if found.named else "ok" if found.found else "--"
        counts[mark] += 1
        shown = " ".join(f"{x}={error:.0e}" for x, error in found.found.items() if error or x in SHOWN)
        name = file.relative_to(options.folder) if options.folder.is_dir() else file.name
        took = f"[{time.perf_counter() - began:.1f} s, {len(found.said)} remarks]"
        print(f"{mark:5} {name}: {found.word} {shown} {took}", flush=True)
        for text in found.said if options.remarks or wrong else ():
            print(f"      {text}")
    told = "{ok} equal, {named} differ by what is named alone, {BAD} differ, {--} not compared"
    print(told.format(**counts))
    return counts["BAD"]


if __name__ == "__main__":
    sys.exit(main())

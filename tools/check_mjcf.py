"""Compare every MJCF model of a folder, as kinetrace loads it, with MuJoCo: `python tools/check_mjcf.py FOLDER`.

For each file, at random states: masses, mass matrix, bias forces, poses of bodies and sites, passive forces of joints,
and the velocities that equality constraints allow. Errors are relative to the largest entry. What kinetrace says that
it does not use is counted; with --remarks it is printed.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import warnings
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import kinetrace as kt
from kinetrace.algorithms.kinematics import link_pose
from kinetrace.algorithms.sweep import outward
from kinetrace.interop import mujoco as convert
from kinetrace.model.load.mjcf import names_of
from kinetrace.model.load.mjcf.compiler import compiled

QUANTITIES = ("mass", "M", "bias", "pose", "site", "passive", "closures")
SHOWN = ("M", "bias", "pose", "closures")
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
    """The largest difference, relative to the largest entry."""
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    if found.shape != wanted.shape:
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


def allowed(rows: Any) -> Any:
    """Projector onto the velocities that rows (k, nv) allow."""
    _, values, V = np.linalg.svd(rows)
    rank = int((values > 1e-8 * max(values.max(initial=0.0), 1e-300)).sum())
    return V[rank:].T @ V[rank:]


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
    plain, smooth = full.without_joint_effects(), full
    for body in full.bodies:
        if body.effects is not None:
            smooth = smooth.with_joint_effects(body.joint_name, friction=0.0)
    for qpos, qvel in states(model, rng):
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        q, v = convert.from_q(robot, model, qpos), convert.from_v(robot, model, qpos, qvel)
        T = convert.velocity_map(robot, model, q)
        a = convert.from_a(robot, model, qpos, qvel, np.zeros(model.nv))  # not zero for free joints
        with np.errstate(all="ignore"):
            ours = {
                "M": kt.algorithms.mass_matrix(full, q),
                "bias": kt.algorithms.inverse_dynamics(plain, q, v, a),
                "passive": kt.algorithms.passive_forces(smooth, q, v),
            }
        springs = data.qfrc_spring + data.qfrc_damper if hasattr(data, "qfrc_spring") else data.qfrc_passive
        wanted = {
            "M": T.T @ full_mass_matrix(model, data) @ T,
            "bias": convert.from_tau(robot, model, qpos, data.qfrc_bias),
            "passive": convert.from_tau(robot, model, qpos, -springs),
        }
        if model.nflex:
            del ours["passive"]  # springs of flexible bodies act on the joints of their points
        for name, x in ours.items():
            found[name] = max(found[name], off(x, wanted[name]))
        poses = outward(full, link_pose, np.eye(4), full.split_q(q))
        places = ("pose", names.bodies, data.xpos, data.xmat), ("site", names.sites, data.site_xpos, data.site_xmat)
        for kind, frames, p, R in places:
            for k, frame in enumerate(full.frames[name] for name in frames):
                X = (np.eye(4) if frame.body < 0 else poses[frame.body]) @ frame.X_bf
                error = max(np.abs(X[:3, 3] - p[k]).max(), np.abs(X[:3, :3] - R[k].reshape(3, 3)).max())
                found[kind] = max(found[kind], float(error))
    if full.closures:
        found["closures"] = closures_off(robot, model, data)
    return found


def closures_off(robot: kt.Robot, model: Any, data: Any) -> float:
    """Difference of the velocities that the closures allow, where all are closed."""
    q = robot.model.assembly.q
    data.qpos[:], data.qvel[:] = convert.q(robot, model, q), 0.0
    leave_out(model, data, robot.closure_names)
    K = equality_rows(model, data) @ convert.velocity_map(robot, model, q)
    return off(allowed(np.asarray(kt.algorithms.closure_jacobian(robot.model, q))), allowed(K))


def supported(model: Any) -> Any:
    """The model with what kinetrace names as not used set to zero, as far as it is in what is compared."""
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


def row(file: Path) -> tuple[dict[str, float], list[str], str]:
    """Differences, remarks, and a word on what kept the file from being compared."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            robot = kt.load(file, backend="numpy")
        except kt.KinetraceError as error:
            return {}, [], f"refused: {error}"
        said = [str(w.message).removeprefix(f"{file}: ") for w in caught]
    model = compiled(file).model  # without the shapes whose files are missing
    return compared(robot, supported(model)), said, f"nv={robot.nv}"


def main() -> int:
    """Print the table; the number of files with a difference above the tolerance."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder of MJCF files, or one file")
    parser.add_argument("--remarks", action="store_true", help="print what kinetrace says that it does not use")
    parser.add_argument("--tolerance", type=float, default=1e-9)
    options = parser.parse_args()
    files = [options.folder] if options.folder.is_file() else sorted(options.folder.rglob("*.xml"))
    bad = refused = good = 0
    for file in filter(is_model, files):
        began = time.perf_counter()
        found, said, word = row(file)
        wrong = [x for x, error in found.items() if not error <= options.tolerance]
        bad, refused, good = bad + bool(wrong), refused + (not found), good + bool(found and not wrong)
        shown = " ".join(f"{x}={error:.0e}" for x, error in found.items() if error or x in SHOWN)
        name = file.relative_to(options.folder) if options.folder.is_dir() else file.name
        mark = "BAD " if wrong else "ok  " if found else "--  "
        print(f"{mark}{name}: {word} {shown} [{time.perf_counter() - began:.1f} s, {len(said)} remarks]", flush=True)
        for text in said if options.remarks or wrong else ():
            print(f"      {text}")
    print(f"{good} equal, {bad} differ, {refused} not compared")
    return bad


if __name__ == "__main__":
    sys.exit(main())

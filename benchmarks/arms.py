"""Many arms on one object: what each costs, beside Pinocchio's `constraintDynamics` and `lcaba`, in one run.

    python benchmarks/arms.py --help

Arms of six joints hold a free body by welds. By the number of arms: operations of forward dynamics and of its
derivatives for each arm, processor time for each arm [µs] in a batch on one thread and in one call from Python, the
calls of Pinocchio, and how far its accelerations are from ours, of the largest. Derivatives are matrices with an entry
for every pair of joints: a part of their cost grows with the number of arms whatever the algorithm.

--quick has two arms, once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import shared

import kinetrace as kt
from kinetrace.interop.pinocchio_model import joint_tree
from kinetrace.lie import se3, so3
from kinetrace.model import Model
from kinetrace.model.zoo.random import random_inertia

JOINTS = 6


def arms(count: int) -> Model:
    """Arms with joints in any place, on one object."""
    rng, b = np.random.default_rng(0), kt.Builder(f"{count} arms")

    def placement() -> np.ndarray:
        return se3.pose(so3.exp(rng.normal(size=3)), rng.normal(size=3))

    for name in (f"arm{k}" for k in range(count)):
        for i in range(JOINTS):
            axis, parent = rng.normal(size=3), f"{name}_{i - 1}" if i else "base"
            b.link(f"{name}_{i}", random_inertia(rng))
            joint = kt.joints.Revolute(axis / np.linalg.norm(axis))
            b.joint(f"{name}_joint{i}", joint, parent=parent, child=f"{name}_{i}", placement=placement())
    b.link("object", random_inertia(rng))
    b.joint("motion", kt.joints.Free(), parent="base", child="object")
    tree = b.build(check="ignore")
    q = tree.random(rng)
    hand = {k: kt.algorithms.pose(tree, q, frame=f"arm{k}_{JOINTS - 1}") for k in range(count)}
    back = np.linalg.inv(kt.algorithms.pose(tree, q, frame="object"))
    welds = (
        kt.closures.Loop("object", f"arm{k}_{JOINTS - 1}", kt.closures.Rigid(), f"grasp{k}", back @ hand[k])
        for k in range(count)
    )
    return tree.with_closures(*welds)


def best(call: Callable[[], Any], repeat: int) -> float:
    """Processor time [µs] of a call."""
    call()
    found = []
    for _ in range(repeat):
        begin = time.process_time()
        call()
        found.append(time.process_time() - begin)
    return 1e6 * min(found)


class Theirs:
    """The same robot in Pinocchio."""

    def __init__(self, pin: Any, robot: kt.Robot) -> None:
        from kinetrace.bench.peers.pinocchio import constraints

        self.pin, (self.model, at) = pin, joint_tree(pin, robot.model)
        self.closures = constraints(pin, self.model, robot.model, at)
        self.settings = pin.ProximalSettings(1e-12, 1e-6, 10)
        self.q, self.v = np.zeros(robot.nq, dtype=int), np.zeros(robot.nv, dtype=int)
        for name in robot.joint_names:
            joint = self.model.joints[self.model.getJointId(name)]
            q, v = np.arange(robot.nq)[robot.q_slice(name)], np.arange(robot.nv)[robot.v_slice(name)]
            free = len(q) == 7
            self.q[joint.idx_q : joint.idx_q + joint.nq] = q[[0, 1, 2, 4, 5, 6, 3]] if free else q
            self.v[joint.idx_v : joint.idx_v + joint.nv] = v[[3, 4, 5, 0, 1, 2]] if free else v

    def calls(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> dict[str, Callable[[], Any]]:
        """Forward dynamics by name."""
        found = {}
        for name in (x for x in ("constraintDynamics", "lcaba") if hasattr(self.pin, x)):
            data, held = self.model.createData(), self.pin.StdVec_RigidConstraintData()
            for closure in self.closures:
                held.append(closure.createData())
            if name == "lcaba":
                self.pin.computeJointMinimalOrdering(self.model, data, self.closures)
            else:
                self.pin.initConstraintDynamics(self.model, data, self.closures, held)
            state = self.model, data, q[self.q], v[self.v], tau[self.v], self.closures, held, self.settings
            found[name] = partial(getattr(self.pin, name), *state)
        return found


def row(count: int, pin: Any, batch: int, repeat: int) -> None:
    """A line of the table."""
    robot = shared.load(arms(count))
    rng, q = np.random.default_rng(0), robot.assemble()
    v, tau = robot.velocity_map(q) @ rng.normal(size=robot.dof), rng.normal(size=robot.nv)
    many = [np.tile(x, (batch, 1)) for x in (q, v, tau)]
    found = {
        "operations": robot.count("forward_dynamics").flops,
        "of derivatives": robot.count("forward_dynamics_derivatives").flops,
        "batch": best(lambda: robot.forward_dynamics(*many, threads=1), repeat) / batch,
        "derivatives": best(lambda: robot.forward_dynamics_derivatives(*many, threads=1), repeat) / batch,
        "one call": best(lambda: robot.forward_dynamics(q, v, tau), 50 * repeat),
    }
    a, away = robot.forward_dynamics(q, v, tau), ""
    if pin is not None:
        theirs = Theirs(pin, robot)
        for name, call in theirs.calls(q, v, tau).items():
            found[name] = best(call, 10 * repeat)
            away += f"   {name} away by {np.abs(call() - a[theirs.v]).max() / np.abs(a).max():.0e}"
    print(f"{count:3} arms" + "".join(f"   {name} {x / count:9.2f}" for name, x in found.items()) + away, flush=True)


def main() -> None:
    """Measure."""
    parser = shared.parser(__doc__)
    parser.add_argument("--arms", type=int, nargs="+", default=[2, 4, 8, 16])
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--repeat", type=int, default=20)
    given = shared.options(parser, arms=[2], batch=8, repeat=1)
    pin = shared.package("pinocchio")
    for count in given.arms:
        row(count, pin, given.batch, given.repeat)


if __name__ == "__main__":
    main()

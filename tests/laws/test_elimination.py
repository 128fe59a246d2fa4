"""The order in which closures are eliminated: arms on objects of every kind, beside the system as a whole."""

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.algorithms.closed.closures import row_selection
from kinetrace.algorithms.closed.mobility import with_assembly
from kinetrace.lie import se3, so3
from kinetrace.linalg.elimination_order import elimination_order
from kinetrace.model.zoo.random import random_inertia

contacts = kt.closures
Z, Y = [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]


def placed(rng):
    return se3.pose(so3.exp(rng.normal(size=3)), rng.normal(size=3))


def wrist(rng, k):
    """The last three axes meet in a point, and are in one plane where joint 4 is at zero."""
    axis = {3: Z, 4: Y, 5: Z}.get(k)
    return rng.normal(size=3) if axis is None else np.array(axis), np.eye(4) if k in (4, 5) else placed(rng)


class Cell:
    """Arms that hold objects, all where they are put together."""

    def __init__(self, seed):
        self.rng, self.builder, self.grasps = np.random.default_rng(seed), kt.Builder("cell"), []

    def free(self, name):
        self.builder.link(name, random_inertia(self.rng))
        self.builder.joint(f"{name}_motion", kt.joints.Free(), parent="base", child=name)
        return self

    def arm(self, name, joints, contact, target, parent="base"):
        for k in range(joints):
            axis, X = wrist(self.rng, k)
            self.builder.link(f"{name}{k}", random_inertia(self.rng))
            joint = kt.joints.Revolute(axis / np.linalg.norm(axis))
            self.builder.joint(f"{name}_joint{k}", joint, parent=parent, child=f"{name}{k}", placement=X)
            parent = f"{name}{k}"
        self.grasps.append((target, parent, contact))
        return self

    def model(self, *more):
        tree = self.builder.build(check="ignore", snap_constants=False)
        q = tree.random(self.rng)
        pose = {"world": np.eye(4), **{x.name: alg.pose(tree, q, frame=x.name) for x in tree.bodies}}
        loops = [
            kt.closures.Loop(a, b, contact, f"{k}{b}", np.linalg.inv(pose[a]) @ pose[b])
            for k, (a, b, contact) in enumerate(self.grasps)
        ]
        return with_assembly(tree.with_closures(*loops, *more), guess=q)


def arms(count, joints=6, contact=None, seed=0):
    cell = Cell(seed).free("object")
    for k in range(count):
        cell.arm("abcdefgh"[k], joints, contact or contacts.Rigid(), "object")
    return cell


def two_objects():
    cell = arms(2).free("other").arm("c", 6, contacts.Rigid(), "other")
    return cell.arm("link", 6, contacts.Rigid(), "other", parent="object").model()


def loop_within_an_arm():
    return arms(3, 7).model(kt.closures.Coupling({"a_joint1": 1.0, "a_joint2": -0.5}, name="inside"))


def humanoid():
    cell = Cell(5).free("torso").free("object")
    for side in ("left", "right"):
        cell.arm(side, 6, contacts.Rigid(), "object", parent="torso")
    return cell.arm("leg", 6, contacts.HardFinger(Z), "world", parent="torso").model()


def doubled_grasp():
    cell = arms(3)
    cell.grasps.append(("object", "a5", contacts.HardFinger(Z)))
    return cell.model()


def mixed_grasps():
    cell = arms(1).arm("five", 5, contacts.Rigid(), "object").arm("soft", 6, contacts.SoftFinger(Z), "object")
    return cell.arm("point", 3, contacts.FrictionlessPoint(Z), "object").model()


CELLS = {
    "arms of six joints": lambda: arms(3).model(),
    "arms of five joints": lambda: arms(3, 5).model(),
    "hard fingers": lambda: arms(4, 4, contacts.HardFinger(Z)).model(),
    "grasps of all kinds": mixed_grasps,
    "two objects, linked": two_objects,
    "a loop within an arm": loop_within_an_arm,
    "two arms and a leg on a floating torso": humanoid,
    "a grasp that is held twice": doubled_grasp,
}


def state(model, seed=1):
    """Loops need not be closed."""
    rng = np.random.default_rng(seed)
    q = model.integrate(model.assembly.q, 0.1 * rng.normal(size=model.nv))
    return q, rng.normal(size=model.nv), rng.normal(size=model.nv)


def expected(model, q, v, tau):
    """The whole system of the rows selected, rows exchanged, in floats."""
    K, M = alg.closure_jacobian(model, q), alg.mass_matrix(model, q)
    E = row_selection(model, K)
    K, gamma, n, m = E @ K, E @ alg.closure_bias(model, q, v), model.nv, len(E)
    system = np.block([[M, -K.T], [K, np.zeros((m, m))]])
    x = np.linalg.solve(system, np.concatenate([tau - alg.bias(model, q, v), -gamma]))
    return x[:n], np.linalg.inv(system), x[n:] @ K


@pytest.mark.alternates(4, "name")
@pytest.mark.parametrize("name", CELLS)
def test_accelerations_and_derivatives_are_those_of_the_whole_system(name):
    model = CELLS[name]()
    q, v, tau = state(model)
    a, inverse, pulled = expected(model, q, v, tau)
    for method in ("factors", "sweeps"):
        found = alg.forward_dynamics(model, q, v, tau, method=method)
        np.testing.assert_allclose(found, a, rtol=0, atol=1e-10 * np.abs(a).max(), err_msg=method)
    P = inverse[: model.nv, : model.nv]
    np.testing.assert_allclose(
        alg.forward_dynamics_derivatives(model, q, v, tau)[2], P, rtol=0, atol=1e-10 * np.abs(P).max()
    )
    force = alg.closure_forces(model, q, v, tau)
    np.testing.assert_allclose(
        alg.closure_jacobian(model, q).T @ force, pulled, rtol=0, atol=1e-9 * np.abs(pulled).max()
    )


@pytest.mark.parametrize(("joints", "most"), [(5, 4), (6, 8)])
def test_operations_for_each_arm_are_those_of_two_arms(joints, most):
    """Seven arms of five joints would hold the object still."""
    counts = {k: kt.Robot(arms(k, joints).model()).count("forward_dynamics").flops / k for k in (2, most)}
    assert counts[most] < 1.1 * counts[2], counts


@pytest.mark.parametrize("distance", [0.0, 1e-9, 1e-7, 1e-5, 1e-3])
def test_near_where_arms_are_singular(distance):
    """Arms a and b have their wrists in a plane: each has a force that its joints do not feel."""
    model = arms(4).model()
    q, v, tau = state(model)
    for name in "ab":
        q[model.joint_slices(f"{name}_joint4")[0]] = distance
    a = alg.forward_dynamics(model, q, v, tau, method="factors")
    with mpmath.workdps(50):
        given = (np.array([mpmath.mpf(float(x)) for x in y]) for y in (q, v, tau))
        exact = alg.forward_dynamics(model, *given, method="dense").astype(float)
    np.testing.assert_allclose(a, exact, rtol=0, atol=1e-13 * np.abs(exact).max())


def test_a_chain_of_objects_is_eliminated_along_it():
    """Whatever the order in which its links are given, each changes only what its neighbours have."""
    links = [frozenset({10 * k, 10 * k + 1, 10 * k + 10}) for k in np.random.default_rng(0).permutation(20)]
    order = elimination_order(links, [[k] for k in range(20)])
    assert sorted(k for stage in order for k in stage.rows) == list(range(20))
    assert max(len(group.shared) for group in order) <= 2


def test_rows_are_selected_among_closures_that_follow_from_each_other():
    """The second grasp of arm a follows from the first; those of b and c from nothing."""
    model = doubled_grasp()
    assert model.assembly.groups == (0, 1, 2, 0)
    a, b, c, again = model.closure_slices.values()
    rows = [frozenset(range(x.start, x.stop)) for x in (a, b, c, again)]
    assert model.rows_by_closures == (rows[0] | rows[3], rows[1], rows[2])

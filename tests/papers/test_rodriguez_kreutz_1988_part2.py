"""Rodriguez and Kreutz (1988), part II: several arms that move a common object.

Our copy of the report has the title and the contents of part II, an abstract of both parts together, and what part I
says of J M⁻¹ Jᵀ; its equations are derived here, from the arms one by one, and compared with the dynamics of the whole
robot with closures.
For arm i with the wrench f on its tip, in the tip's frame, and an object whose twist V makes the tip move with A V:

    M θ̈ + b = τ + Jᵀ f,      M_o V̇ + b_o = −Σ Aᵀ f,      N (J θ̈ − A V̇) = −γ,      f = Nᵀ λ

where N are the rows of the contact: all six of a firm grasp.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.lie import Ad_matrix, se3
from kinetrace.model import Builder, Model
from kinetrace.model.zoo.random import random_axis, random_inertia, random_pose, random_rotation
from kinetrace.operators import spatial_operators

inv = np.linalg.inv
ARMS = ("RRRRRRR", "RRPRRRR", "RRRRRR")
CONTACTS = {
    "firm": ["Rigid"] * 3,
    "hard fingers": ["HardFinger"] * 3,
    "soft fingers": ["SoftFinger"] * 3,
    "of every kind": ["SoftFinger", "HardFinger", "FrictionlessPoint"],
}
TRANSMITS = {"FrictionlessPoint": (0, 1), "HardFinger": (0, 3), "SoftFinger": (1, 3), "Rigid": (3, 3)}
"""Appendix A: how many components of moment and of force."""


def assert_near(actual, expected, tol=1e-10):
    assert np.abs(np.subtract(actual, expected)).max() <= tol * max(1.0, np.abs(expected).max())


def add_arm(builder: Builder, name: str, joints: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for k, kind in enumerate(joints):
        joint = {"R": kt.joints.Revolute, "P": kt.joints.Prismatic}[kind](random_axis(rng))
        builder.link(f"{name}{k}", random_inertia(rng))
        parent = f"{name}{k - 1}" if k else "base"
        builder.joint(f"{name}-{k}", joint, parent=parent, child=f"{name}{k}", placement=random_pose(rng))
    builder.frame(f"{name} tip", f"{name}{len(joints) - 1}", random_pose(rng))


@dataclass(frozen=True)
class Arm:
    """One arm by itself, at the state that it has with the others."""

    model: Model
    tip: str
    q: Any
    v: Any
    tau: Any

    @property
    def M(self):
        return alg.mass_matrix(self.model, self.q)

    @property
    def J(self):
        """Of the tip, in its own frame."""
        return alg.jacobian(self.model, self.q, frame=self.tip)

    @property
    def compliance(self):
        """Λ⁻¹ = J M⁻¹ Jᵀ."""
        return self.J @ inv(self.M) @ self.J.T

    @property
    def free(self):
        """θ̈ with nothing in the hand."""
        return inv(self.M) @ (self.tau - alg.inverse_dynamics(self.model, self.q, self.v, 0 * self.v))


@dataclass(frozen=True)
class Hands:
    """All of it at a state, and its parts."""

    model: Model
    q: Any
    v: Any
    tau: Any
    arms: list[Arm]
    object: Arm

    @property
    def rows(self):
        """N of each contact, and A: V_tip = A V_o if the tip were fixed to the object."""
        found = []
        for closure, arm in zip(self.model.closures, self.arms, strict=True):
            X_o = alg.pose(self.model, self.q, frame="object")
            X_tip = alg.pose(self.model, self.q, frame=arm.tip)
            X_AB = se3.inverse(X_o @ closure.a.X_bf) @ X_tip
            found.append((closure.constraint.rows(X_AB), Ad_matrix(se3.inverse(X_tip) @ X_o)))
        return found


@cache
def hands(kind: str) -> Hands:
    rng = np.random.default_rng(7)
    whole, alone = Builder("hands"), [Builder(name) for name in "abc"]
    for k, (name, joints) in enumerate(zip("abc", ARMS, strict=True)):
        for builder in (whole, alone[k]):
            add_arm(builder, name, joints, k)
    single, J_o = Builder("object"), random_inertia(rng)
    for builder in (whole, single):
        builder.link("object", J_o)
        builder.joint("motion", kt.joints.Free(), parent="base", child="object")
    tree, models = whole.build(), [b.build() for b in alone]
    q = tree.random(rng)
    loops = []
    for name, contact in zip("abc", CONTACTS[kind], strict=True):
        firm = contact in ("Rigid", "HardFinger")
        make = getattr(kt.closures, contact)
        joint = make() if firm else make(random_axis(rng))
        turned = np.eye(3) if contact == "Rigid" else random_rotation(rng)
        X = se3.inverse(alg.pose(tree, q, frame="object")) @ alg.pose(tree, q, frame=f"{name} tip")
        at_object = X @ se3.inverse(se3.pose(turned, np.zeros(3)))
        loops.append(kt.closures.Loop("object", f"{name} tip", joint, name, at_object))
    model = tree.with_closures(*loops)
    K = alg.closure_jacobian(model, q)
    assert np.linalg.matrix_rank(K) == len(K)
    v, tau = rng.normal(size=(2, model.nv))
    v = v - np.linalg.pinv(K) @ (K @ v)

    def part(own: Model, tip: str) -> Arm:
        at_q = np.concatenate([q[model.joint_slices(name)[0]] for name in own.joint_names])
        at_v, at_tau = (np.concatenate([x[model.joint_slices(name)[1]] for name in own.joint_names]) for x in (v, tau))
        return Arm(own, tip, at_q, at_v, at_tau)

    arms = [part(m, f"{name} tip") for m, name in zip(models, "abc", strict=True)]
    return Hands(model, q, v, tau, arms, part(single.build(), "object"))


@pytest.fixture(params=CONTACTS)
def held(request) -> Hands:
    return hands(request.param)


def test_section2_contacts_hold_what_tips_and_object_have_in_common(held):
    """N (J θ̇ − A V) = 0."""
    for (N, A), arm in zip(held.rows, held.arms, strict=True):
        assert_near(N @ (arm.J @ arm.v), N @ (A @ held.object.v))


def test_section3_the_object_feels_the_arms_as_inertia(held):
    """(M_o + Σ Aᵀ Nᵀ Λ_c N A) V̇ = −b_o + τ_o + Σ Aᵀ Nᵀ Λ_c (γ + N J θ̈_free), with Λ_c = (N Λ⁻¹ Nᵀ)⁻¹."""
    gamma = np.split(alg.closure_bias(held.model, held.q, held.v), np.cumsum([len(N) for N, _ in held.rows])[:-1])
    inertia, force, loads = held.object.M, held.object.M @ held.object.free, []
    for (N, A), arm, bias in zip(held.rows, held.arms, gamma, strict=True):
        load = inv(N @ arm.compliance @ N.T)
        inertia = inertia + A.T @ N.T @ load @ N @ A
        force = force + A.T @ N.T @ load @ (bias + N @ arm.J @ arm.free)
        loads.append(load)
    moved = inv(inertia) @ force
    a = alg.forward_dynamics(held.model, held.q, held.v, held.tau)
    assert_near(a[held.model.joint_slices("motion")[1]], moved)
    wrenches = alg.closure_wrenches(held.model, held.q, held.v, held.tau)
    for (N, A), arm, bias, load, wrench in zip(held.rows, held.arms, gamma, loads, wrenches, strict=True):
        f = N.T @ load @ (N @ A @ moved - bias - N @ arm.J @ arm.free)
        assert_near(wrench, f)
        own = [held.model.joint_slices(name)[1].start for name in arm.model.joint_names]
        assert_near(a[own], arm.free + inv(arm.M) @ arm.J.T @ f)


def test_section4_compliance_of_all_contacts(held):
    """K M⁻¹ Kᵀ: of each arm alone on the diagonal, and through the object between all."""
    K = alg.closure_jacobian(held.model, held.q)
    through = [N @ A for N, A in held.rows]
    expected = np.concatenate(through) @ inv(held.object.M) @ np.concatenate(through).T
    at = 0
    for (N, _), arm in zip(held.rows, held.arms, strict=True):
        expected[at : at + len(N), at : at + len(N)] += N @ arm.compliance @ N.T
        at += len(N)
    assert_near(K @ inv(alg.mass_matrix(held.model, held.q)) @ K.T, expected)


@pytest.mark.parametrize("which", range(len(ARMS)), ids=ARMS)
def test_section6_tip_compliance_by_spatial_operators(which):
    """J M⁻¹ Jᵀ = Bᵀ ψᵀ Hᵀ D⁻¹ H ψ B, since (I − HΨL) Hφ = Hψ; and the operational inertia is its inverse."""
    arm = hands("firm").arms[which]
    o = spatial_operators(arm.model, arm.q)
    tip = o.B(arm.tip)
    assert_near(o.coupling.T @ o.H @ o.phi @ tip, arm.J.T)
    white = o.H @ o.psi @ tip
    assert_near(white.T @ inv(o.D) @ white, arm.compliance)
    assert_near(alg.operational_inertia(arm.model, arm.q, frame=arm.tip), inv(arm.compliance), 1e-8)


def test_section6_closures_are_linear_and_orthogonal_in_quasi_velocities(held):
    """Z = W⁻¹ Kᵀ: ZᵀZ is the compliance, Zᵀν = 0, and v̇ = W⁻ᵀ ((1 − Z Z⁺) W⁻¹ (τ − b) − Z⁺ᵀ γ)."""
    model, q, v = held.model, held.q, held.v
    K, M = alg.closure_jacobian(model, q), alg.mass_matrix(model, q)
    Z = np.stack([alg.mass_root_solve(model, q, row) for row in K], axis=1)
    assert_near(Z.T @ Z, K @ inv(M) @ K.T)
    nu = alg.mass_root_transposed_product(model, q, v)
    assert np.abs(Z.T @ nu).max() < 1e-11 * np.abs(nu).max() * np.abs(Z).max()
    pushed = alg.mass_root_solve(model, q, held.tau - alg.inverse_dynamics(model, q, v, 0 * v))
    plus = np.linalg.pinv(Z)
    projected = pushed - Z @ (plus @ pushed) - plus.T @ alg.closure_bias(model, q, v)
    a = alg.mass_root_transposed_solve(model, q, projected)
    assert_near(alg.forward_dynamics(model, q, v, held.tau, method="quasi"), a)


def test_internal_forces_do_no_work_and_move_nothing():
    """Wrenches in the null space of the grasp matrix (A₁ᵀ A₂ᵀ A₃ᵀ): twelve of eighteen, here."""
    held = hands("firm")
    grasp = np.concatenate([A.T for _, A in held.rows], axis=1)
    squeeze = np.linalg.svd(grasp)[2][6:].T @ np.arange(1.0, 13.0)
    assert np.abs(grasp @ squeeze).max() < 1e-12
    tips = np.concatenate([arm.J @ arm.v for arm in held.arms])
    assert abs(squeeze @ tips) < 1e-11 * np.abs(squeeze) @ np.abs(tips)
    tau = held.tau.copy()
    for arm, f in zip(held.arms, np.split(squeeze, 3), strict=True):
        own = [held.model.joint_slices(name)[1].start for name in arm.model.joint_names]
        tau[own] -= arm.J.T @ f
    state = held.model, held.q, held.v
    assert_near(alg.forward_dynamics(*state, tau), alg.forward_dynamics(*state, held.tau), 1e-9)
    change = alg.closure_wrenches(*state, tau) - alg.closure_wrenches(*state, held.tau)
    assert_near(change.ravel(), squeeze, 1e-9)


@pytest.mark.parametrize("contact", TRANSMITS)
def test_appendixA_contacts_transmit_what_they_say(contact):
    """Forces in any direction or along the normal, moments about it, about all axes, or none; and no others."""
    rng = np.random.default_rng(2)
    make, normal = getattr(kt.closures, contact), random_axis(rng)
    constraint = make() if contact == "Rigid" else make(normal)
    R = np.eye(3) if contact == "Rigid" else random_rotation(rng)
    N = constraint.rows(se3.pose(R, np.zeros(3)))
    moments, forces = R @ N[:, :3].T, R @ N[:, 3:].T  # on the finger, in the object's axes
    assert (np.linalg.matrix_rank(moments), np.linalg.matrix_rank(forces)) == TRANSMITS[contact]
    assert np.linalg.matrix_rank(N) == len(N) == len(constraint.transmits) == sum(TRANSMITS[contact])
    if contact == "FrictionlessPoint":
        assert_near(forces[:, 0], normal)
    if contact == "SoftFinger":
        assert_near(moments[:, 3], normal)
        assert_near(moments[:, :3], np.zeros((3, 3)))

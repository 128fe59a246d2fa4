"""Robots whose joints do everything that a joint can do by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import kinetrace as kt


def effects_of(joint, rng):
    """Random ones, all that the joint can have; limits within reach are `narrow`."""
    n = joint.nv
    given = {name: rng.uniform(0.1, 1.0, n) for name in ("damping", "friction", "friction_width")}
    if joint.has_coordinates:
        names = ("armature", "stiffness", "stop_stiffness", "stop_damping", "stop_width")
        given |= {name: rng.uniform(0.1, 1.0, n) for name in names} | {"rest": rng.normal(size=n)}
    else:
        turns = np.eye(6, n)[:3].any(axis=0)
        given |= {"stiffness": 0.7 * turns, "rest": joint.random(rng, (None, None))}
    return kt.JointEffects(**given).of(joint, "")


def narrow(body):
    """The joint's limits, so near that some states are beyond them."""
    if not body.joint.has_coordinates:
        return body.limits
    q = np.ones(body.joint.nq)
    return kt.Limits(-0.4 * q, 0.3 * q, body.limits.velocity, body.limits.effort)


def with_all_effects(model, seed=0, mimics=True):
    """The same robot with random effects of all joints; without mimic joints if so chosen."""
    rng = np.random.default_rng(seed)
    bodies = [
        replace(b, effects=effects_of(b.joint, rng), limits=narrow(b), mimic=b.mimic if mimics else None)
        for b in model.bodies
    ]
    return replace(model, bodies=tuple(bodies))

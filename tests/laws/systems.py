"""Random trees with closures: one of every kind, several, and robots whose degrees of freedom are known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from itertools import count

import numpy as np
from scipy.linalg import qr

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.algorithms.closed.mobility import with_assembly
from kinetrace.model import Assembly, Model, random_tree

from .closing import CLOSERS, Closed, closed
from .conftest import without_mimics

SYSTEMS = {
    "hinge and rod": ("Revolute, Rod", "fixed"),
    "screws and wheel": ("Helical, Screw, Rolling", "free"),
    "slider and ball": ("Prismatic, Spherical, FrictionlessPoint", "fixed"),
    "universal and plane": ("Universal, Planar, Cylindrical", "free"),
    "weld and rows": ("Fixed, velocity rows, SoftFinger", "free"),
}
KINDS = {
    "hinge": (5, 6, ["Revolute"]),
    "screw and rod": (5, 6, ["Helical", "Rod"]),
    "universal": (5, 6, ["Universal"]),
    "weld": (5, 6, ["Fixed"]),
    "rolling": (6, 5, ["Rolling", "Spherical"]),
    "fingers": (5, 6, ["SoftFinger", "FrictionlessPoint"]),
}
"""Size and seed of a random tree, and what closes loops of it."""


@cache
def tree(seed: int, base: str = "fixed", mimics: bool = True) -> Model:
    model = random_tree(9, seed).build(base)
    return model if mimics else without_mimics(model)


@cache
def one_closure(kind: str, base: str) -> Closed:
    seed = list(CLOSERS).index(kind)
    return closed(tree(seed % 3, base), [kind], seed)


@cache
def several_closures(name: str) -> Closed:
    """Two or three closures on a tree without mimics, with independent velocities chosen."""
    kinds, base = SYSTEMS[name]
    for seed in count():
        model, q, v, tau, _ = closed(tree(len(kinds), base, mimics=False), kinds.split(", "), seed)
        K = alg.closure_jacobian(model, q)
        if np.linalg.cond(K) < 1e3:
            break
    chosen = tuple(sorted(qr(K, pivoting=True)[2][len(K) :].tolist()))
    found = Assembly(q, tuple(range(len(K))), tuple(range(len(K))), chosen, chosen)
    return Closed(replace(model, assembly=found), q, v, tau)


@cache
def analysed_robot(name: str) -> kt.Robot:
    """A robot of one of the KINDS, with all that is known of its loops."""
    size, seed, kinds = KINDS[name]
    at = closed(random_tree(size, seed).build(), kinds, 11)
    return kt.Robot(with_assembly(at.model, guess=at.q))


class OnFloats:
    """The algorithms of a robot on plain floats: nothing is traced."""

    def __init__(self, robot):
        self.robot, self.model, self.nv, self.dof = robot, robot.model, robot.nv, robot.dof

    def __getattr__(self, name):
        return partial(getattr(alg, name), self.model)

"""Shapes in random poses, where they touch, and a distance by all corners and edges."""

from functools import cache
from itertools import combinations, permutations, product

import numpy as np

import kinetrace as kt
from kinetrace.algorithms.contact.narrow.table import nearest, touches
from kinetrace.algorithms.contact.narrow.touch import Placed
from kinetrace.arrays import concatenate, matrix, stack
from kinetrace.lie import so3

OCTAGON = np.array([[0.1 * np.cos(t), 0.1 * np.sin(t), z] for z in (-0.05, 0.05) for t in np.arange(8) * np.pi / 4])
SIZES = {
    "sphere": np.array([0.1]),
    "capsule": np.array([0.05, 0.3]),
    "box": np.array([0.2, 0.3, 0.4]),
    "cylinder": np.array([0.1, 0.3]),
    "ellipsoid": np.array([0.1, 0.2, 0.3]),
    "points": OCTAGON,
    "plane": np.zeros(0),
    "heights": 0.1 * np.random.default_rng(1).normal(size=(5, 6)),
}
OTHER_SIZES = {"sphere": np.array([0.15]), "capsule": np.array([0.04, 0.5]), "box": np.array([0.3, 0.25, 0.15])}
"""Of the second shape."""
LENGTHS = np.array([2.0, 1.5])
POSES = {"Xa": (4, 4), "Xb": (4, 4)}


def placed(kind, X, sizes=SIZES):
    return Placed(kind, sizes[kind] if kind in sizes else SIZES[kind], X, LENGTHS)


def arrays_of(found):
    """Touches as arrays."""
    return (
        stack([t.gap for t in found]),
        stack([t.point for t in found], axis=0),
        stack([t.normal for t in found], axis=0),
    )


@cache
def kernel(kind_a, kind_b, dtype="float64", fixed=False):
    """(Xa, Xb) → gaps, points and normals of the slots, and last those of the nearest points."""

    def found(model, Xa, Xb):
        a, b = placed(kind_a, Xa), placed(kind_b, np.eye(4) if fixed else Xb, OTHER_SIZES)
        return arrays_of(touches(a, b) if fixed else [*touches(a, b), nearest(a, b)])

    return kt.compile(found, kt.load("planar2r", dtype=dtype), shapes=POSES)


@cache
def derivative(kind_a, kind_b):
    """(Xa, Xb, 0) → derivatives of the gaps by a twist of a, in the world's axes about its origin."""

    def gaps(model, Xa, Xb, V):
        turn = so3.hat(V[:3])
        top = concatenate([Xa[:3, :3] + turn @ Xa[:3, :3], (Xa[:3, 3] + turn @ Xa[:3, 3] + V[3:])[:, None]])
        a = placed(kind_a, concatenate([top, matrix([[0.0, 0.0, 0.0, 1.0]])], axis=0))
        b = placed(kind_b, Xb, OTHER_SIZES)
        return stack([t.gap for t in (*touches(a, b), nearest(a, b))])

    return kt.compile(kt.jacobian(gaps, "V"), kt.load("planar2r"), shapes=POSES | {"V": (6,)})


def poses(rng, n, kind="any"):
    """Poses (n, 4, 4), turned in any way, by little, by right angles or about z, deep in each other to far away."""
    q = rng.normal(size=(n, 4))
    if kind == "near":
        q = np.array([1.0, 0.0, 0.0, 0.0]) + q * 10.0 ** rng.uniform(-12, -1, size=(n, 1))
    if kind == "yaw":
        q[:, 1:3] = 0.0
    X = np.tile(np.eye(4), (n, 1, 1))
    X[:, :3, :3] = so3.from_quaternion(q / np.linalg.norm(q, axis=1, keepdims=True))
    X[:, :3, 3] = rng.normal(size=(n, 3)) * 10.0 ** rng.uniform(-2, 0, size=(n, 1))
    if kind == "aligned":
        signs = [np.eye(3)[list(p)] * s for p in permutations(range(3)) for s in product((1.0, -1.0), repeat=3)]
        turns = np.array([R for R in signs if np.linalg.det(R) > 0.0])
        X[:, :3, :3], X[:, :3, 3] = turns[rng.integers(24, size=n)], np.round(X[:, :3, 3] / 0.05) * 0.05
    return X


def moved(X, way):
    """Poses that are moved by (n, 3)."""
    Y = X.copy()
    Y[:, :3, 3] += way
    return Y


def dot(a, b):
    return np.einsum("...i,...i->...", a, b)


def core(kind, sizes):
    """Half lengths of the box, a segment or a point for some, that a shape is around by a radius; and that."""
    size = sizes[kind]
    if kind == "box":
        return size / 2, 0.0
    return np.array([0.0, 0.0, size[1] / 2 if kind == "capsule" else 0.0]), size[0]


def distance(kind_a, Xa, kind_b, Xb):
    """Signed distance: of all corners from the other core, and of all edges; where cores overlap, along all normals."""
    (half_a, radius_a), (half_b, radius_b) = core(kind_a, SIZES), core(kind_b, OTHER_SIZES)
    apart = np.full(len(Xa), np.inf)
    for (half, X), (other, Y) in permutations(((half_a, Xa), (half_b, Xb))):
        for corner in product(*({-h, h} for h in half)):
            at = dot(Y[:, :3, :3].swapaxes(1, 2), (X[:, :3, :3] @ corner + X[:, :3, 3] - Y[:, :3, 3])[:, None])
            apart = np.minimum(apart, np.linalg.norm(at - np.clip(at, -other, other), axis=1))
    for p, q in product(edges(half_a, Xa), edges(half_b, Xb)):
        apart = np.minimum(apart, between_lines(*p, *q))
    axes = [(X[:, :3, k], h) for half, X in ((half_a, Xa), (half_b, Xb)) for k, h in enumerate(half) if h]
    least = np.full(len(Xa), -np.inf)
    for (a, _), (b, _) in combinations(axes, 2):
        normal = np.cross(a, b)
        size = np.linalg.norm(normal, axis=1)
        normal /= np.where(size > 1e-13, size, np.inf)[:, None]
        along = np.abs(dot(normal, Xa[:, :3, 3] - Xb[:, :3, 3])) - sum(h * np.abs(dot(normal, g)) for g, h in axes)
        least = np.maximum(least, np.where(size > 1e-13, along, -np.inf))
    overlap = np.isfinite(least) & (least <= 0.0) & (max(np.count_nonzero(half_a), np.count_nonzero(half_b)) == 3)
    return np.where(overlap, least, apart) - radius_a - radius_b


def edges(half, X):
    """Centres, directions and half lengths of the edges of a core."""
    for k in np.flatnonzero(half):
        for at in product(*({-h, h} if j != k else {0.0} for j, h in enumerate(half))):
            yield X[:, :3, :3] @ at + X[:, :3, 3], X[:, :3, k], half[k]


def between_lines(p, d, half_d, q, e, half_e):
    """Distance of lines where their nearest points are within the edges, else infinity."""
    normal, offset = np.cross(d, e), q - p
    square = dot(normal, normal)
    square = np.where(square > 1e-26, square, np.nan)
    s, t = dot(np.cross(offset, e), normal) / square, dot(np.cross(offset, d), normal) / square
    inside = (np.abs(s) <= half_d) & (np.abs(t) <= half_e)
    return np.where(inside, np.abs(dot(offset, normal)) / np.sqrt(square), np.inf)

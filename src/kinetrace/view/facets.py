"""Solids as facets: arrays (k, 4, 3) of quadrangles seen from outside, a triangle as one with two equal corners."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array

CYLINDER_SIDES = 20
"""Number of sides of a cylinder."""
PIECES = 10
"""Pieces of the longest edge of a box or cylinder: small facets sort better by depth."""


def box(sides: Sequence[float]) -> Array:
    """A box about the origin, with these sides (3,).

    >>> box([1.0, 1.0, 1.0]).shape
    (600, 4, 3)
    """
    h, faces = np.asarray(sides, dtype=float) / 2, []
    longest = max(float(h.max()), 1e-30)
    cuts = [np.linspace(-1, 1, 1 + max(1, round(PIECES * x / longest))) for x in h]
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        a, c = (x.ravel() for x in np.meshgrid(cuts[i][:-1], cuts[j][:-1], indexing="ij"))
        b, d = (x.ravel() for x in np.meshgrid(cuts[i][1:], cuts[j][1:], indexing="ij"))
        for side in (-1.0, 1.0):
            face = np.empty((len(a), 4, 3))
            face[:, :, k] = side
            face[:, :, i], face[:, :, j] = np.stack([a, b, b, a], axis=1), np.stack([c, c, d, d], axis=1)
            faces.append(face[:, :: int(side)] * h)
    return np.concatenate(faces)


def revolve(profile: Array, sides: int = CYLINDER_SIDES) -> Array:
    """Surface of revolution about the z axis of a profile (n, 2) of radii and heights, which rise.

    >>> revolve(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [0.0, 2.0]])).shape
    (60, 4, 3)
    """
    angles = np.linspace(0, 2 * np.pi, sides + 1)
    r, z = np.asarray(profile, dtype=float).T
    points = np.stack(
        [np.outer(r, np.cos(angles)), np.outer(r, np.sin(angles)), np.repeat(z[:, None], sides + 1, axis=1)], axis=-1
    )
    corners = [points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]]
    return np.stack(corners, axis=2).reshape(-1, 4, 3)


def cylinder(radius: float, length: float, sides: int = CYLINDER_SIDES) -> Array:
    """A cylinder about the z axis, its middle at the origin."""
    pieces = max(1, min(24, round(1.5 * length / max(radius, 1e-30))))
    sides = sides if length > radius else 2 * sides  # a disc
    heights = np.linspace(-length / 2, length / 2, pieces + 1)
    inner = [(radius * x, heights[0]) for x in (0.0, 0.5)]
    side, lid = [(radius, z) for z in heights], [(r, -z) for r, z in reversed(inner)]
    return revolve(np.array([*inner, *side, *lid]), sides)


def capsule(radius: float, length: float, sides: int = CYLINDER_SIDES) -> Array:
    """A cylinder of this length between half spheres, about the z axis, its middle at the origin."""
    angles = np.linspace(0, np.pi / 2, 5)
    pieces = max(1, min(24, round(1.5 * length / max(radius, 1e-30))))
    below = [(radius * np.sin(t), -length / 2 - radius * np.cos(t)) for t in angles]
    above = [(r, -z) for r, z in reversed(below)]
    between = [(radius, z) for z in np.linspace(-length / 2, length / 2, pieces + 1)[1:-1]]
    return revolve(np.array([*below, *between, *above]), sides)


def ellipsoid(semiaxes: Sequence[float], sides: int = 32) -> Array:
    """An ellipsoid about the origin, with these semiaxes (3,)."""
    angles = np.linspace(0, np.pi, sides // 2 + 1)
    return revolve(np.stack([np.sin(angles), -np.cos(angles)], axis=1), sides) * np.asarray(semiaxes, dtype=float)


def of_shape(kind: str, size: Sequence[float]) -> Array | None:
    """The facets of a shape in its own frame; None for a mesh or a plane."""
    if kind == "box":
        return box(size)
    if kind == "sphere":
        return ellipsoid([size[0]] * 3)
    if kind == "ellipsoid":
        return ellipsoid(size)
    if kind == "cylinder":
        return cylinder(size[0], size[1])
    return capsule(size[0], size[1]) if kind == "capsule" else None


def normals(facets: Array) -> Array:
    """Unit normals (k, 3), outward; zero of a facet without area."""
    a, b = facets[:, 2] - facets[:, 0], facets[:, 3] - facets[:, 1]
    n = np.cross(a, b)
    length = np.linalg.norm(n, axis=1, keepdims=True)
    return np.divide(n, length, out=np.zeros_like(n), where=length > 0)


def place(facets: Array, X: Array) -> Array:
    """Facets moved by a pose (4, 4)."""
    return facets @ X[:3, :3].T + X[:3, 3]


def inside(solids: Sequence[Array], convex: Sequence[bool]) -> list[Array]:
    """For each solid, which of its facets (k,) are completely within another one that is convex: nobody sees them.

    >>> small, large = box([1.0, 1.0, 1.0]), box([2.0, 2.0, 2.0])
    >>> [bool(x.all()) for x in inside([small, large], [True, True])]
    [True, False]
    """
    lows, highs = (np.array([f(x.reshape(-1, 3), axis=0) for x in solids]) for f in (np.min, np.max))
    hidden = [np.zeros(len(x), dtype=bool) for x in solids]
    for j in [j for j, is_convex in enumerate(convex) if is_convex]:
        sides = _sides(solids[j])
        for i in np.flatnonzero(((lows < highs[j]) & (highs > lows[j])).all(axis=1)).tolist():
            if i != j:
                near = ((solids[i] > lows[j]) & (solids[i] < highs[j])).all(axis=(1, 2)) & ~hidden[i]
                corners = solids[i][near]
                hidden[i][near] = (corners @ sides[:, :3].T < sides[:, 3]).all(axis=(1, 2))
    return hidden


def _sides(convex: Array) -> Array:
    """Half spaces (m, 4) whose intersection a convex solid is: n · x < d, each once."""
    n = normals(convex)
    planes = np.concatenate([n, np.einsum("ki,kji->kj", n, convex).mean(axis=1)[:, None]], axis=1)
    size = float(np.abs(convex).max(initial=0.0)) or 1.0
    _, first = np.unique(np.round(planes / [1.0, 1.0, 1.0, size], 6), axis=0, return_index=True)
    return planes[first][np.linalg.norm(n[first], axis=1) > 0.5]

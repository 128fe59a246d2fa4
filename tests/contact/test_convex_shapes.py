"""Cylinders, ellipsoids and hulls of points: their nearest points are optimal, and those of MuJoCo."""

from functools import cache

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.contact.narrow.convex import PAIRS
from kinetrace.algorithms.contact.narrow.table import nearest, touches
from kinetrace.algorithms.contact.narrow.touch import Placed
from kinetrace.lie import so3
from kinetrace.linalg.hulls import hull_normals

from .shapes import POSES, SIZES, arrays_of, dot, moved

PAIRED = [pytest.param(pair, marks=pytest.mark.part(k, 4), id="-".join(pair)) for k, pair in enumerate(PAIRS)]
WITHOUT_POINTS = [case for case in PAIRED if "points" not in case.values[0]]
SOME = [("capsule", "cylinder"), ("cylinder", "ellipsoid"), ("box", "points")]
N = 2000


@cache
def kernel(kind_a, kind_b, dtype="float64", function=nearest):
    """(Xa, Xb) → gap, point and normal of the nearest points, or of all touches."""

    def found(model, Xa, Xb):
        result = function(Placed(kind_a, SIZES[kind_a], Xa), Placed(kind_b, SIZES[kind_b], Xb))
        return tuple(result) if function is nearest else arrays_of(result)

    return kt.compile(found, kt.load("planar2r", dtype=dtype), shapes=POSES)


def poses(rng, n, way):
    """Poses (n, 4, 4), turned in any way, or by right angles and at most a little more."""
    X = np.tile(np.eye(4), (n, 1, 1))
    q = rng.normal(size=(n, 4))
    if way == "parallel":
        q = np.sqrt(0.5) * (np.eye(4)[rng.integers(4, size=n)] + np.eye(4)[0])
        q += rng.normal(size=(n, 4)) * 10.0 ** rng.uniform(-16, -3, size=(n, 1)) * rng.integers(2, size=(n, 1))
    X[:, :3, :3] = so3.from_quaternion(q / np.linalg.norm(q, axis=1, keepdims=True))
    X[:, :3, 3] = 0.2 * rng.normal(size=(n, 3))
    return X


def farthest(kind, n):
    """How far (n,) a shape reaches along unit vectors (n, 3) of its axes."""
    size = SIZES[kind]
    return {
        "sphere": lambda: np.full(len(n), size[0]),
        "capsule": lambda: size[0] + 0.5 * size[1] * np.abs(n[:, 2]),
        "box": lambda: np.abs(n) @ size / 2,
        "cylinder": lambda: size[0] * np.hypot(n[:, 0], n[:, 1]) + 0.5 * size[1] * np.abs(n[:, 2]),
        "ellipsoid": lambda: np.linalg.norm(n * size, axis=1),
        "points": lambda: (n @ size.T).max(axis=1),
    }[kind]()


def outside(kind, x):
    """By how much points (n, 3) in the axes of a shape are outside, at least up to a factor."""
    size = SIZES[kind]
    return {
        "sphere": lambda: np.linalg.norm(x, axis=1) - size[0],
        "capsule": lambda: (
            np.linalg.norm(x - np.clip(x, *([0, 0, s * size[1] / 2] for s in (-1, 1))), axis=1) - size[0]
        ),
        "box": lambda: (np.abs(x) - size / 2).max(axis=1),
        "cylinder": lambda: np.maximum(np.hypot(x[:, 0], x[:, 1]) - size[0], np.abs(x[:, 2]) - size[1] / 2),
        "ellipsoid": lambda: min(size) * (np.linalg.norm(x / size, axis=1) - 1.0),
        "points": lambda: (x @ hull_normals(size).T - (hull_normals(size) @ size.T).max(axis=1)).max(axis=1),
    }[kind]()


def errors(pair, Xa, Xb, gap, point, normal):
    """How far points midway ± half the gap are from their shapes, and from where these are farthest along ∓n."""
    found = []
    for kind, X, side in zip(pair, (Xa, Xb), (1.0, -1.0), strict=True):
        turned = X[:, :3, :3].swapaxes(1, 2)
        x = dot(turned, (point + 0.5 * side * gap[:, None] * normal - X[:, :3, 3])[:, None])
        n = dot(turned, -side * normal[:, None])
        found += [np.maximum(outside(kind, x), 0.0), np.abs(farthest(kind, n) - dot(n, x))]
    return np.max(found, axis=0)


@pytest.mark.parametrize("pair", PAIRED)
def test_nearest_points_are_optimal(pair, rng):
    """On their shapes, and as far along the normal as these reach: apart, that says that there are no nearer ones.

    Caps of cylinders that are parallel to sides or faces but for 1e-8 to 1e-11 have points that are less exact.
    """
    for way in ("any", "parallel"):
        Xa, Xb = poses(rng, N, way), poses(rng, N, way)
        Xa[0] = Xb[0]
        gap, point, normal = kernel(*pair)(Xa, Xb)
        assert all(np.isfinite(x).all() for x in (gap, point, normal))
        np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-12)
        error = errors(pair, Xa, Xb, gap, point, normal)
        shallow = gap > -0.05
        most, tolerance = (0, 1e-10) if way == "any" else (5, 1e-8)
        assert np.count_nonzero(error[shallow] > tolerance) <= most, np.sort(error[shallow])[-9:]


@pytest.mark.parametrize("pair", SOME[:2], ids="-".join)
def test_gaps_are_lengths_of_the_ways_out(pair, rng):
    """Moved by the gap along the normal, shapes just touch: no shorter way is known from there either."""
    Xa, Xb = poses(rng, N, "any"), poses(rng, N, "any")
    gap, _, normal = kernel(*pair)(Xa, Xb)
    again = kernel(*pair)(moved(Xa, -gap[:, None] * normal), Xb)
    np.testing.assert_allclose(again[0], 0.0, atol=1e-10)


@pytest.mark.parametrize(
    "pair", [pytest.param(pair, marks=pytest.mark.part(k, 2)) for k, pair in enumerate(SOME[::-2])]
)
def test_derivatives_of_gap_normal_and_point(pair, rng):
    """Against differences, by a twist of a and a part of all its sizes."""

    def found(model, x, Xa, Xb):
        a = Placed(pair[0], SIZES[pair[0]] * (1.0 + x[6]), Xa @ kt.lie.se3.exp(x[:6]))
        b = Placed(pair[1], SIZES[pair[1]] * (1.0 + x[7]), Xb)
        touch = nearest(a, b)
        return kt.arrays.concatenate([kt.arrays.stack([touch.gap]), touch.point, touch.normal])

    robot, shapes, step = kt.load("planar2r"), POSES | {"x": (8,)}, 1e-6
    Xa, Xb = poses(rng, 500, "any"), poses(rng, 500, "any")
    J = kt.compile(kt.jacobian(found, "x"), robot, shapes=shapes)(np.zeros(8), Xa, Xb)
    values = kt.compile(found, robot, shapes=shapes)
    ends = [[values(s * step * e, Xa, Xb) for e in np.eye(8)] for s in (1.0, -1.0)]
    error = np.abs(J - np.moveaxis(np.array(ends[0]) - np.array(ends[1]), 0, -1) / (2.0 * step))
    shallow = values(np.zeros(8), Xa, Xb)[:, 0] > -0.05
    assert error[shallow][:, 0].max() < 1e-7
    assert np.quantile(error[shallow].max(axis=(1, 2)), 0.98) < 1e-5


def test_single_precision(rng):
    Xa, Xb = poses(rng, N, "any"), poses(rng, N, "any")
    for pair in SOME[:1]:
        one, other = kernel(*pair)(Xa, Xb)[0], kernel(*pair, dtype="float32")(Xa, Xb)[0]
        apart = one > 0.0
        assert np.quantile(np.abs(other[apart] - one[apart]), 0.99) < 1e-6
        np.testing.assert_allclose(other[apart], one[apart], atol=5e-3)


@pytest.mark.parametrize("pair", WITHOUT_POINTS)
def test_distances_are_those_of_mujoco(pair, rng):
    """Of shapes that are apart: MuJoCo is iterated to about 1e-7 for round ones."""
    mujoco = pytest.importorskip("mujoco")
    halves = {"box": SIZES["box"] / 2, "capsule": SIZES["capsule"] / [1, 2], "cylinder": SIZES["cylinder"] / [1, 2]}
    sizes = [" ".join(map(str, halves.get(kind, SIZES[kind]))) for kind in pair]
    xml = "".join(f'<geom type="{kind}" size="{size}"/>' for kind, size in zip(pair, sizes, strict=True))
    option = '<option ccd_tolerance="1e-14" ccd_iterations="500"/>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{xml}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    Xa, Xb = poses(rng, 300, "any"), poses(rng, 300, "any")
    gap, expected, ends = kernel(*pair)(Xa, Xb)[0], np.empty(300), np.zeros(6)
    for k, X in enumerate(zip(Xa, Xb, strict=True)):
        for g, Y in enumerate(X):
            data.geom_xpos[g], data.geom_xmat[g] = Y[:3, 3], Y[:3, :3].ravel()
        expected[k] = mujoco.mj_geomDistance(model, data, 0, 1, 10.0, ends)
    apart = gap > 1e-3
    np.testing.assert_allclose(gap[apart], expected[apart], rtol=0.0, atol=1e-6)


LYING = [("cylinder", "box"), ("points", "box"), ("cylinder", "cylinder"), ("points", "points"), ("capsule", "points")]


@pytest.mark.parametrize("pair", [pytest.param(x, marks=pytest.mark.part(k, 2)) for k, x in enumerate(LYING)])
def test_what_lies_on_a_face_has_slots_around_its_middle(pair, rng):
    """Turned about z, or on its side, on the middle of the top of the other: two touches at least, a face three."""
    slots = kernel(*pair, function=touches)
    on_side = pair[0] == "capsule"
    half = [SIZES[kind][:, 2].max() if kind == "points" else SIZES[kind][-1] / 2 for kind in pair]
    Xa, Xb = (np.tile(np.eye(4), (50, 1, 1)) for _ in pair)
    Xa[:, :3, :3] = so3.exp(rng.normal(size=(50, 1)) * [0.0, 0.0, 1.0]) @ so3.exp(np.array([on_side * np.pi / 2, 0, 0]))
    Xa[:, 2, 3] = (SIZES["capsule"][0] if on_side else half[0]) + half[1] + 1e-6
    gaps, points, normals = slots(Xa, Xb)
    touching = np.abs(gaps - 1e-6) < 1e-9
    np.testing.assert_allclose(normals[touching], np.broadcast_to([0.0, 0.0, 1.0], normals.shape)[touching], atol=1e-9)
    assert (touching.sum(axis=1) >= (2 if on_side else 3)).all()
    middles = [points[k, touching[k], :2].mean(axis=0) for k in range(50)]
    spreads = [np.linalg.svd(points[k, touching[k], :2] - middles[k])[1] for k in range(50)]
    assert np.linalg.norm(middles, axis=1).max() < 0.05 and np.min(spreads, axis=0)[0 if on_side else 1] > 0.04


@pytest.mark.parametrize("pair", [("box", "cylinder"), ("points", "points")], ids="-".join)
def test_slots_are_not_nearer_than_the_nearest_points(pair, rng):
    """One of them is as near; in any pose, all are finite."""
    for way in ("any", "parallel"):
        Xa, Xb = poses(rng, N, way), poses(rng, N, way)
        gaps, points, normals = kernel(*pair, function=touches)(Xa, Xb)
        assert all(np.isfinite(x).all() for x in (gaps, points, normals)) and np.abs(points).max() < 10.0
        np.testing.assert_allclose(gaps.min(axis=1), kernel(*pair)(Xa, Xb)[0], rtol=0.0, atol=1e-8)

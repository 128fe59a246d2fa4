"""Where shapes touch: gaps, points and normals of their slots, against distances by all features, and their laws."""

from itertools import combinations_with_replacement

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.contact.narrow.height_fields import on_heights
from kinetrace.algorithms.contact.narrow.lowest import LOWEST
from kinetrace.algorithms.contact.narrow.planes import on_plane
from kinetrace.algorithms.contact.narrow.table import SLOTS, can_touch, nearest, slots, touches
from kinetrace.algorithms.contact.narrow.touch import Placed, axes_of
from kinetrace.arrays import stack
from kinetrace.lie import so3

from .shapes import LENGTHS, OTHER_SIZES, SIZES, arrays_of, derivative, distance, dot, kernel, moved, placed, poses

ROUND = ("sphere", "capsule", "box")
PAIRS = [*combinations_with_replacement(ROUND, 2)]
ON_GROUND = [(kind, ground) for kind in LOWEST for ground in ("plane", "heights")]
WAYS = ("any", "near", "yaw", "aligned")


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_nearest_points_are_at_the_distance_of_all_features(pair, rng):
    """Slots as well, but for boxes that lie on each other within 1e-4 of their size."""
    for way in WAYS:
        Xa, Xb = poses(rng, 3000, way), poses(rng, 3000, way)
        gaps, points, normals = kernel(*pair)(Xa, Xb)
        assert all(np.isfinite(x).all() for x in (gaps, points, normals)) and np.abs(points).max() < 10.0
        np.testing.assert_allclose(np.linalg.norm(normals, axis=-1), 1.0, atol=1e-12)
        exact = distance(pair[0], Xa, pair[1], Xb)
        np.testing.assert_allclose(gaps[:, -1], exact, rtol=0.0, atol=1e-12)
        lies = 1e-4 if pair == ("box", "box") and way == "near" else 1e-12
        np.testing.assert_allclose(gaps[:, :-1].min(axis=1), exact, rtol=0.0, atol=lies)


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_shapes_just_touch_once_moved_by_the_gap(pair, rng):
    """Along the normal, away from each other or toward it; then the point is on both."""
    Xa, Xb = poses(rng, 2000), poses(rng, 2000)
    gaps, points, normals = (x[:, -1] for x in kernel(*pair)(Xa, Xb))
    half = 0.5 * gaps[:, None] * normals
    np.testing.assert_allclose(distance(pair[0], moved(Xa, -half), pair[1], moved(Xb, half)), 0.0, atol=1e-9)
    ball = moved(np.tile(np.eye(4), (2000, 1, 1)), points)
    np.testing.assert_allclose(
        kernel("sphere", pair[1])(ball, moved(Xb, half))[0][:, -1], -SIZES["sphere"][0], atol=1e-9
    )


MOVING = [*PAIRS, *((kind, "plane") for kind in LOWEST), ("sphere", "heights"), ("box", "heights")]


@pytest.mark.parametrize("pair", MOVING, ids="-".join)
def test_gaps_change_as_the_point_moves_along_the_normal(pair, rng):
    """Where nothing switches: ġap = n · (v + ω × p). Derivatives are finite wherever shapes are."""
    for way in ("any", "aligned"):
        Xa, Xb = poses(rng, 500, way), poses(rng, 500, way)
        if way == "aligned":
            Xa[:100] = Xb[:100]
        found = derivative(*pair)(Xa, Xb, np.zeros(6))
        assert np.isfinite(found).all() and np.abs(found[:, -1]).max() < 100.0
    Xa, Xb = poses(rng, 500), poses(rng, 500)
    _, p, n = (x[:, -1] for x in kernel(*pair)(Xa, Xb))
    expected = np.concatenate([np.cross(p, n), n], axis=-1)
    wrong = np.abs(derivative(*pair)(Xa, Xb, np.zeros(6))[:, -1] - expected).max(axis=-1) > 1e-9
    assert np.count_nonzero(wrong) <= 1


@pytest.mark.parametrize("kind", ROUND)
def test_exchanging_shapes_turns_the_normal(kind, rng):
    for Xa, Xb in zip(poses(rng, 20), poses(rng, 20), strict=True):
        a, b = placed(kind, Xa), placed("box", Xb, OTHER_SIZES)
        one, other = nearest(a, b), nearest(b, a)
        for x, y in zip(one, (other.gap, other.point, -other.normal), strict=True):
            np.testing.assert_allclose(x, y, atol=1e-12)
        assert len(touches(a, b)) == len(touches(b, a)) == slots(kind, "box") == slots("box", kind)


def test_the_table_says_what_can_touch():
    assert {pair for pair in SLOTS if set(pair) <= {"plane", "heights"}} == set()
    assert all(can_touch(*pair) and can_touch(*pair[::-1]) for pair in (*PAIRS, *ON_GROUND))


def test_numbers_that_are_constant_cost_nothing(rng):
    """Operations per pair: a floor at z = 0, whose frame is the identity, and shapes that move freely."""
    assert axes_of(np.array([0.0, 0.0, 1.0])).tolist() == np.eye(3).tolist()
    frames = [axes_of(n) for n in so3.from_quaternion(np.array([0.1, 0.7, 0.7, 0.1]) / 1.0)]
    for E in (*frames, axes_of(np.array([0.0, 0.0, -1.0]))):
        np.testing.assert_allclose(E @ E.T, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(np.linalg.det(E), 1.0, atol=1e-12)
    most = {"sphere": 4, "capsule": 17, "box": 38, "cylinder": 80, "ellipsoid": 36}
    assert all(kernel(kind, "plane", fixed=True).count().flops <= n for kind, n in most.items())


@pytest.mark.parametrize("kind", LOWEST)
def test_lowest_points_are_as_low_as_the_support(kind, rng):
    """n · x of all points x of a shape is at least its support function; shapes of several slots lie on them."""
    Xa, Xb = poses(rng, 2000), poses(rng, 2000)
    gaps, points, normals = kernel(kind, "plane")(Xa, Xb)
    up = Xb[:, :3, 2]
    np.testing.assert_allclose(normals, np.broadcast_to(up[:, None], normals.shape), atol=1e-15)
    x, size = np.einsum("nij,ni->nj", Xa[:, :3, :3], up), SIZES[kind]
    below = {
        "sphere": lambda: size[0] * np.ones(2000),
        "capsule": lambda: size[0] + 0.5 * size[1] * np.abs(x[:, 2]),
        "box": lambda: 0.5 * np.abs(x) @ size,
        "cylinder": lambda: 0.5 * size[1] * np.abs(x[:, 2]) + size[0] * np.hypot(x[:, 0], x[:, 1]),
        "ellipsoid": lambda: np.linalg.norm(size * x, axis=1),
        "points": lambda: -(x @ size.T).min(axis=1),
    }[kind]()
    expected = dot(up, Xa[:, :3, 3] - Xb[:, :3, 3]) - below
    np.testing.assert_allclose(gaps[:, -1], expected, atol=1e-12)
    np.testing.assert_allclose(gaps[:, :-1].min(axis=1), expected, atol=1e-12)
    on = dot(points[:, -1] - Xb[:, :3, 3], up)
    np.testing.assert_allclose(on, 0.5 * gaps[:, -1], atol=1e-12)


@pytest.mark.parametrize("kind", LOWEST)
def test_slots_of_what_stands_span_its_foot_and_do_not_turn(kind, rng):
    """While it turns about the vertical, or tilts by 1e-9, each slot stays at its place of the body."""
    at_rest = np.linalg.norm(SIZES[kind], axis=-1).max()
    places = []
    for _ in range(20):
        w = np.array([*(1e-9 * rng.normal(size=2)), rng.uniform(-3.0, 3.0)])
        X = np.eye(4)
        X[:3, :3], X[2, 3] = so3.exp(w), at_rest
        gaps, points, _ = arrays_of(on_plane(placed(kind, X), placed("plane", np.eye(4))))
        near = gaps < gaps.min() + 1e-6
        places.append(np.where(near[:, None], (points - X[:3, 3]) @ X[:3, :3], 0.0)[:, :2])
    if kind not in ("sphere", "ellipsoid", "capsule"):
        np.testing.assert_allclose(places, np.broadcast_to(places[0], np.shape(places)), atol=1e-6)
        foot = places[0][np.any(places[0] != 0.0, axis=1)]
        assert len(foot) >= 3 and np.all(np.sort(np.diff(np.sort(np.arctan2(*foot.T)))) < 0.99 * np.pi)


CROSSED = (np.array([0.4, 0.05, 0.05]), np.array([0.05, 0.4, 0.05]))
SMALL, LARGE = np.array([0.1, 0.1, 0.05]), np.array([0.4, 0.4, 0.05])


ON_ANOTHER = [(*CROSSED, 0.025), (SMALL, LARGE, 0.05), (LARGE, SMALL, 0.05), (SMALL, SMALL, 0.05)]


@pytest.mark.parametrize(("upper", "lower", "corner"), ON_ANOTHER)
def test_a_box_lies_on_the_corners_of_what_faces_have_in_common(upper, lower, corner, rng):
    """In one order, whatever tilts it has at rest, and whichever of both faces is the lower one by that."""
    for _ in range(20):
        X = np.eye(4)
        X[:3, :3], X[2, 3] = so3.exp(1e-11 * rng.normal(size=3)), 0.05 + 1e-9 * rng.normal()
        gaps, points, normals = arrays_of(touches(Placed("box", upper, X), Placed("box", lower, np.eye(4))))
        assert np.abs(gaps[:4]).max() < 1e-8 and gaps[4] > 0.1
        np.testing.assert_allclose(points[:4, :2], corner * np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]]), atol=1e-8)
        np.testing.assert_allclose(normals[:4], np.tile([0.0, 0.0, 1.0], (4, 1)), atol=1e-9)


def test_boxes_that_overlap_in_part_share_corners_of_both(rng):
    """Yawed and shifted: four slots are in both faces, and span most of what they have in common."""
    for _ in range(50):
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = so3.exp(np.array([0.0, 0.0, rng.uniform(-3, 3)])), [*rng.uniform(-0.1, 0.1, 2), 0.025]
        gaps, points, _ = arrays_of(touches(Placed("box", LARGE / 2, X), Placed("box", LARGE / 2, np.eye(4))))
        on = points[:4][gaps[:4] < 1e-9]
        for x in (on, (on - X[:3, 3]) @ X[:3, :3]):
            assert np.all(np.abs(x[:, :2]) < 0.1 + 1e-9)
        inside = rng.uniform(-0.1, 0.1, size=(4000, 2))
        own = (inside - X[:2, 3]) @ X[:2, :2]
        common = 0.04 * np.mean(np.all(np.abs(own) < 0.1, axis=1))
        x, y = (on - on.mean(axis=0))[:, :2].T
        x, y = x[np.argsort(np.arctan2(y, x))], y[np.argsort(np.arctan2(y, x))]
        area = 0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1))
        assert area > 0.6 * common


@pytest.mark.parametrize("kind", LOWEST)
def test_a_field_of_heights_on_a_slope_is_a_plane(kind, rng):
    """Heights that are linear in x and y; and around the grid, the border's."""
    slope = np.array([0.3, -0.2])
    x, y = (np.linspace(-0.5, 0.5, n) * length for n, length in zip((5, 4), LENGTHS, strict=True))
    heights = slope[0] * x[:, None] + slope[1] * y
    normal = np.array([*-slope, 1.0]) / np.linalg.norm([*slope, 1.0])
    field, tilted = poses(rng, 1)[0], np.eye(4)
    tilted[:3, :3] = axes_of(normal).T
    for local in poses(rng, 30):
        local[:3, 3] *= 0.2
        a = placed(kind, field @ local)
        on_field = on_heights(a, Placed("heights", heights, field, LENGTHS))
        for p, q in zip(on_field, on_plane(a, placed("plane", field @ tilted)), strict=True):
            for one, other in zip(p, q, strict=True):
                np.testing.assert_allclose(one, other, atol=1e-12)
    ball, far = np.eye(4), np.array([3.0, 0.1, 0.7])
    ball[:3, 3] = far
    (touch,) = touches(
        placed("sphere", ball), Placed("heights", np.array([[0.0, 0.0], [0.5, 0.5]]), np.eye(4), LENGTHS)
    )
    np.testing.assert_allclose([touch.gap, *touch.normal], [0.1, 0.0, 0.0, 1.0], atol=1e-15)


@pytest.mark.parametrize(
    "pair", [("capsule", "capsule"), ("capsule", "box"), ("box", "box"), ("points", "plane")], ids="-".join
)
def test_single_precision_has_the_same_touches(pair, rng):
    Xa, Xb = poses(rng, 500), poses(rng, 500)
    double, single = (kernel(*pair, dtype)(Xa.astype(dtype), Xb.astype(dtype)) for dtype in ("float64", "float32"))
    assert single[0].dtype == np.float32
    np.testing.assert_allclose(single[0][:, -1], double[0][:, -1], atol=2e-5)


@pytest.mark.parametrize("pair", [*PAIRS, *ON_GROUND], ids="-".join)
def test_numbers_of_mpmath_have_the_same_touches(pair, rng):
    """Sizes, too, may be numbers of any kind."""
    numbers = np.vectorize(mpmath.mpf, otypes=[object])
    a, b = placed(pair[0], poses(rng, 1)[0]), placed(pair[1], poses(rng, 1)[0], OTHER_SIZES)
    exact = [x._replace(size=numbers(x.size) if x.size.size else x.size, X=numbers(x.X)) for x in (a, b)]
    for one, other in zip(arrays_of(touches(a, b)), arrays_of(touches(*exact)), strict=True):
        np.testing.assert_allclose(one, other.astype(float), atol=1e-12)


def test_sizes_may_be_inputs_of_a_kernel(rng):
    a, b = placed("box", poses(rng, 1)[0]), placed("box", poses(rng, 1)[0], OTHER_SIZES)

    def gaps(model, of_a, of_b):
        return stack([touch.gap for touch in touches(a._replace(size=of_a), b._replace(size=of_b))])

    robot, shapes = kt.load("planar2r"), {"of_a": (3,), "of_b": (3,)}
    found = kt.compile(gaps, robot, shapes=shapes)(a.size, b.size)
    np.testing.assert_allclose(found, arrays_of(touches(a, b))[0], atol=1e-12)
    steps = a.size + 1e-6 * np.array([1.0, -1.0])[:, None, None] * np.eye(3)
    differences = np.diff(kt.compile(gaps, robot, shapes=shapes)(steps[::-1], b.size), axis=0)[0].T / 2e-6
    derivatives = kt.compile(kt.jacobian(gaps, "of_a"), robot, shapes=shapes)(a.size, b.size)
    np.testing.assert_allclose(derivatives, differences, atol=1e-7)

"""Where robots are at home: bundled ones without touching themselves or the floor, others within their limits."""

from itertools import combinations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.lie import se3
from kinetrace.model import zoo
from kinetrace.model.configurations import STOP_CLEARANCE
from kinetrace.view.facets import of_shape
from kinetrace.view.shapes import Shape, map_shapes
from kinetrace.view.skeleton import body_poses

STANDING = ("humanoid", "quadruped")
TOUCH = 1e-6
"""Depth [m] beyond which shapes overlap."""


def depth(shape: Shape, X: np.ndarray, points: np.ndarray) -> float:
    """How far the deepest of the points is inside a shape."""
    Y = se3.inverse(X)
    x = np.abs(points @ Y[:3, :3].T + Y[:3, 3])
    round_ = np.linalg.norm(x if shape.kind == "sphere" else x[:, :2], axis=1)
    inside = {
        "box": lambda a, b, c: np.min(np.array([a, b, c]) / 2 - x, axis=1),
        "sphere": lambda r: r - round_,
        "cylinder": lambda r, length: np.minimum(r - round_, length / 2 - x[:, 2]),
    }
    return float(inside[shape.kind](*shape.size).max())


def placed(model, q):
    """Shapes, as the viewer draws them, with their poses and points in the world."""
    poses = body_poses(model, q)
    found = [(x, poses[x.body] @ x.pose) for x in map_shapes(model, lambda x: x)]
    return [(x, X, of_shape(x.kind, x.size).reshape(-1, 3) @ X[:3, :3].T + X[:3, 3]) for x, X in found]


def overlapping(model, q) -> set[tuple[int, int]]:
    """Pairs of bodies whose shapes overlap."""
    found = set()
    for (a, X, p), (b, Y, r) in combinations(placed(model, q), 2):
        if a.body != b.body and max(depth(a, X, r), depth(b, Y, p)) > TOUCH:
            found.add((min(a.body, b.body), max(a.body, b.body)))
    return found


def joined(model, most: int = 2) -> set[tuple[int, int]]:
    """Pairs of bodies with no more than so many joints and closures between them: a wrist is one housing.

    Joints whose centres coincide, as those of a hip, count as one.
    """
    steps = [(b.parent, b.index, float(np.any(b.X_pj[:3, 3]) or b.parent == -1)) for b in model.bodies]
    steps += [(c.a.body, c.b.body, 1.0) for c in model.closures]
    n = len(model.bodies) + 1
    D = np.full((n, n), np.inf)
    D[np.diag_indices(n)] = 0.0
    for a, b, length in steps:
        D[a, b] = D[b, a] = min(D[a, b], length)
    for k in range(n):
        D = np.minimum(D, D[:, k : k + 1] + D[k])
    return {(a, b) for a in range(-1, n - 1) for b in range(a + 1, n - 1) if D[a, b] <= most}


@pytest.mark.parametrize("name", zoo.names())
def test_bundled_robots_touch_nothing_at_home(name):
    """Not themselves, but for bodies that are joined; nor the floor that their base, or their feet, stand on."""
    robot = kt.load(name, base="free" if name in STANDING else "fixed", backend="numpy")
    model, q = robot.model, robot.home()
    robot.check(q)
    assert overlapping(model, q) <= joined(model)
    shapes = placed(model, q)
    lowest = {i: min(p[:, 2].min() for x, _, p in shapes if x.body == i) for i in {x.body for x, *_ in shapes}}
    if name in STANDING:  # on all feet, whose facets are that near, and on nothing else
        feet = {frame.body for frame in model.frames.values() if frame.name.endswith(("_foot", "_sole"))}
        assert len(feet) == (4 if name == "quadruped" else 2)
        assert all(abs(lowest[i]) < 1e-5 if i in feet else lowest[i] > 0.01 for i in lowest)
    elif name not in ("delta", "free_two_arms", "bicycle"):  # which hangs, floats, or stands on its wheels
        floor = lowest.pop(-1)
        assert all(z > floor for z in lowest.values())
        assert floor > -0.1 or name == "puma560"  # whose pedestal is below its frame


@pytest.mark.parametrize("name", zoo.names())
def test_bundled_robots_are_far_from_their_stops_at_home(name):
    robot = kt.load(name, backend="numpy")
    q, (lower, upper) = robot.home(), (robot.limits.lower, robot.limits.upper)
    some = np.isfinite(lower) & np.isfinite(upper)
    room = np.minimum(q - lower, upper - q)[some]
    assert np.all(room >= 0.1 * (upper - lower)[some])


def test_the_panda_is_at_home_in_its_makers_ready_pose():
    pi = np.pi
    np.testing.assert_array_equal(kt.load("panda").home(), [0, -pi / 4, 0, -3 * pi / 4, 0, pi / 2, pi / 4])
    hand = kt.load("panda").pose(kt.load("panda").home(), "panda_hand")
    np.testing.assert_allclose(hand[:3, 2], [0, 0, -1], atol=1e-12)  # it points down


def test_a_file_without_a_home_begins_away_from_stops_that_zero_is_barely_inside_of():
    """As the Panda's own file, in which the hand at zero is 0.0175 rad from where it is folded into the forearm."""
    bare = kt.load(zoo.path("panda"), backend="numpy")
    lower, upper = bare.limits.lower, bare.limits.upper
    assert bare.model.start is None and 0.0 < -lower[5] < STOP_CLEARANCE * (upper - lower)[5]
    assert bare.home()[5] == (lower[5] + upper[5]) / 2
    assert overlapping(bare.model, bare.home()) <= joined(bare.model)
    for low, high, wanted in ((0.0, 2.0, 0.0), (-0.03, 2.0, 0.0), (-0.01, 2.0, 0.995), (-0.01, np.inf, 0.0)):
        b = kt.Builder("knee")
        b.link("shank", inertia=np.eye(6))
        b.joint("knee", kt.joints.Revolute(), parent="thigh", child="shank", limits=kt.Limits(low, high, 1.0, 1.0))
        assert kt.Robot(b.build(), backend="numpy").home() == [wanted]

"""Joints that can move without moving any mass are found when a model is built, and named."""

import tracemalloc

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.analysis.verify import lacks, random_states
from kinetrace.lie import inertia, se3, so3
from kinetrace.model import joints as J
from kinetrace.model import parameters
from kinetrace.model.build.massless import massless_motions
from kinetrace.model.zoo.random import RANDOM_JOINTS, random_inertia, random_pose

X, Y, Z = np.eye(3)
BODY = inertia.from_mass_com(2.0, np.array([0.1, 0.2, 0.3]), np.diag([0.02, 0.03, 0.04]))
POINT = inertia.from_mass_com(2.0, 0.5 * Z, np.zeros((3, 3)))
ROD = inertia.from_mass_com(2.0, 0.5 * Z, np.diag([0.1, 0.1, 0.0]))
TILT = se3.pose(so3.from_rpy(np.array([0.3, 0.7, -0.2])), np.zeros(3))
ALMOST = se3.pose(so3.from_rpy(np.array([1.5707963268, 0.0, 0.0])), np.zeros(3))
HINGE, SLIDE, FREE = J.Revolute(Z), J.Prismatic(Z), J.Free()
AWAY, ABOVE = se3.pose(np.eye(3), np.array([0.3, 0.4, 0.0])), se3.pose(np.eye(3), Z)


def tree(*bodies, **mimics):
    """Joints j0, j1, … and links l0, l1, … of (joint, placement, inertia, parent: else the link before)."""
    builder = kt.Builder("tree")
    for i, (joint, placement, J_i, *parent) in enumerate(bodies):
        builder.link(f"l{i}", J_i)
        on = parent[0] if parent else f"l{i - 1}" if i else "base"
        builder.joint(f"j{i}", joint, parent=on, child=f"l{i}", placement=placement, mimic=mimics.get(f"j{i}"))
    return builder


class Slide(J.Joint):
    """The second of its two variables moves nothing."""

    nq = nv = 2

    def placement(self, q):
        return se3.pose(np.eye(3), X * q[0])


CASES = {
    "a joint of one's own with an idle variable": (
        *("fixed", tree((HINGE, None, BODY), (Slide(), AWAY, BODY), (HINGE, AWAY, BODY))),
        r"'j1' moves no mass with v = \(0, 1\): Slide.placement\(q\) does not move link 'l1' then",
    ),
    "point mass on the axis": (
        *("fixed", tree((HINGE, None, POINT))),
        "'j0' moves no mass: link 'l0' and all beyond it have no inertia about its axis",
    ),
    "rod on a tilted axis": (
        *("fixed", tree((SLIDE, None, BODY), (J.Revolute(TILT[:3, 2]), AWAY, inertia.change_frame(TILT, ROD)))),
        "'j1' moves no mass: link 'l1' and all beyond it have no inertia about its axis",
    ),
    "point mass on the axis, to 11 digits": (
        *("fixed", tree((HINGE, None, None), (J.Fixed(), ALMOST, inertia.from_mass_com(2.0, Y, np.zeros((3, 3)))))),
        "'j0' moves no mass: link 'l0' and all beyond it have no inertia about its axis",
    ),
    "two hinges on one line": (
        *("fixed", tree((HINGE, None, None), (HINGE, ABOVE, BODY))),
        "'j0' moves no mass: 'j1' can undo what it does to every link that has inertia",
    ),
    "massless root of a free base": (
        *("free", tree((HINGE, None, BODY))),
        r"'floating_base' moves no mass with v = \(0, 0, 1, 0, 0, 0\): 'j0' can undo",
    ),
    "slide on a massless free link": (
        *("fixed", tree((FREE, None, None), (SLIDE, None, BODY))),
        r"'j0' moves no mass with v = \(0, 0, 0, 0, 0, 1\): 'j1' can undo",
    ),
    "floating joint under a free base": (
        *("free", tree((FREE, None, BODY))),
        "'floating_base' moves no mass: 'j0' can undo",
    ),
    "free point mass": (
        "fixed",
        tree((FREE, None, POINT)),
        "'j0' moves no mass in 3 of 6 directions: link 'l0' .* there",
    ),
    "a pair on two axes": (
        *("fixed", tree((HINGE, None, POINT), (HINGE, AWAY, POINT, "base"), j1=("j0", -1.0, 0.0))),
        "'j0' moves no mass: neither the links beyond it nor those beyond its mimics",
    ),
    "a mimic that undoes": (
        *("fixed", tree((SLIDE, None, None), (HINGE, None, None), (HINGE, None, BODY), j2=("j1", -1.0, 0.0))),
        "'j1' moves no mass",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_joint_is_named_and_its_accelerations_are_no_numbers(case):
    base, builder, message = CASES[case]
    with pytest.warns(kt.PhysicsWarning, match=message) as caught:
        model = builder.build(base)
    assert len(caught) == 1
    with pytest.raises(kt.ModelError, match=message):
        builder.build(base, check="error")
    with pytest.raises(kt.ModelError, match=message):
        model.with_parameters(inertial=parameters.get(model, "inertial"), check="error")
    robot = kt.Robot(builder.build(base, check="ignore"), backend="numpy")
    zero = np.zeros(robot.nv)
    for method in (None, "FD1", "FD3", "FD4", "solve"):
        assert np.isnan(robot.forward_dynamics(robot.neutral(), zero, zero, method=method)).all(), method


def test_of_many_joints_the_first_are_named():
    """In warnings and in `verify` alike."""
    builder = tree(*((HINGE, None, POINT, "base") for _ in range(9)))
    with pytest.warns(kt.PhysicsWarning) as caught:
        model = builder.build()
    texts = [str(warning.message) for warning in caught]
    assert [f"joint 'j{i}'" in text for i, text in enumerate(texts)] == [True] * 5 + [False]
    assert texts[-1] == "4 more joints move no mass, so the mass matrix is singular"
    reason = lacks(random_states(kt.Robot(model), 1, 0))["inverse"]
    assert "'j4'" in reason and "'j5'" not in reason and reason.endswith("; 4 more joints move no mass")


def random_massless(seed, scale=1.0):
    """A tree of all joints, whose links are bodies, rods and points on their joints' axes, or have no mass."""
    rng = np.random.default_rng(seed)
    D = np.diag([scale, scale, scale, 1, 1, 1])
    bodies = []
    for i in range(rng.integers(2, 7)):
        joint = HINGE if rng.random() < 0.5 else RANDOM_JOINTS[rng.integers(len(RANDOM_JOINTS))](rng)
        placement = random_pose(rng) if rng.random() < 0.6 else np.eye(4)
        placement[:3, 3] *= scale
        J_i = [None, POINT, ROD, random_inertia(rng)][rng.integers(4)]
        parent = f"l{rng.integers(max(0, i - 2), i)}" if i else "base"
        bodies.append((joint, placement, None if J_i is None else D @ J_i @ D, parent))
    single = [i for i, (joint, *_) in enumerate(bodies) if joint.nq == 1]
    mimics = {f"j{single[1]}": (f"j{single[0]}", -0.5, 0.2)} if len(single) > 1 and rng.random() < 0.4 else {}
    return tree(*bodies, **mimics).build("free" if rng.random() < 0.3 else "fixed", check="ignore")


def is_singular(model, seed):
    """Whether the mass matrix of 50 digits, scaled to a unit diagonal, has an eigenvalue that is as good as zero.

    Axes and placements are unit vectors and rotations to 16 digits only, so what should be zero may be 1e-16.
    """
    with mpmath.workdps(50):
        q = np.array([mpmath.mpf(x) for x in model.random(np.random.default_rng(seed))], dtype=object)
        M = alg.mass_matrix(model, model.normalise(q), method="jacobians")
        d = [mpmath.sqrt(x) if x > 0 else mpmath.mpf(1) for x in np.diag(M)]
        unit = mpmath.matrix((M / np.outer(d, d)).tolist())
        return bool(min(mpmath.eigsy(unit, eigvals_only=True)) < 1e-14)


@pytest.mark.parametrize("seed", [5, 6, 9, 10, 19, 23, 2, 3, 7, 8, 16, 21])  # six regular, six singular
def test_found_if_and_only_if_the_mass_matrix_is_singular(seed):
    model = random_massless(seed)
    assert bool(model.massless) == is_singular(model, seed)
    tiny = random_massless(seed, scale=1e-6)  # the same in micrometres
    assert [(each.joint, len(each.directions)) for each in tiny.massless] == [
        (each.joint, len(each.directions)) for each in model.massless
    ]


def test_little_is_not_nothing():
    """1e-9 kg m² about the axis of a 10 kg rod, a metre away; a rotor of 1e-9 kg m² before 10 kg m².

    Nor does it matter how far away the centre of mass is along the axis, and how large the other moments are.
    """
    rod = inertia.from_mass_com(10.0, Z, np.diag([1.0, 1.0, 1e-9]))
    rotor = inertia.from_mass_com(1e-4, np.zeros(3), 1e-9 * np.eye(3))
    away = inertia.from_mass_com(1.0, 5000 * Z, 1e-6 * np.eye(3))
    needle = inertia.from_mass_com(1.0, 0.5 * Z, np.diag([1 / 12, 1 / 12, 2e-14]))
    for body in (rod, away, needle):
        tree((HINGE, None, body)).build(check="error")
    tree((HINGE, None, rotor), (HINGE, None, 10 * BODY)).build(check="error")


def test_what_changes_of_the_frame_leave_is_nothing():
    """A rod on the axis whose inertia went to other frames and back has some 1e-16 about it."""
    rng, left = np.random.default_rng(0), []
    for _ in range(30):
        poses, rod = [random_pose(rng) for _ in range(3)], ROD
        for pose in poses + [se3.inverse(pose) for pose in reversed(poses)]:
            rod = inertia.change_frame(pose, rod)
        left.append(rod[2, 2])
        assert tree((HINGE, None, rod)).build(check="ignore").massless
    assert max(left) > 1e-16


@pytest.mark.parametrize("on", ["base", "hub"])
def test_thousands_of_massless_links_take_little_memory(on):
    """Of many rows as few are kept as there are columns, and so many singular vectors are found."""
    leaves = 400
    hub, parent = ([(HINGE, None, None, "base")], "l0") if on == "hub" else ([], "base")
    model = tree(*hub, *[(HINGE, None, None, parent)] * leaves).build(check="ignore")
    tracemalloc.start()
    found = massless_motions(model)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == (1 if on == "hub" else leaves) and peak < 20e6  # it was 126 MB, and grows with the square

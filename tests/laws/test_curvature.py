"""Curvature and geodesics of the inertia metric: definitions, symmetries, closed forms."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import sympy as sp

import kinetrace as kt
from kinetrace.algorithms import christoffel, mass_matrix, ricci, riemann, scalar_curvature, sectional_curvature
from kinetrace.lie import inertia, se3
from kinetrace.model import joints as j
from kinetrace.model import load_model, random_chain, random_tree
from kinetrace.model.zoo.random import random_inertia, random_pose

X, Y, Z = np.eye(3)


def brackets(model):
    """[i, j] is [E_i, E_j] (nv,)."""
    eye = np.eye(model.nv)
    return np.array([[model.bracket(a, b) for b in eye] for a in eye]).reshape(model.nv, model.nv, model.nv)


def steps(function, model, q, h):
    """Derivatives along q ⊕ ε by complex steps, the direction last."""
    moved = (model.integrate(q, 1j * h * e) for e in np.eye(model.nv))
    return np.stack([function(model, x).imag / h for x in moved], axis=-1)


CURVED = {
    "tree": lambda: random_tree(5, 0).build(),
    "tree, mimic, free": lambda: random_tree(8, 5).build("free"),
    "panda": lambda: load_model("panda"),
}


@pytest.fixture(params=CURVED)
def curved(request):
    return CURVED[request.param]()


def by_definition(model, q, h):
    """<∇_k ∇_l E_j − ∇_l ∇_k E_j − ∇_[k, l] E_j, E_i>, with derivatives of Γ by complex step."""
    d, Gamma, raised = steps(christoffel, model, q, h), christoffel(model, q), christoffel(model, q, kind=2)
    R = np.einsum("ljik->ijkl", d) - np.einsum("kir,ljr->ijkl", Gamma, raised)
    return R - R.swapaxes(2, 3) - np.einsum("klr,rji->ijkl", brackets(model), Gamma)


def test_curvature_is_its_definition_and_has_its_symmetries(curved, rng, mechanics):
    """Gauss's equation and derivatives of the connection give the same; 1e-10 for the condition of M."""
    q = curved.random(rng)
    R = riemann(curved, q)
    mechanics.assert_near(R, by_definition(curved, q, mechanics.step), tol=1e-10)
    mechanics.assert_near(R, -R.transpose(1, 0, 2, 3))
    mechanics.assert_near(R, -R.transpose(0, 1, 3, 2))
    mechanics.assert_near(R, R.transpose(2, 3, 0, 1))
    mechanics.assert_near(R + R.transpose(0, 2, 3, 1), -R.transpose(0, 3, 1, 2))


def test_contractions_and_planes_are_those_of_the_tensor(curved, rng, mechanics):
    q, (u, w) = curved.random(rng), rng.normal(size=(2, curved.nv))
    R, M = riemann(curved, q), mass_matrix(curved, q)
    inverse = np.linalg.inv(M)
    Ric = np.einsum("ik,ijkl->jl", inverse, R)
    mechanics.assert_near(ricci(curved, q), Ric, tol=1e-10)
    mechanics.assert_near(Ric, Ric.T, tol=1e-10)
    mechanics.assert_near(scalar_curvature(curved, q), (inverse * Ric).sum(), tol=1e-9)
    area = (u @ M @ u) * (w @ M @ w) - (u @ M @ w) ** 2
    K = np.einsum("ijkl,i,j,k,l", R, u, w, u, w) / area
    assert math.isclose(sectional_curvature(curved, q, u, w), K, rel_tol=1e-8)  # the tensor cancels, the plane does not
    assert math.isclose(sectional_curvature(curved, q, u - 3 * w, 2 * w + u), K, rel_tol=1e-8)


def test_batches_are_the_single_states(rng, mechanics):
    """On joints of one, two and three degrees of freedom, and one that mimics another."""
    kinds = [j.Revolute(Z), j.Universal(X, Y), j.Spherical(), j.Revolute(Y)]
    builder = kt.Builder("mixed")
    builder.link("link0")
    for i, joint in enumerate(kinds, start=1):
        builder.link(f"link{i}", random_inertia(rng))
        mimic = {"mimic": ("joint1", 0.5, 0.1)} if i == 4 else {}
        builder.joint(f"joint{i}", joint, parent=f"link{i - 1}", child=f"link{i}", placement=random_pose(rng), **mimic)
    model = builder.build()
    robot = kt.Robot(model, threads=1)
    q = model.random(rng, (2, 1))
    mechanics.assert_near(riemann(model, q[0, 0]), by_definition(model, q[0, 0], mechanics.step), tol=1e-10)
    for name in ("riemann", "ricci", "scalar_curvature"):
        expected = [getattr(kt.algorithms, name)(model, x) for x in q[:, 0]]
        found = getattr(robot, name)(q)
        assert found.shape == (2, 1, *np.shape(expected)[1:])
        mechanics.assert_near(found[:, 0], expected, tol=1e-9)


def test_ways_to_run(rng, mechanics):
    """Compiled, and in 50 digits: the same numbers as with floats."""
    model = random_chain(2, 5, [j.Spherical(), j.Helical([0, 0.6, 0.8], 0.2)]).build()
    q, (u, w) = model.random(rng), rng.normal(size=(2, model.nv))
    exact = np.vectorize(mpmath.mpf, otypes=[object])
    for function, arrays in (
        (riemann, (q,)),
        (ricci, (q,)),
        (scalar_curvature, (q,)),
        (sectional_curvature, (q, u, w)),
    ):
        expected = function(model, *arrays)
        mechanics.assert_near(kt.compile(function, model)(*arrays), expected, tol=1e-11)
        with mpmath.workdps(50):
            mechanics.assert_near(np.asarray(function(model, *map(exact, arrays))).astype(float), expected, tol=1e-11)


def test_a_robot_without_joints_is_flat():
    builder = kt.Builder("stone")
    builder.link("stone", np.eye(6))
    robot, q = kt.Robot(builder.build()), np.zeros(0)
    assert robot.is_flat()
    assert robot.riemann(q).shape == (0, 0, 0, 0)
    assert robot.ricci(q).shape == (0, 0)
    assert robot.scalar_curvature(q) == scalar_curvature(robot.model, q) == 0
    assert robot.christoffel(q).shape == robot.christoffel(q, kind=2).shape == (0, 0, 0)


def test_a_humanoid_has_a_curvature_tensor(mechanics):
    model = load_model("humanoid", base="free")
    rng = np.random.default_rng(0)
    q, (u, w) = model.random(rng), rng.normal(size=(2, model.nv))
    K = np.einsum("ijkl,i,j,k,l", riemann(model, q), u, w, u, w, optimize=True)
    M = mass_matrix(model, q)
    area = (u @ M @ u) * (w @ M @ w) - (u @ M @ w) ** 2
    assert math.isclose(sectional_curvature(model, q, u, w), K / area, rel_tol=1e-9)


def point(mass, *at):
    """A point mass, barely a body: it turns, but with no inertia about itself."""
    return inertia.from_mass_com(mass, np.array(at, dtype=float), np.zeros((3, 3)))


def arm(*links, name="arm"):
    """A chain of (joint, inertia of its link, placement)."""
    builder = kt.Builder(name)
    builder.link("link0")
    for i, (joint, J, shift) in enumerate(links, start=1):
        builder.link(f"link{i}", J)
        place = se3.pose(np.eye(3), np.array(shift, dtype=float))
        builder.joint(f"joint{i}", joint, parent=f"link{i - 1}", child=f"link{i}", placement=place)
    return kt.Robot(builder.build())


NONE = np.zeros((6, 6))
BODY = inertia.from_mass_com(2.0, np.array([0.3, -0.1, 0.2]), np.diag([0.2, 0.3, 0.4]))
FLAT = {
    "one joint": lambda: arm((j.Revolute(Z), BODY, (0, 0, 0))),
    "gantry": lambda: arm(*((j.Prismatic(a), BODY, (0, 0, 0)) for a in (X, Y, Z))),
    "gantry with a wrist": lambda: arm(
        (j.Prismatic(X), BODY, (0, 0, 0)), (j.Prismatic(Y), BODY, (0, 0, 0)), (j.Revolute(Z), BODY, (0.1, 0, 0))
    ),
    "polar": lambda: arm((j.Revolute(Z), NONE, (0, 0, 0)), (j.Prismatic(X), point(3.0, 0.7, 0, 0), (0, 0, 0))),
    "elbow": lambda: arm((j.Revolute(Z), NONE, (0, 0, 0)), (j.Revolute(Z), point(3.0, 0.7, 0, 0), (0.5, 0, 0))),
    "spherical coordinates": lambda: arm(
        (j.Revolute(Z), NONE, (0, 0, 0)),
        (j.Revolute(Y), NONE, (0, 0, 0)),
        (j.Prismatic(X), point(2.0, 1, 0, 0), (0, 0, 0)),
    ),
    "planar": lambda: arm((j.Planar(Z), BODY, (0, 0, 0))),
}
"""A gantry's mass matrix is constant. In the others it is not, but a point moves in a space of as many dimensions
(polar, elbow: a plane; spherical coordinates: all of space), or a body in a plane, where the place of its centre of
mass and the angle are coordinates with a constant mass matrix. A wrist on a gantry is the last with more mass."""


@pytest.mark.parametrize("name", FLAT)
def test_flat_robots(name, mechanics):
    robot = FLAT[name]()
    q = robot.random(3, seed=1)
    assert robot.is_flat()
    mechanics.assert_near(robot.riemann(q), np.zeros((3, *[robot.nv] * 4)), tol=1e-13 / 1e-3)
    if name not in ("one joint", "gantry"):
        assert np.abs(robot.mass_matrix_derivative(q)).max() > 0.05


def test_a_link_with_inertia_bends_the_polar_plane():
    """M = diag(I + m r², m): Gaussian curvature −(√(I + m r²))'' / (m √(I + m r²)) = −I / (I + m r²)²."""
    I, m = 0.4, 3.0
    turning = inertia.from_mass_com(1.0, np.zeros(3), I * np.eye(3))
    robot = arm((j.Revolute(Z), turning, (0, 0, 0)), (j.Prismatic(X), point(m, 0, 0, 0), (0, 0, 0)))
    assert not robot.is_flat()
    for r in (0.0, 0.3, 2.0):
        K = robot.sectional_curvature([0.5, r], X[:2], Y[:2])
        assert math.isclose(K, -I / (I + m * r * r) ** 2, rel_tol=1e-12)


SPHERE = {"mass": 3.0, "radius": 0.7}


def pendulum():
    """A point mass on a rod with two perpendicular axes: a sphere of radius r √m."""
    return arm(
        (j.Revolute(Z), NONE, (0, 0, 0)), (j.Revolute(Y), point(SPHERE["mass"], SPHERE["radius"], 0, 0), (0, 0, 0))
    )


def test_a_spherical_pendulum_is_a_sphere(rng):
    robot, K = pendulum(), 1 / (SPHERE["mass"] * SPHERE["radius"] ** 2)
    q = rng.uniform(-1, 1, (5, 2))
    u, w = rng.normal(size=(2, 5, 2))
    np.testing.assert_allclose(robot.sectional_curvature(q, u, w), K, rtol=1e-11)
    np.testing.assert_allclose(robot.scalar_curvature(q), 2 * K, rtol=1e-11)
    np.testing.assert_allclose(robot.ricci(q), K * robot.mass_matrix(q), rtol=0, atol=1e-11)
    assert not robot.is_flat()


@pytest.mark.parametrize("base", ["spherical", "free"])
def test_a_turning_body_has_milnors_curvatures(base, rng):
    """Left-invariant metrics of SO(3): K(e_1, e_2) = λ_3 μ_3 − μ_1 μ_2, λ = I / √(I_1 I_2 I_3), μ_i = Σλ/2 − λ_i."""
    moments = np.array([0.2, 0.3, 0.4])
    body = inertia.from_mass_com(2.0, np.zeros(3), np.diag(moments))
    robot = arm((j.Spherical() if base == "spherical" else j.Free(), body, (0, 0, 0)))
    assert not robot.is_flat()  # though its mass matrix is constant: the velocities are no rates of coordinates
    lam = moments / math.sqrt(moments.prod())
    mu = lam.sum() / 2 - lam
    e, q = np.eye(robot.nv), robot.random(seed=3)
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        K = robot.sectional_curvature(q, e[a], e[b])
        assert math.isclose(K, lam[c] * mu[c] - mu[a] * mu[b], rel_tol=1e-11)
        assert math.isclose(robot.ricci(q)[c, c] / moments[c], 2 * mu[a] * mu[b], rel_tol=1e-11)
    if base == "free":
        assert abs(robot.sectional_curvature(q, e[0], e[4])) < 1e-13


def test_parallel_velocities_span_no_plane(rng):
    robot, u = kt.load("panda", backend="numpy"), rng.normal(size=(6, 7))
    assert np.isnan(robot.sectional_curvature(robot.random(6, seed=1), u, -3.3 * u)).all()
    assert np.isnan(robot.sectional_curvature(robot.neutral(), u[0], 0 * u[0]))


def test_answers_do_not_depend_on_the_precision_of_the_robot():
    """Whether it is flat, and the geodesic between two configurations."""
    assert kt.Robot(FLAT["elbow"]().model, dtype="float32").is_flat()
    ends = [0.0, 0.5], [1.0, 1.5]
    single, double = (kt.load("planar2r", dtype=dtype).geodesic_between(*ends) for dtype in ("float32", "float64"))
    np.testing.assert_array_equal(single.q, double.q)


def test_gaussian_curvature_of_the_planar_arm_with_symbols(rng):
    """Brioschi's formula for M = [[a + 2 b cos q2, d + b cos q2], [·, d]], by SymPy."""
    t, a, b, d = sp.symbols("t a b d")
    E, F, G = a + 2 * b * sp.cos(t), d + b * sp.cos(t), d
    det = E * G - F**2
    upper = sp.Matrix([[-E.diff(t, 2) / 2, 0, -E.diff(t) / 2], [F.diff(t), E, F], [0, F, G]])  # nothing depends on q1
    lower = sp.Matrix([[0, E.diff(t) / 2, 0], [E.diff(t) / 2, E, F], [0, F, G]])
    K = sp.lambdify((t, a, b, d), (upper.det() - lower.det()) / det**2)
    robot = kt.load("planar2r")
    quarter = robot.mass_matrix([0.0, math.pi / 2])
    straight = robot.mass_matrix([0.0, 0.0])
    values = quarter[0, 0], straight[0, 1] - quarter[0, 1], quarter[1, 1]
    q = rng.uniform(-3, 3, (6, 2))
    np.testing.assert_allclose(robot.sectional_curvature(q, X[:2], Y[:2]), K(q[:, 1], *values), rtol=1e-11)


def test_geodesics_of_a_sphere_are_great_circles(rng):
    """A full turn brings all back, whatever gravity does; half of it is as far as two points are apart."""
    robot, r = pendulum(), SPHERE["radius"]
    q, v = rng.uniform(-0.5, 0.5, (4, 2)), rng.uniform(-0.5, 0.5, (4, 2))
    speed = np.sqrt(2 * robot.kinetic_energy(q, v) / SPHERE["mass"]) / r  # rad/s
    for k in range(4):
        turn = 2 * math.pi / speed[k]
        qs, vs = robot.geodesic(q[k], v[k], [0.0, turn / 3, turn])
        np.testing.assert_allclose(qs[0], q[k], atol=1e-15)
        np.testing.assert_allclose([np.sin(qs[2]), vs[2]], [np.sin(q[k]), v[k]], atol=1e-7)
    found = robot.geodesic_between([0.2, -0.3], [1.0, 0.6])
    tips = robot.pose([[0.2, -0.3], [1.0, 0.6]], "link2")[:, :3, 0]
    angle = math.acos(tips[0] @ tips[1])
    assert math.isclose(found.length, angle * r * math.sqrt(SPHERE["mass"]), rel_tol=1e-9)
    np.testing.assert_allclose(found.q[[0, -1]], [[0.2, -0.3], [1.0, 0.6]], atol=1e-8)


def test_geodesics_of_a_flat_arm_are_straight_lines():
    robot = FLAT["elbow"]()
    q, _ = robot.geodesic([0.3, 1.0], [-0.2, 0.4], np.linspace(0, 1.5, 4))
    a, b = q[:, 0], q.sum(axis=-1)
    tip = np.stack([0.5 * np.cos(a) + 0.7 * np.cos(b), 0.5 * np.sin(a) + 0.7 * np.sin(b)], axis=-1)
    np.testing.assert_allclose(np.diff(tip, n=2, axis=0), 0, atol=1e-9)


def test_geodesics_end_at_a_singular_mass_matrix():
    """The straight line leaves the disc that the elbow reaches; and none leads to the other side of the elbow."""
    robot = FLAT["elbow"]()
    q, v = robot.geodesic([0.3, 1.0], [[-0.2, 0.4], [0.4, -0.9]], [0.1, 0.9])
    assert np.isfinite(v).all(axis=-1).tolist() == [[True, True], [True, False]]
    alone, _ = robot.geodesic([0.3, 1.0], [-0.2, 0.4], [0.1, 0.9])
    np.testing.assert_allclose(q[0], alone, atol=1e-9)
    with pytest.raises(kt.InputError, match=r"no geodesic found beyond 0\.\d+ of the way"):
        robot.geodesic_between([0.0, 1.0], [0.0, -1.0])


def test_geodesics_keep_energy_and_momentum_and_can_be_run_back(rng):
    """On a free tree of many joints, quaternions included; a state that is not a number spoils its own row alone."""
    robot = kt.Robot(random_tree(4, 6).build("free", gravity=(1.0, 2.0, 3.0)), threads=1)
    q, v = robot.random((2, 1), seed=2), 0.5 * rng.normal(size=(2, 3, robot.nv))
    v[1, 2, 0] = np.nan
    qs, vs = robot.geodesic(q, v, [0.4, 1.0])
    assert qs.shape == (2, 3, 2, robot.nq)
    assert vs.shape == (2, 3, 2, robot.nv)
    good = np.isfinite(vs).all(axis=(-1, -2))
    assert good.tolist() == [[True, True, True], [True, True, False]]
    before = robot.kinetic_energy(q, v)[good]
    np.testing.assert_allclose(robot.kinetic_energy(qs, vs)[good], before[:, None] * [1, 1], rtol=1e-8)
    start = robot.momentum(q, v)[good]
    np.testing.assert_allclose(robot.momentum(qs, vs)[good][:, 1], start, atol=1e-7)
    back, _ = robot.geodesic(qs[good][:, 1], vs[good][:, 1], [-0.5, -1.0])
    home = np.broadcast_to(q, (2, 3, robot.nq))[good]
    assert np.abs(robot.difference(home, back[:, 1])).max() < 1e-6  # chaos, not the integrator, spreads 1e-10


def test_the_way_between_is_shorter_than_the_straight_one():
    robot = kt.load("panda", joint_effects=False)  # rotors alone would be flat
    q0, q1 = robot.random(2, seed=3)
    found = robot.geodesic_between(q0, q1, samples=11)
    s = np.linspace(0, 1, 401)
    straight = np.sqrt(2 * robot.kinetic_energy(q0 + s[:, None] * (q1 - q0), q1 - q0))
    assert found.length < 0.95 * np.mean(straight)
    assert found.q.shape == (11, 7)
    np.testing.assert_allclose(found.q[-1], q1, atol=1e-7)
    np.testing.assert_allclose(np.sqrt(2 * robot.kinetic_energy(found.q, found.v)), found.length, rtol=1e-8)


GEOMETRIC = {
    **{name: () for name in ("christoffel", "christoffel_derivative", "riemann", "ricci", "scalar_curvature")},
    "sectional_curvature": (np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])),
}


def test_the_geometry_of_a_closed_robot_is_not_that_of_its_tree():
    """A four-bar's configurations are a curve, of curvature 0; the tree's is 23.2. Every way to ask says so by name."""
    robot = kt.load("four_bar")
    q, tree = robot.assemble(), robot.without_closures(robot.closure_names)
    assert abs(tree.scalar_curvature(q)) > 1.0
    for name, further in GEOMETRIC.items():
        function = getattr(kt.algorithms, name)
        ways = (
            lambda name=name, further=further: getattr(robot, name)(q, *further),
            lambda function=function, further=further: function(robot.model, q, *further),
            lambda function=function: kt.compile(function, robot),
            lambda function=function: robot.kernel(kt.jacobian(function)),
            lambda name=name: robot.count(name),
        )
        for ask in ways:
            with pytest.raises(kt.InputError, match=rf"^{name} is for robots without closed loops, .*geodesic"):
                ask()
        assert np.isfinite(getattr(tree, name)(q, *further)).all()
    with pytest.raises(kt.InputError, match=r"^is_flat is for robots without closed loops, not 'four_bar'"):
        robot.is_flat()


@pytest.mark.parametrize("name", ["four_bar", "five_bar"])
def test_geodesics_honour_closed_loops(name):
    """They stay closed, with the energy of the reduced metric; a curve is as long as the integral of its root."""
    robot = kt.load(name)
    q0, t = robot.assemble(), np.linspace(0, 1, 201)
    y = np.linspace(0.5, 0.8, robot.dof)
    q, v = robot.geodesic(q0, robot.velocity_map(q0) @ y, t)
    assert np.abs(robot.closure_residual(q)).max() < 1e-12 and np.abs(robot.closure_velocity(q, v)).max() < 1e-12
    ys = v[:, list(robot.independent)]
    speed = np.sqrt(np.einsum("ti,tij,tj->t", ys, robot.reduced_mass_matrix(q), ys))
    np.testing.assert_allclose(speed, speed[0], rtol=1e-11)
    found = robot.geodesic_between(q0, q[-1], samples=11)
    np.testing.assert_allclose(found.length, speed[0], rtol=1e-7)
    assert np.abs(robot.closure_residual(found.q)).max() < 1e-7
    away, _ = robot.without_closures(robot.closure_names).geodesic(q0, v[0], t)
    assert np.abs(away[-1] - q[-1]).max() > 1e-3


def test_bad_input_is_named():
    robot = kt.load("planar2r")
    x = np.ones(2)
    with pytest.raises(kt.InputError, match=r"unknown kind of Christoffel symbols '3'.*Valid: 1, 2"):
        robot.christoffel(x, kind=3)
    with pytest.raises(kt.InputError, match=r"t must be times \(k,\)"):
        robot.geodesic(x, x, 1.0)
    with pytest.raises(kt.InputError, match="t must be in order"):
        robot.geodesic(x, x, [0.0, 2.0, 1.0])
    with pytest.raises(kt.InputError, match=r"v must have shape \(..., 2\), got \(3,\)"):
        robot.geodesic(x, np.ones(3), [1.0])
    with pytest.raises(kt.InputError, match="q0 and q1 must be one configuration each"):
        robot.geodesic_between([x, x], x)
    with pytest.raises(kt.InputError, match="samples must be a whole number"):
        robot.geodesic_between(x, x, samples=1)
    with pytest.raises(kt.InputError, match="tol must be positive"):
        robot.is_flat(tol=0)
    large = kt.load("humanoid", base="free")
    with pytest.raises(kt.InputError, match=r"2,313,441 terms, too many to trace \(up to 12\).*sectional_curvature"):
        large.count("riemann")
    with pytest.raises(kt.InputError, match=r"too many to trace \(up to 24\).*kt.jvp"):
        large.christoffel_derivative(large.neutral())

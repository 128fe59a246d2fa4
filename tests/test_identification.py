"""Identification from logs: exciting motions, filters, the fit in one call, payloads, pivots, files, the report."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.identify import excitation, excitation_objective
from kinetrace.identify.excitation_objective import clearance_spheres, clearances

RNG = np.random.default_rng


@pytest.fixture(scope="module")
def arm():
    return kt.load("planar2r")


@pytest.fixture(scope="module")
def tree():
    """Joints of several kinds, one with a quaternion."""
    found = kt.random_tree(3, seed=3)
    assert found.nq > found.nv
    return found


@pytest.fixture(scope="module")
def problem(tree):
    """The optimisation of a motion with everything that it may have."""
    caught, ball = [], list(tree.model.frames)[-1]
    limits = {"velocity": 2.0, "acceleration": 9.0, "effort": 1e3}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(excitation, "_best_motion", lambda problem, *_: caught.append(problem))
        kt.identify.exciting_motion(tree, rotor=True, spheres={ball: 0.01}, floor=-9.0, harmonics=3, **limits)
    return caught[0]


def swinging(t, n, seed, speed=1.0):
    """Sums of sines (len(t), n) and their derivatives."""
    rng = RNG(seed)
    w, phase = rng.uniform(1.0, 5.0, (n, 4)), rng.uniform(0, 6, (n, 4))
    angle, size = w * t[:, None, None] + phase, speed / w / 2
    return [(size * x).sum(-1) for x in (np.sin(angle), w * np.cos(angle), -(w**2) * np.sin(angle))]


@pytest.mark.parametrize("criterion", ["determinant", "condition"])
def test_gradients_of_the_optimisation_are_exact(problem, criterion):
    """Along a random direction, beside central differences, whose own error is 1e-6."""
    object.__setattr__(problem, "measure", excitation_objective.CRITERIA[criterion])
    rng = RNG(0)
    x = excitation._random_variables(problem, rng)
    d, h = rng.normal(size=x.shape), 1e-6
    slope = (problem.cost(x + h * d)[0] - problem.cost(x - h * d)[0]) / (2 * h)
    assert np.sum(problem.cost(x)[1] * d) == pytest.approx(slope, rel=1e-5)
    weights = [rng.uniform(size=g.shape) for g in problem.excesses(problem.grid.states(x))]

    def weighted(x):
        return sum(np.sum(w * g) for w, g in zip(weights, problem.excesses(problem.grid.states(x)), strict=True))

    slope = (weighted(x + h * d) - weighted(x - h * d)) / (2 * h)
    assert np.sum(problem.pull(problem.grid.states(x), weights) * d) == pytest.approx(slope, rel=1e-6)


def test_an_exciting_motion_keeps_its_limits_and_beats_random_ones(arm):
    spheres, obstacles = {"tip": 0.1}, [((1.2, 0.0, 0.9), 0.3)]
    limits = {"velocity": [3.0, 4.0], "acceleration": [20.0, 30.0], "effort": [60.0, 25.0]}
    motion = kt.identify.exciting_motion(
        arm, period=3.0, harmonics=3, starts=1, iterations=20, spheres=spheres, obstacles=obstacles, **limits
    )
    assert motion.success and motion.status in ("converged", "iterations") and motion.residual == 0
    t = np.linspace(0, 3, 1234)
    q, v, a = motion(t)
    for x, most in ((v, limits["velocity"]), (a, limits["acceleration"])):
        assert np.all(np.abs(x).max(axis=0) <= most)
    assert np.all(np.abs(arm.inverse_dynamics(q, v, a)).max(axis=0) <= limits["effort"])
    assert np.all((q >= arm.limits.lower) & (q <= arm.limits.upper))
    around = clearance_spheres(arm.model, spheres, None, obstacles)
    assert around == clearance_spheres(arm.model, spheres, None, np.array([[1.2, 0.0, 0.9, 0.3]]))
    assert min(clearances(arm.model, x, around=around).min() for x in q) > 0
    for x in (v, a):
        np.testing.assert_allclose(x[[0, -1]], 0, atol=1e-9)
    step = 1e-5
    np.testing.assert_allclose((motion(t + step)[0] - motion(t - step)[0]) / (2 * step), v, atol=1e-7)
    np.testing.assert_allclose((motion(t + step)[1] - motion(t - step)[1]) / (2 * step), a, atol=1e-6)
    traced = kt.compile(lambda model, t: motion(t), arm, shapes={"t": ()})
    for x, y in zip(traced(t[5]), motion(t[5:6]), strict=True):
        np.testing.assert_allclose(x, y[0], rtol=0, atol=1e-12)
    rows = motion.trajectory(arm, 0.1)
    assert len(rows) == 31 and rows.robot is arm
    assert len(motion.trajectory(arm, 0.13)) == 25  # 23.1 steps: no step is longer than asked for
    best = kt.identify.fit(arm, q, v, a, arm.inverse_dynamics(q, v, a), noise=1.0, physical=False)
    for seed in range(10):
        other = [np.array(limits["velocity"]) / 4 * x for x in swinging(t, 2, seed, speed=1.0)]
        found = kt.identify.fit(arm, *other, arm.inverse_dynamics(*other), noise=1.0, physical=False)
        assert np.linalg.slogdet(best.covariance)[1] < np.linalg.slogdet(found.covariance)[1]


def _limp(body):
    """The second joint without any force."""
    effort = 0.0 * body.limits.effort if body.joint_name == "joint2" else body.limits.effort
    return dataclasses.replace(body, limits=dataclasses.replace(body.limits, effort=effort))


def test_what_cannot_be_excited_is_said(arm, tree):
    held = kt.identify.exciting_motion(arm, effort=0.1, starts=1)
    assert (held.success, held.status) == (False, "limits")
    assert "no configuration at rest" in repr(held)
    limp = kt.Robot(dataclasses.replace(arm.model, bodies=tuple(map(_limp, arm.model.bodies))))
    with pytest.raises(kt.InputError, match=r"joint2 can bear no force: the limit of effort is 0"):
        kt.identify.exciting_motion(limp)
    with pytest.raises(kt.InputError, match="did you mean 'harmonics'"):
        kt.identify.exciting_motion(arm, harmonic=3)
    with pytest.raises(kt.InputError, match=r"velocities of .* have no limits"):
        kt.identify.exciting_motion(tree)
    with pytest.raises(kt.InputError, match=r"without closed loops.* cannot follow independent"):
        kt.identify.exciting_motion(kt.load("four_bar"))
    with pytest.raises(kt.InputError, match="unknown frame 'hand'"):
        kt.identify.exciting_motion(arm, spheres={"hand": 0.1})


def test_velocities_and_accelerations_of_a_log_on_the_manifold(tree):
    """A motion centre ⊕ θ(t) sampled with noise; what is known of it exactly is `along`."""
    from kinetrace.identify.fourier_motion import path_kernel

    t = np.arange(0, 6, 0.005)
    q, v, a = path_kernel(tree.model)(tree.random(seed=0), *swinging(t, tree.nv, 1))
    exact = kt.identify.smooth(tree, (t, q, v), cutoff=np.inf)
    inside = slice(10, -10)
    np.testing.assert_allclose(exact.v[inside], v[2:-2][inside], atol=2e-4)  # commutators of steps: dt² of the motion
    np.testing.assert_allclose(exact.a[inside], a[2:-2][inside], atol=2e-3)
    noisy = tree.integrate(q, 1e-5 * RNG(0).normal(size=v.shape))
    found = kt.identify.smooth(tree, (t, noisy, v))
    kept = np.searchsorted(t, found.t)
    middle = slice(200, -200)
    for x, y, most in ((found.v, v, 1e-3), (found.a, a, 5e-2), (found.tau, v, 1e-3)):
        assert np.abs(x - y[kept])[middle].max() < most  # the noise that differences would have: 0.003 and 1
    assert found.notes == () and 2 < found.cutoff < 12
    clean = kt.identify.smooth(tree, (t, q, v))  # the ends, too
    np.testing.assert_allclose(clean.a, a[np.searchsorted(t, clean.t)], atol=2e-3)
    with pytest.raises(kt.InputError, match="rotor=True: a robot's joint with quaternions has no rotor"):
        kt.identify.identify(tree, (t, q, v), rotor=True)


def test_gaps_uneven_times_and_turns_are_dealt_with_and_noted(arm):
    t = np.arange(0, 12, 0.01)
    q, v, _ = swinging(t, 2, 4)
    jitter = t + 0.003 * RNG(0).uniform(size=len(t))
    late = np.concatenate([jitter[:600], jitter[600:] + 5])
    moved = swinging(jitter, 2, 4)
    wrapped = (moved[0] * 4) % (2 * np.pi) - np.pi
    tau = moved[1].copy()
    tau[77, 0] = np.nan
    found = kt.identify.smooth(arm, (late, wrapped, tau), cutoff=10.0)
    said = " ".join(found.notes)
    assert all(x in said for x in ("1 samples had entries", "1 gaps", "uneven times", "jump by a turn"))
    assert len(found.parts) == 2
    part = found.parts[0]
    np.testing.assert_allclose(found.v[part], 4 * swinging(found.t[part], 2, 4)[1], atol=2e-2)
    for log, message in (
        ((t[::-1], q, v), "times must increase"),
        ((t[:5], q[:5], v[:5]), "the log has 5 samples"),
        ((t, q[:, :1], v), r"log: q must have shape \(n, 2\)"),
        (3, "log must be a Log"),
    ):
        with pytest.raises(kt.InputError, match=message):
            kt.identify.smooth(arm, log)
    with pytest.raises(kt.InputError, match="cutoff must be between 0 and 50 Hz"):
        kt.identify.smooth(arm, (t, q, v), cutoff=60.0)


@pytest.fixture(scope="module")
def panda():
    return kt.load("panda")


@pytest.fixture(scope="module")
def experiment(panda):
    """A Panda with friction and a payload; noise of torques and encoders; two logs of different motions."""
    effects = {"damping": np.linspace(0.2, 0.6, 7), "friction": np.linspace(0.8, 0.3, 7)}
    true = panda.with_payload(1.2, "panda_hand", com=[0.02, -0.01, 0.1], inertia=3e-3 * np.eye(3))
    true = true.with_parameters(**effects)
    middle, t, rng = (panda.limits.lower + panda.limits.upper) / 2, np.arange(0, 12, 0.004), RNG(0)
    sigma, logs = 0.1, []
    for seed in (0, 1):
        theta, v, a = swinging(t, 7, seed)
        q = middle + theta
        tau = true.inverse_dynamics(q, v, a) + sigma * rng.normal(size=v.shape)
        logs.append(kt.identify.Log(t, q + 1e-5 * rng.normal(size=q.shape), tau))
    return true, sigma, logs


@pytest.fixture(scope="module")
def identified(panda, experiment):
    _, _, (log, other) = experiment
    return kt.identify.identify(panda, log, validation=other)


def test_forces_on_motion_not_seen_are_within_five_percent_of_the_noise(panda, experiment, identified):
    true, sigma, _ = experiment
    assert np.sqrt(np.mean((identified.rms / sigma) ** 2)) < 1.05
    assert identified.before.rms.max() > 30 * sigma
    np.testing.assert_allclose(identified.noise_floor, sigma, rtol=0.05)
    assert 0.97 < identified.ratio < 1.05
    joints = [true.parameters(x) for x in ("damping", "friction")]
    truth = identified.fit.base.of(np.concatenate([true.parameters("inertial").ravel(), *joints]))
    scores = (identified.fit.values - truth) / identified.fit.errors
    assert np.sqrt(np.mean(scores**2)) < 2  # not 1: filtered noise is not quite white, the friction not quite Coulomb's
    samples = identified.held_out
    exact = true.inverse_dynamics(samples.q, samples.v, samples.a)
    left = identified.robot.inverse_dynamics(samples.q, samples.v, samples.a) - exact
    assert np.sqrt(np.mean(left**2)) < 0.2 * sigma
    assert not [x for body in identified.robot.model.bodies for x in kt.lie.inertia.violations(body.J)]


def test_a_payload_is_found_in_one_call(panda, experiment):
    true, _, (log, _) = experiment
    friction = {x: true.parameters(x) for x in ("damping", "friction")}
    found = kt.identify.payload(panda.with_parameters(**friction), log, "panda_hand")
    assert abs(found.mass - 1.2) < 4 * found.errors[0] + 1e-3 and found.errors[0] < 0.02
    assert np.all(np.abs(found.com - [0.02, -0.01, 0.1]) < 4 * found.com_errors + 2e-3)
    assert np.isfinite(found.errors).all() and found.rms.max() < 0.1 < found.rms_before.max()
    assert not kt.lie.inertia.violations(kt.lie.inertia.from_parameters(found.parameters))
    q = panda.random(20, seed=0)
    np.testing.assert_allclose(found.robot.gravity(q), true.gravity(q), atol=0.15)
    with pytest.raises(kt.InputError, match="fixed to the world"):
        kt.identify.payload(panda, log, "panda_link0")
    with pytest.raises(kt.InputError, match="unknown frame 'hand'"):
        kt.identify.payload(panda, log, "hand")


def test_errors_of_pivots_are_those_of_many_identifications(arm):
    """∂D/∂π = (∂D/∂β) B: pivots depend on base parameters alone; deviations as drawn from the covariance."""
    rng = RNG(0)
    q, v, a = rng.normal(size=(3, 200, 2))
    tau = arm.inverse_dynamics(q, v, a) + 0.05 * a + 0.1 * rng.normal(size=v.shape)
    fit = kt.identify.fit(arm, q, v, a, tau, friction=True, rotor=True)
    at = q[:5]
    found = kt.identify.pivot_errors(fit, at)
    made = fit.robot.with_parameters(armature=fit.joints["rotor"])
    slopes = kt.compile(kt.jacobian(kt.algorithms.mass_pivots, wrt="inertial"), made)(at).reshape(5, 2, -1)
    np.testing.assert_allclose(slopes, found.slopes @ fit.base.regrouping[:, :20], atol=1e-9)
    draws = rng.multivariate_normal(np.zeros(fit.base.count), fit.covariance, size=4000)
    pi = np.concatenate([fit.pi.ravel(), *fit.joints.values()]) + draws @ np.linalg.pinv(fit.base.regrouping).T
    kernel = kt.compile(kt.algorithms.mass_pivots, made, inputs=("inertial", "armature"))
    pivots = kernel(at[:, None], pi[:, :20].reshape(-1, 2, 10), pi[:, -2:])
    np.testing.assert_allclose(pivots.std(axis=1), found.errors, rtol=0.08)  # 4000 draws: 1.1 %; the rest is curvature
    np.testing.assert_allclose(pivots.mean(axis=1), found.pivots, rtol=0.02)
    still = kt.identify.fit(arm, q, 0 * v, 0 * a, arm.gravity(q), noise=1.0)
    assert np.isinf(kt.identify.pivot_errors(still, at).errors).all()


def test_outliers_and_closed_loops(arm):
    rng = RNG(1)
    q, v, a = rng.normal(size=(3, 400, 2))
    tau = arm.inverse_dynamics(q, v, a) + 0.05 * rng.normal(size=v.shape)
    tau[rng.uniform(size=400) < 0.05] += 30.0
    truth = kt.identify.base_parameters(arm).of(arm.parameters("inertial"))
    off = [np.abs(kt.identify.fit(arm, q, v, a, tau, robust=x).values - truth).max() for x in (False, True)]
    assert off[1] < 0.05 < off[0]
    bar = kt.load("four_bar")
    t = np.arange(0, 8, 0.01)
    start = bar.home()
    crank = start + np.outer(0.4 * np.sin(2 * t) + 0.2 * np.sin(3.1 * t), np.eye(bar.nq)[0])
    path = bar.assemble(crank)
    samples = kt.identify.smooth(bar, (t, path, 0 * path), cutoff=np.inf)
    forces = bar.inverse_dynamics(samples.q, samples.v, samples.a) + 0.3 * samples.v
    found = kt.identify.identify(bar, (samples.t, samples.q, forces))
    assert found.after.measured.shape[1] == bar.dof
    assert found.after.rms.max() < 0.02 * np.abs(found.after.measured).max()


def test_logs_are_read_by_names_units_and_numbers(arm, tmp_path):
    motion = arm.simulate([0.3, 0.2], [0.0, 0.0], t=0.5, dt=0.01)
    for suffix in (".csv", ".parquet"):
        motion.save(tmp_path / f"log{suffix}")
        log = kt.identify.read_log(tmp_path / f"log{suffix}", arm)
        np.testing.assert_allclose(log.q, motion.q)
        np.testing.assert_allclose(log.tau, motion.tau)
    file = tmp_path / "other.csv"
    head = "stamp [ms];state;joint1.position;joint2.position;effort_joint1;effort_joint2"
    file.write_text(f"{head}\n5;on;90;0;1;2\n15;on;90;;1;2\n")
    log = kt.identify.read_log(file, arm, degrees=True)
    np.testing.assert_allclose(log.t, [0, 0.01])
    np.testing.assert_allclose(log.q, [[np.pi / 2, 0], [np.pi / 2, np.nan]])
    chosen = {"q": ["joint2.position", "joint1.position"], "t": "stamp [ms]"}
    assert kt.identify.read_log(file, arm, columns=chosen).q[0, 1] == 90
    for text, message in (
        ("t,q1,tau1,tau2\n0,0,0,0\n", r"no column 'q' of 'joint2'; it has 't', 'q1', 'tau1'"),
        ("a,b\n1,2\n", "no column of times .* it has 'a', 'b'"),
        ("t,q1,q2,tau1,tau2\n0,0,x,0,0\n", "column 'q2' has entries that are not numbers"),
        ("t,q1 [inch],q2,tau1,tau2\n0,0,0,0,0\n", "has the unit 'inch'"),
        ("t,q1,q2\n0,1\n", "row 1 has 2 entries, not 3"),
        ("t,t\n0,1\n", "two columns 't'"),
    ):
        file.write_text(text)
        with pytest.raises(kt.InputError, match=message):
            kt.identify.read_log(file, arm)
    with pytest.raises(kt.InputError, match="there is no file"):
        kt.identify.read_log(tmp_path / "none.csv", arm)


def test_the_report_is_one_file_that_loads_nothing(identified, tmp_path):
    identified.report(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert text.count("<svg") == 3 and "panda_joint7" in text
    assert not re.search(r"(src|href)=\"(?!#)|<script|\bnan\b", text.split("</style>")[1])
    assert {x for x in re.findall(r"https?://([^/\"'<> ]+)", text)} == {"www.w3.org"}  # names of SVG's own kind
    with pytest.raises(kt.InputError, match=r"reports are written as \.html"):
        identified.report(tmp_path / "report.pdf")


@pytest.fixture(scope="module")
def swung(arm):
    """Times, configurations and forces of the arm with noise, and the same with 1 kg at its tip."""
    t, rng = np.arange(0, 12, 0.005), RNG(5)
    q, v, a = swinging(t, 2, 7)
    found = [x.inverse_dynamics(q, v, a) for x in (arm, arm.with_payload(1.0, "tip"))]
    q = q + 1e-5 * rng.normal(size=q.shape)
    return t, q, *(x + 0.02 * rng.normal(size=q.shape) for x in found)


def test_a_payload_that_cannot_exist_is_said_to_be_one(arm, swung):
    t, q, bare, loaded = swung
    good = kt.identify.payload(arm, (t, q, loaded), "tip")
    assert good.success and good.status == "converged" and not [x for x in good.notes if "does not tell" not in x]
    twice = kt.identify.payload(arm.with_payload(1.0, "tip"), (t, q, bare), "tip")
    turned = kt.identify.payload(arm, (t, q, -loaded), "tip")
    for found, mass in ((twice, -1.0), (turned, None)):
        assert (found.success, found.status) == (False, "impossible") and "Payload(impossible: " in repr(found)
        assert "a negative mass" in " ".join(found.notes)
        assert mass is None or abs(found.values[0] - mass) < 0.02
        assert found.errors[0] >= abs(found.mass - found.values[0]) > 0.9
    assert "opposite to those of the model" in " ".join(turned.notes)


def test_jumps_divide_a_log(arm, swung):
    """Poses at rest one after the other; an encoder that slips; a log repeated: each is divided where it jumps."""
    t, q, bare, _ = swung
    poses = np.repeat(RNG(0).uniform(-1.5, 1.5, (8, 2)), 200, axis=0)
    for noise in (0.0, 1e-5):
        still = poses + noise * RNG(1).normal(size=poses.shape)
        tau = arm.with_payload(1.0, "tip").gravity(poses) + 0.02 * RNG(2).normal(size=poses.shape)
        found = kt.identify.payload(arm, (0.005 * np.arange(1600), still, tau), "tip")
        assert abs(found.mass - 1.0) < 0.01 and "positions jump 7 times" in found.notes[0]
    slipped = q + 0.05 * np.outer(t > 6, [0, 1])
    found = kt.identify.smooth(arm, (t, slipped, bare))
    assert [x for x in found.notes if "jump 1 times, first at 6 s (joint2)" in x] and len(found.parts) == 2
    kept = np.searchsorted(t, found.t)
    np.testing.assert_allclose(found.v, swinging(t[kept], 2, 7)[1], atol=0.02)
    counted = np.round(q / 1e-3) * 1e-3  # an encoder of 6,283 counts
    assert kt.identify.smooth(arm, (t, counted, bare)).notes == kt.identify.smooth(arm, (t, q, bare)).notes == ()
    start = np.where((t < 11)[:, None], q[0], q[0] + np.maximum(t - 11, 0)[:, None] ** 2 * 5)
    assert kt.identify.smooth(arm, (t, start, bare)).notes == ()  # at rest, then moving
    twice = (np.concatenate([t, t + 12]), np.concatenate([q, q]), np.concatenate([bare, bare]))
    found = kt.identify.identify(arm, twice, friction=False)
    assert "jump 1 times" in found.notes[0] and found.ratio < 1.2


def test_wrong_units_and_signs_are_noted(arm, swung):
    t, q, bare, _ = swung
    flipped = bare * [1.0, -1.0]
    for log, told in (
        ((t, np.degrees(q), bare), "outside their limits.*degrees=True"),
        ((t, q, 1e3 * bare), "beyond their limits.*is the unit right.*times a factor, 1e.03.*masses are far"),
        ((t, q, 0 * bare), "all measured forces are zero"),
        ((t, q, -bare), "not explained.*'joint1', 'joint2' are opposite"),
        ((t, q, flipped), "'joint2' are opposite"),
        ((1e3 * t, q, bare), "5 s apart: are times in ms"),
    ):
        assert re.search(told, " ".join(kt.identify.identify(arm, log, friction=False).notes))
    assert kt.identify.identify(arm, (t, q, bare), friction=False).notes == ()


def test_forces_of_simulations_are_centred(arm):
    """A held force acts half a step later than its row; the bias that it would be is many standard errors."""

    def forces(t, q, v):
        return np.stack([20 * np.cos(q[0]) + 12 * np.sin(5 * t), 8 * np.sin(7 * t + 1) - 3 * q[1] - v[1]])

    motion = arm.simulate([0.1, 0.3], [0.0, 0.0], t=6.0, dt=2e-3, method="rk4", controller=forces)
    truth = kt.identify.base_parameters(arm).of(arm.parameters("inertial"))
    off = []
    for log in (motion, (motion.t, motion.q, motion.tau)):
        fit = kt.identify.identify(arm, log, friction=False, cutoff=40.0).fit
        off.append(np.abs(fit.values - truth).max())
    assert off[0] < 0.1 * off[1]
    every = kt.identify.log.log_of(arm, motion)
    np.testing.assert_allclose(every.tau[1:], (motion.tau[1:] + motion.tau[:-1]) / 2, atol=1e-12)


def test_tables_that_can_be_misread_are_not(arm, tmp_path):
    file = tmp_path / "log.csv"
    for text, told in (
        ("t,q0,q1,q2,tau0,tau1\n0,0,0,0,0,0\n", r"has 'q0', 'q1', 'q2': columns=\{'q'"),
        ("t,q0,q1,tau1,tau2\n0,0,0,0,0\n", "counts 'q' from 0 and 'tau' from 1"),
        ("t,q1,q_1,q2,tau1,tau2\n0,0,0,0,0,0\n", "has 'q_1', 'q1': columns="),
        ("t,q1,q1 [deg],q2,tau1,tau2\n0,0,0,0,0,0\n", "has 'q1', 'q1 .deg.': columns="),
        ("t,q1,q2,tau1,tau2\n0,0,0,0,0\n0,0,off,0,0\n", "not numbers: 'off' in row 2"),
        ("t,q1,q2,tau1,tau2\n0,1,0,5,0,0,0\n", "row 1 has 7 entries, not 5; decimal commas need"),
    ):
        file.write_text(text)
        with pytest.raises(kt.InputError, match=told):
            kt.identify.read_log(file, arm)
    file.write_text("# made by hand\nt;q1;q2;tau1;tau2\n0;0,5;n/a;1;2\n0,01;0,25;1;1;2\n")
    log = kt.identify.read_log(file, arm)
    np.testing.assert_array_equal(log.q, [[0.5, np.nan], [0.25, 1.0]])
    np.testing.assert_array_equal(log.t, [0, 0.01])
    file.write_text("# t,q0,q1,tau0,tau1\n0,1,2,3,4\n# a pause\n1,1,2,3,5\n")
    np.testing.assert_array_equal(kt.identify.read_log(file, arm).tau, [[3, 4], [3, 5]])
    t = np.arange(0, 2, 0.01)
    rows = np.repeat(np.arange(200), 1 + (np.arange(200) == 50))
    q = np.stack([np.sin(t), np.cos(t)], axis=1)
    assert "1 samples were the same" in kt.identify.smooth(arm, (t[rows], q[rows], q[rows])).notes[0]

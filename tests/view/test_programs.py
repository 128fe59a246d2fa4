"""The programs of a page, run by node: they give what the robot's own methods give."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.algorithms.closed.step_projection import closed_state
from kinetrace.view.programs import PROGRAM_PARTS, programs

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not here")
POINT = [0.1, -0.2, 0.3]

SCRIPT = """
const inputs = %s, found = {};
const plain = (x) => ArrayBuffer.isView(x) ? Array.from(x, (y) => Number.isFinite(y) ? y : String(y)) : x;
for (const [name, make, states] of [%s]) {
    const robot = make(), { nv, closed, home } = robot;
    found[name] = inputs[name].map(({ q, v, w, tau, body, run }) => {
        const point = [0.1, -0.2, 0.3], r = {
            home, poses: robot.poses(q), com: robot.center_of_mass(q), jacobian: robot.jacobian(q, body, point),
            at: robot.point(q, body, point), velocity: robot.velocity(q, v, body, point),
            force: robot.point_force(q, body, point, [1, 2, 3]), manipulability: robot.manipulability(q, body, point),
            integrate: robot.integrate(q, w), difference: robot.difference(q, robot.integrate(q, w)),
            normalise: robot.normalise(q.map((x) => 1.5 * x)), energy: robot.energy(q, v), gravity: robot.gravity(q),
            mass_matrix: robot.mass_matrix(q), a: robot.forward_dynamics(q, v, tau), next: robot.step(q, v, tau, 0.01),
            ellipsoid: robot.velocity_ellipsoid(q, body, point), mobility: robot.mobility(q, [...w, ...tau]),
        };
        const far = robot.integrate(q, w), target = robot.point(closed ? robot.assemble(far) : far, body, point);
        let near = q;
        for (let k = 0; k < 30; k++) near = robot.reach(near, body, point, target, { limits: false, damping: 0.01 });
        r.reached = [robot.point(near, body, point), target].map(plain);
        if (closed) {
            Object.assign(r, { assembled: robot.assemble(robot.integrate(q, w)), held: robot.assemble(q, [0]) });
            r.projected = robot.project(robot.integrate(q, w), v);
            r.motors = robot.motor_forces(q);
            r.residual = robot.closure_residual(r.assembled);
            r.ends = robot.closure_ends(robot.integrate(q, w));
        }
        let state = { q, v };
        for (let k = 0; k < run; k++) state = robot.step(state.q, state.v, new Float64Array(nv), 0.02);
        r.last = { ...state, energy: robot.energy(state.q, state.v) };
        return r;
    });
}
console.log(JSON.stringify(found, (_, x) => plain(x)));
"""


def tree():
    """Every kind of joint, a mimic joint, rotors, springs, damping and friction."""
    return kt.random_tree(9, seed=4).with_joint_effects(damping=0.3, friction=0.2, armature=0.1, stiffness=2.0)


def tendons():
    """Hinges and slides that follow the two motors of a cylindrical joint by matrices."""
    b, rng = kt.Builder("tendons"), np.random.default_rng(2)
    matrices = (None, [[1.0, -0.5], [0.3, 0.2]], [[0.4, 0.6]], [[0.0, 2.0]])
    kinds = kt.joints.Cylindrical(), kt.joints.Universal(), kt.joints.Revolute("y"), kt.joints.Prismatic("x")
    for k, (joint, R) in enumerate(zip(kinds, matrices, strict=True)):
        b.link(f"link{k}", mass=1.0 + k, com=rng.normal(size=3), inertia=[0.1, 0.2, 0.15])
        follows = None if R is None else ("joint0", R, 0.1 * k)
        parent = f"link{k - 1}" if k else "base"
        b.joint(f"joint{k}", joint, parent=parent, child=f"link{k}", placement=rng.normal(size=3), mimic=follows)
    return kt.Robot(b.build()).with_joint_effects(armature=0.1, damping=0.2, stiffness=0.3)


ROBOTS = {
    "planar2r": lambda: kt.load("planar2r"),
    "tree": tree,
    "tendons": tendons,
    "four_bar": lambda: kt.load("four_bar"),
}
RUN = {"planar2r": 500, "tree": 0, "tendons": 0, "four_bar": 500}
"""Steps of simulation: ten seconds."""


@cache
def robot_of(name):
    return ROBOTS[name]()


def states(name):
    robot, rng = robot_of(name), np.random.default_rng(1)
    for k in range(2):
        q, v = robot.random(seed=rng), rng.normal(size=robot.nv)
        if robot.closure_names:
            q, v = robot.project(robot.assemble(robot.integrate(robot.assemble(), 0.1 * v)), v)
        w, tau = 0.1 * rng.normal(size=robot.nv), rng.normal(size=robot.nv)
        body = len(robot.model.bodies) - 1 - k
        yield {"q": q, "v": v, "w": w, "tau": tau, "body": body, "run": RUN[name] * (k == 0)}


@pytest.fixture(scope="module")
def results():
    """What node finds, of all robots at once."""
    given = {name: [{key: np.asarray(x).tolist() for key, x in at.items()} for at in states(name)] for name in ROBOTS}
    made = [f"[{json.dumps(name)}, () => {programs(robot_of(name).model)}]" for name in ROBOTS]
    done = subprocess.run(
        [NODE, "-"], input=SCRIPT % (json.dumps(given), ", ".join(made)), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def same(found, expected, tolerance=1e-12):
    expected = np.asarray(expected, dtype=float)
    assert np.size(found) == expected.size
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(np.reshape(found, expected.shape), expected, rtol=0, atol=tolerance * scale)


@needs_node
@pytest.mark.parametrize("name", ROBOTS)
def test_functions_equal_those_of_the_robot(name, results):
    robot = robot_of(name)
    model = robot.model
    for at, found in zip(states(name), results[name], strict=True):
        q, v, w, tau, body = (at[key] for key in ("q", "v", "w", "tau", "body"))
        grabbed = {"frame": model.bodies[body].name, "point": np.array(POINT)}
        J = algorithms.jacobian(model, q, **grabbed, expressed_in="aligned")
        names = [*(b.name for b in model.bodies), *model.frames]
        same(found["poses"], [algorithms.pose(model, q, frame=x) for x in names])
        same(found["com"], algorithms.center_of_mass(model, q))
        same(found["jacobian"], J)
        same(found["at"], algorithms.pose(model, q, **grabbed)[:3, 3])
        same(found["velocity"], J @ v)
        same(found["force"], J[3:].T @ [1, 2, 3])
        same(found["integrate"], model.integrate(q, w))
        same(found["difference"], w)
        same(found["normalise"], model.normalise(1.5 * q))
        same(found["energy"]["kinetic"], algorithms.kinetic_energy(model, q, v))
        same(found["energy"]["potential"], algorithms.potential_energy(model, q))
        same(found["gravity"], algorithms.gravity(model, q))
        M = algorithms.mass_matrix(model, q)
        same(found["mass_matrix"], M)
        same(found["mobility"], [w @ np.linalg.solve(M, w), tau @ np.linalg.solve(M, tau)], 1e-10)  # the condition of M
        same(found["a"], algorithms.forward_dynamics(model, q, v, tau))
        stepped = algorithms.step(model, q, v, tau, 0.01, method="rk4", project=bool(robot.closure_names))
        if robot.closure_names:
            same(found["assembled"], robot.assemble(robot.integrate(q, w)))
            same(found["residual"], np.zeros(model.closure_rows))
            open_q = model.integrate(q, w)
            bodies = [algorithms.pose(model, open_q, frame=b.name) for b in model.bodies]
            same(found["ends"], [[(bodies[f.body] @ f.X_bf)[:3, 3] for f in x.frames] for x in model.closures])
            same(found["held"], robot.assemble(q, hold=[model.joint_names[0]]))
            for key, x in zip("qv", closed_state(model, robot.integrate(q, w), v), strict=True):
                same(found["projected"][key], x)
            same(found["home"], robot.assemble())
            same(found["motors"], robot.motor_forces(q, 0 * v, 0 * v)[0])
            K = robot.closure_jacobian(q)
            J = J @ (np.eye(robot.nv) - np.linalg.pinv(K, rcond=1e-9) @ K)
        else:
            same(found["home"], robot.home())
        for key, x in zip("qv", stepped, strict=True):
            same(found["next"][key], x)
        same(found["reached"][0], found["reached"][1], 1e-3)  # thirty damped steps
        radii = np.linalg.svd(J[3:], compute_uv=False)
        same(np.square(found["ellipsoid"]["radii"]), np.square([*radii, 0, 0])[:3])
        same(found["manipulability"], np.prod(radii[radii > 1e-6]), 1e-9)  # of a square


@needs_node
@pytest.mark.parametrize("name", [name for name, run in RUN.items() if run])
def test_ten_seconds_keep_the_energy_as_simulate_does(name, results):
    robot, (at, _) = robot_of(name), states(name)
    last = robot.simulate(at["q"], at["v"], 10.0, 0.02, method="rk4")
    found, begun = results[name][0]["last"], float(robot.total_energy(at["q"], at["v"]))
    drift = [sum(found["energy"].values()) - begun, float(robot.total_energy(last.q[-1], last.v[-1])) - begun]
    assert abs(drift[0] - drift[1]) < 1e-3 * abs(drift[1]) + 1e-9
    same(found["q"], last.q[-1], 1e-6)  # what rounding becomes in ten seconds


def test_parts_can_be_left_out():
    model = kt.load("four_bar").model
    assert programs(model) == programs(model, PROGRAM_PARTS) == programs(model, ["dynamics"])
    assert "forward_dynamics: robot" not in programs(model, []) and "forward_dynamics: robot" in programs(model)
    assert "forward_dynamics: robot" not in programs(kt.random_chain(65).model)  # too long to be embedded unasked
    still = kt.load("planar2r").model.with_parameters(inertial=np.zeros((2, 10)), check="ignore")
    assert '"massless":["joint' in programs(still) and "forward_dynamics: robot" not in programs(still)
    with pytest.raises(kt.InputError, match="unknown part 'dynamic'"):
        programs(model, ["dynamic"])


def test_text_can_stand_in_a_page():
    builder = kt.Builder('a "</script>" τ')
    builder.link("</script><!--")
    text = programs(builder.build())
    assert text.isascii() and "</" not in text and "<!--" not in text

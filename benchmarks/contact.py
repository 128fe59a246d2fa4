"""Contact: CPU time of a step, what is left of the law of contact, and compiling, beside MuJoCo, in one run.

    python benchmarks/contact.py
    python benchmarks/contact.py --against-mujoco      a trot beside MuJoCo made stiff
    python benchmarks/contact.py --quick

Robots on flat ground, position servos, steps of 2 ms; all rows of q and v are written. One thread, competitors in
turns, the best of several rounds, processor time, per state and step. × is how many times as long as ours in double and
in single precision. MuJoCo has the same robot from a file that we write, `mujoco.rollout` unless it says batch. Each
library begins where its own robot has settled. The residual is how far the steps of the same run are from the law of
contact, in 50 %, in 99 % and in all of them. "first" is the processor time and the memory of the first call in a
process of its own with an empty cache. The last line, inverse dynamics of a batch of Pandas on one thread, measures the
machine: scale times of other machines by it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import shared

import kinetrace as kt
from kinetrace.algorithms.time.contact_steps import (
    CONTACT_IMPULSES,
    CONTACT_RESIDUAL,
    CONTACT_SLIPS,
    initial_contact,
)
from kinetrace.algorithms.time.state import State
from kinetrace.bench import ground
from kinetrace.bench.chains import MEMORY_CODE
from kinetrace.bench.peers.mujoco import MujocoRollout
from kinetrace.bench.peers.mujoco_ground import CONTACT_SETTINGS, ONE_ITERATION, ContactSettings, ground_model
from kinetrace.errors import InputError
from kinetrace.model import Geometry

BATCH_COLUMN = "batch: "
STANDING, FALLING = ground.SETTLED, 100
"""Steps before those that are timed: after 0.2 s, the first bodies hit the ground."""
ROBOTS = ("quadruped", "humanoid", "planar2r")
SLOTS, BALLS = (4, 8, 16, 32, 64), (8, 27, 64)
Start = tuple[Any, Any, Any]
"""q, v and controls of a batch."""


class Case(NamedTuple):
    """Something on the ground."""

    name: str
    scene: Callable[[str], kt.Robot]
    """Precision → the robot on the ground."""
    start: Callable[[int, int], Start]
    """(states, steps) →"""
    peer: Callable[[Any, ContactSettings], Any]
    """MuJoCo's model."""
    before: int = STANDING
    settings: tuple[str, ...] = tuple(CONTACT_SETTINGS)


def stance_case(title: str, name: str, all_shapes: bool = False, falls: bool = False) -> Case:
    """A robot on its feet, or all its shapes."""
    stance, bare = ground.STANCES[name], shared.load(name, base="free")

    def robot(dtype: str = "float64") -> kt.Robot:
        return stance.robot(bare, all_shapes, dtype=dtype)

    def start(lanes: int, steps: int) -> Start:
        q, v = stance.start(bare, lanes)
        if falls:
            rng = np.random.default_rng(1)
            q[:, 2], q[:, 3:7] = 0.45, bare.random(lanes, seed=rng)[:, 3:7]
            v = rng.normal(size=v.shape)
        return q, v, stance.controls(bare, lanes, steps)

    return Case(
        title,
        lambda dtype: ground.on_ground(robot(dtype)),
        start,
        lambda mujoco, settings: ground_model(mujoco, robot(), settings),
        FALLING if falls else STANDING,
        tuple(CONTACT_SETTINGS)[: 3 if all_shapes else None],
    )


def boxes(n: int, half: float = 0.1) -> tuple[kt.Robot, Any]:
    """Free boxes, and where they stand on one another."""
    b = kt.Builder("boxes")
    for k in range(n):
        b.link(f"box{k}", inertia=kt.lie.inertia.from_mass_com(1.0, np.zeros(3), np.eye(3) * (2 * half) ** 2 / 6))
        b.joint(f"free{k}", kt.joints.Free(), parent="world", child=f"box{k}")
        b.geometry(Geometry("box", (2 * half,) * 3, f"box{k}", np.eye(4), "collision"))
    q = np.concatenate([[0.0, 0.0, half + 2 * half * k, 1.0, 0.0, 0.0, 0.0] for k in range(n)])
    return kt.Robot(b.build()), q


def stack_case(n: int) -> Case:
    """Boxes on one another, of which all but the lowest are objects of the world."""
    all_boxes, q = boxes(n)
    names = ["ground", *(f"box{k}" for k in range(n))]
    objects = {f"box{k}": kt.worlds.Box([0.2] * 3, mass=1.0, pose=q[7 * k : 7 * k + 7]) for k in range(1, n)}
    pairs = list(zip(names[1:], names, strict=False))
    world = kt.World(friction=ground.GROUND_FRICTION, objects=objects, pairs=pairs)
    return Case(
        f"stack of {n} boxes",
        lambda dtype: kt.Robot(boxes(1)[0].model, dtype=dtype).with_world(world),
        lambda lanes, steps: (np.tile(q, (lanes, 1)), np.zeros((lanes, 6 * n)), np.zeros((lanes, steps, 6 * n))),
        lambda mujoco, settings: ground_model(mujoco, all_boxes, settings, among_itself=True),
        settings=tuple(CONTACT_SETTINGS)[:3],
    )


def measured(calls: Mapping[str, tuple[Callable[[], Any], int]], repeat: int, clock: Any = time.process_time) -> Any:
    """Name → seconds per step of one state, the best of several rounds in turns."""
    least = dict.fromkeys(calls, np.inf)
    for _ in range(repeat):
        for name, (call, steps) in calls.items():
            begin = clock()
            call()
            least[name] = min(least[name], (clock() - begin) / steps)
    return least


def settled(scene: kt.Robot, case: Case, lanes: int, steps: int, dtype: str) -> tuple[Any, list[Any]]:
    """The kernel, and its arguments where the robot has settled."""
    kernel = scene.kernel(ground.ground_rollout, shapes=ground.control_shapes(scene))
    q, v, control = (x.astype(dtype) for x in case.start(lanes, max(steps, case.before)))
    dt = np.array(ground.GROUND_DT, dtype=dtype)
    if case.before:
        still = np.ascontiguousarray(np.repeat(control[:, :1], case.before, axis=1))
        q, v = (np.ascontiguousarray(x[:, -1]) for x in kernel(q, v, still, dt, threads=1)[:2])
    return kernel, [q, v, np.ascontiguousarray(control[:, :steps]), dt]


def peer_calls(mujoco: Any, case: Case, lanes: int, steps: int) -> dict[str, tuple[Callable[[], Any], int]]:
    """Settings of MuJoCo → a call and its steps."""
    calls, robot = {}, case.scene("float64")
    for name in case.settings:
        model = case.peer(mujoco, CONTACT_SETTINGS[name])
        rolled = MujocoRollout(mujoco, model, ground.GROUND_DT, "semi-implicit", rows_of(robot))
        q, v, control = case.start(lanes, steps)
        q, v = in_order(model, robot, q, v)
        if case.before:
            q, v = rolled.settled(q, v, control)
        calls[name] = rolled.run(q, v, control, 1).timer().timeit, lanes * steps
        if name == ONE_ITERATION and case.before:
            calls.update(batch_calls(rolled, q, v, control))
    return {name: ((lambda f=f: f(1)) if name in case.settings else f, n) for name, (f, n) in calls.items()}


def rows_of(robot: kt.Robot) -> str:
    """What acts on it in each step, as MuJoCo calls it."""
    return "CTRL" if robot.model.actuators else "QFRC_APPLIED"


def in_order(model: Any, robot: kt.Robot, q: Any, v: Any) -> tuple[Any, Any]:
    """MuJoCo's q and v; free boxes at rest have the same."""
    if not robot.model.actuators:
        return q, v
    return kt.interop.mujoco.q(robot, model, q), kt.interop.mujoco.v(robot, model, q, v)


def batch_calls(rolled: MujocoRollout, q: Any, v: Any, control: Any) -> dict[str, tuple[Callable[[], Any], int]]:
    """`mujoco.batch`, where there is one, going on from call to call."""
    module = shared.package("mujoco.batch")
    if module is None:
        return {}
    lanes, steps = control.shape[:2]
    batch = module.Batch(rolled.model, lanes, nthread=1)
    batch.bind("qpos")[:], batch.bind("qvel")[:] = q, v
    out = batch.rollout(steps, control, control_spec=rolled.acts, record=("qpos", "qvel"))

    def call() -> None:
        batch.rollout(steps, control, control_spec=rolled.acts, record=("qpos", "qvel"), out=out)

    return {BATCH_COLUMN + ONE_ITERATION: (call, lanes * steps)}


def contest(case: Case, mujoco: Any, options: argparse.Namespace) -> None:
    """The lines of one case."""
    ours, residuals, calls = {}, {}, {}
    for dtype in ("float64", "float32"):
        kernel, xs = settled(case.scene(dtype), case, options.lanes, options.steps, dtype)
        residuals[dtype] = np.percentile(kernel(*xs, threads=1)[2], (50, 99, 100))
        ours[dtype] = (lambda kernel=kernel, xs=xs: kernel(*xs, threads=1)), options.lanes * options.steps
    calls = {**ours, **({} if mujoco is None else peer_calls(mujoco, case, options.peer_lanes, options.steps))}
    least = measured(calls, options.repeat)
    print(f"\n{case.name}", flush=True)
    for dtype, r in residuals.items():
        told = "   ".join(f"{x:.1e}" for x in r)
        print(f"  kinetrace, {dtype:35} {1e9 * least[dtype]:9.1f} ns   residual {told} m/s")
    for name in calls:
        if name not in ours:
            ratios = "   ".join(f"×{least[name] / least[dtype]:5.1f}" for dtype in ours)
            print(f"  MuJoCo, {name:38} {1e9 * least[name]:9.1f} ns   {ratios}")
    if options.threads > 1:
        kernel, xs = settled(case.scene("float64"), case, 4 * options.lanes, options.steps, "float64")
        many = {str(n): (lambda n=n: kernel(*xs, threads=n), 1) for n in (1, options.threads)}
        wall = measured(many, options.repeat, time.perf_counter)
        print(f"  {options.threads} threads, {4 * options.lanes} states: ×{wall['1'] / wall[str(options.threads)]:.2f}")


def one_step(
    model: Any, q: Any, v: Any, control: Any, dt: Any, impulses: Any, slips: Any
) -> tuple[Any, Any, Any, Any, Any]:
    """q, v and what goes on after a step."""
    kept = {CONTACT_IMPULSES: impulses, CONTACT_SLIPS: slips}
    after = ground.ground_step(model, State(q, v, kept), control, dt)
    return after.q, after.v, *(after.kept[name] for name in (*kept, CONTACT_RESIDUAL))


def one_state(case: Case, mujoco: Any, options: argparse.Namespace) -> None:
    """One step of one state by a call from Python."""
    scene, n = case.scene("float64"), 10 * options.steps
    _, (q, v, control, dt) = settled(scene, case, 1, 1, "float64")
    kept = initial_contact(scene.model)
    impulses, slips = kept[CONTACT_IMPULSES], kept[CONTACT_SLIPS]
    shapes = {"control": control[0, 0].shape, "impulses": impulses.shape, "slips": slips.shape}
    kernel = scene.kernel(one_step, shapes=shapes)
    x = [q[0].copy(), v[0].copy(), control[0, 0].copy(), float(dt), impulses, slips]
    x[4:] = kernel(*x)[2:4]
    calls: dict[str, Any] = {"kinetrace": (lambda: [kernel(*x) for _ in range(n)], n)}
    if mujoco is not None:
        model = case.peer(mujoco, CONTACT_SETTINGS[ONE_ITERATION])
        data = mujoco.MjData(model)
        data.qpos[:], data.ctrl[:] = in_order(model, scene, q, v)[0][0], control[0, 0]
        calls["mj_step"] = (lambda: [mujoco.mj_step(model, data) for _ in range(n)], n)
    least = measured(calls, options.repeat)
    told = "   ".join(f"{name} {1e6 * x:.2f} µs" for name, x in least.items())
    print(f"\n{case.name}, one state, one step a call: {told}", flush=True)


def sphere_body(n: int) -> tuple[kt.Robot, Any]:
    """A free plate on n balls, as one robot on the ground."""
    b, side = kt.Builder("plate"), int(np.ceil(np.sqrt(n)))
    b.link("plate", inertia=kt.lie.inertia.from_mass_com(10.0, np.zeros(3), np.diag([0.3, 0.3, 0.5])))
    b.joint("free", kt.joints.Free(), parent="world", child="plate")
    for k in range(n):
        X = np.eye(4)
        X[:3, 3] = 0.1 * (k % side), 0.1 * (k // side), -0.05
        b.geometry(Geometry("sphere", (0.02,), "plate", X, "collision", name=f"ball{k}"))
    q = np.array([0.0, 0.0, 0.0705, 1.0, 0.0, 0.0, 0.0])
    return ground.on_ground(kt.Robot(b.build())), q


def free_balls(n: int) -> tuple[kt.Robot, Any]:
    """Balls that fall into a box."""
    side, radius = round(n ** (1 / 3)), 0.1
    grid = np.array([(x, y, z) for z in range(side) for y in range(side) for x in range(side)], dtype=float)
    places = 0.22 * (grid - [(side - 1) / 2, (side - 1) / 2, 0.0]) + [0.0, 0.0, 0.15]
    places += 0.004 * np.random.default_rng(0).normal(size=places.shape)
    half = 0.11 * side + 0.02
    objects: dict[str, Any] = {}
    for k, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
        lengths = [0.2 if x else 4.0 * half, 0.2 if y else 4.0 * half, 4.0 * half]
        objects[f"wall{k}"] = kt.worlds.Box(lengths, pose=[x * (half + 0.1), y * (half + 0.1), half])
    for k in range(1, n):
        objects[f"ball{k}"] = kt.worlds.Sphere(radius, mass=1.0, pose=places[k])
    b = kt.Builder("ball")
    b.link("ball0", inertia=kt.lie.inertia.from_mass_com(1.0, np.zeros(3), np.eye(3) * 0.4 * radius**2))
    b.joint("free", kt.joints.Free(), parent="world", child="ball0")
    b.geometry(Geometry("sphere", (radius,), "ball0", np.eye(4), "collision"))
    scene = kt.Robot(b.build()).with_world(kt.World(objects=objects, friction=0.5))
    return scene, np.concatenate([[*x, 1.0, 0.0, 0.0, 0.0] for x in places])


def first_call(what: str, n: int, options: argparse.Namespace) -> dict[str, Any]:
    """Compiling and steps of a scene, in this process."""
    known: dict[str, Any] = {}
    exec(MEMORY_CODE, known)
    if what in ROBOTS:
        case = stance_case(what, what)
        scene, (q, v, control) = case.scene("float64"), case.start(1, 1)
        q, v, control = q[0], v[0], control[0]
    else:
        scene, q = {"slots": sphere_body, "balls": free_balls}[what](n)
        v, control = np.zeros(scene.nv), np.zeros((1, scene.nv))
    empty, begin = known["memory"](), time.process_time()
    kernel = scene.kernel(ground.ground_rollout, shapes=ground.control_shapes(scene))
    kernel(q, v, control, ground.GROUND_DT)
    found: dict[str, Any] = {
        "seconds": time.process_time() - begin,
        "slots": len(kt.algorithms.contact_points(scene.model, q)[0]),
    }
    found["memory"] = None if empty is None else known["memory"]() - empty
    lanes, steps = (options.lanes if what != "balls" else 8), options.steps
    xs = np.tile(q, (lanes, 1)), np.tile(v, (lanes, 1)), np.tile(control, (lanes, 4 * steps, 1)), ground.GROUND_DT
    rows = kernel(*xs, threads=1)
    xs = rows[0][:, -1].copy(), rows[1][:, -1].copy(), xs[2][:, :steps].copy(), ground.GROUND_DT
    least = measured({"": (lambda: kernel(*xs, threads=1), lanes * steps)}, 2)[""]
    return {**found, "step": least, "residual": float(np.percentile(kernel(*xs, threads=1)[2], 99))}


def in_process(what: str, n: int, options: argparse.Namespace) -> dict[str, Any]:
    """The same in a process of its own, with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        call = [
            sys.executable,
            __file__,
            "--one",
            f"{what}:{n}",
            "--lanes",
            str(options.lanes),
            "--steps",
            str(options.steps),
        ]
        done = subprocess.run(
            call, env={**os.environ, "KINETRACE_CACHE": folder}, check=False, capture_output=True, text=True
        )
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    return json.loads(lines[-1]) if done.returncode == 0 else {"error": lines[-1]}


def growth(options: argparse.Namespace) -> None:
    """Compiling, memory and steps by number of slots and of free bodies."""
    rows = (
        [(name, 0) for name in options.first]
        + [("slots", n) for n in options.slots]
        + [("balls", n) for n in options.balls]
    )
    print("\nfirst call, then settled steps: processor time and memory; 99 % of residuals")
    for what, n in rows:
        x, label = in_process(what, n, options), what if what in ROBOTS else f"{n} {what}"
        if "error" in x:
            print(f"  {label:12} {x['error']}", flush=True)
            continue
        memory = "-" if x["memory"] is None else f"{x['memory']:.0f}"
        print(
            f"  {label:12} slots {x['slots']:4d}   first {x['seconds']:6.2f} s {memory:>6} MB   "
            f"step {1e6 * x['step']:9.3f} µs   residual {x['residual']:.1e} m/s",
            flush=True,
        )


def trot(times: Any) -> Any:
    """Positions (t, 12) of the joints of a quadruped."""
    found = np.tile([0.0, 0.8, -1.6], (len(times), 4))
    for leg, phase in enumerate((0.0, np.pi, np.pi, 0.0)):
        at = 4 * np.pi * times + phase
        found[:, 3 * leg + 1] += 0.15 * np.sin(at)
        found[:, 3 * leg + 2] -= 0.3 * np.maximum(0.0, np.cos(at))
    return found


def against_mujoco(mujoco: Any) -> None:
    """Differences of the trunk [m] in a trot, steps of 0.5 ms, MuJoCo with default contacts and stiff ones."""
    dt, stance = 5e-4, ground.STANCES["quadruped"]
    robot = stance.robot(shared.load("quadruped", base="free"))
    scene, times = ground.on_ground(robot), np.arange(0.0, 1.0, dt)
    q, v, control = robot.neutral(), np.zeros(18), trot(times)
    q[2], q[7:] = 0.32, stance.posture_of(robot)
    kernel = scene.kernel(ground.ground_rollout, shapes=ground.control_shapes(scene))
    ours, _, residual = kernel(q, v, control, dt)
    told = f"99 % of residuals within {np.percentile(residual, 99):.1e} m/s"
    print(f"trot, steps of {1e3 * dt:g} ms, {told}; differences of the trunk [m]")
    for name, stiff in (("default contacts", False), ("stiff contacts", True)):
        model = ground_model(mujoco, robot, ContactSettings(cone="elliptic", iterations=200), dt)
        if stiff:
            model.geom_solref[:], model.geom_solimp[:], model.opt.impratio = (
                [2 * dt, 1.0],
                [0.95, 0.9999, 5e-4, 0.5, 2.0],
                10,
            )
        rolled = MujocoRollout(mujoco, model, dt, "semi-implicit", "CTRL")
        theirs, _ = rolled.states(*in_order(model, robot, q[None], v[None]), control[None])
        away = np.abs(theirs[0, :, :3] - ours[:, :3]).max(axis=1)
        print(
            f"  MuJoCo, {name:18}"
            + "   ".join(f"{t:g} s {away[round(t / dt) - 1]:.1e}" for t in (0.05, 0.1, 0.2, 0.5, 1.0))
        )


def main() -> None:
    """Print the tables."""
    parser = shared.parser(__doc__)
    parser.add_argument("--lanes", type=int, default=512, help="states of a batch")
    parser.add_argument("--peer-lanes", type=int, default=64, help="the same of MuJoCo, which has them one by one")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cases", type=int, nargs="*", default=[*range(5)], help="which of the tables")
    parser.add_argument("--first", nargs="*", default=["quadruped", "humanoid"], help="robots that are compiled")
    parser.add_argument("--slots", type=int, nargs="*", default=SLOTS)
    parser.add_argument("--balls", type=int, nargs="*", default=BALLS)
    parser.add_argument("--against-mujoco", action="store_true", help="the trot alone")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    quick = {"lanes": 8, "peer_lanes": 2, "steps": 5, "repeat": 1, "threads": 1, "cases": [5], "first": ["planar2r"]}
    options = shared.options(parser, effects="rotors, in any library", **quick, slots=[], balls=[])
    if options.one:
        what, _, n = options.one.partition(":")
        try:
            print(json.dumps(first_call(what, int(n), options)))
        except InputError as error:
            raise SystemExit(f"{error}") from None
        return
    mujoco = shared.package("mujoco")
    if options.against_mujoco:
        against_mujoco(shared.needed("mujoco"))
        return
    makers: tuple[Callable[[], Case], ...] = (
        lambda: stance_case("quadruped, four feet", "quadruped"),
        lambda: stance_case("humanoid, eight corners of feet", "humanoid"),
        lambda: stance_case("quadruped, all shapes, standing", "quadruped", all_shapes=True),
        lambda: stance_case("quadruped, all shapes, falling", "quadruped", all_shapes=True, falls=True),
        lambda: stack_case(3),
        lambda: stance_case("two links, two balls", "planar2r"),
    )
    for k in options.cases:
        case = makers[k]()
        contest(case, mujoco, options)
        if k in (0, 5):
            one_state(case, mujoco, options)
    growth(options)
    panda, n = shared.load("panda"), 64 if options.quick else 4096
    states = [panda.random(n, seed=0), *np.random.default_rng(0).normal(size=(2, n, panda.nv))]
    least = measured({"": (lambda: panda.inverse_dynamics(*states, threads=1), n)}, 2 if options.quick else 200)[""]
    print(f"\npanda: inverse dynamics of {n} states {1e9 * least:.1f} ns per state")


if __name__ == "__main__":
    main()

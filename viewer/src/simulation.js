// Time runs in the page: steps by the traced program, gravity, damping, springs that hold the pose and that at the pointer.
const LARGE_NV = 64; // velocities of the largest robots that are simulated, as in programs.py
const LONGEST_FRAME = 0.05; // seconds of real time that one frame may catch up
const BUDGET = 0.02; // seconds of computation per frame
const SHORT_PART = 0.2; // part of it below which steps become shorter again, as code is faster once it has run for a while
const STEPS = [0.001, 0.002, 0.004, 0.008]; // lengths of a step; longer ones where the robot is too large for real time

const STOP_RATE = 0.15; // natural frequency of a joint at its stop, times the step: as stiff as RK4 follows well
const STOP_DAMPING = 0.4; // of a joint at its stop, relative to critical damping: a joint bounces a little
const HOLD_RATE = 0.15; // natural frequency of a joint that holds its pose, times the step; without overshoot
const PULL = 60; // 1/s²: stiffness of the spring at the pointer, per mass: the whole robot would swing once in 0.8 s
const PULL_DAMPING = 2; // 1/s: the same of its damper
const PULL_RATE = 0.3; // most of the natural frequency of what is grabbed, times the step
const PULL_DECAY = 0.5; // most of the velocity of what is grabbed that the damper takes in a step
const MEASURED_EVERY = 16; // configurations between two looks at how light something is

export class Simulation {
  constructor(app) {
    this.app = app;
    this.robots = app.robots.filter(({ program }) => program.step);
    this.gravity = !this.robots.some((robot) => floats(robot) && !stands(robot)); // it would fall out of sight
    this.hold = this.robots.some((robot) => floats(robot) && stands(robot)); // else legs give way at once
    this.damping = 0; // 1/s: joint forces −d M v, so that momentum decays at the rate d
    this.stops = true; // joints are pushed back within their limits
    this.stiffness = 1; // of the spring, times what suits the mass of the robot
    this.speed = 1;
    this.running = false;
    this.time = 0;
    [this.dt] = STEPS;
  }

  start() {
    this.remember();
    this.fault = "";
    this.running = true;
    this.last = null;
    this.app.stage.invalidate();
  }

  // Where the simulation begins, from rest of all that steps keep.
  remember() {
    if (this.begin) return;
    this.begin = this.robots.map((robot) => [robot.q.slice(), robot.v.slice()]);
    for (const robot of this.robots) robot.kept = robot.row = null;
  }

  reset() {
    this.time = 0;
    this.fault = "";
    this.begin?.forEach(([q, v], i) => this.robots[i].set(q, v));
    this.begin = null;
  }

  // Joint forces of everything but the robot's own joints.
  forces(robot) {
    const { program, q, v } = robot;
    const tau = new Float64Array(program.nv);
    if (!this.gravity) program.gravity(q).forEach((g, i) => (tau[i] += g));
    if (this.damping > 0) {
      const M = program.mass_matrix(q);
      const n = program.nv;
      for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) tau[i] -= this.damping * M[i * n + j] * v[j];
    }
    if (this.stops) this.pushBack(robot, tau);
    if (this.hold) this.holdPose(robot, tau);
    const { grab } = this.app.pointer;
    if (grab && grab.robot === robot) {
      const point = grab.point.toArray();
      const { now, target } = this.app.pointer.ends;
      const V = program.velocity(q, v, grab.body, point);
      const { k, c } = this.spring(robot, grab, point);
      const force = [0, 1, 2].map((i) => k * (target[i] - now[i]) - c * V[3 + i]);
      program.point_force(q, grab.body, point, force).forEach((f, i) => (tau[i] += f));
    }
    return tau;
  }

  // Beyond its limits, a joint meets a spring and a damper that suit the inertia it has there: 1 / (M⁻¹)ᵢᵢ.
  pushBack(robot, tau) {
    const { q, v, program } = robot;
    const out = ({ at, lower, upper }) => (upper !== null && q[at] > upper ? q[at] - upper : lower !== null && q[at] < lower ? q[at] - lower : 0);
    const met = robot.data.stops.filter((stop) => out(stop) !== 0);
    if (!met.length) return;
    const rows = new Float64Array(met.length * program.nv);
    met.forEach(({ speed }, k) => (rows[k * program.nv + speed] = 1));
    const mobility = program.mobility(q, rows);
    const rate = STOP_RATE / this.dt;
    met.forEach((stop, k) => {
      const push = (rate * rate * out(stop) + 2 * STOP_DAMPING * rate * v[stop.speed]) / mobility[k];
      tau[stop.speed] -= out(stop) > 0 ? Math.max(push, 0) : Math.min(push, 0);
    });
  }

  // Joints with motors are held where the simulation began, as far as their motors can.
  holdPose(robot, tau) {
    const { q, v, program, data } = robot;
    const [from] = this.begin[this.robots.indexOf(robot)];
    const held = heldJoints(robot);
    if ((robot.measured = (robot.measured ?? -1) + 1) % MEASURED_EVERY === 0 || !robot.inertias) {
      const rows = new Float64Array(held.length * program.nv);
      held.forEach(({ speed }, k) => (rows[k * program.nv + speed] = 1));
      robot.inertias = program.mobility(q, rows).map((x) => 1 / x);
    }
    const rate = HOLD_RATE / this.dt;
    held.forEach(({ at, speed }, k) => {
      const most = data.efforts[speed] ?? Infinity;
      const force = robot.inertias[k] * (rate * rate * (from[at] - q[at]) - 2 * rate * v[speed]);
      tau[speed] += Math.min(Math.max(force, -most), most);
    });
  }

  // Stiffness and damping of the spring: those that suit the whole mass, less where the grabbed part is so light that a
  // step would be too long for them.
  spring(robot, grab, point) {
    if (grab.configuration !== robot.q) {
      grab.configuration = robot.q;
      if (grab.light === undefined || grab.count++ % MEASURED_EVERY === 0) grab.light = lightest(robot, grab.body, point);
      grab.count ??= 1;
    }
    const { mass } = robot.data;
    const k = Math.min(PULL * mass * this.stiffness, grab.light * (PULL_RATE / this.dt) ** 2);
    const c = Math.min(PULL_DAMPING * mass * Math.sqrt(this.stiffness), (grab.light * PULL_DECAY) / this.dt);
    return { k, c };
  }

  // Which robots stand still, and why.
  get without() {
    const still = this.app.robots.filter((robot) => !this.robots.includes(robot));
    return still.map(({ name, program }) => `${name} is not simulated: ${reason(program)}.`).join(" ");
  }

  // One step of all robots that can be simulated; false if numbers were lost.
  step(dt = this.dt) {
    this.remember();
    for (const robot of this.robots) {
      const next = robot.program.step(robot.q, robot.v, this.forces(robot), dt, robot.kept);
      const fine = next.q.every(Number.isFinite) && next.v.every(Number.isFinite);
      if (!fine) {
        this.fault = `${robot.name}: the motion was lost at t = ${this.time.toFixed(3)} s (numbers are no longer finite)`;
        this.running = false;
        return false;
      }
      robot.q = next.q;
      robot.v = next.v;
      Object.assign(robot, { kept: next.kept ?? null, dt });
    }
    this.time += dt;
    return true;
  }

  // Called before each frame, with the time in seconds.
  frame(now) {
    if (!this.running) return false;
    const passed = this.last === null ? 1 / 60 : Math.min(now - this.last, LONGEST_FRAME);
    this.last = now;
    const steps = Math.max(1, Math.round((passed * this.speed) / this.dt));
    const began = performance.now();
    let done = 0;
    while (done < steps && this.step()) {
      done++;
      if (done % 4 === 0 && performance.now() - began > BUDGET * 1000) break;
    }
    this.slow = done < steps ? done / steps : 1;
    const idle = done === steps && performance.now() - began < SHORT_PART * BUDGET * 1000;
    const place = STEPS.indexOf(this.dt) + (this.slow < 0.7 ? 1 : idle ? -1 : 0);
    this.dt = STEPS[Math.min(Math.max(place, 0), STEPS.length - 1)];
    for (const robot of this.robots) robot.update();
    return this.running;
  }
}

// Why there is no simulation of a robot.
export function reason({ massless, slots, nv }) {
  if (massless.length) return `${massless.join(", ")} can move without moving any mass`;
  if (nv > LARGE_NV || !slots.length) return "the robot is too large";
  return `${slots.length} places where shapes may touch are too many; a world with pairs="feet" has fewer`;
}

// The joints of one variable that motors move: places in q and v.
function heldJoints(robot) {
  const { program } = robot;
  robot.held ??= program.bodies
    .filter(({ q, v, mimic }) => !mimic && q[1] - q[0] === v[1] - v[0])
    .flatMap(({ q, v }) => Array.from({ length: q[1] - q[0] }, (_, i) => ({ at: q[0] + i, speed: v[0] + i })))
    .filter(({ speed }) => !program.driven || program.driven.includes(speed));
  return robot.held;
}

// Whether there is something that carries a robot.
const stands = ({ program }) => Boolean(program.contacts);

function floats({ program, data }) {
  return !program.closed && program.bodies.some((body, k) => body.type === "free" && body.parent < 0 && !data.objects.includes(k));
}

// The least mass that a force on a point of a body feels, in any direction: 1 / trace(J M⁻¹ Jᵀ).
function lightest(robot, body, point) {
  const { program, q } = robot;
  const n = program.nv;
  const J = program.jacobian(q, body, point);
  const sum = program.mobility(q, J.subarray(3 * n)).reduce((x, y) => x + y, 0);
  return sum > 0 ? 1 / sum : robot.data.mass;
}

// Time runs in the page: steps of RK4 by the traced program, gravity, damping and the spring at the pointer.
const LONGEST_FRAME = 0.05; // seconds of real time that one frame may catch up
const BUDGET = 0.02; // seconds of computation per frame
const STEPS = [0.001, 0.002, 0.004, 0.008]; // lengths of a step; longer ones where the robot is too large for real time

export class Simulation {
  constructor(app) {
    this.app = app;
    this.gravity = !app.robots.some(floats); // nothing would carry a floating base: it would fall out of sight
    this.damping = 0; // 1/s: joint forces −d M v, so that momentum decays at the rate d
    this.stops = true; // joints are pushed back within their limits
    this.stiffness = 1; // of the spring, times what suits the mass of the robot
    this.speed = 1;
    this.running = false;
    this.time = 0;
    [this.dt] = STEPS;
  }

  start() {
    if (!this.begin) this.begin = this.app.robots.map((robot) => [robot.q.slice(), robot.v.slice()]);
    this.fault = "";
    this.running = true;
    this.last = null;
    this.app.stage.invalidate();
  }

  reset() {
    this.time = 0;
    this.fault = "";
    this.begin?.forEach(([q, v], i) => this.app.robots[i].set(q, v));
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
    let L = null;
    for (const { at, speed, lower, upper } of robot.data.stops) {
      const beyond = upper !== null && q[at] > upper ? q[at] - upper : lower !== null && q[at] < lower ? q[at] - lower : 0;
      if (beyond === 0) continue;
      L ??= cholesky(program.mass_matrix(q), program.nv);
      const unit = new Float64Array(program.nv);
      unit[speed] = 1;
      const inertia = 1 / forward(L, unit).reduce((sum, y) => sum + y * y, 0);
      const rate = 0.15 / this.dt;
      const push = inertia * (rate * rate * beyond + 0.8 * rate * v[speed]);
      tau[speed] -= beyond > 0 ? Math.max(push, 0) : Math.min(push, 0);
    }
  }

  // Stiffness and damping of the spring: those that suit the whole mass, less where the grabbed part is so light that a
  // step would be too long for them.
  spring(robot, grab, point) {
    if (grab.configuration !== robot.q) {
      grab.configuration = robot.q;
      if (grab.light === undefined || grab.count++ % 16 === 0) grab.light = lightest(robot, grab.body, point);
      grab.count ??= 1;
    }
    const { mass } = robot.data;
    const k = Math.min(60 * mass * this.stiffness, grab.light * (0.3 / this.dt) ** 2);
    const c = Math.min(2 * mass * Math.sqrt(this.stiffness), (grab.light * 0.5) / this.dt);
    return { k, c };
  }

  // One step of all robots; false if numbers were lost.
  step(dt = this.dt) {
    for (const robot of this.app.robots) {
      const next = robot.program.step(robot.q, robot.v, this.forces(robot), dt);
      const fine = next.q.every(Number.isFinite) && next.v.every(Number.isFinite);
      if (!fine) {
        this.fault = `${robot.name}: the motion was lost at t = ${this.time.toFixed(3)} s (numbers are no longer finite)`;
        this.running = false;
        return false;
      }
      robot.q = next.q;
      robot.v = next.v;
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
    if (this.slow < 0.7 && this.dt < STEPS[STEPS.length - 1]) this.dt = STEPS[STEPS.indexOf(this.dt) + 1];
    for (const robot of this.app.robots) robot.update();
    return this.running;
  }
}

export function floats({ program }) {
  return !program.closed && program.bodies.some((body) => body.type === "free" && body.parent < 0);
}

// The least mass that a force on a point of a body feels, in any direction: 1 / trace(J M⁻¹ Jᵀ).
function lightest(robot, body, point) {
  const { program, q } = robot;
  const n = program.nv;
  const J = program.jacobian(q, body, point);
  const L = cholesky(program.mass_matrix(q), n);
  let sum = 0;
  for (let row = 3; row < 6; row++) for (const y of forward(L, J.subarray(row * n, (row + 1) * n))) sum += y * y;
  return sum > 0 ? 1 / sum : robot.data.mass;
}

// y with L y = x.
function forward(L, x) {
  const n = x.length;
  const y = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let r = x[i];
    for (let j = 0; j < i; j++) r -= L[i * n + j] * y[j];
    y[i] = r / L[i * n + i];
  }
  return y;
}

function cholesky(M, n) {
  const L = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let x = M[i * n + j];
      for (let k = 0; k < j; k++) x -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = i === j ? Math.sqrt(Math.max(x, 1e-12)) : x / L[j * n + j];
    }
  return L;
}

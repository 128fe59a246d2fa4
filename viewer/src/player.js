// Play a motion: rows (T, nq) of each robot, and of its ghosts, at times t.
export class Player {
  constructor(app, motion) {
    Object.assign(this, { app, t: motion.t, time: motion.t[0], speed: 1, loop: true, playing: true, last: null });
    this.end = this.t[this.t.length - 1];
    this.begin = this.t[0];
    this.trails = app.robots.map((robot) => this.trailOf(robot));
  }

  // The configuration at a time: along the geodesics of the joints between rows.
  at(robot, rows, time) {
    const [k, s] = this.place(time);
    const nq = robot.program.nq;
    const row = (i) => rows.subarray(i * nq, (i + 1) * nq);
    if (s < 1e-9 || k + 1 >= this.t.length) return row(k).slice();
    const d = robot.program.difference(row(k), row(k + 1)).map((x) => s * x);
    return robot.program.integrate(row(k), d);
  }

  place(time) {
    const { t } = this;
    let low = 0;
    let high = t.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= time) low = middle;
      else high = middle;
    }
    if (t.length < 2 || time >= t[t.length - 1]) return [t.length - 1, 0];
    const span = t[low + 1] - t[low];
    return [low, span > 0 ? Math.max(0, (time - t[low]) / span) : 0];
  }

  go(time) {
    this.time = Math.min(Math.max(time, this.begin), this.end);
    for (const robot of this.app.robots) {
      const { motion, ghostMotions = [] } = robot.data;
      if (motion) {
        const q = this.at(robot, motion, this.time);
        robot.q = q;
        robot.v = this.velocity(robot, motion);
        robot.kept = null;
        [robot.row] = this.place(this.time);
      }
      ghostMotions.forEach((rows, k) => robot.setGhost(k, this.at(robot, rows, this.time)));
      if (motion) robot.update();
    }
    this.drawTrails();
    this.app.stage.invalidate();
  }

  velocity(robot, rows) {
    const [k] = this.place(this.time);
    const i = Math.min(k, this.t.length - 2);
    const nq = robot.program.nq;
    if (i < 0) return new Float64Array(robot.program.nv);
    const span = this.t[i + 1] - this.t[i];
    const row = (j) => rows.subarray(j * nq, (j + 1) * nq);
    return span > 0 ? robot.program.difference(row(i), row(i + 1)).map((x) => x / span) : new Float64Array(robot.program.nv);
  }

  // Places of the followed frame at all times, at most 2000.
  trailOf(robot) {
    const { motion, trail } = robot.data;
    if (!motion || trail === undefined || trail === null) return null;
    const { program } = robot;
    const every = Math.max(1, Math.ceil(this.t.length / 2000));
    const [points, times] = [[], []];
    for (let k = 0; k < this.t.length; k += every) {
      const X = program.poses(motion.subarray(k * program.nq, (k + 1) * program.nq));
      const at = 16 * (program.bodies.length + trail);
      points.push(X[at + 3], X[at + 7], X[at + 11]);
      times.push(this.t[k]);
    }
    return { points: Float64Array.from(points), times };
  }

  drawTrails() {
    this.app.robots.forEach((robot, i) => {
      const trail = this.trails[i];
      if (!trail || !robot.overlays.on.has("trail")) return;
      const n = trail.times.findIndex((t) => t > this.time);
      const count = n < 0 ? trail.times.length : n;
      const at = 16 * (robot.program.bodies.length + robot.data.trail);
      const tip = [robot.poses[at + 3], robot.poses[at + 7], robot.poses[at + 11]];
      robot.overlays.trail([...trail.points.subarray(0, 3 * count), ...tip]);
    });
  }

  // Called before each frame, with the time in seconds.
  frame(now) {
    if (!this.playing) {
      this.last = null;
      return false;
    }
    const passed = this.last === null ? 0 : now - this.last;
    this.last = now;
    let next = this.time + passed * this.speed;
    if (next > this.end) {
      if (this.loop) next = this.begin + ((next - this.begin) % Math.max(this.end - this.begin, 1e-9));
      else {
        next = this.end;
        this.playing = false;
      }
    }
    this.go(next);
    return true;
  }
}

// Quantities over time: of a motion that was given, or of a simulation as far as it has run.
const MOST = 4000; // rows of a plot
const ROWS_KEPT = 6000; // of a simulation

// Rows { t, q, v, tau } of one robot's motion. Velocities that were not given are those between the rows; tau may be missing.
export function motionRows(robot, player) {
  const { program, data } = robot;
  const { nq, nv } = program;
  const { t } = player;
  if (!data.motion) return [];
  const every = Math.max(1, Math.ceil(t.length / MOST));
  const q = (k) => data.motion.subarray(k * nq, (k + 1) * nq);
  const rates = (k) => {
    const [a, b] = [Math.max(k - 1, 0), Math.min(k + 1, t.length - 1)];
    const span = t[b] - t[a];
    return span > 0 ? program.difference(q(a), q(b)).map((x) => x / span) : new Float64Array(nv);
  };
  const made = [];
  for (let k = 0; k < t.length; k += every)
    made.push({
      t: t[k],
      q: q(k),
      v: data.velocity ? data.velocity.subarray(k * nv, (k + 1) * nv) : rates(k),
      tau: data.force ? data.force.subarray(k * nv, (k + 1) * nv) : null,
    });
  return made;
}

// Rows of a simulation, one per picture of it.
export class SimulationRows {
  constructor() {
    this.rows = [];
  }

  add(t, robot) {
    if (this.rows.length && t <= this.rows[this.rows.length - 1].t) this.rows = [];
    this.rows.push({ t, q: robot.q.slice(), v: robot.v.slice(), tau: null });
    if (this.rows.length > ROWS_KEPT) this.rows.splice(0, ROWS_KEPT / 4);
  }
}

// What can be plotted of a robot: { name, text, unit, lines: [names], values(row) → numbers, limits(i) }.
export function quantities(robot, { controls, degrees, frame, rows }) {
  const { program, data } = robot;
  const turn = (unit) => (degrees && unit === "rad" ? 180 / Math.PI : 1);
  const units = (list) => [...new Set(list)].map((unit) => (degrees && unit === "rad" ? "°" : unit)).join(", ");
  const at = 16 * (program.bodies.length + frame);
  const speeds = data.velocityUnits;
  const bound = (c, x) => (x === null || x === undefined ? null : x * turn(c.unit));
  const found = [
    {
      name: "q",
      text: "q",
      title: "Configuration",
      unit: units(controls.map(({ unit }) => unit)),
      lines: controls.map(({ name }) => name),
      values: ({ q }) => controls.map((c) => c.read(q) * turn(c.unit)),
      limits: (i) => [bound(controls[i], controls[i].lower), bound(controls[i], controls[i].upper)],
    },
    {
      name: "v",
      text: "v",
      title: "Velocities",
      unit: units(speeds).replace(/(\S+?)(,|$)/g, "$1/s$2"),
      lines: data.velocities,
      values: ({ v }) => Array.from(v, (x, i) => x * turn(speeds[i])),
    },
  ];
  if (rows.some(({ tau }) => tau))
    found.push({
      name: "tau",
      text: "τ",
      title: "Joint forces",
      unit: [...new Set(speeds.map((unit) => (unit === "rad" ? "N m" : "N")))].join(", "),
      lines: data.velocities,
      values: ({ tau }) => Array.from(tau),
      limits: (i) => (data.efforts[i] ? [-data.efforts[i], data.efforts[i]] : [null, null]),
      steps: true,
    });
  found.push(
    {
      name: "energy",
      text: "Energy",
      title: "Energy",
      unit: "J",
      lines: ["kinetic", "potential", "total"],
      values: ({ q, v }) => {
        const { kinetic, potential } = program.energy(q, v);
        return [kinetic, potential, kinetic + potential];
      },
    },
    {
      name: "position",
      text: "Position",
      title: `Position of ${program.frames[frame]?.name ?? "the base"}`,
      unit: "m",
      lines: ["x", "y", "z"],
      key: frame,
      values: ({ q }) => {
        const X = program.poses(q);
        return [X[at + 3], X[at + 7], X[at + 11]];
      },
    },
  );
  return found;
}

// Columns of a quantity, extended as rows come.
export class Columns {
  constructor(quantity) {
    this.quantity = quantity;
    this.clear();
  }

  clear() {
    this.t = [];
    this.lines = this.quantity.lines.map(() => []);
    this.first = null;
  }

  fill(rows) {
    if (rows[0] !== this.first || rows.length < this.t.length) this.clear();
    [this.first] = rows;
    for (let k = this.t.length; k < rows.length; k++) {
      this.t.push(rows[k].t);
      this.quantity.values(rows[k]).forEach((x, i) => this.lines[i].push(x));
    }
    return this;
  }
}

// The value of a column at a time: along the line between rows, or of the row before.
export function valueAt(t, column, time, steps = false) {
  let [low, high] = [0, t.length - 1];
  if (high < 0) return NaN;
  if (time <= t[0]) return column[0];
  if (time >= t[high]) return column[high];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle;
  }
  const s = t[high] > t[low] ? (time - t[low]) / (t[high] - t[low]) : 0;
  return steps ? column[low] : column[low] + s * (column[high] - column[low]);
}

// Round numbers from low to high, about `count` of them.
export function ticks(low, high, count) {
  const raw = (high - low) / Math.max(1, count);
  if (!(raw > 0) || !Number.isFinite(raw)) return { marks: [low], step: 1 };
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((k) => k * power >= raw * 0.999);
  const marks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) marks.push(k * step);
  return { marks, step };
}

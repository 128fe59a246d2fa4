// Sliders of a robot's joints, within their limits; loops stay closed. Values that come from elsewhere may be beyond: they are marked.
import { button, element } from "./dom.js";
import { beyond } from "./limits.js";
import { quaternionOf, vectorOf } from "./rotation.js";
import { abridged, breakable, decimals, fixed, typed } from "./text.js";

const TURN = Math.PI;

// What one slider sets: its name, unit and range, and how to read it from q and write it into q.
function controls(robot, size) {
  const { program } = robot;
  const made = [];
  program.bodies.forEach((body, k) => {
    const info = robot.data.joints[k];
    if (!info || info.mimic) return;
    const [begin, end] = body.q;
    const held = range(...body.v);
    const ball = info.quaternion;
    for (let i = 0; i < end - begin; i++) {
      if (ball !== null && i >= ball && i < ball + 4) continue;
      const unit = info.units[i];
      const span = { rad: TURN, m: size }[unit] ?? 1;
      const [lower, upper] = [body.lower?.[i] ?? null, body.upper?.[i] ?? null];
      made.push({
        name: info.labels[i],
        unit,
        lower,
        upper,
        wraps: unit === "rad" && lower === null && upper === null,
        low: lower ?? Math.min(-span, (upper ?? 0) - span),
        high: upper ?? Math.max(span, (lower ?? 0) + span),
        held: end - begin === held.length ? [held[i]] : held,
        read: (q) => q[begin + i],
        write: (q, x) => (q[begin + i] = x),
      });
    }
    if (ball === null) return;
    const at = begin + ball;
    ["x", "y", "z"].forEach((axis, i) =>
      made.push({
        name: `${info.name} ∠${axis}`,
        unit: "rad",
        low: -TURN,
        high: TURN,
        held,
        read: (q) => vectorOf(q.subarray(at, at + 4))[i],
        write: (q, x) => {
          const r = vectorOf(q.subarray(at, at + 4));
          r[i] = x;
          q.set(quaternionOf(r), at);
        },
      }),
    );
  });
  abridged(made.map(({ name }) => name)).forEach((label, i) => (made[i].label = label));
  for (const control of made) control.main = !program.closed || control.held.every((i) => program.independent.includes(i));
  return made;
}

const range = (begin, end) => Array.from({ length: end - begin }, (_, i) => begin + i);

export class JointPanel {
  constructor(app, robot) {
    Object.assign(this, { app, robot, degrees: false });
    this.element = element("div", { class: "joints" });
    this.controls = controls(robot, app.size);
    this.build();
    robot.listeners.push(() => (this.stale = true));
  }

  build() {
    const bar = element(
      "div",
      { class: "tools" },
      button("home", "Home: within the limits, loops closed", () => this.go(this.robot.program.home)),
      button("reset", "The configuration at the start", () => this.go(this.robot.data.q)),
      button("dice", "A random configuration", () => this.random()),
      button("copy", "Copy q as Python", () => this.copy()),
      element("button", { type: "button", class: "text", text: "rad", title: "Radians or degrees", on: { click: (e) => this.turnUnits(e.target) } }),
    );
    this.rows = [...this.controls].sort((a, b) => b.main - a.main).map((control) => this.row(control));
    this.out = element("span", { class: "beyond", role: "status" }); // beside the title of the section, so that nothing moves
    this.notes = this.robot.data.joints.flatMap((joint, k) => (joint.mimic ? [this.note(joint, this.robot.program.bodies[k])] : []));
    this.element.replaceChildren(bar, ...this.rows.map((row) => row.element), ...this.notes.map((note) => note.element));
    this.refresh();
  }

  row(control) {
    const slider = element("input", { type: "range", min: control.low, max: control.high, step: "any", "aria-label": control.name });
    const id = `beyond-${this.app.robots.indexOf(this.robot)}-${this.controls.indexOf(control)}`;
    const number = element("input", { type: "text", inputmode: "decimal", "aria-label": `${control.name}, number`, "aria-describedby": id });
    const mark = element("em", { id });
    slider.addEventListener("input", () => this.change(control, Number(slider.value)));
    number.addEventListener("change", () => {
      const x = typed(number.value) * this.factor(control);
      if (Number.isFinite(x)) this.change(control, Math.min(Math.max(x, control.low), control.high));
      this.refresh();
      number.value = this.text(control); // where it stays the same, what was typed goes
    });
    const made = element(
      "label",
      { class: control.main ? "joint" : "joint dependent", title: control.main ? control.name : `${control.name}: follows from the loops` },
      element("span", {}, ...breakable(control.label)),
      slider,
      number,
      mark,
    );
    return { control, slider, number, mark, element: made };
  }

  // A joint that follows another, which may leave its own limits.
  note(joint, body) {
    const { ratio, offset } = joint.follows;
    const mark = element("em");
    const made = element("div", { class: "joint note" }, element("span", {}, ...breakable(joint.name)), element("span", {}, ...breakable(`= ${joint.mimic}`)), mark);
    const control = { name: joint.name, unit: joint.units[0], lower: body.lower?.[0] ?? null, upper: body.upper?.[0] ?? null, read: (q) => ratio * q[body.q[0]] + offset };
    return { control, mark, element: made };
  }

  // Whether a value is beyond its limits: in colour, and in words.
  mark({ control, mark, number, element: row }) {
    const { lower, upper } = control;
    const out = beyond(control.read(this.robot.q), lower, upper);
    const text = out ? `${this.number(control, Math.abs(out))} ${out > 0 ? "above" : "below"} ${this.number(control, out > 0 ? upper : lower)}` : "";
    if (mark.textContent !== text) mark.textContent = text;
    row.classList.toggle("over", out !== 0);
    if (number) number.setAttribute("aria-invalid", out !== 0);
    return out !== 0;
  }

  // The value of a control: angles to a thousandth, lengths to one of the scene.
  text(control) {
    return this.number(control, control.read(this.robot.q));
  }

  number(control, x) {
    const digits = control.unit !== "rad" ? decimals(this.app.size) : this.degrees ? 1 : 3;
    return fixed(x / this.factor(control), digits);
  }

  factor(control) {
    return this.degrees && control.unit === "rad" ? Math.PI / 180 : 1;
  }

  turnUnits(of) {
    this.degrees = !this.degrees;
    of.textContent = this.degrees ? "deg" : "rad";
    this.refresh();
  }

  change(control, x) {
    const { program } = this.robot;
    let q = Float64Array.from(this.robot.q);
    control.write(q, x);
    q = program.normalise(q);
    this.app.pose();
    const closed = program.closed ? (program.assemble(q, control.held) ?? program.assemble(q, [])) : q;
    this.app.say(closed ? "" : "The loops do not close there.");
    if (closed) this.robot.set(closed);
    this.app.moved();
  }

  go(q) {
    this.app.pose();
    this.robot.set(Float64Array.from(q));
    this.app.moved();
  }

  // Within the limits; of closed robots, near where it is.
  random() {
    const { program } = this.robot;
    for (let attempt = 0; attempt < 20; attempt++) {
      const q = Float64Array.from(this.robot.q);
      for (const c of this.controls) {
        if (!c.main) continue;
        const reach = program.closed ? 0.25 : 1;
        const middle = program.closed ? c.read(q) : (c.low + c.high) / 2;
        const half = ((c.high - c.low) / 2) * reach * (c.held.length > 1 && !program.closed ? 0.35 : 1);
        c.write(q, Math.min(Math.max(middle + half * (2 * Math.random() - 1), c.low), c.high));
      }
      const closed = program.closed ? program.assemble(q, []) : program.normalise(q);
      if (closed) return this.go(closed);
    }
    return this.app.say("No closed configuration was found; try again.");
  }

  copy() {
    const text = `q = np.array([${[...this.robot.q].map((x) => Number(x.toPrecision(12))).join(", ")}])`;
    this.app.copy(text);
  }

  refresh() {
    this.stale = false;
    for (const { control, slider, number } of this.rows) {
      const x = control.read(this.robot.q);
      if (document.activeElement !== number) number.value = this.text(control);
      const at = control.wraps ? Math.atan2(Math.sin(x), Math.cos(x)) : x;
      slider.value = at;
      const part = (at - control.low) / (control.high - control.low);
      slider.style.setProperty("--part", `${Math.min(Math.max(part, 0), 1) * 100}%`);
    }
    const out = [...this.rows, ...this.notes].filter((row) => this.mark(row)).map((row) => row.control.name);
    const text = out.length ? `beyond limits: ${out.join(", ")}` : "";
    if (this.out.textContent !== text) this.out.title = this.out.textContent = text; // a screen reader says it once
  }
}

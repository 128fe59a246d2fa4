// Sliders of a robot's joints, in groups, within their limits; loops stay closed. Values that come from elsewhere may be beyond: they are marked.
import { controlsOf, groupsOf } from "./controls.js";
import { button, element } from "./dom.js";
import { beyond } from "./limits.js";
import { breakable, decimals, fixed, typed } from "./text.js";

const FEW = 9; // controls that need neither groups nor a filter
const MANY = 14; // controls from which on groups are closed at first

export class JointPanel {
  constructor(app, robot) {
    Object.assign(this, { app, robot, degrees: false });
    this.element = element("div", { class: "joints" });
    this.controls = controlsOf(robot, app.size);
    this.build();
    robot.listeners.push(() => (this.stale = true));
  }

  build() {
    const { history } = this.app;
    this.tools = element(
      "div",
      { class: "tools" },
      button("home", "Home: within the limits, loops closed", () => this.home()),
      button("reset", "The configuration at the start", () => this.go(this.robot.data.q)),
      button("dice", "A random configuration", () => this.random()),
      button("copy", "Copy q as Python", () => this.copy()),
      (this.undo = button("undo", "Undo", () => history.undo())),
      (this.redo = button("redo", "Redo", () => history.redo())),
      element("button", { type: "button", class: "text", text: "rad", title: "Radians or degrees", on: { click: (e) => this.turnUnits(e.target) } }),
    );
    history.listeners.push(() => this.steps());
    this.steps();
    this.rows = [...this.controls].sort((a, b) => b.main - a.main).map((control) => this.row(control));
    this.out = element("span", { class: "beyond", role: "status" }); // beside the title of the section, so that nothing moves
    this.notes = this.robot.data.joints.flatMap((joint, k) => (joint.mimic ? [this.note(joint, this.robot.program.bodies[k])] : []));
    this.element.replaceChildren(this.tools, ...this.list());
    this.refresh();
  }

  // Rows in groups with a filter; as they are, if they are few.
  list() {
    const lines = [...this.rows, ...this.notes].map(({ element: made }) => made);
    const groups = groupsOf(this.robot, this.controls);
    if (this.controls.length <= FEW || groups.length < 2) {
      this.groups = [];
      if (this.controls.length <= FEW) return lines;
    } else {
      const { closed, bodies } = this.robot.program;
      const first = closed ? 0 : groups.findIndex((group) => bodies[group.controls[0].body].type !== "free");
      this.groups = groups.map((group, k) => this.group(group, this.controls.length <= MANY || k === first));
    }
    this.filter = element("input", { type: "search", placeholder: "Find a joint", "aria-label": "Find a joint", spellcheck: "false", autocomplete: "off" });
    this.filter.addEventListener("input", () => this.find(this.filter.value));
    this.filter.addEventListener("keydown", (e) => {
      if (e.key !== "Escape") return;
      this.find((this.filter.value = ""));
      this.filter.blur();
    });
    this.found = element("span", { class: "found", role: "status" });
    this.all = element("button", { type: "button", class: "text all", on: { click: () => this.openAll() } });
    this.all.hidden = !this.groups.length;
    this.named();
    const rest = element("div", { class: "group" }, ...this.notes.map((note) => note.element));
    const shown = this.groups.length ? [...this.groups.map((group) => group.element), rest] : lines;
    return [element("div", { class: "finder" }, this.filter, this.found, this.all), ...shown];
  }

  group({ title, controls }, open) {
    const rows = this.rows.filter(({ control }) => controls.includes(control));
    const count = element("span", { class: "count", text: rows.length });
    const made = element("details", { class: "group", open }, element("summary", {}, element("span", {}, ...breakable(title)), count));
    made.append(...rows.map((row) => row.element));
    made.addEventListener("toggle", () => this.named());
    return { rows, element: made, title };
  }

  // Rows whose names have all these words in them, and the groups that have such rows.
  find(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ({ control }, title = "") => words.every((word) => `${title} ${control.name}`.toLowerCase().includes(word));
    let count = 0;
    const narrow = (row, title) => (count += !(row.element.hidden = !fits(row, title)));
    const grouped = this.groups.flatMap(({ rows }) => rows);
    for (const group of this.groups) {
      group.before ??= group.element.open;
      for (const row of group.rows) narrow(row, group.title);
      const hits = group.rows.some((row) => !row.element.hidden);
      group.element.hidden = !hits;
      group.element.open = words.length ? hits : group.before;
      if (!words.length) group.before = undefined;
    }
    for (const row of [...this.rows, ...this.notes]) if (!grouped.includes(row)) narrow(row, "");
    const all = this.rows.length + this.notes.length;
    this.found.textContent = !words.length ? "" : count ? `${count} of ${all}` : "none";
  }

  openAll(open = !this.groups.every((group) => group.element.open)) {
    for (const group of this.groups) group.element.open = open;
  }

  named() {
    this.all.textContent = this.groups.every((group) => group.element.open) ? "Close all" : "Open all";
  }

  // Show the rows of a body's joint, after a click on it.
  reveal(body) {
    const rows = this.rows.filter(({ control }) => control.body === body);
    for (const row of this.rows) row.element.classList.toggle("chosen", rows.includes(row));
    const group = this.groups.find((x) => x.rows.includes(rows[0]));
    if (group) group.element.open = true;
    rows[0]?.element.scrollIntoView({ block: "nearest" });
  }

  row(control) {
    const slider = element("input", { type: "range", min: control.low, max: control.high, step: "any", "aria-label": control.name });
    const id = `beyond-${this.app.robots.indexOf(this.robot)}-${this.controls.indexOf(control)}`;
    const number = element("input", { type: "text", inputmode: "decimal", "aria-label": `${control.name}, number`, "aria-describedby": id });
    const mark = element("em", { id });
    slider.addEventListener("input", () => this.change(control, Number(slider.value), id));
    slider.addEventListener("change", () => this.app.history.close());
    number.addEventListener("change", () => {
      const x = typed(number.value) * this.factor(control);
      if (Number.isFinite(x)) this.change(control, Math.min(Math.max(x, control.low), control.high));
      this.app.history.close();
      this.refresh();
      number.value = this.text(control); // where it stays the same, what was typed goes
    });
    const made = element(
      "label",
      { class: control.main ? "joint" : "joint dependent", title: control.main ? control.name : `${control.name}: follows from the loops` },
      element("span", {}, ...breakable(control.name)),
      mark,
      number,
      slider,
    );
    return { control, slider, number, mark, element: made };
  }

  // A joint that follows another, which may leave its own limits.
  note(joint, body) {
    const { ratio, offset } = joint.follows;
    const mark = element("em");
    const made = element("div", { class: "joint note" }, element("span", {}, ...breakable(joint.name)), mark, element("span", {}, ...breakable(`= ${joint.mimic}`)));
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
    this.app.dock?.refill();
  }

  // All that one gesture changes is one step of the history.
  change(control, x, gesture = null) {
    const { program } = this.robot;
    let q = Float64Array.from(this.robot.q);
    control.write(q, x);
    q = program.normalise(q);
    this.app.history.mark(gesture);
    this.app.pose();
    const closed = program.closed ? (program.assemble(q, control.held) ?? program.assemble(q, [])) : q;
    this.app.say(closed ? "" : "The loops do not close there.");
    if (closed) this.robot.set(closed);
    this.app.moved();
  }

  go(q) {
    this.app.history.mark();
    this.app.pose();
    this.robot.set(Float64Array.from(q));
    this.app.history.close();
    this.app.moved();
  }

  home() {
    this.go(this.robot.program.home);
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

  steps() {
    const { past, future } = this.app.history;
    this.undo.disabled = !past.length;
    this.redo.disabled = !future.length;
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

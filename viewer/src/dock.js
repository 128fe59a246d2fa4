// Plots over time, below the robot: lines of chosen joints, and a cursor that is the time of the motion.
import { button, element } from "./dom.js";
import { Columns, SimulationRows, motionRows, quantities, ticks, valueAt } from "./series.js";
import { breakable, significant } from "./text.js";

const COLOURS = {
  light: ["#2563eb", "#d9480f", "#0f8a5f", "#a21caf", "#b7791f", "#0e7490", "#be123c", "#4d7c0f", "#6d4bd8", "#57606f"],
  dark: ["#7aa2ff", "#ff9b6a", "#4fd1a5", "#e58bf0", "#f2c14e", "#5fc9e0", "#ff8fa6", "#a9cf54", "#b7a1ff", "#b6bfce"],
};
const AT_FIRST = 6; // lines that are shown of many
const FEW = 8; // lines that are all shown
const PAD = { left: 50, right: 14, top: 18, bottom: 22 };

export class Dock {
  constructor(app) {
    Object.assign(this, { app, open: false, kind: "q", chosen: new Map(), simulated: app.robots.map(() => new SimulationRows()), columns: new Map() });
    this.given = new Map();
    this.tabs = element("div", { class: "modes kinds", role: "group", "aria-label": "Quantity" });
    this.title = element("span", { class: "what" });
    this.legend = element("div", { class: "legend", role: "group", "aria-label": "Lines" });
    this.canvas = element("canvas", { class: "plot", role: "img", tabindex: -1 });
    this.hint = element("p", { class: "hint" });
    this.several = element("button", { type: "button", class: "text", on: { click: () => this.chooseAll() } });
    const head = element("header", {}, this.tabs, this.title, this.several, button("close", "Close the plots", () => this.toggle(false)));
    this.element = element("section", { class: "dock", "aria-label": "Plots over time", hidden: true }, head, this.legend, element("div", { class: "sheet" }, this.canvas, this.hint));
    app.root.append(this.element);
    const at = (e) => this.scrub(e);
    this.canvas.addEventListener("pointerdown", (e) => {
      this.canvas.setPointerCapture(e.pointerId);
      at(e);
    });
    this.canvas.addEventListener("pointermove", (e) => e.buttons && at(e));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  toggle(open = !this.open) {
    this.open = open;
    this.element.hidden = !open;
    this.app.root.classList.toggle("plotting", open);
    if (open) this.refill();
    this.app.bar.refresh();
    this.app.arrange();
  }

  // Where the numbers come from: the simulation while it is shown, else the motion.
  get rows() {
    const { app } = this;
    if (app.mode === "simulate" || !app.player) return this.simulated[app.current].rows;
    if (!this.given.has(app.current)) this.given.set(app.current, motionRows(app.robot, app.player));
    return this.given.get(app.current);
  }

  get time() {
    return this.app.mode === "simulate" || !this.app.player ? this.app.simulation.time : this.app.player.time;
  }

  // A row of the simulation.
  record(time) {
    this.app.simulation.robots.forEach((robot) => this.simulated[this.app.robots.indexOf(robot)].add(time, robot));
  }

  // After another robot, frame, unit or mode was chosen.
  refill() {
    if (!this.open) return;
    const { app } = this;
    const { joints, numbers } = app.panel.current;
    this.all = quantities(app.robot, { controls: joints.controls, degrees: joints.degrees, frame: numbers.frame, rows: this.rows });
    this.quantity = this.all.find(({ name }) => name === this.kind) ?? this.all[0];
    this.columns.clear();
    this.tabs.replaceChildren(
      ...this.all.map(({ name, text, title }) =>
        element("button", { type: "button", text, title, "aria-pressed": String(name === this.quantity.name), on: { click: () => this.show(name) } }),
      ),
    );
    this.title.replaceChildren(...breakable(this.quantity.title));
    this.build();
  }

  show(name) {
    this.kind = name;
    this.refill();
  }

  get marked() {
    const { lines, name } = this.quantity;
    const key = `${this.app.current} ${["q", "v", "tau"].includes(name) ? lines.join() : name}`;
    if (!this.chosen.has(key)) this.chosen.set(key, new Set(lines.map((_, i) => i).slice(0, lines.length <= FEW ? lines.length : AT_FIRST)));
    return this.chosen.get(key);
  }

  colour(i) {
    const list = COLOURS[this.app.stage.theme];
    return list[i % list.length];
  }

  build() {
    this.chips = this.quantity.lines.map((name, i) => {
      const value = element("b");
      const chip = element("button", { type: "button", class: "chip", title: name, on: { click: () => this.choose(i) } }, element("i"), element("span", {}, ...breakable(name)), value);
      return { chip, value };
    });
    this.legend.replaceChildren(...this.chips.map(({ chip }) => chip));
    this.paint();
  }

  choose(i) {
    const { marked } = this;
    if (marked.has(i)) marked.delete(i);
    else marked.add(i);
    this.paint();
  }

  chooseAll() {
    const { marked } = this;
    const all = this.quantity.lines.length;
    const full = marked.size === all;
    marked.clear();
    if (!full) for (let i = 0; i < all; i++) marked.add(i);
    this.paint();
  }

  paint() {
    const { marked } = this;
    this.chips.forEach(({ chip }, i) => {
      chip.setAttribute("aria-pressed", marked.has(i));
      chip.style.setProperty("--colour", this.colour(i));
      chip.style.setProperty("--dashes", i % 20 < 10 ? "solid" : "dashed");
    });
    this.several.textContent = marked.size === this.quantity.lines.length ? "None" : "All";
    this.draw();
  }

  // The numbers that are plotted: times and, for each line, its values.
  data() {
    if (!this.columns.has(this.quantity)) this.columns.set(this.quantity, new Columns(this.quantity));
    return this.columns.get(this.quantity).fill(this.rows);
  }

  scrub(event) {
    const { app } = this;
    if (!this.axis || !app.player || app.mode === "simulate") return;
    if (app.mode !== "motion") app.setMode("motion");
    const box = this.canvas.getBoundingClientRect();
    const { left, width, begin, end } = this.axis;
    app.player.playing = false;
    app.player.go(begin + ((event.clientX - box.left - left) / width) * (end - begin));
    app.refresh();
  }

  refresh() {
    if (this.open) this.draw();
  }

  draw() {
    const { canvas, app } = this;
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight];
    if (!this.open || !this.quantity || wide < 40 || high < 40) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(high * ratio)) Object.assign(canvas, { width: Math.round(wide * ratio), height: Math.round(high * ratio) });
    const c = canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, wide, high);
    const { t, lines } = this.data();
    const shown = [...this.marked].sort((a, b) => a - b);
    this.tell(t, lines, shown);
    this.hint.textContent = t.length < 2 ? (app.simulation.robots.length ? "Simulate, and lines appear here." : "There is no motion.") : shown.length ? "" : "Choose a line above.";
    if (t.length < 2) return;
    const [begin, end] = [t[0], Math.max(t[t.length - 1], t[0] + 1e-9)];
    const [low, high_] = this.span(lines, shown);
    const width = wide - PAD.left - PAD.right;
    const height = high - PAD.top - PAD.bottom;
    this.axis = { left: PAD.left, width, begin, end };
    const x = (time) => PAD.left + ((time - begin) / (end - begin)) * width;
    const y = (value) => PAD.top + (1 - (value - low) / (high_ - low)) * height;
    this.frame(c, { wide, high, width, height, x, y, low, top: high_, begin, end });
    c.save();
    c.beginPath();
    c.rect(PAD.left, PAD.top - 2, width, height + 4);
    c.clip();
    if (shown.length === 1) this.bounds(c, shown[0], { y, left: PAD.left, right: PAD.left + width });
    for (const i of shown) this.line(c, t, lines[i], { x, y, width, colour: this.colour(i), dashed: i % 20 >= 10 });
    c.restore();
    this.cursor(c, { t, lines, shown, x, y, height });
  }

  // The range of the values that are shown, with a margin.
  span(lines, shown) {
    let [low, high] = [Infinity, -Infinity];
    for (const i of shown) for (const value of lines[i]) if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    if (!(high >= low)) return [-1, 1];
    const margin = Math.max((high - low) * 0.06, Math.abs(high) * 1e-3, 1e-6);
    return [low - margin, high + margin];
  }

  style(name) {
    return getComputedStyle(this.app.root).getPropertyValue(name);
  }

  frame(c, { wide, high, width, height, x, y, low, top, begin, end }) {
    c.font = "11px ui-sans-serif, system-ui, sans-serif";
    c.lineWidth = 1;
    c.fillStyle = this.style("--soft");
    c.strokeStyle = this.style("--line");
    const across = ticks(begin, end, Math.min(10, width / 70));
    const up = ticks(low, top, Math.min(6, height / 28));
    const digits = (step) => Math.min(8, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
    c.textBaseline = "middle";
    c.textAlign = "right";
    for (const value of up.marks) {
      const at = Math.round(y(value)) + 0.5;
      stroke(c, [PAD.left, at], [PAD.left + width, at]);
      c.fillText(Math.abs(value) >= 1e5 ? value.toExponential(1) : value.toFixed(digits(up.step)), PAD.left - 7, at);
    }
    c.textBaseline = "alphabetic";
    c.textAlign = "center";
    for (const time of across.marks) {
      const at = Math.round(x(time)) + 0.5;
      stroke(c, [at, PAD.top], [at, PAD.top + height]);
      if (at < wide - 34) c.fillText(time.toFixed(digits(across.step)), at, high - 6);
    }
    c.textAlign = "right";
    c.fillText("t [s]", wide - 4, high - 6);
    c.textAlign = "left";
    c.fillText(`[${this.quantity.unit}]`, 2, PAD.top - 4);
  }

  bounds(c, i, { y, left, right }) {
    const { limits } = this.quantity;
    c.strokeStyle = this.style("--over");
    c.setLineDash([4, 4]);
    for (const limit of limits ? limits(i) : []) if (limit !== null) stroke(c, [left, y(limit)], [right, y(limit)]);
    c.setLineDash([]);
  }

  // At most a few points per pixel: of each pixel, the least and the greatest value.
  line(c, t, values, { x, y, width, colour, dashed }) {
    c.strokeStyle = colour;
    c.lineWidth = 1.8;
    c.lineJoin = "round";
    c.setLineDash(dashed ? [5, 3] : []);
    c.beginPath();
    const dense = t.length > 3 * width;
    let pixel = -1;
    let [least, most] = [0, 0];
    let before = false;
    const { steps } = this.quantity;
    for (let k = 0; k < t.length; k++) {
      if (!Number.isFinite(values[k])) {
        before = false;
        continue;
      }
      const at = x(t[k]);
      const place = y(values[k]);
      if (dense && Math.floor(at) === pixel) {
        if (place < least || place > most) c.lineTo(at, place);
        [least, most] = [Math.min(least, place), Math.max(most, place)];
        continue;
      }
      [pixel, least, most] = [Math.floor(at), place, place];
      if (!before) c.moveTo(at, place);
      else if (steps && !dense) {
        c.lineTo(at, y(values[k - 1]));
        c.lineTo(at, place);
      } else c.lineTo(at, place);
      before = true;
    }
    c.stroke();
    c.setLineDash([]);
  }

  cursor(c, { t, lines, shown, x, y, height }) {
    const { time } = this;
    const at = Math.min(Math.max(x(time), PAD.left), x(t[t.length - 1]));
    c.strokeStyle = this.style("--ink");
    c.lineWidth = 1.2;
    stroke(c, [at, PAD.top - 4], [at, PAD.top + height]);
    for (const i of shown) {
      const value = valueAt(t, lines[i], time, this.quantity.steps);
      if (!Number.isFinite(value)) continue;
      c.beginPath();
      c.arc(at, y(value), 3.4, 0, 2 * Math.PI);
      c.fillStyle = this.colour(i);
      c.fill();
      c.strokeStyle = this.style("--solid");
      c.stroke();
    }
  }

  // Values at the cursor, as text.
  tell(t, lines, shown) {
    this.chips.forEach(({ value }, i) => {
      const text = shown.includes(i) && t.length ? significant(valueAt(t, lines[i], this.time, this.quantity.steps)) : "";
      if (value.textContent !== text) value.textContent = text;
    });
    const { title, unit } = this.quantity;
    const label = `${title} [${unit}] over time: ${shown.map((i) => this.quantity.lines[i]).join(", ") || "no line"}`;
    if (this.canvas.getAttribute("aria-label") !== label) this.canvas.setAttribute("aria-label", label);
  }
}

function stroke(c, from, to) {
  c.beginPath();
  c.moveTo(...from);
  c.lineTo(...to);
  c.stroke();
}

// The panel at the side: joints, what is shown, numbers, simulation, files.
import { button, element, section } from "./dom.js";
import { JointPanel } from "./joints.js";
import { Numbers } from "./numbers.js";
import { breakable } from "./text.js";
import { reason } from "./simulation.js";
import { Sheet } from "./sheet.js";

const LAYERS = [
  ["visual", "shapes", "Shapes of links"],
  ["floor", "floor", "A grid and a shadow, below the lowest point"],
  ["frames", "frames", "Frames: x red, y green, z blue"],
  ["axes", "screw axes", "Axes of the joints"],
  ["com", "mass centre", "Centre of mass of the robot"],
  ["inertia", "inertia", "Uniform ellipsoids of the same inertia"],
  ["closures", "closures", "Points that closures hold together"],
  ["contacts", "contacts", "Points where shapes touch, and the forces there"],
  ["wrenches", "wrenches", "Forces and moments that act on the robot"],
  ["names", "names", "Names of frames"],
  ["collision", "collision", "Shapes for collisions"],
  ["trail", "trail", "Where a frame has been"],
];

export class Panel {
  constructor(app) {
    this.app = app;
    this.parts = app.robots.map((robot) => ({ joints: new JointPanel(app, robot), numbers: new Numbers(app, robot) }));
    this.title = element("div", { class: "title" });
    this.joints = section("Joints", true);
    this.numbers = section("Numbers", true);
    this.element = element("aside", { class: "panel", "aria-label": "Controls" }, this.title, this.joints, this.layers(), this.simulation(), this.numbers, this.files());
    app.root.append(this.element);
    this.sheet = new Sheet(app, this);
    this.head();
    this.refill();
  }

  head() {
    const { app } = this;
    const { robots } = app;
    if (robots.length > 1) {
      this.choice = element("select", { "aria-label": "Robot" }, ...robots.map((r, i) => element("option", { value: i, text: r.name })));
      this.choice.addEventListener("change", () => {
        app.current = Number(this.choice.value);
        this.refill();
      });
      this.title.append(this.choice);
    } else this.title.append(element("h1", {}, ...breakable(app.robot.name)));
    this.facts = element("p");
    this.without = element("p", { class: "without" });
    this.title.append(this.facts, this.without);
  }

  // Joints and numbers of the robot that is chosen.
  get current() {
    return this.parts[this.app.current];
  }

  refill() {
    const { joints, numbers } = this.current;
    const { data, program } = this.app.robot;
    if (this.choice) this.choice.value = this.app.current;
    this.joints.firstChild.replaceChildren("Joints", joints.out);
    this.joints.replaceChildren(this.joints.firstChild, joints.element);
    this.numbers.replaceChildren(this.numbers.firstChild, numbers.element);
    const dof = program.closed ? program.independent.length : program.nv;
    const loops = program.closed ? ` · ${program.closures.length} closure${program.closures.length > 1 ? "s" : ""}` : "";
    this.facts.textContent = `${dof} dof · ${program.bodies.length} bodies · ${data.mass.toPrecision(3)} kg${loops}`;
    this.without.textContent = program.step ? "" : `No simulation: ${reason(program)}.`;
    joints.refresh();
    numbers.refresh();
    this.app.dock?.refill();
  }

  select(hit) {
    const { frames } = hit.robot.program;
    const { numbers, joints } = this.current;
    const own = frames.findIndex((f) => f.body === hit.body);
    if (own >= 0 && frames[numbers.frame].body !== hit.body) {
      numbers.frame = own;
      numbers.select.value = own;
    }
    this.refill();
    joints.reveal(hit.body);
  }

  layers() {
    this.switches = {};
    const grid = element("div", { class: "layers" });
    const { robots } = this.app;
    const has = {
      collision: robots.some((r) => r.roles.collision.length),
      closures: robots.some((r) => r.program.closure_ends),
      contacts: robots.some((r) => r.data.contacts || r.program.contacts),
      wrenches: robots.some((r) => r.data.wrenches.length),
      trail: Boolean(this.app.player),
      inertia: robots.some((r) => r.data.inertia.length),
    };
    for (const [name, text, title] of LAYERS) {
      if (has[name] === false) continue;
      const box = element("input", { type: "checkbox", name, on: { change: () => this.app.show(name, box.checked) } });
      box.checked = name === "visual" || name === "floor";
      this.switches[name] = box;
      grid.append(element("label", { class: "switch", title }, box, element("span", { text })));
    }
    return section("Show", true, grid);
  }

  simulation() {
    const { simulation } = this.app;
    const flag = (name, text, title) => {
      const box = element("input", { type: "checkbox", name, on: { change: () => (simulation[name] = box.checked) } });
      box.checked = simulation[name];
      return element("label", { class: "switch", title }, box, element("span", { text }));
    };
    const slider = (text, name, low, high, step, value, show) => {
      const input = element("input", { type: "range", min: low, max: high, step, value, name, "aria-label": text });
      const number = element("output", { text: show(value) });
      const part = () => input.style.setProperty("--part", `${((input.value - low) / (high - low)) * 100}%`);
      input.addEventListener("input", () => {
        simulation[name] = name === "stiffness" ? 10 ** Number(input.value) : Number(input.value);
        number.textContent = show(Number(input.value));
        part();
      });
      part();
      return element("label", { class: "joint" }, element("span", { text }), number, input);
    };
    this.sim = section(
      "Simulation",
      true,
      element("div", { class: "layers" }, flag("gravity", "gravity", "Gravity of the model"), flag("stops", "joint stops", "Joints are pushed back within their limits"), flag("hold", "hold pose", "Springs hold the joints where they began")),
      slider("damping", "damping", 0, 5, 0.05, 0, (x) => `${x.toFixed(2)} /s`),
      slider("spring", "stiffness", -1.5, 1.5, 0.05, 0, (x) => `×${(10 ** x).toFixed(10 ** x < 1 ? 2 : 1)}`),
      element("p", { class: "note", text: "Pull a link with the pointer: a spring acts between the two." }),
      ...(simulation.gravity ? [] : [element("p", { class: "note", text: "Gravity is off at first: nothing carries a floating base." })]),
    );
    this.sim.classList.add("simulation");
    return this.sim;
  }

  files() {
    const { recorder } = this.app;
    const tools = element(
      "div",
      { class: "tools" },
      button(null, "Picture", () => recorder.png(), "PNG"),
      button(null, "Animated picture: the motion, the simulation or a turn around the robot", () => recorder.gif(), "GIF"),
      button(null, "Film: MP4 if the browser writes it, else WebM", () => recorder.film(), "Film"),
      button(null, "This page, as it is now, in one file", () => recorder.html(), "HTML"),
    );
    tools.querySelectorAll("button").forEach((b) => (b.className = "text"));
    return section("Save", true, tools);
  }

  mode() {
    this.sim.hidden = this.app.mode !== "simulate";
  }

  mark(name, on) {
    if (this.switches[name]) this.switches[name].checked = on;
  }

  shown() {
    return Object.entries(this.switches).filter(([, box]) => box.checked).map(([name]) => name);
  }

  touch() {
    this.parts.forEach(({ numbers }) => (numbers.stale = true));
  }

  get stale() {
    const { joints, numbers } = this.current;
    return joints.stale || (numbers.stale && this.numbers.open);
  }

  refresh() {
    const { joints, numbers } = this.current;
    if (joints.stale) joints.refresh();
    if (numbers.stale && this.numbers.open && this.app.root.classList.contains("open")) numbers.refresh();
    else numbers.stale = false;
  }
}

// Live numbers: joint forces against gravity (of closed robots, those of the motors), the mass matrix, energies, manipulability and the pose of a frame.
import { element } from "./dom.js";
import { rollPitchYaw } from "./rotation.js";
import { breakable, decimals, fixed, significant } from "./text.js";

const LONG = 30; // letters that a field has room for

export class Numbers {
  constructor(app, robot) {
    Object.assign(this, { app, robot, stale: true });
    const { program } = robot;
    this.frame = robot.data.tip;
    this.select = element("select", { "aria-label": "Frame" });
    program.frames.forEach((frame, k) => this.select.append(element("option", { value: k, text: frame.name, selected: k === this.frame })));
    this.select.addEventListener("change", () => {
      this.frame = Number(this.select.value);
      this.refresh();
      app.dock.refill();
    });
    this.whole = element("p", { class: "note" }); // of names that are too long for the field
    this.bars = element("div", { class: "bars" });
    this.rows = program.gravity ? robot.data.efforts.map((effort, i) => this.bar(effort, i)) : [];
    this.unheld = element("p", { class: "note", text: "The motors cannot hold the closed robot here.", hidden: true });
    this.heat = element("canvas", { class: "heat", role: "img", "aria-label": "Mass matrix" });
    this.under = element("div", { class: "note", text: "mass matrix M" });
    this.energy = this.table(["kinetic", "potential", "total"], "J");
    this.place = this.table(["x", "y", "z", "roll", "pitch", "yaw"], "");
    this.dexterity = element("div", { class: "pair" }, element("span", { text: "manipulability" }), element("b"));
    this.heat.addEventListener("pointermove", (e) => this.tell(e));
    this.heat.addEventListener("pointerleave", () => (this.under.textContent = "mass matrix M"));
    this.element = element("div", { class: "numbers" });
    const parts = [element("h3", { text: "Frame" }), this.select, this.whole, this.place.element, this.dexterity];
    const forces = program.motor_forces ? "Motor forces against gravity" : "Joint forces against gravity";
    if (this.rows.length) parts.push(element("h3", { text: forces }), this.bars, this.unheld);
    if (program.energy) parts.push(element("h3", { text: "Energy" }), this.energy.element);
    if (program.mass_matrix) parts.push(element("h3", { text: "Mass matrix" }), this.heat, this.under);
    this.element.append(...parts);
    robot.listeners.push(() => (this.stale = true));
  }

  bar(effort, i) {
    const fill = element("i");
    const value = element("b");
    const title = `${this.robot.data.velocities[i]}: ${effort ? `limit ${effort}` : "no effort limit"}`;
    const row = element("div", { class: "bar", title }, element("span", {}, ...breakable(this.robot.data.velocities[i])), value, element("div", {}, fill));
    const { driven } = this.robot.program;
    row.hidden = Boolean(driven && !driven.includes(i)); // without a motor
    this.bars.append(row);
    return { fill, value, effort };
  }

  table(names, unit) {
    const made = element("div", { class: "grid" });
    const cells = {};
    for (const name of names) {
      cells[name] = element("b");
      made.append(element("div", {}, element("span", { text: name }), cells[name], element("em", { text: unit })));
    }
    return { element: made, cells };
  }

  refresh() {
    this.stale = false;
    const { program, q, v, poses } = this.robot;
    const at = 16 * (program.bodies.length + this.frame);
    const X = poses.subarray(at, at + 16);
    const [roll, pitch, yaw] = rollPitchYaw(X);
    const { cells } = this.place;
    Object.entries({ x: X[3], y: X[7], z: X[11], roll, pitch, yaw }).forEach(([k, x]) => (cells[k].textContent = fixed(x, k.length > 1 ? 3 : decimals(this.app.size))));
    const frame = program.frames[this.frame];
    const long = frame.name.length > LONG ? frame.name : "";
    if (this.whole.textContent !== long) this.whole.replaceChildren(...breakable(long));
    const still = frame.body < 0;
    this.dexterity.lastChild.textContent = still ? "–" : significant(program.manipulability(q, frame.body, [3, 7, 11].map((k) => frame.pose[k])));
    if (this.rows.length) this.forces(program.motor_forces ? program.motor_forces(q) : program.gravity(q));
    if (program.energy) {
      const { kinetic, potential } = program.energy(q, v);
      Object.entries({ kinetic, potential, total: kinetic + potential }).forEach(([k, x]) => (this.energy.cells[k].textContent = significant(x, 5)));
    }
    if (program.mass_matrix) this.paint(program.mass_matrix(q));
  }

  forces(found) {
    this.unheld.hidden = Boolean(found);
    this.bars.hidden = !found;
    const tau = found ?? [];
    const most = Math.max(...tau.map(Math.abs), 1e-9);
    if (found) this.rows.forEach(({ fill, value, effort }, i) => {
      const part = tau[i] / (effort || most);
      const width = Math.min(Math.abs(part), 1) * 50;
      fill.style.left = `${part < 0 ? 50 - width : 50}%`;
      fill.style.width = `${width}%`;
      fill.className = effort && Math.abs(part) > 1 ? "over" : effort ? "" : "free";
      value.textContent = Math.abs(tau[i]) < 1e-9 * most ? "0" : significant(tau[i]);
    });
  }

  // Entries by sign and size, relative to the diagonal: M_ij / √(M_ii M_jj).
  paint(M) {
    const n = this.robot.program.nv;
    this.M = M;
    const cell = Math.max(1, Math.floor(480 / n));
    const { heat } = this;
    heat.width = heat.height = cell * n;
    const c = heat.getContext("2d");
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        const x = M[i * n + j] / Math.sqrt(M[i * n + i] * M[j * n + j]) || 0;
        c.fillStyle = shade(x, this.app.stage.theme);
        c.fillRect(j * cell, i * cell, cell - (n < 30), cell - (n < 30));
      }
  }

  tell(event) {
    const n = this.robot.program.nv;
    const box = this.heat.getBoundingClientRect();
    const pick = (x, from, size) => Math.min(n - 1, Math.max(0, Math.floor(((x - from) / size) * n)));
    const [i, j] = [pick(event.clientY, box.top, box.height), pick(event.clientX, box.left, box.width)];
    const names = this.robot.data.velocities;
    this.under.textContent = `${names[i]} · ${names[j]}: ${significant(this.M[i * n + j])}`;
  }
}

// −1 … 0 … 1 as orange … background … blue.
function shade(x, theme) {
  const zero = theme === "dark" ? [38, 43, 53] : [237, 240, 245];
  const end = x > 0 ? [59, 110, 246] : [240, 120, 50];
  const s = Math.min(Math.abs(x), 1) ** 0.6;
  return `rgb(${zero.map((z, k) => Math.round(z + (end[k] - z) * s)).join()})`;
}

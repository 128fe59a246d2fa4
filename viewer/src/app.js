// The page: robots on a stage, what moves them (sliders, pointer, motion, simulation), and the panels around.
import * as T from "three";
import { Bar } from "./bar.js";
import { element } from "./dom.js";
import { Meshes } from "./meshes.js";
import { OVERLAYS, Overlays } from "./overlays.js";
import { numbers } from "./packed.js";
import { Panel } from "./panel.js";
import { Player } from "./player.js";
import { Pointer } from "./pointer.js";
import { Recorder } from "./record.js";
import { RobotView } from "./robot.js";
import { Simulation } from "./simulation.js";
import { Stage, corners } from "./stage.js";

const NARROW = 720;
const NUMBERS_EVERY = 0.066; // seconds between two updates of numbers and sliders

export class App {
  constructor(root, scene, programs) {
    Object.assign(this, { root, scene, mode: "pose", title: scene.title });
    root.classList.add("kinetrace");
    this.view = element("div", { class: "view" });
    root.append(this.view);
    this.stage = new Stage(this.view, scene.up);
    this.robots = scene.robots.map((data, i) => new RobotView({ up: scene.up, ...data }, programs[i], i, this.stage));
    this.current = 0;
    this.message = element("div", { class: "message", role: "status" });
    root.append(this.message);
  }

  get robot() {
    return this.robots[this.current];
  }

  async start() {
    const { scene, stage } = this;
    const meshes = new Meshes(scene.files);
    await Promise.all(this.robots.map((robot) => robot.load(meshes)));
    for (const robot of this.robots) await this.fillMotions(robot);
    for (const robot of this.robots) {
      const { ghosts = [], ghostMotions = [] } = robot.data;
      const count = ghosts.length || ghostMotions.length;
      if (count) robot.makeGhosts(count, Math.max(0.12, 0.62 / count ** 0.4));
      ghosts.forEach((q, k) => robot.setGhost(k, Float64Array.from(q)));
    }
    this.fit();
    for (const robot of this.robots) robot.overlays = new Overlays(robot, this.scale(robot));
    this.pointer = new Pointer(this);
    this.simulation = new Simulation(this);
    this.recorder = new Recorder(this);
    if (scene.t) this.player = new Player(this, { t: await numbers(scene.t) });
    this.panel = new Panel(this);
    this.bar = new Bar(this);
    this.setTheme(scene.options.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => this.chosen || this.setTheme(e.matches ? "dark" : "light"));
    for (const name of scene.options.show) this.show(name, true);
    if (scene.options.show.includes("inertia")) this.fit();
    if (scene.options.hide) for (const name of scene.options.hide) this.show(name, false);
    this.togglePanel(stage.size[0] > NARROW);
    if (scene.options.camera) this.setCamera(scene.options.camera);
    else stage.look();
    stage.before.push((time) => this.frame(time));
    this.setMode(this.player ? "motion" : "pose");
    this.player?.go(this.player.begin);
    this.bar.refresh();
    const unread = meshes.troubles.size ? `meshes that could not be read: ${[...meshes.troubles.values()].join("; ")}` : "";
    this.say([scene.note, unread].filter(Boolean).map((x) => x[0].toUpperCase() + x.slice(1)).join(". "));
    stage.invalidate();
  }

  async fillMotions(robot) {
    const { data, program } = robot;
    const unit = (rows) => {
      for (let k = 0; k < rows.length; k += program.nq) rows.set(program.normalise(rows.subarray(k, k + program.nq)), k);
      return rows;
    };
    if (data.motion) data.motion = unit(await numbers(data.motion));
    if (data.ghostMotions) data.ghostMotions = await Promise.all(data.ghostMotions.map(async (x) => unit(await numbers(x))));
    if (data.motion) robot.set(data.motion.subarray(0, program.nq));
  }

  // A length that suits the size of a robot.
  scale(robot) {
    const size = robot.box().getSize(new T.Vector3());
    return Math.max(size.x, size.y, size.z, 1e-3);
  }

  fit() {
    const { stage } = this;
    const box = new T.Box3();
    const down = (b) => Math.min(...corners(b).map((corner) => corner.dot(stage.up)));
    let floor = Infinity;
    for (const robot of this.robots) {
      const { motion } = robot.data;
      const rows = motion ? motion.length / robot.program.nq : 0;
      const take = (b) => {
        box.union(b);
        floor = Math.min(floor, down(b));
        if (robot.overlays?.on.has("inertia")) box.expandByObject(robot.overlays.groups.inertia, true);
      };
      take(robot.box());
      for (let k = 1; k <= 12 && rows > 1; k++) {
        const i = Math.round(((rows - 1) * k) / 12);
        robot.set(motion.subarray(i * robot.program.nq, (i + 1) * robot.program.nq));
        take(robot.box(60000));
      }
      if (rows) robot.set(motion.subarray(0, robot.program.nq));
    }
    stage.fit(box, floor);
    this.size = stage.radius;
  }

  frame(time) {
    let more = false;
    if (this.mode === "motion") more = this.player.frame(time) || more;
    if (this.mode === "simulate") more = this.simulate(time) || more;
    if (this.pointer.grab && !this.pulls(this.pointer.grab.robot)) more = this.follow() || more;
    this.pointer.draw();
    if (time - (this.told ?? -1) > NUMBERS_EVERY) {
      this.told = time;
      this.refresh();
    } else if (this.stale) more = true;
    return more;
  }

  get stale() {
    return this.panel.stale;
  }

  refresh() {
    this.panel.refresh();
    this.bar.refresh();
  }

  simulate(time) {
    const going = this.simulation.frame(time);
    if (this.simulation.fault) this.say(`${this.simulation.fault}. Reset, or use more damping.`);
    return going;
  }

  // Whether a spring pulls a robot that is grabbed; else the grabbed point follows.
  pulls(robot) {
    return this.mode === "simulate" && this.simulation.robots.includes(robot);
  }

  // The grabbed point follows the pointer: a few steps of damped least squares per frame.
  follow() {
    const { robot, body, point } = this.pointer.grab;
    const { target } = this.pointer.ends;
    let q = robot.q;
    for (let k = 0; k < 6; k++) q = robot.program.reach(q, body, point.toArray(), target, {});
    if (q.every(Number.isFinite)) robot.set(q);
    const now = robot.program.point(robot.q, body, point.toArray());
    const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    const moving = !this.reached || apart(now, this.reached) > 1e-7 * this.size;
    this.reached = now;
    return moving && apart(now, target) > 1e-4 * this.size;
  }

  select(hit) {
    if (!hit) return;
    this.current = this.robots.indexOf(hit.robot);
    this.panel.select(hit);
  }

  grabbed() {
    if (this.mode === "motion") this.setMode("pose");
    this.stage.invalidate();
  }

  released() {
    this.stage.invalidate();
  }

  // A slider or a button wants a configuration: time stands still.
  pose() {
    if (this.mode !== "pose") this.setMode("pose");
  }

  moved() {
    this.simulation.begin = null;
    this.simulation.time = 0;
    this.stage.invalidate();
  }

  setMode(mode) {
    this.mode = mode;
    if (mode !== "simulate") this.simulation.running = false;
    if (mode === "simulate") this.simulation.start();
    if (mode === "motion") this.player.last = null;
    this.say(mode === "simulate" ? this.simulation.without : "");
    this.root.dataset.mode = mode;
    this.bar.refresh();
    this.panel.mode();
    this.stage.invalidate();
  }

  show(name, on) {
    for (const robot of this.robots) {
      if (name === "visual" || name === "collision") robot.show(name, on);
      else if (OVERLAYS.includes(name)) robot.overlays.show(name, on);
    }
    if (name === "trail" && this.player) this.player.drawTrails();
    this.panel.mark(name, on);
  }

  setTheme(name, chosen = false) {
    this.chosen ||= chosen;
    this.root.dataset.theme = name;
    this.stage.setTheme(name);
    for (const robot of this.robots) robot.overlays.remake("names");
    this.panel?.touch();
    this.bar?.refresh();
  }

  togglePanel(open = !this.root.classList.contains("open")) {
    this.root.classList.toggle("open", open);
    const wide = this.stage.size[0] > NARROW;
    const bar = this.bar.element.offsetHeight;
    const panel = this.panel.element;
    const before = this.stage.free;
    this.stage.shift(open && wide ? panel.offsetWidth + 12 : 0, open && !wide ? panel.offsetHeight + bar + 20 : bar);
    this.stage.camera.updateProjectionMatrix();
    this.stage.approach(before / this.stage.free);
    this.stage.invalidate();
  }

  camera() {
    const { camera, controls } = this.stage;
    return { position: camera.position.toArray(), target: controls.target.toArray() };
  }

  setCamera({ position, target }) {
    this.stage.camera.position.set(...position);
    this.stage.controls.target.set(...target);
    this.stage.controls.update();
  }

  // What a saved page remembers.
  options() {
    const on = this.panel.shown();
    return { theme: this.root.dataset.theme, camera: this.camera(), show: on, hide: ["visual"].filter((x) => !on.includes(x)) };
  }

  say(text) {
    if (this.message.textContent !== text) this.message.textContent = text;
  }

  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = element("textarea", { class: "hidden" });
      area.value = text;
      this.root.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    this.copied = text;
    this.flash("Copied q as Python");
  }

  flash(text) {
    this.say(text);
    setTimeout(() => this.message.textContent === text && this.say(""), 1800);
  }

  // Time stands still while `work` runs.
  async busy(work) {
    const { mode } = this;
    const going = [this.simulation.running, this.player?.playing];
    this.simulation.running = false;
    if (this.player) this.player.playing = false;
    try {
      await work((text) => this.say(text));
    } finally {
      this.say("");
      this.mode = mode;
      [this.simulation.running] = going;
      if (this.player) this.player.playing = going[1];
      this.simulation.last = null;
      this.stage.resize();
    }
  }

  // For pictures from Python: the scene at a time of the motion, standing still.
  still(time) {
    if (!this.player) return;
    this.player.playing = false;
    this.player.go(time ?? this.player.begin);
    this.refresh();
  }

  // A PNG as a data URL, at a time of the motion, the camera turned about the vertical; after `recorder.begin`.
  picture(time, turn = 0) {
    this.still(time);
    const { camera, controls, up } = this.stage;
    const from = camera.position.clone();
    const about = new T.Quaternion().setFromAxisAngle(up, turn);
    camera.position.sub(controls.target).applyQuaternion(about).add(controls.target);
    camera.lookAt(controls.target);
    const found = this.recorder.picture();
    camera.position.copy(from);
    camera.lookAt(controls.target);
    return found;
  }
}

// The page: robots on a stage, what moves them (sliders, pointer, motion, simulation), and the panels around.
import * as T from "three";
import { Bar } from "./bar.js";
import { Dock } from "./dock.js";
import { element } from "./dom.js";
import { Help } from "./help.js";
import { History } from "./history.js";
import { keysOf, listen } from "./keys.js";
import { Meshes } from "./meshes.js";
import { fromAddress } from "./options.js";
import { OVERLAYS, Overlays } from "./overlays.js";
import { numbers } from "./packed.js";
import { Panel } from "./panel.js";
import { Player } from "./player.js";
import { Pointer } from "./pointer.js";
import { Recorder } from "./record.js";
import { RobotView } from "./robot.js";
import { Simulation } from "./simulation.js";
import { Stage } from "./stage.js";
import { Toolbar } from "./toolbar.js";
import { viewNamed } from "./views.js";

const NARROW = 720; // pixels of width up to which an upright page has its panel as a sheet from below
const ROOMY = [720, 440]; // pixels from which on the panel is open at first
const COVERED = 0.72; // part of the height that panels below may take from the robot
const HIGH = 900; // pixels of height up to which the robot keeps clear of the buttons above it
const SAMPLES = 240; // moments of a motion that the floor is below
const NUMBERS_EVERY = 0.066; // seconds between two updates of numbers and sliders

export class App {
  constructor(root, scene, programs) {
    const { options, note } = fromAddress(window.location);
    Object.assign(this, { root, scene, mode: "pose", title: scene.title, asked: { ...scene.options, ...options }, note });
    root.classList.add("kinetrace");
    root.classList.toggle("embedded", window.self !== window.top);
    this.view = element("div", { class: "view" });
    root.append(this.view);
    this.stage = new Stage(this.view, scene.up);
    this.robots = scene.robots.map((data, i) => new RobotView({ up: scene.up, ...data }, programs[i], i, this.stage));
    const standing = this.robots.find(({ data }) => data.ground);
    if (standing) this.stage.stand(standing.offset.clone().multiply(new T.Matrix4().set(...standing.data.ground)));
    this.current = 0;
    this.history = new History(this);
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
    this.dock = new Dock(this);
    this.toolbar = new Toolbar(this);
    this.help = new Help(this);
    this.keys = keysOf(this);
    listen(this);
    this.begin();
    const unread = meshes.troubles.size ? `meshes that could not be read: ${[...meshes.troubles.values()].join("; ")}` : "";
    this.say([scene.note, unread, this.note].filter(Boolean).map((x) => x[0].toUpperCase() + x.slice(1)).join(". "));
    stage.invalidate();
  }

  // What the scene and the address ask for: theme, what is shown, the camera, the panels.
  begin() {
    const { stage, asked, player } = this;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    this.setTheme(asked.theme ?? (dark.matches ? "dark" : "light"));
    dark.addEventListener("change", (e) => this.chosen || asked.theme || this.setTheme(e.matches ? "dark" : "light"));
    for (const name of new Set([...this.scene.options.show, ...asked.show])) this.show(name, true);
    for (const name of asked.hide ?? []) this.show(name, false);
    if (asked.show.includes("inertia")) this.fit();
    this.root.classList.toggle("bare", asked.tools === false);
    this.bar.off = asked.bar === false;
    this.bar.refresh();
    this.togglePanel(asked.panel ?? (stage.size[0] > ROOMY[0] && stage.size[1] > ROOMY[1]));
    if (asked.plots) this.dock.toggle(true);
    if (asked.camera && !asked.view) this.setCamera(asked.camera);
    else stage.look(viewNamed(asked.view ?? "iso").from);
    new ResizeObserver(() => this.arrange()).observe(this.root);
    stage.before.push((time) => this.frame(time));
    this.setMode(player ? "motion" : "pose");
    if (player) player.playing = asked.play ?? !matchMedia("(prefers-reduced-motion: reduce)").matches;
    player?.go(asked.time ?? player.begin);
    this.bar.refresh();
    this.arrange();
  }

  async fillMotions(robot) {
    const { data, program } = robot;
    const unit = (rows) => {
      for (let k = 0; k < rows.length; k += program.nq) rows.set(program.normalise(rows.subarray(k, k + program.nq)), k);
      return rows;
    };
    if (data.motion) data.motion = unit(await numbers(data.motion));
    if (data.ghostMotions) data.ghostMotions = await Promise.all(data.ghostMotions.map(async (x) => unit(await numbers(x))));
    if (data.contacts) for (const name of ["points", "forces"]) data.contacts[name] = await numbers(data.contacts[name]);
    for (const name of ["velocity", "force"]) if (data[name]) data[name] = await numbers(data[name]);
    if (data.motion) robot.set(data.motion.subarray(0, program.nq));
  }

  // A length that suits the size of a robot.
  scale(robot) {
    const size = robot.box(undefined, true).getSize(new T.Vector3());
    return Math.max(size.x, size.y, size.z, 1e-3);
  }

  // Floor, light and camera's planes for what is shown: of a motion, all of it.
  fit() {
    const { stage } = this;
    const box = new T.Box3();
    let floor = Infinity;
    for (const robot of this.robots) {
      const { data, program, q, v } = robot;
      const moving = data.motion && this.mode !== "simulate" && (this.mode === "motion" || !this.size);
      const lanes = moving ? [data.motion, ...(data.ghostMotions ?? [])] : [];
      const take = (b) => {
        box.union(b);
        if (robot.overlays?.on.has("inertia")) box.expandByObject(robot.overlays.groups.inertia, true);
      };
      const rows = lanes.flatMap((lane) => spread(lane.length / program.nq, SAMPLES / lanes.length).map((i) => lane.subarray(i * program.nq, (i + 1) * program.nq)));
      for (const row of [q, ...(data.ghosts ?? []), ...rows]) floor = Math.min(floor, robot.lowest(program.poses(row), stage.up));
      take(robot.box());
      for (const i of moving ? spread(data.motion.length / program.nq, 12) : []) {
        robot.set(data.motion.subarray(i * program.nq, (i + 1) * program.nq));
        take(robot.box(60000));
      }
      if (moving) robot.set(q, v);
    }
    stage.fit(box, floor);
    this.size ??= stage.radius;
  }

  // The floor is below what was posed.
  settle() {
    const low = Math.min(...this.robots.map((robot) => robot.lowest(robot.poses, this.stage.up)));
    if (low < this.stage.height) this.stage.setFloor(low);
  }

  // Look from a named direction.
  look(name) {
    this.fit();
    this.stage.look(viewNamed(name).from, true);
  }

  fitView() {
    this.fit();
    this.stage.look(this.stage.direction, true);
  }

  frame(time) {
    let more = false;
    if (this.mode === "motion") more = this.player.frame(time) || more;
    if (this.mode === "simulate") more = this.simulate(time) || more;
    if (this.pointer.grab && !this.pulls(this.pointer.grab.robot)) more = this.follow() || more;
    this.pointer.draw();
    if (more) this.dock.refresh();
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
    this.dock.refresh();
  }

  simulate(time) {
    const going = this.simulation.frame(time);
    if (going) this.dock.record(this.simulation.time);
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
    this.history.mark("drag");
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
    if (this.history.gesture === "drag") this.history.close();
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

  // One row of the motion back or on.
  stepTime(by) {
    const { player } = this;
    const [k, s] = player.place(player.time);
    player.playing = false;
    player.go(player.t[Math.min(Math.max(k + (by < 0 && s > 1e-9 ? 0 : by), 0), player.t.length - 1)]);
    this.refresh();
  }

  // The field that finds joints.
  find() {
    this.togglePanel(true);
    this.panel.joints.open = true;
    this.panel.current.joints.filter.focus();
  }

  setMode(mode) {
    if (mode === "simulate" && this.mode !== "simulate") this.history.mark();
    this.mode = mode;
    if (mode !== "simulate") this.simulation.running = false;
    if (mode === "simulate") this.simulation.start();
    if (mode === "motion") this.player.last = null;
    this.say(mode === "simulate" ? this.simulation.without : "");
    this.root.dataset.mode = mode;
    this.bar.refresh();
    this.panel.mode();
    this.dock.refill();
    this.stage.invalidate();
  }

  show(name, on) {
    for (const robot of this.robots) {
      if (name === "visual" || name === "collision") robot.show(name, on);
      if (name === "visual") robot.overlays.fillInertia();
      if (OVERLAYS.includes(name)) robot.overlays.show(name, on);
    }
    if (name === "floor") this.stage.showFloor(on);
    if (name === "plots") this.dock.toggle(on);
    if (name === "trail" && this.player) this.player.drawTrails();
    this.panel.mark(name, on);
  }

  setTheme(name, chosen = false) {
    this.chosen ||= chosen;
    this.root.dataset.theme = name;
    this.stage.setTheme(name);
    for (const robot of this.robots) robot.overlays.remake("names");
    this.panel.touch();
    this.toolbar.refresh();
    if (this.dock.open) this.dock.paint();
  }

  toggleTheme() {
    this.setTheme(this.root.dataset.theme === "dark" ? "light" : "dark", true);
  }

  togglePanel(open = !this.root.classList.contains("open")) {
    this.root.classList.toggle("open", open);
    if (open && this.layout === "sheet" && this.dock.open) this.dock.toggle(false);
    this.toolbar.refresh();
    this.arrange();
  }

  get layout() {
    const [width, height] = this.stage.size;
    return width <= NARROW && height > width ? "sheet" : "side";
  }

  // Panels where the page has room for them, and the robot in the middle of what they leave free.
  arrange() {
    const { stage, root, layout, panel, dock } = this;
    root.dataset.layout = layout;
    root.classList.toggle("touch", layout === "sheet" || matchMedia("(pointer: coarse)").matches);
    if (layout === "sheet" && dock.open && root.classList.contains("open")) root.classList.remove("open");
    const open = root.classList.contains("open");
    const height = (made) => (made.offsetHeight ? made.offsetHeight + 8 : 0);
    const below = height(this.bar.element) + height(dock.element) + (open && layout === "sheet" ? height(panel.element) : 0);
    const before = stage.free;
    const above = stage.size[1] < HIGH ? height(this.toolbar.element) : 0;
    stage.shift(open && layout === "side" ? panel.element.offsetWidth + 12 : 0, Math.min(below, COVERED * stage.size[1]), above);
    stage.camera.updateProjectionMatrix();
    if (stage.fitted) stage.look(stage.fitted);
    else stage.approach(before / stage.free);
    stage.invalidate();
  }

  camera() {
    const { camera, controls } = this.stage;
    return { position: camera.position.toArray(), target: controls.target.toArray() };
  }

  setCamera({ position, target }) {
    this.stage.camera.position.set(...position);
    this.stage.controls.target.set(...target);
    this.stage.controls.update();
    this.stage.fitted = null;
  }

  // What a saved page remembers.
  options() {
    const on = this.panel.shown();
    return { theme: this.root.dataset.theme, camera: this.camera(), show: on, hide: ["visual", "floor"].filter((x) => !on.includes(x)), plots: this.dock.open };
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

// Places 0 … n − 1, at most `most` of them, evenly.
function spread(n, most) {
  const count = Math.max(1, Math.min(n, Math.floor(most)));
  return Array.from({ length: count }, (_, k) => (count > 1 ? Math.round(((n - 1) * k) / (count - 1)) : 0));
}

// The bar at the bottom: pose, motion or simulation; play, pause, scrub, speed, loop, plots.
import { button, element, setIcon } from "./dom.js";
import { excesses } from "./limits.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5];

export class Bar {
  constructor(app) {
    this.app = app;
    this.modes = element("div", { class: "modes", role: "tablist" });
    const modes = [["pose", "Pose"], ...(app.player ? [["motion", "Motion"]] : []), ...(app.simulation.robots.length ? [["simulate", "Simulate"]] : [])];
    for (const [mode, text] of modes)
      this.modes.append(element("button", { type: "button", role: "tab", "data-mode": mode, text, on: { click: () => app.setMode(mode) } }));
    this.play = button("play", "Play or pause (space)", () => this.toggle());
    this.again = button("reset", "Back to the beginning", () => this.reset());
    this.again.classList.add("again");
    this.time = element("span", { class: "time" });
    this.scrub = element("input", { type: "range", min: 0, max: 1, step: "any", class: "scrub", "aria-label": "Time" });
    this.scrub.addEventListener("input", () => {
      app.player.playing = false;
      app.player.go(Number(this.scrub.value));
      this.refresh();
    });
    this.lines = button("plot", "Plots over time (L)", () => app.dock.toggle());
    this.loop = button("loop", "Repeat", () => {
      app.player.loop = !app.player.loop;
      this.refresh();
    });
    this.speed = element("select", { class: "speed", "aria-label": "Speed" }, ...SPEEDS.map((x) => element("option", { value: x, text: `${x}×`, selected: x === 1 })));
    this.speed.addEventListener("change", () => {
      const x = Number(this.speed.value);
      app.simulation.speed = x;
      if (app.player) app.player.speed = x;
    });
    this.loop.classList.add("loop");
    this.element = element("nav", { class: "bar" }, this.modes, this.play, this.again, this.scrub, this.time, this.speed, this.loop, this.lines);
    if (app.player) {
      Object.assign(this.scrub, { min: app.player.begin, max: app.player.end });
      this.markExcesses(excesses(app.robots, app.player.t));
    }
    app.root.append(this.element);
    new ResizeObserver(() => app.root.style.setProperty("--bar", `${this.element.offsetHeight}px`)).observe(this.element);
  }

  // Where a joint is beyond its limits, the track of the time is red.
  markExcesses(parts) {
    if (!parts.length) return;
    const stops = parts.flatMap(([from, to]) => [`transparent ${100 * from}%`, `var(--over) ${100 * from}%`, `var(--over) ${100 * to}%`, `transparent ${100 * to}%`]);
    this.scrub.style.setProperty("--marks", `linear-gradient(to right, ${stops.join(", ")})`);
    const { begin, end } = this.app.player;
    const seconds = ([from, to]) => `${(begin + from * (end - begin)).toFixed(2)}–${(begin + to * (end - begin)).toFixed(2)} s`;
    this.scrub.title = `Beyond joint limits: ${parts.slice(0, 5).map(seconds).join(", ")}${parts.length > 5 ? ", …" : ""}`;
    this.scrub.setAttribute("aria-description", this.scrub.title);
  }

  toggle() {
    const { app } = this;
    if (app.mode === "motion") {
      if (!app.player.playing && app.player.time >= app.player.end) app.player.go(app.player.begin);
      app.player.playing = !app.player.playing;
      app.player.last = null;
    } else if (app.mode === "simulate") {
      if (app.simulation.running) app.simulation.running = false;
      else app.simulation.start();
    }
    this.refresh();
    app.stage.invalidate();
  }

  reset() {
    const { app } = this;
    if (app.mode === "motion") app.player.go(app.player.begin);
    else {
      app.history.mark();
      app.simulation.reset();
      app.history.close();
      app.say("");
      if (app.simulation.running) app.simulation.start();
    }
    this.refresh();
    app.stage.invalidate();
  }

  refresh() {
    const { app } = this;
    for (const tab of this.modes.children) tab.setAttribute("aria-selected", tab.dataset.mode === app.mode);
    this.modes.hidden = this.modes.children.length < 2;
    this.element.hidden = this.off || this.modes.hidden;
    const motion = app.mode === "motion";
    const still = app.mode === "pose";
    for (const part of [this.play, this.again, this.time, this.speed]) part.hidden = still;
    this.lines.hidden = still && !app.player;
    this.lines.classList.toggle("on", Boolean(app.dock?.open));
    this.lines.setAttribute("aria-pressed", Boolean(app.dock?.open));
    for (const part of [this.scrub, this.loop]) part.hidden = !motion;
    const going = motion ? app.player.playing : app.simulation.running;
    setIcon(this.play, going ? "pause" : "play");
    this.loop.classList.toggle("on", Boolean(app.player?.loop));
    if (motion) {
      this.scrub.value = app.player.time;
      const part = (app.player.time - app.player.begin) / Math.max(app.player.end - app.player.begin, 1e-9);
      this.scrub.style.setProperty("--part", `${part * 100}%`);
      this.time.textContent = `${app.player.time.toFixed(2)} s`;
    } else this.time.textContent = `${app.simulation.time.toFixed(2)} s`;
  }
}


// The keys of the page: one table, which the page listens to and which its help shows.
import { VIEWS } from "./views.js";

// What a key does: its names as KeyboardEvent.key, with "Ctrl+" and "Shift+" where they are needed; `when` says whether it can now.
export function keysOf(app) {
  const moving = () => app.mode !== "pose";
  const motion = () => app.mode === "motion";
  const toggle = (name) => () => app.show(name, !app.panel.switches[name].checked);
  const has = (name) => () => Boolean(app.panel.switches[name]);
  const timed = () => app.player || app.simulation.robots.length;
  return [
    { part: "View", keys: ["f"], text: "Whole robot, from here", run: () => app.fitView() },
    ...VIEWS.map(({ name, text, key }) => ({ part: "View", keys: [key], text, run: () => app.look(name) })),
    { part: "View", keys: ["p"], text: "Panel", run: () => app.togglePanel() },
    { part: "View", keys: ["t"], text: "Light or dark", run: () => app.toggleTheme() },
    { part: "Show", keys: ["g"], text: "Floor", run: toggle("floor") },
    { part: "Show", keys: ["a"], text: "Screw axes", run: toggle("axes") },
    { part: "Show", keys: ["c"], text: "Mass centre", run: toggle("com") },
    { part: "Show", keys: ["i"], text: "Inertia ellipsoids", run: toggle("inertia"), has: has("inertia") },
    { part: "Show", keys: ["k"], text: "Contacts", run: toggle("contacts"), has: has("contacts") },
    { part: "Show", keys: ["n"], text: "Names", run: toggle("names") },
    { part: "Show", keys: ["l"], text: "Plots over time", run: () => app.dock.toggle() },
    { part: "Pose", keys: ["Ctrl+z"], text: "Undo", run: () => app.history.undo() },
    { part: "Pose", keys: ["Ctrl+y", "Ctrl+Shift+z"], text: "Redo", run: () => app.history.redo() },
    { part: "Pose", keys: ["h"], text: "Home", run: () => app.panel.current.joints.home() },
    { part: "Pose", keys: ["r"], text: "Random configuration", run: () => app.panel.current.joints.random() },
    { part: "Pose", keys: ["/"], text: "Find a joint", run: () => app.find(), when: () => app.panel.current.joints.filter, has: () => app.panel.parts.some(({ joints }) => joints.filter) },
    { part: "Time", keys: [" "], text: "Play or pause", run: () => app.bar.toggle(), when: moving, has: timed },
    { part: "Time", keys: ["ArrowLeft"], text: "One row back", run: () => app.stepTime(-1), when: motion, has: () => app.player },
    { part: "Time", keys: ["ArrowRight"], text: "One row on", run: () => app.stepTime(1), when: motion, has: () => app.player },
    { part: "Time", keys: ["Home"], text: "To the beginning", run: () => app.bar.reset(), when: moving, has: timed },
    { part: "Help", keys: ["?"], text: "These keys", run: () => app.help.toggle() },
  ].filter(({ has: there }) => !there || there());
}

const NAMES = { " ": "Space", ArrowLeft: "←", ArrowRight: "→" };

// A key as it is printed on keyboards.
export function printed(key) {
  const mac = /Mac|iP(hone|ad)/.test(navigator.platform ?? "");
  return key
    .split(/(?<=.)\+/)
    .map((x) => (x === "Ctrl" && mac ? "⌘" : (NAMES[x] ?? (x.length === 1 ? x.toUpperCase() : x))));
}

// The name of the key of an event, as in the table.
function nameOf(event) {
  const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const shift = event.shiftKey && /^([a-z]|[A-Z]\w+)$/.test(letter);
  return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${shift ? "Shift+" : ""}${letter}`;
}

const SPACE = "button, summary, input[type=checkbox], a";

// Whether an element uses a key itself.
function uses(element, name) {
  if (!(element instanceof Element)) return false;
  if (element.matches("input:not([type=range], [type=checkbox]), textarea, select")) return true;
  if (element.matches("input[type=range]")) return /^(Arrow|Page|Home|End)/.test(name);
  return name === " " && element.matches(SPACE);
}

export function listen(app) {
  window.addEventListener("keydown", (event) => {
    if (event.altKey || event.isComposing || uses(event.target, nameOf(event))) return;
    if (app.help.element.open && nameOf(event) !== "?") return;
    const found = app.keys.find(({ keys }) => keys.includes(nameOf(event)));
    if (!found || (found.when && !found.when())) return;
    event.preventDefault();
    found.run();
  });
}

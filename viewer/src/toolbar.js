// Buttons over the robot: where to look from, plots, light or dark, help; and the one that shows the panel.
import { button, element, setIcon } from "./dom.js";
import { VIEWS } from "./views.js";

export class Toolbar {
  constructor(app) {
    this.app = app;
    this.menu = element("div", { class: "menu", role: "menu", hidden: true });
    const items = [...VIEWS.map(({ name, text, key }) => [text, key, () => app.look(name)]), ["Whole robot, from here", "F", () => app.fitView()]];
    for (const [text, key, run] of items)
      this.menu.append(element("button", { type: "button", role: "menuitem", on: { click: () => this.choose(run) } }, element("span", { text }), element("kbd", { text: key })));
    this.views = button("cube", "Where to look from", () => this.toggle());
    this.views.setAttribute("aria-haspopup", "menu");
    this.theme = button("moon", "Light or dark (T)", () => app.toggleTheme());
    this.element = element("div", { class: "toolbar", role: "toolbar", "aria-label": "View" }, this.views, button("frame", "Whole robot, from here (F)", () => app.fitView()), this.theme, button("question", "Keys (?)", () => app.help.toggle()));
    this.panel = button("panel", "Show or hide the panel (P)", () => app.togglePanel());
    this.panel.classList.add("toggle");
    app.root.append(this.element, this.menu, this.panel);
    app.root.addEventListener("pointerdown", (e) => this.menu.contains(e.target) || this.views.contains(e.target) || this.toggle(false), true);
    this.menu.addEventListener("keydown", (e) => this.move(e));
    this.toggle(false);
  }

  toggle(open = this.menu.hidden) {
    this.menu.hidden = !open;
    this.views.setAttribute("aria-expanded", open);
    if (open) this.menu.firstChild.focus();
  }

  choose(run) {
    this.toggle(false);
    this.views.focus();
    run();
  }

  move(event) {
    const items = [...this.menu.children];
    const at = items.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) items[(at + step + items.length) % items.length].focus();
    else if (event.key === "Escape") this.choose(() => {});
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  refresh() {
    const { root } = this.app;
    setIcon(this.theme, root.dataset.theme === "dark" ? "sun" : "moon");
    this.panel.setAttribute("aria-expanded", root.classList.contains("open"));
  }
}

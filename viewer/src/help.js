// What keys and fingers do, over the page.
import { button, element } from "./dom.js";
import { printed } from "./keys.js";

const POINTER = [
  ["Turn the view", "drag beside the robot, or with Shift"],
  ["Shift the view", "right button, or two fingers"],
  ["Zoom", "wheel, or pinch"],
  ["Move a link", "drag it; in a simulation, a spring pulls"],
  ["Choose a frame", "click a link"],
  ["A moment of a plot", "drag over it"],
];

export class Help {
  constructor(app) {
    this.app = app;
    this.element = element("dialog", { class: "help", "aria-labelledby": "kinetrace-help" });
    this.element.addEventListener("click", (e) => e.target === this.element && this.close()); // beside the card
    this.element.addEventListener("cancel", (e) => {
      e.preventDefault();
      this.close();
    });
    app.root.append(this.element);
  }

  fill() {
    const { keys } = this.app;
    const parts = [...new Set(keys.map(({ part }) => part))].map((part) =>
      element(
        "section",
        {},
        element("h3", { text: part }),
        ...keys.filter((key) => key.part === part).map((key) => line(key.text, ...key.keys.map(caps))),
      ),
    );
    const hand = element("section", {}, element("h3", { text: "Pointer and fingers" }), ...POINTER.map(([text, how]) => line(text, element("span", { text: how }))));
    const head = element("header", {}, element("h2", { id: "kinetrace-help", text: "Keys" }), button("close", "Close", () => this.close()));
    this.element.replaceChildren(element("div", { class: "card" }, head, element("div", { class: "columns" }, ...parts, hand)));
  }

  // The keys are those of the page again.
  close() {
    this.element.close();
    this.app.stage.canvas.focus({ preventScroll: true });
  }

  toggle() {
    if (this.element.open) return this.close();
    this.fill();
    return this.element.showModal();
  }
}

function line(text, ...right) {
  return element("div", { class: "line" }, element("span", { text }), element("span", { class: "keys" }, ...right));
}

function caps(key) {
  return element("span", { class: "caps", "data-key": key }, ...printed(key).map((text) => element("kbd", { text })));
}

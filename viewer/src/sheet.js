// On small upright screens the panel is a sheet from below, whose handle makes it higher or lower, or closes it.
import { element } from "./dom.js";

const HEIGHTS = [0.46, 0.84]; // parts of the screen at which it stays

export class Sheet {
  constructor(app, panel) {
    Object.assign(this, { app, panel, part: HEIGHTS[0] });
    this.handle = element("button", { type: "button", class: "handle", "aria-label": "Higher or lower", title: "Drag, or press, to change the height" });
    panel.element.prepend(this.handle);
    this.handle.addEventListener("pointerdown", (e) => this.down(e));
    this.handle.addEventListener("click", () => this.press());
  }

  down(event) {
    const { handle, app } = this;
    const from = { y: event.clientY, part: this.part };
    const height = app.root.clientHeight;
    this.dragged = false;
    handle.setPointerCapture(event.pointerId);
    const move = (e) => {
      this.dragged ||= Math.abs(e.clientY - from.y) > 5;
      if (this.dragged) this.set(Math.min(0.9, Math.max(0.08, from.part + (from.y - e.clientY) / height)));
    };
    const up = () => {
      handle.removeEventListener("pointermove", move);
      handle.removeEventListener("pointerup", up);
      handle.removeEventListener("pointercancel", up);
      if (!this.dragged) return;
      if (this.part < HEIGHTS[0] / 2) app.togglePanel(false);
      this.set(HEIGHTS.reduce((a, b) => (Math.abs(b - this.part) < Math.abs(a - this.part) ? b : a)));
      app.arrange();
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", up);
    handle.addEventListener("pointercancel", up);
  }

  press() {
    if (this.dragged) return;
    this.set(this.part === HEIGHTS[0] ? HEIGHTS[1] : HEIGHTS[0]);
    this.app.arrange();
  }

  set(part) {
    this.part = part;
    this.app.root.style.setProperty("--sheet", `${100 * part}%`);
  }
}

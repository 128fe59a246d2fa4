// Undo and redo of poses. What belongs to one gesture, as all moves of a dragged slider, is one step.
const MOST = 200; // steps that are kept

export class History {
  constructor(app) {
    Object.assign(this, { app, past: [], future: [], gesture: null, listeners: [] });
  }

  now() {
    return this.app.robots.map(({ q }) => q.slice());
  }

  // Called before a pose changes; calls with the gesture that goes on change nothing.
  mark(gesture = null) {
    if (gesture !== null && gesture === this.gesture) return;
    this.gesture = gesture;
    this.past.push(this.now());
    if (this.past.length > MOST) this.past.shift();
    this.future = [];
    this.tell();
  }

  // The gesture has ended; a step that changed nothing is dropped.
  close() {
    this.gesture = null;
    const last = this.past[this.past.length - 1];
    if (last && same(last, this.now())) this.past.pop();
    this.app.settle();
    this.tell();
  }

  // As if the last gesture had not been.
  cancel() {
    this.undo();
    this.future.pop();
    this.tell();
  }

  undo() {
    this.move(this.past, this.future);
  }

  redo() {
    this.move(this.future, this.past);
  }

  move(from, to) {
    this.gesture = null;
    const found = from.pop();
    if (!found) return;
    to.push(this.now());
    this.app.pose();
    found.forEach((q, i) => this.app.robots[i].set(q));
    this.app.moved();
    this.app.settle();
    this.tell();
  }

  tell() {
    for (const f of this.listeners) f();
  }
}

const same = (a, b) => a.every((q, i) => q.every((x, k) => x === b[i][k]));

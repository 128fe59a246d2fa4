// Grabbing a link with the pointer. In a pose, the point follows by inverse kinematics; in a simulation, a spring pulls.
import * as T from "three";

const Z = new T.Vector3(0, 0, 1);

export class Pointer {
  constructor(app) {
    this.app = app;
    this.stage = app.stage;
    this.ray = new T.Raycaster();
    this.grab = null; // { robot, body, point (in the body), target (in the world of the stage), plane }
    this.spring = makeSpring(app.size);
    this.stage.world.add(this.spring.object);
    const canvas = this.stage.canvas;
    canvas.addEventListener("pointerdown", (e) => this.passes || this.down(e), true);
    canvas.addEventListener("wheel", (e) => this.wheel(e), { capture: true });
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => this.up(e));
    canvas.addEventListener("pointercancel", (e) => this.up(e));
  }

  at(event) {
    const box = this.stage.canvas.getBoundingClientRect();
    return new T.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
  }

  // What is under the pointer: robot, body, and the point.
  pick(event) {
    this.ray.setFromCamera(this.at(event), this.stage.camera);
    const shapes = this.app.robots.flatMap(({ roles }) => [...roles.visual, ...roles.collision].filter((o) => o.visible));
    const [hit] = this.ray.intersectObjects(shapes, true); // the nearest
    if (!hit) return null;
    let o = hit.object;
    while (o.userData.body === undefined) o = o.parent;
    return { robot: this.app.robots.find(({ groups }) => groups.includes(o)), body: o.userData.body, at: hit.point };
  }

  // In a page within another, the wheel scrolls that one until this one has been clicked.
  wheel(event) {
    const { canvas } = this.stage;
    if (window.self === window.top || event.ctrlKey || document.activeElement === canvas) return;
    event.stopImmediatePropagation();
    this.app.flash("Click, or hold Ctrl, to zoom with the wheel");
  }

  // A second finger: what the first one grabbed goes back, and both move the view.
  pinch() {
    const { steps, id, at } = this.grab;
    this.up();
    if (this.app.history.past.length > steps) this.app.history.cancel();
    const { canvas } = this.stage;
    this.passes = true;
    canvas.dispatchEvent(new PointerEvent("pointerdown", { pointerId: id, pointerType: "touch", button: 0, buttons: 1, clientX: at.x, clientY: at.y, isPrimary: true }));
    this.passes = false;
  }

  down(event) {
    if (this.grab && event.pointerType === "touch") return void this.pinch();
    if (event.button !== 0 || event.shiftKey) return;
    const hit = this.pick(event);
    this.app.select(hit);
    if (!hit || hit.body < 0) return;
    event.stopImmediatePropagation();
    this.stage.canvas.setPointerCapture(event.pointerId);
    const inverse = hit.robot.pose(hit.body).invert();
    const facing = this.stage.camera.getWorldDirection(new T.Vector3());
    this.grab = {
      ...hit,
      id: event.pointerId,
      at: { x: event.clientX, y: event.clientY },
      steps: this.app.history.past.length,
      point: hit.at.clone().applyMatrix4(inverse),
      target: hit.at.clone(),
      plane: new T.Plane().setFromNormalAndCoplanarPoint(facing, hit.at),
    };
    this.app.grabbed(this.grab);
    this.stage.canvas.style.cursor = "grabbing";
  }

  move(event) {
    if (!this.grab) {
      if (event.pointerType === "mouse" && !event.buttons) this.stage.canvas.style.cursor = this.pick(event)?.body >= 0 ? "grab" : "";
      return;
    }
    if (event.pointerId !== this.grab.id) return;
    this.grab.at = { x: event.clientX, y: event.clientY };
    this.ray.setFromCamera(this.at(event), this.stage.camera);
    const target = this.ray.ray.intersectPlane(this.grab.plane, new T.Vector3());
    if (target) this.grab.target.copy(target);
    this.app.grabbed(this.grab);
  }

  up() {
    if (!this.grab) return;
    this.grab = null;
    this.stage.canvas.style.cursor = "";
    this.app.released();
  }

  // The grabbed point and the target, in the world of the robot.
  get ends() {
    const { robot, body, point, target } = this.grab;
    const inverse = robot.offset.clone().invert();
    const now = robot.program.point(robot.q, body, point.toArray());
    return { now, target: target.clone().applyMatrix4(inverse).toArray() };
  }

  draw() {
    const { object } = this.spring;
    object.visible = Boolean(this.grab) && this.app.pulls(this.grab.robot);
    if (!object.visible) return;
    const from = this.grab.point.clone().applyMatrix4(this.grab.robot.pose(this.grab.body));
    this.spring.between(from, this.grab.target);
  }
}

// A coil between two points.
function makeSpring(size) {
  const object = new T.Group();
  const m = new T.MeshStandardMaterial({ color: 0xf97316, roughness: 0.35, metalness: 0.3 });
  const coil = new T.Mesh(new T.BufferGeometry(), m);
  const balls = [0, 1].map(() => new T.Mesh(new T.SphereGeometry(size * 0.013, 24, 16), m));
  coil.castShadow = true;
  object.add(coil, ...balls);
  const wire = size * 0.0035;
  function between(a, b) {
    const along = b.clone().sub(a);
    const length = Math.max(along.length(), 1e-6);
    balls[0].position.copy(a);
    balls[1].position.copy(b);
    const turns = 12;
    const r = Math.min(size * 0.018, length * 0.25);
    const points = [];
    for (let k = 0; k <= turns * 14; k++) {
      const s = k / (turns * 14);
      const edge = Math.min(1, Math.min(s, 1 - s) * 10);
      const t = 2 * Math.PI * turns * s;
      points.push(new T.Vector3(r * edge * Math.cos(t), r * edge * Math.sin(t), s * length));
    }
    coil.geometry.dispose();
    coil.geometry = new T.TubeGeometry(new T.CatmullRomCurve3(points), turns * 20, wire, 7);
    coil.position.copy(a);
    coil.quaternion.setFromUnitVectors(Z, along.divideScalar(length));
  }
  object.visible = false;
  return { object, between };
}

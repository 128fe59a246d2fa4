// What can be drawn over a robot: frames, screw axes, inertia, centre of mass, closures, contacts, wrenches, names, a trail.
import * as T from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";

export const OVERLAYS = ["frames", "axes", "com", "inertia", "closures", "contacts", "wrenches", "names", "trail"];
const RED = 0xe5484d;
const GREEN = 0x30a46c;
const BLUE = 0x3b82f6;
const VIOLET = 0x8b5cf6;
const Z = new T.Vector3(0, 0, 1);
const FORCE = 0.3; // length of an arrow of a usual contact force, relative to the robot
const LONGEST_FORCE = 0.9; // length of the longest arrow
const ADAPTING = 0.06; // part by which the usual force follows the largest one in a picture of a simulation

const flat = (colour, more = {}) => new T.MeshStandardMaterial({ color: colour, roughness: 0.6, ...more });

// Drawn above the robot where it is hidden: faint there, full elsewhere.
function seeThrough(mesh, faint = 0.28) {
  const behind = mesh.clone();
  behind.material = mesh.material.clone();
  Object.assign(behind.material, { transparent: true, opacity: faint, depthTest: false, depthWrite: false });
  behind.renderOrder = 5;
  const both = new T.Group();
  both.add(mesh, behind);
  return both;
}

function arrow(colour, thick) {
  const group = new T.Group();
  const shaft = new T.Mesh(new T.CylinderGeometry(thick, thick, 1, 20).translate(0, 0.5, 0).rotateX(Math.PI / 2), flat(colour));
  const head = new T.Mesh(new T.ConeGeometry(thick * 2.8, thick * 7, 28).translate(0, -thick * 3.5, 0).rotateX(Math.PI / 2), flat(colour));
  group.add(shaft, head);
  group.userData = { shaft, head, thick };
  return group;
}

// Put an arrow from a point along a vector; hidden if the vector is zero.
function aim(group, from, vector) {
  const length = vector.length();
  group.visible = length > 1e-9;
  if (!group.visible) return;
  const { shaft, head, thick } = group.userData;
  const part = Math.min(1, length / (9 * thick)); // short arrows are thin, too
  group.position.copy(from);
  group.quaternion.setFromUnitVectors(Z, vector.clone().divideScalar(length));
  group.scale.setScalar(part);
  shaft.scale.z = Math.max(length / part - thick * 6.5, 1e-6);
  head.position.z = length / part;
}

function triad(size) {
  const group = new T.Group();
  const axes = [
    [RED, [1, 0, 0]],
    [GREEN, [0, 1, 0]],
    [BLUE, [0, 0, 1]],
  ];
  for (const [colour, axis] of axes) {
    const rod = new T.Mesh(new T.CylinderGeometry(size * 0.03, size * 0.03, size, 12).translate(0, size / 2, 0), flat(colour));
    rod.quaternion.setFromUnitVectors(new T.Vector3(0, 1, 0), new T.Vector3(...axis));
    group.add(seeThrough(rod));
  }
  return group;
}

function label(text, theme) {
  const scale = 3;
  const canvas = document.createElement("canvas");
  const c = canvas.getContext("2d");
  const font = `500 ${13 * scale}px ui-sans-serif, system-ui, sans-serif`;
  c.font = font;
  canvas.width = c.measureText(text).width + 14 * scale;
  canvas.height = 22 * scale;
  c.font = font;
  c.fillStyle = theme === "dark" ? "rgba(20,23,29,.82)" : "rgba(255,255,255,.86)";
  c.beginPath();
  c.roundRect(0, 0, canvas.width, canvas.height, 6 * scale);
  c.fill();
  c.fillStyle = theme === "dark" ? "#e8ebf0" : "#1d2430";
  c.textBaseline = "middle";
  c.fillText(text, 7 * scale, canvas.height / 2 + scale);
  const texture = new T.CanvasTexture(canvas);
  texture.colorSpace = T.SRGBColorSpace;
  const sprite = new T.Sprite(
    new T.SpriteMaterial({ map: texture, depthTest: false, depthWrite: false, sizeAttenuation: false, toneMapped: false }),
  );
  sprite.scale.set(canvas.width / canvas.height, 1, 1).multiplyScalar(0.019);
  sprite.center.set(-0.05, 0.5);
  sprite.renderOrder = 9;
  return sprite;
}

export class Overlays {
  constructor(robot, size) {
    Object.assign(this, { robot, size, groups: {}, moving: {} });
    this.on = new Set();
    robot.listeners.push(() => this.update());
  }

  show(name, on) {
    if (on) this.on.add(name);
    else this.on.delete(name);
    if (on && !this.groups[name]) {
      this.groups[name] = new T.Group();
      this.robot.root.add(this.groups[name]);
      this[`make_${name}`](this.groups[name]);
    }
    if (this.groups[name]) this.groups[name].visible = on;
    this.update();
    this.robot.stage.invalidate();
  }

  remake(name) {
    if (!this.groups[name]) return;
    this.groups[name].removeFromParent();
    delete this.groups[name];
    this.show(name, this.on.has(name));
  }

  update() {
    for (const name of this.on) this.moving[name]?.();
  }

  // An object on a body (or, in space, on the world): moved with the body.
  attach(name, pairs) {
    for (const [body, object] of pairs) {
      object.matrixAutoUpdate = false;
      object.updateMatrix();
      const local = object.matrix.clone();
      object.userData.local = local;
      object.userData.body = body;
      this.groups[name].add(object);
    }
    this.moving[name] = () => {
      for (const [body, object] of pairs) {
        object.matrix.copy(object.userData.local);
        if (body >= 0) object.matrix.premultiply(new T.Matrix4().fromArray(this.robot.poses, 16 * body).transpose());
        object.matrixWorldNeedsUpdate = true;
      }
    };
  }

  make_frames() {
    const pairs = this.robot.program.frames.map((frame) => {
      const object = triad(this.size * 0.11);
      new T.Matrix4().set(...frame.pose).decompose(object.position, object.quaternion, new T.Vector3());
      return [frame.body, object];
    });
    this.attach("frames", pairs);
  }

  make_axes(group) {
    const { program } = this.robot;
    const rods = [];
    const paint = flat(0xf59e0b);
    program.bodies.forEach((body, k) => {
      if (body.type === "free" || body.type === "spherical" || body.type === "fixed") return;
      const [begin, end] = [program.screw_of[k], program.screw_of[k + 1] ?? program.screws(this.robot.q).length / 6];
      for (let s = begin; s < end; s++) {
        const length = this.size * 0.34;
        const rod = new T.Mesh(new T.CylinderGeometry(this.size * 0.004, this.size * 0.004, length, 12).rotateX(Math.PI / 2), paint);
        const tip = new T.Mesh(new T.ConeGeometry(this.size * 0.012, this.size * 0.035, 20).rotateX(Math.PI / 2).translate(0, 0, length / 2), paint);
        const ring = new T.Mesh(new T.TorusGeometry(this.size * 0.03, this.size * 0.0035, 10, 40, 1.6 * Math.PI).translate(0, 0, length * 0.32), paint);
        const holder = new T.Group();
        holder.add(seeThrough(rod), seeThrough(tip), seeThrough(ring));
        group.add(holder);
        rods.push({ body: k, s, holder, ring: holder.children[2] });
      }
    });
    this.moving.axes = () => {
      const S = program.screws(this.robot.q);
      for (const { body, s, holder, ring } of rods) {
        const w = new T.Vector3(S[6 * s], S[6 * s + 1], S[6 * s + 2]);
        const v = new T.Vector3(S[6 * s + 3], S[6 * s + 4], S[6 * s + 5]);
        const turns = w.length() > 1e-9;
        const origin = new T.Vector3(this.robot.poses[16 * body + 3], this.robot.poses[16 * body + 7], this.robot.poses[16 * body + 11]);
        if (turns) {
          const foot = w.clone().cross(v).divideScalar(w.lengthSq());
          const axis = w.clone().normalize();
          origin.sub(foot).projectOnVector(axis).add(foot); // the point of the axis that is nearest to the body's frame
        }
        holder.position.copy(origin);
        holder.quaternion.setFromUnitVectors(Z, (turns ? w : v).clone().normalize());
        ring.visible = turns;
      }
    };
  }

  // A faint skin and the three principal sections: what is inside shows through, and so does the robot.
  make_inertia() {
    const skin = flat(VIOLET, { transparent: true, depthWrite: false });
    const rings = [
      { opacity: 0.95, linewidth: 1.7 },
      { opacity: 0.4, linewidth: 1.3, depthTest: false },
    ].map((more) => new LineMaterial({ color: VIOLET, transparent: true, depthWrite: false, toneMapped: false, ...more }));
    const sphere = new T.SphereGeometry(1, 40, 28);
    const circles = new LineGeometry().setPositions(sections(48));
    this.skin = skin;
    this.fillInertia();
    const pairs = this.robot.data.inertia.map((item) => {
      const object = new T.Group();
      object.add(new T.Mesh(sphere, skin), ...rings.map((m) => new Line2(circles, m)));
      object.children.forEach((child, k) => (child.renderOrder = 4 + k));
      const X = new T.Matrix4().set(...item.pose);
      X.decompose(object.position, object.quaternion, new T.Vector3());
      object.scale.set(...item.radii.map((r) => Math.max(r, 1e-5)));
      return [item.body, object];
    });
    this.attach("inertia", pairs);
  }

  // Ellipsoids are solid where no robot is to be seen in them.
  fillInertia() {
    if (this.skin) this.skin.opacity = this.robot.roles.visual.some((o) => o.visible) ? 0.16 : 0.55;
  }

  make_com(group) {
    const r = this.size * 0.028;
    const ball = seeThrough(new T.Mesh(checkered(r), new T.MeshStandardMaterial({ vertexColors: true, roughness: 0.5 })), 0.5);
    const line = new T.Mesh(new T.CylinderGeometry(r * 0.12, r * 0.12, 1, 8).rotateX(Math.PI / 2), flat(0xeab308, { transparent: true, opacity: 0.6 }));
    group.add(ball, line);
    this.moving.com = () => {
      const c = new T.Vector3(...this.robot.program.center_of_mass(this.robot.q));
      ball.position.copy(c);
      const world = c.clone().applyMatrix4(this.robot.offset);
      const drop = this.robot.stage.above(world);
      line.position.copy(c).addScaledVector(this.robot.stage.up, -drop / 2);
      line.quaternion.setFromUnitVectors(Z, this.robot.stage.up);
      line.scale.z = Math.max(Math.abs(drop), 1e-6);
    };
  }

  make_closures(group) {
    const { program } = this.robot;
    if (!program.closure_ends) return;
    const items = Array.from({ length: program.closure_ends(this.robot.q).length / 6 }, () => {
      const r = this.size * 0.013;
      const balls = [0, 1].map(() => seeThrough(new T.Mesh(new T.SphereGeometry(r, 32, 20), flat(RED)), 0.85));
      const gap = new T.Mesh(new T.CylinderGeometry(r * 0.4, r * 0.4, 1, 10).rotateX(Math.PI / 2), flat(RED));
      group.add(...balls, gap);
      return { balls, gap };
    });
    this.moving.closures = () => {
      const found = program.closure_ends(this.robot.q);
      items.forEach(({ balls, gap }, i) => {
        const ends = [0, 3].map((k) => new T.Vector3().fromArray(found, 6 * i + k));
        balls.forEach((ball, k) => ball.position.copy(ends[k]));
        const along = ends[1].clone().sub(ends[0]);
        gap.visible = along.length() > 1e-6;
        gap.position.copy(ends[0]).addScaledVector(along, 0.5);
        gap.scale.z = Math.max(along.length(), 1e-9);
        if (gap.visible) gap.quaternion.setFromUnitVectors(Z, along.normalize());
      });
    };
  }

  // Balls where shapes touch, and arrows of the forces on the robot, or on what rests on something else.
  make_contacts(group) {
    const marks = [];
    const ball = new T.SphereGeometry(this.size * 0.011, 24, 16);
    const paint = flat(0xf59e0b);
    const more = () => {
      const mark = { point: seeThrough(new T.Mesh(ball, paint), 0.5), force: arrow(0xdc2626, this.size * 0.0055) };
      group.add(mark.point, mark.force);
      marks.push(mark);
    };
    let usual = 0;
    this.moving.contacts = () => {
      const { found, usual: known } = this.robot.touching;
      const largest = Math.max(...found.map(({ force }) => force.length()), 0);
      usual = known ?? (usual ? usual + ADAPTING * (largest - usual) : largest);
      while (marks.length < found.length) more();
      marks.forEach(({ point, force }, k) => {
        point.visible = force.visible = k < found.length;
        if (k >= found.length) return;
        point.position.copy(found[k].point);
        const length = Math.min(FORCE * (found[k].force.length() / (usual || 1)), LONGEST_FORCE) * this.size;
        aim(force, found[k].point, found[k].force.clone().setLength(length));
      });
      this.touching = found;
    };
  }

  make_wrenches(group) {
    const list = this.robot.data.wrenches;
    const largest = (k) => Math.max(...list.map((w) => Math.hypot(...w.value.slice(k, k + 3))), 1e-9);
    const [moments, forces] = [largest(0), largest(3)];
    const items = list.map((wrench) => {
      const force = arrow(0xf43f5e, this.size * 0.0065);
      const moment = arrow(0xa855f7, this.size * 0.0055);
      group.add(force, moment);
      return { wrench, force, moment };
    });
    this.moving.wrenches = () => {
      for (const { wrench, force, moment } of items) {
        const X = new T.Matrix4().set(...wrench.frame.pose);
        if (wrench.frame.body >= 0) X.premultiply(new T.Matrix4().fromArray(this.robot.poses, 16 * wrench.frame.body).transpose());
        const origin = new T.Vector3().setFromMatrixPosition(X);
        const turn = new T.Matrix4().extractRotation(X);
        const vector = (k, most) =>
          new T.Vector3(...wrench.value.slice(k, k + 3)).applyMatrix4(turn).multiplyScalar((0.4 * this.size) / most);
        aim(force, origin, vector(3, forces));
        aim(moment, origin, vector(0, moments));
      }
    };
  }

  make_names() {
    const seen = new Map();
    const pairs = [];
    for (const frame of this.robot.program.frames) {
      const at = [frame.body, ...[3, 7, 11].map((k) => Math.round((frame.pose[k] / this.size) * 40))].join();
      if (seen.has(at)) continue;
      seen.set(at, frame.name);
      const sprite = label(frame.name, this.robot.stage.theme);
      sprite.position.set(frame.pose[3], frame.pose[7], frame.pose[11]);
      pairs.push([frame.body, sprite]);
    }
    // a sprite takes its size from its own matrix: keep scale, move by the point alone
    for (const [, sprite] of pairs) this.groups.names.add(sprite);
    for (const old of this.robot.stage.labels) if (old.robot === this.robot) this.robot.stage.labels.delete(old);
    this.robot.stage.labels.add({ robot: this.robot, parent: this.groups.names, sprites: pairs.map(([, sprite]) => sprite) });
    const points = pairs.map(([, sprite]) => sprite.position.clone());
    this.moving.names = () => {
      pairs.forEach(([body, sprite], k) => {
        sprite.position.copy(points[k]);
        if (body >= 0) sprite.position.applyMatrix4(new T.Matrix4().fromArray(this.robot.poses, 16 * body).transpose());
      });
    };
  }

  make_trail(group) {
    this.line = new Line2(new LineGeometry(), new LineMaterial({ color: 0xf97316, linewidth: 3.5, toneMapped: false }));
    this.line.frustumCulled = false;
    this.line.visible = false;
    group.add(this.line);
  }

  // Points (n, 3) of a trail, oldest first, in the robot's world.
  trail(points) {
    if (!this.line) return;
    this.line.visible = points.length > 3;
    if (!this.line.visible) return;
    this.line.geometry.dispose();
    this.line.geometry = new LineGeometry().setPositions(points);
    this.count = points.length / 3;
  }
}

// The three principal sections of the unit sphere, as one line of 3 (n + 1) and a quarter points.
function sections(n) {
  const found = [];
  const arc = (a, b, part) => {
    for (let k = 0; k <= n * part; k++) {
      const angle = (2 * Math.PI * k) / n;
      found.push(...[0, 1, 2].map((i) => (i === a ? Math.cos(angle) : i === b ? Math.sin(angle) : 0)));
    }
  };
  arc(0, 1, 1);
  arc(0, 2, 1);
  arc(0, 1, 0.25);
  arc(1, 2, 1);
  return found;
}

// The sign of a centre of mass: a ball in black and yellow quarters.
function checkered(r) {
  const geometry = new T.SphereGeometry(r, 32, 16).toNonIndexed();
  const p = geometry.getAttribute("position");
  const colours = new Float32Array(3 * p.count);
  for (let k = 0; k < p.count; k += 3) {
    const middle = (i) => (i(k) + i(k + 1) + i(k + 2)) / 3;
    const parity = [middle((j) => p.getX(j)) > 0, middle((j) => p.getY(j)) > 0, middle((j) => p.getZ(j)) > 0];
    const dark = parity.filter(Boolean).length % 2 === 0;
    const c = new T.Color(dark ? 0x15181d : 0xfacc15).toArray();
    for (let j = k; j < k + 3; j++) colours.set(c, 3 * j);
  }
  geometry.setAttribute("color", new T.BufferAttribute(colours, 3));
  return geometry;
}

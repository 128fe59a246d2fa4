// One robot on the stage: a group per body, moved by the traced program; shapes by role; ghosts.
import * as T from "three";
import { shapeObject } from "./shapes.js";
import { corners } from "./stage.js";

const PALETTE = [
  [0.92, 0.93, 0.95, 1],
  [0.98, 0.82, 0.6, 1],
  [0.68, 0.84, 0.9, 1],
  [0.8, 0.9, 0.72, 1],
];
const MOST_POINTS = 200000; // vertices that are looked at one by one
const COLLISION = [0.16, 0.65, 0.55, 0.42];
const OF_WORLD = { object: [0.72, 0.76, 0.82, 1], ground: [0.76, 0.79, 0.74, 1], free: [0.87, 0.74, 0.56, 1] };
const NEAR = 0.002; // gap of shapes that touch where there are no forces, relative to the size of the robot

export class RobotView {
  constructor(data, program, index, stage) {
    Object.assign(this, { data, program, index, stage });
    this.name = data.name;
    this.offset = new T.Matrix4().set(...data.placement);
    this.root = new T.Group();
    this.root.matrixAutoUpdate = false;
    this.root.matrix.copy(this.offset);
    stage.world.add(this.root);
    this.q = Float64Array.from(data.q);
    this.v = new Float64Array(program.nv);
    this.roles = { visual: [], collision: [] };
    this.groups = this.makeGroups();
    this.ghosts = [];
    this.listeners = [];
    this.kept = null; // what the last step of a simulation has left, which lasted dt
    this.row = null; // of the motion that is played
  }

  makeGroups() {
    // one per body, then the world
    const groups = [...this.program.bodies, null].map((body, i) => {
      const group = new T.Group();
      group.matrixAutoUpdate = false;
      group.userData.body = body ? i : -1;
      this.root.add(group);
      return group;
    });
    return groups;
  }

  group(body) {
    return this.groups[body < 0 ? this.groups.length - 1 : body];
  }

  async load(meshes) {
    const fallback = PALETTE[this.index % PALETTE.length];
    const make = async (shape) => {
      const paint = shape.role === "collision" ? { ...shape, colour: COLLISION, repaint: true } : shape;
      const object = await shapeObject(paint, meshes, OF_WORLD[shape.placed ?? (this.isObject(shape.body) && "free")] ?? fallback);
      object.userData.role = shape.role;
      object.userData.placed = shape.placed;
      return [shape, object];
    };
    const { shapes, spare } = this.data;
    const made = await Promise.all(shapes.map(make));
    const lost = new Set(shapes.filter(({ role, mesh }) => role === "visual" && meshes.troubles.has(mesh)).map(({ body }) => body));
    made.push(...(await Promise.all(spare.filter(({ body }) => lost.has(body)).map(make))));
    for (const [shape, object] of made) {
      this.group(shape.body).add(object);
      this.roles[shape.role].push(object);
      object.traverse((o) => {
        if (!o.isMesh) return;
        o.receiveShadow = shape.role === "visual" && shape.kind !== "plane";
        o.castShadow = o.receiveShadow && shape.placed !== "ground";
      });
    }
    this.show("collision", false);
    this.update();
  }

  show(role, on) {
    for (const object of this.roles[role]) object.visible = on;
    this.stage.invalidate();
  }

  // Whether a body is a free object of a world, and no part of the robot.
  isObject(body) {
    return this.data.objects.includes(body);
  }

  // Where shapes touch: points, and forces if they are known, in the world of the robot; and a usual length of forces.
  get touching() {
    const { data, program, row } = this;
    const at = (x, k) => new T.Vector3().fromArray(x, 3 * k);
    if (row !== null && data.contacts) {
      const { names, points, forces, usual } = data.contacts;
      const all = names.map((_, k) => ({ point: at(points, row * names.length + k), force: at(forces, row * names.length + k) }));
      return { found: all.filter(({ force }) => force.lengthSq() > 0), usual };
    }
    if (!program.contacts || row !== null) return { found: [] };
    const { gaps, points, forces } = program.contacts(this.q, this.kept, this.dt);
    const all = program.slots.map((_, k) => ({ point: at(points, k), force: at(forces, k), gap: gaps[k] }));
    return { found: all.filter(({ force, gap }) => (this.kept ? force.lengthSq() > 0 : gap < NEAR * this.overlays.size)) };
  }

  // Move to a configuration; listeners hear of it.
  set(q, v = null) {
    this.kept = this.row = null;
    this.q = Float64Array.from(q);
    this.v = v ? Float64Array.from(v) : new Float64Array(this.program.nv);
    this.update();
  }

  update() {
    this.poses = this.program.poses(this.q);
    place(this.groups, this.poses);
    for (const f of this.listeners) f();
    this.stage.invalidate();
  }

  // The pose of body k, in the world of the stage.
  pose(k) {
    const X = new T.Matrix4();
    if (k >= 0) X.fromArray(this.poses, 16 * k).transpose();
    return X.premultiply(this.offset);
  }

  // Translucent copies of the robot at other configurations; `faint` from 0 to 1.
  makeGhosts(count, opacity) {
    for (let k = 0; k < count; k++) {
      const groups = this.groups.map((group, i) => {
        const copy = new T.Group();
        copy.matrixAutoUpdate = false;
        copy.userData.ghost = true;
        for (const child of i < this.groups.length - 1 ? group.children : []) {
          if (!this.roles.visual.includes(child)) continue;
          const twin = child.clone(true);
          twin.traverse((o) => {
            if (!o.isMesh) return;
            o.material = [o.material].flat().map((m) => ghostly(m, opacity, k, count));
            if (o.material.length === 1) o.material = o.material[0];
            o.castShadow = false;
            o.receiveShadow = false;
            o.renderOrder = 1 + k;
          });
          copy.add(twin);
        }
        this.root.add(copy);
        return copy;
      });
      this.ghosts.push(groups);
    }
  }

  setGhost(k, q) {
    place(this.ghosts[k], this.program.poses(q));
  }

  // The box around the robot and its ghosts, and what is near of its world unless the robot alone is wanted; by all
  // vertices if there are at most so many, else by boxes of shapes.
  box(most = 1500000, alone = false) {
    this.root.updateMatrixWorld(true);
    const box = new T.Box3();
    const exact = this.vertices() <= most;
    for (const object of this.roles.visual) {
      if (object.userData.placed || isPlane(object) || (alone && this.isObject(object.parent.userData.body))) continue;
      box.expandByObject(object, exact);
    }
    for (const groups of this.ghosts) for (const g of groups) box.expandByObject(g, exact && this.ghosts.length < 10);
    if (box.isEmpty()) box.setFromCenterAndSize(new T.Vector3(), new T.Vector3(0.5, 0.5, 0.5));
    const near = box.clone().expandByScalar(0.15 * box.getSize(new T.Vector3()).length());
    for (const object of alone ? [] : this.roles.visual) {
      if (object.userData.placed !== "object") continue;
      const part = new T.Box3().expandByObject(object).intersect(near);
      if (!part.isEmpty()) box.union(part);
    }
    return box;
  }

  // Points of the shapes of each body, in its frame: all vertices, or corners of boxes if they are many.
  get points() {
    if (this.cloud) return this.cloud;
    const few = this.vertices() <= MOST_POINTS;
    this.root.updateMatrixWorld(true);
    this.cloud = this.groups.map((group) => {
      const found = [];
      const inverse = group.matrixWorld.clone().invert();
      for (const object of group.children.filter((o) => this.roles.visual.includes(o)))
        object.traverse((o) => {
          if (!o.isMesh || o.geometry.type === "PlaneGeometry") return;
          const X = inverse.clone().multiply(o.matrixWorld);
          const p = o.geometry.getAttribute("position");
          if (!few) o.geometry.computeBoundingBox();
          const list = few ? Array.from({ length: p.count }, (_, k) => new T.Vector3().fromBufferAttribute(p, k)) : corners(o.geometry.boundingBox);
          for (const point of list) found.push(...point.applyMatrix4(X).toArray());
        });
      return Float64Array.from(found);
    });
    return this.cloud;
  }

  // The lowest point along `up` of the scene, with bodies at these poses.
  lowest(poses, up) {
    let least = Infinity;
    this.points.forEach((points, k) => {
      const X = new T.Matrix4();
      if (k < this.groups.length - 1) X.fromArray(poses, 16 * k).transpose();
      const e = X.premultiply(this.offset).elements;
      const [a, b, c, d] = [0, 4, 8, 12].map((i) => up.x * e[i] + up.y * e[i + 1] + up.z * e[i + 2]);
      for (let i = 0; i < points.length; i += 3) least = Math.min(least, a * points[i] + b * points[i + 1] + c * points[i + 2] + d);
    });
    return Number.isFinite(least) ? least : 0;
  }

  vertices() {
    let count = 0;
    for (const object of this.roles.visual) object.traverse((o) => (count += o.isMesh ? o.geometry.getAttribute("position").count : 0));
    return count;
  }
}

function isPlane(object) {
  return object.children.some((c) => c.isMesh && c.geometry.type === "PlaneGeometry");
}

function place(groups, poses) {
  groups.forEach((group, k) => {
    if (16 * k < poses.length && k < groups.length - 1) group.matrix.fromArray(poses, 16 * k).transpose();
    group.matrixWorldNeedsUpdate = true;
  });
}

const made = new Map();

function ghostly(m, opacity, k, count) {
  const key = `${m.uuid} ${opacity} ${count > 1 ? k : 0}`;
  if (!made.has(key)) {
    const ghost = m.clone();
    const hue = count > 1 ? 0.55 + (0.32 * k) / (count - 1) : 0.6;
    ghost.color = ghost.color.clone().lerp(new T.Color().setHSL(hue, 0.6, 0.62), 0.75);
    ghost.map = null;
    ghost.transparent = true;
    ghost.opacity = opacity;
    ghost.depthWrite = true; // so that parts inside others do not show through
    ghost.roughness = 0.7;
    made.set(key, ghost);
  }
  return made.get(key);
}

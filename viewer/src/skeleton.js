// Links of a robot without shapes: tapered capsules between joints, and a disc at each joint.
import * as T from "three";
import { material, tapered } from "./shapes.js";

const LINKS = [
  [0.93, 0.94, 0.96, 1],
  [0.86, 0.89, 0.93, 1],
];
const JOINT = [0.3, 0.5, 0.93, 1];
const SLIDE = [0.1, 0.62, 0.56, 1];

// A capsule between two points; `a` and `b` are the radii at them.
function bone(from, to, a, b, m) {
  const along = to.clone().sub(from);
  const length = along.length();
  const mesh = new T.Mesh(tapered(a, b, length), m);
  mesh.position.copy(from);
  mesh.quaternion.setFromUnitVectors(new T.Vector3(0, 0, 1), along.normalize());
  return mesh;
}

// A disc or a sleeve along an axis.
function disc(at, axis, radius, height, colour) {
  const geometry = new T.CylinderGeometry(radius, radius, height, 48).rotateX(Math.PI / 2);
  const mesh = new T.Mesh(geometry, material(colour, { roughness: 0.4, metalness: 0.15 }));
  mesh.position.copy(at);
  mesh.quaternion.setFromUnitVectors(new T.Vector3(0, 0, 1), axis.clone().normalize());
  return mesh;
}

// One group per body, and last that of the world, to be added to the groups that move with them.
// `data.skeleton[i]` has the joint's place in the body, its axes, and the ends of the link; sizes come from all lengths.
export function skeleton(data) {
  const lengths = [];
  for (const body of data.skeleton) {
    const from = new T.Vector3(...body.joint);
    for (const end of body.ends) {
      const d = from.distanceTo(new T.Vector3(...end));
      if (d > 1e-6) lengths.push(d);
    }
  }
  lengths.sort((x, y) => x - y);
  const typical = lengths.length ? lengths[Math.floor(lengths.length * 0.6)] : 0.3;
  const thick = typical * 0.12;
  return data.skeleton.map((body, i) => {
    const group = new T.Group();
    const from = new T.Vector3(...body.joint);
    const paint = material(LINKS[i % 2]);
    for (const end of body.ends) {
      const to = new T.Vector3(...end);
      const d = from.distanceTo(to);
      if (d < thick * 0.2) continue;
      const a = Math.min(thick, Math.max(0.35 * d, 0.3 * thick));
      group.add(bone(from, to, a, a * 0.72, paint));
    }
    if (!group.children.length && !body.world) {
      const ball = new T.Mesh(new T.SphereGeometry(thick * 0.85, 40, 28), paint);
      ball.position.copy(from);
      group.add(ball);
    }
    for (const axis of body.turns)
      group.add(disc(from, new T.Vector3(...axis), thick * 1.08, thick * 2.05, JOINT));
    for (const axis of body.slides)
      group.add(disc(from, new T.Vector3(...axis), thick * 0.9, thick * 3.2, SLIDE));
    if (body.world) {
      const up = new T.Vector3(...data.up);
      for (const end of body.ends.length ? body.ends : [body.joint])
        if (new T.Vector3(...end).distanceTo(from) < thick)
          group.add(disc(new T.Vector3(...end).addScaledVector(up, -thick * 0.6), up, thick * 2.1, thick * 0.8, [0.4, 0.45, 0.53, 1]));
    }
    return group;
  });
}

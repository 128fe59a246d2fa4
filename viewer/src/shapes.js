// Shapes of links: primitives and meshes, in their colours.
import * as T from "three";

export function material(colour, { roughness = 0.5, metalness = 0.06 } = {}) {
  const [r, g, b, a] = colour;
  return new T.MeshStandardMaterial({
    color: new T.Color().setRGB(r, g, b, T.SRGBColorSpace),
    roughness,
    metalness,
    transparent: a < 1,
    opacity: a,
    depthWrite: a >= 0.95,
  });
}

// Geometry of a primitive, with z along its axis. Sizes as in kinetrace's Geometry.
export function primitive(kind, size) {
  if (kind === "box") return rounded(size);
  if (kind === "sphere") return new T.SphereGeometry(size[0], 48, 32);
  if (kind === "ellipsoid") return new T.SphereGeometry(1, 48, 32).scale(...size);
  if (kind === "cylinder") return bevelled(size[0], size[1]);
  if (kind === "capsule") return new T.CapsuleGeometry(size[0], size[1], 16, 48).rotateX(Math.PI / 2);
  if (kind === "plane") return new T.PlaneGeometry(size[0] || 20, size[1] || 20);
  return null;
}

// A box with narrow rounded edges, which catch the light.
function rounded([x, y, z]) {
  const r = Math.min(x, y, z) * 0.06;
  if (!(r > 0)) return new T.BoxGeometry(x, y, z);
  const shape = new T.Shape();
  const [a, b] = [x / 2 - r, y / 2 - r];
  shape.absarc(a, b, r * 0.999, 0, Math.PI / 2);
  shape.absarc(-a, b, r * 0.999, Math.PI / 2, Math.PI);
  shape.absarc(-a, -b, r * 0.999, Math.PI, 1.5 * Math.PI);
  shape.absarc(a, -b, r * 0.999, 1.5 * Math.PI, 2 * Math.PI);
  const depth = z - 2 * r;
  const geometry = new T.ExtrudeGeometry(shape, {
    depth,
    bevelEnabled: true,
    bevelThickness: r,
    bevelSize: r,
    bevelOffset: -r,
    bevelSegments: 3,
    curveSegments: 4,
  });
  return geometry.translate(0, 0, -depth / 2);
}

// A cylinder along z with narrow bevels.
function bevelled(radius, length) {
  const e = Math.min(radius, length / 2) * 0.07;
  const h = length / 2;
  const points = [[0, -h], [radius - e, -h], [radius - 0.3 * e, -h + 0.3 * e], [radius, -h + e], [radius, h - e]];
  points.push([radius - 0.3 * e, h - 0.3 * e], [radius - e, h], [0, h]);
  return new T.LatheGeometry(points.map((p) => new T.Vector2(...p)), 56).rotateX(Math.PI / 2);
}

// The object of a shape, in the link's frame.
export async function shapeObject(shape, meshes, fallback) {
  const holder = new T.Group();
  holder.matrixAutoUpdate = false;
  holder.matrix.set(...shape.pose);
  const geometry = primitive(shape.kind, shape.size);
  if (geometry) {
    const m = material(shape.colour ?? fallback);
    if (shape.kind === "plane") Object.assign(m, { side: T.DoubleSide, transparent: true, opacity: 0.35, depthWrite: false });
    holder.add(new T.Mesh(geometry, m));
  } else if (shape.mesh !== undefined) {
    const mesh = await meshes.get(shape.mesh);
    const scaled = new T.Group();
    scaled.scale.set(...shape.size);
    scaled.add(mesh);
    const colour = shape.colour ?? (mesh.userData.painted ? null : fallback);
    if (colour && !(mesh.userData.painted && !shape.repaint)) {
      const m = material(colour);
      mesh.traverse((o) => {
        if (o.isMesh) o.material = m;
      });
    }
    if (shape.size[0] * shape.size[1] * shape.size[2] < 0)
      mesh.traverse((o) => {
        if (o.isMesh) [o.material].flat().forEach((m) => (m.side = T.DoubleSide));
      });
    holder.add(scaled);
  }
  return holder;
}

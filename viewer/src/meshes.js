// Files of meshes: decoded once, parsed once, shared by all links that use them.
import * as T from "three";
import { ColladaLoader } from "three/examples/jsm/loaders/ColladaLoader.js";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { MTLLoader } from "three/examples/jsm/loaders/MTLLoader.js";
import { OBJLoader } from "three/examples/jsm/loaders/OBJLoader.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";
import { unpacked } from "./packed.js";

export class Meshes {
  constructor(files) {
    this.files = files;
    this.made = new Map();
    this.decoded = new Map();
    this.troubles = new Map(); // key → why it could not be read
  }

  bytes(key) {
    if (!this.decoded.has(key)) this.decoded.set(key, unpacked(this.files[key]));
    return this.decoded.get(key);
  }

  // A copy of the mesh: geometry and textures are shared, and materials too unless they are repainted.
  async get(key) {
    if (!this.made.has(key)) {
      this.made.set(
        key,
        this.parse(key).catch((error) => {
          this.troubles.set(key, `${this.files[key].name}: ${error.message || error}`);
          return new T.Group();
        }),
      );
    }
    return (await this.made.get(key)).clone(true);
  }

  async parse(key) {
    const file = this.files[key];
    const bytes = await this.bytes(key);
    const text = () => new TextDecoder().decode(bytes);
    if (file.format === "stl") {
      const geometry = new STLLoader().parse(bytes.buffer);
      geometry.computeVertexNormals(); // of its facets: those in the file are often zero
      return plain(geometry);
    }
    if (file.format === "arrays") return plain(await this.arrays(bytes, file));
    const { manager, release } = await this.manager(file);
    let made;
    if (file.format === "dae") {
      // its axes are those of the link, whichever it calls up, as in other viewers; the scale of its unit stays
      const upright = text().replace(/<up_axis>\s*[XYZ]_UP\s*<\/up_axis>/i, "<up_axis>Y_UP</up_axis>");
      made = new ColladaLoader(manager).parse(upright, "").scene;
    } else if (file.format === "obj") {
      const loader = new OBJLoader(manager);
      if (file.material !== undefined) {
        const library = new TextDecoder().decode(await this.bytes(file.material));
        loader.setMaterials(new MTLLoader(manager).parse(library, ""));
      }
      made = loader.parse(text());
      made.userData.painted = file.material !== undefined;
    } else {
      made = (await new GLTFLoader(manager).parseAsync(bytes.buffer, "")).scene;
      made.userData.painted = true;
    }
    await release;
    return tidied(made, file.format);
  }

  // Names in the file → data in the page: nothing is fetched from anywhere.
  async manager(file) {
    const manager = new T.LoadingManager();
    const urls = new Map();
    for (const [name, key] of Object.entries(file.uses ?? {}))
      urls.set(name, URL.createObjectURL(new Blob([await this.bytes(key)])));
    const empty = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=";
    manager.setURLModifier((url) => {
      if (url.startsWith("blob:") || url.startsWith("data:")) return url;
      const name = decodeURIComponent(url);
      return urls.get(name) ?? urls.get(name.split("/").pop()) ?? empty;
    });
    let started = false;
    const release = new Promise((resolve) => {
      manager.onStart = () => (started = true);
      manager.onLoad = resolve;
      setTimeout(() => started || resolve(), 0);
      setTimeout(resolve, 5000);
    });
    return { manager, release };
  }

  async arrays(bytes, file) {
    const geometry = new T.BufferGeometry();
    const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const end = 12 * file.vertices;
    geometry.setAttribute("position", new T.BufferAttribute(new Float32Array(data.slice(0, end)), 3));
    geometry.setIndex(new T.BufferAttribute(new Uint32Array(data.slice(end)), 1));
    const creased = geometry.toNonIndexed();
    creased.computeVertexNormals();
    return creased;
  }
}

// A surface without colours of its own: those that some programs write into STL files mean nothing to others.
function plain(geometry) {
  const group = new T.Group();
  geometry.deleteAttribute("color");
  group.add(new T.Mesh(geometry, new T.MeshStandardMaterial({ roughness: 0.55, metalness: 0.05 })));
  group.userData.painted = false;
  return group;
}

// Only meshes and lines stay; old materials become ones that take the room's light.
function tidied(made, format) {
  const group = new T.Group();
  group.userData.painted = made.userData.painted ?? format === "dae";
  const gone = [];
  made.traverse((o) => {
    if (o.isLight || o.isCamera) gone.push(o);
    if (o.isMesh) {
      const of = (m) => (m.isMeshStandardMaterial ? m : standard(m));
      o.material = Array.isArray(o.material) ? o.material.map(of) : of(o.material);
      if (!hasNormals(o.geometry)) o.geometry.computeVertexNormals();
    }
  });
  gone.forEach((o) => o.removeFromParent());
  group.add(made);
  return group;
}

// Whether all corners have a normal: some programs write zeros.
function hasNormals(geometry) {
  const normal = geometry.getAttribute("normal");
  if (!normal) return false;
  for (let k = 0; k < normal.count; k++) if (!(Math.abs(normal.getX(k)) + Math.abs(normal.getY(k)) + Math.abs(normal.getZ(k)) > 0)) return false;
  return true;
}

// A surface that nobody could see is opaque: some exporters write transparency 0 for that.
function standard(m) {
  const clear = !(m.opacity > 0);
  return new T.MeshStandardMaterial({
    color: m.color ?? new T.Color(0xcccccc),
    map: m.map ?? null,
    transparent: m.transparent && !clear,
    opacity: clear ? 1 : m.opacity,
    side: T.DoubleSide,
    roughness: 0.5,
    metalness: 0.05,
    vertexColors: m.vertexColors,
  });
}

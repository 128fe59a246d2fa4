// The stage: renderer, camera, light, floor and theme. It renders only when something has changed.
import * as T from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { arrange } from "./labels.js";

const THEMES = {
  light: { sky: "#fbfcfe", horizon: "#dfe5ee", minor: "#b9c2d0", major: "#8f9bae", shadow: 0.24, sun: 2.5, fill: 0.7, rim: 0.9, skylight: 1.55, above: "#ffffff", below: "#b9bfcc" },
  dark: { sky: "#39414f", horizon: "#191d24", minor: "#39414e", major: "#566173", shadow: 0.55, sun: 2.3, fill: 0.45, rim: 1.7, skylight: 1.35, above: "#e6ecff", below: "#596273" },
};

const FLIGHT = 0.4; // seconds from one direction to another

export class Stage {
  constructor(element, up) {
    this.element = element;
    this.renderer = new T.WebGLRenderer({ antialias: true, preserveDrawingBuffer: false });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = T.PCFShadowMap;
    this.renderer.toneMapping = T.NeutralToneMapping;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("aria-label", "The robot in three dimensions");
    element.prepend(this.canvas);

    this.world = new T.Scene();
    this.up = new T.Vector3(...up).normalize();
    this.upright = new T.Quaternion().setFromUnitVectors(new T.Vector3(0, 0, 1), this.up);
    this.normal = this.up; // of the floor
    this.camera = new T.PerspectiveCamera(34, 1, 0.01, 100);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.invalidate());
    this.controls.addEventListener("start", () => (this.flight = this.fitted = null));

    this.sun = new T.DirectionalLight(0xfffaf2, 2);
    this.sun.castShadow = true;
    this.sun.shadow.radius = 5;
    this.sun.shadow.blurSamples = 12;
    this.sun.shadow.bias = -0.0004;
    this.fill = new T.DirectionalLight(0xdfe9ff, 0.5);
    this.rim = new T.DirectionalLight(0xffffff, 0.5);
    this.air = new T.HemisphereLight(0xffffff, 0x888888, 1);
    this.air.position.copy(this.up);
    for (const light of [this.sun, this.fill, this.rim]) this.world.add(light, light.target);
    this.world.add(this.air);

    this.floor = new T.Group();
    this.floor.quaternion.copy(this.upright);
    this.grid = makeGrid();
    this.ground = new T.Mesh(new T.PlaneGeometry(1, 1), new T.ShadowMaterial({ color: 0x0b1020, transparent: true }));
    this.ground.receiveShadow = true;
    this.ground.renderOrder = -1;
    this.floor.add(this.ground, this.grid);
    this.world.add(this.floor);

    this.labels = new Set(); // lists of sprites that must not cover each other
    this.world.onBeforeRender = (renderer, _, camera) => {
      const shown = [...this.labels].filter(({ parent }) => parent.visible).flatMap(({ sprites }) => sprites);
      if (shown.length) arrange(shown, renderer, camera);
    };
    this.before = []; // functions of the time in seconds, called before each frame; true asks for another frame
    this.waiting = 0;
    this.held = false; // while something else renders
    new ResizeObserver(() => this.resize()).observe(element);
    this.resize();
    this.setTheme("light");
  }

  get size() {
    return [Math.max(this.element.clientWidth, 1), Math.max(this.element.clientHeight, 1)];
  }

  resize() {
    if (this.held) return;
    const [width, height] = this.size;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.shift();
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  // Keep the robot in the middle of what panels leave free: so many pixels are covered at the right, below and above.
  shift(right = this.covered?.[0] ?? 0, below = this.covered?.[1] ?? 0, above = this.covered?.[2] ?? 0) {
    this.covered = [right, below, above];
    const [width, height] = this.size;
    if (right || below || above) this.camera.setViewOffset(width, height, right / 2, (below - above) / 2, width, height);
    else this.camera.clearViewOffset();
  }

  // The part of the height that panels leave free.
  get free() {
    const [, below = 0, above = 0] = this.covered ?? [];
    return 1 - (below + above) / this.size[1];
  }

  // Change the distance to the target by a factor.
  approach(factor) {
    const { camera, controls } = this;
    camera.position.sub(controls.target).multiplyScalar(factor).add(controls.target);
  }

  setTheme(name) {
    const theme = THEMES[name];
    this.theme = name;
    this.world.background = gradient(theme.sky, theme.horizon);
    for (const light of ["sun", "fill", "rim"]) this[light].intensity = theme[light];
    this.air.intensity = theme.skylight;
    this.air.color.set(theme.above);
    this.air.groundColor.set(theme.below);
    this.ground.material.opacity = theme.shadow;
    const u = this.grid.material.uniforms;
    u.minor.value.set(theme.minor);
    u.major.value.set(theme.major);
    this.invalidate();
  }

  // Floor, light and clipping planes for a scene within this box, whose lowest point is at `height` along up.
  fit(box, height) {
    const { center, radius } = box.getBoundingSphere(new T.Sphere());
    Object.assign(this, { center, radius, corners: corners(box) });
    this.setFloor(height);
    this.ground.scale.setScalar(radius * 14);
    this.grid.scale.setScalar(radius * 14);
    const u = this.grid.material.uniforms;
    u.cell.value = roundCell(radius / 4);
    u.extent.value = radius * 6;
    // grid lines pass through the world's origin, wherever the floor's middle is
    const offset = this.foot.clone().applyQuaternion(this.floor.quaternion.clone().invert());
    u.offset.value.set(offset.x, offset.y);
    const from = { sun: [0.75, -0.75, 1.6], fill: [-1, -0.7, 0.5], rim: [-0.5, 1, 0.7] };
    for (const [light, direction] of Object.entries(from)) {
      const away = new T.Vector3(...direction).applyQuaternion(this.upright).normalize();
      this[light].position.copy(center).addScaledVector(away, radius * 5);
      this[light].target.position.copy(center);
    }
    const shadow = this.sun.shadow.camera;
    const reach = radius * 1.7;
    Object.assign(shadow, { left: -reach, right: reach, top: reach, bottom: -reach, near: radius, far: radius * 12 });
    shadow.updateProjectionMatrix();
    this.sun.shadow.mapSize.setScalar(Math.max(...this.size) > 700 ? 2048 : 1024); // less on small screens
    this.sun.shadow.normalBias = 0.006 * radius;
    this.camera.near = radius / 200;
    this.camera.far = radius * 60;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = radius / 20;
    this.controls.maxDistance = radius * 20;
  }

  // The floor is on the plane of this pose from now on, whatever heights are asked for.
  stand(pose) {
    pose.decompose((this.origin = new T.Vector3()), this.floor.quaternion, new T.Vector3());
    this.normal = new T.Vector3(0, 0, 1).applyQuaternion(this.floor.quaternion);
  }

  // The floor at a height along up: a little below, so that what lies on it does not flicker.
  setFloor(height) {
    this.height = height;
    const { center, normal, up } = this;
    if (this.origin) this.foot = center.clone().addScaledVector(normal, normal.dot(this.origin) - normal.dot(center));
    else this.foot = center.clone().addScaledVector(up, height - center.dot(up));
    this.floor.position.copy(this.foot).addScaledVector(normal, -0.0008 * this.radius);
    this.invalidate();
  }

  // How far the floor is below a point, along up.
  above(point) {
    return point.clone().sub(this.floor.position).dot(this.normal) / this.normal.dot(this.up);
  }

  showFloor(on) {
    this.floor.visible = on;
    this.invalidate();
  }

  // Where the camera is, seen from its target, in axes with z up.
  get direction() {
    return this.camera.position.clone().sub(this.controls.target).applyQuaternion(this.upright.clone().invert()).normalize().toArray();
  }

  // Look at the whole scene from a direction given in axes with z up: as near as the corners of its box allow.
  look(direction, smoothly = false) {
    this.fitted = direction; // until the camera is moved by hand
    const away = new T.Vector3(...direction).applyQuaternion(this.upright).normalize();
    const [width, height] = this.size;
    const [right] = this.covered ?? [0];
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    const [across, upward] = [half * ((width - right) / height), half * this.free];
    const x = this.up.clone().cross(away).normalize();
    const y = away.clone().cross(x);
    let distance = 0;
    for (const corner of this.corners) {
      const from = corner.clone().sub(this.center);
      const wide = Math.max(Math.abs(from.dot(x)) / across, Math.abs(from.dot(y)) / upward);
      distance = Math.max(distance, from.dot(away) + wide / 0.86);
    }
    const still = !smoothly || matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.flight = still ? null : { begin: null, from: this.direction, to: direction, target: this.controls.target.clone(), distance: [this.camera.position.distanceTo(this.controls.target), distance] };
    if (still) this.put(away, distance, this.center);
    this.invalidate();
  }

  put(away, distance, target) {
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(away, distance);
    this.controls.update();
  }

  // On the way to a direction, around the vertical the shorter way; true until it is there.
  fly(time) {
    const { flight } = this;
    if (!flight) return false;
    flight.begin ??= time;
    const s = Math.min(1, (time - flight.begin) / FLIGHT);
    const part = s * s * (3 - 2 * s);
    const [from, to] = [flight.from, flight.to].map(([x, y, z]) => ({ azimuth: Math.atan2(y, x), height: Math.atan2(z, Math.hypot(x, y)) }));
    const turn = ((to.azimuth - from.azimuth + 3 * Math.PI) % (2 * Math.PI)) - Math.PI;
    const [azimuth, height] = [from.azimuth + part * turn, from.height + part * (to.height - from.height)];
    const away = new T.Vector3(Math.cos(height) * Math.cos(azimuth), Math.cos(height) * Math.sin(azimuth), Math.sin(height)).applyQuaternion(this.upright);
    const distance = flight.distance[0] ** (1 - part) * flight.distance[1] ** part;
    this.put(away, distance, flight.target.clone().lerp(this.center, part));
    if (s === 1) this.flight = null;
    return s < 1;
  }

  invalidate() {
    if (!this.waiting && !this.held) this.waiting = requestAnimationFrame((time) => this.frame(time));
  }

  frame(time) {
    this.waiting = 0;
    if (this.held) return;
    let more = false;
    for (const f of this.before) more = f(time / 1000) || more;
    more = this.fly(time / 1000) || more;
    if (this.controls.update()) more = true;
    this.render();
    if (more) this.invalidate();
  }

  render() {
    this.renderer.render(this.world, this.camera);
  }
}

export function corners({ min, max }) {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new T.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z));
}

// 1, 2 or 5 times a power of ten.
function roundCell(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [5, 2, 1].find((k) => k * power <= x * 1.0001);
}

function gradient(top, bottom) {
  const canvas = document.createElement("canvas");
  canvas.width = 2;
  canvas.height = 256;
  const c = canvas.getContext("2d");
  const fade = c.createLinearGradient(0, 0, 0, 256);
  fade.addColorStop(0, top);
  fade.addColorStop(0.62, bottom);
  fade.addColorStop(1, bottom);
  c.fillStyle = fade;
  c.fillRect(0, 0, 2, 256);
  const texture = new T.CanvasTexture(canvas);
  texture.colorSpace = T.SRGBColorSpace;
  return texture;
}

// A plane with lines of constant width on the screen, which fade with the distance from its middle.
function makeGrid() {
  const material = new T.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: T.DoubleSide,
    uniforms: {
      cell: { value: 0.1 },
      extent: { value: 1 },
      offset: { value: new T.Vector2() },
      minor: { value: new T.Color() },
      major: { value: new T.Color() },
    },
    vertexShader: `varying vec2 at; varying float size;
      void main() { size = length(modelMatrix[0].xyz); at = position.xy * size;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    fragmentShader: `varying vec2 at; uniform float cell, extent; uniform vec2 offset; uniform vec3 minor, major;
      float line(vec2 p, float width) { vec2 w = fwidth(p); vec2 d = abs(fract(p - 0.5) - 0.5) / w;
        float thin = 1.0 - min(min(d.x, d.y) / width, 1.0); return thin * (1.0 - smoothstep(0.25, 0.75, max(w.x, w.y))); }
      void main() { vec2 p = (at + offset) / cell;
        float fine = line(p, 1.0), coarse = line(p / 5.0, 1.3);
        float fade = pow(1.0 - smoothstep(0.0, 1.0, length(at) / extent), 1.5);
        float alpha = max(fine * 0.35, coarse * 0.6) * fade; if (alpha < 0.004) discard;
        gl_FragColor = vec4(mix(minor, major, coarse), alpha);
        #include <colorspace_fragment>
      }`,
  });
  const grid = new T.Mesh(new T.PlaneGeometry(1, 1), material);
  grid.renderOrder = -2;
  return grid;
}

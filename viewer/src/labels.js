// Labels that do not cover each other: the nearest to the camera first; others move up or down, or are not shown.
import * as T from "three";

const PLACES = [0, 1, -1, 2, -2]; // heights of a label above its point

export function arrange(sprites, renderer, camera) {
  const { x: width, y: height } = renderer.getSize(new T.Vector2());
  const P = camera.projectionMatrix.elements;
  const points = sprites.map((sprite) => sprite.getWorldPosition(new T.Vector3()).project(camera));
  const order = points.map((_, k) => k).sort((a, b) => points[a].z - points[b].z);
  const taken = [];
  for (const k of order) {
    const { scale, center } = sprites[k];
    const [w, h] = [(scale.x * P[0] * width) / 2, (scale.y * P[5] * height) / 2];
    const left = ((points[k].x + 1) * width) / 2;
    const middle = ((points[k].y + 1) * height) / 2;
    const free = (place) => taken.every(([x, y, a, b]) => left > x + a || left + w < x || Math.abs(middle + 1.1 * place * h - y) > (h + b) / 2);
    const place = PLACES.find(free);
    sprites[k].visible = place !== undefined;
    if (place === undefined) continue;
    center.y = 0.5 - 1.1 * place;
    taken.push([left, middle + 1.1 * place * h, w, h]);
  }
}

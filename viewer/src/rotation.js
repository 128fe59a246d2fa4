// Unit quaternions (w, x, y, z) and rotation vectors.
export function quaternionOf(r) {
  const angle = Math.hypot(...r);
  const s = angle > 1e-9 ? Math.sin(angle / 2) / angle : 0.5;
  return [Math.cos(angle / 2), s * r[0], s * r[1], s * r[2]];
}

export function vectorOf([w, x, y, z]) {
  const sign = w < 0 ? -1 : 1;
  const length = Math.hypot(x, y, z);
  const k = length > 1e-9 ? (2 * Math.atan2(length, Math.abs(w)) * sign) / length : 2 * sign;
  return [k * x, k * y, k * z];
}

// Roll, pitch and yaw of a rotation given by rows of a pose (16).
export function rollPitchYaw(X) {
  return [Math.atan2(X[9], X[10]), Math.atan2(-X[8], Math.hypot(X[9], X[10])), Math.atan2(X[4], X[0])];
}

// Values beyond the limits of their joints: where, and by how much.
const SLACK = 1e-6; // of the size of a limit, at least 1: motions are in single precision

// How far x is above (> 0) or below (< 0) its limits, which may be null; 0 within them.
export function beyond(x, lower, upper) {
  if (upper !== null && upper !== undefined && x - upper > SLACK * Math.max(1, Math.abs(upper))) return x - upper;
  if (lower !== null && lower !== undefined && x - lower < -SLACK * Math.max(1, Math.abs(lower))) return x - lower;
  return 0;
}

// Places in q with limits, and those of joints that follow others: [place, ratio, offset, lower, upper].
export function limitsOf({ program, data }) {
  return program.bodies.flatMap((body, k) => {
    const { ratio, offset } = data.joints[k].follows ?? { ratio: 1, offset: 0 };
    return Array.from({ length: body.q[1] - body.q[0] }, (_, i) => [body.q[0] + i, ratio, offset, body.lower?.[i] ?? null, body.upper?.[i] ?? null]).filter(
      ([, , , lower, upper]) => lower !== null || upper !== null,
    );
  });
}

// Parts of a motion, each from 0 to 1, in which a joint of some robot is beyond its limits; neighbours are one.
export function excesses(robots, t, most = 400) {
  const [begin, span] = [t[0], Math.max(t[t.length - 1] - t[0], 1e-9)];
  const rows = robots.filter(({ data }) => data.motion).map((robot) => [robot.data.motion, robot.program.nq, limitsOf(robot)]);
  const found = [];
  for (let k = 0; k < t.length; k++) {
    const out = rows.some(([motion, nq, limits]) => limits.some(([i, ratio, offset, lower, upper]) => beyond(ratio * motion[k * nq + i] + offset, lower, upper)));
    if (!out) continue;
    const [from, to] = [(t[Math.max(k - 1, 0)] + t[k]) / 2, (t[k] + t[Math.min(k + 1, t.length - 1)]) / 2].map((x) => (x - begin) / span);
    const last = found[found.length - 1];
    if (last && from - last[1] < 1 / most) last[1] = to;
    else found.push([from, to]);
  }
  return found;
}

// What sliders set: one control per number of q that can be chosen, and the limbs that they belong to.
import { quaternionOf, vectorOf } from "./rotation.js";

const TURN = Math.PI;

const range = (begin, end) => Array.from({ length: end - begin }, (_, i) => begin + i);

// Controls of a robot: name, unit and range, and how to read it from q and write it into q.
export function controlsOf(robot, size) {
  const { program } = robot;
  const made = [];
  program.bodies.forEach((body, k) => {
    const info = robot.data.joints[k];
    if (!info || info.mimic) return;
    const [begin, end] = body.q;
    const held = range(...body.v);
    const ball = info.quaternion;
    for (let i = 0; i < end - begin; i++) {
      if (ball !== null && i >= ball && i < ball + 4) continue;
      const unit = info.units[i];
      const span = { rad: TURN, m: size }[unit] ?? 1;
      const [lower, upper] = [body.lower?.[i] ?? null, body.upper?.[i] ?? null];
      made.push({
        body: k,
        name: info.labels[i],
        unit,
        lower,
        upper,
        wraps: unit === "rad" && lower === null && upper === null,
        low: lower ?? Math.min(-span, (upper ?? 0) - span),
        high: upper ?? Math.max(span, (lower ?? 0) + span),
        held: end - begin === held.length ? [held[i]] : held,
        read: (q) => q[begin + i],
        write: (q, x) => (q[begin + i] = x),
      });
    }
    if (ball === null) return;
    const at = begin + ball;
    ["x", "y", "z"].forEach((axis, i) =>
      made.push({
        body: k,
        name: `${info.name} ∠${axis}`,
        unit: "rad",
        lower: null,
        upper: null,
        low: -TURN,
        high: TURN,
        held,
        read: (q) => vectorOf(q.subarray(at, at + 4))[i],
        write: (q, x) => {
          const r = vectorOf(q.subarray(at, at + 4));
          r[i] = x;
          q.set(quaternionOf(r), at);
        },
      }),
    );
  });
  for (const control of made) control.main = !program.closed || control.held.every((i) => program.independent.includes(i));
  return made;
}

// Which limb each body is on: limbs end where the tree branches. A branch with one joint belongs to the limb that it grows from.
function limbsOf(bodies, counts) {
  const children = (k) => bodies.flatMap(({ parent }, i) => (parent === k ? [i] : []));
  const size = bodies.map((_, k) => counts[k]);
  for (let k = bodies.length - 1; k >= 0; k--) if (bodies[k].parent >= 0) size[bodies[k].parent] += size[k];
  const limb = [];
  bodies.forEach(({ parent, type }, k) => {
    const branches = children(parent).filter((i) => size[i] > 1).length;
    const follows = parent >= 0 && bodies[parent].type !== "free" && type !== "free" && (branches < 2 || size[k] < 2);
    limb[k] = follows ? limb[parent] : k;
  });
  return limb;
}

// Groups [{ title, controls }] in order: one per limb; in a closed robot, what determines it and what follows.
export function groupsOf(robot, controls) {
  const { program } = robot;
  if (program.closed) {
    const parts = [
      ["Independent", controls.filter(({ main }) => main)],
      ["Follow from the loops", controls.filter(({ main }) => !main)],
    ];
    return parts.filter(([, list]) => list.length).map(([title, list]) => ({ title, controls: list }));
  }
  const counts = program.bodies.map((_, k) => controls.filter(({ body }) => body === k).length);
  const limb = limbsOf(program.bodies, counts);
  const groups = new Map();
  for (const control of controls) groups.set(limb[control.body], [...(groups.get(limb[control.body]) ?? []), control]);
  const lists = [...groups.values()];
  const words = lists.map((list) => list.map(({ name }) => name.split(/[_\-./:\s]+/)));
  const begins = words.map((names) => names[0].slice(0, shared(names)).join(" "));
  return lists.map((list, k) => {
    const only = begins[k] && begins.filter((x) => x === begins[k]).length === 1;
    const ends = [words[k][0], words[k][words[k].length - 1]].map((name) => name.slice(shared(words[k]))[0] ?? "");
    return { title: only ? begins[k] : `${begins[k]} ${ends[0] === ends[1] ? ends[0] : ends.join(" – ")}`.trim(), controls: list };
  });
}

// How many words all names begin with; a name that is alone gives all of its words.
function shared(names) {
  const [first] = names;
  const n = first.findIndex((word, i) => names.some((name) => name[i] !== word));
  return n < 0 ? first.length : n;
}

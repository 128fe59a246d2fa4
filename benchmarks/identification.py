"""Identification of arms from exciting motion with noise: errors on motion that was not seen, beside the noise.

An arm with other bodies than its model, friction and a payload follows an exciting motion. Encoders and torque sensors
have noise. The model is identified from the log and predicts the torques of a second motion, which has other
frequencies and phases. "from log" is the root mean square of measured minus predicted torques over the standard
deviation of the noise of the torques, all joints together; 1 is the best there can be. "true v, a" is the same for
`kt.identify.fit` with the true states, "4 f" for a filter of four times the frequency, and "less noise" for a log with
a fifth of the noise of torques and half of that of positions. Times are those of `exciting_motion` and `identify`.
The last table is that of docs/identification.md: the least and the largest values of each robot.

    python benchmarks/identification.py --robots panda puma560 --seeds 3
    python benchmarks/identification.py --quick
"""

from __future__ import annotations

import time

import numpy as np
import shared

import kinetrace as kt


def true_robot(robot: kt.Robot, rng: np.random.Generator) -> kt.Robot:
    """An arm with other bodies, friction in its joints, and a payload of 1 kg."""
    inertia = kt.lie.inertia
    solid = robot.parameters("inertial") + inertia.to_parameters(1e-4 * np.eye(6))
    theta = inertia.to_log_cholesky(solid)
    other = robot.with_parameters(inertial=inertia.from_log_cholesky(theta + 0.1 * rng.normal(size=theta.shape)))
    effort = robot.limits.effort / 50
    loaded = other.with_payload(1.0, robot.frame_names[-1], com=[0.0, 0.02, 0.05], inertia=2e-3 * np.eye(3))
    return loaded.with_parameters(damping=rng.uniform(0.1, 0.3, robot.nv) * effort, friction=0.3 * effort)


def other_motion(robot: kt.Robot, t: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """A motion within the limits of positions and velocities, of frequencies that are no multiples of another."""
    w = 2 * np.pi * rng.uniform(0.05, 0.45, (robot.nv, 4))
    phase = rng.uniform(0, 2 * np.pi, (robot.nv, 4))
    middle, half = (robot.limits.lower + robot.limits.upper) / 2, (robot.limits.upper - robot.limits.lower) / 2
    size = np.minimum(0.2 * half, 0.2 * robot.limits.velocity / w.max(axis=1))[:, None]
    angle = w * t[:, None, None] + phase
    return (
        middle + (size * np.sin(angle)).sum(-1),
        (size * w * np.cos(angle)).sum(-1),
        -(size * w**2 * np.sin(angle)).sum(-1),
    )


def measured(
    true: kt.Robot, states: tuple[np.ndarray, ...], t: np.ndarray, noise: tuple[np.ndarray, float], seed: int
) -> tuple[np.ndarray, ...]:
    """Times, positions and torques with noise: of torques per joint, and of positions."""
    rng, (q, v, a) = np.random.default_rng(seed), states
    tau = true.inverse_dynamics(q, v, a)
    return t, q + noise[1] * rng.normal(size=q.shape), tau + noise[0] * rng.normal(size=tau.shape)


def over(left: np.ndarray, sigma: np.ndarray) -> float:
    """Root mean square of residuals over the deviation of the noise."""
    return float(np.sqrt(np.mean((left / sigma) ** 2)))


def experiment(name: str, seed: int, rate: float, periods: int, noise: float, encoder: float) -> dict[str, float]:
    """One robot identified once."""
    robot, rng = shared.load(name), np.random.default_rng(seed)
    true = true_robot(robot, rng)
    begin = time.perf_counter()
    motion = kt.identify.exciting_motion(robot, starts=1, seed=seed, margin=0.1, progress=False)
    exciting = time.perf_counter() - begin
    sigma = noise * robot.limits.effort
    t = np.arange(0, periods * motion.period, 1 / rate)
    seen, unseen = motion(t), other_motion(robot, t, rng)

    def identified(part: float, share: float, cutoff: float | None = None) -> tuple[kt.identify.Identification, float]:
        noises = part * sigma, share * encoder
        log, other = (measured(true, x, t, noises, 2 * seed + k) for k, x in enumerate((seen, unseen)))
        found = kt.identify.identify(robot, log, validation=other, cutoff=cutoff)
        return found, over(found.after.measured - found.after.predicted, part * sigma)

    begin = time.perf_counter()
    found, ratio = identified(1.0, 1.0)
    taken = time.perf_counter() - begin
    log, other = (measured(true, x, t, (sigma, encoder), 2 * seed + k) for k, x in enumerate((seen, unseen)))
    best = kt.identify.fit(robot, *seen, log[2], friction=True)
    fitted = best.robot.with_parameters(damping=best.joints["viscous"], friction=best.joints["coulomb"])
    return {
        "condition": found.fit.condition,
        "before": over(found.before.measured - found.before.predicted, sigma),
        "direct": over(other[2] - fitted.inverse_dynamics(*unseen), sigma),
        "ratio": ratio,
        "wide": identified(1.0, 1.0, 4 * found.samples.cutoff)[1],
        "less": identified(0.2, 0.5)[1],
        "exciting": exciting,
        "identify": taken,
    }


def table(made: dict[str, list[dict[str, float]]]) -> str:
    """The table of the page: from the least to the largest of all experiments of a robot."""
    rows = ["| robot | before | after |", "|---|---|---|"]
    for name, found in made.items():
        before, after = ([x[key] for x in found] for key in ("before", "ratio"))
        title = {"panda": "Panda", "puma560": "PUMA 560", "ur5e": "UR5e"}.get(name, name)
        rows.append(f"| {title} | {min(before):.2g}–{max(before):.2g} | {min(after):.3f}–{max(after):.3f} |")
    return "\n".join(rows)


def main() -> None:
    """Print the table."""
    parser = shared.parser(__doc__)
    parser.add_argument("--robots", nargs="+", default=["panda", "puma560", "ur5e"])
    parser.add_argument("--seeds", type=int, default=2, help="experiments per robot")
    parser.add_argument("--rate", type=float, default=500.0, help="samples per second")
    parser.add_argument("--periods", type=int, default=2, help="periods of 10 s")
    parser.add_argument("--noise", type=float, default=0.005, help="of torques, relative to their limits")
    parser.add_argument("--encoder", type=float, default=2e-5, help="noise of positions [rad]")
    effects = "damping and friction of the true arm, none of the model that is identified"
    args = shared.options(parser, effects, robots=["planar2r"], seeds=1, rate=100.0, periods=1)
    print("rms of torque residuals on motion not seen, over the deviation of the noise of torques")
    print(
        f"{'robot':>10} {'seed':>4} {'condition':>9} {'before':>8} {'true v, a':>9} {'from log':>9} {'4 f':>9} "
        f"{'less noise':>10} {'times [s]':>12}"
    )
    made: dict[str, list[dict[str, float]]] = {name: [] for name in args.robots}
    for name in args.robots:
        for seed in range(args.seeds):
            x = experiment(name, seed, args.rate, args.periods, args.noise, args.encoder)
            made[name].append(x)
            print(
                f"{name:>10} {seed:>4} {x['condition']:9.1f} {x['before']:8.2f} {x['direct']:9.4f} {x['ratio']:9.4f} "
                f"{x['wide']:9.4f} {x['less']:10.4f} {x['exciting']:6.1f}{x['identify']:6.1f}",
                flush=True,
            )
    everything = [x for found in made.values() for x in found]
    print(f"worst: {100 * (max(x['ratio'] for x in everything) - 1):+.2f} % of the noise floor; wanted: within 5 %")
    print(f"with less noise: {max(x['less'] for x in everything):.3f} at most")
    for name, found in made.items():
        more = 100 * (np.mean([x["wide"] / x["ratio"] for x in found]) - 1)
        print(f"{name}, a filter of four times the frequency: {more:.1f} % more")
    print(table(made))


if __name__ == "__main__":
    main()

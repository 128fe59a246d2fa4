"""A Stewart platform: it falls without motor forces, and tracks a motion with them.

The platform and its six legs are a tree, closed by six balls: 24 velocities, 18 rows, six degrees of freedom. The
energy error shows that the ball joints do no work.
"""

import numpy as np

import kinetrace as kt

robot, dt = kt.load("stewart"), 2e-3
home, rest = robot.assemble(), np.zeros(robot.nv)
print(f"{robot.nv} velocities, {robot.mobility().rows} rows, {robot.dof} degrees of freedom")


def energy(q, v):
    """Kinetic and potential [J]."""
    return robot.kinetic_energy(q, v) + robot.potential_energy(q)


# A tenth of a second without motors, with and without a projection after every step.
for projected in (False, True):
    q, v = home, robot.velocity_map(home) @ [0, 0, 0.5, 0.1, 0, 0]
    before = energy(q, v)
    for _ in range(50):
        q, v = robot.step(q, v, rest, dt, method="rk4")
        q, v = robot.project(q, v) if projected else (q, v)
    gap = np.abs(robot.closure_residual(q)).max()
    print(
        f"{'projected' if projected else 'unprojected':11}: it falls with {-v[5]:.2f} m/s; "
        f"energy off by {abs(energy(q, v) - before):.0e} J, loops open by {gap:.0e} m"
    )

# Up and down by 3 cm. The independent velocities y are the twist of the platform; the motors give it the acceleration
# with the error dynamics e'' + 2k e' + k² e = 0. Their work equals the change of energy.
k, w, plate = 30.0, 1.5 * np.pi, robot.v_slice("platform_motion")
q, v, work, worst, before = home, rest, 0.0, 0.0, energy(home, rest)
for t in dt * np.arange(500):
    up = 0.015 * np.array([1 - np.cos(w * t), w * np.sin(w * t), w * w * np.cos(w * t)])  # and its two rates
    wanted, rate, curve = (np.array([0, 0, 0, 0, 0, x]) for x in up)
    error = robot.difference(home, q)[plate] - wanted
    worst = max(worst, np.abs(error).max())
    a = robot.closed_acceleration(q, v, curve - 2 * k * (v[plate] - rate) - k * k * error)
    tau, force = robot.motor_forces(q, v, a)
    work += dt / 2 * tau @ v
    q, v = robot.project(*robot.step(q, v, tau, dt, method="rk4"))
    work += dt / 2 * tau @ v
print(f"tracking: off by at most {1e6 * worst:.0f} µm; motors push with {tau[tau != 0].round(1)} N at the end")
print(f"their work {work:.5f} J, the energy has grown by {energy(q, v) - before:.5f} J")

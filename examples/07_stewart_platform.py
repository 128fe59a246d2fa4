"""
A closed chain: a Stewart platform
==================================

The platform and its six legs are a tree, closed by six balls: 24 velocities, 18 rows, six degrees of freedom. It
falls when its motors are off, and tracks a motion when they push.
"""

import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

robot, dt = kt.load("stewart"), 2e-3
home, rest = robot.assemble(), np.zeros(robot.nv)
print(f"{robot.nv} velocities, {robot.mobility().rows} rows, {robot.dof} degrees of freedom")

robot.draw(home)  # red: where the loops are closed
plt.show()

# %%
# Falling
# -------
# A tenth of a second without motors, with and without a projection after every step. The ball joints do no work, so
# the energy is that of the beginning, up to the errors of the integrator.

for projected in (False, True):
    q, v = home, robot.velocity_map(home) @ [0, 0, 0.5, 0.1, 0, 0]
    before = robot.total_energy(q, v)
    for _ in range(50):
        q, v = robot.step(q, v, rest, dt, method="rk4")
        q, v = robot.project(q, v) if projected else (q, v)
    gap = np.abs(robot.closure_residual(q)).max()
    print(
        f"{'projected' if projected else 'unprojected':11}: it falls with {-v[5]:.2f} m/s; "
        f"energy off by {abs(robot.total_energy(q, v) - before):.0e} J, loops open by {gap:.0e} m"
    )

# %%
# Tracking
# --------
# Up and down by 3 cm, and a turn of 8° about the vertical. The independent velocities are the twist of the platform;
# the motors give it the acceleration with the error dynamics e″ + 2k e′ + k² e = 0. ``motor_forces`` returns their
# forces, and what the balls transmit.

k, w, plate = 30.0, 2 * np.pi, robot.v_slice("platform_motion")
size = np.array([0, 0, np.radians(4), 0, 0, 0.015])
q, v, work, before, rows = home, rest, 0.0, robot.total_energy(home, rest), []
for t in dt * np.arange(500):
    shape = 1 - np.cos(w * t), w * np.sin(w * t), w * w * np.cos(w * t)  # and its two rates
    wanted, rate, curve = (size * x for x in shape)
    error = robot.difference(home, q)[plate] - wanted
    a = robot.closed_acceleration(q, v, curve - 2 * k * (v[plate] - rate) - k * k * error)
    tau, force = robot.motor_forces(q, v, a)
    rows.append([t, *robot.difference(home, q)[plate][[2, 5]], *tau[tau != 0], *error])
    work += dt / 2 * tau @ v
    q, v = robot.project(*robot.step(q, v, tau, dt, method="rk4"))
    work += dt / 2 * tau @ v
t, turn, height, push, error = np.split(np.array(rows), [1, 2, 3, 9], axis=1)
print(f"off by at most {1e6 * np.abs(error[:, 3:]).max():.0f} µm and {1e6 * np.abs(error[:, :3]).max():.0f} µrad")
print(f"work of the motors {work:.5f} J, the energy has grown by {robot.total_energy(q, v) - before:.5f} J")

# %%
# The motion, and the forces of the six motors: they carry the weight and turn the platform.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.plot(t, 1e3 * height, label="height [mm]")
left.plot(t, np.degrees(turn), label="turn [°]")
left.set(xlabel="time [s]", title="the platform")
left.legend()
right.plot(t, push, label=robot.motor_names)
right.set(xlabel="time [s]", ylabel="force [N]", title="the motors")
right.legend(fontsize=8, ncols=2)
plt.show()

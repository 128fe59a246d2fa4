"""
Adaptive control with half the masses
=====================================

A Panda follows a motion with a model that has half of every mass. Passivity-based control stays off; adaptive control
finds what the motion needs to know, in less than a second.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

warnings.simplefilter("ignore", kt.LimitWarning)  # joint 6 is at home near its limit

robot = kt.load("panda")
home, size = robot.home(), np.array([0.4, 0.3, -0.4, 0.3, 0.3, -0.3, 0.5])
model = robot.with_parameters(inertial=0.5 * robot.parameters("inertial"))
damping = 30 * robot.mass_matrix(home).diagonal()


def reference(t):
    """q, v and a."""
    sin, cos = kt.arrays.sin(2 * t), kt.arrays.cos(2 * t)
    return home + size * sin, 2 * size * cos, -4 * size * sin


# %%
# Both have the wrong model. The adaptive one starts from it, and corrects it as it moves.

controllers = {
    "passivity-based": kt.control.passivity_based(model, reference, 8.0, damping),
    "adaptive": kt.control.adaptive(model, reference, 8.0, damping, adaptation=100.0),
}
figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
for name, controller in controllers.items():
    motion = robot.simulate(home, 2 * size, t=4.0, dt=1e-3, controller=controller)
    error = np.abs(motion.q - home - size * np.sin(2 * motion.t)[:, None]).max(axis=1)
    print(f"{name}: {1e3 * error[1000:].max():.1f} mrad after the first second")
    ax.semilogy(motion.t[1:], error[1:], label=name)
ax.set(xlabel="time [s]", ylabel="largest error [rad]")
ax.legend()
plt.show()

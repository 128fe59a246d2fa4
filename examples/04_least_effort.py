"""
A motion of least effort, and of a cost of your own
===================================================

``kt.motion`` finds motions that are best by some measure, within the limits of the robot. It needs SciPy and CasADi.
"""

import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

panda = kt.load("panda").with_joint_effects(armature=0.3)  # the rotors, seen through their gears
robot = panda.with_payload(2.0, "panda_hand", com=[0, 0, 0.05])
begin, end = np.array([0.0, 0.6, 0.0, -2.2, 0.0, 2.8, 0.8]), np.array([0.3, 0.2, 0.1, -1.9, 0.05, 2.2, 0.8])

# %%
# Least effort
# ------------
# A smooth motion to compare with, and the one with the least ½ ∫ τ · τ dt. Limits of the robot hold.

smooth = kt.motion.minimum_jerk(robot, begin, end, 0.5)
least = kt.motion.minimum_effort(robot, begin, end, 0.5, intervals=8)
print(least)
print("residuals of the optimality conditions:", least.residual)

# %%
# A cost of your own
# ------------------
# A cost is a function of one instant, in array code; its arguments are any of q, v, a, tau, jerk and t. Its exact first
# and second derivatives are compiled for you.


def wear(model, v, tau):
    """Power through the gears, squared, and a little effort."""
    power = tau * v
    return power @ power + 0.1 * (tau @ tau)


mine = kt.motion.optimise(robot, wear, begin, end, 0.5, intervals=8)
print(mine)

# %%
# The torques of the three.

figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
for found, name in ((smooth, "least jerk"), (least, "least effort"), (mine, "my own")):
    motion = found.trajectory(dt=2e-3)
    effort = np.trapezoid(0.5 * (motion.tau**2).sum(axis=1), motion.t)
    ax.plot(motion.t, np.linalg.norm(motion.tau, axis=1), label=f"{name}: {effort:.0f} N²m²s")
ax.set(xlabel="time [s]", ylabel="|τ| [N m]", ylim=(0, None))
ax.legend()
plt.show()

# %%
# The arm at the beginning of its motion, and the path of its hand.

t = np.linspace(0, 0.5, 50)
ax = robot.draw(least.spline(t)[0], show="trail", frame="panda_hand_tcp", ghosts=0)
ax.plot(*robot.pose(smooth.spline(t)[0], "panda_hand_tcp")[:, :3, 3].T, "k--", linewidth=1)
plt.show()
# sphinx_gallery_thumbnail_number = 2

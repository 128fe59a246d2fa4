"""
A quadruped: free base, feet, balance
=====================================

A robot that is attached to nothing: how its configuration is stored, which forces of the ground hold it, and which
torques its motors need while its trunk moves over its feet.
"""

import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

robot = kt.load("quadruped", base="free")
feet = ["FL_foot", "FR_foot", "RL_foot", "RR_foot"]
print(robot)

# %%
# Configuration and velocity
# --------------------------
# The base comes first. Its configuration has seven numbers, a position and a quaternion (w, x, y, z); its velocity
# has six, the twist of the trunk in its own axes, angular part first. So nq is nv + 1, and configurations are not
# subtracted but compared by ``difference`` and moved by ``integrate``.

print("base in q:", robot.q_slice("floating_base"), " in v:", robot.v_slice("floating_base"))
q = robot.neutral()
q[7:] = np.tile([0.0, 0.7, -1.4], 4)  # roll, pitch and knee of each leg
q[2] = -robot.pose(q, "FL_foot")[2, 3]  # lift the trunk until the feet are on the ground
print("feet at height", np.array([robot.pose(q, foot)[2, 3] for foot in feet]).round(12), "m")
print("turned by 0.1 rad about its x axis:", robot.integrate(q, [0.1] + [0] * 17)[:7].round(3))

# %%
# Standing
# --------
# At rest the equations of motion are g(q) = Σ Jᵢᵀ fᵢ + (0, τ): the first six rows say that the ground carries the
# robot, the others what the motors do. Three numbers per foot are more than six rows determine; take the forces of
# least size.


def standing(q):
    """Forces of the ground (..., 4, 3) in the world's axes, and torques of the motors (..., 12)."""
    J = np.concatenate([robot.jacobian(q, x, expressed_in="aligned")[..., 3:, :] for x in feet], axis=-2)
    Jt, gravity = J.swapaxes(-1, -2), robot.gravity(q)
    f = (np.linalg.pinv(Jt[..., :6, :]) @ gravity[..., :6, None])[..., 0]
    tau = gravity[..., 6:] - (Jt[..., 6:, :] @ f[..., None])[..., 0]
    return f.reshape(*f.shape[:-1], 4, 3), tau


force, tau = standing(q)
mass = robot.parameters("inertial")[:, 0].sum()
print("vertical forces of the feet:", force[:, 2].round(1), "N; weight", round(9.81 * mass, 1), "N")
print("torques of a front leg:     ", tau[:3].round(2), "N m")


def with_forces(q, force):
    """Picture with the forces of the ground, which a drawing takes in the axes of the feet."""
    axes = [robot.pose(q, foot)[:3, :3] for foot in feet]
    wrenches = {foot: [0, 0, 0, *R.T @ f] for foot, R, f in zip(feet, axes, force, strict=True)}
    return robot.draw(q, show="com", wrench=wrenches)


with_forces(q, force)
plt.show()

# %%
# Leaning
# -------
# The trunk moves by up to 24 cm forward and backward over the feet. The legs follow by inverse kinematics of all 81
# states at once: a few Newton steps on the positions of the feet, in which the base does not take part.

shift = np.linspace(-0.24, 0.24, 81)
goal = np.array([robot.pose(q, foot)[:3, 3] for foot in feet])
lean = np.tile(q, (81, 1))
lean[:, 0] += shift
for _ in range(8):
    miss = np.concatenate([goal[i] - robot.pose(lean, x)[:, :3, 3] for i, x in enumerate(feet)], axis=-1)
    J = np.concatenate([robot.jacobian(lean, x, expressed_in="aligned")[:, 3:, 6:] for x in feet], axis=-2)
    lean[:, 7:] += np.linalg.solve(J, miss[..., None])[..., 0]
print("feet have moved by at most", f"{np.abs(miss).max():.0e}", "m")

force, tau = standing(lean)
with_forces(lean[72], force[72])
plt.show()

# %%
# The ground's forces move from the rear feet to the front feet, and the motors have other things to do.

com = robot.center_of_mass(lean)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.plot(com[:, 0], force[:, 0, 2], label="a front foot")
left.plot(com[:, 0], force[:, 2, 2], label="a rear foot")
left.axhline(0, color="0.6", linewidth=1)
left.set(xlabel="centre of mass, x [m]", ylabel="vertical force [N]", title="the ground")
left.legend()
for i, name in enumerate(("hip pitch", "knee")):
    right.plot(com[:, 0], tau[:, 1 + i], label=f"front {name}", color=f"C{i + 2}")
    right.plot(com[:, 0], tau[:, 7 + i], label=f"rear {name}", color=f"C{i + 2}", linestyle="--")
right.set(xlabel="centre of mass, x [m]", ylabel="torque [N m]", title="the motors")
right.legend()
plt.show()

# %%
# A foot pushes and does not pull: where its force would be negative, the robot falls over. That is where the centre
# of mass leaves the feet, as it must be.

stands = (force[..., 2] >= 0).all(axis=-1)
print(f"stands with its centre of mass between x = {com[stands, 0].min():.3f} and {com[stands, 0].max():.3f} m")
print(f"its feet are at                        x = {goal[:, 0].min():.3f} and {goal[:, 0].max():.3f} m")

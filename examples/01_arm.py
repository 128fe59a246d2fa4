"""
An arm: pose, torques, payload
==============================

Load an arm, compute where its hand is, and which torques hold it: in one configuration, then in a hundred thousand,
alone and with three kilograms in the hand.
"""

import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

np.set_printoptions(precision=2, suppress=True)
robot = kt.load("panda")  # or the path of your URDF
print(robot.info())

# %%
# One configuration
# -----------------
# ``home`` is within the limits of all joints. A pose is a 4×4 matrix; the columns of a Jacobian are the twists
# (angular part first) that the joints give to the hand.

q = robot.home()
X = robot.pose(q, "panda_hand_tcp")
J = robot.jacobian(q, "panda_hand_tcp", expressed_in="aligned")
print("the hand is at", X[:3, 3].round(3), "m")
print("joint 2 moves it by", J[3:, 1].round(3), "m per rad")
print("torques that hold the arm:", robot.gravity(q), "N m")

robot.draw(q, show=("frames", "com"), frame="panda_hand_tcp")
plt.show()

# %%
# The picture has the frame of the hand (x red, y green, z blue) and the centre of mass; ``robot.view()`` opens a page
# in which the arm can be moved.
#
# A payload
# ---------
# ``with_payload`` makes another robot. The same load can be given as a force: 29.4 N along the world's −z, which is
# written in the axes of the hand, since that is where a wrench acts.

loaded = robot.with_payload(3.0, "panda_hand_tcp")
weight = np.concatenate([np.zeros(3), X[:3, :3].T @ [0, 0, -3 * 9.81]])
still = np.zeros(robot.nv)
by_force = robot.inverse_dynamics(q, still, still, wrench={"panda_hand_tcp": weight})
print("with 3 kg:                ", loaded.gravity(q), "N m")
assert np.allclose(loaded.gravity(q), by_force)

# %%
# A hundred thousand configurations
# ---------------------------------
# All functions take arrays with leading axes. How much of its effort does each motor need to carry the arm?

q = robot.random(100_000, seed=0)
alone, with_load = (np.abs(r.gravity(q)) / robot.limits.effort for r in (robot, loaded))

figure, ax = plt.subplots(figsize=(8, 3.8), layout="constrained")
for share, side, colour, name in ((alone, -1, "tab:blue", "alone"), (with_load, 1, "tab:orange", "with 3 kg")):
    boxes = ax.boxplot(
        100 * share,
        positions=np.arange(7) + 0.17 * side,
        widths=0.26,
        whis=(0, 100),
        patch_artist=True,
        medianprops={"color": "k"},
    )
    for box in boxes["boxes"]:
        box.set_facecolor(colour)
    ax.bar(0, 0, color=colour, label=name)
ax.axhline(100, color="tab:red", linewidth=1)
ax.set(xticks=range(7), ylabel="torque [% of the motor's effort]", title="Holding torques in 100,000 configurations")
ax.set_xticklabels(robot.joint_names, rotation=20)
ax.legend(loc="upper right")
plt.show()

names = np.array(robot.joint_names)
print(f"most of its effort needs {names[with_load.max(axis=0).argmax()]}: {with_load.max():.0%} with the load")

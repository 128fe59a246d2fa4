"""
Inverse kinematics of a thousand targets
========================================

Configurations for a thousand poses in one call, within the joint limits; what the hand can reach, and how well it can
be moved there.
"""

import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

robot, frame = kt.load("ur5e"), "tool0"
goals = robot.pose(robot.random(1000, seed=1), frame)
found = robot.inverse_kinematics(goals, frame)
print(found)

# %%
# Most targets are reached from the first start, which is the nearest of many random configurations; the others are
# tried again. Two targets that cannot be reached are named: one is farther away than the arm is long, the other is
# inside the arm's own column.

for position in ([1.5, 0.0, 0.2], [0.0, 0.0, 0.3]):
    lost = robot.inverse_kinematics(position, frame)
    print(position, lost.status, lost.residual[0, 0].round(3), "m away:", lost.message)

# %%
# Left, how many starts were needed. Right, positions of the tool near the plane y = 0, by manipulability.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
left.bar(*np.unique(found.starts, return_counts=True))
left.set(xlabel="starts", ylabel="targets", yscale="log", title="1000 poses of a UR5e")
space = robot.reachability(frame, 60_000)
space.draw(right, plane="xz", thickness=0.1)
right.set_title("what the tool can reach")
plt.show()

# %%
# The tool follows a circle: each pose starts from the solution before. The self-motion of an arm with seven joints can
# be spent on a posture, by `rest`.

q = np.array([0.0, -1.6, 1.8, -1.8, -1.6, 0.0])
X, path = robot.pose(q, frame), []
for angle in np.linspace(0, 2 * np.pi, 60):
    goal = X.copy()
    goal[:3, 3] += 0.15 * np.array([0.0, np.sin(angle), 1 - np.cos(angle)])
    step = robot.inverse_kinematics(goal, frame, q0=q, restarts=0)
    assert step.success
    q = step.q
    path.append(q)
ax = robot.draw(np.array(path), show="trail", frame=frame, ghosts=3)
plt.show()
# sphinx_gallery_thumbnail_number = 2

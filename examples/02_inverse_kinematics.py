"""
Inverse kinematics of a thousand targets
========================================

Damped least squares on the pose error, in plain NumPy, for all targets at once. A target that is not reached is
restarted from another configuration.
"""

import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

robot, frame = kt.load("ur5e"), "tool0"
goals = robot.pose(robot.random(1000, seed=1), frame)

# %%
# The error is the body twist that leads to the goal in unit time. It is a function of our own: compiled for this
# robot, it takes batches of configurations and of goals.


def pose_error(model, q, goal):
    """Body twist that moves the frame to the goal in unit time."""
    X = kt.algorithms.pose(model, q, frame=frame)
    return kt.lie.se3.log(kt.lie.se3.inverse(X) @ goal)


error = kt.compile(pose_error, robot, shapes={"goal": (4, 4)})

# %%
# The step is :math:`\delta = J^T (J J^T + \lambda 1)^{-1} e`, at most 0.3 rad per joint.

q, shares, sizes = robot.random(1000, seed=2), [], []
for step in range(200):
    e = error(q, goals)
    size = np.linalg.norm(e, axis=-1)
    reached = size < 1e-6
    shares.append(reached.mean())
    sizes.append(size)
    if step % 40 == 0:
        print(f"step {step:3d}: {reached.mean():6.1%} of the targets reached")
        q[~reached] = robot.random(int(np.sum(~reached)), seed=step)
        e = error(q, goals)
    J = robot.jacobian(q, frame)
    Jt = J.swapaxes(-1, -2)
    dq = Jt @ np.linalg.solve(J @ Jt + 1e-4 * np.eye(6), e[..., None])
    q = robot.integrate(q, np.clip(dq[..., 0], -0.3, 0.3))
print(f"in the end: {reached.mean():6.1%}")

# %%
# Left, the errors of fifty of the targets: those that are stuck jump at a restart. Right, how many are reached.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.semilogy(np.array(sizes)[:, :50], color="tab:blue", alpha=0.25, linewidth=0.8)
left.axhline(1e-6, color="tab:red", linewidth=1)
left.set(xlabel="step", ylabel="error (rad and m together)", ylim=(1e-12, 10), title="50 of the targets")
right.plot(100 * np.array(shares), color="tab:orange")
right.set(xlabel="step", ylabel="targets reached [%]", ylim=(0, 101), title="all of them")
plt.show()

# %%
# All targets, the missed ones in red, and the arm at the first of them.

places = goals[:, :3, 3]
ax = robot.draw(q[reached][0], show="frames", frame=frame)
ax.scatter(*places[reached].T, s=2, color="tab:blue", alpha=0.4)
ax.scatter(*places[~reached].T, s=6, color="tab:red")
ax.set(xlim=(-0.9, 0.9), ylim=(-0.9, 0.9), zlim=(-0.7, 1.1))
ax.set_box_aspect((1, 1, 1), zoom=1.6)
plt.show()
# sphinx_gallery_thumbnail_number = 2

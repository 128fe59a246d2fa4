"""Inverse kinematics of a batch of a thousand targets: damped least squares on the pose error, in plain NumPy."""

import numpy as np

import kinetrace as kt

robot, frame = kt.load("ur5e"), "tool0"
goals = robot.pose(robot.random(1000, seed=1), frame)


def pose_error(model, q, goal):
    """Body twist that moves the frame to the goal in unit time."""
    X = kt.algorithms.pose(model, q, frame=frame)
    return kt.lie.se3.log(kt.lie.se3.inverse(X) @ goal)


error = kt.compile(pose_error, robot, shapes={"goal": (4, 4)})

q = robot.random(1000, seed=2)
for step in range(200):
    e = error(q, goals)
    reached = np.linalg.norm(e, axis=-1) < 1e-6
    if step % 40 == 0:  # restart the targets that are not reached
        print(f"step {step:3d}: {reached.mean():6.1%} of the targets reached")
        q[~reached] = robot.random(int(np.sum(~reached)), seed=step)
    J = robot.jacobian(q, frame)
    Jt = J.swapaxes(-1, -2)
    dq = Jt @ np.linalg.solve(J @ Jt + 1e-4 * np.eye(6), error(q, goals)[..., None])
    q = robot.integrate(q, np.clip(dq[..., 0], -0.3, 0.3))
print(f"in the end: {reached.mean():6.1%}")

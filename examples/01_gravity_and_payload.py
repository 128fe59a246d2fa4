"""Holding torques of an arm with and without a payload, for a batch of 100,000 configurations."""

import numpy as np

import kinetrace as kt

robot = kt.load("panda")
q = robot.random(100_000, seed=0)
still = np.zeros(robot.nv)  # one velocity for all configurations: batch axes broadcast

# A payload of 3 kg pulls at the hand with 29.4 N along the world's −z: express that in the hand's axes.
R = robot.pose(q, "panda_hand_tcp")[..., :3, :3]
pull = np.concatenate([np.zeros((len(q), 3)), R.swapaxes(-1, -2) @ np.array([0.0, 0.0, -3 * 9.81])], axis=-1)

alone = robot.inverse_dynamics(q, still, still)
loaded = robot.inverse_dynamics(q, still, still, wrench={"panda_hand_tcp": pull})

print("largest holding torque [N m] over 100,000 configurations")
for name, a, b in zip(robot.joint_names, np.abs(alone).max(axis=0), np.abs(loaded).max(axis=0), strict=True):
    print(f"  {name:14s} {a:6.1f} alone {b:6.1f} with 3 kg")

"""Calibrate the joint placements of an arm, off by millimetres and milliradians, from measured tool positions.

The placements M_i are inputs of the compiled kernels, and the derivatives are with respect to them.
"""

import numpy as np

import kinetrace as kt

robot, tool = kt.load("ur5e"), "tool0"
nominal = robot.parameters("placements")  # (6, 4, 4): each body's pose in its parent, joints at zero
rng = np.random.default_rng(0)

# The true arm, and measurements of a laser tracker: positions of the tool to a hundredth of a millimetre.
error = rng.normal(scale=[2e-3] * 3 + [1e-3] * 3, size=(6, 6))
true = kt.lie.se3.exp(error)
true = nominal @ true
q = robot.random(200, seed=1)
measured = robot.with_parameters(placements=true).pose(q, tool)[:, :3, 3] + rng.normal(scale=1e-5, size=(200, 3))


def position(model, q):
    """Position of the tool."""
    return kt.algorithms.pose(model, q, frame=tool)[:3, 3]


predict = kt.compile(position, robot, inputs=("placements",))
slopes = kt.compile(kt.jacobian(position, wrt="placements"), robot, inputs=("placements",))

# Gauss–Newton on M_i exp(ε_i). Not every ε affects positions: take the solution of least norm.
M = nominal
for step in range(5):
    off = measured - predict(q, M)
    print(f"step {step}: the tool is {1e3 * np.sqrt((off**2).sum(axis=-1).mean()):8.5f} mm off")
    J = slopes(q, M).reshape(-1, 36)
    change = np.linalg.lstsq(J, off.ravel(), rcond=1e-6)[0]
    M = M @ kt.lie.se3.exp(change.reshape(6, 6))

fresh = robot.random(1000, seed=2)
left = predict(fresh, M) - predict(fresh, true)
print(f"at poses that were not measured: {1e3 * np.sqrt((left**2).sum(axis=-1).mean()):8.5f} mm off")

"""
Calibration from positions
==========================

The joints of a real arm are not where its drawing has them: here they are off by millimetres and milliradians. Two
hundred measured positions of the tool correct them. The placements M\\ :sub:`i` of the joints are inputs of the
compiled kernels, and the derivatives are with respect to them.
"""

import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

robot, tool = kt.load("ur5e"), "tool0"
nominal = robot.parameters("placements")  # (6, 4, 4): each body's pose in its parent, joints at zero
rng = np.random.default_rng(0)

# %%
# The true arm, and measurements of a laser tracker: positions of the tool to a hundredth of a millimetre.

error = rng.normal(scale=[2e-3] * 3 + [1e-3] * 3, size=(6, 6))
true = nominal @ kt.lie.se3.exp(error)
q = robot.random(200, seed=1)
measured = robot.with_parameters(placements=true).pose(q, tool)[:, :3, 3] + rng.normal(scale=1e-5, size=(200, 3))

# %%
# The prediction and its derivatives. A kernel takes the parameters of the model that ``inputs`` names, after its
# arguments.


def position(model, q):
    """Position of the tool."""
    return kt.algorithms.pose(model, q, frame=tool)[:3, 3]


predict = kt.compile(position, robot, inputs=("placements",))
slopes = kt.compile(kt.jacobian(position, wrt="placements"), robot, inputs=("placements",))

# %%
# Gauss–Newton on M\ :sub:`i` exp(ε\ :sub:`i`). Not every ε affects positions: take the solution of least norm.

M, left_over = nominal, []
for step in range(5):
    off = measured - predict(q, M)
    left_over.append(1e3 * np.linalg.norm(off, axis=-1))
    print(f"step {step}: the tool is {np.sqrt((left_over[-1] ** 2).mean()):8.5f} mm off")
    J = slopes(q, M).reshape(-1, 36)
    change = np.linalg.lstsq(J, off.ravel(), rcond=1e-6)[0]
    M = M @ kt.lie.se3.exp(change.reshape(6, 6))

fresh = robot.random(1000, seed=2)
elsewhere = [1e3 * np.linalg.norm(predict(fresh, x) - predict(fresh, true), axis=-1) for x in (nominal, M)]
print(f"at poses that were not measured: {np.sqrt((elsewhere[1] ** 2).mean()):8.5f} mm off")

# %%
# Two steps reach the noise. Where nothing was measured, the calibrated arm is a thousand times as exact as its
# drawing.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.boxplot(left_over, positions=range(5), whis=(0, 100))
left.set(yscale="log", xlabel="step", ylabel="distance from the measurement [mm]", title="200 measured positions")
bins = np.geomspace(1e-4, 20, 80)
right.hist(elsewhere[0], bins, label="drawing", color="tab:orange")
right.hist(elsewhere[1], bins, label="calibrated", color="tab:blue")
right.set(xscale="log", xlabel="error of the tool's position [mm]", ylabel="configurations", title="1,000 other poses")
right.legend()
plt.show()

# %%
# The axes of the calibrated arm; the corrections are too small to be seen.

robot.with_parameters(placements=M).draw(robot.home(), show=("axes", "frames"), frame=tool)
plt.show()
# sphinx_gallery_thumbnail_number = 2

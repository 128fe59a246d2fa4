"""
Control: an arm balanced upside down
====================================

The arm has a motor only in its elbow. Linearise one step of the simulation, solve a Riccati equation, and let a
thousand arms with small errors balance in the full nonlinear dynamics.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import solve_discrete_are

import kinetrace as kt

robot, dt = kt.load("planar2r"), 0.005
upright, at_rest = np.array([np.pi / 2, 0.0]), np.zeros(2)
robot.draw([np.pi / 2 - 0.15, 0.35], show="com")
plt.show()

# %%
# x = (δq, δv), x⁺ = A x + B u: exact derivatives of one simulation step; u is the torque of the elbow.

A, B = robot.linearise_step(upright, at_rest, at_rest, dt)
B = B[:, 1:]
print("eigenvalues of a step, no control:", np.abs(np.linalg.eigvals(A)).round(4))

cost_state, cost_force = np.diag([10.0, 10.0, 1.0, 1.0]), np.array([[0.1]])
P = solve_discrete_are(A, B, cost_state, cost_force)
K = np.linalg.solve(cost_force + B.T @ P @ B, B.T @ P @ A)
print("with feedback u = −K x:           ", np.abs(np.linalg.eigvals(A - B @ K)).round(4))

# %%
# A thousand arms in the full nonlinear dynamics. ``difference`` is the error of a configuration, for quaternions too.

rng, rows = np.random.default_rng(0), []
q = robot.integrate(upright, rng.normal(scale=0.006, size=(1000, 2)))
v = rng.normal(scale=0.006, size=(1000, 2))
for k in range(1201):
    x = np.concatenate([robot.difference(upright, q), v], axis=-1)
    rows.append(np.degrees(x[:, :2]))
    if k % 200 == 0:
        print(f"t = {k * dt:4.1f} s: farthest from upright {np.abs(rows[-1]).max():8.4f}°")
    tau = np.zeros_like(v)
    tau[:, 1:] = -x @ K.T
    q, v = robot.step(q, v, tau, dt)

# %%
# A hundred of them: the elbow swings far to bring the shoulder back.

angles = np.array(rows)
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for i, (ax, name) in enumerate(zip(axes, ("shoulder", "elbow (driven)"), strict=True)):
    ax.plot(dt * np.arange(len(angles)), angles[:, :100, i], color=f"C{i}", alpha=0.2, linewidth=0.8)
    ax.set(xlabel="time [s]", title=name, xlim=(0, 6))
axes[0].set_ylabel("off upright [°]")
plt.show()

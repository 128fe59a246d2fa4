"""LQR balances an arm with a motor only in its elbow: linearise, solve a Riccati equation, simulate a batch.

SciPy solves the Riccati equation: pip install scipy
"""

import numpy as np
from scipy.linalg import solve_discrete_are

import kinetrace as kt

robot, dt = kt.load("planar2r"), 0.005
upright, at_rest = np.array([np.pi / 2, 0.0]), np.zeros(2)

# x = (δq, δv), x⁺ = A x + B u: exact derivatives of one simulation step; u is the torque of the elbow.
A, B = robot.linearise_step(upright, at_rest, at_rest, dt)
B = B[:, 1:]
print("eigenvalues of a step, no control:", np.abs(np.linalg.eigvals(A)).round(4))

cost_state, cost_force = np.diag([10.0, 10.0, 1.0, 1.0]), np.array([[0.1]])
P = solve_discrete_are(A, B, cost_state, cost_force)
K = np.linalg.solve(cost_force + B.T @ P @ B, B.T @ P @ A)
print("with feedback u = −K x:           ", np.abs(np.linalg.eigvals(A - B @ K)).round(4))

# A thousand arms with small initial errors, in the full nonlinear dynamics.
rng = np.random.default_rng(0)
q = robot.integrate(upright, rng.normal(scale=0.006, size=(1000, 2)))
v = rng.normal(scale=0.006, size=(1000, 2))
for k in range(1201):
    x = np.concatenate([robot.difference(upright, q), v], axis=-1)
    if k % 200 == 0:
        print(f"t = {k * dt:4.1f} s: farthest from upright {np.degrees(np.abs(x[:, :2]).max()):8.4f}°")
    tau = np.zeros_like(v)
    tau[:, 1:] = -x @ K.T
    q, v = robot.step(q, v, tau, dt)

"""
Control: an arm balanced upside down
====================================

The arm has a motor only in its elbow. ``kt.motion.lqr`` linearises it, solves a Riccati equation, and returns a
controller: a thousand arms with small errors balance in the full nonlinear dynamics, and simulations show from how far.
"""

import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

robot, dt = kt.load("planar2r").with_motors("joint2"), 0.005
upright = np.array([np.pi / 2, 0.0])
robot.draw([np.pi / 2 - 0.15, 0.35], show="com")
plt.show()

# %%
# The cost is ∫ xᵀ Q x + R δτ² dt with x = (δq, δv); forces are held for 5 ms, as a digital controller holds them.

regulator = kt.motion.lqr(robot, upright, Q=[10.0, 10.0, 1.0, 1.0], R=0.1, dt=dt)
print("eigenvalues of a step, no control:", np.abs(np.linalg.eigvals(regulator.A)).round(4))
print("with feedback τ = −K x:           ", np.abs(regulator.eigenvalues).round(4))
print("gain:", regulator.K[1].round(1))

# %%
# A thousand arms in the full nonlinear dynamics: the controller is compiled into the loop.

rng = np.random.default_rng(0)
q = robot.integrate(upright, rng.normal(scale=0.006, size=(1000, 2)))
v = rng.normal(scale=0.006, size=(1000, 2))
motion = robot.simulate(q, v, t=6.0, dt=dt, controller=regulator, compiled=True)
angles = np.degrees(robot.difference(upright, motion.q))
for t in range(7):
    print(f"t = {t} s: farthest from upright {np.abs(angles[:, 200 * t]).max():8.4f}°")

# %%
# A hundred of them: the elbow swings far to bring the shoulder back.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for i, (ax, name) in enumerate(zip(axes, ("shoulder", "elbow (driven)"), strict=True)):
    ax.plot(motion.t, angles[:100, :, i].T, color=f"C{i}", alpha=0.2, linewidth=0.8)
    ax.set(xlabel="time [s]", title=name, xlim=(0, 6))
axes[0].set_ylabel("off upright [°]")
plt.show()

# %%
# From how far does it come back? Random states of ellipsoids xᵀ P x ≤ ρ are simulated, and what is found is tested with
# states that are drawn afresh.

region = regulator.region()
print(region)
reach = np.sqrt(region.rho * np.diag(np.linalg.inv(regulator.P)))
for name, size in zip(regulator.names, reach, strict=True):
    print(f"{name:15} up to ±{size:.3f}")

"""
Damping at prescribed rates, in quasi-velocities
================================================

In quasi-velocities ν = Wᵀ v, with M = W Wᵀ, the mass matrix is the identity: ν̇ + C(q, ν) = ε with ν · C = 0. So
forces ε = −k ν reduce the kinetic energy ½ ν · ν at the rate 2k, in every motion. The controllers are those of
``kt.control``; here they run in a batch of arms.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

warnings.simplefilter("ignore", kt.LimitWarning)  # arms begin anywhere, with any velocity

robot, arms, k = kt.load("panda"), 200, 2.0
rng = np.random.default_rng(0)
q, v = robot.random(arms, seed=1), rng.normal(size=(arms, robot.nv))
settings = {"dt": 2e-4, "record": 25}  # forces are held over a step


def spread(ratio):
    """The smallest and the largest value of the batch."""
    return f"between {ratio.min():.4f} and {ratio.max():.4f}"


# %%
# One rate for all
# ----------------
# After half a second the same fraction of the energy is left in every arm. Damping of the joints has no such rate.

in_nu = robot.simulate(q, v, t=0.5, controller=kt.control.quasivelocity_damping(robot, k), **settings)
in_joints = robot.simulate(q, v, t=0.5, controller=kt.control.gravity_compensation(robot, 0.5), **settings)
left = {"damped in the joints": in_joints, "damped in ν": in_nu}
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for ax, (name, motion) in zip(axes, left.items(), strict=True):
    T = motion.kinetic_energy()
    print(f"{name}: energy left {spread(T[:, -1] / T[:, 0])} (e^-2kt = {np.exp(-k):.4f})")
    ax.semilogy(motion.t, (T / T[:, :1]).T, color="tab:blue", alpha=0.2, linewidth=0.8)
    ax.set(xlabel="time [s]", title=f"{arms} arms, {name}")
axes[1].semilogy(in_nu.t, np.exp(-2 * k * in_nu.t), "k--", linewidth=1, label="e^(−2kt)")
axes[1].legend()
axes[0].set_ylabel("kinetic energy left")
plt.show()

# %%
# One rate per quasi-velocity
# ---------------------------
# With C cancelled, they are decoupled.

rates = np.linspace(1.0, 4.0, robot.nv)
decoupled = kt.control.quasivelocity_damping(robot, rates, decoupled=True)
motion = robot.simulate(q, v, t=0.5, controller=decoupled, **settings)
before = robot.mass_root_transposed_product(q, v)
after = robot.mass_root_transposed_product(motion.q[:, -1], motion.v[:, -1])
print(f"decoupled: ν_i off e^-k_i t ν_i(0) by {np.abs(after - np.exp(-0.5 * rates) * before).max():.0e}")

# %%
# Tracking
# --------
# With σ = Wᵀ (v\ :sub:`r` − v) and a C with skew Ṁ − 2C, nothing is cancelled, and d/dt ½ σ · σ = −k σ · σ; then v → v\
# :sub:`r`, which leads q to its goal. ``stored`` is ½ σ · σ.


def target(t):
    """Desired position, velocity and acceleration."""
    phase, size = 2 * t + np.arange(7), 0.4
    sin, cos = kt.arrays.sin(phase), kt.arrays.cos(phase)
    return size * sin, 2 * size * cos, -4 * size * sin


tracking = kt.control.quasivelocity_tracking(robot, target, rates=3.0, damping=k)
motion = robot.simulate(q, v, t=1.5, controller=tracking, **settings)
V = tracking.stored(motion.t, motion.q, motion.v)
for row in (len(motion.t) // 3, len(motion.t) - 1):
    t = motion.t[row]
    print(f"tracking, {t:.1f} s: |σ|² left {spread(V[:, row] / V[:, 0])} (e^-2kt = {np.exp(-2 * k * t):.4f})")

"""
Damping at prescribed rates, in quasi-velocities
================================================

In quasi-velocities ν = Wᵀ v, with M = W Wᵀ, the mass matrix is the identity: ν̇ + C(q, ν) = ε with ν · C = 0. So
forces ε = −k ν reduce the kinetic energy ½ ν · ν at the rate 2k, in every motion. Here in a batch of arms, by a
Runge–Kutta method, which evaluates the control law four times per step.
"""

import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

robot, arms, dt = kt.load("panda"), 200, 2e-3
rng = np.random.default_rng(0)
q0, v0 = robot.random(arms, seed=1), rng.normal(size=(arms, robot.nv))
nu0 = robot.mass_root_transposed_product(q0, v0)


def simulate(law, duration):
    """q and ν (steps + 1, 2, arms, 7) under joint forces law(t, q, ν)."""
    x = np.stack([q0, nu0])
    states = [x]

    def rate(t, x):
        return np.stack(robot.diagonal_dynamics(*x, law(t, *x)))

    for t in dt * np.arange(round(duration / dt)):
        k1 = rate(t, x)
        k2 = rate(t + dt / 2, x + dt / 2 * k1)
        k3 = rate(t + dt / 2, x + dt / 2 * k2)
        k4 = rate(t + dt, x + dt * k3)
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        states.append(x)
    return np.array(states)


def spread(ratio):
    """The smallest and the largest value of the batch."""
    return f"between {ratio.min():.6f} and {ratio.max():.6f}"


# %%
# One rate for all
# ----------------
# After half a second the same fraction of the energy is left in every arm. Damping of the joints has no such rate.

k = 2.0
in_nu = simulate(lambda t, q, nu: robot.gravity(q) - robot.mass_root_product(q, k * nu), 0.5)
in_joints = simulate(lambda t, q, nu: robot.gravity(q) - 0.5 * robot.mass_root_transposed_solve(q, nu), 0.5)
in_nu, in_joints = ((x[:, 1] ** 2).sum(-1) / (nu0**2).sum(-1) for x in (in_nu, in_joints))
print("damped in ν:      energy left", spread(in_nu[-1]), f"(e^-2kt = {np.exp(-k):.6f})")
print("damped in joints: energy left", spread(in_joints[-1]))

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
time = dt * np.arange(len(in_nu))
for ax, left, name in zip(axes, (in_joints, in_nu), ("damped in the joints", "damped in ν"), strict=True):
    ax.semilogy(time, left, color="tab:blue", alpha=0.2, linewidth=0.8)
    ax.set(xlabel="time [s]", title=f"{arms} arms, {name}")
axes[1].semilogy(time, np.exp(-2 * k * time), "k--", linewidth=1, label="e^(−2kt)")
axes[1].legend()
axes[0].set_ylabel("kinetic energy left")
plt.show()

# %%
# One rate per quasi-velocity
# ---------------------------
# With C cancelled, they are decoupled.

rates = np.linspace(1.0, 4.0, robot.nv)


def decoupled(t, q, nu):
    """Control law that cancels gravity and C."""
    return robot.gravity(q) + robot.mass_root_product(q, robot.diagonal_coriolis(q, nu) - rates * nu)


nu = simulate(decoupled, 0.5)[-1, 1]
print(f"decoupled: ν_i off e^-k_i t ν_i(0) by {np.abs(nu - np.exp(-0.5 * rates) * nu0).max():.0e}")

# %%
# Tracking, passivity-based
# -------------------------
# Here C is not cancelled. With s = Wᵀ (v − v\ :sub:`r`), and C the matrix with skew Ṁ − 2C, M (v − v\ :sub:`r`)˙ + C
# (v − v\ :sub:`r`) = −W k s, hence d/dt ½ s · s = −k s · s; then v → v\ :sub:`r`, which leads q to its goal.


def target(t):
    """Desired position, velocity and acceleration."""
    phase, size = 2 * t + np.arange(7), 0.4
    return size * np.sin(phase), 2 * size * np.cos(phase), -4 * size * np.sin(phase)


def off(t, q, v):
    """v − v_r, and the rate of v_r."""
    wanted, slope, curve = target(t)
    return v - slope + 3 * (q - wanted), curve - 3 * (v - slope)


def tracking(t, q, nu):
    """M v̇_r + C v_r + g − W k s."""
    v = robot.mass_root_transposed_solve(q, nu)
    miss, a_r = off(t, q, v)
    forces = robot.inverse_dynamics(q, 0 * v, a_r) + robot.coriolis_product(q, v, v - miss)
    return forces - robot.mass_root_product(q, k * robot.mass_root_transposed_product(q, miss))


before = (robot.mass_root_transposed_product(q0, off(0.0, q0, v0)[0]) ** 2).sum(-1)
states = simulate(tracking, 1.5)
for duration in (0.5, 1.5):
    q, nu = states[round(duration / dt)]
    miss, _ = off(duration, q, robot.mass_root_transposed_solve(q, nu))
    left = (robot.mass_root_transposed_product(q, miss) ** 2).sum(-1) / before
    print(f"tracking, {duration} s: |s|² left {spread(left)} (e^-2kt = {np.exp(-2 * k * duration):.6f})")

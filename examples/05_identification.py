"""
Identification from torques
===========================

Which inertial parameters of an arm do torques tell, and what are their values? A payload and the friction of the
joints are unknown; the measurements are noisy; what comes out is a robot that is physically possible.
"""

import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

robot, rng = kt.load("panda"), np.random.default_rng(0)

# %%
# What can be identified
# ----------------------
# Ten numbers per body, and two of friction per joint. Some have no effect on torques, others only in sums.

base = kt.identify.base_parameters(robot, friction=True)
print(f"{base}: {len(base.unidentifiable)} have no effect on torques, the others come in groups:")
print("   ", base.groupings[3])

# %%
# Measurements
# ------------
# The true arm holds 1 kg about 0.1 m from its flange, and its joints have friction. Ten seconds of a motion that
# excites all joints; torques with 0.1 N m of noise.

pi = robot.parameters("inertial").copy()
payload = kt.lie.inertia.from_mass_com(1.0, [0.02, 0.0, 0.2], 2e-3 * np.eye(3))
pi[-1] += kt.lie.inertia.to_parameters(payload)
true = robot.with_parameters(inertial=pi)
viscous, coulomb = rng.uniform(0.2, 0.6, (2, 7))

t = np.linspace(0, 10, 2000)[:, None, None]
rate = 2 * np.pi * 0.1 * np.arange(1, 6)
size, phase = rng.uniform(0.2, 0.5, (2, 7, 5)) * [[[1]], [[6]]]
middle = (robot.limits.lower + robot.limits.upper) / 2
q = middle + (size * np.sin(rate * t + phase)).sum(-1)
v = (size * rate * np.cos(rate * t + phase)).sum(-1)
a = -(size * rate**2 * np.sin(rate * t + phase)).sum(-1)
tau = true.inverse_dynamics(q, v, a) + viscous * v + coulomb * np.sign(v) + rng.normal(scale=0.1, size=v.shape)

robot.draw(q[::10, :], show="trail", frame="panda_hand_tcp", ghosts=0)  # the way of the hand
plt.show()

# %%
# Fit
# ---
# Least squares for the base parameters with their standard errors; then the physically possible robot nearest to the
# model.

found = kt.identify.fit(robot, q, v, a, tau, friction=True)
print(f"condition {found.condition:.0f}, rms torque residual: {np.array2string(found.rms, precision=3)} N m")
off = (found.values - base.of(np.concatenate([pi.ravel(), viscous, coulomb]))) / found.errors
print(f"base parameters are off by {np.sqrt(np.mean(off**2)):.2f} standard errors")
print("viscous friction, found and true:", found.joints["viscous"].round(2), viscous.round(2))
wrong = [kt.lie.inertia.violations(kt.lie.inertia.from_parameters(x)) for x in found.pi]
print("bodies that are physically impossible:", sum(map(bool, wrong)))

# %%
# Motions that were not measured
# ------------------------------
# What counts is what the robot predicts elsewhere.

other = robot.random(1000, seed=5), *rng.normal(size=(2, 1000, 7))
wanted = true.inverse_dynamics(*other)
before, now = (np.sqrt(np.mean((x.inverse_dynamics(*other) - wanted) ** 2, axis=0)) for x in (robot, found.robot))
print(f"torque error: {np.sqrt(np.mean(before**2)):.2f} N m before, {np.sqrt(np.mean(now**2)):.3f} N m after")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.bar(np.arange(7) - 0.2, before, 0.4, label="the model without the payload")
left.bar(np.arange(7) + 0.2, now, 0.4, label="identified")
left.set(yscale="log", ylabel="rms torque error [N m]", title="on motions that were not measured", ylim=(None, 30))
left.set_xticks(range(7), [name.removeprefix("panda_") for name in robot.joint_names], rotation=30)
left.legend(loc="upper right")
values = base.of(np.concatenate([pi.ravel(), viscous, coulomb]))
right.errorbar(values, found.values - values, 2 * found.errors, fmt="o", markersize=3, linewidth=1)
right.axhline(0, color="0.6", linewidth=1)
right.set(xlabel="true base parameter (SI units)", ylabel="found − true", title="with two standard errors")
right.set_xscale("symlog")
plt.show()

"""
Identification from a log
=========================

Which inertial parameters of an arm do torques determine, and what are their values? A payload and the friction of the
joints are unknown; positions and torques are noisy; what comes out is a robot that is physically possible.
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
# An exciting motion
# ------------------
# A Fourier series, at rest at its ends, within the limits of the robot, while its hand stays above the floor.

motion = kt.identify.exciting_motion(
    robot, period=8, harmonics=4, margin=0.1, spheres={"panda_hand": 0.12}, floor=0.0, starts=1, iterations=20
)
print(motion.status, "within limits:", motion.success)
motion.trajectory(robot, 0.02).plot()
robot.draw(motion(np.linspace(0, 8, 200))[0], show="trail", frame="panda_hand_tcp", ghosts=0)  # the path of the hand
plt.show()

# %%
# Measurements
# ------------
# The true arm holds 1 kg about 0.1 m from its flange, and its joints have friction. Two periods at 250 Hz; torques with
# 0.1 N m of noise, positions with 20 µrad. A second log has another motion, for validation.

true = robot.with_payload(1.0, "panda_hand", com=[0.02, 0.0, 0.1], inertia=2e-3 * np.eye(3))
true = true.with_parameters(damping=rng.uniform(0.2, 0.6, 7), friction=rng.uniform(0.2, 0.6, 7))
t = np.arange(0, 16, 0.004)


def logged(q, v, a):
    """A log of the true arm, with noise."""
    tau = true.inverse_dynamics(q, v, a) + 0.1 * rng.normal(size=v.shape)
    return kt.identify.Log(t, q + 2e-5 * rng.normal(size=q.shape), tau)


w, phase = rng.uniform(0.5, 2.5, (2, 7, 3)) * [[[1]], [[2.5]]]
turn = w * t[:, None, None] + phase
q = (robot.limits.lower + robot.limits.upper) / 2 + (0.3 * np.sin(turn)).sum(-1)
unseen = q, (0.3 * w * np.cos(turn)).sum(-1), -(0.3 * w**2 * np.sin(turn)).sum(-1)
log, other = logged(*motion(t)), logged(*unseen)

# %%
# Identification
# --------------
# The log is filtered without phase and differentiated; base parameters with their standard errors are found by least
# squares, and then the physically possible robot nearest to the model. ``found.report("report.html")`` writes a page.

found = kt.identify.identify(robot, log, validation=other)
print(found)
print("viscous friction, found and true:", found.fit.joints["viscous"].round(2), true.parameters("damping").round(2))
wrong = [kt.lie.inertia.violations(body.J) for body in found.robot.model.bodies]
print("bodies that are physically impossible:", sum(map(bool, wrong)))

# %%
# A motion that was not seen
# --------------------------
# What counts is what the robot predicts elsewhere: nothing but noise is left.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.bar(np.arange(7) - 0.2, found.before.rms, 0.4, label="the model as it was")
left.bar(np.arange(7) + 0.2, found.after.rms, 0.4, label="identified")
left.axhline(0.1, color="0.3", linestyle=":", linewidth=1)
left.set(yscale="log", ylabel="rms torque error [N m]", title="on a motion that was not fitted", ylim=(None, 30))
left.set_xticks(range(7), [name.removeprefix("panda_") for name in robot.joint_names], rotation=30)
left.legend(loc="upper right")
joints = [true.parameters(name) for name in ("damping", "friction")]
values = base.of(np.concatenate([true.parameters("inertial").ravel(), *joints]))
right.errorbar(values, found.fit.values - values, 2 * found.fit.errors, fmt="o", markersize=3, linewidth=1)
right.axhline(0, color="0.6", linewidth=1)
right.set(xlabel="true base parameter (SI units)", ylabel="found − true", title="with two standard errors")
right.set_xscale("symlog")
plt.show()

# %%
# How well the mass matrix is known
# ---------------------------------
# Its pivots D(k) depend on base parameters alone, so their errors follow.

errors = kt.identify.pivot_errors(found, robot.random(500, seed=1))
print("standard errors of D(k) [%]:", (100 * np.median(errors.relative, axis=0)).round(2))

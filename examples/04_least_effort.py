"""
Your own function and its gradient: a motion of least effort
============================================================

A cost is a few lines of array code. Compiled, it takes a whole trajectory as a batch; its exact gradient is one word
away, and a minimiser of SciPy does the rest.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.interpolate import BSpline
from scipy.optimize import minimize

import kinetrace as kt

robot, duration, samples = kt.load("panda"), 1.5, 60

# %%
# A function of one state
# -----------------------
# Names of arguments give their shapes: q, v and a have the sizes of the robot. ``kt.jacobian`` is a function as well,
# and is compiled as the first: 21 derivatives take about twice the operations of the value.


def effort(model, q, v, a):
    """½ |τ|² at one instant."""
    tau = kt.algorithms.inverse_dynamics(model, q, v, a)
    return 0.5 * (tau @ tau)


value = kt.compile(effort, robot)
gradient = kt.compile(kt.jacobian(effort, wrt=("q", "v", "a")), robot)
print("operations of the effort:", value.count())
print("operations of its gradient with respect to 21 numbers:", gradient.count())

# %%
# A trajectory
# ------------
# q(t) = Σ c\ :sub:`k` b\ :sub:`k`\ (t) with quintic splines. Both ends are at rest, so the first and the last three
# coefficients are fixed; the others are free.

knots = np.concatenate([[0.0] * 5, np.linspace(0, duration, 9), [duration] * 5])
t = np.linspace(0, duration, samples)
basis = [BSpline.design_matrix(t, knots, 5).toarray()]
splines = [BSpline(knots, e, 5) for e in np.eye(len(knots) - 6)]
basis += [np.stack([s.derivative(k)(t) for s in splines], axis=-1) for k in (1, 2)]
begin, end = np.array([0.0, 0.4, 0.0, -1.8, 0.0, 2.2, 0.8]), np.array([1.2, -0.5, 0.6, -1.0, 0.3, 1.5, -0.8])
ramp = np.clip((np.arange(len(splines)) - 2) / (len(splines) - 5), 0, 1)[:, None]
start = begin + ramp * (end - begin)


def motion(free):
    """q, v and a (samples, 7) of the trajectory with these coefficients."""
    c = start.copy()
    c[3:-3] = free.reshape(-1, robot.nv)
    return [b @ c for b in basis]


# %%
# The gradient with respect to the coefficients follows by the chain rule, since q, v and a are linear in them.


def objective(free):
    """Mean effort of a trajectory, and its gradient."""
    states = motion(free)
    slope = sum(b.T @ g for b, g in zip(basis, gradient(*states), strict=True))
    return value(*states).mean(), slope[3:-3].ravel() / samples


first = start[3:-3].ravel()
found = minimize(objective, first, jac=True, method="BFGS", options={"maxiter": 60})
print(f"mean of ½ |τ|²: {objective(first)[0]:.0f} at first, {found.fun:.0f} N²m² after {found.nit} steps")

# %%
# The torques of both, and the way of the hand: dashed at first, in colour the motion of least effort.

figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
for free, style, name in ((first, "--", "at first"), (found.x, "-", "least effort")):
    ax.plot(t, np.linalg.norm(robot.inverse_dynamics(*motion(free)), axis=-1), style, label=name)
ax.set(xlabel="time [s]", ylabel="|τ| [N m]", ylim=(0, None))
ax.legend()
plt.show()

# %%
# The arm at the beginning of its motion.

ax = robot.draw(motion(found.x)[0], show="trail", frame="panda_hand_tcp", ghosts=0)
ax.plot(*robot.pose(motion(first)[0], "panda_hand_tcp")[:, :3, 3].T, "k--", linewidth=1)
plt.show()
# sphinx_gallery_thumbnail_number = 2

"""Trajectory of least effort: minimise ∫ ½ |τ|² dt with its gradient with respect to the whole trajectory.

The minimiser is SciPy's: pip install scipy
"""

import numpy as np
from scipy.interpolate import BSpline
from scipy.optimize import minimize

import kinetrace as kt

robot, duration, samples = kt.load("panda"), 1.5, 60


def effort(model, q, v, a):
    """½ |τ|² at one instant."""
    tau = kt.algorithms.inverse_dynamics(model, q, v, a)
    return 0.5 * (tau @ tau)


value = kt.compile(effort, robot)
gradient = kt.compile(kt.jacobian(effort, wrt=("q", "v", "a")), robot)
print("operations of the effort:", value.count())
print("operations of its gradient with respect to 21 numbers:", gradient.count())

# q(t) = Σ c_k b_k(t) with quintic splines; both ends are at rest, so the first and the last three c_k are fixed.
knots = np.concatenate([[0.0] * 5, np.linspace(0, duration, 9), [duration] * 5])
t = np.linspace(0, duration, samples)
basis = [BSpline.design_matrix(t, knots, 5).toarray()]
splines = [BSpline(knots, e, 5) for e in np.eye(len(knots) - 6)]
basis += [np.stack([s.derivative(k)(t) for s in splines], axis=-1) for k in (1, 2)]
begin, end = np.array([0.0, 0.4, 0.0, -1.8, 0.0, 2.2, 0.8]), np.array([1.2, -0.5, 0.6, -1.0, 0.3, 1.5, -0.8])
ramp = np.clip((np.arange(len(splines)) - 2) / (len(splines) - 5), 0, 1)[:, None]
start = begin + ramp * (end - begin)


def objective(free):
    """Effort of a trajectory, and its gradient by the chain rule: q, v and a are linear in c."""
    c = start.copy()
    c[3:-3] = free.reshape(-1, robot.nv)
    motion = [b @ c for b in basis]
    slope = sum(b.T @ g for b, g in zip(basis, gradient(*motion), strict=True))
    return value(*motion).mean(), slope[3:-3].ravel() / samples


found = minimize(objective, start[3:-3].ravel(), jac=True, method="BFGS", options={"maxiter": 60})
print(f"mean of ½ |τ|²: {objective(start[3:-3].ravel())[0]:.0f} at first, {found.fun:.0f} N²m² after {found.nit} steps")

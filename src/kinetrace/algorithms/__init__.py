"""Algorithms: pure functions of a model and arrays of any scalar, each written as its sweeps."""

from .inverse_dynamics import inverse_dynamics
from .kinematics import acceleration, jacobian, pose, velocity

__all__ = ["acceleration", "inverse_dynamics", "jacobian", "pose", "velocity"]

"""The inertia metric: Christoffel symbols, curvature, quasi-velocities."""

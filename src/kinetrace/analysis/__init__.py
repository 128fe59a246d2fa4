"""Properties of a robot: faults, identities, differences, curvature, cheaper equal models."""

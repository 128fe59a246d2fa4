"""Closed chains: rows of closures, dynamics, forces of closures and motors; assembly, mobility, grasps."""

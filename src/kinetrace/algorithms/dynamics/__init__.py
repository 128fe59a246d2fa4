"""Inverse and forward dynamics, mass matrix and its factors, Coriolis forces, energy, momentum."""

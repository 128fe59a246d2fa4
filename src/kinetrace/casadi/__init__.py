"""Robots and kernels as functions of CasADi, with exact derivatives."""

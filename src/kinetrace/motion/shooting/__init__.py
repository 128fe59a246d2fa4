"""Optimal control of batches: iLQR and DDP with bounds and multiple shooting, in kernels."""

"""Robots and kernels over Dask: arrays larger than memory, files, several machines."""

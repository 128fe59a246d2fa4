"""Methods of `Robot` by subject: signatures and docstrings, evaluated by kernels."""

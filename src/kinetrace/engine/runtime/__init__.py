"""Programs that can be called: kernels, their arguments, threads, gufuncs and the short way for one state."""

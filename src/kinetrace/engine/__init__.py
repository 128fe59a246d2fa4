"""From a function of arrays to machine code: tracing, derivatives, plans, targets, runtime, cache."""

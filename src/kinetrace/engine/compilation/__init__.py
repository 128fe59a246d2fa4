"""From a function of a model to a kernel."""

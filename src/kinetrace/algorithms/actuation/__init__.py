"""Joint forces of actuators, and their laws over a step: activations and delays."""

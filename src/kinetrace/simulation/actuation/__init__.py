"""Actuators in simulations: controls become the controller that the loop of steps takes."""

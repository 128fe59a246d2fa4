"""Linear-quadratic regulators about equilibria and along motions, and from how far they bring a robot back."""

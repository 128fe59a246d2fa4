"""Contact between bodies: where shapes touch, the rows of their velocities there, and what the surfaces do."""

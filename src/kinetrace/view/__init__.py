"""Pictures of robots: pages, drawings, and what they are made of."""

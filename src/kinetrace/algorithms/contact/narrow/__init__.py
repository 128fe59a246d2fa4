"""Where two shapes touch: gap, point and normal of a fixed number of slots for each pair of kinds."""

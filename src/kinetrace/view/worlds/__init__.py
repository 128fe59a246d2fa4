"""Robots in worlds, for all kinds of pictures: what stands there, where it touches, the ground."""

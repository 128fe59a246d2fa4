"""Touches of two boxes: directions that separate them, nearest corners, and what two faces have in common."""

"""Motions of robots in worlds: states of scenes, contacts and objects along a motion, sensors."""

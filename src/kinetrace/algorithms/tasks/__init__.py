"""Tasks of frames: operational space, inverse kinematics, manipulability."""

"""
Simulation: a robot that turns over in free fall
================================================

A falling cat turns without a push. The quadruped floats without gravity and without momentum; a controller that is
compiled into the simulation moves its hips in a circle of roll and pitch. When they are back, the trunk has turned,
although no external force has acted.
"""

import warnings
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt
from kinetrace.arrays import concatenate, cos, sin

warnings.simplefilter("ignore", kt.LimitWarning)  # the legs swing through each other

earth = kt.load("quadruped", base="free")
robot = kt.Robot(replace(earth.model, gravity=np.zeros(3)))
rolls = np.array([name.endswith("hip_roll") for name in robot.joint_names[1:]], dtype=float)
pitches = np.array([name.endswith("hip_pitch") for name in robot.joint_names[1:]], dtype=float)

# %%
# A controller is a function of time and state. With ``compiled=True`` it is compiled together with the dynamics and the
# integrator; then it is written with the functions of ``kinetrace.arrays``. Its parameters are arguments.


def circle(t, q, v, amplitude, rate, gain):
    """Joint forces that move the hips along a circle in (roll, pitch)."""
    phase = rate * t
    goal = amplitude * ((1.0 - cos(phase)) * rolls + sin(phase) * pitches)
    speed = amplitude * rate * (sin(phase) * rolls + cos(phase) * pitches)
    return concatenate([np.zeros(6), gain * (goal - q[7:]) + gain / 40.0 * (speed - v[6:])])


begin = robot.neutral()
motion = robot.simulate(
    begin,
    np.zeros(robot.nv),
    t=4.0,
    dt=1e-3,
    controller=circle,
    parameters={"amplitude": 0.5, "rate": 2 * np.pi, "gain": 4.0},
    compiled=True,
)

# %%
# A ``Trajectory`` has arrays over time: everything that the robot computes, it computes for all rows at once.

momentum = robot.momentum(motion.q, motion.v)
turned = 2 * np.degrees(np.arccos(np.clip(abs(motion.q[:, 3]), 0.0, 1.0)))
print(f"{len(motion)} rows; the largest momentum is {np.abs(momentum).max():.0e} N m s")
for turn in range(5):
    row = round(turn / 1e-3)
    print(f"after {turn} turns of the hips the trunk has turned by {turned[row]:6.2f} degrees")
assert np.abs(momentum).max() < 1e-10 and turned[-1] > 1

figure, (top, middle, bottom) = plt.subplots(3, 1, figsize=(8, 5.4), sharex=True, layout="constrained")
roll, pitch = 7 + np.flatnonzero(rolls)[0], 7 + np.flatnonzero(pitches)[0]
top.plot(motion.t, np.degrees(motion.q[:, [roll, pitch]]), label=["hip roll", "hip pitch"])
top.set(ylabel="a leg [°]")
top.legend(loc="upper right", ncols=2)
middle.plot(motion.t, turned, color="tab:green")
middle.set(ylabel="trunk turned [°]")
bottom.plot(motion.t, np.linalg.norm(momentum, axis=-1), color="tab:red", linewidth=0.8)
bottom.set(xlabel="time [s]", ylabel="|momentum|\n[N m s, N s]", xlim=(0, 4))
plt.show()

# %%
# The robot in the end, with the axes of its trunk.

robot.draw(motion.q[-1], show=("frames", "com"), frame="trunk")
plt.show()
# sphinx_gallery_thumbnail_number = 2

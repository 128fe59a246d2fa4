"""Times of compilation in docs/contact.md."""

from __future__ import annotations

from compilation import first_call

_BALLS = """
from kinetrace.model import Geometry
w, n, r = kt.worlds, {n}, 0.1
places = [[0.25 * i + 0.01 * (j + k), 0.25 * j, 0.15 + 0.25 * k] for i in range(n) for j in range(n) for k in range(n)]
objects = {{f"ball{{k}}": w.Sphere(r, mass=1.0, pose=p) for k, p in enumerate(places[1:], 1)}}
far = 0.25 * n + 0.2
for k, (x, y) in enumerate([(-0.25, 0), (far, 0), (0, -0.25), (0, far)]):
    objects[f"wall{{k}}"] = w.Box([0.1, 4, 4] if x else [4, 0.1, 4], pose=[x, y, 0])
b = kt.Builder("first")
b.link("first", mass=1.0, inertia=[0.004] * 3)
b.geometry(Geometry("sphere", (r,), "first", np.eye(4), "collision"))
robot, world = kt.Robot(b.build("free")), kt.World(objects=objects, friction=0.5)
start = np.r_[places[0], 1, 0, 0, 0]
"""
_STEPS = "robot.simulate(start, np.zeros(6), 0.01, 2e-3, compiled=True, world=world)"


def free_balls(quick: bool) -> dict[str, float]:
    """Processor time of the first simulation of n³ balls that fall into a box."""
    return {str(n**3): first_call(_BALLS.format(n=n), _STEPS)[""][1] for n in ((2,) if quick else (3,))}

"""
C code for a controller
=======================

An algorithm of one robot, or a function of your own, as C99 without dependencies: for a microcontroller, a real-time
process, another language. The same is ``kinetrace codegen panda gravity --output out`` in a shell.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import kinetrace as kt

robot = kt.load("panda")

# %%
# A control law
# -------------
# Gravity, springs towards a goal, and damping. Names of arguments give their shapes; others need ``shapes``.


def law(model, q, v, goal, stiffness, damping):
    """Torques that hold the arm at a goal."""
    return kt.algorithms.gravity(model, q) + stiffness * (goal - q) - damping * v


shapes = {"goal": 7, "stiffness": 7, "damping": 7}
kernel = kt.compile(law, robot, shapes=shapes)
print("per call:", kernel.count())

# %%
# Its source
# ----------
# A header, the code, a test with numbers of kinetrace, and a Makefile.

states = [robot.random(8, seed=0), *np.random.default_rng(0).uniform(0.1, 0.9, (4, 8, 7))]
files = kernel.sources("panda_law", about=["Torques [N m] that hold the arm at a goal."], states=states)
for name, text in files.items():
    print(f"{name:18} {len(text.splitlines()):4} lines")
print(files["panda_law.h"])

# %%
# The code is straight lines: loops over the tree are unrolled, constants are folded, zeros are eliminated.

code = files["panda_law.c"].splitlines()
begin = next(i for i, line in enumerate(code) if line.startswith("void panda_law("))
print("\n".join([*code[begin : begin + 12], "    ...", *code[-22:-10]]))

# %%
# Compile and check
# -----------------
# ``make check`` compares the compiled function with kinetrace. It is skipped where there is no compiler.

with tempfile.TemporaryDirectory() as folder:
    for name, text in files.items():
        (Path(folder) / name).write_text(text, encoding="utf-8")
    if shutil.which("make") and shutil.which("cc"):
        print(subprocess.run(["make", "-s", "check"], cwd=folder, capture_output=True, text=True, check=True).stdout)
    else:
        print("no C compiler here")

# %%
# How large is it?
# ----------------
# Operations per call are known before anything is compiled: they decide whether a function fits a processor's time
# slot.

robots = {
    name: kt.load(name, base=base) for name, base in [("ur5e", "fixed"), ("panda", "fixed"), ("quadruped", "free")]
}
names = ["gravity", "inverse_dynamics", "mass_matrix", "forward_dynamics"]
figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for i, (name, each) in enumerate(robots.items()):
    counts = [each.kernel(algorithm).count() for algorithm in names]
    bars = ax.bar(
        np.arange(4) + 0.27 * (i - 1), [c.flops + c.trig for c in counts], 0.26, label=f"{name}, {each.nv} dof"
    )
    ax.bar_label(bars, fontsize=8)
ax.set_xticks(range(4), names)
ax.set(ylabel="operations per call", title="Operations of generated code, sines included")
ax.legend()
plt.show()

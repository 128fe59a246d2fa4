"""How much work a program has for a state, and how much of it is worth another thread."""

from __future__ import annotations

from ..trace import Program

MOST_WORKERS = 255
"""Threads that a process starts, at most."""
MOVE_OPERATIONS = 10
"""How many operations take as long as the way of one entry of an argument or a result."""
PARALLEL_FROM = 1 << 20
"""Operations in a call above which threads are worth a look: a worker that is awake takes part at once."""
AWAKE_WORK, PARKED_WORK, RARE_WORK = 1 << 19, 1 << 21, 1 << 23
"""Operations that each thread must have, if nobody is woken for it, and if somebody is: amid other calls, after which
workers and cores are awake soon, and in a call after a pause. To wake a thread takes 2 µs on a core that has just
become idle, 20 to 50 µs on one that the system has put to sleep, and 3 to 8 µs of the caller itself."""
PART_WORK, MOST_PARTS = 1 << 18, 16
"""Operations that a thread takes at a time, at least: cores are seldom equally free; and how many such parts each."""
LOOP_STRIP_STATES = 32
"""States that loops of compiled code take at a time, where there are as many."""


def cost(program: Program) -> int:
    """Operations for one state, in loops whose length is not known for one pass, as its time goes."""
    return max(1, program.work + MOVE_OPERATIONS * sum(a.size for a in program.inputs + program.outputs))

"""Robots of one joint with dry friction or a hard stop, and their motions, event by event."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

import kinetrace as kt

GRAVITY = 9.81


def sliding_block(**effects):
    """A block of 1 kg on a slide along x."""
    return _robot(kt.joints.Prismatic([1, 0, 0]), [0, 0, 0], kt.Limits([-10.0], [10.0]), effects)


def hanging_rod(**effects):
    """A pendulum: a point of 1 kg, 1 m below its hinge."""
    return _robot(kt.joints.Revolute([0, 1, 0]), [0, 0, -1.0], None, effects)


def falling_block(**effects):
    """A block of 1 kg above a floor at 0."""
    return _robot(kt.joints.Prismatic([0, 0, 1]), [0, 0, 0], kt.Limits([0.0], [np.inf]), effects)


def _robot(joint, center, limits, effects):
    b = kt.Builder("one_joint")
    b.link("body", inertia=kt.lie.inertia.from_mass_com(1.0, center, 1e-12 * np.eye(3)))
    b.joint("joint", joint, parent="base", child="body", limits=limits, effects=kt.JointEffects(**effects))
    return kt.Robot(b.build(check="ignore"))


def friction_by_events(force, friction, q, v, end):
    """Times of stick and slip, and q as a function of times, of a unit mass under force(t, q) and dry friction."""
    pieces, events, t = [], [], 0.0
    while t < end:
        if v == 0.0 and abs(force(t, q)) <= friction:
            times = np.linspace(t, end, 20_001)
            loose = np.flatnonzero(np.abs(force(times, q) + 0.0 * times) > friction)
            after = (
                end if not len(loose) else _root(lambda s, q=q: abs(force(s, q)) - friction, *times[loose[0] - 1 :][:2])
            )
            pieces.append((t, after, lambda s, q=q: np.full(np.shape(s), q)))
            t = after
            events += [t] if t < end else []
            continue
        sign = np.sign(v) if v else np.sign(force(t, q))

        def turning(t, y):
            return y[1]

        turning.terminal, turning.direction = True, -sign
        found = solve_ivp(
            lambda t, y, sign=sign: [y[1], force(t, y[0]) - sign * friction],
            (t, end),
            [q, v if v else sign * 1e-14],
            method="DOP853",
            rtol=1e-12,
            atol=1e-13,
            first_step=1e-5,
            dense_output=True,
            events=turning,
        )
        pieces.append((t, found.t[-1], lambda s, sol=found.sol: sol(s)[0]))
        t, (q, v) = found.t[-1], found.y[:, -1]
        if found.status == 1:
            events, v = [*events, t], 0.0

    def position(times):
        of = np.clip(np.searchsorted([b for _, b, _ in pieces], times), 0, len(pieces) - 1)
        return np.array([float(pieces[k][2](s)) for k, s in zip(of, times, strict=True)])

    return np.array(events), position


def _root(f, a, b):
    for _ in range(80):
        middle = (a + b) / 2
        a, b = (middle, b) if f(middle) < 0 else (a, middle)
    return b


def bounces(restitution, height, times):
    """Heights at times of a fall from rest, and the times of its impacts."""
    duration = np.sqrt(2 * height / GRAVITY)
    found, impacts, begin, speed = (
        height - GRAVITY * times**2 / 2,
        [duration],
        duration,
        restitution * GRAVITY * duration,
    )
    found[times > begin] = 0.0
    while speed > 1e-9 and begin < times[-1]:
        s = times - begin
        flies = (s > 0) & (s < 2 * speed / GRAVITY)
        found[flies] = (speed * s - GRAVITY * s**2 / 2)[flies]
        begin, speed = begin + 2 * speed / GRAVITY, restitution * speed
        impacts.append(begin)
    return found, np.array(impacts)

"""Dry friction and hard stops in steps that solve for them, beside motions computed from event to event."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt

from .one_joint import GRAVITY, bounces, falling_block, friction_by_events, hanging_rod, sliding_block

STEPS = (1e-3, 3e-4, 1e-4, 3e-5, 1e-5)
SPEED, STIFFNESS, FRICTION = 0.6, 20.0, 6.0


def _belt_spring(model, t, q, v):
    """A spring from the world to the block, in the axes of the belt that carries it."""
    return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]) * (-STIFFNESS * (SPEED * t + q[0]))


def _on_belt(dt, method):
    robot = sliding_block(friction=FRICTION, friction_law="dry")
    return robot.simulate(
        [1.0], [0.0], t=2.6, dt=dt, method=method, base_velocity=[0, 0, 0, SPEED, 0, 0], wrench={"body": _belt_spring}
    )


def _swinging(dt, method):
    return hanging_rod(friction=1.5, friction_law="dry").simulate(
        [1.2], [0.0], t=6.0, dt=dt, method=method, compiled=True
    )


FRICTION_CASES = {
    "belt": (_on_belt, lambda t, q: -STIFFNESS * (SPEED * t + q), FRICTION, 1.0, 2.6),
    "pendulum": (_swinging, lambda t, q: -GRAVITY * np.sin(q), 1.5, 1.2, 6.0),
}


@pytest.mark.parametrize("method", ["semi-implicit", "implicit"])
@pytest.mark.parametrize("name", FRICTION_CASES)
def test_stick_and_slip_are_those_of_events(name, method):
    """Positions of order one, and each event within two steps; "implicit" damps what swings, by more."""
    motion_of, force, friction, begin, end = FRICTION_CASES[name]
    events, position = friction_by_events(force, friction, begin, 0.0, end)
    assert len(events) >= 3
    errors = []
    for dt in STEPS:
        motion = motion_of(dt, method)
        rows = np.unique(np.linspace(0, len(motion) - 1, 1500).astype(int))
        errors.append(np.abs(motion.q[rows, 0] - position(motion.t[rows])).max())
        sign = np.sign(motion.v[:, 0])
        changes = motion.t[1:][np.diff(sign) != 0]
        assert max(np.abs(changes - t).min() for t in events) <= (2.0 if method == "semi-implicit" else 30.0) * dt
    assert np.polyfit(np.log(STEPS), np.log(errors), 1)[0] > 0.95
    assert errors[2] < (1e-3 if method == "semi-implicit" else 5e-3) * begin


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_impacts_are_those_of_events(restitution):
    errors = []
    for dt in STEPS:
        motion = falling_block(stop_law="hard", restitution=restitution).simulate(
            [1.0], [0.0], t=3.0, dt=dt, compiled=True
        )
        exact, impacts = bounces(restitution, 1.0, motion.t)
        errors.append(np.abs(motion.q[:, 0] - exact).max())
        hit = motion.t[1:][np.diff(motion.v[:, 0]) > 1.5 * GRAVITY * dt]
        assert max(np.abs(hit - t).min() for t in impacts[:4] if t < 3.0) <= 2.0 * dt
        assert motion.q.min() >= 0.0
        if restitution < 1.0:
            assert motion.v[-1, 0] == 0.0
            assert motion.q[-1, 0] == 0.0
        if dt <= 1e-4:
            assert np.diff(motion.energy()).max() < 1e-3 * GRAVITY
    assert np.polyfit(np.log(STEPS), np.log(errors), 1)[0] > 0.95
    assert errors[2] < 1e-3


def test_nothing_moves_while_it_sticks():
    """A door stays where it is left, and a motor below its breakaway torque does not move it, in a million steps."""
    robot = kt.load("planar2r").with_joint_effects(friction=25.0, friction_law="dry")
    q = np.array([0.3, 0.5])
    motion = robot.simulate(q, [0.0, 0.0], t=1000.0, dt=1e-3, tau=[5.0, -3.0], record=1000)
    assert motion.method == "semi-implicit"
    assert np.array_equal(motion.q, np.broadcast_to(q, motion.q.shape))
    assert not motion.v.any()
    held = motion.end.state.kept["impulses"] / 1e-3
    np.testing.assert_allclose(held, robot.gravity(q) - [5.0, -3.0], rtol=0, atol=1e-11)


def test_advice_is_what_such_robots_can_follow():
    robot = kt.load("planar2r").with_joint_effects(friction=1.0, friction_law="dry")
    with pytest.raises(kt.InputError, match=r'events .* cannot step with dry friction .*friction_law="smooth"'):
        robot.simulate(np.zeros(2), np.zeros(2), t=0.1, dt=0.01, events=lambda t, q, v: q[0])
    with pytest.warns(kt.SimulationWarning) as caught:
        robot.simulate(np.zeros(2), np.array([1e200, 0.0]), t=0.1, dt=0.01)
    assert any('take shorter steps, or method="implicit" if' in str(x.message) for x in caught)
    with pytest.raises(kt.ModelError, match="did you mean friction_law='dry'"):
        robot.with_joint_effects(friction="dry")
    end = robot.simulate(np.zeros(2), np.zeros(2), t=0.1, dt=0.01).end
    with pytest.raises(TypeError, match="simulate needs v; it takes the parts of a State, q, v, kept"):
        robot.simulate(end.state, t=0.1, dt=0.01)


def test_laws_without_anything_to_act_on_are_told():
    """Once, however many joints have them."""
    told = {
        "no such joint has friction": lambda: kt.load("panda", friction_law="dry"),
        "no such joint has limits": lambda: kt.load("five_bar", stop_law="hard"),
        'restitution .* stop_law="hard"': lambda: kt.load("panda").with_joint_effects(restitution=0.5),
        'dry" changes nothing': lambda: kt.load("planar2r").with_joint_effects(friction_law="dry"),
    }
    for message, make in told.items():
        with pytest.warns(kt.ModelWarning, match=message) as caught:
            make()
        assert len(caught) == 1

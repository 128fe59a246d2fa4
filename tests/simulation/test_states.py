"""What goes on from step to step, whatever cuts a motion into parts."""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.derivatives import linearisation
from kinetrace.algorithms.time import integrators, rollout, rollout_derivatives
from kinetrace.algorithms.time.runge_kutta import step_acceleration
from kinetrace.algorithms.time.state import State
from kinetrace.simulation import engines


def _adams_bashforth(model, state, dt, inputs):
    """Of order two, by the rates of this step and the last, which it keeps; at rest before the first."""
    rate = np.concatenate([state.v, step_acceleration(model, state.q, state.v, 0.0, inputs)])
    begun, last = state.kept["begun"], state.kept["rate"]
    ahead = rate + begun * 0.5 * (rate - last)
    q, v = model.integrate(state.q, dt * ahead[: model.nv]), state.v + dt * ahead[model.nv :]
    return State(q, v, {"rate": rate, "begun": 1.0 + 0.0 * begun})


@pytest.fixture
def keeping(monkeypatch):
    """A robot, of which "euler" is a method of two steps."""

    def initial(model, method):
        return {"rate": np.zeros(2 * model.nv), "begun": np.zeros(())}

    monkeypatch.setitem(integrators.METHODS, "euler", _adams_bashforth)
    for module in (integrators, rollout, rollout_derivatives, engines, linearisation):
        monkeypatch.setattr(module, "initial_kept", initial)
    return kt.load("planar2r", backend="numpy")  # interpreted: programs of methods are not remembered


def test_what_a_method_keeps_goes_on(keeping, monkeypatch):
    """A method of two steps is of order two, and gives the same numbers however its motion is cut."""
    q, v = np.array([[0.3, -0.4], [0.1, 0.2]]), np.array([[1.0, 0.5], [0.0, -1.0]])
    exact = keeping.simulate(q, v, t=0.2, dt=2e-3, method="rkmk4").q[:, -1]
    ends = [keeping.simulate(q, v, t=0.2, dt=h, method="euler").q[:, -1] for h in (0.02, 0.01)]
    coarse, fine = (np.abs(x - exact).max() for x in ends)
    assert 1.8 < np.log2(coarse / fine) < 2.5
    base = {"base_velocity": np.arange(6.0), "base_acceleration": np.ones(6)}
    for further in ({}, {"controller": lambda t, q, v: -0.2 * v}, base):
        given = {"t": 0.2, "dt": 0.01, "method": "euler", **further}
        ways = [keeping.simulate(q, v, **given, compiled=x) for x in (True, False)]
        with monkeypatch.context() as short:
            short.setattr("kinetrace.simulation.recorder.CHUNK_NUMBERS", 1)
            ways.append(keeping.simulate(q, v, **given, compiled=True))
        for other in ways[1:]:
            assert np.array_equal(other.q, ways[0].q)
            assert np.array_equal(other.v, ways[0].v)

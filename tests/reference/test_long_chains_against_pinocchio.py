"""Chains of 100 and 200 links: our forward dynamics rounds no worse than Pinocchio's aba, judged in 50 digits.

Not 1000 links: the memory of Pinocchio's `Data` grows with their third power, 0.5 GB at 200 links and 4 GB at 400.
"""

import pytest

from kinetrace import algorithms as alg

from ..laws.test_long_chains import built, chain, hanging, residual

pin = pytest.importorskip("pinocchio")

FACTOR = 4
"""Measured: 0.4 to 1.6, on residuals of 1 to 3e-15; which of them is the smaller is chance."""


@pytest.mark.parametrize("n", [pytest.param(n, marks=pytest.mark.part(k, 2)) for k, n in enumerate((100, 200))])
def test_rounding(n, record_property):
    ours, theirs = built(n), pin.buildModelFromXML(chain(n))
    data = theirs.createData()
    found = {"FD1": [], "FD3": [], "FD4": [], "aba": []}
    for seed in range(4):
        q, v, tau = hanging(ours, seed)
        for method, residuals in found.items():
            aba = method == "aba"
            a = pin.aba(theirs, data, q, v, tau) if aba else alg.forward_dynamics(ours, q, v, tau, method=method)
            residuals.append(residual(n, seed, a))
    worst = {method: max(residuals) for method, residuals in found.items()}
    for method, value in worst.items():
        record_property(method, value)
        assert value <= FACTOR * worst["aba"], worst

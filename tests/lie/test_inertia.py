from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kinetrace.lie import Ad, Ad_matrix, inertia, se3, so3


def close(a, b, tol=1e-12):
    assert_allclose(a, b, rtol=tol, atol=tol)


@pytest.fixture
def points(rng, batch):
    """A body made of seven point masses: masses (..., 7), positions (..., 7, 3)."""
    return rng.uniform(0.1, 1, size=(*batch, 7)), rng.normal(size=(*batch, 7, 3))


@pytest.fixture
def body(points):
    m, r = points
    return inertia.from_mass_com(m, r, np.zeros((3, 3))).sum(-3)


def test_moments_of_point_masses(points, body):
    m, r = points
    total = m.sum(-1)
    c = (m[..., None] * r).sum(-2) / total[..., None]
    close(inertia.mass(body), total)
    close(inertia.center_of_mass(body), c)
    ones = np.concatenate([r, np.ones((*m.shape, 1))], axis=-1)
    close(inertia.pseudo_inertia(body), np.einsum("...n,...ni,...nj->...ij", m, ones, ones))
    d = so3.hat(r - c[..., None, :])
    I_com = -(m[..., None, None] * (d @ d)).sum(-3)
    close(inertia.from_mass_com(total, c, I_com), body)


def test_round_trips(body):
    close(inertia.from_parameters(inertia.to_parameters(body)), body, 0)
    close(inertia.from_pseudo_inertia(inertia.pseudo_inertia(body)), body)
    assert (
        inertia.to_parameters(body)[..., [0, 4, 5, 6, 7, 8, 9]].tolist()
        == np.stack(
            [body[..., i, j] for i, j in [(5, 5), (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]], axis=-1
        ).tolist()
    )


def test_change_frame(rng, batch, body):
    X_AB, V_B = se3.exp(rng.normal(size=6)), rng.normal(size=(*batch, 6))
    J_A = inertia.change_frame(X_AB, body)
    close(J_A, J_A.swapaxes(-1, -2), 0)
    V_A = Ad(X_AB, V_B)
    close(np.einsum("...i,...ij,...j", V_A, J_A, V_A), np.einsum("...i,...ij,...j", V_B, body, V_B))
    close(inertia.mass(J_A), inertia.mass(body))
    c_A = so3.rotate(se3.rotation(X_AB), inertia.center_of_mass(body)) + se3.translation(X_AB)
    close(inertia.center_of_mass(J_A), c_A)
    pi_A = inertia.change_frame_parameters(X_AB, inertia.to_parameters(body))
    close(inertia.from_parameters(pi_A), J_A)


def test_change_frame_of_any_symmetric_matrix(rng):
    X, A = se3.exp(rng.normal(size=(4, 6))), rng.normal(size=(6, 6))
    T = Ad_matrix(se3.inverse(X))
    close(inertia.change_frame(X, A + A.T), T.swapaxes(-1, -2) @ (A + A.T) @ T)
    pi = rng.normal(size=10)
    J = inertia.from_parameters(pi)
    close(inertia.from_parameters(inertia.change_frame_parameters(X, pi)), T.swapaxes(-1, -2) @ J @ T)


def test_center_of_mass_of_nothing_is_the_origin():
    close(inertia.center_of_mass(np.zeros((2, 6, 6))), np.zeros((2, 3)), 0)


def test_possible_bodies_have_no_violations(rng):
    far = np.array([30.0, -20.0, 10.0])
    rod = np.diag([1.0, 1.0, 0.0])
    for J in [
        np.zeros((6, 6)),
        inertia.from_mass_com(1.0, far, np.zeros((3, 3))),  # a point: all moments zero up to rounding
        inertia.from_mass_com(1e-3, far, rod * 1e-3),
        inertia.from_mass_com(1.0, far, np.diag([1.0, 2.0, 3.0])),  # a lamina: the inequality is tight
        inertia.change_frame(se3.exp(rng.normal(size=6)), inertia.from_mass_com(2.0, far, rod)),
    ]:
        assert inertia.violations(J) == []


@pytest.mark.parametrize(
    ("m", "h", "moments", "expected"),
    [
        (-1.0, 0.0, (1, 1, 1), ["mass -1 is negative"]),
        (0.0, 0.0, (1, 1, 1), ["massless, but with rotational inertia up to 1"]),
        (0.0, 2.0, (0, 0, 0), ["massless, but with first moment of mass 2"]),
        (
            1.0,
            0.0,
            (-0.5, 1, 1),
            ["rotational inertia about the centre of mass has a negative principal moment: -0.5"],
        ),
        (
            2.0,
            2.0,
            (1, 1, 1),
            ["rotational inertia about the centre of mass has a negative principal moment: -1"],
        ),
        (
            1.0,
            0.0,
            (1, 2, 3.5),
            ["principal moments 1, 2, 3.5 about the centre of mass break the triangle inequality: 1 + 2 < 3.5"],
        ),
        (1.0, np.nan, (1, np.inf, 1), ["5 of its numbers are not finite"]),
    ],
)
def test_violations_name_what_is_wrong(m, h, moments, expected):
    xx, yy, zz = moments
    J = inertia.from_parameters(np.array([m, h, 0, 0, xx, 0, 0, yy, 0, zz]))
    assert inertia.violations(J) == expected


def test_violations_name_a_matrix_that_is_no_inertia():
    J = np.eye(6)
    J[3, 3] = 2.0
    assert inertia.violations(J) == ["not of the form [[I, [h]], [-[h], m 1]] with symmetric I: off by 1"]


def test_violations_agree_with_the_pseudo_inertia(rng):
    for _ in range(50):
        J = inertia.from_mass_com(1.0, rng.normal(size=3), np.diag(rng.uniform(0, 1, size=3)))
        possible = np.linalg.eigvalsh(inertia.pseudo_inertia(J)).min() >= 0
        assert (inertia.violations(J) == []) == possible

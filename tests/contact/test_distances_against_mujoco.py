"""Distances of shapes against MuJoCo's: `mj_geomDistance`, and contacts of a height field."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from kinetrace.algorithms.contact.narrow.table import touches
from kinetrace.algorithms.contact.narrow.touch import Placed

from .shapes import LENGTHS, OTHER_SIZES, SIZES, kernel, poses

mujoco = pytest.importorskip("mujoco")
ROUND = ("sphere", "capsule", "box")
PAIRS = [*combinations_with_replacement(ROUND, 2), *((kind, "plane") for kind in ROUND)]
N = 1000


def geom(kind, sizes):
    """MuJoCo has half lengths."""
    size = {"plane": [0, 0, 1], "sphere": sizes[kind], "box": sizes[kind] / 2}.get(kind)
    size = [sizes[kind][0], sizes[kind][1] / 2] if size is None else size
    return f'<geom type="{kind}" size="{" ".join(map(str, size))}"/>'


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_distances_are_those_of_mujoco(pair, rng):
    """A capsule whose axis is in a box is deeper than MuJoCo says: it takes the overlap of the nearest sphere."""
    xml = geom(pair[0], SIZES) + geom(pair[1], SIZES | OTHER_SIZES)
    option = '<option ccd_tolerance="1e-14" ccd_iterations="500"/>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{xml}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    Xa, Xb = poses(rng, N), poses(rng, N)
    gaps, expected, ends = kernel(*pair)(Xa, Xb)[0][:, -1], np.empty(N), np.zeros(6)
    for k, X in enumerate(zip(Xa, Xb, strict=True)):
        for g, Y in enumerate(X):
            data.geom_xpos[g], data.geom_xmat[g] = Y[:3, 3], Y[:3, :3].ravel()
        expected[k] = mujoco.mj_geomDistance(model, data, 0, 1, 10.0, ends)
    outside = gaps > -SIZES["capsule"][0] if pair == ("capsule", "box") else gaps > -np.inf
    assert np.count_nonzero(outside) > N / 2
    np.testing.assert_allclose(gaps[outside], expected[outside], rtol=0.0, atol=1e-12)


def test_height_fields_have_the_triangles_of_mujoco(rng):
    """A small ball in a cell, a little too deep. MuJoCo's distances there are iterated to about 1e-9."""
    heights, radius = 0.1 * rng.uniform(size=(5, 4)), 0.004
    x, y = 0.5 * LENGTHS
    asset = f'<hfield name="h" nrow="4" ncol="5" size="{x} {y} 1 1"/>'
    body = f'<body><freejoint/><geom type="sphere" size="{radius}"/></body>'
    geoms = '<geom type="hfield" hfield="h"/>' + body
    text = f"<mujoco><asset>{asset}</asset><worldbody>{geoms}</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    model.hfield_data[:] = heights.T.ravel()
    data, field, errors = mujoco.MjData(model), Placed("heights", heights, np.eye(4), LENGTHS), []
    for _ in range(100):
        X = np.eye(4)
        X[:3, 3] = [*(rng.uniform(-0.45, 0.45, 2) * LENGTHS), 1.0]
        ball = Placed("sphere", np.array([radius]), X)
        X[2, 3] -= (touches(ball, field)[0].gap + 5e-4) / touches(ball, field)[0].normal[2]
        data.qpos[:3] = X[:3, 3]
        mujoco.mj_forward(model, data)
        errors.append(data.contact.dist.min() - touches(ball, field)[0].gap)
    assert np.quantile(np.abs(errors), 0.8) < 1e-7  # others are near an edge

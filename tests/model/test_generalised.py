"""The general robot of a kind: the same tree, and no constant that saves an operation."""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.model import generalised, parameters, random_mdh_chain


@pytest.mark.parametrize("algorithm", ["inverse_dynamics", "forward_dynamics", "mass_matrix"])
@pytest.mark.parametrize("name", ["panda", "puma560", "ur5e"])
def test_an_arm_becomes_the_general_arm_of_its_length(name, algorithm):
    """Kozłowski's general arm, whatever the arm was."""
    robot = kt.load(name, joint_effects=False)
    general = robot.count(algorithm, general=True)
    assert general == kt.Robot(random_mdh_chain(robot.nv, seed=1, general=True).build()).count(algorithm)
    assert general == kt.Robot(generalised(robot.model, seed=5)).count(algorithm)
    assert general.flops > robot.count(algorithm).flops


@pytest.mark.alternates(2, "seed")
@pytest.mark.parametrize("seed", range(4))
def test_a_tree_keeps_its_joints_and_has_all_placements_general(seed):
    robot = kt.random_tree(14, seed=seed)
    general = kt.Robot(generalised(robot.model, seed=seed))
    assert (general.nq, general.nv, general.frame_names) == (robot.nq, robot.nv, robot.frame_names)
    for old, new in zip(robot.model.bodies, general.model.bodies, strict=True):
        assert type(new.joint) is type(old.joint) and (new.parent, new.mimic) == (old.parent, old.mimic)
        assert np.all(new.J[:3, :3] != 0) and np.array_equal(new.X_ji, np.eye(4))
        if new.joint.nv == 1:
            assert np.count_nonzero(new.subspace(np.zeros(1))) <= 2  # about z, along z, or both
    rng = np.random.default_rng(seed)
    q, v, a = robot.random(seed=seed), *rng.normal(size=(2, robot.nv))
    tau = general.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(general.forward_dynamics(q, v, tau), a, rtol=0, atol=1e-8)


def test_screws_keep_their_pitch():
    screws = np.array([(0, 1, 0, 0.3, 0.2, 0.1), (0, 0, 0, 2, 0, 0), (1, 1, 0, 0, 0, 0.5)])
    model = random_mdh_chain(3).build().with_parameters(screws=screws)
    S = parameters.get(generalised(model), "screws")
    w, v = screws[:, :3], screws[:, 3:]
    np.testing.assert_allclose(np.linalg.norm(S[:, :3], axis=1), np.linalg.norm(w, axis=1))
    np.testing.assert_allclose((S[:, :3] * S[:, 3:]).sum(axis=1), (w * v).sum(axis=1), atol=1e-15)
    assert np.allclose(S[1], [0, 0, 0, 0, 0, 2])

"""`Robot.draw` and `Robot.plot`: what is in the pictures, not how they look."""

import numpy as np
import pytest

import kinetrace as kt

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def figures_end():
    yield
    pytest.importorskip("matplotlib.pyplot").close("all")


@pytest.fixture(scope="module")
def arm():
    return kt.load("planar2r")


def solids_in(ax):
    """Corners (n, 3) of each collection of facets; matplotlib keeps them under one of two names."""
    return [np.reshape(x._faces, (-1, 3)) if hasattr(x, "_faces") else x._vec[:3].T for x in ax.collections]


def curves_in(ax):
    return [np.array(line.get_data_3d()).T for line in ax.lines]


def test_the_robot_fills_axes_with_equal_scales(arm):
    ax = arm.draw([0.3, 0.8])
    spans = np.array([np.ptp(x) for x in (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())])
    assert np.allclose(spans / spans[0], ax._box_aspect / ax._box_aspect[0], rtol=1e-9)
    ax.figure.canvas.draw()
    points = np.concatenate(solids_in(ax))
    seen = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ ax.get_proj().T
    pixels = ax.transData.transform(seen[:, :2] / seen[:, 3:])
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    size = ax.figure.get_size_inches() * ax.figure.dpi
    assert (low > 0).all() and (high < size).all() and 0.85 < (high - low).max() / size.max() < 0.98


def test_marks_are_where_the_quantities_are(arm):
    q, tip = np.array([0.3, 0.8]), arm.pose([0.3, 0.8], "tip")
    ax = arm.draw(q, show=("com", "frames"), frame="tip")
    curves = curves_in(ax)
    assert any(np.allclose(x, [arm.center_of_mass(q)]) for x in curves)
    ends = [x for x in curves if len(x) == 2]
    assert len(ends) == 3 and all(np.allclose(x[0], tip[:3, 3]) for x in ends)
    for k, x in enumerate(ends):
        assert np.allclose((x[1] - x[0]) / np.linalg.norm(x[1] - x[0]), tip[:3, k])


def test_a_batch_is_ghosts_and_a_trail(arm):
    q = np.linspace([0.0, 0.0], [1.0, 1.0], 21)
    ax = arm.draw(q, show="trail", frame="tip", ghosts=3)
    assert len(ax.collections) == 4
    assert np.allclose(curves_in(ax)[0], arm.pose(q, "tip")[:, :3, 3])
    base = len(solids_in(arm.draw(q[0]))[0])
    assert len(solids_in(ax)[-1]) == base > len(solids_in(ax)[0])  # what stands on the ground is drawn once
    motion = arm.simulate(q[0], [0.0, 0.0], t=0.1, dt=0.01)
    for states, main in ((q, q[0]), (motion, motion.q[-1])):
        assert np.allclose(solids_in(arm.draw(states))[-1], solids_in(arm.draw(main))[0])
    with pytest.raises(kt.InputError, match="one motion"):
        arm.draw(arm.simulate(q, [0.0, 0.0], t=0.1, dt=0.05))


def test_ellipsoids_have_the_axes_of_their_matrices():
    """Of manipulability up to a factor; of inertia, the moments of even density give back the inertia."""
    robot = kt.load("ur5e")
    q = np.array([0.1, -1.0, 1.2, -0.4, 0.5, 0.2])
    points = solids_in(robot.draw(q, show="manipulability", frame="tool0"))[-1] - robot.pose(q, "tool0")[:3, 3]
    J = robot.jacobian(q, "tool0", expressed_in="aligned")[3:]
    level = np.einsum("ni,ij,nj->n", points, np.linalg.inv(J @ J.T), points)
    assert np.allclose(level, level[0], rtol=1e-9)

    from kinetrace.view.shapes import inertia_ellipsoid

    body = robot.model.bodies[1]
    m = kt.lie.inertia.mass(body.J)
    c, A = inertia_ellipsoid(body.J)
    second = m * A / 5  # of an ellipsoid of even density
    I_c = np.trace(second) * np.eye(3) - second
    assert np.allclose(kt.lie.inertia.from_mass_com(m, c, I_c), body.J, atol=1e-12)


def test_wrenches_are_arrows_in_the_world(arm):
    q = np.array([0.5, 0.0])
    ax = arm.draw(q, wrench={"tip": [0, 0, 0, 0, 0, 4.0], "link2": [0, 0, 0, 0, 0, 2.0]})
    arrows = [x[1] - x[0] for x in curves_in(ax) if len(x) == 2]
    assert all(np.allclose(np.cross(x, arm.pose(q, "tip")[:3, 2]), 0) for x in arrows) and len(arrows) == 2
    assert np.linalg.norm(arrows[0]) > 1.5 * np.linalg.norm(arrows[1])


def test_closed_loops_are_drawn_closed():
    robot = kt.load("four_bar")
    dots = curves_in(robot.draw())[0]
    closure = robot.model.closures[0]
    for frame in closure.frames:
        X = np.eye(4) if frame.body < 0 else robot.pose(robot.assemble(), robot.model.bodies[frame.body].name)
        assert np.allclose(dots[0], (X @ frame.X_bf)[:3, 3], atol=1e-9)


def test_several_robots_share_axes(arm):
    """And drawing the same again changes nothing but the room that corners of the box need."""
    ax = arm.draw()
    assert kt.load("stewart").draw(ax=ax, shapes=False) is ax and len(ax.collections) == 2
    limits = ax.get_xlim(), ax.get_ylim(), ax.get_zlim()
    arm.draw(ax=ax)
    assert np.allclose(limits, (ax.get_xlim(), ax.get_ylim(), ax.get_zlim()))
    for points in solids_in(ax):
        assert (points >= np.array(limits)[:, 0] - 0.3).all() and (points <= np.array(limits)[:, 1] + 0.3).all()


def test_a_robot_without_bodies_is_an_empty_picture():
    b = kt.Builder("post")
    b.link("base")
    ax = kt.Robot(b.build()).draw(show=("com", "frames", "trail", "inertia", "axes", "closures"))
    assert np.isfinite(ax.get_xlim()).all() and not ax.collections


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"show": "frame"}, "unknown show 'frame'; did you mean 'frames'?"),
        ({"frame": "tpi"}, "unknown frame 'tpi'; did you mean 'tip'?"),
        ({"q": [0.0]}, r"\(\.\.\., 2\)"),
        ({"q": np.zeros((0, 2))}, "no configuration"),
        ({"q": [np.nan, 0.0]}, "nan"),
        ({"wrench": {"tip": [1.0]}}, "wrench of 'tip' must be 6"),
        ({"wrench": {"tip": "up"}}, "wrench of 'tip' must be 6"),
        ({"wrench": [1.0]}, "wrench maps names"),
        ({"view": 3}, "view must be 2 finite numbers"),
        ({"ghosts": -1}, "ghosts must be"),
        ({"colour": "red"}, "unknown keyword of draw"),
    ],
)
def test_wrong_arguments_of_draw(arm, keywords, message):
    with pytest.raises(kt.InputError, match=message):
        arm.draw(**keywords)


def test_draw_wants_axes_in_space(arm):
    with pytest.raises(kt.InputError, match="projection='3d'"):
        arm.draw(ax=matplotlib.figure.Figure().subplots())


def test_the_mass_matrix_is_in_its_map(arm):
    figure = arm.plot("mass_matrix", [0.3, 0.8])
    ax = figure.axes[0]
    assert np.allclose(ax.images[0].get_array() ** 3, arm.mass_matrix([0.3, 0.8]))
    assert [x.get_text() for x in ax.get_xticklabels()] == list(arm.joint_names)


def test_bars_are_the_counts(arm):
    ax = arm.plot("counts").axes[0]
    lengths = {}
    for bars in ax.containers:
        for name, bar in zip(ax.get_yticklabels(), bars, strict=True):
            lengths[name.get_text()] = lengths.get(name.get_text(), 0) + bar.get_width()
    count = arm.count("inverse_dynamics")
    assert lengths["inverse dynamics"] == count.flops + count.trig


def test_a_workspace_is_within_reach(arm):
    seen = np.array(arm.plot("workspace", frame="tip").axes[1].lines[0].get_data())
    radius = np.linalg.norm(seen, axis=0)
    assert 1.9 < radius.max() <= 2.0 + 1e-9
    with pytest.raises(kt.InputError, match="closed loops"):
        kt.load("four_bar").plot("workspace")


def test_plot_says_what_there_is(arm, tmp_path):
    with pytest.raises(kt.InputError, match="unknown what 'mass'; did you mean 'mass_matrix'"):
        arm.plot("mass")
    with pytest.raises(kt.InputError, match="pictures are written as"):
        arm.plot("counts", path=tmp_path / "a.gif")
    arm.plot("mass_matrix", path=tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml")


def test_energies_and_limits_of_a_motion(arm):
    motion = arm.simulate([0.5, 0.0], [9.9, 0.0], t=0.2, dt=0.01)
    kinetic, potential, total = motion.plot(what="energy").axes[0].lines
    assert np.allclose(total.get_ydata(), motion.energy())
    assert np.allclose(kinetic.get_ydata() + potential.get_ydata(), motion.energy())
    speeds = motion.plot().axes[1].lines
    assert len(speeds) > arm.nv  # the part of joint 1 beyond its 10 rad/s is marked
    marked = speeds[arm.nv].get_ydata()
    assert np.nanmin(np.abs(marked)) > 10 and np.isnan(marked).any()
    with pytest.raises(kt.InputError, match="unknown what 'power'"):
        motion.plot(what="power")

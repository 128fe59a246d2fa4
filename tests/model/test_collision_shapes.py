"""Collision shapes: names, checks, files, hashes, edits, and what becomes of meshes in contacts."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.engine.compilation import trace_cache
from kinetrace.errors import HarmlessWarning, InputError, ModelError
from kinetrace.lie import se3, so3
from kinetrace.model import Geometry, Mesh
from kinetrace.model.contact import (
    ContactLaw,
    ContactPair,
    ContactRules,
    Contacts,
    ContactShape,
    Exclusion,
    PairRule,
    Surface,
    combined,
)
from kinetrace.model.contact.checks import check_contact_shape
from kinetrace.model.contact.hulls import directions, few_points, hull_of
from kinetrace.model.contact.resolve import contact_shapes, mesh_fits
from kinetrace.model.files.save import urdf_text

GRID = np.random.default_rng(0).normal(size=(4, 3))
TETRAHEDRON = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
SIZES = {
    "sphere": (0.1,),
    "capsule": (0.1, 0.0),
    "cylinder": (0.1, 0.2),
    "box": (0.1, 0.2, 0.3),
    "ellipsoid": (0.1, 0.2, 0.3),
    "plane": (0.0, 0.0),
    "mesh": (1.0, -1.0, 2.0),
    "heights": (2.0, 1.0, 0.1),
}


def shape(kind, size=None, name="", link="link2", **more):
    more |= {"mesh": TETRAHEDRON} if kind == "mesh" and "mesh" not in more else {}
    more |= {"heights": GRID} if kind == "heights" and "heights" not in more else {}
    return Geometry(kind, SIZES[kind] if size is None else size, link, np.eye(4), "collision", name=name, **more)


def builder(*shapes, rules=None):
    b = kt.Builder("arm")
    for parent, child in (("link0", "link1"), ("link1", "link2")):
        b.link(child, mass=1.0, com=[0.1, 0, 0], inertia=[0.1, 0.1, 0.1])
        b.joint(f"to_{child}", kt.joints.Revolute("y"), parent=parent, child=child, placement=[0.3, 0, 0])
    for each in shapes:
        b.geometry(each)
    b.contact_rules(rules)
    return b


def random_law(rng):
    soft = [{}, {"stiffness": rng.random() + 1, "damping": rng.random()}, {"time_constant": rng.random() + 0.1}]
    numbers = dict(zip(("friction", "torsion", "rolling", "restitution", "margin"), rng.random(5), strict=True))
    chosen = soft[rng.integers(3)]
    if chosen:
        del numbers["restitution"]
    return ContactLaw(**numbers, damping_ratio=rng.random(), **chosen)


def random_surface(rng):
    group, mask, priority = (int(x) for x in rng.integers(0, 9, 3))
    velocity = rng.normal(size=6) if rng.random() < 0.5 else None
    dimensions = [None, 1, 3, 4, 6][rng.integers(5)]
    return Surface(random_law(rng), group, mask, priority, velocity, dimensions)


def everything(seed=0):
    """A model with shapes of all kinds on random surfaces, rules and contacts."""
    rng = np.random.default_rng(seed)
    shapes = [shape(kind, name=f"my {kind}", surface=random_surface(rng)) for kind in SIZES]
    rule = PairRule("my box", "my plane", random_law(rng), "p", 4, rng.random(5))
    rules = ContactRules((rule,), (Exclusion("link0", "link2", "e"),), True)
    on = (
        ContactShape("floor", "plane", np.zeros(2), -1, np.eye(4)),
        ContactShape("tip", "sphere", [0.1], 1, np.eye(4)),
    )
    on = (on[0], replace(on[1], size=np.array([0.1]), velocity=rng.normal(size=6), link="link2"))
    contacts = Contacts(on, (ContactPair("tip, floor", 1, 0, random_law(rng)),), "newton")
    return replace(builder(*shapes, rules=rules).build(), contacts=contacts)


def test_names_are_given_where_they_are_missing_and_are_unique():
    model = builder(
        *(shape("sphere", name=name) for name in ("", "a", "", "link2.2")), shape("box", link="link1")
    ).build()
    assert [x.name for x in model.collision_shapes] == ["link2", "a", "link2.3", "link2.2", "link1"]
    with pytest.raises(ModelError, match="two collision shapes are called 'a': each needs a name of its own"):
        builder(shape("sphere", name="a"), shape("box", name="a")).build()
    text = """<robot name="r"><link name="a"><collision name="c"><geometry><sphere radius="1"/></geometry></collision>
      <collision name="c"><geometry><box size="1 1 1"/></geometry></collision>
      <collision name="d"><geometry><sphere radius="0"/></geometry></collision>
      <collision><geometry><sphere radius="1"/></geometry></collision></link></robot>"""
    with pytest.warns(HarmlessWarning, match="radius of a sphere must be positive, got 0"):
        names = [x.name for x in kt.load(text).model.collision_shapes]
    assert names == ["c", "c.2", "a"]


DEGENERATE = {
    "radius of a sphere must be positive, got 0": lambda: shape("sphere", (0.0,)),
    "'x' on link 'link2': the length along z of a box must be positive": lambda: shape("box", (1, 1, 0), "x"),
    "a capsule has radius, length, all finite": lambda: shape("capsule", (np.nan, 1)),
    "a cylinder has radius, length, all finite; got": lambda: shape("cylinder", (1,)),
    "scale along y of a mesh must be positive": lambda: shape("mesh", (1, 0, 1)),
    "needs at least 4 points, got 3": lambda: shape("mesh", mesh=Mesh(np.eye(3), np.zeros((0, 3)))),
    "5 points lie in a plane": lambda: shape("mesh", mesh=Mesh([*np.eye(3), [1, 1, -1], [2, 0, -1]], [[0, 1, 2]])),
    "a mesh needs a file or a": lambda: replace(shape("mesh"), mesh=None),
    r"at least 2 by 2 numbers, got \(1, 3\)": lambda: shape("heights", heights=GRID[:1]),
    "heights must be finite": lambda: shape("heights", heights=np.full((2, 2), np.inf)),
    "unknown kind 'cone'": lambda: Geometry("cone", (1.0,), "link2", np.eye(4), "collision"),
    "friction must be finite and not negative": lambda: Surface(ContactLaw(friction=-0.1)),
    "restitution must be from 0 to 1": lambda: ContactLaw(restitution=1.1),
    "a stiffness with a damping, or a time constant": lambda: ContactLaw(stiffness=1.0, time_constant=1.0),
    "restitution is of rigid surfaces; springs bounce by their damping": lambda: ContactLaw(
        stiffness=1e4, restitution=0.5
    ),
    "restitution is of rigid": lambda: ContactLaw(time_constant=0.01, restitution=0.5),
    "damping_ratio must be positive, got 0": lambda: ContactLaw(time_constant=0.01, damping_ratio=0.0),
    "time_constant must be at least 1e-06 s, or None for rigid": lambda: ContactLaw(time_constant=1e-7),
    "times damping_ratio must be at least 1e-12 s": lambda: ContactLaw(time_constant=1e-3, damping_ratio=1e-10),
    "dimensions must be 1, 3, 4 or 6, got 2": lambda: Surface(dimensions=2),
    "velocity must be 6 finite numbers": lambda: Surface(velocity=[1.0, 2.0]),
    "group must be an integer": lambda: Surface(group=0.5),
}


@pytest.mark.parametrize("message", DEGENERATE)
def test_what_no_contact_can_have_is_refused_by_name(message):
    with pytest.raises(ModelError, match=message):
        builder(DEGENERATE[message]())


def test_shapes_for_contact_are_checked():
    for kind, size, message in (
        ("sphere", np.array([0.0]), "'x': the size of a sphere must be positive, got"),
        ("box", np.ones(2), "a box has length along x, length along y, length along z"),
        ("points", np.eye(3), "'x': a hull needs at least 4 points, got 3"),
        ("heights", np.zeros((1, 3)), "a grid of at least 2 by 2 numbers"),
        ("mesh", np.ones(3), "unknown kind 'mesh'"),
        ("plane", np.array([np.nan, 0]), "its size must be finite"),
    ):
        with pytest.raises(ModelError, match=message):
            check_contact_shape(ContactShape("x", kind, size, 0, np.eye(4)))


def test_rules_name_shapes_and_links_that_there_are():
    for rules, message in (
        (ContactRules((PairRule("a", "c"),)), "unknown collision shape 'c'"),
        (ContactRules((PairRule("a", "a"),)), "does not touch itself"),
        (ContactRules((), (Exclusion("link1", "link7"),)), "unknown link 'link7'"),
    ):
        with pytest.raises(ModelError, match=message):
            builder(shape("sphere", name="a"), rules=rules).build()


@pytest.mark.parametrize("seed", range(5))
def test_files_and_pickles_keep_all(seed, tmp_path):
    model = everything(seed)
    path = tmp_path / "robot.json"
    kt.Robot(model).save(path)
    back = kt.load(path).model
    assert back == model and hash(back) == hash(model) and pickle.loads(pickle.dumps(model)) == model
    damaged = path.read_text().replace('"my plane"', '"no plane"', 1)
    path.write_text(damaged)
    with pytest.raises(ModelError, match=r"model\.contact_rules: .*'my plane'"):
        kt.load(path)


def test_urdf_keeps_names_and_says_what_it_leaves_out():
    text, unsaid = urdf_text(everything())
    assert kt.load(text, check="ignore").model.collision_shapes[0].name == "my sphere"
    assert {"contact pairs and exclusions"} < set(unsaid) and any(x.startswith("surfaces of coll") for x in unsaid)


def test_the_hash_counts_what_touches_and_kernels_do_not():
    model = everything()
    ball, *rest = model.collision_shapes
    drawn = replace(model, geometry=(*model.geometry, replace(ball, role="visual"), replace(ball, role="visual")))
    changed = [
        replace(model, geometry=(replace(ball, **change), *rest))
        for change in (
            {"size": (0.2,)},
            {"name": "b"},
            {"surface": None},
            {"placement": se3.pose(np.eye(3), np.ones(3))},
        )
    ]
    more = [*changed, replace(model, contact_rules=None)]
    assert len({hash(x) for x in (model, drawn, *more)}) == 1 + len(more) and drawn != model
    assert {trace_cache.digest(x) for x in (drawn, *more)} == {trace_cache.digest(model)}
    assert trace_cache.digest(replace(model, contacts=None)) != trace_cache.digest(model)


def test_edits_keep_shapes_contacts_and_rules_where_they_are():
    model = everything()
    rng = np.random.default_rng(1)
    q = model.random(rng)

    def places(model, q, prefix=""):
        poses = kt.algorithms.kinematics.forward_kinematics.body_poses(model, q) | {-1: np.eye(4)}
        shapes = [*model.contacts.shapes, *contact_shapes(model)]
        return {x.name.removeprefix(prefix): poses[x.body] @ x.X for x in shapes}

    was = places(model, q)
    turned = model.with_link_frames([se3.pose(so3.exp(rng.normal(size=3)), rng.normal(size=3)) for _ in model.bodies])
    robot = kt.Robot(model)
    held = robot.locked({"to_link2": q[1]}).model
    for other, at in ((turned, q), (held, q[:1])):
        found = places(other, at)
        assert found.keys() == was.keys()
        for name, X in was.items():
            np.testing.assert_allclose(found[name], X, atol=1e-12)
    both = robot.joined(robot, "link0", prefix="b_").model
    assert [x.name for x in both.contact_rules.pairs] == ["p", "b_p"]
    assert both.contact_rules.excludes[1] == Exclusion("b_link0", "b_link2", "b_e")
    assert both.contacts.pairs[1].a == 3 and both.contacts.shapes[3].body == 3
    half = robot.without_bodies("link2")
    assert half.model.contact_rules == ContactRules(neighbours=True) and not half.model.contacts.pairs
    with pytest.raises(InputError, match=r"both robots have .*collision shapes 'my box'"):
        robot.joined(
            robot.renamed(joints={"to_link1": "x", "to_link2": "y"}, frames={"link0": "p", "link1": "q", "link2": "r"}),
            "link0",
        )


def test_info_and_difference_tell_of_shapes():
    robot = kt.Robot(everything())
    text = str(robot.info())
    assert "hull of 4 points" in text and "do not touch: link0 and link2" in text
    ball, *rest = robot.model.geometry
    other = kt.Robot(
        replace(robot.model, geometry=(replace(ball, size=(0.2,), surface=None), *rest[1:]), contact_rules=None)
    )
    told = str(robot.difference_to(other))
    for what in (
        "sphere 0.1 → sphere 0.2",
        "'my capsule': only in the first",
        "contact pair only in the first",
        "friction",
    ):
        assert what in told
    assert robot.difference_to(other).same_motion and not robot.difference_to(kt.Robot(everything()))


def ball_points(n, seed):
    x = np.random.default_rng(seed).normal(size=(n, 3))
    return x / np.linalg.norm(x, axis=1)[:, None] * [1.0, 0.5, 0.2]


@pytest.mark.parametrize("most", [8, 32])
def test_few_points_are_as_far_from_the_hull_as_told(most):
    """Hausdorff's distance is the largest difference of supports: never more than told, and nearly that."""
    hull = hull_of(ball_points(400, most))
    points, error = few_points(hull, most)
    assert len(points) == most and {tuple(x) for x in points} <= {tuple(x) for x in hull.points}
    u = np.vstack([directions(50_000), hull_of(points).planes[:, :3]])
    apart = ((hull.points @ u.T).max(axis=0) - (points @ u.T).max(axis=0)).max()
    assert 0.99 * error < apart < error + 1e-12
    assert error < (0.5 if most == 8 else 0.11)


def test_meshes_become_the_smallest_shapes_around_them():
    """Of a turned box, its sides; of a turned capsule, itself; no point is outside of any."""
    pytest.importorskip("scipy")
    X = se3.pose(so3.exp(np.array([0.3, -0.8, 0.5])), np.array([0.1, 0.2, 0.3]))
    sides, length, r = np.array([0.2, 0.3, 0.5]), 0.4, 0.1
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * sides / 2
    ends = np.array([[0, 0, length / 2], [0, 0, -length / 2]])
    pill = np.concatenate([r * directions(2000) + end for end in ends])
    named = {"box": corners, "capsule": pill, "sphere": r * directions(2000)}
    shapes = [
        shape("mesh", (1, 1, 1), name, mesh=Mesh(points @ X[:3, :3].T + X[:3, 3], np.zeros((0, 3))))
        for name, points in named.items()
    ]
    model = builder(*shapes).build()
    fits = mesh_fits(model, {name: name for name in named})
    wanted = {"box": sorted(sides), "capsule": [r, length], "sphere": [r]}
    for name, fit in fits.items():
        (made,) = fit.fits
        np.testing.assert_allclose(sorted(made.size) if name == "box" else made.size, wanted[name], atol=2e-3)
        np.testing.assert_allclose(made.X[:3, 3], X[:3, 3], atol=2e-3)
        assert fit.error < (1e-6 if name == "box" else 3e-3)
        local = (named[name] @ X[:3, :3].T + X[:3, 3] - made.X[:3, 3]) @ made.X[:3, :3]
        if name == "box":
            assert np.all(np.abs(local) <= made.size / 2 + 1e-7)
        else:
            half = made.size[1] / 2 if name == "capsule" else 0.0
            local[:, 2] -= np.clip(local[:, 2], -half, half)
            assert np.linalg.norm(local, axis=1).max() <= made.size[0] + 1e-7
    again = mesh_fits(model, {name: name for name in named})
    assert all(np.array_equal(again[name].fits[0].size, fits[name].fits[0].size) for name in named)
    assert [x.kind for x in contact_shapes(model, {"box": None, "sphere": "points"})] == ["points", "points"]
    with pytest.raises(InputError, match="'cube' is none of 'hull', 'points'"):
        contact_shapes(model, "cube")
    with pytest.raises(InputError, match="unknown collision mesh 'boxes'"):
        contact_shapes(model, {"boxes": "hull"})


def test_files_of_meshes_are_read_at_their_scale(tmp_path):
    pytest.importorskip("trimesh")
    path = tmp_path / "cube.obj"
    corners = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [
        [1, 2, 4],
        [1, 4, 3],
        [5, 7, 8],
        [5, 8, 6],
        [1, 5, 6],
        [1, 6, 2],
        [3, 4, 8],
        [3, 8, 7],
        [1, 3, 7],
        [1, 7, 5],
    ]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a} {b} {c}" for a, b, c in [*faces, [2, 6, 8], [2, 8, 4]]]
    path.write_text("\n".join(lines))
    model = builder(shape("mesh", (0.1, 0.2, 0.3), "cube", mesh=str(path))).build()
    (found,) = contact_shapes(model)
    assert found.kind == "points" and sorted(map(tuple, found.size.round(6))) == sorted(
        tuple(np.round([0.1 * x, 0.2 * y, 0.3 * z], 6)) for x, y, z in corners
    )
    assert mesh_fits(model)["cube"].text == "hull of 8 points"
    path.unlink()
    with pytest.raises(ModelError, match=r"'cube' on link 'link2': the mesh .* cannot be read: No such file"):
        contact_shapes(model)
    assert "cannot be read" in str(kt.Robot(model).info())


def test_shapes_that_overlap_at_home_are_named_and_excluded():
    far = se3.pose(np.eye(3), np.array([-0.55, 0.0, 0.0]))
    balls = (
        shape("sphere", name="tip"),
        shape("sphere", name="base", link="link0"),
        shape("box", name="mid", link="link1"),
    )
    model = builder(replace(balls[0], placement=far), *balls[1:]).build()
    robot = kt.Robot(model)
    (found,) = (x for x in robot.doctor() if x.kind == "shapes that overlap")
    assert set(found.where) == {"shape 'tip'", "shape 'base'"} and "by 150 mm" in found.what
    repaired = robot.repaired()
    assert repaired.model.contact_rules.excludes and "shapes that overlap" not in [x.kind for x in repaired.doctor()]
    apart = replace(model, geometry=(replace(model.geometry[0], surface=Surface(group=2, mask=2)), *model.geometry[1:]))
    assert "shapes that overlap" not in [x.kind for x in kt.Robot(apart).doctor()]


def test_laws_of_two_surfaces_do_not_depend_on_their_order():
    rng = np.random.default_rng(3)
    for _ in range(200):
        a, b = random_surface(rng), random_surface(rng)
        law = combined(a, b)
        assert law == combined(b, a)
        if a.priority == b.priority:
            assert law.restitution == (max(a.law.restitution, b.law.restitution) if law.is_rigid else 0.0)
            assert law.is_rigid == (a.law.is_rigid and b.law.is_rigid)


def test_concave_meshes_become_convex_parts():
    """Of an angle, two plates, whose hulls leave the corner free that the hull of all fills."""
    pytest.importorskip("coacd")
    trimesh = pytest.importorskip("trimesh")
    outline = np.array([[0, 0], [1, 0], [1, 0.2], [0.2, 0.2], [0.2, 1], [0, 1]])
    sides = [[k, (k + 1) % 6, 6 + k] for k in range(6)] + [[(k + 1) % 6, 6 + (k + 1) % 6, 6 + k] for k in range(6)]
    lid = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]])
    points = np.concatenate([np.c_[outline, np.zeros(6)], np.c_[outline, np.full(6, 0.3)]])
    made = trimesh.Trimesh(points, np.concatenate([sides, lid[:, ::-1], lid + 6]), process=False)
    assert made.is_watertight
    model = builder(shape("mesh", (1, 1, 1), "angle", mesh=Mesh(made.vertices, made.faces))).build()
    (whole,), parts = contact_shapes(model), contact_shapes(model, "pieces")
    assert "fills 53 % of its hull" in mesh_fits(model)["angle"].text
    assert [x.name for x in parts] == ["angle:1", "angle:2"] and whole.name == "angle"
    volumes = [hull_of(x.size).volume for x in (whole, *parts)]
    assert volumes[0] > 1.6 * sum(volumes[1:]) and np.isclose(sum(volumes[1:]), made.volume, rtol=0.02)
    assert [x.kind for x in contact_shapes(model, {"angle": "capsules"})] == ["capsule", "capsule"]

"""Surfaces, pairs and exclusions of MJCF: MuJoCo reads of our text what it read of its own; all formats keep them."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.analysis.doctor.overlaps import overlapping
from kinetrace.model.contact import combined
from kinetrace.model.files.save.mjcf import mjcf

mujoco = pytest.importorskip("mujoco")

KINDS = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "mesh", "hfield")
FIELDS = ("contype", "conaffinity", "condim", "priority", "friction", "solimp", "margin", "surfacevel", "type")
SOLREFS = ((0.02, 1.0), (0.01, 0.5), (-4000.0, -60.0), (-900.0, 0.0))


def numbers(x):
    return " ".join(f"{float(e):.17g}" for e in np.ravel(x))


def random_text(seed):
    """Bodies with shapes of all kinds on random surfaces, pairs and an exclusion."""
    rng = np.random.default_rng(seed)
    surfaces = []
    for k, kind in enumerate(KINDS):
        solref = SOLREFS[rng.integers(len(SOLREFS))]
        solimp = [0.9, 0.95, 0.001, 0.5, 2] if rng.random() < 0.5 else [0.8, rng.uniform(0.9, 0.99), 0.01, 0.5, 2]
        moves = f'surfacevel="{numbers(rng.normal(size=6))}"' if k % 3 == 0 else ""
        of_kind = {"mesh": 'mesh="m"', "hfield": 'hfield="h"'}.get(kind, 'size=".1 .2 .3"')
        surfaces.append(
            f'<geom name="s{k}" type="{kind}" {of_kind} contype="{rng.integers(4)}" conaffinity="{rng.integers(1, 4)}" '
            f'condim="{rng.choice([1, 3, 4, 6])}" priority="{rng.integers(0, 3)}" friction="{numbers(rng.random(3))}" '
            f'solref="{numbers(solref)}" solimp="{numbers(solimp)}" margin="{rng.uniform(0, 0.1):.17g}" {moves} '
            f'pos="{numbers(rng.normal(size=3))}" euler="{numbers(rng.normal(size=3))}"/>'
        )
    bodies = "".join(f'<body name="b{k}"><freejoint/>{x}</body>' for k, x in enumerate(surfaces[:-1]))
    grid = numbers(rng.random(12))
    return f"""<mujoco><option><flag filterparent="{rng.choice(["enable", "disable"])}"/></option>
      <asset><mesh name="m" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
      <hfield name="h" nrow="3" ncol="4" elevation="{grid}" size="2 1 .5 .1"/></asset>
      <worldbody><geom name="plane" type="plane" size="1 1 1" contype="0" conaffinity="0"/>{surfaces[-1]}{bodies}
      </worldbody>
      <contact><pair name="p" geom1="plane" geom2="s1" condim="{rng.choice([1, 3, 4, 6])}" solref="-500 -20"
      friction="{numbers(np.array([1, 1, 0.5, 0.3, 0.3]) * rng.random())}" margin=".03"/><pair geom1="s2" geom2="s3"/>
      <exclude name="e" body1="b1" body2="b2"/><exclude body1="world" body2="b4"/></contact></mujoco>"""


def by_name(model, kind, field):
    """The numbers of named elements, in the order of their names."""
    count = getattr(model, f"n{kind}")
    names = [getattr(model, kind)(k).name for k in range(count)]
    return {name: getattr(model, f"{kind}_{field}")[k] for k, name in enumerate(names) if name}


def stiffness(solref):
    """(k, b) but for the impedance, of both ways to write it."""
    a, b = solref
    return np.array([1 / (a * b) ** 2, 2 / a] if a > 0 else [-a, -b])


@pytest.mark.parametrize("seed", range(4))
def test_mujoco_reads_the_same_surfaces_pairs_and_exclusions(seed, tmp_path):
    text = random_text(seed)
    first, robot = mujoco.MjModel.from_xml_string(text), kt.load(text, check="ignore")
    written, unsaid = mjcf(robot.model)
    second = mujoco.MjModel.from_xml_string(written)
    for field in FIELDS:
        if hasattr(first, f"geom_{field}"):
            old, new = by_name(first, "geom", field), by_name(second, "geom", field)
            for name, x in old.items():
                np.testing.assert_allclose(new[name], x, rtol=1e-15, atol=0, err_msg=f"{field} of {name}")
    for kind in ("geom", "pair"):
        old, new = (by_name(m, kind, "solref") for m in (first, second))
        for name, x in old.items():
            np.testing.assert_allclose(stiffness(new[name]), stiffness(x), rtol=1e-12, atol=1e-5)
    for field in ("dim", "friction", "solimp", "margin"):
        np.testing.assert_array_equal(getattr(second, f"pair_{field}"), getattr(first, f"pair_{field}"))
    ends = lambda m: [[m.geom(g).name for g in (m.pair_geom1[k], m.pair_geom2[k])] for k in range(m.npair)]  # noqa: E731
    assert ends(first) == ends(second) == [["plane", "s1"], ["s2", "s3"]]
    outs = [{(m.body(x >> 16).name, m.body(x & 0xFFFF).name) for x in m.exclude_signature} for m in (first, second)]
    assert outs[0] == outs[1]
    assert first.opt.disableflags == second.opt.disableflags
    np.testing.assert_allclose(second.hfield_data, first.hfield_data, atol=1e-6)
    np.testing.assert_allclose(second.hfield_size, first.hfield_size, atol=1e-6)
    assert not [x for x in unsaid if "limits" not in x]
    again = kt.load(written, check="ignore").model
    assert again.contact_rules == robot.model.contact_rules
    path = tmp_path / "robot.json"
    robot.save(path)
    back = kt.load(path).model
    assert back == robot.model and hash(back) == hash(robot.model)


@pytest.mark.parametrize("solref", ("0.02 0", "0 1", "1e-8 1", "1e-3 1e-12", "-1e30 -100"))
def test_a_solref_that_is_no_spring_is_named_and_rigid(solref):
    """MuJoCo takes its default, rigid here, for a time constant without a damping ratio."""
    text = f"""<mujoco><worldbody><body><freejoint/><geom name="g" size=".1" solref="{solref}"/></body>
      </worldbody></mujoco>"""
    with pytest.warns(kt.errors.HarmlessWarning, match="solref that is no spring of a contact, rigid here: 'g'"):
        robot = kt.load(text)
    assert robot.model.collision_shapes[0].surface.law.is_rigid


@pytest.mark.parametrize("seed", range(3))
def test_surfaces_combine_as_in_mujoco(seed):
    """Friction, its dimensions and margins of a contact of two shapes, by priority or the larger."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        shapes = [
            f'<geom name="{name}" size=".1" condim="{rng.choice([1, 3, 4, 6])}" priority="{rng.integers(0, 2)}" '
            f'friction="{numbers(rng.uniform(0.01, 1, 3))}" margin="{rng.uniform(0, 0.1):.17g}"/>'
            for name in "ab"
        ]
        text = f"""<mujoco><worldbody><body><freejoint/>{shapes[0]}</body>
          <body pos=".15 0 0"><freejoint/>{shapes[1]}</body></worldbody></mujoco>"""
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        contact = data.contact[0]
        surfaces = [shape.surface for shape in kt.load(text, check="ignore").model.collision_shapes]
        law = combined(*surfaces)
        assert law == combined(*surfaces[::-1])
        friction = contact.friction * [
            contact.dim > 1,
            contact.dim > 1,
            contact.dim > 3,
            contact.dim > 4,
            contact.dim > 4,
        ]
        wanted = [law.friction, law.friction, law.torsion, law.rolling, law.rolling]
        np.testing.assert_array_equal(friction, wanted)
        np.testing.assert_allclose(law.margin, contact.includemargin, rtol=1e-15)
        assert law.is_rigid


def test_heights_are_where_rays_of_mujoco_hit_them():
    text = random_text(0)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    shape = next(x for x in kt.load(text, check="ignore").model.collision_shapes if x.kind == "heights")
    x, y = (np.linspace(-side / 2, side / 2, n)[1:-1] for side, n in zip(shape.size, shape.heights.shape, strict=False))
    R, p = shape.placement[:3, :3], shape.placement[:3, 3]
    for i, j in np.ndindex(len(x), len(y)):
        top = R @ [x[i] + 1e-6, y[j] + 2e-6, 1.0] + p
        hit = mujoco.mj_rayHfield(model, data, model.geom("s6").id, top, -R[:, 2], None)
        np.testing.assert_allclose(1.0 - hit, shape.heights[i + 1, j + 1], atol=1e-5)  # heights in single precision


@pytest.mark.parametrize("name", ["humanoid", "panda"])
def test_shapes_that_overlap_at_home_are_those_of_mujoco(name):
    """Its contacts of bodies that do not carry each other; of boxes and cylinders it finds depths within 0.1 mm."""
    robot = kt.load(name, base="free")
    model = mujoco.MjModel.from_xml_string(mjcf(robot.model)[0])
    data = mujoco.MjData(model)
    data.qpos[:] = kt.interop.mujoco.q(robot, model, robot.home())
    mujoco.mj_forward(model, data)
    theirs = {}
    for contact in data.contact:
        pair = frozenset(model.geom(int(g)).name for g in contact.geom)
        theirs[pair] = min(contact.dist, theirs.get(pair, 0.0))
    ours = {frozenset((a.name, b.name)): gap for a, b, gap in overlapping(robot.model)}
    assert ours.keys() == theirs.keys() and len(ours) == {"humanoid": 9, "panda": 1}[name]
    for pair, gap in ours.items():
        assert abs(gap - theirs[pair]) < 1e-4, pair

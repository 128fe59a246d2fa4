"""Bad descriptions of robots: each gets an error of the package's own, naming what is wrong and where."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from kinetrace.errors import InputError, KinetraceError, ModelError, PhysicsWarning
from kinetrace.lie import inertia
from kinetrace.model import Builder, Geometry, Limits, from_urdf, joints, load_model, random_tree

J = inertia.from_mass_com(1.0, np.zeros(3), np.eye(3))
HINGE = joints.Revolute([0, 0, 1])


def build(*connections: tuple[str, str, str], **options):
    """A robot of hinges (joint, parent, child), every link with mass."""
    builder = Builder("r")
    for link in dict.fromkeys(x for _, *ends in connections for x in ends):
        builder.link(link, J)
    for name, parent, child in connections:
        builder.joint(name, HINGE, parent=parent, child=child)
    return builder.build(**options)


# the tree:


def test_cycle_without_a_root():
    with pytest.raises(ModelError, match="cycle through 'a', 'b'"):
        build(("j", "a", "b"), ("k", "b", "a"))


def test_cycle_beside_a_root():
    with pytest.raises(ModelError, match="cycle through 'c', 'd'"):
        build(("i", "a", "b"), ("j", "c", "d"), ("k", "d", "c"))


def test_a_link_on_itself():
    with pytest.raises(ModelError, match="cycle through 'a'"):
        build(("j", "a", "a"))


def test_disconnected():
    with pytest.raises(ModelError, match="not connected: 'a', 'c'"):
        build(("j", "a", "b"), ("k", "c", "d"))


def test_two_parents():
    with pytest.raises(ModelError, match="'c' is the child of two joints, 'j' and 'k'"):
        build(("i", "a", "b"), ("j", "a", "c"), ("k", "b", "c"))


def test_no_links():
    with pytest.raises(ModelError, match="no links"):
        Builder("r").build()


def test_names_declared_twice():
    builder = Builder("r")
    builder.link("a")
    builder.joint("j", HINGE, parent="a", child="b")
    builder.frame("f", "a")
    with pytest.raises(ModelError, match="link 'a' is declared twice"):
        builder.link("a")
    with pytest.raises(ModelError, match="joint 'j' is declared twice"):
        builder.joint("j", HINGE, parent="b", child="c")
    with pytest.raises(ModelError, match="frame 'f' is declared twice"):
        builder.frame("f", "b")


def test_frames_and_shapes_on_unknown_links():
    builder = Builder("r")
    builder.link("a", J)
    builder.frame("f", "b")
    with pytest.raises(ModelError, match=r"frame 'f' is on unknown link 'b'\. Valid: a"):
        builder.build()
    builder = Builder("r")
    builder.link("a", J)
    builder.geometry(Geometry("box", (1.0, 1.0, 1.0), "b", np.eye(4)))
    with pytest.raises(ModelError, match=r"box is on unknown link 'b'\. Valid: a"):
        builder.build()


def test_a_frame_with_the_name_of_a_link():
    builder = Builder("r")
    builder.link("a", J)
    builder.frame("a", "a")
    with pytest.raises(ModelError, match="frame 'a' has the name of a link"):
        builder.build()


def test_a_joint_with_the_name_of_the_root_joint():
    connection = ("floating_base", "a", "b")
    assert build(connection).nv == 1
    with pytest.raises(ModelError, match="'floating_base'"):
        build(connection, base="free")


def test_a_fixed_joint_may_have_the_name_of_the_root_joint():
    builder = Builder("r")
    builder.link("b", J)
    builder.joint("floating_base", joints.Fixed(), parent="a", child="b")
    assert builder.build("free").joint_names == ("floating_base",)


# arguments:


def test_build_options():
    with pytest.raises(InputError, match="'fixed' or 'free', got 'floating'"):
        build(("j", "a", "b"), base="floating")
    with pytest.raises(InputError, match="'warn', 'error' or 'ignore', got 'eror'"):
        build(("j", "a", "b"), check="eror")


@pytest.mark.parametrize("gravity", ["down", [0, 0], [0, 0, np.inf], [[0], [0, 0]]])
def test_gravity(gravity):
    with pytest.raises(ModelError, match="gravity"):
        build(("j", "a", "b"), gravity=gravity)


TRANSPOSED = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 2, 3, 1.0]])


@pytest.mark.parametrize(
    "bad", [TRANSPOSED, np.eye(3), 2 * np.eye(4), np.diag([1, 1, -1, 1]), np.full((4, 4), np.nan), "here", 1j]
)
def test_placements(bad):
    with pytest.raises(ModelError, match="joint 'j': placement"):
        Builder("r").joint("j", HINGE, parent="a", child="b", placement=bad)
    with pytest.raises(ModelError, match="joint 'j': child_placement"):
        Builder("r").joint("j", HINGE, parent="a", child="b", child_placement=bad)
    with pytest.raises(ModelError, match="frame 'f': placement"):
        Builder("r").frame("f", "a", bad)


@pytest.mark.parametrize("bad", [np.eye(3), 1.0, "heavy", [[1], [1, 2]]])
def test_inertias_of_the_wrong_form(bad):
    with pytest.raises(ModelError, match="link 'a': inertia must"):
        Builder("r").link("a", bad)


def test_a_class_instead_of_a_joint():
    with pytest.raises(InputError, match="joint 'j'"):
        Builder("r").joint("j", joints.Revolute, parent="a", child="b")


def test_limits_of_the_wrong_shape():
    limits = replace(Limits.none(HINGE), upper=np.zeros(2))
    with pytest.raises(ModelError, match=r"joint 'j': limits.upper must have shape \(1,\)"):
        Builder("r").joint("j", HINGE, parent="a", child="b", limits=limits)


def test_the_callers_arrays_stay_theirs():
    mine = J.copy()
    builder = Builder("r")
    builder.link("b", mine)
    builder.joint("j", HINGE, parent="a", child="b")
    model = builder.build()
    mine[0, 0] = 7.0
    assert model.bodies[0].J[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        model.bodies[0].J[0, 0] = 7.0


def test_models_pickle():
    model = build(("j", "a", "b"))
    again = pickle.loads(pickle.dumps(model))
    assert again.joint_names == model.joint_names and list(again.frames) == list(model.frames)


# physics:


def weighed(J_link, **options):
    builder = Builder("r")
    builder.link("bob", J_link)
    builder.joint("j", HINGE, parent="base", child="bob")
    return builder.build(**options)


@pytest.mark.parametrize(
    ("J_link", "message"),
    [
        (inertia.from_mass_com(-1.0, np.zeros(3), np.eye(3)), "link 'bob': mass -1 is negative"),
        (inertia.from_mass_com(1.0, np.zeros(3), np.diag([1.0, 1, 5])), "link 'bob': .*triangle inequality"),
        (inertia.from_mass_com(1.0, np.zeros(3), -np.eye(3)), "link 'bob': .*negative principal moment"),
        (inertia.from_mass_com(0.0, np.zeros(3), np.eye(3)), "link 'bob': massless"),
        (J + 0.1 * np.eye(6, k=-1), "link 'bob': not of the form"),
        (None, "joint 'j' moves no mass: link 'bob'"),
    ],
)
def test_impossible_inertia_warns_or_raises_as_asked(J_link, message):
    with pytest.warns(PhysicsWarning, match=message):
        weighed(J_link)
    with pytest.raises(ModelError, match=message):
        weighed(J_link, check="error")
    assert weighed(J_link, check="ignore").nv == 1


def test_inertia_that_is_not_finite_is_always_an_error():
    with pytest.raises(ModelError, match=r"link 'bob'.*not finite"):
        weighed(np.diag([1, 1, 1, 1, 1, np.nan]), check="ignore")


def test_massless_subtree_is_reported_once_at_its_root():
    builder = Builder("r")
    builder.link("a", J)
    for i, (parent, child) in enumerate((("base", "a"), ("a", "b"), ("b", "c"))):
        builder.joint(f"j{i}", HINGE, parent=parent, child=child)
    with pytest.warns(PhysicsWarning, match="'j1' moves no mass") as caught:
        builder.build()
    assert len(caught) == 1


def test_massless_links_with_mass_beyond_are_fine():
    builder = Builder("r")
    builder.link("b", J)
    builder.joint("j", HINGE, parent="base", child="a")
    builder.joint("k", joints.Fixed(), parent="a", child="b")
    assert builder.build(check="error").nv == 1


@pytest.mark.parametrize("heavy", ["a", "b"])
def test_a_mimic_pair_needs_mass_on_one_side_only(heavy):
    builder = Builder("r")
    builder.link(heavy, J)
    builder.joint("j", HINGE, parent="base", child="a")
    builder.joint("k", HINGE, parent="base", child="b", mimic=("j", 2.0, 0.0))
    assert builder.build(check="error").nv == 1


# mimics:


def coupled(**mimics):
    builder = Builder("r")
    for name, mimic in mimics.items():
        builder.link(f"{name}_link", J)
        builder.joint(name, HINGE, parent="base", child=f"{name}_link", mimic=mimic)
    return builder


def test_mimic_of_an_unknown_joint():
    with pytest.raises(ModelError, match="joint 'j' mimics 'x', which is not a moving joint"):
        coupled(j=("x", 1.0, 0.0)).build()


@pytest.mark.parametrize("pair", [{"j": "j"}, {"j": "k", "k": "j"}, {"i": "j", "j": "k", "k": "j"}])
def test_mimic_cycle(pair):
    with pytest.raises(ModelError, match="mimics itself"):
        coupled(**{name: (source, 1.0, 0.0) for name, source in pair.items()}).build()


def test_mimic_of_a_mimic_is_resolved():
    model = coupled(i=("j", 2.0, 0.1), j=("k", 3.0, 0.2), k=None).build()
    i, j, k = model.split_q(np.array([1.0]))
    np.testing.assert_allclose([i[0], j[0], k[0]], [2 * 3.2 + 0.1, 3.2, 1.0])


def test_mimic_of_a_joint_with_other_variables():
    builder = coupled(j=("ball", 1.0, 0.0))
    builder.link("b", J)
    builder.joint("ball", joints.Spherical(), parent="base", child="b")
    with pytest.raises(ModelError, match="'j' cannot mimic 'ball'"):
        builder.build()


def test_mimic_of_a_fixed_joint():
    builder = coupled(j=("weld", 1.0, 0.0))
    builder.joint("weld", joints.Fixed(), parent="base", child="b")
    with pytest.raises(ModelError, match="'j' mimics 'weld', which is not a moving joint"):
        builder.build()


# files:

MASS, MOMENTS = '<mass value="1"/>', '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
ENDS = '<parent link="a"/>\n<child link="b"/>'


def urdf(inertial=MASS + MOMENTS, kind='type="revolute"', inside=ENDS, extra="") -> str:
    return f"""<robot name="r">
<link name="a"/>
<link name="b"><inertial>
{inertial}
</inertial></link>
<joint name="j" {kind}>
{inside}
</joint>
{extra}
</robot>"""


def test_the_file_that_the_next_test_spoils_is_good():
    assert from_urdf(urdf()).build(check="error").nv == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            urdf(kind='type="hinge"'),
            r'line 6: <joint name="j">: unknown type \'hinge\'. Valid: continuous, fixed, .*',
        ),
        (urdf(kind=""), r'line 6: <joint name="j">: needs the attribute \'type\''),
        (urdf(inside='<parent link="a"/>'), r'line 6: <joint name="j">: needs a <child> inside'),
        (urdf(inside='<child link="b"/>'), r'line 6: <joint name="j">: needs a <parent> inside'),
        (
            urdf(inside='<parent link="b"/>\n' + ENDS),
            r'line 6: <joint name="j">: more than one <parent> \(lines 7, 8\), and they differ; keep the right one',
        ),
        (
            urdf(inside='<parent link="aa"/><child link="b"/>'),
            "line 7: <parent>: unknown link 'aa'; did you mean 'a'",
        ),
        (
            urdf(inside='<parent/><child link="b"/>'),
            "line 7: <parent>: needs the attribute 'link'.*joint 'j'",
        ),
        (urdf(inside=ENDS + '<axis xyz="0 0 0"/>'), r"line 8: <axis>: .*non-zero.*joint 'j'"),
        (urdf(inside=ENDS + '<axis xyz="0 1"/>'), r"line 8: <axis>: .*3 numbers, got 2: '0 1'.*joint 'j'"),
        (urdf(inside=ENDS + '<axis xyz=""/>'), r"line 8: <axis>: attribute 'xyz' is empty; .*3 numbers, or left out"),
        (
            urdf(inside=ENDS + '<origin xyz="0 0 up"/>'),
            r"line 8: <origin>: .*3 numbers, got '0 0 up'.*joint 'j'",
        ),
        (urdf(inside=ENDS + '<origin rpy="0 0 nan"/>'), r"line 8: <origin>: .*finite"),
        (urdf(inside=ENDS + '<origin xyz="1_0 0 0"/>'), r"line 8: <origin>: .*3 numbers"),
        (urdf(inside=ENDS + '<origin xyz="0,0,0"/>'), r"line 8: <origin>: .*3 numbers"),
        (urdf(inside=ENDS + '<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>'), r"line 8: <origin>: .*not both"),
        (urdf(inside=ENDS + '<origin quat_xyzw="0 0 0 0"/>'), r"line 8: <origin>: .*non-zero"),
        (
            urdf(inside=ENDS + '<mimic joint="k"/>'),
            r"line 8: <mimic>: unknown joint 'k'. Valid: j \(in joint 'j'\)",
        ),
        (urdf(inside=ENDS + "<mimic/>"), r"line 8: <mimic>: needs the attribute 'joint'"),
        (urdf(inertial=MOMENTS), r"line 3: <inertial>: needs a <mass> inside \(in link 'b'\)"),
        (urdf(inertial="<mass/>" + MOMENTS), r"line 4: <mass>: needs the attribute 'value' \(in link 'b'\)"),
        (urdf(inertial='<mass value="1kg"/>' + MOMENTS), r"line 4: <mass>: .*a number, got '1kg'"),
        (urdf(inertial='<mass value="inf"/>' + MOMENTS), r"line 4: <mass>: .*finite"),
        (urdf(inertial=MASS + '<inertia ixx="1"/>'), r"line 4: <inertia>: needs the attribute 'iyy'"),
        (
            urdf(extra='<link name="a"/>'),
            r'line 10: <link name="a">: .*already taken by the <link> at line 2',
        ),
        (
            urdf(extra='<joint name="j"/>'),
            r'line 10: <joint name="j">: .*already taken by the <joint> at line 6',
        ),
        (urdf(extra="<link/>"), r"line 10: <link>: needs the attribute 'name'"),
        (urdf(extra='<link name=" "/>'), r"line 10: <link name=\" \">: needs the attribute 'name'"),
        (urdf(extra='<xacro:macro name="m"/>'), r"line 10: <xacro:macro name=\"m\">: .*xacro"),
        ("<sdf><model/></sdf>", r"line 1: <sdf>: this is SDF"),
        (urdf()[:-8], "line 11: malformed XML: no element found"),
        (urdf().replace("</joint>", "</join>"), "line 9: malformed XML: mismatched tag"),
        (urdf().replace('link="b"', "link=b"), "line 8: malformed XML: not well-formed"),
        ("<robot name='r'>&nope;</robot>", "line 1: malformed XML: undefined entity"),
        ("<", "line 1: malformed XML"),
    ],
)
def test_malformed_urdf_names_element_and_line(text, message):
    with pytest.raises(ModelError, match=message):
        from_urdf(text).build()


def test_errors_name_the_file(tmp_path):
    for name, data in (
        ("a.urdf", b"<robot>\n<link\n</robot>"),
        ("empty.urdf", b""),
        ("noise.urdf", b"\x00\xff\xfe"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ModelError, match=rf"{name}, line \d+: malformed XML"):
            load_model(tmp_path / name)
    (tmp_path / "b.urdf").write_bytes(b'<?xml version="1.0" encoding="klingon"?><robot/>')
    with pytest.raises(ModelError, match=r"b\.urdf, line 1: malformed XML: unknown encoding"):
        load_model(tmp_path / "b.urdf")


BOMB = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>\n<robot name="&b;"><link name="a"/></robot>'
READS_FILES = '<!DOCTYPE r [\n<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<robot name="r"><link name="a"/>&a;</robot>'
DTD = '<!DOCTYPE robot SYSTEM "http://example.org/robot.dtd">\n<robot name="r"><link name="a"/></robot>'


@pytest.mark.parametrize("text", [BOMB, READS_FILES, DTD], ids=["bomb", "file", "dtd"])
def test_entities_and_document_types_are_refused(text):
    with pytest.raises(ModelError, match=r"line 1: .*declarations are not accepted"):
        load_model(text)


def test_deep_nesting_does_not_recurse():
    n = 50_000
    with pytest.raises(ModelError, match="not a URDF"):
        load_model("<a>" * n + "</a>" * n)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (urdf(inertial='<mass value="-1"/>' + MOMENTS), "link 'b': mass -1 is negative"),
        (urdf(inertial=MASS + MOMENTS.replace('izz="1"', 'izz="3"')), "link 'b': .*triangle inequality"),
        (urdf(inertial='<mass value="0"/>' + MOMENTS.replace('"1"', '"0"')), "joint 'j' moves no mass"),
    ],
)
def test_impossible_inertia_in_a_file(text, message):
    with pytest.warns(PhysicsWarning, match=message):
        load_model(text)
    with pytest.raises(ModelError, match=message):
        load_model(text, check="error")
    load_model(text, check="ignore")


def test_every_error_is_of_the_packages_root():
    assert issubclass(ModelError, KinetraceError) and issubclass(InputError, KinetraceError)


def test_a_nearly_rigid_placement_is_made_rigid():
    X = np.eye(4)
    X[0, 1] = 4e-7
    builder = Builder("r")
    builder.link("b", J)
    builder.joint("j", HINGE, parent="a", child="b", placement=X)
    R = builder.build().bodies[0].X_pj[:3, :3]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)


@pytest.mark.parametrize("axis", [["a", "b", "c"], [[1], [0, 1]], None, [np.nan, 0, 0], [0, 0, 0]])
def test_axes_that_are_none(axis):
    with pytest.raises(ModelError, match="axis of a Revolute joint must be"):
        joints.Revolute(axis)


@pytest.mark.parametrize("scale", [1e-200, 1e-10, 1e200])
def test_only_the_direction_of_an_axis_matters(scale):
    np.testing.assert_allclose(joints.Revolute([0, scale, 0]).axis, [0, 1, 0])


@pytest.mark.parametrize("again", [lambda model: model, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_model_cannot_be_changed(again):
    model = again(random_tree(9).build())
    body = model.bodies[0]
    axes = [b.joint.axis for b in model.bodies if hasattr(b.joint, "axis")]
    arrays = [body.X_pj, body.X_ji, body.J, body.limits.lower, model.gravity, model.frames["tip"].X_bf, *axes]
    for array in arrays:
        assert not array.flags.writeable
    with pytest.raises(TypeError):
        model.frames["new"] = None
    with pytest.raises(AttributeError):
        model.name = "other"

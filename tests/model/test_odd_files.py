"""Files that break the format's rules: what cannot change the motion is a warning, what can is an error."""

import encodings
import itertools
import pickle
import pkgutil
import warnings

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.errors import HarmlessWarning, InputError, KinetraceError, ModelError, ModelWarning
from kinetrace.model import Builder, Limits, Model, from_urdf, joints, load_model

MASS, MOMENTS = '<mass value="1"/>', '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
ENDS = '<parent link="a"/><child link="b"/>'
SHAPE = """<visual name="v"><origin xyz="1 0 0" rpy="0 0 1"/>
<geometry><box size="1 2 3"/><cylinder radius="1" length="2"/><sphere radius="1"/></geometry>
<material name="red"><color rgba="1 0 0 1"/><texture filename="t.png"/></material></visual>
<collision><origin quat_xyzw="0 0 0 1"/><geometry><mesh filename="a.stl" scale="1 1 1"/></geometry></collision>"""


def urdf(inertial=MASS + MOMENTS, shape="", kind="revolute", inside="", extra="") -> str:
    return f"""<robot name="r">
<link name="a"/>
<link name="b"><inertial>
{inertial}
</inertial>{shape}</link>
<joint name="j" type="{kind}">
{ENDS}{inside}
</joint>
{extra}
</robot>"""


def same_motion(a: Model, b: Model) -> bool:
    (a,), (b,) = a.bodies, b.bodies
    pairs = ((a.J, b.J), (a.X_pj, b.X_pj), (a.joint.axis, b.joint.axis), (a.limits.upper, b.limits.upper))
    return all(np.array_equal(x, y) for x, y in pairs)


def strange_shapes():
    """Every attribute of a shape with a strange value or none, every element twice or missing."""
    words = SHAPE.replace("/>", " />").split('"')
    for i in range(1, len(words), 2):
        name = words[i - 1].split()[-1].removesuffix("=")
        for value in ("", "x", "1", "1 2", "1 2 3 4", "1e400 nan 1", "${x}"):
            yield '"'.join([*words[:i], value, *words[i + 1 :]])
        yield '"'.join([*words[: i - 1], words[i - 1].replace(f"{name}=", f"no_{name}="), *words[i:]])
    for element in ('<origin xyz="1 0 0" rpy="0 0 1"/>', "<geometry/>", '<material name="red"><color/></material>'):
        yield SHAPE.replace("</visual>", element + "</visual>").replace("</collision>", element + "</collision>")
    yield SHAPE.replace('<box size="1 2 3"/>', "<xacro:box/>")
    yield SHAPE.replace("<geometry>", "<geometri>").replace("</geometry>", "</geometri>")


def test_no_shape_refuses_a_robot():
    clean = load_model(urdf())
    for shape, check in zip(strange_shapes(), itertools.cycle(["error", "ignore"]), strict=False):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert same_motion(load_model(urdf(shape=shape), check=check), clean)
        assert {warning.category for warning in caught} <= ({HarmlessWarning} if check == "error" else set())


@pytest.mark.parametrize(
    ("old", "new", "message", "seen"),
    [
        ("</visual>", '<material name="x"/></visual>', "more than one <material>, the first", (4, (1, 0, 0, 1))),
        ('scale="1 1 1"', 'scale="2"', "'scale' of one number, taken along x, y and z", (4, (2, 2, 2))),
        ('scale="1 1 1"', 'scale="1 2 3 4"', "'scale' of more than three numbers", (4, (1, 2, 3))),
        ('rgba="1 0 0 1"', 'rgba="0 1 0"', "taken for opaque: line 7: <color>$", (4, (0, 1, 0, 1))),
        (' size="1 2 3"', "", r"a shape .* left out: line 6: <box>: needs the attribute 'size'", (3, (1, 2))),
        (' filename="a.stl"', "", "a shape .* left out: line 8: <mesh>: needs the attribute 'filename'", (3, None)),
        ('rpy="0 0 1"', 'rpy="0 0"', r"left out: line 5: <origin>: [^;]*$", (1, None)),
    ],
)
def test_paint_is_read_as_far_as_it_goes(old, new, message, seen):
    with pytest.warns(ModelWarning, match=message) as caught:
        shapes = load_model(urdf(shape=SHAPE.replace(old, new))).geometry
    assert len(caught) == 1
    count, value = seen
    assert len(shapes) == count and (value is None or value in [x for s in shapes for x in (s.size, s.color)])


@pytest.mark.parametrize(
    ("text", "message", "bounds"),
    [
        (
            urdf(inside='<limit lower="2" upper="1" velocity="3"/>'),
            r"'lower' is above 'upper', both are dropped: line 6: <joint name=\"j\">: lower 2, upper 1$",
            (-np.inf, np.inf, 3, np.inf),
        ),
        (
            urdf(inside='<limit lower="-1.5." upper="1" effort="nan"/>'),
            r"a limit that cannot be read is dropped: .*<joint name=\"j\">.*'effort'.*<joint name=\"j\">.*'lower'",
            (-np.inf, 1, np.inf, np.inf),
        ),
        (
            urdf(inside='<limit lower="0" upper="1"/><limit lower="0" upper="2"/>'),
            'more than one <limit>, the first is taken: line 6: <joint name="j">',
            (0, 1, np.inf, np.inf),
        ),
        (
            urdf(inside='<axis xyz="0 0 1"/><axis xyz="0 0.0 1e0"/>'),
            "more than one <axis>, the first is taken",
            (-np.inf, np.inf, np.inf, np.inf),
        ),
        (
            urdf(extra='<xacro:camera parent="b"><origin xyz="${x} 0 0"/></xacro:camera>'),
            "a macro that is not expanded is ignored: .*line 9: <xacro:camera>",
            (-np.inf, np.inf, np.inf, np.inf),
        ),
    ],
)
def test_what_has_one_sensible_reading_is_a_warning_or_an_error_as_asked(text, message, bounds):
    with pytest.warns(ModelWarning, match=message) as caught:
        model = load_model(text)
    assert len(caught) == 1
    limits = model.limits
    assert (limits.lower[0], limits.upper[0], limits.velocity[0], limits.effort[0]) == bounds
    with pytest.raises(ModelError, match=message.removesuffix("$")):
        load_model(text, check="error")
    load_model(text, check="ignore")


def test_defaults_of_the_format():
    clean = load_model(urdf(inside='<axis xyz="1 0 0"/>'))
    bare = load_model(urdf(inertial=MASS + '<inertia ixx="1" iyy="1" izz="1"/>', inside="<axis/>"))
    assert same_motion(clean, bare) and bare.bodies[0].joint.axis.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (urdf(inside='<origin xyz="0 0 1"/><origin/>'), "line 6: .* more than one <origin> .*keep the right one"),
        (urdf(inertial=MOMENTS), r"line 3: <inertial>: needs a <mass> inside \(in link 'b'\); a massless link has no"),
        (urdf(extra="<!-- a -- b -->"), "line 9: malformed XML: .*'--' within the comment; write '- -'"),
        (urdf(inside='<origin rpy=""/>'), "line 7: <origin>: attribute 'rpy' is empty; .*3 numbers, or left out"),
        (urdf(inside='<origin xyz="${x} 0 0"/>'), "line 7: <origin>: .*3 numbers, got .*; load the xacro file"),
        (urdf(inside='<origin xyz="1, 0, 0"/>'), "line 7: <origin>: .*3 numbers, got .*; separate them by blanks"),
        (urdf(inside='<origin xyz="1,5 0 0"/>'), "line 7: <origin>: .*3 numbers, got .*; decimals take a point"),
        (urdf(extra='<xacro:if value="1"><link name="c"/></xacro:if>'), "line 9: <xacro:if>: .*load the xacro file"),
        (urdf(extra='<xacro:include filename="x"/>', kind="fixed"), "line 9: <xacro:include>: .*load the xacro file"),
        (urdf(extra='<link name="${prefix}c"/>'), "line 9: .*load the xacro file"),
        (urdf(inertial="<xacro:heavy/>" + MASS + MOMENTS), "line 4: <xacro:heavy>: .*load the xacro file"),
        (urdf(extra='<link name="c"/><link name="d"/>'), "r.urdf: .*not connected: 'a', 'c', 'd' all have no parent"),
        ("<robot/>", "r.urdf: the robot has no links"),
        (
            urdf(kind="continuous", inside='<mimic joint="k"/>').replace(
                "</robot>", '<link name="c"/><joint name="k" type="continuous">'
                '<parent link="b"/><child link="c"/><mimic joint="j"/></joint></robot>'
            ),
            "r.urdf: joint 'j' mimics itself: 'j' mimics 'k', which mimics 'j'",
        ),
    ],
)  # fmt: skip
def test_what_may_change_the_motion_is_refused_with_file_and_remedy(text, message, tmp_path):
    (tmp_path / "r.urdf").write_text(text)
    with pytest.raises(ModelError, match=message) as caught:
        load_model(tmp_path / "r.urdf", check="ignore")
    assert str(tmp_path / "r.urdf") in str(caught.value)


ODD = """
<?xml version="1.0"?>
<robot name="odd">
<link name="a"/>
<link name="b"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="1" ixy="0.1" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<visual><geometry><box/></geometry><material name="x"/><material name="y"/></visual></link>
<link name="c"><inertial><mass value="3"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2"/></inertial>
<inertial><mass value="3.0"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2"/></inertial>
<visual><geometry><mesh filename="m.stl" scale="1 1 1 1"/></geometry>
<material name="x"><color rgba="1 0 0"/></material></visual></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>
<axis xyz="0 1 1"/><axis xyz="0 1 1"/><limit lower="1" upper="-1" effort="1" velocity="1"/></joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><origin rpy="0 1 0"/><origin rpy="0 1 0"/>
<axis xyz="0 0 1"/><limit lower="0" upper="1" effort="1" velocity="1"/><limit effort="1" velocity="1"/></joint>
<xacro:camera parent="c" name="eye"/>
</robot>"""


def test_odd_files_move_as_pinocchio_says(tmp_path):
    pin = pytest.importorskip("pinocchio")
    (tmp_path / "odd.urdf").write_text(ODD)
    theirs = pin.buildModelFromUrdf(str(tmp_path / "odd.urdf"))
    with pytest.warns(ModelWarning):
        ours = load_model(tmp_path / "odd.urdf")
    q, v, a = np.array([[0.3, 0.4], [0.5, -0.6], [0.7, 0.8]])
    tau = kt.algorithms.inverse_dynamics(ours, q, v, a)
    np.testing.assert_allclose(tau, pin.rnea(theirs, theirs.createData(), q, v, a), rtol=1e-12)


def test_many_oddities_of_a_kind_are_one_warning():
    shapes = "<visual><geometry><sphere/></geometry></visual>\n" * 100
    with pytest.warns(ModelWarning, match=r"line 5: <sphere>: .*; line 6: .*; and 96 more$") as caught:
        load_model(urdf(shape=shapes))
    assert len(caught) == 1 and len(str(caught[0].message)) < 600


def test_a_place_is_named_once_and_an_error_and_a_warning_name_the_file_once(tmp_path):
    """A colour is read for its material and for its shape, an origin for every shape."""
    path = tmp_path / "r.urdf"
    path.write_text(urdf(shape=SHAPE.replace('rgba="1 0 0 1"', 'rgba="x"'), inside='<limit lower="2" upper="1"/>'))
    with pytest.warns(ModelWarning) as caught:
        load_model(path)
    texts = sorted(str(warning.message) for warning in caught)
    assert [text.count("line ") for text in texts] == [1, 1, 1] and all(text.startswith(f"{path}: ") for text in texts)
    with warnings.catch_warnings(), pytest.raises(ModelError) as error:
        warnings.simplefilter("ignore")
        load_model(path, check="error")
    assert str(error.value).count(str(path)) == 1
    copy = pickle.loads(pickle.dumps(error.value))
    assert (str(copy), copy.file, copy.problem) == (str(error.value), str(path), error.value.problem)


def test_an_error_is_known_by_its_place_not_by_its_words():
    """The joint is named once, by its element or in brackets, whatever names it has."""
    for name in ("j", "&lt;joint name=&quot;j&quot;&gt;", "a&#10;b"):
        text = urdf(inside='<origin xyz="1"/>').replace('name="j"', f'name="{name}"')
        with pytest.raises(ModelError, match=r"line 7: <origin>: .*\(in joint .*\)$"):
            load_model(text)
        with pytest.raises(ModelError, match=r'line 6: <joint name=".*">: unknown type \'x\'[^()]*$'):
            load_model(urdf(kind="x").replace('name="j"', f'name="{name}"'))


@pytest.mark.parametrize("check", ["warn", "error"])
def test_what_no_body_has_names_the_file_too(tmp_path, check):
    path = tmp_path / "r.urdf"
    path.write_text(urdf(inertial='<mass value="-1"/>' + MOMENTS))
    expected = pytest.warns(kt.PhysicsWarning) if check == "warn" else pytest.raises(ModelError)
    with expected as caught:
        load_model(path, check=check)
    (text,) = [str(x.message) for x in caught] if check == "warn" else [str(caught.value)]
    assert text.startswith(f"{path}: link 'b': ") and text.count("r.urdf") == 1


def heavy(robot):
    return robot.parameters("inertial") * np.array([[-1.0], [1.0]])


@pytest.mark.parametrize(
    "call",
    [
        lambda path: kt.load(path),
        lambda path: load_model(path),
        lambda path: from_urdf(path).build(),
        lambda path: kt.from_dh([(0, 0, 0.4, 0)]),
        lambda path: kt.load("planar2r").with_parameters(inertial=heavy(kt.load("planar2r"))),
    ],
)
def test_a_warning_points_at_the_line_that_called_the_library(tmp_path, call):
    path = tmp_path / "r.urdf"
    path.write_text(urdf(inertial='<mass value="-1"/>' + MOMENTS, inside='<limit lower="2" upper="1"/>'))
    with pytest.warns((ModelWarning, kt.PhysicsWarning)) as caught:
        call(path)
    assert {(warning.filename, warning.lineno) for warning in caught} == {(__file__, call.__code__.co_firstlineno)}


def test_the_command_prints_oddities_as_lines(tmp_path, capsys):
    from kinetrace.cli import main

    (tmp_path / "r.urdf").write_text(urdf(inside='<limit lower="2" upper="1"/>'))
    assert main(["info", str(tmp_path / "r.urdf")]) == 0
    assert "kinetrace: warning: " in (err := capsys.readouterr().err) and "'lower' is above 'upper'" in err


MARKED = [(head, code) for head in ("\ufeff", "\ufeff\n\n") for code in ("utf-8", "utf-16-le", "utf-16-be", "utf-32")]


@pytest.mark.parametrize(("head", "encoding"), [("", "utf-8"), ("\n \n", "utf-8"), *MARKED])
def test_blanks_and_marks_at_the_beginning(head, encoding, tmp_path):
    """The same from a path and from a string, down to the line of an error."""
    for text in (urdf(), urdf(inertial=MOMENTS)):
        text = f'{head}<?xml version="1.0" encoding="{encoding[:6]}"?>\n{text}'
        (tmp_path / "r.urdf").write_bytes(text.encode(encoding))
        outcomes = []
        for source in (text, tmp_path / "r.urdf"):
            try:
                outcomes.append(load_model(source).nv)
            except ModelError as error:
                outcomes.append(str(error).split(", ", 1)[1])
        assert outcomes[0] == outcomes[1]
        assert outcomes[0] == 1 or outcomes[0].startswith(f"line {4 + head.count(chr(10))}: <inertial>")


def test_every_text_encoding_of_python_is_read_or_refused(tmp_path):
    for name in sorted(module.name for module in pkgutil.iter_modules(encodings.__path__)):
        head = f'<?xml version="1.0" encoding="{name}"?>'
        (tmp_path / "r.urdf").write_text(head + urdf())
        try:
            assert load_model(tmp_path / "r.urdf").nv == 1
        except ModelError as error:
            assert "r.urdf, line 1: malformed XML" in str(error)


def test_bytes_that_are_not_what_they_say(tmp_path):
    (tmp_path / "r.urdf").write_bytes(urdf(extra="<!-- 90\xb0 -->").encode("latin-1"))
    with pytest.warns(ModelWarning, match=r"r\.urdf: bytes that are not UTF-8, read as Latin-1: line 9"):
        assert load_model(tmp_path / "r.urdf").nv == 1
    (tmp_path / "r.urdf").write_bytes(b'<?xml version="1.0" encoding="utf-16"?>' + urdf().encode())
    assert load_model(tmp_path / "r.urdf").nv == 1
    text = '<?xml version="1.0" encoding="shift_jis"?>' + urdf(extra='<material name="白"/>')
    (tmp_path / "r.urdf").write_bytes(text.encode("shift_jis"))
    assert load_model(tmp_path / "r.urdf").nv == 1


# numbers beyond reason:

HUGE = ["1e31", "-1e155", "1e308", "9" * 400]


@pytest.mark.parametrize("huge", HUGE)
@pytest.mark.parametrize(
    "text",
    [
        urdf(inertial='<mass value="N"/>' + MOMENTS),
        urdf(inertial=MASS + MOMENTS.replace('ixy="0"', 'ixy="N"')),
        urdf(inertial='<origin xyz="N 0 0"/>' + MASS + MOMENTS),
        urdf(inside='<origin xyz="0 N 0"/>'),
        urdf(inside='<origin rpy="0 0 N"/>', kind="fixed"),
        urdf(inside='<origin xyz="N N N"/>', kind="fixed"),
        urdf(inside='<mimic joint="j" multiplier="N"/>'),
    ],
)
def test_numbers_beyond_reason_are_refused(text, huge):
    with pytest.raises(ModelError, match=r"line \d+: <\w+>: .*must be finite, at most 1e\+30"):
        load_model(text.replace("N", huge), check="ignore")


def test_the_largest_numbers_make_finite_forces():
    most = "1e30"
    inertial = f'<origin xyz="{most} {most} 0"/><mass value="{most}"/>' + MOMENTS.replace('"1"', f'"{most}"')
    text = urdf(inertial=inertial, inside=f'<origin xyz="{most} 0 {most}"/>')
    coupled = "".join(
        f'<link name="c{i}"><inertial>{inertial}</inertial></link><joint name="k{i}" type="{kind}">'
        f'<parent link="b"/><child link="c{i}"/><origin xyz="{most} 0 0"/>{mimic}</joint>'
        for i, (kind, mimic) in enumerate([("fixed", ""), ("revolute", f'<mimic joint="j" multiplier="{most}"/>')])
    )
    model = load_model(text.replace("</robot>", coupled + "</robot>"), check="ignore")
    v = np.ones(model.nv)
    assert np.all(np.isfinite(kt.algorithms.inverse_dynamics(model, v, v, v)))


@pytest.mark.parametrize("size", ["1e-300", "1e-20", "1", "1e154", "1.7e308"])
def test_only_the_direction_of_a_quaternion_or_an_axis_matters(size):
    inside = f'<origin quat_xyzw="0 0 {size} {size}"/><axis xyz="0 {size} {size}"/>'
    body = load_model(urdf(inside=inside)).bodies[0]
    np.testing.assert_allclose(body.X_pj[:3, :3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    np.testing.assert_allclose(body.joint.axis, np.sqrt([0, 0.5, 0.5]))
    robot = kt.load(urdf(), base="free", check="ignore")  # its root has no mass
    q = np.array([0, 0, 0, 0, 0, *[float(size)] * 2, 0.3])
    np.testing.assert_allclose(robot.normalise(q), [0, 0, 0, 0, 0, *np.sqrt([0.5, 0.5]), 0.3])


@pytest.mark.parametrize("most", ["1e31", "3.4028234663852886e+38", "1e308", "1e400", "inf"])
def test_limits_beyond_reason_are_none(most):
    model = load_model(urdf(inside=f'<limit lower="-{most}" upper="{most}" effort="{most}"/>'))
    assert model.limits.upper[0] == model.limits.effort[0] == np.inf == -model.limits.lower[0]
    assert np.all(np.abs(model.random(np.random.default_rng(0), (9,))) <= np.pi)
    assert Limits([-float(most)], [float(most)], [1], [1]).lower[0] == -np.inf


def test_limits_that_are_zeros_of_two_signs():
    model = load_model(urdf(inside='<limit lower="0" upper="-0"/>'))
    assert model.random(np.random.default_rng(0)).tolist() == [0.0]  # NumPy's generator refuses 0.0 to -0.0


def test_chained_ratios_stay_finite():
    builder = Builder("r")
    for i in range(12):
        builder.link(f"b{i}", np.eye(6))
        mimic = (f"j{i - 1}", 1e29, 0.0) if i else None
        builder.joint(f"j{i}", joints.Revolute([0, 0, 1]), parent="a", child=f"b{i}", mimic=mimic)
    with pytest.raises(ModelError, match=r"joint 'j2', which mimics 'j0' through 2 joints: ratio must be finite"):
        builder.build()


@pytest.mark.parametrize("huge", [10**400, -(10**400), 1e200, float("inf")])
@pytest.mark.parametrize(
    "make",
    [
        lambda x: load_model("planar2r", gravity=[0, 0, x]),
        lambda x: kt.from_dh([(x, 0, 0, 0)]),
        lambda x: kt.from_screws([[0, 0, 1, x, 0, 0]], np.eye(4)),
        lambda x: joints.Screw([0, 0, 1, 0, 0, x]),
        lambda x: joints.Helical([0, 0, 1], x),
        lambda x: Builder("r").frame("f", "a", [[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
        lambda x: Builder("r").frame("f", "a", [[x, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
        lambda x: Builder("r").joint("j", joints.Fixed(), parent="a", child="b", mimic=("k", x, 0)),
        lambda x: load_model("planar2r").with_parameters(gravity=[0, 0, x]),
    ],
)
def test_numbers_beyond_reason_in_calls(make, huge):
    with pytest.raises(KinetraceError):
        make(huge)


def test_unknown_home_directories():
    with pytest.raises(InputError, match="cannot read '~nosuchuser/r"):
        load_model("~nosuchuser/r.urdf")


# names:


def test_messages_stay_short_however_many_or_long_the_names():
    many = urdf(extra="".join(f'<link name="link{i}"/>' for i in range(5_000)))
    nested = many.replace('<parent link="a"/>', '<parent link="link"/>')
    long = urdf(extra=f'<link name="{"x" * 100_000}"/>').replace(
        '<parent link="a"/>', f'<parent link="{"y" * 99_999}"/>'
    )
    for text in (many, nested, long, urdf(inside=f'<axis xyz="{"1 " * 100_000}"/>'), urdf(kind="x" * 10_000)):
        with pytest.raises(ModelError) as caught:
            from_urdf(text).build()
        assert len(str(caught.value)) <= 600
    with pytest.raises(InputError, match=r"Nearest of \d\d: .*\(all: robot.frame_names\)") as caught:
        kt.load("humanoid").pose(kt.load("humanoid").neutral(), "left_hnd")
    assert str(caught.value).count(",") == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (urdf(inside='<orgin xyz="0 0 1"/>'), "did you mean <origin>"),
        (urdf(inside='<Origin xyz="0 0 1"/>'), "did you mean <origin>"),
        (urdf(inside='<axes xyz="0 1 0"/>'), "did you mean <axis>"),
        (urdf(inside='<limits lower="-1" upper="1"/>'), "did you mean <limit>"),
        (urdf(inside='<origin pos="0 0 1"/>'), r"not an attribute of <origin>, .* 'pos'"),
        (urdf(inside='<axis xzy="0 1 0"/>'), r"not an attribute of <axis>, .* 'xzy'"),
        (urdf(inside='<limit min="-1" upper="1"/>'), r"not an attribute of <limit>, .* 'min'"),
        (urdf(inertial=MASS + MOMENTS.replace("ixy", "iyx")), r"not an attribute of <inertia>, .* 'iyx'"),
        (urdf().replace("inertial", "inertail"), "did you mean <inertial>"),
        (urdf(extra='<lnik name="c"/>'), "did you mean <link>"),
    ],
)
def test_misspelt_names_are_not_passed_over_silently(text, message):
    with pytest.warns(ModelWarning, match=message), warnings.catch_warnings():
        warnings.simplefilter("ignore", kt.PhysicsWarning)  # a body without its inertia
        load_model(text)
    with pytest.raises(ModelError, match=message):
        load_model(text, check="error")


def test_extensions_are_not_taken_for_misspellings():
    inside = '<limit drake:acceleration="1" lower="-1" upper="1"/><dynamics damping="1"/><hardwareInterface/>'
    extra = '<gazebo><orgin/><link/></gazebo><loop_joint/><sensor name="s"><orgin/></sensor><transmission/>'
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        load_model(urdf(inside=inside, extra=extra).replace("<robot", '<robot xmlns:drake="d"'), check="error")


TWO = urdf().replace("</inertial>", f'</inertial>\n<inertial><mass value="2"/>{MOMENTS}</inertial>')


@pytest.mark.parametrize(
    "text, same, said",
    [
        (
            urdf(inertial='<origin xyz="0.1 0 0.2"/>' + MASS),
            urdf(inertial='<origin xyz="0.1 0 0.2"/>' + MASS + '<inertia ixx="0" iyy="0" izz="0"/>'),
            r"<mass> without <inertia>, taken for a point mass at .*: line 3: <inertial>: in link 'b'",
        ),
        (
            urdf(inertial='<origin xyz="0.1 0 0.2"/>\n<density value="1000"/>'),
            urdf().replace("<inertial>", "<!--").replace("</inertial>", "-->"),
            r"<density> without <mass> is ignored: the link has no mass: line 5: <density>: in link 'b'",
        ),
        (
            TWO,
            urdf(),
            r'more than one <inertial>, the first is taken: line 3: <link name="b">: they differ, lines 3, 6',
        ),
    ],
)
def test_inertials_that_are_not_whole_load_with_a_warning(text, same, said):
    """The warning names the link and the line; under strict=True it is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kt.PhysicsWarning)
        wanted = kt.load(same, check="ignore").model
        with pytest.warns(kt.ModelWarning, match=said):
            robot = kt.load(text)
    assert all(np.array_equal(a.J, b.J) for a, b in zip(robot.model.bodies, wanted.bodies, strict=True))
    with pytest.raises(kt.ModelError, match=said):
        kt.load(text, strict=True)
    with pytest.raises(kt.InputError, match="give one of them"):
        kt.load(text, strict=True, check="ignore")


def test_density_beside_mass_is_said_and_harmless():
    text = urdf(inertial="<density>1000</density>" + MASS + MOMENTS)
    with pytest.warns(HarmlessWarning, match="<density> beside <mass> is not used: line 4"):
        assert kt.load(text, strict=True).model.bodies[0].J[3, 3] == kt.load(urdf()).model.bodies[0].J[3, 3]

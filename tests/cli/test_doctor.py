"""`kinetrace doctor`: what is broken is found, what is sound is not blamed, and repairs are physical and nearest."""

import copy
import itertools
import json
import warnings
from xml.etree import ElementTree

import check_doctor
import numpy as np
import pytest

import kinetrace as kt
from kinetrace.analysis.doctor import inertias
from kinetrace.cli import main
from kinetrace.lie import inertia
from kinetrace.model import zoo

LINK = """<link name="{name}"><inertial><origin xyz="{c}"/><mass value="{m}"/>
<inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
SOUND = {"m": 2, "c": "0 0 0.1", "x": 0.02, "y": 0.02, "z": 0.005}
LIMIT = '<limit lower="-1" upper="1" effort="9" velocity="3"/>'


def arm(*, more="", limit=LIMIT, joint="revolute", **numbers):
    """An arm of two hinges, its second link with other numbers."""
    links = LINK.format(name="a", **SOUND) + LINK.format(name="b", **SOUND | numbers)
    joints = "".join(
        f'<joint name="j{b}" type="{kind}"><parent link="{a}"/><child link="{b}"/><origin xyz="0 0 0.3"/>'
        f'<axis xyz="0 1 0"/>{own}<dynamics damping="0.1"/></joint>'
        for a, b, kind, own in (("base", "a", "revolute", LIMIT), ("a", "b", joint, limit))
    )
    return f'<robot name="arm"><link name="base"/>{links}{joints}{more}</robot>'


def examined(text, capsys, *options):
    code = main(["doctor", text, "--json", *options])
    report = json.loads(capsys.readouterr().out)
    assert code == int(any(x["severity"] != "note" for x in report["findings"]))
    return {(x["severity"], x["kind"]) for x in report["findings"]}


def test_a_sound_arm_has_no_findings(capsys):
    assert examined(arm(), capsys) == set()


TIP = '<link name="tip"/><joint name="jt" type="{}"><parent link="b"/><child link="tip"/>{}</joint>'
COAXIAL = (
    arm().replace('<origin xyz="0 0 0.3"/>', "").replace('"0.02"', '"{0}"', 2).replace('value="2"', 'value="{0}"', 1)
)
BROKEN = {
    "impossible inertia": (("error", arm(z=0.05)), ("error", arm(m=-1))),
    "joint that moves no mass": (("error", arm(more=TIP.format("continuous", ""))),),
    "not a robot": (("error", arm(m="heavy")), ("error", arm(more='<link name="alone"/>'))),
    "ignored in the file": (("warning", arm(limit=LIMIT + "<orgin/>")),),
    "implausible moments of inertia": (("warning", arm(x=2e4, y=2e4, z=5e3)), ("warning", arm(x=1, y=1, z=1, m=0.1))),
    "implausible centre of mass": (("warning", arm(c="0 0 100")),),
    "implausible mass": (("warning", arm(m=2000, x=20, y=20, z=5)),),
    "implausible length": (("warning", arm(more=TIP.format("fixed", '<origin xyz="0 0 300"/>'))),),
    "placeholder inertia": (("warning", arm(x=1, y=1, z=1)), ("note", arm(x=1, y=1, z=1, m=50))),
    "empty range": (("warning", arm(limit='<limit effort="1" velocity="1"/>')),),
    "range in degrees": (("warning", arm(limit='<limit lower="-90" upper="90" effort="9"/>')),),
    "range upside down": (
        ("warning", arm(limit='<limit lower="2" upper="1" effort="1"/>')),
        ("warning", arm(joint="prismatic", limit='<limit lower="1" upper="-1" effort="1"/>')),
    ),
    "velocity in degrees": (
        ("warning", arm(limit='<limit lower="-1" upper="1" velocity="180"/>')),
        ("warning", arm(limit='<limit lower="-90" upper="90" velocity="30"/>')),
    ),
    "implausible effort": (
        ("warning", arm(limit='<limit lower="-1" upper="1" effort="28000"/>')),
        ("note", arm(limit='<limit lower="-1" upper="1" effort="10000"/>')),
    ),
    "rpy in degrees": (
        ("warning", arm().replace('xyz="0 0 0.3"', 'xyz="0 0 0.3" rpy="0 90 0"', 1)),
        ("warning", arm().replace('xyz="0 0 0.1"', 'xyz="0 0 0.1" rpy="45 1.5708 0"', 1)),
        (
            "note",
            arm().replace(
                '<link name="base"/>',
                '<link name="base"><visual><origin rpy="0 0 95"/><geometry><sphere radius="1"/></geometry></visual>'
                "</link>",
            ),
        ),
    ),
    "point mass": (("note", arm(x=0, y=0, z=0)),),
    "missing axis": (("warning", arm().replace('<axis xyz="0 1 0"/>', "", 1)),),
    "limits of a mimic joint": (("warning", arm(limit=LIMIT + '<mimic joint="ja" offset="5"/>')),),
    "mimic of zero": (("note", arm(limit=LIMIT + '<mimic joint="ja" multiplier="0"/>')),),
    "no position limits": (("note", arm(limit="")),),
    "effort limit of zero": (("note", arm(limit='<limit lower="-1" upper="1" effort="0"/>')),),
    "no effort limits": (("note", arm(limit='<limit lower="-1" upper="1"/>')),),
    "missing meshes": (
        (
            "note",
            arm().replace(
                '<link name="base"/>',
                '<link name="base"><visual><geometry><mesh filename="no.stl"/></geometry></visual></link>',
            ),
        ),
    ),
    "irregular file": (
        (
            "note",
            arm().replace(
                '<link name="base"/>', '<link name="base"><visual><geometry><box/></geometry></visual></link>'
            ),
        ),
    ),
    "impossible inertia of a part": (
        ("note", arm().replace('<link name="base"/>', LINK.format(name="base", **SOUND | {"z": 1}))),
    ),
    "very light joints": (("note", arm(m=1e-9, x=2e-13, y=2e-13, z=2e-13)),),
    "nearly singular mass matrix": (("warning", COAXIAL.format(1e-14)), ("note", COAXIAL.format(1e-10))),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_broken_is_found(kind, capsys):
    for severity, text in BROKEN[kind]:
        assert (severity, kind) in examined(text, capsys)


def test_shapes_are_as_far_as_their_links(capsys):
    """Moments of a spread of 4 m are too much for an arm of 0.6 m, not for one whose last link is 1 m long."""
    text, odd = arm(m=1, x=16, y=16, z=16), ("warning", "implausible moments of inertia")
    rod = '<visual><origin xyz="0 0 0.5"/><geometry><box size="0.1 0.1 1"/></geometry></visual>'
    assert odd in examined(text, capsys)
    assert odd not in examined(text.replace('</link><joint name="ja"', f'{rod}</link><joint name="ja"'), capsys)


def test_sides_and_gravity_and_loops():
    text = arm().replace('"a"', '"left_arm"').replace('"b"', '"right_arm"').replace('value="2"', 'value="1"', 1)
    kinds = {x.kind for x in kt.load(text).doctor()}
    assert "sides differ" in kinds
    for gravity, kind in (
        ((0, 0, 0), "no gravity"),
        ((0, -9.81, 0), "gravity not along −z"),
        ((0, 0, -9810), "implausible gravity"),
    ):
        assert kind in {x.kind for x in kt.load("planar2r", gravity=gravity).doctor()}
    assert "redundant closures" in {x.kind for x in kt.load("four_bar").doctor()}
    held = kt.load("planar2r").with_closures(
        kt.closures.Loop("world", "tip", kt.joints.Spherical(), placement_a=kt.lie.se3.pose(np.eye(3), [1.0, 0.0, 0.5]))
    )
    assert "loops that cannot move" in {x.kind for x in held.doctor()}
    lame = kt.load("five_bar").with_motors(kt.load("five_bar").motor_names[0])
    assert "motion without a motor" in {x.kind for x in lame.doctor()}


@pytest.mark.parametrize("name", kt.robot_names())
def test_bundled_robots_are_sound(name, capsys):
    assert {severity for severity, _ in examined(name, capsys)} <= {"note"}


@pytest.mark.parametrize("fault", check_doctor.KINDS)
def test_a_fault_in_a_bundled_robot_is_found_and_mended(fault):
    """As tools/check_doctor.py does for all robots that there are; what is mended is the robot of before."""
    names, tried, found = ("panda", "ur5e", "quadruped", "puma560"), 0, 0
    for name in names[:3] if fault.startswith("all") else names:
        root = ElementTree.parse(zoo.path(name)).getroot()
        good = kt.load(ElementTree.tostring(root, "unicode"))
        moving = {x for x, frame in good.model.frames.items() if frame.body >= 0}
        every = [place for what, place in check_doctor.places(root, moving) if what == fault]
        for place, put in every[:: max(len(every) // 2, 1)]:
            other = copy.deepcopy(root)
            put(other)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                robot = kt.load(ElementTree.tostring(other, "unicode"))
            kind = check_doctor.KINDS[fault]
            mine = [x for x in robot.doctor() if x.kind == kind and any(repr(place) in where for where in x.where)]
            tried, found = tried + 1, found + bool(mine)
            if not any(x.fixable for x in mine) or fault == "velocity of 180":
                continue
            mended = robot.repaired()
            for parameter in ("inertial", "placements", "screws"):
                np.testing.assert_allclose(mended.parameters(parameter), good.parameters(parameter), rtol=0, atol=1e-5)
            np.testing.assert_allclose(mended.limits.upper, good.limits.upper, rtol=1e-5, atol=1e-5)  # six digits
    assert found >= (0.6 if "grams" in fault or "effort" in fault else 0.9) * tried > 0


def test_a_cart_pole_is_sound():
    """Whatever it weighs: it has no length of its own, and the moments of a cart do not matter."""
    for cart, pole, length, moment in itertools.product((1.0, 50.0), (0.1, 1.0), (0.3, 5.0), (0.0, 1e-6, 1e-3, 1.0)):
        b = kt.Builder("cart-pole")
        b.link("cart", inertia.from_mass_com(cart, np.zeros(3), moment * np.eye(3)))
        rod = np.diag([pole * length**2 / 12, pole * length**2 / 12, 1e-6])
        b.link("pole", inertia.from_mass_com(pole, [0, 0, length / 2], rod))
        b.joint("slide", kt.joints.Prismatic([1, 0, 0]), parent="base", child="cart")
        b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="cart", child="pole")
        assert not kt.Robot(b.build()).doctor().changes_motion


def test_fix_says_what_it_did_and_what_it_left(capsys, tmp_path):
    """Grams, degrees and a range upside down are mended, an effort is not; the robot is that of the good file."""
    good = arm(limit=LIMIT.replace('"9"', '"28000"'))
    bad = arm(limit='<limit lower="90" upper="-90" effort="28000" velocity="180"/>', m=2000, x=20, y=20, z=5)
    bad = bad.replace('xyz="0 0 0.3"', 'xyz="0 0 0.3" rpy="0 90 0"', 1)
    bad = bad.replace('<axis xyz="0 1 0"/>', "", 1)
    assert main(["doctor", bad, "--fix", str(tmp_path / "out.urdf")]) == 1
    text = " ".join(capsys.readouterr().out.split())
    for told in (
        "fixed: implausible mass (link 'b'): 'b' weighs 2 kg, its moments divided by 1000, too",
        "fixed: rpy in degrees (joint 'ja'): joint 'ja': rpy=\"0 1.571 0\"",
        "fixed: range upside down (joint 'jb'): joint 'jb': from -90 to 90",
        "fixed: range in degrees (joint 'jb'): 'jb' turns from -1.571 to 1.571 rad, not from -90 to 90",
        "fixed: velocity in degrees (joint 'jb'): 'jb' turns with up to 3.142 rad/s, not 180",
        "warning implausible effort joint 'jb'",  # which the weight of a link in grams would hide
        "left: implausible effort (joint 'jb')",
        "left, and no longer visible in the new file: missing axis (joint 'ja'): ",
    ):
        assert told in text
    mended, wanted = (
        kt.load(tmp_path / "out.urdf"),
        kt.load(good.replace('"0 0 0.3"', '"0 0 0.3" rpy="0 1.5707963268 0"', 1)),
    )
    np.testing.assert_allclose(mended.parameters("inertial"), wanted.parameters("inertial"), atol=1e-9)
    np.testing.assert_allclose(mended.parameters("placements"), wanted.parameters("placements"), atol=1e-9)
    np.testing.assert_allclose(mended.limits.upper, [1, np.pi / 2])


@pytest.mark.parametrize("kind", [kind for kind in BROKEN if kind != "not a robot"])
def test_every_finding_is_fixed_or_left(kind, capsys, tmp_path):
    """Beside a fault that is mended, so that a file is written: nothing is silently gone, and exit codes say so."""
    for _, text in BROKEN[kind]:
        text = text.replace(LIMIT, LIMIT.replace('"3"', '"0"'), 1)
        path = tmp_path / "out.urdf"
        code = main(["doctor", text, "--json", "--fix", str(path)])
        told = json.loads(capsys.readouterr().out)
        found, fix = ([(x["kind"], tuple(x["where"])) for x in told["findings"]], told["fix"])
        done, left, unseen, new = (
            [(x["kind"], tuple(x["where"])) for x in fix[name]] for name in ("done", "findings", "unseen", "new")
        )
        assert "velocity limit of zero" in dict(done) and fix["fixed"] == len(done)
        assert {x for x, _ in found} <= {x for x, _ in done + left} and set(unseen) <= set(left)
        assert code == int(fix["changes_motion"]) == int(any(x["severity"] != "note" for x in fix["findings"]))
        main(["doctor", str(path), "--json"])
        again = [(x["kind"], tuple(x["where"])) for x in json.loads(capsys.readouterr().out)["findings"]]
        assert sorted(again + unseen) == sorted(left) and set(new) <= set(again)


def test_fix_says_what_the_new_file_no_longer_shows(capsys, tmp_path):
    """Angles of which some are radians, a second <inertial>, a mass without moments: counts are those of the lines."""
    bad = arm(limit=LIMIT.replace('"9"', '"0"')).replace('xyz="0 0 0.3"', 'xyz="0 0 0.3" rpy="1.5708 0 30"', 1)
    bad = bad.replace("</inertial>", '</inertial><inertial><mass value="5"/></inertial>', 1)
    moments = '<inertia ixx="0.02" iyy="0.02" izz="0.005" ixy="0" ixz="0" iyz="0"/>'
    bad = moments.join(bad.split(moments)[:2]) + bad.split(moments)[2]
    assert main(["doctor", bad, "--fix", str(tmp_path / "out.urdf")]) == 1
    lines = capsys.readouterr().out.splitlines()
    (head,) = (x for x in lines if "findings fixed" in x)
    fixed, left, new = ([x for x in lines if x.startswith(title)] for title in ("fixed: ", "left", "new: "))
    assert f"{len(fixed)} of {len(fixed) + len(left)} findings fixed; left: 3 warnings, 1 note; new: 1 note" in head
    assert len(left) == 4 and len(new) == 1
    unseen = [x for x in left if x.startswith("left, and no longer visible in the new file: ")]
    for words in ('rpy="1.5708 0 30"', "more than one <inertial>", "<mass> without <inertia>"):
        assert sum(words in x for x in unseen) == 1, words
    assert next(x for x in left if x not in unseen).startswith("left: point mass (link 'b')")


def test_findings_have_remedies_and_the_gravest_come_first():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = kt.load(arm(z=0.05, more=TIP.format("continuous", ""), limit="")).doctor()
    order = [("error", "warning", "note").index(x.severity) for x in report]
    assert order == sorted(order) and len(report) >= 3 and report.changes_motion
    assert all(x.what and x.why and x.remedy for x in report)
    assert "1 error" not in report.summary and "2 errors" in report.summary and "impossible" in str(report)


def test_repaired_inertias_are_the_nearest_physical_ones():
    """No other matrix of second moments that is positive differs less, and mass and centre stay."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        A = rng.normal(size=(3, 3))
        J = inertia.from_mass_com(rng.uniform(0.1, 5), rng.normal(size=3), (A + A.T) / 2 + 0.3 * np.eye(3))
        near = inertias.nearest_physical(J)
        assert near is not None and inertia.violations(near) == []
        assert np.isclose(inertia.mass(near), inertia.mass(J))
        assert np.allclose(inertia.center_of_mass(near), inertia.center_of_mass(J))
        P, Q = inertia.pseudo_inertia(J), inertia.pseudo_inertia(near)
        for _ in range(20):  # a projection onto a convex set: the angle to every other point of it is obtuse
            B = rng.normal(size=(3, 3))
            other = inertia.pseudo_inertia(
                near * 0
                + inertia.from_mass_com(
                    inertia.mass(J), inertia.center_of_mass(J), np.trace(B @ B.T) * np.eye(3) - B @ B.T
                )
            )
            assert np.sum((P - Q) * (other - Q)) <= 2e-3 * np.linalg.norm(P - Q) * np.linalg.norm(other - Q)
    assert inertias.nearest_physical(inertia.from_mass_com(0.0, np.zeros(3), np.eye(3))) is None


def test_text_names_the_place_and_the_remedy(capsys):
    assert main(["doctor", arm(z=0.05, limit="")]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "arm: 1 error, 2 notes" in text
    assert "error impossible inertia link 'b'" in text and "triangle inequality" in text and "(--fix does it)" in text
    assert main(["doctor", arm(limit=""), "--quiet"]) == 0
    assert "no position limits" not in capsys.readouterr().out


def test_fix_writes_what_can_be_fixed(capsys, tmp_path):
    """The written robot is loaded again: its moments are possible, its mass and centre those of before."""
    out, zero = tmp_path / "fixed.urdf", '<limit lower="-1" upper="1" effort="0" velocity="0"/>'
    odd = arm(z=0.05, limit=zero)
    assert main(["doctor", odd, "--fix", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["changes_motion"] and told["fix"]["fixed"] == 3 and not told["fix"]["changes_motion"]
    assert ("error", "impossible inertia") not in examined(str(out), capsys)
    before, after = (kt.load(x, check="ignore") for x in (odd, out))
    np.testing.assert_allclose(after.parameters("inertial")[:, :4], before.parameters("inertial")[:, :4], rtol=1e-12)
    np.testing.assert_allclose(after.parameters("inertial")[0], before.parameters("inertial")[0], rtol=1e-12)
    assert np.all(after.limits.effort == [9, np.inf])
    assert kt.load(out).model.bodies[0].effects.damping == 0.1
    written = out.read_bytes()
    assert main(["doctor", "four_bar", "--fix", str(out)]) == 0 and "nothing written" in capsys.readouterr().out
    assert main(["doctor", str(out), "--fix", str(out)]) == 2 and "own file" in capsys.readouterr().err
    assert main(["convert", str(out), str(out)]) == 2 and out.read_bytes() == written
    assert main(["doctor", arm(m=-1), "--fix", str(out)]) in (1, 2)  # only its owner knows what the link weighs
    assert "only you know the mass" in " ".join(capsys.readouterr().out.split())
    assert main(["doctor", arm(m="heavy"), "--fix", str(out)]) == 1
    assert "nothing written" in capsys.readouterr().out


def arm_text(rpy="0 0 0", mass="2", more=""):
    inertial = f'<inertial><mass value="{mass}"/><inertia ixx=".02" iyy=".03" izz=".04" {more}/></inertial>'
    return f"""<robot name="arm"><link name="base"/><link name="one">{inertial}</link>
<joint name="k" type="revolute"><parent link="base"/><child link="one"/><origin rpy="{rpy}"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="50" velocity="3"/><dynamics damping=".1"/></joint></robot>"""


@pytest.mark.parametrize("now", [arm_text("0 90 0", "3"), arm_text("0 45 0"), "<robot/>", "none"])
def test_a_file_that_changed_after_loading_is_left_alone(now, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(arm_text("0 90 0"))
    assert kt.load(path, joint_effects=False).repaired().model.bodies[0].effects is None
    robot = kt.load(path, check="ignore", base="free", gravity=[0, 0, -1.62], snap_constants=False)
    assert robot.repaired().model.bodies[1].X_pj[0, 2] == pytest.approx(1.0)
    assert "rpy in degrees" in [x.kind for x in robot.doctor()]
    path.write_text(now)
    assert "rpy in degrees" not in [x.kind for x in robot.doctor()]
    assert robot.repaired().model == robot.model
    path.write_text(arm_text("0 90 0").replace("><", ">\n<"))  # the same robot
    assert "rpy in degrees" in [x.kind for x in robot.doctor()]


@pytest.mark.parametrize("more", ["", 'ixy="0" unit="g m2"'])
def test_grams_beside_attributes_that_urdf_does_not_have(more):
    text = arm_text(mass="2000", more=more)
    for moment in (".02", ".03", ".04"):
        text = text.replace(f'"{moment}"', f'"{1e3 * float(moment)}"')
    light = arm_text().replace('"one"', '"two"').replace('"k"', '"j"').replace('"base"', '"one"')
    light = light[light.index('<link name="two"') :].replace('rpy="0 0 0"', 'xyz="0 0 .5"')
    robot = kt.load(text.replace("</robot>", light), check="ignore")
    J = robot.repaired().model.bodies[0].J
    assert inertia.mass(J) == pytest.approx(2.0) and J[:3, :3].diagonal() == pytest.approx([0.02, 0.03, 0.04])


def test_places_are_named_once_and_alike(capsys, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(arm_text("0 90 0"))
    assert "rpy in degrees (joint 'k'): line " in str(kt.load(path, check="ignore").doctor())
    main(["doctor", str(path)])
    assert "rpy in degrees  joint 'k'" in capsys.readouterr().out

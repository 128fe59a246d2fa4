"""xacro as the package xacro expands it: the same URDF, from expressions that Python does not evaluate."""

import xml.etree.ElementTree as ET
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest

import kinetrace as kt
import macros
from fuzzing import generator
from kinetrace.model.files.load.xacro.macros import expand_macros

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'


def content(text):
    """Elements with their attributes and texts, without blanks between them."""

    def of(element):
        return element.tag, element.attrib, (element.text or "").strip(), [of(child) for child in element]

    return of(ET.fromstring(text))


def both(path, monkeypatch, **arguments):
    """What the package xacro makes of a file with Python's own `eval`, and what is made of it here."""
    xacro = pytest.importorskip("xacro")
    from xacro import substitution_args

    with monkeypatch.context() as patch:
        patch.setattr(substitution_args, "_eval_find", lambda name: str(path.parent.parent / name))
        theirs = xacro.process_file(str(path), mappings=dict(arguments)).toprettyxml()
    return content(theirs), content(expand_macros(path, arguments, {})[0])


EXPRESSIONS = """\
[f.lower() for f in fingers if f != 'RF']
[k + '=' + v for k, v in pairs]
[x * y for x in [1, 2] for y in range(x)]
[[y for y in x] for x in ['ab', 'c']]
python.sorted(python.set(fingers) - python.set(['FF'] if side == 'left' else []))
len(python.set('a b a'.split()) | python.set(['c'])) + len(python.set('ab') ^ python.set('bc'))
python.set(['a']) <= python.set('abc') and 'a' in python.frozenset('ab')
python.set([1, 2]).union([3]).issuperset([1, 3])
python.isinstance(fingers, list), python.isinstance(side, (list, python.tuple))
list(python.zip(fingers, [1, 2, 3])), dict(pairs)['a'], dict(x=1, y=[2])['y']
dict(list(python.zip('ab', [1, 2])) + [('c', 3)])
python.any([c in side for c in 'xyf']), python.all([1, 0]), python.any(x > 1 for x in [1, 2])
fmt.format(f='th', n=2.5), '%s_%03d_%.2f' % (side, 7, pi), '%d%%' % 3
', '.join(python.sorted(fingers)), side.upper().replace('L', 'M').title()
side.split('e'), 'a=b=c'.partition('='), 'a.b.c'.rsplit('.', 1), ' x '.strip(), 'x7'.zfill(4), 'ab'.center(6, '-')
side[0], side[-1], side[::-1], side[1:3], fingers[-2:], side.find('f'), fingers.index('MF'), side.count('l')
list(map(float, '1 2.5'.split())), list(map(lambda x, y: x - y, [3, 2], [1, 1]))
python.sorted(fingers, key=lambda f: f[1] + f[0]), max('aa', 'b', key=len), list(python.filter(None, [0, 1]))
python.list(python.enumerate(fingers, 1)), list(python.reversed([1, 2])), list(range(6, 0, -2)), python.divmod(7, 2)
python.sum([1, 2.5]), python.abs(-2), round(2.5), round(2.567, 2), round(7.0, 0), min(3, 2), max([1, 4])
int('7') + int(3.9), float('1e3'), int('ff', 16)
pow(2, 3), math.pow(2, 3), 2 ** 3, 7 // 2, -7 % 3, 1 / 3, 1e-3 * 1000
math.prod([2, 3]), math.factorial(5), math.gcd(8, 12), math.comb(5, 2), math.fsum([0.1] * 10)
radians(90), math.degrees(pi), hypot(3, 4), atan2(1, 2), math.floor(2.7), ceil(2.1), log(e), inf
list(config.keys()), list(config.arm.values()), python.sorted(config.arm.items()), config['arm'].get('z', 0)
config.arm.length * 2, config['parts'][1]['name'], config.parts[0].name, 'arm' in config, len(config.parts)
[p.name for p in config.parts], python.sorted([p['mass'] for p in config.parts], reverse=True)
None is None, not side, side or 'x', '' or 'y', 1 < 2 <= 2, 'a' if side == 'left' else 'b', (1,), [], (), 5 & 3 | 8
xacro.tokenize('a, b;c'), xacro.tokenize('th=bio', sep='='), xacro.tokenize('a  b', ' ', False)
str(1.0) + str(True) + python.repr('q'), bool(''), float('1e3'), python.ord('a'), xacro.arg('side')
xacro.dotify(dict(a=1)).a, python.tuple('ab'), 1 << 3, 9 >> 1, ~5
fingers.append('LF'), fingers.pop(0), fingers.insert(0, 'TH'), fingers.remove('RF'), fingers, len(fingers)
config.arm.update(length=1), config.arm.pop('turn') > 1, config.arm.setdefault('z', 3), config.arm['length'], config
"""


def test_expressions_have_the_values_that_xacro_gives_them(tmp_path, monkeypatch):
    """One attribute per expression: texts are equal, to the last digit."""
    (tmp_path / "c.yaml").write_text(
        "arm: {length: 0.25, turn: !degrees 90}\nparts: [{name: a, mass: 2}, {name: b, mass: !foot 3*2}]\n", "utf-8"
    )
    lines = EXPRESSIONS.splitlines()
    robot = (
        f"{HEAD}<xacro:arg name='side' default='left'/><xacro:property name='side' value='$(arg side)'/>"
        "<xacro:property name='fingers' value=\"${['FF', 'MF', 'RF']}\"/>"
        "<xacro:property name='pairs' value=\"${[('a', 'b'), ['c', 'd']]}\"/>"
        "<xacro:property name='fmt' value='{f}={n:.2f}'/>"
        "<xacro:property name='config' value=\"${xacro.load_yaml('c.yaml')}\"/>"
    )
    robot += "".join(f"<line value={quoteattr('${' + line + '}')}/>" for line in lines) + "</robot>"
    (tmp_path / "r.xacro").write_text(robot, "utf-8")
    theirs, ours = both(tmp_path / "r.xacro", monkeypatch)
    for line, a, b in zip(lines, theirs[3], ours[3], strict=True):
        assert a == b, line


HAND = f"""{HEAD}
  <xacro:arg name="side" default="right"/> <xacro:arg name="fingers" default="all"/>
  <xacro:arg name="sensors" default="none"/>
  <xacro:macro name="check" params="words valid what">
    <xacro:property name="_odd_" value="${{python.set(words) - python.set(valid)}}"/>
    <xacro:if value="${{_odd_}}">${{xacro.fatal('unknown ' + what + ': ' + ', '.join(_odd_))}}</xacro:if>
  </xacro:macro>
  <xacro:macro name="finger" params="name sensor prefix:=^ reflect:=^ *origin">
    <link name="${{prefix}}${{name}}"><inertial><mass value="0.03"/>
      <inertia ixx="1e-6" iyy="1e-6" izz="${{1e-6 if sensor in ['none'] else 2e-6}}"/></inertial></link>
    <joint name="${{prefix}}${{name.upper()}}J1" type="revolute">
      <xacro:insert_block name="origin"/><parent link="${{prefix}}palm"/><child link="${{prefix}}${{name}}"/>
      <axis xyz="0 ${{-1*reflect}} 0"/>
      <limit lower="${{-20/180*pi}}" upper="${{pi/2}}" effort="2" velocity="2"/></joint>
  </xacro:macro>
  <xacro:macro name="sensor_of_fingers" params="name value known:=^|${{'th ff mf'.split()}}">
    <xacro:property name="_tmp_" value="${{None}}"/>
    <xacro:if value="${{_tmp_ is None and '=' in value}}">
      <xacro:property name="_tmp_" lazy_eval="false"
        value="${{[xacro.tokenize(spec, sep='=') for spec in xacro.tokenize(value)]}}"/></xacro:if>
    <xacro:if value="${{_tmp_ is None}}">
      <xacro:property name="_tmp_" value="${{python.zip(known, len(known) * [value])}}" lazy_eval="false"/></xacro:if>
    <xacro:property name="_tmp_" lazy_eval="false"
      value="${{dict(list(python.zip(known, len(known) * ['none'])) + list(_tmp_))}}"/>
    <xacro:check words="${{_tmp_.keys()}}" valid="${{known}}" what="finger"/>
    <xacro:property name="${{name}}" scope="parent"
      value="${{xacro.dotify(dict([(k.lower(), v.lower()) for k, v in _tmp_.items()]))}}"/>
  </xacro:macro>
  <xacro:property name="reflect" value="${{1 if '$(arg side)' == 'right' else -1}}"/>
  <xacro:property name="prefix" value="${{'$(arg side)'[0]}}h_"/>
  <xacro:property name="_all_" value="${{python.set('th ff mf'.split())}}"/>
  <xacro:property name="fingers" value="$(arg fingers)"/>
  <xacro:if value="${{fingers.lower() == 'all'}}">
    <xacro:property name="fingers" value="${{list(_all_)}}"/></xacro:if>
  <xacro:unless value="${{python.isinstance(fingers, list)}}">
    <xacro:property name="fingers" value="${{[f.lower() for f in xacro.tokenize(fingers)]}}" lazy_eval="false"/>
  </xacro:unless>
  <xacro:check words="${{fingers}}" valid="${{_all_}}" what="finger"/>
  <xacro:sensor_of_fingers name="sensors" value="$(arg sensors)"/>
  <link name="${{prefix}}palm"/>
  <xacro:if value="${{'th' in fingers}}"><xacro:finger name="th" sensor="${{sensors.th}}">
    <origin xyz="${{reflect*-0.011}} 0 0.095" rpy="0 0 ${{pi/4}}"/></xacro:finger></xacro:if>
  <xacro:if value="${{'ff' in fingers}}"><xacro:finger name="ff" sensor="${{sensors.ff}}">
    <origin xyz="${{reflect*0.033}} 0 0.095"/></xacro:finger></xacro:if>
  <xacro:if value="${{'mf' in fingers}}"><xacro:finger name="mf" sensor="${{sensors.mf}}">
    <origin xyz="${{reflect*0.011}} 0 0.099"/></xacro:finger></xacro:if>
</robot>"""


@pytest.mark.parametrize(
    "arguments, joints",
    [({}, 3), ({"side": "left", "fingers": "FF, mf"}, 2), ({"fingers": "th ff", "sensors": "th=BT ff=none"}, 2)],
)
def test_a_hand_chooses_its_fingers_by_sets_and_loops(tmp_path, monkeypatch, arguments, joints):
    path = tmp_path / "hand.xacro"
    path.write_text(HAND, "utf-8")
    theirs, ours = both(path, monkeypatch, **arguments)
    assert theirs == ours
    robot = kt.load(path, xacro_args=arguments)
    assert robot.nv == joints and robot.joint_names[0].startswith(arguments.get("side", "right")[0] + "h_")
    with pytest.raises(kt.ModelError, match="unknown finger: lf"):
        kt.load(path, xacro_args={"fingers": "lf"})


INERTIALS = """\
hand: {origin: {xyz: -0.01 0 0.03, rpy: 0 0 0}, mass: 0.7, inertia: {xx: 0.001, yy: 0.002, zz: 0.0017, xy: 0}}
left: &finger
  origin: &zero {xyz: 0 0 0, rpy: 0 0 0}
  mass: 0.015
  inertia:
  inertia: &moments {xx: 2.0e-06, yy: 2.0e-06, zz: 7.5e-07, xy: 0}
right: *finger
heavy: {<<: *finger, mass: 0.1}
longer:
  <<: [{mass: 0.2}, *finger]
  inertia: {<<: *moments, xx: 2.5e-06}
"""
ARM = (
    HEAD
    + """
  <xacro:macro name="inertials" params="name config:=^">
    <xacro:unless value="${name in config}">${xacro.warning('nothing about ' + name)}</xacro:unless>
    <xacro:property name="of" value="${config[name]}" lazy_eval="false"/>
    <inertial><origin rpy="${of.origin.rpy}" xyz="${of.origin.xyz}"/><mass value="${of.mass}"/>
      <xacro:property name="I" value="${of.inertia}"/>
      <inertia ixx="${I.xx}" ixy="${I.xy}" ixz="0" iyy="${I.yy}" iyz="0" izz="${I['zz']}"/></inertial>
  </xacro:macro>
  <xacro:property name="config" value="${xacro.load_yaml('$(find some_arm)/config/' + 'inertials' + '.yaml')}"/>
  <link name="base"/>PARTS
</robot>"""
)


def test_aliases_and_merge_keys_of_yaml_stand_for_what_they_name(tmp_path, monkeypatch):
    """Franka's own descriptions have one finger, and an alias for the other."""
    folder = tmp_path / "some_arm" / "config"
    folder.mkdir(parents=True)
    (folder / "inertials.yaml").write_text(INERTIALS, "utf-8")
    names = ["hand", "left", "right", "heavy", "longer"]
    parts = [
        f'<link name="{name}"><xacro:inertials name="{name}"/></link><joint name="to_{name}" type="continuous">'
        f'<parent link="{parent}"/><child link="{name}"/><axis xyz="0 0 1"/></joint>'
        for parent, name in zip(["base", *names], names, strict=False)
    ]
    path = tmp_path / "some_arm" / "arm.xacro"
    path.write_text(ARM.replace("PARTS", "".join(parts)), "utf-8")
    theirs, ours = both(path, monkeypatch)
    assert theirs == ours
    masses = kt.load(path).parameters("inertial").reshape(5, 10)[:, 0]
    assert np.allclose(masses, [0.7, 0.015, 0.015, 0.1, 0.2], rtol=1e-14)


def laughs(first, many):
    """Aliases of aliases: 9 ** 40 values."""
    lines = [f"a{k + 1}: &a{k + 1} {many.format(', '.join([f'*a{k}'] * 9))}" for k in range(40)]
    return "\n".join([f"a0: &a0 {first}", *lines])


MANY = "c.yaml: expands to more than 100000 values"


@pytest.mark.parametrize(
    "text, said",
    [
        (laughs("[1, 2]", "[{}]"), MANY),
        (laughs("{b: 1}", "{{<<: [{}]}}"), MANY),
        ("a: &a [*a]\n", "alias 'a' stands for nothing that ends before it"),
        ("a: " + "[" * 200 + "]" * 200, "c.yaml: is nested more than 100 deep"),
        ("a: " + "x" * 300_000, "c.yaml: is larger than 200000 characters"),
        ("a: 1" + "0" * 2000, "more than 1000 characters, too many for a number"),
        ("? 1" + "0" * 30 + "\n: 1\n", "must be text or a number below 1152921504606846976"),
        ("a: !!python/object/apply:os.system [id]\n", "tag '!!python/object/apply:os.system' is not one of"),
    ],
)
def test_hostile_yaml_is_refused_with_the_bound(tmp_path, text, said):
    (tmp_path / "c.yaml").write_text(text, "utf-8")
    robot = f"{HEAD}<link name=\"${{xacro.load_yaml('c.yaml')}}\"/></robot>"
    (tmp_path / "r.xacro").write_text(robot, "utf-8")
    with pytest.raises(kt.ModelError, match=said):
        kt.load(Path(tmp_path / "r.xacro"))


def test_random_files_expand_as_the_package_expands_them():
    """A few of the fuzzer's files; `make fuzz` tries many more."""
    pytest.importorskip("xacro")
    assert sum(macros.case(generator(1, k)) for k in range(300)) > 60


def test_errors_name_the_file_the_line_and_the_macro(tmp_path):
    (tmp_path / "part.xacro").write_text(
        f'{HEAD}\n<xacro:macro name="arm" params="x *at">\n<link name="${{y}}"/></xacro:macro></robot>'
    )
    path = tmp_path / "robot.xacro"
    for call, said in {
        '<xacro:arm x="1"><o/></xacro:arm>': r"robot.xacro, in '.*part.xacro', line 3: <link name=\"\${y}\">, "
        r"in the macro 'arm' called at line 2 of '.*robot.xacro': xacro: name 'y' is not defined",
        '<xacro:arm z="1"/>': "robot.xacro, line 2: <xacro:arm>: .*unknown parameter of the macro 'arm': 'z'.*Valid: x",
        '<xacro:arm x="1"/>': r"the macro 'arm' wants 1 blocks \(\*at\), got 0",
        "<xacro:arm><o/></xacro:arm>": "line 2: <xacro:arm>: xacro: the call of the macro 'arm' does not give 'x'",
        "<xacro:amr/>": "unknown macro name: xacro:amr; did you mean 'arm'",
        '<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><l n="${a}"/>': "a -> b -> a",
        '<xacro:insert_block name="at"/>': "unknown block 'at'",
    }.items():
        path.write_text(f'{HEAD}<xacro:include filename="part.xacro"/>\n{call}</robot>')
        with pytest.raises(kt.ModelError, match=said):
            kt.load(path)


def test_a_file_of_macros_alone_is_told_from_a_robot(tmp_path):
    (tmp_path / "arm.xacro").write_text(
        f'{HEAD}<xacro:macro name="arm" params="x"><link name="a"/></xacro:macro></robot>'
    )
    with pytest.raises(kt.ModelError, match=r"no links: it only defines macros, 'arm'; load a file that calls them"):
        kt.load(tmp_path / "arm.xacro")


def test_an_argument_that_no_file_knows_is_refused_with_those_that_are_known(tmp_path):
    (tmp_path / "part.xacro").write_text(HEAD + '<xacro:arg name="side" default="left"/></robot>')
    link = '<link name="$(arg side)"/><link name="$(eval prefix + \'b\')"/>'
    joint = '<joint name="$(arg unsaid)" type="fixed"><parent link="$(arg side)"/><child link="ab"/></joint>'
    (tmp_path / "arm.xacro").write_text(
        f'{HEAD}<xacro:include filename="part.xacro"/><xacro:arg name="length" default="1"/>{link}{joint}</robot>'
    )
    known = {"side": "right", "length": 0.8, "prefix": "a", "unsaid": "j"}
    kt.load(tmp_path / "arm.xacro", xacro_args=known)
    with pytest.raises(
        kt.InputError, match=r"unknown xacro argument 'lenght'; did you mean 'length'\? Valid: length, side"
    ):
        kt.load(tmp_path / "arm.xacro", xacro_args={**known, "lenght": 0.8})
    with pytest.raises(kt.InputError, match="unknown xacro argument 'length'"):
        kt.load('<robot name="r"><link name="a"/></robot>', xacro_args={"length": 0.8})


def test_an_open_file_includes_files_beside_it(tmp_path, monkeypatch):
    """Not those of the same name in the working directory."""
    macro = "<robot xmlns:xacro='x'><xacro:macro name='seg'><link name='{}'/></xacro:macro></robot>"
    (tmp_path / "own").mkdir()
    (tmp_path / "macros.xacro").write_text(macro.format("elsewhere"))
    (tmp_path / "own" / "macros.xacro").write_text(macro.format("beside"))
    file = tmp_path / "own" / "arm.xacro"
    file.write_text("<robot name='r' xmlns:xacro='x'><xacro:include filename='macros.xacro'/><xacro:seg/></robot>")
    monkeypatch.chdir(tmp_path)
    for mode in ("r", "rb"):
        with file.open(mode) as opened:
            assert "beside" in kt.load(opened).frame_names

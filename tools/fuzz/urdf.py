"""Mutated URDFs: each is refused by an error of the package, or is a robot whose forces are finite.

A refusal is a ModelError or InputError, names the file and is short. A robot is built with no warning but the package's
own, the same from a path and from a string, and its inverse dynamics at a random state give no warning of NumPy: every
number of an accepted file is at most `checks.MAX_NUMBER`, so nothing overflows.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np

import kinetrace as kt
from fuzzing import main
from kinetrace.errors import LONGEST_MESSAGE
from kinetrace.model import Model, load_model, zoo

Rng = np.random.Generator

PARTS = """<?xml version="1.0"?>
<robot name="parts">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"><visual><geometry><mesh filename="base.stl" scale="1 1 1"/></geometry>
    <material name="grey"/></visual></link>
  <link name="arm"><inertial><origin xyz="0.1 0 0.2" rpy="0.1 0.2 0.3"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
    <collision><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry></collision></link>
  <link name="slide"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
  <link name="follow"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
  <link name="table"><inertial><mass value="3"/><inertia ixx="0.2" iyy="0.2" izz="0.3"/></inertial></link>
  <link name="ball"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
  <link name="tool"/>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 1" rpy="1.57 0 0"/>
    <axis xyz="0 1 1"/><limit lower="-1" upper="2" effort="3" velocity="4"/><dynamics damping="0.1"/></joint>
  <joint name="rail" type="prismatic"><parent link="arm"/><child link="slide"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1" effort="3" velocity="4"/></joint>
  <joint name="copy" type="continuous"><parent link="slide"/><child link="follow"/>
    <mimic joint="hinge" multiplier="-2" offset="0.1"/></joint>
  <joint name="plane" type="planar"><parent link="base"/><child link="table"/><axis xyz="0 0 1"/></joint>
  <joint name="float" type="floating"><parent link="table"/><child link="ball"/></joint>
  <joint name="weld" type="fixed"><parent link="follow"/><child link="tool"/><origin quat_xyzw="0 0 0.6 0.8"/></joint>
  <transmission name="t"><joint name="hinge"/></transmission>
</robot>
"""
TEXTS = [PARTS, PARTS, *(zoo.path(name).read_text() for name in ("planar2r", "stanford"))]

NUMBERS = (
    *("0", "-0", "1", "-1", "0.5", "1e-5", "3.14159", "1e-300", "5e-324", "1e-160", "1e15", "-1e29", "1e30", "1.1e30"),
    *("1e50", "1e154", "-1e155", "1e200", "1e308", "-1.7e308", "3.4028234663852886e+38", "1e400", "-1e400", "9" * 400),
    *("nan", "-nan", "inf", "-inf", "infinity", "NaN(7)", "0x1p3", "0x10", "1_0", "1,5", "1.5.", "--1", "1e", "e1", ""),
    *("\u0661\u0662", "\uff11", "\u00bd", "\u221e", "one", "true", "None", "1f", "1d0", "+.5", ".", "${x}", "$(arg x)"),
)
EXTREMES = ("1e30", "-1e30", "9.9e29", "1e-30", "1e-300", "5e-324", "-5e-324", "0")
WORDS = (
    "",
    " ",
    "base",
    "arm",
    "hinge",
    "revolute",
    "fixed",
    "\u00e9",
    "a b",
    "&lt;x&gt;",
    "x" * 5000,
    "\u202e",
    "${p}l",
)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp037", "shift_jis", "utf-7", "gb18030")
NOISE = (
    "<!-- a -- b -->",
    "<!-- ok -->",
    "<![CDATA[x]]>",
    "&amp;",
    "&nope;",
    "&#0;",
    "&#27;",
    "\x07",
    "\x00",
    "<",
    ">",
)
NESTS = ("link", "joint", "inertial", "visual", "gazebo", "xacro:if", "x" * 300)


def pick(rng: Rng, choices: Any) -> Any:
    """One of them."""
    return choices[int(rng.integers(len(choices)))]


def numbers(rng: Rng, value: str) -> str:
    """A value like this one: its words replaced, added, dropped."""
    words = [pick(rng, NUMBERS) if rng.random() < 0.6 else word for word in value.split()]
    if rng.random() < 0.2:
        words.append(pick(rng, NUMBERS))
    if words and rng.random() < 0.1:
        words.pop()
    return pick(rng, (" ", " ", " ", "  ", "\t", "\n", ",")).join(words)


def change_tree(rng: Rng, text: str) -> str:
    """Change one element: its attributes, its place, its copies."""
    root = ET.fromstring(text)
    parents = {child: parent for parent in root.iter() for child in parent}
    element = pick(rng, list(parents))
    parent, what = parents[element], rng.random()
    if what < 0.45 and element.attrib:
        name = pick(rng, list(element.attrib))
        is_number = element.get(name, "").strip()[:1] in "0123456789-+."
        element.set(name, numbers(rng, element.get(name, "")) if is_number or what < 0.1 else pick(rng, WORDS))
    elif what < 0.55 and element.attrib:
        value = element.attrib.pop(pick(rng, list(element.attrib)))
        if rng.random() < 0.5:
            element.set(pick(rng, ("xyz", "rpy", "quat_xyzw", "name", "value", "link", "lower", "scale")), value)
    elif what < 0.65:
        parent.remove(element)
    elif what < 0.8:
        copy = ET.fromstring(ET.tostring(element))
        if rng.random() < 0.5 and copy.attrib:
            name = pick(rng, list(copy.attrib))
            copy.set(name, numbers(rng, copy.get(name, "")))
        parent.insert(int(rng.integers(len(parent) + 1)), copy)
    elif what < 0.9:
        place = pick(rng, [x for x in root.iter() if x not in set(element.iter())])
        parent.remove(element)
        place.append(element)
    else:
        element.tag = pick(rng, ("link", "joint", "origin", "mass", "inertia", "limit", "xacro-call", "visual"))
    return ET.tostring(root, encoding="unicode")


def change_sizes(rng: Rng, text: str) -> str:
    """Make some of all numbers as large or small as is accepted."""
    root = ET.fromstring(text)
    for element in root.iter():
        for name, value in element.attrib.items():
            if name != "name" and value[:1] in "0123456789-." and rng.random() < 0.3:
                element.set(name, " ".join(pick(rng, (*EXTREMES, word)) for word in value.split()))
    return ET.tostring(root, encoding="unicode")


def change_text(rng: Rng, text: str) -> str:
    """Change characters: cut, insert, repeat, nest, declare."""
    at, what = int(rng.integers(len(text) + 1)), int(rng.integers(9))
    match what:
        case 0:
            return text[:at]
        case 1:
            return text[:at] + pick(rng, NOISE) + text[at:]
        case 2:
            end = min(len(text), at + int(rng.integers(1, 200)))
            return text[:at] + text[at:end] * 2 + text[end:]
        case 3:
            return text[:at] + text[at + int(rng.integers(1, 50)) :]
        case 4:
            nest, deep = pick(rng, NESTS), int(10 ** rng.uniform(0, 3.5))
            return text.replace("</robot>", f"<{nest}>" * deep + f"</{nest}>" * deep + "</robot>")
        case 5:
            return f'<!DOCTYPE r [<!ENTITY a "{"x" * 9}"><!ENTITY b "&a;&a;">]>' + text.replace(
                'name="', 'name="&b;', 1
            )
        case 6:
            return pick(rng, ("\n", " \n\t", "\ufeff", "\ufeff \n", "x", "<!-- c -->", "<?xml version='1.0'?>")) + text
        case 7:
            return text.replace("<link", pick(rng, ("<!-- x --><link", "<Link", "<link name='n'", "<link\x0b")), 1)
        case _:
            names = "".join(f'<link name="extra{i}"/>' for i in range(int(10 ** rng.uniform(0, 3))))
            return text.replace("</robot>", names + "</robot>")


def change_bytes(rng: Rng, data: bytes) -> bytes:
    """Change bytes, or what they are said to mean."""
    if rng.random() < 0.5:
        changed = bytearray(data)
        for at in rng.integers(len(data), size=int(rng.integers(1, 4))) if data else ():
            changed[at] = int(rng.integers(256))
        return bytes(changed)
    encoding, declared = pick(rng, ENCODINGS), pick(rng, (*ENCODINGS, "klingon", "zip", "unicode_escape", ""))
    text = data.decode("utf-8", "replace").partition("?>")[2] or data.decode("utf-8", "replace")
    head = f'<?xml version="1.0" encoding="{declared}"?>' if rng.random() < 0.7 else ""
    return (head + text).encode(encoding, "replace")


def mutant(rng: Rng) -> bytes:
    """A robot's file with a few changes."""
    text: str = pick(rng, TEXTS)
    if rng.random() < 0.2:
        text = change_sizes(rng, text)
    for _ in range(int(rng.integers(0, 3))):
        text = change_tree(rng, text)
    text = text.replace("xacro-call", "xacro:call")
    if rng.random() < 0.3:
        text = change_text(rng, text)
    data = text.encode("utf-8", "replace")
    return change_bytes(rng, data) if rng.random() < 0.15 else data


def outcome(source: Any, file: str, **options: Any) -> tuple[Model | None, str]:
    """The model, or None and why not; whatever else comes is a fault."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model, why = load_model(source, **options), ""
        except (kt.ModelError, kt.InputError) as error:
            model, why = None, str(error)
    assert not why or (file in why and len(why) <= LONGEST_MESSAGE), why
    for warning in caught:
        assert issubclass(warning.category, kt.ModelWarning | kt.PhysicsWarning), warning
        assert len(str(warning.message)) <= LONGEST_MESSAGE, warning
    return model, why.replace(file, "")


def check(data: bytes, rng: Rng) -> int:
    """The properties at the head of this file; how many states were tried."""
    options = {"base": pick(rng, ("fixed", "free")), "check": pick(rng, ("warn", "warn", "error", "ignore"))}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "r.urdf"
        file.write_bytes(data)
        model, why = outcome(file, str(file), **options)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if text.lstrip("\ufeff \t\r\n").startswith("<") and "encoding" not in text:
        assert outcome(text, "XML text", **options)[1][:200] == why[:200]  # the rest may be cut elsewhere
    if model is None:
        return 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        q, v, a = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
        tau = kt.algorithms.inverse_dynamics(model, q, v, a)
    assert np.all(np.isfinite(tau)), tau
    return 1


def case(rng: Rng) -> int:
    """Ten mutants; how many of them were robots."""
    return sum(check(mutant(rng), rng) for _ in range(10))


if __name__ == "__main__":
    sys.exit(main(case, "mutated URDFs"))

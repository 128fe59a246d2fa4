"""How robots, models, kernels and trajectories show themselves in notebooks."""

from html.parser import HTMLParser

import numpy as np
import pytest

import kinetrace as kt

BAD = "<script>alert(1)</script><img src=x onerror='alert(2)'>\"&\x00\u202e"
TAGS = {
    *("div", "b", "span", "code", "table", "tr", "td", "th", "details", "summary"),
    *("svg", "path", "rect"),
}


class Reader(HTMLParser):
    """Collects what a browser would make of it."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.open, self.text = set(), {}, [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, []).append(value)
        if not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data):
        self.text += data


def read(text):
    found = Reader()
    found.feed(text)
    found.close()
    assert found.open == [] and found.tags <= TAGS
    assert not any(name.startswith("on") or name in ("src", "href") for name in found.attributes)
    addresses = [x for values in found.attributes.values() for x in values if x and ("//" in x or "url(" in x)]
    assert set(addresses) <= {"http://www.w3.org/2000/svg"}
    assert not any(x in found.text for x in "\x00\u202e")
    return found


def hostile():
    b = kt.Builder(BAD)
    b.link("bob", inertia=kt.lie.inertia.from_mass_com(1.0, [0, 0, -0.5], np.eye(3) / 100))
    b.joint("a" + BAD, kt.joints.Revolute([0, 1, 0]), parent="base" + BAD, child="bob")
    b.joint("b" + BAD, kt.joints.Revolute([0, 1, 0]), parent="bob", child="c" + BAD, mimic=("a" + BAD, 2.0, 0.0))
    b.frame("tip" + BAD, "bob", np.eye(4))
    return kt.Robot(b.build(check="ignore"), backend="numpy")


def test_names_of_strangers_are_text():
    robot = hostile()

    def f(model, q):
        return q

    f.__name__ = BAD
    motion = robot.simulate([0.0], [0.0], t=0.02, dt=0.01, tau=[1.0])
    for x in (robot, robot.model, kt.compile(f, robot, backend="numpy"), motion):
        assert "<script>alert(1)</script>" in read(x._repr_html_()).text


@pytest.mark.parametrize("name", ["panda", "humanoid", "stewart"])
def test_a_robot_shows_its_sizes_joints_and_picture(name):
    robot = kt.load(name)
    text = robot._repr_html_()
    found = read(text)
    assert all(joint in found.text for joint in robot.joint_names) and f"nv = {robot.nv}" in found.text
    assert "svg" in found.tags and len(text) < 60_000
    assert "Model" in read(robot.model._repr_html_()).text


def test_a_kernel_shows_its_arrays_and_counts():
    found = read(kt.load("planar2r").kernel("inverse_dynamics")._repr_html_())
    assert "(2),(2),(2)->(2)" in found.text and "37 per state" in found.text


def test_trajectories_show_curves_even_of_lost_motions():
    robot = kt.load("planar2r")
    with pytest.warns(kt.SimulationWarning):
        lost = robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.05, dt=0.01, tau=[1e200, 0.0])
    batch = robot.simulate(np.zeros((3, 2)), np.zeros(2), t=0.05, dt=0.01)
    for motion in (lost, batch, lost[:0], batch[:1]):
        text = motion._repr_html_()
        assert "Trajectory" in read(text).text and "nan" not in text
    assert "3 motions" in read(batch._repr_html_()).text

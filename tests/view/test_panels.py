"""Panels of the page: joints, plots, keys, undo, camera, floor; on computers, on telephones, within other pages."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt

DESK, PHONE = (860, 520), (390, 844)
CALM = {"reduced_motion": "reduce"}
MOBILE = {"has_touch": True, "is_mobile": True}
FINGERS = {"first_finger": 4, "middle_finger": 4, "ring_finger": 4, "little_finger": 5, "thumb": 5}
PARTS = ("metacarpal", "knuckle_abduction", "proximal_flexion", "middle_flexion", "distal_interphalangeal_flexion")


def hand():
    """A hand with 24 joints, whose names are long."""
    b = kt.Builder("right_hand_of_a_robot_with_a_long_name")
    J = kt.lie.inertia.from_mass_com(0.03, [0, 0, 0.02], np.eye(3) * 2e-5)
    limits = kt.model.Limits(-0.35, 1.57, 2.0, 3.0)

    def joint(name, parent, child, axis, at):
        b.link(child, J)
        X = np.eye(4)
        X[:3, 3] = at
        b.joint(name, kt.joints.Revolute(axis), parent=parent, child=child, limits=limits, placement=X)

    joint("right_hand_wrist_flexion_joint", "base", "forearm", [1, 0, 0], [0, 0, 0])
    joint("right_hand_wrist_abduction_joint", "forearm", "palm", [0, 1, 0], [0, 0, 0.03])
    for i, (finger, count) in enumerate(FINGERS.items()):
        parent = "palm"
        for k, part in enumerate(PARTS[5 - count :]):
            child = f"{finger}_{part}_link"
            at = [0.025 * (i - 2), 0, 0.09] if k == 0 else [0, 0, 0.03]
            joint(f"right_hand_{finger}_{part}_joint", parent, child, [0, 1, 0] if k == 0 else [1, 0, 0], at)
            parent = child
    return kt.Robot(b.build(check="ignore"))


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_names_are_whole_and_sliders_use_the_width(opened, size):
    page = opened(hand().view(open=False), size=size)
    page.do("() => { kinetrace.togglePanel(true); kinetrace.panel.current.joints.openAll(true); }")
    rows = page.do(
        """[...document.querySelectorAll('.joints .joint')].map((row) => { const [name] = row.children;
        const slider = row.querySelector('input[type=range]'), panel = document.querySelector('.panel');
        return [name.textContent, name.scrollWidth <= name.clientWidth && name.offsetHeight > 0,
                slider.getBoundingClientRect().width / panel.clientWidth]; })"""
    )
    names = [f"{finger}_{part}" for finger, count in FINGERS.items() for part in PARTS[5 - count :]]
    assert sorted(row[0] for row in rows) == sorted(["wrist_flexion", "wrist_abduction", *names])
    assert all(whole and width > 0.85 for _, whole, width in rows)
    bars = "[...document.querySelectorAll('.bars span, .panel h1, .panel p, .group summary span')]"
    assert (
        page.do(f"{bars}.filter((x) => x.scrollWidth > x.clientWidth + 1 || x.textContent.includes('…')).length") == 0
    )


def test_many_joints_are_in_groups_that_can_be_searched(opened):
    page = opened(hand().view(open=False), size=DESK)
    groups = page.tab.locator(".joints details.group")
    titles = groups.locator("summary span:first-child").all_inner_texts()
    assert titles == ["wrist", *(finger.replace("_", " ") for finger in FINGERS)]
    assert [int(x) for x in groups.locator(".count").all_inner_texts()] == [2, *FINGERS.values()]
    shown = "[...document.querySelectorAll('.joints .joint')].filter((x) => x.checkVisibility()).length"
    assert page.do(shown) == 2
    page.tab.keyboard.press("/")
    page.tab.keyboard.type("FINGER distal")
    assert page.do(shown) == 4 and page.tab.locator(".found").inner_text() == "4 of 24"
    page.tab.keyboard.press("Escape")
    assert page.do(shown) == 2 and page.tab.locator(".found").inner_text() == ""
    body = page.do("kinetrace.robot.program.bodies.findIndex(({ name }) => name === 'thumb_middle_flexion_link')")
    page.do("(body) => kinetrace.select({ robot: kinetrace.robot, body })", body)
    assert page.tab.locator(".joint.chosen").all_inner_texts()[0].startswith("thumb_middle_flexion")
    assert page.do(shown) == 7
    humanoid = opened(kt.load("humanoid", base="free").view(open=False))
    limbs = humanoid.tab.locator(".joints details.group summary span:first-child").all_inner_texts()
    assert len(limbs) == len(set(limbs)) == 7 and {"floating base", "neck", "left hip – ankle"} <= set(limbs)


def test_the_floor_is_below_all_of_a_motion(opened):
    """As low as the lowest vertex at any row, by three's own boxes; poses below it lower it."""
    lowest = "kinetrace.robot.box().min.z"
    other = opened(kt.load("quadruped", base="free").view(open=False), size=(200, 150))
    assert other.do("kinetrace.stage.height") == pytest.approx(other.do(lowest), abs=1e-6)
    assert other.do(f"kinetrace.stage.floor.position.z < {lowest}")
    robot, t = kt.load("planar2r"), np.linspace(0.0, 1.0, 31)
    q = np.stack([-2.5 * t, 0 * t], axis=-1)
    page = opened(robot.view(q, t=t, open=False), size=(400, 300))
    rows = page.do(f"Array.from(kinetrace.player.t, (t) => {{ kinetrace.still(t); return {lowest}; }})")
    assert page.do("kinetrace.stage.height") == pytest.approx(min(rows), abs=1e-6) and min(rows) < rows[0] - 0.5
    page.do("() => { kinetrace.setMode('pose'); kinetrace.robot.set([0.5, 0]); kinetrace.fit(); }")
    high = page.do("kinetrace.stage.height")
    page.do("kinetrace.panel.current.joints.go([-1.5, 0])")
    assert page.do("kinetrace.stage.height") == pytest.approx(page.do(lowest), abs=1e-6) and page.do(lowest) < high
    assert page.do("kinetrace.stage.floor.visible")
    page.tab.keyboard.press("g")
    assert not page.do("kinetrace.stage.floor.visible || kinetrace.panel.switches.floor.checked")


def test_ellipsoids_do_not_cover_the_robot(opened):
    page = opened(kt.load("quadruped").view(floor=False, theme="light", open=False))
    assert not page.do("kinetrace.stage.floor.visible || kinetrace.panel.switches.floor.checked")
    page.do("kinetrace.show('visual', false)")
    empty = page.pixels()
    page.do("kinetrace.show('visual', true)")
    robot = page.pixels()
    covered = np.abs(robot - empty).max(axis=-1) > 12  # where the robot is
    page.do("kinetrace.show('inertia', true)")
    changed = np.abs(page.pixels() - robot).max(axis=-1)
    assert covered.sum() > 1000
    assert changed[covered].mean() > 10 and np.median(changed[covered]) < 40  # of 255


QUANTITIES = "kinetrace.dock.all.map(({ name }) => name)"


def plotted(page, name):
    """Times and lines of a plot."""
    found = page.do(
        """(name) => { kinetrace.dock.show(name); const { t, lines } = kinetrace.dock.data();
        return [[...t], lines.map((x) => [...x])]; }""",
        name,
    )
    return np.array(found[0]), np.array(found[1]).T


def test_plots_show_the_numbers_of_a_motion_and_its_time(opened):
    robot = kt.load("panda")
    q0 = np.array([0, -np.pi / 4, 0, -3 * np.pi / 4, 0, np.pi / 2, np.pi / 4])
    motion = robot.simulate(
        q0, np.full(7, 0.3), t=0.5, dt=5e-3, controller=lambda t, q, v: robot.gravity(q) - 2 * v + np.sin(9 * t)
    )
    page = opened(robot.view(motion, show="plots", open=False), size=DESK, **CALM)
    t, q = plotted(page, "q")
    rows = np.searchsorted(motion.t, t - 1e-6)
    assert np.allclose(motion.t[rows], t, atol=1e-6) and rows[0] == 0 and rows[-1] == 100
    close = {"rtol": 1e-5, "atol": 1e-5}  # motions are in single precision
    assert page.do(QUANTITIES) == ["q", "v", "tau", "energy", "position"]
    assert np.allclose(q, motion.q[rows], **close)
    assert np.allclose(plotted(page, "v")[1], motion.v[rows], **close)
    assert np.allclose(plotted(page, "tau")[1], motion.tau[rows], **close)
    energies = np.stack([motion.kinetic_energy(), motion.potential_energy(), motion.energy()], axis=-1)
    assert np.allclose(plotted(page, "energy")[1], energies[rows], rtol=1e-5, atol=1e-4)
    frame = page.do("kinetrace.robot.program.frames[kinetrace.panel.current.numbers.frame].name")
    poses = np.array([robot.pose(x, frame)[:3, 3] for x in motion.q[rows]])
    assert np.allclose(plotted(page, "position")[1], poses, **close)
    page.do("kinetrace.dock.show('q')")
    chips = page.tab.locator(".chip")
    assert chips.count() == 7 and page.do("kinetrace.dock.marked.size") == 7
    chips.nth(2).click()
    assert page.do("[...kinetrace.dock.marked]") == [0, 1, 3, 4, 5, 6]
    box = page.tab.locator(".plot").bounding_box()
    axis = page.do("kinetrace.dock.axis")
    page.tab.mouse.click(box["x"] + axis["left"] + 0.4 * axis["width"], box["y"] + 40)
    assert page.do("kinetrace.player.time") == pytest.approx(0.2, abs=1e-3)
    shown = float(chips.nth(3).locator("b").inner_text())
    assert shown == pytest.approx(np.interp(page.do("kinetrace.player.time"), motion.t, motion.q[:, 3]), abs=5e-3)
    page.do("kinetrace.still(0.4)")
    assert float(chips.nth(3).locator("b").inner_text()) == pytest.approx(motion.q[80, 3], abs=5e-3)


def test_plots_of_configurations_with_times_and_of_a_simulation(opened):
    robot, t = kt.load("planar2r"), np.linspace(0.0, 1.0, 101)
    page = opened(robot.view(np.stack([np.sin(t), t**2], axis=-1), t=t, open=False), size=DESK, address="#plots=1")
    _, v = plotted(page, "v")
    assert page.do(QUANTITIES) == ["q", "v", "energy", "position"]
    assert np.allclose(v[1:-1], np.stack([np.cos(t), 2 * t], axis=-1)[1:-1], atol=1e-3)  # central differences
    page.do("() => { kinetrace.setMode('simulate'); kinetrace.simulation.stops = false; kinetrace.dock.show('q'); }")
    page.do("() => { kinetrace.simulation.running = false; kinetrace.robot.set([0.5, 0.3], [0, 0]); }")
    page.do(
        """() => { const { simulation, dock } = kinetrace; simulation.time = 0; simulation.dt = 0.002;
        for (let k = 0; k < 100; k++) { simulation.step(); dock.record(simulation.time); } }"""
    )
    times, q = plotted(page, "q")
    motion = robot.simulate([0.5, 0.3], [0.0, 0.0], t=0.2, dt=2e-3, method="rk4")
    assert np.allclose(times, motion.t[1:], atol=1e-9) and np.allclose(q, motion.q[1:], atol=1e-8)


FROM = {"front": "+x", "back": "-x", "left": "+y", "side": "-y", "top": "+z"}


def test_presets_look_from_where_they_say(opened):
    page = opened(kt.load("quadruped", base="free").view(open=False), size=(480, 320), **CALM)
    look = """() => { const { camera, controls, corners } = kinetrace.stage; camera.updateMatrixWorld();
        const points = corners.map((x) => x.clone().project(camera));
        const seen = points.every(({ x, y }) => Math.abs(x) < 1 && Math.abs(y) < 1);
        const from = camera.position.clone().sub(controls.target).normalize();
        const [right, up] = [0, 4].map((k) => [...camera.matrixWorld.elements.slice(k, k + 3)]);
        return { from: from.toArray(), right, up, seen }; }"""
    views = page.do(
        "kinetrace.keys.filter(({ part, keys }) => /^[0-9]$/.test(keys[0])).map(({ text, keys }) => [text, keys[0]])"
    )
    named = {
        "Front": "front",
        "Back": "back",
        "Left side": "left",
        "Right side": "side",
        "Top": "top",
        "Slanted": "iso",
    }
    assert {text for text, _ in views} == set(named)
    for text, key in views:
        page.tab.keyboard.press(key)
        now = page.do(look)
        assert now["seen"], text
        if (sign := FROM.get(named[text])) is None:
            assert min(np.abs(now["from"])) > 0.2 and now["from"][2] > 0
            continue
        wanted = np.eye(3)["xyz".index(sign[1])] * (1 if sign[0] == "+" else -1)
        assert np.allclose(now["from"], wanted, atol=1e-3), text
        assert np.allclose(now["up"], [0, 1, 0] if text == "Top" else [0, 0, 1], atol=1e-3)
    page.tab.keyboard.press("1")
    page.do("kinetrace.stage.approach(7)")
    page.tab.keyboard.press("f")  # the whole robot, from where the camera is
    now = page.do(look)
    assert now["seen"] and np.allclose(now["from"], [1, 0, 0], atol=1e-3)
    page.tab.emulate_media(reduced_motion="no-preference")  # the camera flies
    page.tab.keyboard.press("3")
    assert page.do("Boolean(kinetrace.stage.flight)")
    page.tab.wait_for_function("!kinetrace.stage.flight")
    assert page.do("kinetrace.stage.direction[2]") > 0.999


def test_help_lists_every_key_that_does_something(opened):
    robot = kt.load("panda")
    q = np.tile(robot.home(), (5, 1))
    page = opened(robot.view(q, t=np.linspace(0, 1, 5), open=False), size=DESK, **CALM)
    page.tab.keyboard.press("?")
    assert page.tab.locator("dialog.help").is_visible()
    listed = page.tab.locator("dialog.help .caps").evaluate_all("(all) => all.map((x) => x.dataset.key)")
    bound = page.do("kinetrace.keys.flatMap(({ keys }) => keys)")
    assert sorted(listed) == sorted(bound) and len(set(bound)) == len(bound) > 20
    page.tab.keyboard.press("Escape")
    assert not page.tab.locator("dialog.help").is_visible()
    page.do("() => { window.pressed = []; for (const k of kinetrace.keys) k.run = () => pressed.push(k.keys[0]); }")
    names = {" ": "Space"}
    for key in bound:
        page.tab.keyboard.press("+".join(names.get(x, x) for x in key.replace("Ctrl", "Control").split("+")))
    first = {key: keys[0] for keys in page.do("kinetrace.keys.map(({ keys }) => keys)") for key in keys}
    assert page.do("pressed") == [first[key] for key in bound]
    page.tab.locator(".joints input[type=text]").first.focus()
    page.tab.keyboard.press("h")  # a letter of what is typed
    assert len(page.do("pressed")) == len(bound)


def test_undo_and_redo_restore_poses_exactly(opened):
    robot = kt.load("panda")
    start = np.array([0.1, -0.7, 0.2, -2.2, 0.3, 1.6, 0.7])
    page = opened(robot.view(start, open=False), size=DESK, **CALM)
    now = "[...kinetrace.robot.q]"
    poses = [page.do(now)]

    def took():
        poses.append(page.do(now))
        assert poses[-1] != poses[-2] and page.do("kinetrace.history.past.length") == len(poses) - 1

    box = page.tab.locator(".joints input[type=range]").nth(1).bounding_box()
    mouse = page.tab.mouse
    mouse.move(box["x"] + 0.5 * box["width"], box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 2, steps=6)
    mouse.up()
    took()  # one step, though the slider has moved six times
    page.tab.locator(".joints input[type=text]").first.fill("0.5")
    page.tab.keyboard.press("Enter")
    took()
    page.tab.locator(".joints .tools button").nth(2).click()
    took()
    page.tab.keyboard.press("r")
    took()
    page.do("kinetrace.fitView()")
    x, y, *_ = page.place("panda_hand")
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 60, y + 20, steps=4)
    page.do("() => { for (let k = 0; k < 5; k++) kinetrace.follow(); }")
    mouse.up()
    took()
    mouse.click(*page.place("panda_hand")[:2])  # chooses a link, and is no step
    page.tab.locator(".joints .tools button").nth(1).click()
    took()
    assert poses[-1] == poses[0]
    for k in reversed(range(len(poses) - 1)):
        page.tab.keyboard.press("Control+z")
        assert page.do(now) == poses[k]
    page.tab.keyboard.press("Control+z")
    assert page.do(now) == poses[0] and page.tab.locator("[aria-label=Undo]").is_disabled()
    for k in range(1, len(poses)):
        page.tab.keyboard.press("Control+y" if k % 2 else "Control+Shift+z")
        assert page.do(now) == poses[k]
    assert page.tab.locator("[aria-label=Redo]").is_disabled()
    page.do("() => { kinetrace.setMode('simulate'); for (let k = 0; k < 20; k++) kinetrace.simulation.step(); }")
    page.tab.keyboard.press("Control+z")
    assert page.do(now) == poses[-1] and page.do("kinetrace.mode") == "pose"


SMALL = """() => {
    const wide = [document.documentElement, document.body].some((x) => x.scrollWidth > innerWidth);
    const all = [...document.querySelectorAll('button, input, select, summary')].filter((x) => x.checkVisibility());
    const boxes = all.map((x) => [x, (x.type === 'checkbox' ? x.parentElement : x).getBoundingClientRect()]);
    const panels = [...document.querySelectorAll('.panel, .dock, nav.bar, .toolbar, .help')];
    const label = (x) => x.getAttribute('aria-label') || x.textContent || x.className;
    const small = boxes.filter(([, b]) => b.height < 39.5 || b.width < 39.5);
    return { wide, count: all.length, small: small.map(([x]) => label(x)),
        out: boxes.filter(([, b]) => b.left < 0 || b.right > innerWidth).map(([x]) => label(x)),
        scroll: panels.filter((x) => x.scrollWidth > x.clientWidth + 1).map((x) => x.className) }; }"""


def test_a_telephone_has_room_for_fingers(opened):
    robot = kt.load("panda")
    q = np.tile(robot.home(), (5, 1))
    page = opened(robot.view(q, t=np.linspace(0, 1, 5), open=False), size=PHONE, **MOBILE, **CALM)
    fine = {"wide": False, "small": [], "out": [], "scroll": []}
    assert page.do("kinetrace.root.dataset.layout") == "sheet" and not page.tab.locator(".panel").is_visible()
    states = {
        "closed": "kinetrace.togglePanel(false)",
        "panel": "kinetrace.togglePanel(true)",
        "simulation": "kinetrace.setMode('simulate')",
        "plots": "() => { kinetrace.setMode('motion'); kinetrace.dock.toggle(true); }",
        "views": "kinetrace.toolbar.toggle(true)",
        "help": "kinetrace.help.toggle()",
    }
    for name, state in states.items():
        page.do(state)
        found = page.do(SMALL)
        assert found.pop("count") > 6 and found == fine, name
    assert not page.tab.locator(".panel").is_visible()  # the plots take its place
    page.do("() => { kinetrace.help.toggle(); kinetrace.toolbar.toggle(false); kinetrace.togglePanel(true); }")
    before = page.tab.locator(".panel").bounding_box()["height"]
    page.tab.locator(".handle").click()
    assert page.tab.locator(".panel").bounding_box()["height"] > before + 150
    page.do("() => { kinetrace.togglePanel(false); kinetrace.setMode('pose'); }")
    two_fingers_zoom(page, "panda_link4")


def two_fingers_zoom(page, frame):
    """Even if the first of them has grabbed a link, which then stays where it is."""
    x, y, *_ = page.place(frame)
    page.do("() => { window.before = [...kinetrace.robot.q]; window.far = kinetrace.stage.camera.position.length(); }")
    session = page.tab.context.new_cdp_session(page.tab)

    def touch(kind, *points):
        found = [{"x": a, "y": b, "id": k} for k, (a, b) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": found})

    touch("touchStart", (x, y))
    assert page.do("Boolean(kinetrace.pointer.grab)")
    touch("touchStart", (x, y), (x + 30, y + 30))
    assert not page.do("Boolean(kinetrace.pointer.grab)")
    for k in range(1, 6):
        touch("touchMove", (x - 12 * k, y - 12 * k), (x + 30 + 12 * k, y + 30 + 12 * k))
    touch("touchEnd")
    page.tab.wait_for_function("kinetrace.stage.camera.position.length() < 0.9 * far")
    assert page.do("[...kinetrace.robot.q].every((x, i) => x === before[i])")


def test_the_address_says_what_is_shown(opened):
    view = kt.load("panda").view(open=False)
    page = opened(
        view, size=DESK, address="#panel=0&tools=0&theme=dark&view=top&hide=floor&show=com&pannel=0&view=below"
    )
    assert page.do("[kinetrace.root.dataset.theme, kinetrace.stage.floor.visible]") == ["dark", False]
    assert (
        page.do("[...kinetrace.robot.overlays.on]") == ["closures", "com"]
        and page.do("kinetrace.stage.direction[2]") > 0.999
    )
    assert not any(page.tab.locator(x).is_visible() for x in (".panel", ".toolbar", ".toggle"))
    said = page.tab.locator(".message").inner_text()
    assert said.startswith("The address asks for pannel=0, view=below; options are panel, bar, tools, plots")


def test_pages_within_pages(opened, browser, tmp_path):
    """A notebook's iframe, and a small one on a web site: the panel waits, the wheel is the outer page's."""
    view = kt.load("panda").view(open=False)
    (tmp_path / "inner.html").write_text(view.html, encoding="utf-8")
    outer = tmp_path / "outer.html"
    frame = '<iframe src="inner.html" style="width:600px;height:420px;border:0"></iframe>'
    outer.write_text(f"{frame}{view._repr_html_()}<div style='height:2000px'></div>", encoding="utf-8")
    tab = browser.new_page(viewport={"width": 1100, "height": 800})
    tab.goto(outer.as_uri())
    site, notebook = (x.content_frame() for x in tab.query_selector_all("iframe"))
    for inner in (site, notebook):
        inner.wait_for_selector("#kinetrace[data-ready=true]")
    assert not site.is_visible(".panel") and site.is_visible(".toolbar") and notebook.is_visible(".panel")
    far = "kinetrace.stage.camera.position.distanceTo(kinetrace.stage.controls.target)"
    before = site.evaluate(far)
    tab.mouse.move(300, 60)
    tab.mouse.wheel(0, 120)
    tab.wait_for_function("scrollY > 0")
    assert site.evaluate(far) == pytest.approx(before)
    tab.evaluate("scrollTo(0, 0)")
    tab.mouse.click(120, 300)
    tab.mouse.move(300, 100)
    tab.mouse.wheel(0, -240)
    site.wait_for_function(f"{far} < {0.95 * before}")
    tab.close()


def test_a_page_is_smaller_than_a_megabyte():
    assert len(kt.load("panda").view(open=False).html.encode()) < 1e6

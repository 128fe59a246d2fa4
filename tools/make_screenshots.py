"""Pictures of the viewer for README and docs, in docs/pictures/; the film of the first page is in docs/_static/.

    python tools/make_screenshots.py            # all
    python tools/make_screenshots.py panda      # those whose name contains this

Needs the extra `record`, Chrome or Chromium, and `example-robot-data` for the meshes of the Panda; the notebook needs
ipykernel and nbclient.
"""

from __future__ import annotations

import html
import io
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageSequence

import kinetrace as kt
from kinetrace.view import capture
from kinetrace.view.view import View

DOCS = Path(__file__).parent.parent / "docs"
FOLDER = DOCS / "pictures"
LARGEST = 150_000
"""Bytes of a picture."""
READY = (0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4)
"""The pose in which a Panda waits."""


class Camera:
    """A browser that opens pages and takes pictures."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser

    def open(self, view: View | str, size: tuple[int, int]) -> Any:
        """A tab with a page in it, ready."""
        folder = Path(tempfile.mkdtemp())
        file = folder / "page.html"
        file.write_text(view if isinstance(view, str) else view.html, encoding="utf-8")
        tab = self.browser.new_page(viewport={"width": size[0], "height": size[1]})
        tab.on("console", lambda m: print(f"  {m.type}: {m.text}") if m.type in ("error", "warning") else None)
        begin = time.perf_counter()
        tab.goto(file.as_uri())
        if not isinstance(view, str):
            capture.wait_until_ready(tab)
            print(f"  {len(view.html) / 1e6:.2f} MB, ready after {time.perf_counter() - begin:.1f} s")
        return tab


def kept(name: str, content: bytes) -> None:
    """Write a picture with as many colours as its size allows."""
    image = Image.open(io.BytesIO(content)).convert("RGB")
    for colours in (256, 192, 128, 96, 64):
        out = io.BytesIO()
        palette = image.quantize(colours, method=Image.Quantize.MAXCOVERAGE)
        few = image.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG)
        few.save(out, "PNG", optimize=True)
        if out.tell() <= LARGEST:
            break
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"viewer_{name}.png").write_bytes(out.getvalue())
    print(f"  docs/pictures/viewer_{name}.png: {out.tell() / 1000:.0f} kB, {colours} colours")


def shot(tab: Any, wait: int = 900) -> bytes:
    """The tab as it is, after a while."""
    tab.wait_for_timeout(wait)
    found = bytes(tab.screenshot())
    tab.close()
    return found


def still(tab: Any, size: tuple[int, int], look: list[float]) -> bytes:
    """The scene alone, from a direction."""
    tab.evaluate("([w, h]) => kinetrace.recorder.begin(w, h)", list(size))
    tab.evaluate("(d) => { kinetrace.stage.covered = [0, 0]; kinetrace.stage.look(d); }", look)
    found = capture._picture(tab, None)
    tab.close()
    return found


def panda_with_meshes() -> tuple[kt.Robot, Any]:
    """The Panda of example-robot-data."""
    wheel = metadata.distribution("example-robot-data")
    path = next(p for p in wheel.files or () if str(p).endswith("panda_description/urdf/panda.urdf"))
    robot = kt.load(wheel.locate_file(path), check="ignore")
    q = robot.home()
    q[: robot.nq] = [*READY, 0.03][: robot.nq]
    return robot, q


def panda(camera: Camera) -> bytes:
    """The whole page."""
    robot, q = panda_with_meshes()
    return shot(camera.open(robot.view(q, theme="light", open=False), (1200, 720)))


def panda_dark(camera: Camera) -> bytes:
    """The same at night."""
    robot, q = panda_with_meshes()
    return shot(camera.open(robot.view(q, theme="dark", open=False), (1200, 720)))


def marks(camera: Camera) -> bytes:
    """Screw axes, the centre of mass and a wrench."""
    robot, q = panda_with_meshes()
    wrench = {"panda_hand": [0, 0, 0, 12.0, 0, -20.0]}
    view = robot.view(q, theme="dark", show=("axes", "com"), wrench=wrench, open=False)
    return shot(camera.open(view, (1040, 640)))


def plots(camera: Camera) -> bytes:
    """A motion, and its joint forces over time."""
    robot = kt.load("panda")
    begin = np.array(READY)

    def law(t: float, q: Any, v: Any) -> Any:
        wanted = begin + 0.5 * np.sin(2.2 * t) * np.array([1.0, 0.6, 0.4, 0.8, 0.5, 0.6, 1.0])
        return robot.gravity(q) + 60.0 * (wanted - q) - 12.0 * v

    motion = robot.simulate(begin, np.zeros(7), t=4.0, dt=1e-3, controller=law)
    view = robot.view(motion, show="plots", trail="panda_hand", theme="light", open=False)
    tab = camera.open(view, (1200, 720))
    tab.evaluate("() => { kinetrace.still(1.6); kinetrace.dock.show('tau'); }")
    return shot(tab)


def keys(camera: Camera) -> bytes:
    """What the keys do."""
    robot = kt.load("panda")
    view = robot.view(np.tile(READY, (2, 1)), t=[0.0, 1.0], theme="light", open=False)
    tab = camera.open(view, (1000, 640))
    tab.evaluate("() => { kinetrace.still(0); kinetrace.help.toggle(); }")
    return shot(tab)


def quadruped(camera: Camera) -> bytes:
    """A robot of primitive shapes."""
    robot = kt.load("quadruped", base="free")
    q = robot.home()
    legs = np.tile([0.0, 0.75, -1.45], 4)
    q[7:] = legs
    tab = camera.open(robot.view(q, theme="light", show=("com",), open=False), (900, 560))
    return still(tab, (900, 560), look=[1.2, -1.3, 0.5])


def humanoid(camera: Camera) -> bytes:
    """How masses are spread: inertia ellipsoids."""
    robot = kt.load("humanoid")
    tab = camera.open(robot.view(theme="dark", show=("inertia",), open=False), (700, 760))
    return still(tab, (700, 760), look=[1.3, -0.9, 0.25])


def four_bar(camera: Camera) -> bytes:
    """A closed loop in motion, with the trail of its coupler."""
    robot = kt.load("four_bar").with_frame("tracer", "coupler", [0.15, 0, 0.1])
    q = robot.assemble()
    v = robot.velocity_map(q) @ [6.0]
    motion = robot.simulate(q, v, t=1.2, dt=2e-3)
    view = robot.view(motion, trail="tracer", show=("closures", "axes"), theme="light", open=False)
    tab = camera.open(view, (900, 560))
    tab.evaluate("kinetrace.stage.look([0.5, -1.6, 0.35])")
    tab.evaluate("kinetrace.still(0.7)")
    return shot(tab)


def ghosts(camera: Camera) -> bytes:
    """A batch of configurations."""
    robot, q = panda_with_meshes()
    rows = np.repeat(q[None], 6, axis=0)
    s = np.linspace(0.0, 1.0, 6)
    rows[:, 0] = -0.9 + 1.9 * s
    rows[:, 1] = 0.15 - 0.75 * s
    rows[:, 3] = -1.9 - 0.3 * s
    tab = camera.open(robot.view(rows, theme="light", open=False), (900, 600))
    return still(tab, (900, 600), look=[1.3, -0.75, 0.6])


def spring(camera: Camera) -> bytes:
    """A simulation in which the pointer pulls the hand by a spring."""
    robot, q = panda_with_meshes()
    q[7:] = 0.0
    tab = camera.open(robot.view(q, theme="light", open=False), (1200, 720))
    tab.evaluate("() => { kinetrace.setMode('simulate'); kinetrace.simulation.running = false; }")
    tab.locator("input[name=damping]").evaluate("(x) => { x.value = 2; x.dispatchEvent(new Event('input')); }")
    frame = "panda_link7"
    x, y = tab.evaluate(
        """(frame) => { const { robot, stage } = kinetrace;
        const k = robot.program.frames.findIndex((f) => f.name === frame);
        const at = 16 * (robot.program.bodies.length + k), { camera } = stage; camera.updateMatrixWorld();
        const p = camera.position.clone().set(...[3, 7, 11].map((i) => robot.poses[at + i])).project(camera);
        return [(p.x + 1) / 2 * innerWidth, (1 - p.y) / 2 * innerHeight]; }""",
        frame,
    )
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x + 150, y - 60, steps=3)
    tab.evaluate("() => { for (let k = 0; k < 150; k++) kinetrace.simulation.step(); }")
    tab.evaluate("() => { kinetrace.robot.update(); }")
    return shot(tab)


def capsules(camera: Camera) -> bytes:
    """A robot without shapes: links as capsules between joints."""
    table = [(0, 0, 0.4, 0), (0, -np.pi / 2, 0, -0.9), (0.45, 0, 0.05, 1.2), (0.05, -np.pi / 2, 0.4, 0.3)]
    table += [(0, np.pi / 2, 0, -0.7), (0, -np.pi / 2, 0.15, 0)]
    robot = kt.from_dh(table, check="ignore")
    tab = camera.open(robot.view(theme="light", show=("axes",), open=False), (700, 560))
    return still(tab, (700, 560), look=[1.0, -1.2, 0.5])


CELL = """import kinetrace as kt

robot = kt.load("stewart")
robot.view()"""


def notebook(camera: Camera) -> bytes:
    """A cell that a kernel has run, and what it shows."""
    import nbclient
    import nbformat

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    nbclient.NotebookClient(book, kernel_name="python3").execute()
    shown = next(x.data["text/html"] for x in book.cells[0].outputs if "text/html" in x.get("data", {}))
    style = (
        "body{margin:0;padding:22px 26px;font:14px system-ui;background:#fff}pre{margin:0;padding:12px 14px;"
        "background:#f6f7f9;border:1px solid #e2e5ea;border-radius:6px;font:13px/1.5 ui-monospace,monospace}"
        ".in{display:grid;grid-template-columns:56px 1fr;gap:8px;margin-bottom:12px}.n{color:#3466f0;"
        "font:13px ui-monospace,monospace;padding-top:13px}.out{margin-left:64px}"
    )
    page = f"<style>{style}</style><div class=in><div class=n>In [1]:</div><pre>{html.escape(CELL)}</pre></div>"
    tab = camera.open(f"<!doctype html><meta charset=utf-8>{page}<div class=out>{shown}</div>", (1000, 720))
    capture.wait_until_ready(tab.wait_for_selector("iframe").content_frame())
    return shot(tab, 2500)


def phone(camera: Camera) -> bytes:
    """The page on a small screen."""
    tab = camera.open(kt.load("ur5e").view([0.3, -1.2, 1.4, -1.7, -1.57, 0], theme="light", open=False), (390, 780))
    tab.evaluate("kinetrace.togglePanel(true)")
    return shot(tab)


def phone_plots(camera: Camera) -> bytes:
    """Plots on a small screen."""
    robot, t = kt.load("ur5e"), np.linspace(0.0, 4.0, 241)
    q = np.array([0.3, -1.2, 1.4, -1.7, -1.57, 0]) + 0.4 * np.sin(np.outer(t, [1.0, 1.3, 1.7, 2.0, 0.7, 2.5]))
    view = robot.view(q, t=t, show="plots", theme="dark", open=False)
    tab = camera.open(view, (390, 780))
    tab.evaluate("kinetrace.still(1.5)")
    return shot(tab)


def film() -> None:
    """A Panda in motion, for the README: its end is its beginning."""
    robot, home = panda_with_meshes()
    t = np.linspace(0.0, 4.0, 161)
    phase = 2 * np.pi * np.outer(t / t[-1], (1, 1, 1, 2, 1, 2, 1)) + (0.0, 1.5, 0.7, 0.0, 2.0, 1.0, 0.0)
    q = np.repeat([home], len(t), axis=0)
    q[:, :7] += np.array([0.7, 0.35, 0.3, 0.35, 0.5, 0.5, 0.6]) * (np.sin(phase) - np.sin(phase[0]))
    view = robot.view(q, t=t, trail="panda_hand", show="trail", theme="light", open=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.gif"
        view.save(path, size=(1000, 700), rate=10.0)
        with Image.open(path) as wide:  # the robot is in the middle, small
            images = [x.convert("RGB").crop((280, 210, 760, 510)) for x in ImageSequence.Iterator(wide)]
    palette = images[len(images) // 2].quantize(64)  # one for all, so that what rests is not written again
    few = [x.quantize(palette=palette, dither=Image.Dither.NONE) for x in images]
    few[0].save(FOLDER / "viewer.gif", save_all=True, append_images=few[1:], duration=100, loop=0, optimize=True)
    print(f"  docs/pictures/viewer.gif: {(FOLDER / 'viewer.gif').stat().st_size / 1000:.0f} kB")


def first_page(camera: Camera) -> None:
    """The two robots of the live page, as a film and, for readers who prefer no motion, as a picture."""
    sys.path.append(str(DOCS))
    from _site import live

    size, rate = (1600, 1000), 12.0
    tab = camera.open(live.scene("dark"), size)
    tab.evaluate("kinetrace.togglePanel(false)")  # which would push the robots aside
    tab.evaluate("([w, h]) => kinetrace.recorder.begin(w, h)", list(size))
    capture._picture(tab, 0.0)
    tab.evaluate("(d) => { kinetrace.stage.covered = [0, 0]; kinetrace.stage.look(d); }", [1.3, -0.9, 0.5])
    count = round(live.SECONDS * rate)
    pictures = [capture._picture(tab, k / rate) for k in range(count)]  # the last moment is the first one
    tab.close()
    images = [Image.open(io.BytesIO(x)).convert("RGB").crop((371, 265, 1251, 793)) for x in pictures]
    images = [x.resize((800, 480), Image.Resampling.LANCZOS) for x in images]
    for name, first, *others in (("film", *images), ("film_still", images[count // 4])):
        path = DOCS / "_static" / f"{name}.webp"
        moving: dict[str, Any] = {"save_all": True, "append_images": others, "duration": round(1000 / rate), "loop": 0}
        first.save(path, quality=55, method=6, **(moving if others else {}))
        print(f"  docs/_static/{name}.webp: {path.stat().st_size / 1000:.0f} kB")


PICTURES: list[Callable[[Camera], bytes]] = [
    panda,
    panda_dark,
    marks,
    plots,
    keys,
    quadruped,
    humanoid,
    four_bar,
    ghosts,
    spring,
    capsules,
    notebook,
    phone,
    phone_plots,
]


def main() -> None:
    """Make the pictures whose names contain the first argument."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    if wanted in "film":
        film()
    with capture.browser() as browser:
        camera = Camera(browser)
        if wanted in "first_page":
            first_page(camera)
        for make in PICTURES:
            if wanted in make.__name__:
                print(make.__name__)
                kept(make.__name__, make(camera))


if __name__ == "__main__":
    main()

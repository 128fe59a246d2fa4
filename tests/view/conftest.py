"""Pages of the viewer in a real browser."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest

from kinetrace.view import capture

WIDTH, HEIGHT = 360, 260


@pytest.fixture(scope="module")
def browser():
    pytest.importorskip("playwright.sync_api", reason="the page is tested through playwright")
    if capture.browser_path() is None:
        pytest.skip("the page is tested in Chrome, Chromium or Edge: none was found")
    with capture.browser() as found:
        yield found


class Page:
    """A page of the viewer, with everything that went wrong in it."""

    def __init__(self, browser, tmp_path, view, size=(WIDTH, HEIGHT), address="", **context):
        self.path = tmp_path / "view.html"
        self.path.write_text(view if isinstance(view, str) else view.html, encoding="utf-8")
        self.tab = browser.new_page(viewport={"width": size[0], "height": size[1]}, **context)
        self.faults, self.requests = [], []
        self.tab.on("console", lambda m: self.faults.append(m.text) if m.type in ("error", "warning") else None)
        self.tab.on("pageerror", lambda e: self.faults.append(str(e)))
        self.tab.on("request", lambda r: self.requests.append(r.url))
        self.tab.context.set_offline(True)
        self.tab.goto(self.path.as_uri() + address)
        capture.wait_until_ready(self.tab)

    def do(self, script, *given):
        return self.tab.evaluate(script, *given)

    def pixels(self):
        """The picture without panels (height, width, 3)."""
        self.do(f"kinetrace.recorder.begin({WIDTH}, {HEIGHT})")
        found = self.do("kinetrace.recorder.picture()")
        self.do("kinetrace.recorder.end()")
        image = pytest.importorskip("PIL.Image").open(io.BytesIO(base64.b64decode(found.partition(",")[2])))
        return np.asarray(image.convert("RGB"), dtype=int)

    def place(self, frame):
        """Where a frame is: on the screen, then in the world."""
        return self.do(
            """(frame) => { const { robot, stage } = kinetrace; const { camera } = stage;
            const k = robot.program.frames.findIndex((f) => f.name === frame);
            const e = robot.pose(robot.program.bodies.length + k).elements; camera.updateMatrixWorld();
            const p = camera.position.clone().set(e[12], e[13], e[14]).project(camera);
            const { width, height } = stage.canvas.getBoundingClientRect();
            return [(p.x + 1) / 2 * width, (1 - p.y) / 2 * height, e[12], e[13], e[14]]; }""",
            frame,
        )

    def close(self):
        """Nothing went wrong, and nothing was asked of any host."""
        self.tab.close()
        assert self.faults == []
        assert [url for url in self.requests if not url.startswith(("file:", "blob:", "data:"))] == []


@pytest.fixture
def opened(browser, tmp_path):
    pages = []

    def open_page(view, **more):
        pages.append(Page(browser, tmp_path, view, **more))
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()

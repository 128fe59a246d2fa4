"""Pictures and films of a page, taken by a browser without a window, moment by moment."""

from __future__ import annotations

import base64
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..robot.types import Float
from ..support.conversion import as_count
from ..support.files import write_atomically
from ..support.optional import require_package

PROGRAMS = (
    "google-chrome",
    "google-chrome-stable",
    "chromium",
    "chromium-browser",
    "chrome",
    "microsoft-edge",
    "msedge",
)
"""Names of browsers that can be driven."""
PLACES = {
    "darwin": (
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ),
    "win32": (
        r"%PROGRAMFILES%\Google\Chrome\Application\chrome.exe",
        r"%LOCALAPPDATA%\Google\Chrome\Application\chrome.exe",
        r"%PROGRAMFILES(X86)%\Microsoft\Edge\Application\msedge.exe",
    ),
}
"""Where they are on systems that have no search path for them."""
SWITCHES = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")
"""Graphics by the processor: the same picture on every machine."""
MAX_SIDE = 4096
"""Pixels along a side."""
MAX_RATE = 240.0
"""Pictures per second of a film."""
MAX_GIF_RATE = 50.0
"""The same of GIFs: browsers show pictures that should stay for less than 0.02 s for 0.1 s."""
READY_SECONDS = 120.0
"""Seconds in which a page has to be ready."""
MOST_FRAMES = 3000
TURN_SECONDS = 4.0
"""Seconds that a turn around a robot takes in a film without a motion."""


def browser_path() -> str | None:
    """The path of an installed browser that can be driven; None if there is none."""
    named = os.environ.get("KINETRACE_BROWSER")
    candidates = [named] if named else [*PROGRAMS, *(os.path.expandvars(x) for x in PLACES.get(sys.platform, ()))]
    return next((path for name in candidates if (path := shutil.which(name))), None)


@contextmanager
def browser() -> Iterator[Any]:
    """A browser without a window, driven by playwright."""
    api = require_package("playwright.sync_api", "a picture of a view", "record")
    path = browser_path()
    if path is None and (named := os.environ.get("KINETRACE_BROWSER")):
        what = "is no program" if Path(named).exists() else "does not exist"
        raise InputError(f"KINETRACE_BROWSER names {named!r}, which {what}")
    if path is None:
        wanted = "Chrome, Chromium or Edge"
        raise InputError(f"a picture of a view needs {wanted}: install one, or name its path in KINETRACE_BROWSER")
    with api.sync_playwright() as driver:
        unsafe = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        try:
            started = driver.chromium.launch(executable_path=path, args=[*SWITCHES, *unsafe])
        except api.Error as error:
            raise InputError(f"the browser {path!r} did not start: {str(error).splitlines()[0]}") from None
        try:
            yield started
        finally:
            started.close()


def save(
    text: str,
    path: Path,
    *,
    size: tuple[int, int],
    rate: float,
    time: float | None,
    times: Float | None,
    panel: bool,
) -> None:
    """Write a page as a picture or a film, in the format of the suffix."""
    width, height = (as_count("size", x, 16) for x in size)
    if max(width, height) > MAX_SIDE:
        raise InputError(f"size must be at most {MAX_SIDE} pixels along a side, got {(width, height)}")
    fastest = MAX_GIF_RATE if path.suffix == ".gif" else MAX_RATE
    if not 0 < rate <= fastest:
        other = ": .mp4 shows more" if 0 < rate <= MAX_RATE else ""
        raise InputError(
            f"rate must be positive, and at most {fastest:g} pictures per second in {path.suffix}, got {rate:g}{other}"
        )
    if time is not None and times is None:
        raise InputError("time is that of a motion, and this view has none")
    if time is not None and times is not None and not times[0] <= time <= times[-1]:
        raise InputError(f"time must be in the motion, from {times[0]:g} to {times[-1]:g} s, got {time:g}")
    if path.suffix != ".png":
        require_package("PIL.Image", "a film of a view", "record")
    if path.suffix == ".mp4":
        require_package("imageio_ffmpeg", "a film of a view", "record")
    # in a thread of its own, since playwright waits, which it may not do where a notebook's loop runs
    with ThreadPoolExecutor(1) as pool:
        content = pool.submit(_capture, text, path.suffix, (width, height), rate, time, times, panel).result()
    write_atomically({path: content})


def _capture(
    text: str, kind: str, size: tuple[int, int], rate: float, time: float | None, times: Float | None, panel: bool
) -> bytes:
    """The content of a file of that kind."""
    with tempfile.TemporaryDirectory() as folder, browser() as program:
        file = Path(folder) / "view.html"
        file.write_text(text, encoding="utf-8")
        tab = program.new_page(viewport={"width": size[0], "height": size[1]})
        tab.goto(file.as_uri())
        wait_until_ready(tab)
        if kind == ".png" and panel:
            tab.evaluate("(t) => kinetrace.still(t)", time)
            tab.wait_for_timeout(300)
            return bytes(tab.screenshot())
        tab.evaluate("([w, h]) => kinetrace.recorder.begin(w, h)", list(size))
        if kind == ".png":
            return _picture(tab, time)
        frames = _frames(tab, times, rate)
        return _gif(frames, rate) if kind == ".gif" else _mp4(frames, rate)


def wait_until_ready(tab: Any) -> None:
    """Wait until a page shows its robots; an error with its own words if it cannot."""
    from playwright.sync_api import TimeoutError as LateError

    try:
        root = tab.wait_for_selector("#kinetrace[data-ready]", timeout=1000 * READY_SECONDS, state="attached")
    except LateError:
        raise InputError(f"the page was not ready after {READY_SECONDS:g} s") from None
    if root.get_attribute("data-ready") != "true":
        raise InputError(root.query_selector(".failure").text_content())


def _picture(tab: Any, time: float | None, turn: float = 0.0) -> bytes:
    url = tab.evaluate("([t, turn]) => kinetrace.picture(t, turn)", [time, turn])
    return base64.b64decode(url.partition(",")[2])


def _frames(tab: Any, times: Float | None, rate: float) -> Iterator[bytes]:
    """PNGs at equal times of the motion; of a turn around the robot, if there is none."""
    begin, end = (0.0, TURN_SECONDS) if times is None else (float(times[0]), float(times[-1]))
    n = max(1, round((end - begin) * rate))
    if n > MOST_FRAMES:
        raise InputError(f"a film has at most {MOST_FRAMES} pictures, not {n}: lower the rate, or take a part of it")
    for k in range(n if times is None else n + 1):
        if times is None:
            yield _picture(tab, None, 2 * np.pi * k / n)
        else:
            yield _picture(tab, min(begin + k / rate, end))


def _gif(frames: Iterator[bytes], rate: float) -> bytes:
    from PIL import Image

    images = [Image.open(io.BytesIO(x)).convert("RGB") for x in frames]
    palette = images[len(images) // 2].quantize(256, method=Image.Quantize.MEDIANCUT)
    flat = [image.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG) for image in images]
    out = io.BytesIO()
    ends = [10 * round(100 * k / rate) for k in range(len(flat) + 1)]  # in ms; GIFs count hundredths of a second
    flat[0].save(out, "GIF", save_all=True, append_images=flat[1:], duration=np.diff(ends).tolist(), loop=0)
    return out.getvalue()


def _mp4(frames: Iterator[bytes], rate: float) -> bytes:
    import imageio_ffmpeg
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "film.mp4"
        writer = None
        for x in frames:
            image = Image.open(io.BytesIO(x)).convert("RGB")
            width, height = (n - n % 2 for n in image.size)  # the codec wants even sizes
            image = image.crop((0, 0, width, height))
            if writer is None:
                writer = imageio_ffmpeg.write_frames(
                    str(file), (width, height), fps=rate, quality=8, macro_block_size=2, ffmpeg_log_level="error"
                )
                writer.send(None)
            writer.send(image.tobytes())
        if writer is not None:
            writer.close()
        return file.read_bytes()

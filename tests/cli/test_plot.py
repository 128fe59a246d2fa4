"""`kinetrace plot`."""

import pytest

import kinetrace as kt
from kinetrace.cli import main

pytest.importorskip("matplotlib")


def run(capsys, *argv, code=0):
    assert main([*map(str, argv)]) == code
    return capsys.readouterr()


@pytest.fixture(scope="module")
def motion(tmp_path_factory):
    file = tmp_path_factory.mktemp("motion") / "a.npz"
    kt.load("planar2r").simulate([0.5, 0.0], [0.0, 0.0], t=0.2, dt=0.01).save(file)
    return file


@pytest.mark.parametrize("what", ["robot", "mass_matrix", "counts", "workspace", "motion", "energy"])
def test_every_picture_is_written(capsys, tmp_path, motion, what):
    file = tmp_path / "a.png"
    more = ["--motion", motion] if what in ("robot", "motion", "energy") else []
    out = run(capsys, "plot", "planar2r", "--what", what, *more, "--output", file).out
    assert str(file) in out and file.read_bytes().startswith(b"\x89PNG")


def test_a_robot_is_drawn_into_this_folder_by_its_name(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(capsys, "plot", "four_bar", "--no-shapes", "--show", "closures,com")
    assert [x.name for x in tmp_path.iterdir()] == ["four_bar.png"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--what", "energy"], "needs --motion FILE"),
        (["--what", "counts", "--motion", "a.npz"], "--motion does not change counts"),
        (["--q", "0,0", "--motion", "a.npz"], "not both"),
        (["--q", "0"], "--q must have shape"),
        (["--show", "shadows"], "unknown show"),
        (["--what", "counts", "--show", "com"], "--show is about --what robot"),
        (["--motion", "nowhere.npz"], "no file"),
        (["--output", "a.gif"], "pictures are written as .png, .svg, .pdf"),
    ],
)
def test_wrong_input_is_one_line(capsys, argv, message):
    found = run(capsys, "plot", "planar2r", *argv, code=2)
    assert found.err.startswith("kinetrace: error: ") and message in found.err and found.err.count("\n") == 1

"""`kinetrace cache`: what it shows and clears, for people and for programs."""

import json
import os
import time
from datetime import datetime

import pytest

import kinetrace as kt
from kinetrace.cli import main
from kinetrace.engine.cache import disk

NAMES = [f"{i:064x}" for i in range(3)]


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """An empty cache, and a screen of 80 columns."""
    monkeypatch.setenv("KINETRACE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("KINETRACE_CACHE_SIZE", raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path / "cache"


@pytest.fixture
def full(place):
    """Three kernels of 1, 2 and 3 kB, used on the first days of 2021, and a foreign file."""
    for day, name in enumerate(NAMES, 1):
        disk.store(name, b"x" * (1000 * day - 51))
        used = datetime(2021, 1, day, 12, 30).timestamp()
        os.utime(place / name, (used, used))
    (place / "notes.txt").write_text("mine")
    return place


def run(capsys, *argv, code=0):
    assert main(["cache", *argv]) == code
    return capsys.readouterr()


def test_help_has_examples_within_80_columns(capsys):
    with pytest.raises(SystemExit):
        main(["cache", "--help"])
    out = capsys.readouterr().out
    assert "Examples:\n  kinetrace cache" in out and max(map(len, out.splitlines())) <= 80


def test_it_shows_what_is_kept(capsys, full):
    out, err = run(capsys)
    assert err == ""
    assert out.splitlines() == [
        f"Directory  {full}",
        "Kernels    3",
        "Size       6 kB of 512 MB at most",
        "Oldest use 2021-01-01 12:30",
        "Newest use 2021-01-03 12:30",
    ]


def test_for_a_program(capsys, full, monkeypatch):
    monkeypatch.setenv("KINETRACE_CACHE_SIZE", "64")
    found = json.loads(run(capsys, "--json").out)
    uses = [datetime.fromisoformat(found.pop(key)).timestamp() for key in ("oldest_use", "newest_use")]
    assert uses == [datetime(2021, 1, day, 12, 30).timestamp() for day in (1, 3)]
    assert found == {"directory": str(full), "usable": True, "kernels": 3, "bytes": 6000, "limit": 64_000_000}


def test_clear_removes_the_kernels_alone(capsys, full):
    out, err = run(capsys, "--clear")
    assert out == f"Removed 3 kernels, 6 kB, from {full}\n" and err == ""
    assert {path.name for path in full.iterdir()} == {"notes.txt", "secret"}
    again = json.loads(run(capsys, "--clear", "--json").out)
    assert again == {"directory": str(full), "removed": 0, "bytes": 0, "not_removed": 0}


def test_clear_says_what_it_could_not_remove(capsys, full, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "unlink", refuse)
    out, err = run(capsys, "--clear", code=1)
    assert out.startswith("Removed 0 kernels") and "3 files could not be removed" in err
    assert json.loads(run(capsys, "--clear", "--json", code=1).out)["not_removed"] == 3


def test_the_path_alone(capsys, place, monkeypatch):
    assert run(capsys, "--path") == (f"{place}\n", "")
    assert json.loads(run(capsys, "--path", "--json").out) == {"directory": str(place)}
    monkeypatch.chdir(place.parent)
    monkeypatch.setenv("KINETRACE_CACHE", "cache")
    assert run(capsys, "--path").out == f"{place}\n"
    with pytest.raises(SystemExit):
        main(["cache", "--path", "--clear"])


def test_an_empty_cache_is_shown_but_not_made(capsys, place):
    assert run(capsys).out == f"Directory  {place}\nKernels    0\nSize       0 bytes of 512 MB at most\n"
    assert run(capsys, "--clear").out == f"Removed 0 kernels, 0 bytes, from {place}\n"
    assert not place.exists()


def test_a_cache_that_is_off_is_no_error(capsys, monkeypatch):
    monkeypatch.setenv("KINETRACE_CACHE", "off")
    for argv in ([], ["--clear"]):
        out, err = run(capsys, *argv)
        assert out.startswith("The cache is off: KINETRACE_CACHE is 'off'.") and err == ""
    out, err = run(capsys, "--path", code=1)  # nothing that a script could take for a directory
    assert out == "" and "The cache is off" in err
    found = json.loads(run(capsys, "--json").out)
    assert found["directory"] is None and found["usable"] is False and found["kernels"] == 0
    assert json.loads(run(capsys, "--clear", "--json").out)["removed"] == 0


def test_what_is_wrong_with_the_settings_is_told(capsys, place, monkeypatch):
    monkeypatch.setenv("KINETRACE_CACHE_SIZE", "lots")
    out = run(capsys).out
    assert "512 MB at most" in out and "KINETRACE_CACHE_SIZE is not a number of MB: 'lots'" in out
    place.write_text("a file")
    assert "not used: this must be a directory that you alone can write to" in run(capsys).out


def test_a_date_in_the_future_is_now(capsys, full):
    os.utime(full / NAMES[0], (0, 10**11))
    newest = json.loads(run(capsys, "--json").out)["newest_use"]
    assert abs(datetime.fromisoformat(newest).timestamp() - time.time()) < 60


def test_kernels_that_are_compiled_show_up(capsys, forgetful):
    kt.load("planar2r").mass_matrix([0.1, 0.2])
    kernels = json.loads(run(capsys, "--json").out)["kernels"]
    assert kernels > 0
    assert json.loads(run(capsys, "--clear", "--json").out)["removed"] == kernels

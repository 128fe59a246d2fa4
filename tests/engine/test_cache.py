"""The cache on disk is bounded: what is used last stays, and only its own files ever go."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kinetrace as kt
from kinetrace.engine.cache import disk

SRC = Path(kt.__file__).parents[1]
CODE = b"x" * 949  # with its header, a file of 1000 bytes


def name(i: int) -> str:
    return f"{i:064x}"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """An empty cache for three files of 1000 bytes."""
    monkeypatch.setenv("KINETRACE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("KINETRACE_CACHE_SIZE", "0.003")
    return tmp_path / "cache"


def keep(*numbers: int) -> None:
    """Store files, each used a minute after the one before, all an hour ago."""
    for minute, i in enumerate(numbers):
        disk.store(name(i), CODE)
        os.utime(disk.directory() / name(i), (0, time.time() - 3600 + 60 * minute))


def there() -> list[int]:
    return [int(Path(file.path).name, 16) for file in disk.cached_files()]


def write(path: Path, age: float = 0.0, content: bytes = b"z" * 5000) -> Path:
    path.write_bytes(content)
    os.utime(path, (0, time.time() - age))
    return path


def test_the_least_recently_used_make_room(place):
    keep(0, 1, 2)
    assert there() == [0, 1, 2] and {file.size for file in disk.cached_files()} == {1000}
    assert disk.fetch(name(0)) == CODE  # used: now 1 is the oldest
    disk.store(name(3), CODE)
    assert there() == [2, 0, 3]
    disk.store(name(4), CODE * 2)  # 1949 bytes
    assert there() == [3, 4]
    assert disk.fetch(name(3)) == CODE and disk.fetch(name(4)) == CODE * 2


def test_a_file_that_is_not_genuine_does_not_count_as_used(place):
    keep(0, 1, 2)
    (place / name(0)).write_bytes((place / name(0)).read_bytes()[:-1] + b"?")
    os.utime(place / name(0), (0, 1000))
    assert disk.fetch(name(0)) is None
    assert there() == [0, 1, 2]


def test_storing_again_replaces(place):
    keep(0, 1, 2)
    disk.store(name(0), CODE)
    assert there() == [1, 2, 0]


def test_a_kernel_beyond_the_bound_is_not_kept_and_drives_nothing_out(place):
    keep(0, 1, 2)
    disk.store(name(3), CODE * 4)
    assert there() == [0, 1, 2]


def test_the_file_just_stored_stays_even_if_others_are_dated_in_the_future(place):
    keep(0, 1, 2)
    for i in range(3):
        os.utime(place / name(i), (0, time.time() + 10_000 + i))
    disk.store(name(3), CODE)
    assert there() == [3, 1, 2]


def test_a_lower_bound_holds_from_the_next_file_on(place, monkeypatch):
    keep(0, 1, 2)
    monkeypatch.setenv("KINETRACE_CACHE_SIZE", "0.002")
    disk.store(name(3), CODE)
    assert there() == [2, 3]
    monkeypatch.setenv("KINETRACE_CACHE_SIZE", "0")
    disk.store(name(4), CODE)
    assert there() == []


@pytest.mark.parametrize("text", ["", "many", "-1", "nan", "inf", "1e305", "5 MB"])
def test_a_bound_that_is_none_counts_as_not_given(monkeypatch, text):
    monkeypatch.setenv("KINETRACE_CACHE_SIZE", text)
    assert disk.requested_limit() is None and disk.limit() == disk.DEFAULT_LIMIT == 512_000_000


def test_bounds(monkeypatch):
    for text, limit in (("0", 0), ("64", 64_000_000), ("1.5", 1_500_000)):
        monkeypatch.setenv("KINETRACE_CACHE_SIZE", text)
        assert disk.limit() == limit
    monkeypatch.delenv("KINETRACE_CACHE_SIZE")
    assert disk.limit() == disk.DEFAULT_LIMIT


def test_nothing_else_is_ever_removed(place):
    """Not the secret, nor foreign files, links and directories, however old; of temporaries only old ones of ours.

    A name is no proof: a file of somebody else's may be called after a hash too.
    """
    keep(0, 1, 2)
    week = 7 * 86_400
    os.utime(place / "secret", (0, 1000))
    strange = ["thesis.tex", "tmp1234abcd", name(7)[:-1], name(7) + "0", "A" * 64, name(8) + ".o", "other.partial"]
    strange += [name(11), f"{name(12)}.outline", "kinetrace-thesis.partial"]
    foreign = [write(place / x, age=week) for x in strange]
    fresh = write(place / "kinetrace-new.partial", age=3600)
    old, empty = place / "kinetrace-old.partial", place / "kinetrace-empty.partial"
    for path, content in ((old, (place / name(0)).read_bytes()[:500]), (empty, b"")):
        write(path, age=week, content=content)
    (place / name(9)).mkdir()
    target = write(place.parent / "target", age=week)
    if os.name == "posix":
        (place / name(10)).symlink_to(target)
    secret = (place / "secret").read_bytes()
    before = {path.name for path in place.iterdir()}
    disk.store(name(3), CODE)
    assert before - {path.name for path in place.iterdir()} == {name(0), old.name, empty.name}
    write(old, age=week, content=b"")
    removed, resist = disk.clear()
    assert [Path(file.path).name for file in removed] == [name(1), name(2), name(3)] and resist == []
    assert before - {path.name for path in place.iterdir()} == {name(0), name(1), name(2), old.name, empty.name}
    assert all(path.stat().st_size == 5000 for path in (*foreign, fresh, target))
    assert (place / "secret").read_bytes() == secret


def test_a_directory_to_read_only_still_serves(place, monkeypatch):
    keep(0, 1, 2)

    def refuse(*_, **__):
        raise PermissionError(30, "Read-only file system")

    def only_to_read(path, flags, *mode, open=os.open):
        return refuse() if flags & (os.O_WRONLY | os.O_RDWR) else open(path, flags, *mode)

    for function, instead in (("utime", refuse), ("unlink", refuse), ("replace", refuse), ("open", only_to_read)):
        monkeypatch.setattr(os, function, instead)
    assert disk.fetch(name(0)) == CODE
    disk.store(name(3), CODE)
    removed, resist = disk.clear()
    assert removed == [] and [Path(file.path).name for file in resist] == [name(0), name(1), name(2)]
    assert there() == [0, 1, 2]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_named_pipe_is_no_file(place):
    """Nobody writes to it, so whoever reads would wait forever: hence in a process of its own."""
    script = """
import os
from kinetrace.engine.cache import disk
place = disk.directory()
place.mkdir(mode=0o700)
for name in ("secret", "0" * 64):
    os.mkfifo(place / name, 0o600)
disk.store("1" * 64, b"code")
print(disk.fetch("0" * 64), disk.fetch("1" * 64), disk.cached_files())
print(disk._is_written_here(disk.CachedFile(0, 0, str(place / ("0" * 64)))), len(os.listdir(place)))
os.unlink(place / "secret")
disk.store("1" * 64, b"code")
print(disk.fetch("0" * 64), disk.fetch("1" * 64))
disk.store("0" * 64, b"more")
print(disk.fetch("0" * 64))
"""
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["None None []", "False 2", "None b'code'", "b'more'"]


def test_files_that_cannot_be_removed_are_passed_over(place, monkeypatch):
    keep(0, 1, 2)
    unlink = os.unlink

    def stubborn(path):
        if Path(path).name == name(0):
            raise PermissionError(13, "in use")
        unlink(path)

    monkeypatch.setattr(os, "unlink", stubborn)
    disk.store(name(3), CODE)
    assert there() == [0, 2, 3]


def test_another_process_may_be_quicker(place, monkeypatch):
    """A file that vanishes between being seen and being removed has made its room."""
    keep(0, 1, 2)
    unlink = os.unlink

    def late(path):
        unlink(path)
        unlink(path)

    monkeypatch.setattr(os, "unlink", late)
    disk.store(name(3), CODE)
    assert there() == [1, 2, 3]


def test_without_a_directory_nothing_is_kept_and_none_is_made(place, monkeypatch):
    assert disk.cached_files() == [] and disk.clear() == ([], []) and disk.usable()
    assert not place.exists()
    place.write_text("a file")
    assert disk.cached_files() == [] and disk.clear() == ([], []) and not disk.usable()
    monkeypatch.setenv("KINETRACE_CACHE", "off")
    disk.store(name(0), CODE)
    assert disk.cached_files() == [] and disk.clear() == ([], []) and not disk.usable()


@pytest.mark.skipif(os.name != "posix", reason="users are POSIX's")
def test_a_user_without_a_home_has_no_cache(tmp_path, monkeypatch, forgetful):
    import pwd

    def nobody(_):
        raise KeyError

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    for name in ("HOME", "XDG_CACHE_HOME", "KINETRACE_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for chosen in (None, "~/x", "~nosuchuser/x"):
        if chosen:
            monkeypatch.setenv("KINETRACE_CACHE", chosen)
        assert kt.load("planar2r").mass_matrix([0.1, 0.2]).shape == (2, 2)
        assert disk.directory() is None and disk.cached_files() == [] and not disk.usable()
    assert list(tmp_path.iterdir()) == []


def test_where_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    for chosen, place in (
        ("~/x", tmp_path / "home/x"),
        ("x/y", tmp_path / "x/y"),
        (str(tmp_path / "z"), tmp_path / "z"),
    ):
        monkeypatch.setenv("KINETRACE_CACHE", chosen)
        keep(0)
        assert sorted(file.name for file in place.iterdir()) == [name(0), "secret"]


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_a_directory_that_others_can_write_to_is_left_alone(place):
    keep(0, 1, 2)
    place.chmod(0o777)
    assert not disk.usable()
    disk.store(name(3), CODE)
    assert there() == [0, 1, 2]


BUSY = """
import sys
from kinetrace.engine.cache import disk
code, who = b"x" * 949, int(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for i in range(300):
    disk.store(f"{100_000 * who + i:064x}", code)
    assert disk.fetch(f"{i % 40:064x}") in (code, None)
    disk.store(f"{i % 40:064x}", code)
    if i % 100 == 50:
        disk.clear()
    assert all(file.size == 1000 for file in disk.cached_files())
"""


def test_processes_that_store_at_once_keep_the_bound(place, monkeypatch):
    monkeypatch.setenv("KINETRACE_CACHE_SIZE", "0.02")
    keep(0)  # the secret is there
    command, environment = [sys.executable, "-W", "error", "-c", BUSY], {**os.environ, "PYTHONPATH": str(SRC)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    both = [subprocess.Popen([*command, who], env=environment, **pipes) for who in "12"]
    assert [process.stdout.readline() for process in both] == ["ready\n"] * 2
    for process in both:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate(timeout=60)[1] for process in both] == ["", ""]
    assert [process.returncode for process in both] == [0, 0]
    files = disk.cached_files()
    assert 10 <= len(files) <= 20 and sum(file.size for file in files) <= 20_000
    assert all(disk.fetch(Path(file.path).name) == CODE for file in files)
    assert {path.name for path in place.iterdir()} == {"secret", *(Path(file.path).name for file in files)}

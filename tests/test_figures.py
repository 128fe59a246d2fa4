"""Measured numbers of the README and the docs have entries in tools/measurements/entries."""

import inspect
import shlex
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools" / "measurements"))

comparison, pages, sources, update = map(import_module, ("comparison", "pages", "sources", "update"))
PAGES, REGISTRY = pages.read_pages(), pages.read_registry()


def test_every_measured_quantity_has_an_entry():
    left = [f"{x.page}:{x.line}: {x.shown}" for x in pages.uncovered(PAGES, REGISTRY)]
    assert not left, "without an entry in tools/measurements/entries:\n" + "\n".join(left)


def test_every_entry_stands_for_one_place():
    found = pages.faults(PAGES, REGISTRY)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("source", sorted({x.source for x in REGISTRY.entries if x.source}))
def test_sources_exist(source):
    if sources.is_script(source):
        assert (ROOT / shlex.split(source)[0]).is_file()
    else:
        assert list(inspect.signature(sources.function_of(source)).parameters) == ["quick"]


def test_a_number_without_an_entry_is_found():
    page = pages.Page("a.md", "It takes 3.5 ms, `5 ms` in code, **7** | 2.0·10⁻⁸ and 12 times as fast as 3 kg.\n")
    none = pages.Registry([], {"": 28.0})
    shown = [x.shown for x in pages.uncovered({"a.md": page}, none)]
    assert shown == ["3.5 ms", "**7**", "2.0·10⁻⁸", "12 times as fast"]
    entry = pages.Entry("a.md", "takes {ms} ms", "a.b", ("t",))
    one = pages.Registry([entry], {"": 28.0})
    assert [x.shown for x in pages.uncovered({"a.md": page}, one)] == shown[1:]
    assert not pages.faults({"a.md": page}, one)


@pytest.mark.parametrize(
    ("text", "unit", "measured", "moved"),
    [
        *[("3.5", "ms", 3.6, False), ("3.5", "ms", 7.0, True), ("40", "n", 41.0, True), ("2", "s+", 1e-3, False)],
        *[("2", "s+", 9.0, True), ("5", "x-", 50.0, False), ("5", "x-", 1.0, True), ("1.9·10⁻⁸", "e", 5e-8, False)],
    ],
)
def test_what_moved(text, unit, measured, moved):
    page = pages.Page("a.md", f"about {text}.\n")
    entry = pages.Entry("a.md", f"about {{{unit}}}.", "a.b", ("t",))
    registry = pages.Registry([entry], {"": 28.0})
    result = {"t": measured * pages.UNITS[unit.rstrip("+-")]}
    (made,) = comparison.compare(page, entry, registry, result, machine=28.0)
    assert made.moved == moved


def test_numbers_in_what_a_script_prints():
    printed = "gravity(q)   0.13 µs\nid          310 ns  1.5\n"
    assert comparison.look_up(printed, r"^gravity\S+ +([\d.]+ µs)", "ns") == pytest.approx(130)
    assert comparison.look_up(printed, r"^id .* ([\d.]+)$", "x") == 1.5
    assert comparison.look_up(printed, "nothing (1)", "x") is None


def test_numbers_of_a_table():
    rows = "| `pd` | 2 ms | 3 | 4·10⁻⁵ |\n| b | 10 µs | 1,200 | 1·10⁻⁵ |\n"
    text = f"| | time | of 0.1 kg | error |\n|---|---|---|---|\n{rows}"
    page, entry = pages.Page("a.md", text), pages.Entry("a.md", "table: | | time |", "x/y.py", unit="e")
    registry = pages.Registry([entry], {"": 28.0})
    assert not pages.uncovered({"a.md": page}, registry) and not pages.faults({"a.md": page}, registry)
    made = comparison.compare(page, entry, registry, "| pd | 4.1 ms | 3 | 3e-05 |\n", machine=28.0)
    assert [(x.place.shown, x.unit, x.measured, x.moved) for x in made] == [
        *[("2", "ms", 4.1, True), ("3", "e", 3.0, False), ("4·10⁻⁵", "e", 3e-5, False)],
        *[(x, unit, None, False) for x, unit in (("10", "us"), ("1,200", "e"), ("1·10⁻⁵", "e"))],
    ]


@pytest.mark.parametrize(
    ("shown", "value", "unit", "new"),
    [
        *[("28", 12.34, "ns", "12"), ("28", 9.96, "ns", "10"), ("28", 9.71, "ns", "9.7"), ("0.05", 0.123, "s", "0.1")],
        *[("1,333", 998.76, "x", "998.8"), ("1,333", 12345.6, "x", "12,350"), ("10 000", 23456.0, "n", "23 456")],
        *[("28", 1391.0, "ns", "1,400"), ("1693", 1712.0, "n", "1712"), ("900", 1712.0, "n", "1,712")],
        *[("1.9·10⁻⁸", 4.04e-10, "e", "4.0·10⁻¹⁰"), ("2·10⁻⁸", 9.7e-9, "e", "1·10⁻⁸"), ("10⁻⁸", 3e-12, "e", "10⁻¹²")],
        *[
            ("1.9e-8", 4.04e-10, "e", "4.0e-10"),
            ("100", 3.7, "p", "3.70"),
            ("0", 0.34, "e", "0.3"),
            ("3", 0.0, "n", "0"),
        ],
        *[("10", 31.4, "ms", "31"), ("110", 31.44, "ms", "31.4")],
    ],
)
def test_a_number_keeps_its_notation(shown, value, unit, new):
    assert update.restyled(shown, value, unit) == new


def test_update_writes_what_moved_into_the_page(tmp_path):
    text = "| | time | n |\n|---|---|---|\n| a | 2.0 ms | 1,200 |\n\nIt takes 28 ns to 40 ns, below 3 s; {} 7 ×.\n"
    page = pages.Page("a.md", text)
    table = pages.Entry("a.md", "table: | | time |", "x/y.py")
    prose = pages.Entry("a.md", "takes {ns} ns to {ns} ns, below {s+} s; {} {x} ×", "b.c", ("p", "q", "r", "s"))
    registry = pages.Registry([table, prose], {"": 28.0})
    assert [page.count(x) for x in registry.entries] == [2, 4]
    made = comparison.compare(page, table, registry, "| a | 10 ms | 1201 |\n", machine=14.0)
    made += comparison.compare(page, prose, registry, {"p": 100e-9, "q": 21e-9, "r": 9.0}, machine=14.0)
    told = update.update({"a.md": page}, made, tmp_path)
    assert told == ["a.md:3: 2.0 → 20", "a.md:3: 1,200 → 1,201", "a.md:5: 28 → 200"]
    changed = text.replace("2.0 ms | 1,200", "20 ms | 1,201").replace("28 ns", "200 ns")
    assert (tmp_path / "a.md").read_text("utf-8") == changed  # neither the bound, nor what was not measured
    assert not update.update({"a.md": page}, [], tmp_path)


def test_history_has_a_commit_a_machine_and_times_in_each_line(tmp_path):
    history = import_module("history")
    runs = history.read_history()
    for run in runs:
        assert set(run) == {"commit", "date", "machine", "results"} and run["machine"]["processor"]
        assert 0 < run["results"]["panda inverse_dynamics 4096"] < 1e-3
    pytest.importorskip("matplotlib")
    history.draw(runs, tmp_path / "history.svg")
    assert runs[0]["commit"] in (tmp_path / "history.svg").read_text("utf-8")

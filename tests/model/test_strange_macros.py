"""xacro from strangers: expressions compute and do nothing else, files are ordinary, work is bounded."""

import os
import subprocess
import sys
import warnings
from contextlib import suppress
from itertools import product

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.model.files.load.xacro import substitution
from kinetrace.model.files.load.xacro.expressions import evaluate
from kinetrace.model.files.load.xacro.macros import _names_of

ROBOT = '<robot name="r" xmlns:xacro="x"><xacro:arg name="q" default="1"/>{}<link name="base"/></robot>'
GLOBALS = "python['vars'](python['type'](xacro.load_yaml))['__globals__']"


@pytest.mark.parametrize(
    "expression",
    [
        f"python['vars'](python['type']({GLOBALS}))['__get__']({GLOBALS}, xacro.load_yaml)['os'].system('id')",
        "[open('pwned', 'w') for x in [1]]",
        "open('pwned', 'w')",
        "map(open, ['pwned'])",
        "map(lambda x: open(x, 'w'), ['pwned'])",
        "map(lambda *x: x, a)",
        "[x.__class__ for x in a]",
        "[x for x in a if (y := x)]",
        "[x async for x in a]",
        "python.sorted(a, key=python.vars)",
        "python.isinstance(a, python.type)",
        "a.append(a)",
        "d.update(b=d)",
        "d.setdefault('__class__').__name__",
        "a.sort(key=open)",
        "max.__self__",
        "a['__class__']",
        "'{0.__class__}'.format(1)",
        "'%1000000000d' % 1",
        "f'{a}'",
        "(lambda: 1)()",
        "(a := 1)",
        "max(*a)",
        "dict(**d)",
        "{**d}",
        "python.type(a)",
        "xacro.load_yaml.__globals__",
        "1j",
        "b'a'",
        "(-8) ** 0.5",
        "9**9**9",
        "'a' * 10**9",
        "[[0] * 1000] * 1000",
        "round(1, -10**9)",
        "1 << 9999",
        "'{0.__class__}'.format(a)",
        "'{a[0]}'.format(a=a)",
        "'{0:{1}}'.format(1, 99)",
        "(" * 400 + ")" * 400,
        "1+" * 6000 + "1",
    ],
)
def test_expressions_that_do_more_than_compute_are_refused(expression):
    with pytest.raises((kt.ModelError, NameError, OverflowError, ValueError, TypeError, SyntaxError, MemoryError)):
        evaluate(expression, {"a": [1], "d": {"b": 1}, "open": 1}, {})


BOUNDED = {
    "a power in an expression has more than 4096 bits": ["9**9**9", "2**5000"],
    "a number of an expression has more than 4096 bits": [
        "2**2000 * 2**2000 * 2**2000",
        "int('f' * 9999, 16)",
        "1 << 9999",
    ],
    "a product in an expression has more than 4096 bits": ["math.prod([2**2000] * 9)"],
    "a product of an expression would have more than 200000": ["'a' * 10**9", "10**9 * [0]"],
    "a range of an expression would have more than 200000": ["range(10**12)", "[0 for i in range(10**9)]"],
    "a value of an expression would have more than 200000": [
        "[[0] * 1000] * 1000",
        "[[''] * 9999] * 99",
    ],
    "a text of an expression would have more than 200000": [
        *(
            "'a'.zfill(10**9)",
            "('a' * 9999).replace('a', 'b' * 9999)",
            "('a' * 9999).join(big)",
            "str([2**2000] * 999)",
        ),
        "'%s%s%s' % ('a' * 9999, 'a' * 9999, 'a' * 9999)",
    ],
    "more than 1000 items": [
        "python.set(range(2000))",
        "dict([(i, 0) for i in range(2000)])",
        "d | dict(list(python.zip(big, big)))",
        "d.update([(i, 0) for i in range(2000)])",
    ],
    "at most 100 wide": ["'%1000000000d' % 1", "'%*d' % (9, 1)", "'{:>1000000000}'.format(1)"],
    "at most 100 characters": ["'a'.rsplit('b' * 999)"],
    "takes numbers up to 500": ["math.factorial(10**6)", "math.comb(10**6, 500)"],
    "more than 10000000 steps": [
        *("[0 for i in big for j in big]", "[big == more for i in big]", "[999 in big for i in big]"),
        *(
            "[min([big], [more]) for i in big]",
            "max(big, key=lambda x: len(list(big)))",
            "[d[t] for i in big]",
        ),
        *("list(map(list, [big] * 40))", "[big.append(i) for i in big]", "[('b' * 999).find('c') for i in big]"),
    ],
}
"""What a message says → expressions that are refused before they take long."""


@pytest.mark.parametrize("said, expression", [(said, text) for said, texts in BOUNDED.items() for text in texts])
def test_what_is_too_much_is_refused_with_the_bound(said, expression):
    budget = substitution.Budget({"steps": 10_000_000})
    big = [str(i) for i in range(1000)]
    names = {"big": big, "more": list(big), "t": tuple(range(1000)), "d": {tuple(range(1000)): 1}}
    with pytest.raises(kt.ModelError, match=said):
        evaluate(expression, names, {}, spend=budget.steps)


def test_nothing_is_added_to_a_mapping_before_its_size_is_checked():
    """Keys of equal hashes take a time that is quadratic in their number."""
    d = {}
    with pytest.raises(kt.ModelError, match="more than 1000 items"):
        evaluate("d.update([(i * (2**61 - 1), 0) for i in range(2000)])", {"d": d}, {})
    assert not d
    evaluate("d.update([('a', 1)], b=2)", {"d": d}, {})
    evaluate("d.update({'c': 3})", {"d": d}, {})
    assert d == {"a": 1, "b": 2, "c": 3}


def test_parsing_counts_as_work():
    with pytest.raises(kt.ModelError, match="more than 100000 steps"):
        evaluate(f"1 if 1 else [{'1,' * 2000}]", {}, {}, spend=substitution.Budget({"steps": 100_000}).steps)


@pytest.mark.parametrize(
    "expression",
    [
        "d.update([])",
        "set(keys) and 1",
        "d == e",
        "[k in d for k in keys]",
        "[d.get(k) for k in keys]",
        "[d[k] for k in keys]",
        "{0}.issubset(keys)",
        "map(set, [keys])",
    ],
)
def test_keys_of_equal_hashes_count_as_compared(expression):
    """A million comparisons are three million steps; of texts, whose hashes no file can choose, none."""
    keys = [(i + 1) * (2**61 - 1) for i in range(1000)]
    for of_keys, fits in ((keys, False), ([str(k) for k in range(1000)], True)):
        names = {"keys": of_keys, "d": dict.fromkeys(of_keys, 0), "e": dict.fromkeys(of_keys, 0)}
        budget = substitution.Budget({"steps": 2_000_000})
        if fits and "issubset" not in expression:
            evaluate(expression, names, {}, spend=budget.steps)
            continue
        with pytest.raises(kt.ModelError, match="more than 2000000 steps"):
            evaluate(expression, names, {}, spend=budget.steps)


def test_python_gives_no_warning_about_an_expression():
    """It would name no file; and where warnings are errors, no line."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluate(r"1if 1else '\d'", {}, {}) == 1


def test_parameters_of_a_macro_with_and_without_defaults():
    params = "  a   b:=1 c:=&quot;x y&quot;  d = 2 e:=^|3 *f"
    link = "<link name='${a}_${b}_${c}_${d + e}'/><xacro:insert_block name='f'/>"
    joint = "<joint name='j' type='fixed'><parent link='base'/><child link='l_1_&quot;x y&quot;_5'/></joint>"
    body = f"<xacro:macro name='m' params='{params}'>{link}</xacro:macro><xacro:m a='l'>{joint}</xacro:m>"
    assert 'l_1_"x y"_5' in kt.load(ROBOT.format(body)).frame_names


def test_a_definition_ends_before_the_next_element():
    """The search for names of arguments is linear: it does not pass the beginning of another element."""
    assert _names_of("arg", "<xacro:arg <xacro:arg default='1' name='a'/><link name='b'/>") == ["a"]
    assert _names_of("arg", "<xacro:arg <link name='b'/>") == []


@pytest.mark.parametrize(
    ("expression", "where"),
    [
        ("1 +* 2", "at character 4 when evaluating expression '1 \\+\\* 2'"),
        ("(1 +\n/ 2)", "at character 1 of line 2 when"),
    ],
)
def test_errors_of_syntax_name_the_character(expression, where):
    with pytest.raises(kt.ModelError, match=where) as error:
        evaluate(expression, {}, {})
    assert "unknown" not in str(error.value)


def test_expressions_are_those_of_python():
    names = {"r": 0.5, "max": 7, "d": {"a": {"b": [1, 2.5]}}, "side": "left", "on": True}
    for text in (
        *("2 * r**2 - -1 // 2 % 3", "d['a']['b'][1] + len(side)", "side + '_' + str(int(2.7))", "side[1:3]"),
        *("1 < 2 <= 2 and not on or 'l' in side", "'a' if r > 1 else ('b', [1])", "{'k': 1}['k']"),
        *("abs(-2) + min(1, 2) + round(2.567, 1)", "side.upper().startswith('LE')", "[1, 2] + [3]"),
    ):
        assert evaluate(text, names, {}) == eval(text, dict(names))
    assert evaluate("d.a.b[0] + max(1, 2) + max + math.cos(pi)", names, {}) == 1 + 2 + 7 - 1


@pytest.mark.parametrize(
    "inside, said",
    [
        ("<xacro:arg name='open' default='1'/><xacro:property name='p' value=\"[open('pwned','w') for x in [1]]\"/>"
         "<link name='$(eval ${p})'/>", "not accepted: unknown function 'open'"),
        ("<link name='$(env HOME)'/>", "the environment is not read"),
        ("<link name=\"${xacro.load_yaml('/etc/hostname')}\"/>", "load_yaml reads files of the robot's own folder"),
        ("<link name=\"${xacro.load_yaml('$(find etc)/hostname')}\"/>", "load_yaml reads files"),
        ("<link name='$(find /etc)'/>", "is no name of a package"),
        ("<xacro:include filename='/dev/zero'/>", "not a regular file"),
        ("<xacro:include filename='fifo'/>", "not a regular file"),
        ("<xacro:include filename='/*/*/*/a.xacro'/>", "only names of files may have wildcards"),
        ("<xacro:macro name='a' params='n'><xacro:if value='${n}'><xacro:a n='${n-1}'/><xacro:a n='${n-1}'/>"
         "</xacro:if></xacro:macro><xacro:a n='40'/>", "more than 500 calls"),
        ("<xacro:macro name='a' params=\"n:=" + "b" * 60 + "'\"/><link name='${zzz}'/>", "zzz"),
        ("<xacro:property name='p0' value='ab'/>"
         + "".join(f"<xacro:property name='p{k + 1}' value='${{p{k}}}${{p{k}}}'/>" for k in range(40))
         + "<link name='${p40}'/>", "more than 100000 characters"),
    ],
)  # fmt: skip
def test_strange_macros_are_refused(tmp_path, monkeypatch, inside, said):
    monkeypatch.setitem(substitution.LIMITS, "calls", 500)
    monkeypatch.setitem(substitution.LIMITS, "characters", 100_000)
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    (tmp_path / "r.xacro").write_text(ROBOT.format(inside), "utf-8")
    with pytest.raises(kt.ModelError, match=said):
        kt.load("r.xacro")
    assert not (tmp_path / "pwned").exists()


def test_dotted_yaml_units_namespaces_and_hidden_functions_work(tmp_path):
    (tmp_path / "c.yaml").write_text("arm: {length: !millimeters 500, turn: !degrees 180, parts: [a, b]}\n", "utf-8")
    (tmp_path / "ns.xacro").write_text(
        '<robot xmlns:xacro="x"><xacro:property name="h" value="${2*0.25}"/></robot>', "utf-8"
    )
    (tmp_path / "r.xacro").write_text(
        ROBOT.format(
            "<xacro:property name='c' value=\"${xacro.load_yaml('c.yaml')}\"/><xacro:property name='max' value='3'/>"
            "<xacro:include filename='ns.xacro' ns='n'/>"
            "<link name=\"${c.arm.parts[1]}_${max(1, max)}_${n.h + c['arm']['length']}_${round(c.arm.turn, 2)}\"/>"
            "<joint name='j$(optenv HOME 5)' type='fixed'><parent link='base'/><child link='b_3_1.0_3.14'/></joint>"
        ),
        "utf-8",
    )
    with pytest.warns(kt.ModelWarning, match="the environment is not read"):
        robot = kt.load("file://" + str(tmp_path / "r.xacro"), check="warn")
    assert "b_3_1.0_3.14" in robot.model.frames


SETS = (
    "'%s|%r|%s' % (s, [s], {1: s}), '%(a)s' % {'a': s}, str(s), python.repr((s,)), '{} {!r:>50}'.format(s, [f])",
    "[x for x in s], list(s), list(python.zip(s, s)), list(map(len, s)), list(python.enumerate(s)), ','.join(s)",
    "min(s, key=len), max(s, key=len), python.sorted(s, key=len), [list(x) for x in python.set([f, g])]",
    "dict([(x, 1) for x in s]), {x: 0 for x in s}, table.update({('l', 1), ('r', 2), ('m', 3)}), table",
    "s | f, s & f, s ^ f, s - f, s.union(f), f.difference(s), {x for x in s}, list(map(python.set, [s]))",
    "python.set([1, 'a', None, (2, 'b'), nan, f, g, python.frozenset()]), {'a', ('b', f)}, mixed.extend(s), mixed",
)
"""Expressions whose values are made of sets."""


def test_sets_have_an_order_that_no_hash_changes():
    program = (
        "from kinetrace.model.files.load.xacro.expressions import evaluate\n"
        "words = [['left', 'right', 'mid', 'rear'], ['th', 'ff', 'mf'], ['rf', 'lf', 'th']]\n"
        "names = dict(s=set(words[0]), f=frozenset(words[1]), g=frozenset(words[2]), mixed=[], table={})\n"
        f"for text in {SETS}:\n    print(evaluate('(' + text + ',)', names, {{}}))\n"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert found[0] == found[1]
    assert found[0].startswith("(\"{'left', 'mid', 'rear', 'right'}|[{'left', 'mid', 'rear', 'right'}]|")


def test_operators_give_what_python_gives_or_refuse():
    """On random values of every kind: the same value, or the same kind of error, or a refusal in words."""
    values = (
        *("0", "7", "-3", "2.5", "True", "None", "''", "'a'", "'%s %d'", "[]", "[1, 'b']", "()", "(2, 0.5)", "{}"),
        *("{'a': 1}", "{1, 2}", "{2.5}", "1e308", "nan", "{(1, 2): [3]}", "'{}'"),
    )
    operators = (
        *("{} + {}", "{} - {}", "{} * {}", "{} / {}", "{} // {}", "{} % {}", "{} ** {}", "{} << {}", "{} >> {}"),
        *("{} & {}", "{} | {}", "{} ^ {}", "{} < {}", "{} >= {}", "{} == {}", "{} != {}", "{} in {}", "{} not in {}"),
        *("{}[{}]", "{}[{}:]", "{} and {}", "{} or {}", "-{}", "~{}", "not {}", "+{}", "({}).join({})", "len({})"),
        *(
            "({}).format({})",
            "({}).count({})",
            "round({}, {})",
            "int({}, {})",
            "max({}, {})",
            "sum({})",
            "({}).get({})",
        ),
    )
    scope = {"nan": np.nan}
    for operation in operators:
        for x, y in product(values, values if operation.count("{}") == 2 else ("",)):
            text = operation.format(x, y)
            try:
                with warnings.catch_warnings(action="ignore"):  # of Python's, about constants that are no sequences
                    right = eval(text, dict(scope))
            except Exception as error:
                with pytest.raises((type(error), kt.ModelError)):
                    evaluate(text, scope, {})
                continue
            with suppress(kt.ModelError):
                found = evaluate(text, scope, {})
                assert repr(found) == repr(right) or found == right, text


GROWN = (
    "<xacro:property name='a' value='${[]}' lazy_eval='false'/>"
    "<xacro:property name='b' value='${[a]*100000}' lazy_eval='false'/>"
    "<link name='l${a.extend(range(1000))}'/><link name='${b}'/>"
)
"""A list whose items grow after it was made."""


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (GROWN, "value"),
        (
            '<xacro:property name="n" value="1"/><link name=\'${len(("x"*190000).strip("y"*100000))}\'/>',
            "strip looks for at most",
        ),
        ("<xacro:include filename=\"${'\\x00'}\"/>", "is no name of a file"),
        ("<xacro:include filename=\"${'\\ud800'}\"/>", "is no name of a file"),
        ("<xacro:include filename='inc.xml' ns='**b'/><xacro:insert_block name='b'/>", "b"),
    ],
)
def test_errors_of_python_are_no_errors_of_a_file(body, message):
    with pytest.raises(kt.ModelError, match=message):
        kt.load(f"<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'>{body}</robot>")

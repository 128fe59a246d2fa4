"""The files of a program in another language: header, source, test, and how to build them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy.typing as npt

from ....errors import lookup
from ...trace import Program
from . import c, comparison_program, cuda, javascript
from .syntax import GENERATED_MARK
from .unit import Unit, unit

States = Sequence[npt.ArrayLike] | None


def sources(
    program: Program,
    name: str | None = None,
    *,
    lang: str = "c",
    dtype: str = "float64",
    about: Sequence[str] = (),
    states: States = None,
) -> dict[str, str]:
    """The files, from their names to their text: the same text for the same arguments.

    `name` is that of the function and of the files, by default the program's; `lang` is "c", "cuda" or "javascript",
    `dtype` "float64" or "float32". `about` are lines for the comment on top of the header. `states` are those of the
    test: an array (k, *shape) for each input, by default numbers between 0.1 and 0.9.

    >>> import kinetrace as kt
    >>> kernel = kt.compile(kt.algorithms.inverse_dynamics, kt.load("panda"), backend="numpy")
    >>> files = sources(kernel.program, "panda_torques")
    >>> sorted(files)
    ['CMakeLists.txt', 'Makefile', 'panda_torques.c', 'panda_torques.h', 'panda_torques_test.c']
    """
    return lookup("language", lang, LANGUAGES)(unit(program, name, dtype=dtype, about=about), states)


def _c(of: Unit, states: States) -> dict[str, str]:
    return {
        f"{of.name}.h": c.header(of),
        f"{of.name}.c": c.source(of),
        f"{of.name}_test.c": comparison_program.test(of, states),
        "Makefile": MAKEFILE,
        "CMakeLists.txt": CMAKE,
    }


def _cuda(of: Unit, states: States) -> dict[str, str]:
    return {
        f"{of.name}.cuh": cuda.header(of),
        f"{of.name}.cu": cuda.source(of),
        f"{of.name}_test.cu": cuda.test(of, states),
    }


def _javascript(of: Unit, states: States) -> dict[str, str]:
    return {f"{of.name}.mjs": javascript.module(of), f"{of.name}_test.mjs": javascript.test(of, states)}


LANGUAGES: dict[str, Callable[[Unit, States], dict[str, str]]] = {"c": _c, "cuda": _cuda, "javascript": _javascript}
"""Name → what writes the files."""

MAKEFILE = f"""\
# Makefile, {GENERATED_MARK}: `make check` builds and runs every NAME_test.c in this folder.
CFLAGS ?= -std=c99 -O3 -Wall -Wextra -pedantic
NAMES = $(patsubst %_test.c,%,$(wildcard *_test.c))

all: $(NAMES:%=%_test)

check: all
	@for name in $(NAMES); do echo "$$name"; ./$${{name}}_test || exit 1; done

$(NAMES:%=%_test): %_test: %_test.o %.o
	$(CC) $(LDFLAGS) -o $@ $^ -lm

$(NAMES:%=%.o): %.o: %.c %.h
	$(CC) $(CFLAGS) $(CPPFLAGS) -c -o $@ $<

$(NAMES:%=%_test.o): %_test.o: %_test.c %.h
	$(CC) $(CFLAGS) $(CPPFLAGS) -c -o $@ $<

clean:
	rm -f $(NAMES:%=%.o) $(NAMES:%=%_test.o) $(NAMES:%=%_test)

.PHONY: all check clean
"""

CMAKE = f"""\
# CMakeLists.txt, {GENERATED_MARK}: a library and a test for every NAME_test.c in this folder.
cmake_minimum_required(VERSION 3.10)
project(kinetrace_sources C)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

enable_testing()
file(GLOB tests RELATIVE ${{CMAKE_CURRENT_SOURCE_DIR}} *_test.c)
foreach(test ${{tests}})
  string(REGEX REPLACE "_test\\\\.c$" "" name ${{test}})
  add_library(${{name}} STATIC ${{name}}.c)
  target_include_directories(${{name}} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
  if(UNIX)
    target_link_libraries(${{name}} PUBLIC m)
  endif()
  add_executable(${{name}}_test ${{test}})
  target_link_libraries(${{name}}_test ${{name}})
  add_test(NAME ${{name}} COMMAND ${{name}}_test)
endforeach()
"""

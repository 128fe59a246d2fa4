"""The files of a program in another language: header, source, test, and how to build them; a package of ROS 2.

The folder `ros2` has templates of a package with controllers for ros2_control, gravity compensation and computed
torque:

    tau = g(q),    tau = ID(q, v, a_d + Kd (v_d - v) + Kp (q_d - q))

Nothing in `update` allocates, waits for a lock, throws or logs. What differs between releases of ROS 2 is chosen by the
compiler: how a loaned value is read and written, and the box in which a reference passes to `update`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy.typing as npt

from ....errors import InputError, lookup, printable
from ...trace import Program
from . import c, comparison_program, cuda, javascript
from .syntax import GENERATED_MARK, literal
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


@dataclass(frozen=True)
class EffortJoint:
    """A joint of one degree of freedom that a controller drives: its bound of effort, and whether it turns forever."""

    name: str
    effort: float
    continuous: bool


ROS2_FILES = {
    "package.xml": "package.xml",
    "CMakeLists.txt": "CMakeLists.txt",
    "controllers_plugin.xml": "controllers_plugin.xml",
    "README.md": "README.md",
    "config/controllers.yaml": "controllers.yaml",
    "include/@PACKAGE@/controllers.hpp": "controllers.hpp",
    "src/controllers.cpp": "controllers.cpp",
}
"""Path in a package of ROS 2 → template."""


ROS_PACKAGES = {
    *("controller_interface", "hardware_interface", "pluginlib", "rclcpp", "rclcpp_lifecycle", "realtime_tools"),
    *("trajectory_msgs", "controller_manager", "ament_cmake"),
}
"""Packages of ROS 2 that the controllers depend on."""


def _check_ros2_package(name: str, joints: Sequence[EffortJoint], kernels: Sequence[Mapping[str, str]]) -> None:
    """An error if a package cannot have the name, or a controller cannot drive the joints."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", name):
        raise InputError(
            f"name: {name!r} is no name of a package: lower-case letters and digits with single underscores between "
            "them, at least one, beginning with a letter, such as my_robot_controllers"
        )
    if name in ROS_PACKAGES:
        raise InputError(f"name: {name!r} is a package that this one needs; such as my_robot_controllers")
    if not joints:
        raise InputError(f"the package {name} has no joint to control")
    idle = [joint.name for joint in joints if not joint.effort > 0]
    if idle:
        names = ", ".join(map(printable, idle[:6])) + (", …" if len(idle) > 6 else "")
        raise InputError(f"limits of effort must be above zero ({names}); set them in the robot's file, in N m or N")
    for files in kernels:
        stem, header = next((file[:-2], text) for file, text in files.items() if file.endswith(".h"))
        for size in re.findall(rf"#define {stem.upper()}_\w+_SIZE (\d+)", header):
            if int(size) != len(joints):
                raise InputError(
                    f"{stem} has an argument of {size} numbers, and there are {len(joints)} joints of one degree of "
                    "freedom: it takes a fixed base, and no joints of several degrees of freedom"
                )


def ros2_package(
    name: str, joints: Sequence[EffortJoint], kernels: Sequence[Mapping[str, str]], about: Mapping[str, str]
) -> dict[str, str]:
    """Paths and texts of a package of ROS 2 whose controllers call two functions in C.

    `kernels` are the files of gravity(q) and of inverse_dynamics(q, v, a), as `sources` returns them; `about` are the
    words ROBOT, VERSION, PERSON and MAIL, as they stand in XML.
    """
    _check_ros2_package(name, joints, kernels)
    stems = [next(file[:-2] for file in files if file.endswith(".h")) for files in kernels]
    words = {
        **about,
        "MARK": GENERATED_MARK,
        "PACKAGE": name,
        "SHORT": name.removesuffix("_controllers"),
        "GUARD": f"{name}__CONTROLLERS_HPP_".upper(),
        "GRAVITY": stems[0],
        "INVERSE_DYNAMICS": stems[1],
        "SOURCES": " ".join(f"src/{stem}.c" for stem in stems),
        "TESTS": " ".join(stems),
        "COUNT": str(len(joints)),
        "NAMES": ", ".join(text_literal(joint.name) for joint in joints),
        "LIMITS": ", ".join(_bound(joint.effort) for joint in joints),
        "CONTINUOUS": ", ".join("true" if joint.continuous else "false" for joint in joints),
        "JOINTS": ", ".join(json.dumps(joint.name) for joint in joints),
        "POSITION_GAINS": ", ".join(["100.0"] * len(joints)),
        "VELOCITY_GAINS": ", ".join(["20.0"] * len(joints)),
        "ZEROS": ", ".join(["0.0"] * len(joints)),
    }
    folder = Path(__file__).with_name("ros2")
    files = {
        _fill(path, words): _fill((folder / template).read_text(encoding="utf-8"), words)
        for path, template in ROS2_FILES.items()
    }
    for file, text in ((file, text) for kernel in kernels for file, text in kernel.items()):
        if file.endswith((".c", ".h")):
            files[f"{'test' if file.endswith('_test.c') else 'src'}/{file}"] = text
    return files


def _fill(template: str, words: Mapping[str, str]) -> str:
    """A template with every @WORD@ replaced.

    >>> _fill("@A@ + @B@", {"A": "@B@", "B": "2"})
    '@B@ + 2'
    """
    return re.sub("@([A-Z_]+)@", lambda word: words[word[1]], template)


def text_literal(text: str) -> str:
    """A string in C++, with all but plain characters as octal bytes of UTF-8.

    >>> print(text_literal('a"?'))
    "a\\042\\077"
    """
    plain = set(b"_-./ ") | set(range(48, 58)) | set(range(65, 91)) | set(range(97, 123))
    return '"' + "".join(chr(x) if x in plain else f"\\{x:03o}" for x in text.encode()) + '"'


def _bound(x: float) -> str:
    return "std::numeric_limits<double>::infinity()" if x == float("inf") else literal(x, "double")


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

"""A program as CUDA source: one thread per state, launched by a function that host code calls.

`device` is the part for the device alone, as compilers at run time (NVRTC) take it: nothing is included there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy.typing as npt

from .c import description
from .comparison_program import checks_of, comparison, lengths_of, size_for, states_of, tables, verdict
from .statements import functions
from .syntax import GENERATED_MARK, Language, comment, declaration, definition, file_text
from .unit import Unit

BLOCK_THREADS = 128
"""Threads in a block."""
_STATE_INDEX = "    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;"
_RTC = """\
#ifdef __CUDACC_RTC__
#define INFINITY ((float)(1e300 * 1e300))
#define NAN (INFINITY - INFINITY)
#else
#include <math.h>
#include <stddef.h>
#endif"""
"""Lines that a compiler at run time lacks."""


def cuda(of: Unit) -> Unit:
    """The unit in CUDA's words."""
    return replace(of, language=Language(restrict="__restrict__", local="static __device__"))


def header(of: Unit) -> str:
    """The header for host code: sizes and the function that launches."""
    guard = f"{of.name}_cuh".upper()
    return file_text(
        comment(f"{of.name}.cuh, {GENERATED_MARK}", description(of)),
        f"#ifndef {guard}\n#define {guard}\n\n#include <cuda_runtime.h>\n#include <stddef.h>",
        "/* Numbers in each array, for one state. */\n" + "\n".join(of.macros()),
        "/* Start n states on a stream, one thread each: arrays on the device of n rows, one after another"
        f"{'; so is the workspace' if of.kept else ''}. */\n"
        f'extern "C" {_launch(of, of.parameters())};',
        "#endif",
    )


def source(of: Unit) -> str:
    """The source file that belongs to the header."""
    of = cuda(of)
    state = of.state("i", f"{of.workspace} + {_workspace(of)} * i")
    thread = [
        _STATE_INDEX,
        f"    if (i < n) {{\n        {of.name}({state});\n    }}",
    ]
    host = [
        "    if (n == 0) {\n        return cudaSuccess;\n    }",
        f"    const unsigned int blocks = (unsigned int)((n + {BLOCK_THREADS - 1}) / {BLOCK_THREADS});",
        f"    {of.name}_states<<<blocks, {BLOCK_THREADS}, 0, stream>>>({', '.join(['n', *of.given])});",
        "    return cudaGetLastError();",
    ]
    parameters = of.parameters(of.language.restrict)
    return file_text(
        f"/* {of.name}.cu, {GENERATED_MARK}; see {of.name}.cuh. */",
        f'#include "{of.name}.cuh"\n\n#include <math.h>',
        *functions(of, of.language.local + " void"),
        definition(f"static __global__ void {of.name}_states", ["size_t n", *parameters], thread),
        f'extern "C" {_launch(of, of.parameters())}\n{{\n' + "\n".join(host) + "\n}",
    )


def device(of: Unit) -> str:
    """A kernel of n states, `NAME_states`, that is launched by its name: each input has a step from state to state.

    The step is behind the array, in numbers; it is zero if one state is for all.

    >>> from kinetrace.engine.targets.text.unit import unit
    >>> from kinetrace.engine.trace import trace
    >>> print(device(unit(trace(lambda x: x[0] * x[1], {"x": (2,)}, name="a_line"))).partition("extern")[2])
     "C" __global__ void a_line_states(
        size_t n,
        const double *__restrict__ x,
        size_t x_step,
        double *__restrict__ out)
    {
        const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) {
            a_line(x + x_step * i, out + i);
        }
    }
    <BLANKLINE>
    """
    of = cuda(of)
    inputs = of.names[: len(of.program.inputs)]
    steps = {name: _step(name, of.given) for name in inputs}
    parameters = list[str]()
    for word, text in zip(of.given, of.parameters(of.language.restrict), strict=True):
        parameters += [text, f"size_t {steps[word]}"] if word in steps else [text]
    rows = [f"{name} + {step} * i" for name, step in steps.items()]
    rows += [of.row(k, "i") for k in range(len(inputs), len(of.names))]
    given = [*of.lengths.values(), *(row.replace(" + 1 * ", " + ") for row in rows)]
    if of.kept:
        given.append(f"{of.workspace} + {_workspace(of)} * i")
    lines = [_STATE_INDEX, f"    if (i < n) {{\n        {of.name}({', '.join(given)});\n    }}"]
    macros = [of.macros()[-1]] if of.kept else []
    return file_text(
        comment(f"{of.name}, {GENERATED_MARK}", description(of)),
        _RTC,
        *macros,
        *functions(of, of.language.local + " void"),
        definition(f'extern "C" __global__ void {of.name}_states', ["size_t n", *parameters], lines),
    )


def test(of: Unit, states: Sequence[npt.ArrayLike] | None = None) -> str:
    """A program that runs the states on the device and compares."""
    inputs, rows = len(of.program.inputs), states_of(of, states)
    host = [f"in_{name}" if k < inputs else f"found_{name}" for k, name in enumerate(of.names)]
    device, sizes = [f"device_{name}" for name in of.names], [f"sizeof {word}" for word in host]
    both = [*zip(device, host, strict=True)]
    lengths = [str(x) for x in lengths_of(of, rows).values()]
    if of.kept:
        device.append(f"device_{of.workspace}")
        sizes.append(f"STATES * {size_for(of.workspace_macro, lengths)} * sizeof({of.scalar})")
    lines = ["    int bad = 0;", *(f"    {of.scalar} *{d} = NULL;" for d in device)]
    lines += [f"    bad += failed(cudaMalloc((void **)&{d}, {size}));" for d, size in zip(device, sizes, strict=True)]
    lines += [f"    bad += failed(cudaMemcpy({d}, {h}, sizeof {h}, cudaMemcpyHostToDevice));" for d, h in both[:inputs]]
    lines += [f"    bad += failed({of.name}_launch({', '.join(['STATES', *lengths, *device])}, 0));"]
    lines += [f"    bad += failed(cudaMemcpy({h}, {d}, sizeof {h}, cudaMemcpyDeviceToHost));" for d, h in both[inputs:]]
    lines += [f"    bad += wrong({check});" for check in checks_of(of, rows)]
    lines += [f"    cudaFree({d});" for d in device]
    lines += [f"    {verdict(of, rows)}", "    return bad != 0;"]
    failed = [
        '    if (error != cudaSuccess) {\n        fprintf(stderr, "%s\\n", cudaGetErrorString(error));\n    }',
        "    return error != cudaSuccess;",
    ]
    return file_text(
        f"/* {of.name}_test.cu, {GENERATED_MARK}: compares {of.name} with the numbers that it should give. */",
        f'#include "{of.name}.cuh"\n\n#include <math.h>\n#include <stdio.h>',
        *tables(of, rows),
        comparison(of),
        definition("static int failed", ["cudaError_t error"], failed),
        definition("int main", [], lines),
    )


def _launch(of: Unit, parameters: list[str]) -> str:
    return declaration(f"cudaError_t {of.name}_launch", ["size_t n", *parameters, "cudaStream_t stream"])


def _workspace(of: Unit) -> str:
    return size_for(of.workspace_macro, [*of.lengths.values()])


def _step(name: str, taken: Sequence[str]) -> str:
    """The word for the step of an array."""
    word = f"{name}_step"
    while word in taken:
        word += "_"
    return word

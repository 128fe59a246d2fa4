"""Names that a function in C, C++ or CUDA must not have: keywords, those of the text itself, what libraries may use."""

from __future__ import annotations

import re

from ...trace.ops import OPS

_KEYWORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await
    co_return co_yield compl complex concept const const_cast consteval constexpr constinit continue decltype default
    delete do double dynamic_cast else enum explicit export extern false float for fortran friend goto half if imaginary
    inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
    register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct
    switch template this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using
    virtual void volatile wchar_t while xor xor_eq
"""
_OWN = "bad failed i infinity linux main n nan null s scale size_t states std stream unix worst wrong"

CALLS = {name for op in OPS.values() for name in re.findall(r"(\w+)\{f\}", op.c or op.text)}
"""The functions of libm that programs call."""
SHORT = {*_KEYWORDS.split(), *_OWN.split(), *CALLS, *(f"{f}f" for f in CALLS)}
"""What an argument must not be called either, in whatever case."""
_LIBRARIES = re.compile(
    r"[^a-z]*"  # macros
    r"|.*_t|va_list|fd_(set|mask)|u_(char|int|long|short)"  # types
    r"|cuda_.*|make_.*[1-4]"
    r"|.*_(r|l|unlocked)|[LP]_tmp.*|L_ctermid"  # glibc: variants for threads and locales, constants of stdio.h
    r"|arc4random_.*|explicit_bzero|open_memstream|at_quick_exit|quick_exit|on_exit|aligned_alloc|posix_memalign"
    r"|math_errhandling"
)
"""Names with an underscore that C, C++, CUDA and their libraries use."""


def is_taken(name: str) -> bool:
    """Whether a function must not have this name: one without an underscore may be any library's.

    >>> is_taken("fabs"), is_taken("NULL"), is_taken("size_t"), is_taken("panda_torques")
    (True, True, True, False)
    """
    return "_" not in name or name in SHORT or _LIBRARIES.fullmatch(name) is not None

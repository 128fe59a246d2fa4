"""Symbols of object files, read from their tables."""

from __future__ import annotations

import struct
from collections.abc import Iterator


def symbols(code: bytes) -> dict[str, bool]:
    """The names in the symbol table of an object file, and whether each is defined there."""
    if code.startswith(b"\x7fELF"):
        return dict(_elf(code))
    return dict(_macho(code) if code.startswith(b"\xcf\xfa\xed\xfe") else _coff(code))


def _text(code: bytes, at: int) -> str:
    return code[at : code.index(b"\0", at)].decode()


def _elf(code: bytes) -> Iterator[tuple[str, bool]]:
    (table,) = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, table + size * k) for k in range(count)]
    for section in (s for s in sections if s[1] == 2):
        offset, length, link = section[4:7]
        for at in range(offset + 24, offset + length, 24):  # the first entry is empty
            name, _, _, where = struct.unpack_from("<IBBH", code, at)
            yield _text(code, sections[link][4] + name), where != 0


def _macho(code: bytes) -> Iterator[tuple[str, bool]]:
    at = 32
    for _ in range(struct.unpack_from("<I", code, 16)[0]):
        command, length = struct.unpack_from("<II", code, at)
        if command == 2:
            offset, count, texts, _ = struct.unpack_from("<IIII", code, at + 8)
            for k in range(count):
                name, kind = struct.unpack_from("<IB", code, offset + 16 * k)
                yield _text(code, texts + name), kind & 0x0E != 0
        at += length


def _coff(code: bytes) -> Iterator[tuple[str, bool]]:
    offset, count = struct.unpack_from("<II", code, 8)
    k = 0
    while k < count:
        short, _, where, _, _, further = struct.unpack_from("<8sIhHBB", code, offset + 18 * k)
        zeros, place = struct.unpack("<II", short)
        yield (short.rstrip(b"\0").decode() if zeros else _text(code, offset + 18 * count + place)), where != 0
        k += 1 + further

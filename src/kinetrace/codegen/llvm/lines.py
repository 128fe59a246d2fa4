"""Lines of an LLVM function with numbered temporaries."""

from __future__ import annotations


class Lines:
    """A function, or a part of one with a prefix of its own; what computes something returns the result's name."""

    def __init__(self, prefix: str = "r") -> None:
        self.prefix = prefix
        self.lines: list[str] = []

    def add(self, *lines: str) -> None:
        """Append lines as they are."""
        self.lines += lines

    def new(self, instruction: str) -> str:
        """Append an instruction with a name of its own."""
        name = f"%{self.prefix}.{len(self.lines)}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def load(self, kind: str, array: str, index: int) -> str:
        """Entry `index` of an array of pointers or of 64-bit numbers."""
        return self.new(f"load {kind}, ptr {self.new(f'getelementptr i64, ptr {array}, i64 {index}')}")

    def store(self, kind: str, value: str, array: str, index: int) -> None:
        """Set entry `index` of an array of pointers or of 64-bit numbers."""
        address = self.new(f"getelementptr i64, ptr {array}, i64 {index}")
        self.add(f"  store {kind} {value}, ptr {address}")

    def text(self) -> str:
        """All of it."""
        return "\n".join(self.lines)

"""The text of an LLVM function: lines with numbered temporaries, and numbers that code gets from outside."""

from __future__ import annotations


class FunctionText:
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


def host_array(words: int) -> str:
    """An array `host` of numbers from outside, and the function `prepare`, which is given them.

    Such as addresses of functions of the host: code on disk has none in it.
    """
    return f"""
@host = internal global [{words} x i64] zeroinitializer
define void @prepare(ptr %given) {{
entry:
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %k1, %next ]
  %from = getelementptr i64, ptr %given, i64 %k
  %to = getelementptr i64, ptr @host, i64 %k
  %word = load i64, ptr %from
  store i64 %word, ptr %to
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, {words}
  br i1 %more, label %next, label %done
done:
  ret void
}}
"""

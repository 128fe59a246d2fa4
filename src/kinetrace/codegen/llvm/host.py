"""Numbers that code gets from outside, such as addresses of functions of the host: code on disk has none in it."""

from __future__ import annotations


def emit(words: int) -> str:
    """An array `host` of so many numbers, and the function `prepare`, which is given them."""
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

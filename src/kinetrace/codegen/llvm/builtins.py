"""What code generators leave to a compiler's run-time library, defined here: object code has no external symbol."""

from __future__ import annotations

# Windows commits a stack one guard page at a time. A function that is about to take a frame of a page or more calls
# `__chkstk`, which touches every page of it, from above. No register of the caller changes.
_CHKSTK = {
    "x86_64": """
51              push rcx
50              push rax                  # the size of the frame
48 8d 4c 24 18  lea  rcx, [rsp + 24]      # where it begins
48 f7 d8        neg  rax
48 01 c8        add  rax, rcx             # where it ends
48 81 e9 00 10 00 00  next: sub rcx, 4096
48 39 c1        cmp  rcx, rax
72 04           jb   last
84 09           test [rcx], cl
eb f0           jmp  next
84 00           last: test [rax], al
58              pop  rax
59              pop  rcx
c3              ret
""",
    "aarch64": """
f1 03 00 91     mov  x17, sp
30 12 0f cb     sub  x16, x17, x15, lsl 4 # where the frame ends; x15 is its size / 16, x16 and x17 are free
31 06 40 d1     next: sub x17, x17, 4096
3f 02 10 eb     cmp  x17, x16
63 00 00 54     b.lo last
3f 02 40 39     ldrb wzr, [x17]
fc ff ff 17     b    next
1f 02 40 39     last: ldrb wzr, [x16]
c0 03 5f d6     ret
""",
}


def definitions(triple: str) -> str:
    """IR to stand behind a module's own text.

    >>> definitions("x86_64-unknown-linux-gnu")
    ''
    """
    if "windows" not in triple:
        return ""
    processor = "aarch64" if triple.startswith(("aarch64", "arm64")) else "x86_64"
    # `_fltused` says that there is floating-point code: its value is not read. Every module has its own.
    return "@_fltused = internal constant i32 0\n" + stack_probe("__chkstk", processor)


def stack_probe(name: str, processor: str) -> str:
    """IR of the function that touches the pages of a frame: its machine code stands before an empty body."""
    code = bytes.fromhex("".join(line.split("  ")[0] for line in _CHKSTK[processor].splitlines()))
    data = "".join(f"\\{x:02x}" for x in code)
    return f'define internal void @{name}() naked nounwind prologue [{len(code)} x i8] c"{data}" {{ unreachable }}\n'

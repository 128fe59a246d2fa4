"""Programs as machine code: LLVM's text, and its engine."""

"""States of a robot in the conventions of other libraries, and back: one module per library.

Each has `q`, `v`, `a`, `tau`, which convert from here, `from_q`, `from_v`, `from_a`, `from_tau`, which convert back, and
`velocity_map`. Joints are matched by name. The other libraries are not imported: their models are arguments.
"""

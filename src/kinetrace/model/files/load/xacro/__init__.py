"""xacro, the macro language of robot files, expanded here: what an untrusted file computes is evaluated and bounded.

`macros` is what loading calls, `expander` knows the elements (include, macro, property, if …), `substitution` the texts
with `${…}` and `$(…)`, `expressions` and `functions` what these compute.
"""

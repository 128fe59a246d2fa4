"""Making and changing models: the builder, edits, specialisation."""

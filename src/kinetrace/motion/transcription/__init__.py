"""Optimal motions by direct transcription: functions of one instant, and a sparse program over a spline."""

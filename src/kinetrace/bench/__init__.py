"""`kinetrace bench`: this library beside others, on the same robots and states, in one process and one run.

tasks      what is computed, on which robots, in which states
measure    timing that can be compared: competitors interleaved, best and spread
roofline   the arithmetic and the memory traffic that this machine can do at best
peers/     one small file per library
compare    the run itself: results compared first, then timed
chains     time and memory from 5 to 1000 links
report     tables and JSON
plot       the picture (needs matplotlib)
"""

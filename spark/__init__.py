"""The distributed explorer: breadth-first search, level by level, on a Spark cluster.

It is not written yet: this package keeps its place, and importing it needs no Spark. `check` runs
on the local machine (`engine="local"`).
"""

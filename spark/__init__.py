"""The distributed explorer: breadth-first search, level by level, on a Spark cluster.

Read in this order: ``recipe`` and ``texts`` (how another process gets the spec), ``blocks`` (states on the wire),
``expander`` (the local engine's kernels over blocks), ``arrivals`` (what comes from other tasks), ``partition`` (the
two halves of a level), ``exchange`` and ``level`` (the datasets of a search on the cluster), ``driver`` (levels too
narrow for a job), ``explorer`` (the search itself), ``paths`` (traces from fingerprints), ``saving`` and ``export``
(what is written), ``java``, ``session``, ``shipping``, ``watch`` and ``failures`` (starting Spark, what executors get,
and what goes wrong). Importing this needs no Spark.
"""

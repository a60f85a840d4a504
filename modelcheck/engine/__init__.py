"""The fast engine: states are rows of small integers, actions are learned as decision tries.

Read in this order: ``slots`` (values become integers), ``tries`` (what is learned), ``learner`` (how it is learned),
``kernels`` (the hot loops), ``stores`` (seen, frontier, parents), ``search`` (breadth-first, level by level).
"""

"""The paper in NumPy: costs, state, motion, prior, objective, life cycle and events.

Nothing here opens a file, draws a random number or knows scikit-learn. Each equation of the paper that
this package uses is one function, tagged with the paper's own label for it; the one that needs a loop over
clusters, at the end of a step, calls a compiled one.
"""

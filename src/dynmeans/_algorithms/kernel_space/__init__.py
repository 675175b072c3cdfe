"""KD-Means and SD-Means: the algorithms in the space of a kernel."""

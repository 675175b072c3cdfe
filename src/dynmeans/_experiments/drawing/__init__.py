"""Figures and tables of the experiments, from their results."""

"""Estimation of the parameters of D-Means from the first batches."""

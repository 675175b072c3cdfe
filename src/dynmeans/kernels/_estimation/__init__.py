"""Estimation of kernel parameters and birth costs from one batch."""

"""Estimators to and from state files."""

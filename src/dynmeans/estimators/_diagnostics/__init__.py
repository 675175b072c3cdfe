"""Warnings about data and results that cannot be trusted."""

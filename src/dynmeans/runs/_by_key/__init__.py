"""Runs with one model per key."""

"""Resumable runs over files: batches from tables, state, outputs and resume."""

"""Resume of a run: its progress in the state file, how it starts, and the check of a complete run."""

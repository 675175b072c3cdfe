"""The paper's experiments: pure functions that give numbers, and figures drawn from those numbers."""

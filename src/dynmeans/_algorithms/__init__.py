"""The straight lines: one file an algorithm, and the parts that they share."""

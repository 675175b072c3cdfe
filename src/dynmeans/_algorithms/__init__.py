"""The algorithms, one per file, and the components that they share."""

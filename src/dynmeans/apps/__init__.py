"""The applications of the paper as tools for the user's own files: read, cluster, write, draw."""

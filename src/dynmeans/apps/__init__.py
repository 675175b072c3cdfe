"""The applications of the paper as tools for your files: read, cluster, write and draw."""

"""`dynmeans tune`: options, the search and its output."""

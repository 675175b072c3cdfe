"""`dynmeans tune`: options, the search and what is printed."""

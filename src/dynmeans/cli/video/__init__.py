"""`dynmeans video`: options and the run."""

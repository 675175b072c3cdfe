"""`dynmeans demo`: options and the run."""

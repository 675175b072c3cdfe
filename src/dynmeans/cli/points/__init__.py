"""`dynmeans points`: options, input files and the run."""

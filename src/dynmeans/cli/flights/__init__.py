"""`dynmeans flights`: options and the run."""

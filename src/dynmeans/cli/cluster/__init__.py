"""`dynmeans cluster`: options, the run on this machine or on Dask workers, and its output."""

"""Tables in files, read in chunks and cut into batches: CSV, JSON Lines, Parquet, Arrow, NPY and NPZ."""

"""Readers of table formats: text, Parquet, Arrow, NPY and NPZ files as chunks of rows."""

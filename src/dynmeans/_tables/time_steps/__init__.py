"""Time steps of tables: how rows are cut into batches."""

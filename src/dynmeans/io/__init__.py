"""Files: batches in, snapshots and run folders out."""

"""Files that survive a crash: atomic writes, locks, append logs and snapshots."""

"""Files that survive a crash: atomic writes, locks, append logs, snapshots and run folders."""

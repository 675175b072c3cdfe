"""The folder that `dynmeans cluster` writes: its format, its tables and labels, and their readers."""

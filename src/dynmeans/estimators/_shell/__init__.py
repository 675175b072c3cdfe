"""The base classes of all estimators (`base`, `kernel_base`), one step (`step`), and a lock for threads."""

"""Base classes of all estimators: one step, fitted attributes, forecasts, and a lock for threads."""

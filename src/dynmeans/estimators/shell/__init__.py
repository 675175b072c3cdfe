"""What all estimators share: one step, fitted attributes, forecasts, and a lock for threads."""

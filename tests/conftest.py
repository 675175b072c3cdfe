"""Settings of the whole suite."""

import os

# Without it scikit-learn skips one of its estimator checks; it must be set before SciPy is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

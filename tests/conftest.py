"""Fixtures and options of the whole suite."""

import os

from hypothesis import settings

# Without it scikit-learn skips one of its estimator checks; it must be set before SciPy is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# A busy machine is no fault of the code: no test asserts a time.
settings.register_profile("dynmeans", deadline=None)
settings.load_profile("dynmeans")

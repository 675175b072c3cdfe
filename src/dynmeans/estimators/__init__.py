"""The shell: scikit-learn estimators around the model, without arithmetic."""

from dynmeans.estimators.dmeans import DMeans
from dynmeans.estimators.saving import from_snapshot, load, to_snapshot

__all__ = ["DMeans", "from_snapshot", "load", "to_snapshot"]

"""Methods of an estimator that write its state."""

from __future__ import annotations

from os import PathLike

from sklearn.utils.validation import check_is_fitted

from dynmeans.estimators.shell.locking import lock_of
from dynmeans.estimators.state_files.model_bytes import encode_model
from dynmeans.estimators.state_files.serialization import save_model


class SavingMethods:
    """Mixin with `save` and `to_bytes`."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one file, from which :func:`dynmeans.load` continues.

        The file holds arrays and JSON, no pickle, and is written atomically. ``on_event`` is not saved, and
        neither are ``labels_`` and ``step_``, which belong to the last batch.
        """
        check_is_fitted(self)
        with lock_of(self).mutex:
            save_model(self, path)

    def to_bytes(self) -> bytes:
        """Return the model as bytes, from which :func:`dynmeans.from_bytes` continues.

        They are shorter than the file that :meth:`save` writes, quicker to read, and have the same content.
        Written to a file, they are a state file too.
        """
        if not hasattr(self, "_state"):
            check_is_fitted(self)  # takes 15 microseconds
        with lock_of(self).mutex:
            return encode_model(self)

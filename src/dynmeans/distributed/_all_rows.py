"""Parameters that need all rows of a batch at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynmeans.distributed._batch import LARGEST, RemoteRows
from dynmeans.estimators._parameters.automatic import descent_parameters, fixed_parameters, is_final
from dynmeans.estimators._parameters.dmeans_parameters import parameters_of

if TYPE_CHECKING:
    from dynmeans.distributed.estimator import DMeans


def refuse_large(model: DMeans, rows: RemoteRows, metric: str | None) -> None:
    """Raise if a batch is too large to be gathered, and a parameter needs all rows at once or may need them.

    A mode that is still estimated could need them after some steps, so it is refused at the first one.
    """
    if rows.nbytes <= LARGEST:
        return
    size = f"all rows at once, but the batch has {rows.nbytes / 2**30:.1f} GiB, more than {LARGEST >> 30}"
    if metric == "cosine":
        chosen = "" if model.metric == "cosine" else " (estimated)"
        raise NotImplementedError(
            f"metric='cosine'{chosen} needs {size}; set metric='euclidean', or use dynmeans.DMeans"
        )
    if model.feature_scales is not None:
        raise NotImplementedError(f"feature_scales needs {size}; scale the rows, or use dynmeans.DMeans")
    for name, used in _modes(model).items():
        if used is not False:
            what = f"{name}=True needs" if used else f"{name} is estimated, and {name}=True needs"
            raise NotImplementedError(f"{what} {size}; set {name}=False, or use dynmeans.DMeans")


def _modes(model: DMeans) -> dict[str, bool | None]:
    """Return whether each mode is used; None if it is not known yet."""
    given, estimates = parameters_of(model), vars(model).get("_estimates")
    final = estimates is not None and is_final(given, estimates)
    now = descent_parameters(given, estimates) if final else fixed_parameters(given)
    return {
        "refine": now.refine,
        "exclusive": now.exclusive,
        "certify": bool(model.certify),
    }

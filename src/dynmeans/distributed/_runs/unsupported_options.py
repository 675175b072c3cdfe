"""Options of `dynmeans cluster` that a run on Dask workers does not support."""

from __future__ import annotations

from dynmeans._files.errors import InputError
from dynmeans._tables.vectors import ARRAY_SUFFIX
from dynmeans.runs.parameters import RunParameters

INSTEAD = {  # what to do instead of an unsupported option
    "kernel": "run without workers: kernels compare all pairs of rows of a batch",
    "text": "join the text to the labels by the columns file and row",
    "by": "write one dataset per key, or run without workers: each key is a small stream",
}


def refuse_unsupported(parameters: RunParameters) -> None:
    """Raise if an option is not supported on workers, with what to do instead."""
    if parameters.algorithm != "dmeans":
        raise InputError("--scheduler and --workers need --algorithm dmeans")
    for name, instead in INSTEAD.items():
        if getattr(parameters, name):
            raise InputError(f"--{name} is not supported with --scheduler or --workers; {instead}")
    if parameters.embedding is not None and parameters.embedding.endswith(ARRAY_SUFFIX):
        raise InputError(
            f"--embedding is the file {parameters.embedding}; --scheduler and --workers read embeddings "
            "from a column of lists of the Parquet files"
        )
    if parameters.missing == "drop":
        raise InputError(
            "--missing drop is not supported with --scheduler or --workers; leave out rows with missing "
            "cells when the files are written"
        )
    if parameters.format not in (None, "parquet"):
        raise InputError(f"--format is {parameters.format!r}; --scheduler and --workers read Parquet files")

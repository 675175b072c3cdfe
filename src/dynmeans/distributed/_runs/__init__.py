"""Resumable runs over a dataset of Parquet files: what `dynmeans cluster --workers` does."""

from dynmeans.distributed._runs.cluster_dataset import DatasetRun, cluster_dataset

__all__ = ["DatasetRun", "cluster_dataset"]

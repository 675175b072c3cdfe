"""Hyperparameter search, with or without labels."""

from dynmeans.tuning.code_length import code_length
from dynmeans.tuning.pair_score import pair_score
from dynmeans.tuning.result import Tuning
from dynmeans.tuning.trials import Trial
from dynmeans.tuning.tune import tune

__all__ = ["Trial", "Tuning", "code_length", "pair_score", "tune"]

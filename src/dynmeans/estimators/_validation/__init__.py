"""Validation of arguments: parameters, rows, weights, labels and names of rows."""

from dynmeans.estimators._validation.columns import adopt_columns, columns_of
from dynmeans.estimators._validation.parameters import (
    LARGEST_SEED,
    MAX_RESTARTS,
    draw_seed,
    shown,
    valid_birth_cost,
    valid_choice,
    valid_count,
    valid_flag,
    valid_number,
    valid_threads,
)
from dynmeans.estimators._validation.rows import finite_rows, valid_rows
from dynmeans.estimators._validation.unsuitable_rows import (
    refuse_masked,
    refuse_one_table,
    refuse_time_as_y,
)
from dynmeans.estimators._validation.weights import (
    LARGEST_MOMENT,
    NO_WEIGHT,
    valid_balance,
    valid_labels,
    valid_weights,
    weights_in_range,
)

__all__ = [
    "LARGEST_MOMENT",
    "LARGEST_SEED",
    "MAX_RESTARTS",
    "NO_WEIGHT",
    "adopt_columns",
    "columns_of",
    "draw_seed",
    "finite_rows",
    "refuse_masked",
    "refuse_one_table",
    "refuse_time_as_y",
    "shown",
    "valid_balance",
    "valid_birth_cost",
    "valid_choice",
    "valid_count",
    "valid_flag",
    "valid_labels",
    "valid_number",
    "valid_rows",
    "valid_threads",
    "valid_weights",
    "weights_in_range",
]

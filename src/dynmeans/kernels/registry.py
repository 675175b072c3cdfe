"""Kernels by name for users, and as plain values for state files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any, TypeAlias, cast

from dynmeans._model.types import FloatArray
from dynmeans.kernels._foreign import ForeignKernel
from dynmeans.kernels.base import Kernel
from dynmeans.kernels.diffusion import SHAPES, Diffusion
from dynmeans.kernels.gaussian_process import GaussianProcess
from dynmeans.kernels.linear import Linear
from dynmeans.kernels.mst import MST
from dynmeans.kernels.precomputed import Custom, Precomputed
from dynmeans.kernels.rbf import RBF

KernelFunction: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]

KERNELS: dict[str, type[Any]] = {
    "diffusion": Diffusion,
    "gaussian_process": GaussianProcess,
    "linear": Linear,
    "mst": MST,
    "precomputed": Precomputed,
    "rbf": RBF,
}

# Parameters that were added after version 0.1, with the values under which the kernel is as before.
ADDED: dict[str, dict[str, Any]] = {"diffusion": {"shapes": SHAPES, "relative_time": None}}


def get_kernel(kernel: str | Kernel | KernelFunction) -> Kernel:
    """Return the kernel with a name; kernels are returned unchanged, functions are wrapped in `Custom`.

    Examples
    --------
    >>> from dynmeans.kernels import get_kernel
    >>> get_kernel("mst")
    MST(scale=None)
    """
    if isinstance(kernel, str):
        found: Kernel = _type_named(kernel)()
        return found
    if hasattr(kernel, "compare") and hasattr(kernel, "gram"):
        return cast(Kernel, kernel) if hasattr(kernel, "is_pairwise") else ForeignKernel(cast(Any, kernel))
    if callable(kernel):
        return Custom(kernel)
    raise TypeError(
        f"kernel is {kernel!r}; it must be one of {_names()}, a kernel or a function of two arrays"
    )


def to_params(kernel: Kernel) -> dict[str, Any]:
    """Return the name and parameters of a kernel as JSON values.

    Examples
    --------
    >>> from dynmeans.kernels import RBF, kernel_from_params, to_params
    >>> to_params(RBF(bandwidth=0.5))
    {'kernel': 'rbf', 'bandwidth': 0.5, 'landmarks': None, 'max_dense': 2000}
    >>> kernel_from_params(_) == RBF(bandwidth=0.5)
    True
    """
    for name, kind in KERNELS.items():
        if isinstance(kernel, kind):
            params, later = asdict(kernel), ADDED.get(name, {})
            as_before = later == {field: params[field] for field in later}
            return {"kernel": name, **{f: v for f, v in params.items() if not (as_before and f in later)}}
    raise ValueError(f"kernel is {kernel!r}; only the kernels {_names()} can be written to a state file")


def kernel_from_params(params: dict[str, Any]) -> Kernel:
    """Return the kernel with the parameters of `to_params`.

    A file from before a parameter was added has no value for it. The kernel is then as it was.
    """
    values = dict(params)
    name = values.pop("kernel", None)
    kind = _type_named(name)
    known = {field.name for field in fields(kind)}
    later = ADDED.get(str(name), {})
    if set(values) == known - set(later):  # a file has all parameters; a user may give some only
        values = {**later, **values}
    for parameter in values:
        if parameter not in known:
            raise ValueError(f"kernel {name!r} has no parameter {parameter!r}; it has {sorted(known)}")
    found: Kernel = kind(**values)
    return found


def _type_named(name: object) -> type[Any]:
    if not isinstance(name, str) or name not in KERNELS:
        raise ValueError(f"kernel is {name!r}; it must be one of {_names()}")
    return KERNELS[name]


def _names() -> str:
    return ", ".join(map(repr, KERNELS))

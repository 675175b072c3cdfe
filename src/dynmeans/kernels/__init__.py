"""Kernels: similarities between points for KD-Means and SD-Means.

A kernel is a small object with parameters and no data. Its method ``fitted`` fills in parameters that are
estimated from a batch. Its method ``compare`` returns the similarities of a step in the form that the
structure of the kernel allows.
"""

from dynmeans.kernels._common import first_input
from dynmeans.kernels.base import Kernel, KernelInput, Similarity
from dynmeans.kernels.diffusion import Diffusion
from dynmeans.kernels.gaussian_process import GaussianProcess
from dynmeans.kernels.linear import Linear
from dynmeans.kernels.mst import MST
from dynmeans.kernels.precomputed import Custom, Precomputed
from dynmeans.kernels.rbf import RBF
from dynmeans.kernels.registry import get_kernel, kernel_from_params, to_params

__all__ = [
    "MST",
    "RBF",
    "Custom",
    "Diffusion",
    "GaussianProcess",
    "Kernel",
    "KernelInput",
    "Linear",
    "Precomputed",
    "Similarity",
    "first_input",
    "get_kernel",
    "kernel_from_params",
    "to_params",
]

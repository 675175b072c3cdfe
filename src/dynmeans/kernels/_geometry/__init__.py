"""Distances, neighbors, graphs and landmarks of points, shared by several kernels."""

"""The command line."""

from dynmeans.cli.app import main

__all__ = ["main"]

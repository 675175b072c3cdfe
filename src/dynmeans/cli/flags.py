"""Commands whose help shows flags without a value type."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class FlagCommand(TyperCommand):
    """Command whose flags have no ``<bool>`` in the help."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, flags without a value type."""
        return _without_flag_types(super().get_params(ctx))


class FlagGroup(TyperGroup):
    """Group whose flags have no ``<bool>`` in the help."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, flags without a value type."""
        return _without_flag_types(super().get_params(ctx))


def _without_flag_types(params: list[Any]) -> list[Any]:
    """Set an empty type for flags. Typer has no option for this, and adds flags such as --help later."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params

"""A counterexample as one HTML file that needs no network, alone or beside another variant of the spec."""

from .build import Page, build_page
from .versus import Versus

__all__ = ["Page", "Versus", "build_page"]

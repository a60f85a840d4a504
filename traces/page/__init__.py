"""A counterexample as one HTML file that needs no network."""

from .build import Page, build_page

__all__ = ["Page", "build_page"]

"""Classics of distributed algorithms.

`models.toml` names their models and what they must answer.
"""

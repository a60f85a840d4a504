"""Toys: puzzles and small algorithms to learn the language with.

`models.toml` names their models and what they must answer.
"""

"""The command line: the one place that wires the checker, the traces and the engines together.

`main.py` holds the grammar and the exit codes, each command is one small module, and nothing heavy
is imported before a command needs it.
"""

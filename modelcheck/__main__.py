"""Run the command line as `python -m modelcheck`."""

from modelcheck.cli.main import entry

if __name__ == "__main__":
    entry()

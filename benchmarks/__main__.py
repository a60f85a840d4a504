"""`python -m benchmarks` is the comparison with TLC and Spin."""

import runpy
from pathlib import Path

runpy.run_path(str(Path(__file__).with_name("compare.py")), run_name="__main__")

"""`python -m traces.gallery [FOLDER]`: write the gallery, here or in another folder."""

import sys
from pathlib import Path

from .make import write_all

for path in write_all(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent):
    print(path)

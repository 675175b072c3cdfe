"""Run the paper's experiment on people in LiDAR; options as for `dynmeans reproduce`."""

import sys
from pathlib import Path

from dynmeans.cli import main

if __name__ == "__main__":
    sys.argv[1:1] = ["reproduce", "people", "--out", str(Path(__file__).parent / "results")]
    main()

"""Run the paper's experiment on video; options as for `dynmeans reproduce`, with --input VIDEO."""

import sys
from pathlib import Path

from dynmeans.cli import main

if __name__ == "__main__":
    sys.argv[1:1] = ["reproduce", "video", "--out", str(Path(__file__).parent / "results")]
    main()

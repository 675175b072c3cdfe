"""Reruns the paper's experiment on video; takes the options of `dynmeans reproduce`, of them --input FILM."""

import sys
from pathlib import Path

from dynmeans.cli import main

if __name__ == "__main__":
    sys.argv[1:1] = ["reproduce", "video", "--out", str(Path(__file__).parent / "results")]
    main()

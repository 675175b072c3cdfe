"""``python -m dynmeans`` is ``dynmeans``."""

from dynmeans.cli import main

if __name__ == "__main__":
    main()

"""Attack dynmeans and count the outcomes: `make attack`, or `python -m attack NAME --count N` in `tests`."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter
from contextlib import suppress

from attack.campaigns import CAMPAIGNS
from attack.outcome import FAILED, OK, REFUSED


def main() -> int:
    """Run the named campaigns, print one row of counts per campaign, and return 1 if an attempt failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"from {', '.join(CAMPAIGNS)}; default all")
    parser.add_argument("--count", type=int, help="attempts per campaign")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print(f"{'campaign':<24}{'attempts':>10}{OK:>10}{REFUSED:>16}{FAILED:>8}{'seconds':>9}", flush=True)
    n_failed = 0
    for name in options.names or CAMPAIGNS:
        campaign, counts, begin = CAMPAIGNS[name], Counter[str](), time.monotonic()
        with suppress(KeyboardInterrupt):  # Ctrl-C or SIGTERM: the counts so far are printed
            for outcome in campaign.run(options.count or campaign.long, options.seed):
                counts[outcome.kind] += 1
                if outcome.kind == FAILED:
                    print(f"  {outcome.detail}", file=sys.stderr, flush=True)
        row = f"{name:<24}{counts.total():>10}{counts[OK]:>10}{counts[REFUSED]:>16}{counts[FAILED]:>8}"
        print(f"{row}{time.monotonic() - begin:>9.0f}", flush=True)
        n_failed += counts[FAILED]
    return int(n_failed > 0)


if __name__ == "__main__":
    sys.exit(main())

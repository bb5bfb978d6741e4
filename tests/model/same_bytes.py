"""Two builds give the same bytes: replays the same random logs with both and compares all they print,
digests included. The builds are two binaries, such as those of the presets dev and release.

    python3 tests/model/same_bytes.py build/dev/qmarket build/release/qmarket --count 1000 --seed 1
"""

from __future__ import annotations

import argparse
import sys

from binary import replay
from generate_log import random_log


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("one")
    parser.add_argument("other")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    differing = 0
    for index in range(args.count):
        lines = random_log(args.seed, index)
        if replay(args.one, lines) != replay(args.other, lines):
            differing += 1
            print(f"seed {args.seed}, index {index}: the two builds differ")
    print(f"seed {args.seed}: {args.count} logs, {args.count - differing} with the same bytes")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())

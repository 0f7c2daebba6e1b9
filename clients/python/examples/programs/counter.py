"""Counts, and tells standard error about every second number."""

import sys

for number in range(1, 5):
    print("number", number, flush=True)
    if number % 2 == 0:
        print("even", file=sys.stderr, flush=True)

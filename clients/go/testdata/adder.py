"""Adds up the numbers that it reads, one a line."""

import sys

total = 0
print("ready")
for line in sys.stdin:
    total += int(line)  # @add
    print("total", total)

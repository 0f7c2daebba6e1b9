"""Says again what it is told, until its input ends."""

import sys

for line in sys.stdin:
    sys.stdout.write("heard " + line)
    sys.stdout.flush()

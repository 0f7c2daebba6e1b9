"""Runs until it is ended."""

import sys
import time

sys.stdout.write("begun\n")
sys.stdout.flush()
count = 0
while True:
    count += 1
    time.sleep(0.01)  # @sleep

"""Runs until it is ended."""

import time

turns = 0
print("begun")
while True:
    turns += 1
    time.sleep(0.01)

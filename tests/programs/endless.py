"""Counts for ever, and says when it has begun."""

print("begun")
number = 0
while True:
    number += 1  # @tick

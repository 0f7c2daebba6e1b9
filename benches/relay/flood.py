"""Prints 50 MB in lines."""

line = "x" * 99
begun = True  # @here
for _ in range(500_000):
    print(line)

"""Writes as fast as it can, and notes how long that took: BLOCKS times 655 lines of 100 bytes, by line or by block."""

import sys
import time


def main():
    manner, blocks, report = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    lines = ["%07d %s" % (number, "x" * 91) for number in range(655)]
    block = "\n".join(lines) + "\n"
    begun = time.perf_counter()
    if manner == "lines":
        for _ in range(blocks):
            for line in lines:
                print(line)
    else:
        for _ in range(blocks):
            sys.stdout.write(block)
    sys.stdout.flush()
    took = time.perf_counter() - begun
    with open(report, "w") as file:
        file.write(str(took))


main()

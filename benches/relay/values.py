"""Large lists, and a line that is come to again and again."""

hundred, ten_thousand, million = (list(range(count)) for count in (100, 10_000, 1_000_000))
total = 0
for turn in range(1_000_000):
    total += turn  # @again

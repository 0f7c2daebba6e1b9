"""Ends a moment after it was stopped."""

answer = 6 * 7  # @here
print(answer)

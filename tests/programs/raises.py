"""Fails deep inside."""


def divide(numerator, denominator):
    return numerator / denominator  # @divide


def average(values):
    return divide(sum(values), len(values))  # @average


average([])

"""Adds up some numbers in a function that is called thrice."""

RATES = {"low": 1, "high": 3}


def add(total, number):
    result = total + number * RATES["high"]  # @add
    return result


total = 0
for number in range(1, 4):
    total = add(total, number)  # @call
    print("total is", total)
print("done")  # @done

"""Adds up numbers, one function call an item."""


def add(total, item):
    result = total + item  # @add
    return result  # @return


def main():
    total = 0
    for item in range(5):
        total = add(total, item)  # @loop
        print("total", total)  # @printed
    print("done", total)  # @done
    return total


main()

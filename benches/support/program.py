"""Goes round and round: a function with seven variables of mixed types, one of which changes a line."""


def walk():
    count = 0
    ratio = 0.0
    items = [1, 2, 3]
    label = "start"
    table = {"one": 1, "two": [2, 2]}
    point = (3, 4.5)
    is_open = True  # @start
    # Far more than any benchmark steps; and a program that lost its debugger ends by itself.
    for count in range(1, 20_000_000):  # @loop
        ratio = count / 4  # @ratio
        items = [count, count + 1]  # @items
        label = "step %d" % count  # @label
    return count, ratio, items, label, table, point, is_open


walk()

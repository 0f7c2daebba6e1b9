"""Adds up paid orders from a file that somebody typed by hand. The sum is too small."""
import csv
import io

FILE = """id,customer,status,amount
1,ann,paid,120
2,bob,open,80
3,cid,paid ,200
4,dan,PAID,50
5,eve,paid,30
"""


def is_paid(order):
    return order["status"] == "paid"


def total_paid(orders):
    total = 0
    for order in orders:
        if is_paid(order):
            total += int(order["amount"])
        else:
            skipped = order  # @skipped
    return total


def main():
    orders = list(csv.DictReader(io.StringIO(FILE)))
    print("paid:", total_paid(orders), "expected: 400")


main()

"""Fills a basket, and crashes if it is told to."""

import sys


class Basket:
    def __init__(self):
        self.prices = []
        self.total = 0

    def add(self, price):
        self.prices.append(price)  # @append
        self.total += price  # @sum
        return self.total


def fill(basket, prices):
    for price in prices:
        basket.add(price)  # @add
    return basket


def main():
    basket = fill(Basket(), [1, 2, 3, 4])  # @main
    print("total", basket.total)  # @print
    if "--crash" in sys.argv:
        raise ValueError("the till is broken")  # @crash


main()

"""Prints what each customer owes. Ada's sum is right, Bob's is not: he bought one thing, for 4."""

ORDERS = [("ada", 5), ("ada", 7), ("bob", 4)]


def basket_of(customer, basket=[]):
    for name, price in ORDERS:
        if name == customer:
            basket.append(price)
    return basket


for customer in ["ada", "bob"]:
    print(customer, "owes", sum(basket_of(customer)))

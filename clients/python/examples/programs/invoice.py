"""Adds up an invoice. It crashes, and not where the mistake is."""

LINES = ["pen;2;1.50", "ink;1;7.00", "pad;3;", "cap;1;4.20"]


def price_of(text):
    if text:
        return float(text)


def parse(line):
    name, count, price = line.split(";")
    return {"name": name, "count": int(count), "price": price_of(price)}


def total(items):
    due = 0
    for item in items:
        due += item["count"] * item["price"]
    return due


def main():
    items = []
    for line in LINES:
        items.append(parse(line))
    print("due:", total(items))


main()

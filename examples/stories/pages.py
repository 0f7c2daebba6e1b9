"""Sends a newsletter in batches. The last subscribers never get it."""


class Mailer:
    def __init__(self):
        self.sent = []

    def send(self, batch):
        self.sent.extend(batch)


def batches(items, size):
    for number in range(len(items) // size):
        start = number * size
        yield items[start:start + size]  # @batch


def main():
    subscribers = [f"user{number}@example.org" for number in range(23)]
    mailer = Mailer()
    for batch in batches(subscribers, 5):
        mailer.send(batch)
    print(f"sent {len(mailer.sent)} of {len(subscribers)}")


main()

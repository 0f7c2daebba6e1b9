"""Moves money between two accounts from two threads. Sometimes it hangs for ever."""
import threading


class Account:
    def __init__(self, name, balance):
        self.name = name
        self.balance = balance
        self.lock = threading.Lock()


def transfer(source, target, amount, meet):
    with source.lock:
        meet.wait()
        with target.lock:  # @second
            source.balance -= amount
            target.balance += amount


def main():
    one, two = Account("one", 100), Account("two", 100)
    meet = threading.Barrier(2)
    threads = [
        threading.Thread(target=transfer, args=(one, two, 30, meet), name="one to two"),
        threading.Thread(target=transfer, args=(two, one, 50, meet), name="two to one"),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(one.balance, two.balance)


if __name__ == "__main__":
    main()

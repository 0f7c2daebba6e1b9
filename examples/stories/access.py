"""Checks who may read a file. Everybody may, it turns out."""
import asyncio

READERS = {"ann": {"plan.txt"}, "bob": set()}


async def may_read(user, file):
    await asyncio.sleep(0)
    return file in READERS[user]


async def read(user, file):
    if may_read(user, file):
        return f"{user} reads {file}"  # @granted
    return f"{user} may not read {file}"


async def main():
    for line in await asyncio.gather(read("ann", "plan.txt"), read("bob", "plan.txt")):
        print(line)


asyncio.run(main())

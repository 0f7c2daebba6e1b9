#!/usr/bin/env python3
"""Stands in for an interpreter with debugpy: dials the host, and lets a test speak for it.

It is started as `scripted_peer.py -X ... launcher plan`. The plan names the port; every byte is
passed between that connection and the Unix socket in $SCRIPTED_SOCKET. It ends when the test hangs
up.
"""

import json
import os
import socket
import sys
import threading


def pump(source, sink, at_end):
    while True:
        try:
            data = source.recv(65536)
            if not data:
                break
            sink.sendall(data)
        except OSError:
            break
    at_end()


def main():
    with open(sys.argv[-1]) as plan_file:
        words = json.load(plan_file)["arguments"]
    host, port = words[words.index("--connect") + 1].split(":")
    secret = words[words.index("--adapter-access-token") + 1]
    test = socket.socket(socket.AF_UNIX)
    test.connect(os.environ["SCRIPTED_SOCKET"])
    test.sendall((secret + "\n").encode())
    relay = socket.create_connection((host, int(port)))
    relay.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=pump, args=(relay, test, lambda: test.shutdown(socket.SHUT_WR)), daemon=True).start()
    pump(test, relay, lambda: os._exit(7))


main()

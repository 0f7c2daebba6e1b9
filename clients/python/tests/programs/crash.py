"""Crashes because of what it caught."""


def read(settings):
    try:
        return settings["port"]
    except KeyError as missing:
        raise ValueError("no port is set") from missing  # @raise


read({"host": "here"})

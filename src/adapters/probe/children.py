

def keep_secret():
    """pydevd 3.x shows the session's secret on the command lines of processes that the program starts.
    On Linux they need none: the host sees whose children they are."""
    from _pydev_bundle import pydev_monkey

    own = pydev_monkey._get_setup_updated_with_protocol_and_ppid
    if not sys.platform.startswith("linux") or hasattr(own, NAME):
        return

    def without_secret(*args, **names):
        setup = own(*args, **names)
        return setup and dict(setup, **{"access-token": None, "client-access-token": None})

    setattr(without_secret, NAME, True)
    pydev_monkey._get_setup_updated_with_protocol_and_ppid = without_secret


try:
    keep_secret()
except Exception:
    pass  # Another version of pydevd: then it is as it was.

# How the processes that a program starts come under the debugger. Part of the launcher, and of the
# probe: also what they start is to come so.


def follow_with_care():
    """pydevd 3.x shows the secret on the command lines of processes that the program starts. On Linux
    they need none: the host asks the kernel whose children they are. And it sends them to a debugger
    that has gone meanwhile, where they hang or die; without one they are none of our business. Or to
    the first of several debuggers."""
    import sys
    import pydevd
    from _pydev_bundle import pydev_monkey
    from _pydevd_bundle.pydevd_constants import get_global_debugger

    own_setup = getattr(pydev_monkey, "_get_setup_updated_with_protocol_and_ppid", None)
    own_choice = getattr(pydev_monkey, "_get_apply_arg_patching", None)
    if own_setup is None or own_choice is None or hasattr(pydev_monkey, "debug_relay_cares"):
        return

    def without_secret(*args, **names):
        return dict(own_setup(*args, **names), **{"access-token": None, "client-access-token": None})

    def while_debugged():
        debugger = get_global_debugger()
        if debugger is None or debugger.pydb_disposed or not debugger.ready_to_run:
            return False
        try:
            client, port = debugger._client_socket.getpeername()[:2]
            pydevd.SetupHolder.setup.update(client=client, port=port)
        except Exception:
            return False  # It is just going.
        return own_choice()

    if sys.platform.startswith("linux"):
        pydev_monkey._get_setup_updated_with_protocol_and_ppid = without_secret
    pydev_monkey._get_apply_arg_patching = while_debugged
    pydev_monkey.debug_relay_cares = True



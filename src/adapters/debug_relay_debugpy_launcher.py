# Starts a program under debugpy. The file's name matters: debugpy hides frames of files that end in
# "debugpy_launcher.py". What to do comes in a private file, so that the secret with which the
# program proves itself is in no command line and no environment.
import sys


def main():
    import io
    import json
    import os

    path = sys.argv[1]
    with io.open(path, encoding="utf-8") as plan_file:
        plan = json.load(plan_file)
    os.unlink(path)
    if sys.version_info < (3, 8):
        with open(path + ".refused", "w") as refusal:
            refusal.write("%d.%d.%d" % sys.version_info[:3])
        sys.exit(1)

    # As debugpy's own __main__ does: import it from its folder, then leave sys.path as it was.
    sys.path[0] = plan["debugpy"]
    import debugpy
    del sys.path[0]
    from debugpy.common import log
    from debugpy.server import cli

    # For its log, debugpy 1.8 reads the metadata of every installed package, twice: with a hundred
    # packages that is more than half of the start. Nobody keeps that log unless it is asked for.
    if "DEBUGPY_LOG_DIR" not in os.environ:
        log.describe_environment = lambda header: None
        keep_quiet()

    under_debugger = debugger_frame()
    cli.run_code = lambda: run_code(cli, under_debugger)
    sys.argv = ["debugpy"] + plan["arguments"]
    try:
        under_debugger(compile("run()", __file__, "exec"), {"run": cli.main})
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        end_with(error, plan["debugpy"])


def keep_quiet():
    """pydevd 3.x writes what it thinks critical to the program's standard error, for example that a
    thread is not there yet."""
    import os
    from _pydev_bundle import pydev_log

    pydev_log._LoggingGlobals._debug_stream = open(os.devnull, "w")
    pydev_log._LoggingGlobals._debug_stream_initialized = True
    pydev_log.initialize_debug_stream = lambda reinitialize=False: None


def run_code(cli, under_debugger):
    """Runs source text as `python -c` does; debugpy 1.8 runs it outside of `__main__`."""
    import builtins
    import types

    sys.path.insert(0, "")
    code = compile(cli.options.target, "<string>", "exec")
    cli.start_debugging("-c")
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__builtins__ = builtins
    under_debugger(code, main.__dict__)


def debugger_frame():
    """A function that runs code. By its name and its file's, debugpy 1.8 knows the place above which
    an exception is one that nothing has caught."""
    names = {}
    exec(compile("def _exec(code, names): exec(code, names)", "pydevd.py", "exec"), names)
    return names["_exec"]


def end_with(error, debugpy):
    """Ends as Python does after an error that nothing caught, without the frames around the program:
    its traceback is to look as it would without us."""
    trace = error.__traceback__
    while trace is not None and is_around(trace.tb_frame.f_code.co_filename, debugpy):
        trace = trace.tb_next
    sys.excepthook(type(error), error.with_traceback(trace), trace)
    sys.exit(1)


AROUND = ("debugpy_launcher.py", "runpy.py", "<frozen runpy>", "pydevd.py")


def is_around(file, debugpy):
    return file.startswith(debugpy) or file.endswith(AROUND)


main()

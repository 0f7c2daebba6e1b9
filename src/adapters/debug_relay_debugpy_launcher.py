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

    if len(sys.argv) > 2:
        inject_with(sys.argv[2], sys.argv[3], path + ".commands", plan["debugpy"])
    else:
        follow_with_care()
        leave_nothing_behind()
        lose_no_time()
    under_debugger = debugger_frame()
    cli.run_code = lambda: run_code(cli, under_debugger)

    def run():
        # A spare connects here as well, and not before: debugpy 1.8 looks only once, at the first call
        # that it sees in a thread, for the place above which nothing catches an exception.
        arguments = wait_as_spare(plan, debugpy, cli) if "spare" in plan else plan["arguments"]
        sys.argv = ["debugpy"] + arguments
        cli.main()

    try:
        under_debugger(compile("run()", __file__, "exec"), {"run": run})
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


def wait_as_spare(plan, debugpy, cli):
    """Connects, says so, and waits to be told what to run, where and with which variables. From then on
    all is as if this process had been started for it."""
    import json
    import os
    import socket
    from pydevd import PyDB

    orders, wait_for_ready_to_run = {}, PyDB.wait_for_ready_to_run

    def wait_for_orders(self):
        PyDB.wait_for_ready_to_run = wait_for_ready_to_run
        host = socket.socket(socket.AF_UNIX)
        host.connect(plan["spare"])
        host.sendall(b"ready\n")
        with host.makefile("rb") as lines:
            text = lines.readline()
        if not text:
            os._exit(0)  # Nobody needs us any more.
        orders.update(json.loads(text.decode("utf-8")))
        os.environ.update(orders["environment"])
        os.chdir(orders["cwd"])
        host.sendall(b"taken\n")
        # The debugger tells it as the name of the process.
        sys.argv[0] = name_of(orders["kind"], orders["target"])
        host.sendall(b"done\n")
        host.close()
        wait_for_ready_to_run(self)

    PyDB.wait_for_ready_to_run = wait_for_orders
    debugpy.configure(subProcess=True)
    debugpy.connect(tuple(plan["address"]), access_token=plan["secret"])

    start_debugging = cli.start_debugging

    def go_on(argv_0):
        own = debugpy.configure, debugpy.connect
        debugpy.configure = debugpy.connect = lambda *args, **names: None
        try:
            start_debugging(argv_0)
        finally:
            debugpy.configure, debugpy.connect = own

    cli.start_debugging = go_on
    return orders["arguments"]


def name_of(kind, target):
    if kind == "code":
        return "-c"
    if kind == "module":
        import importlib.util

        sys.path.insert(0, "")
        try:
            spec = importlib.util.find_spec(target)
            return target if spec is None or spec.origin is None else spec.origin
        except Exception:
            return target
        finally:
            del sys.path[0]
    return target


def inject_with(kind, debugger, commands, debugpy):
    """Has debugpy use this debugger to get into another process. debugpy 1.8 would show the secret on
    the debugger's command line, and needs Python inside of lldb."""
    import os
    import signal
    import subprocess

    folder = os.path.join(debugpy, "debugpy/_vendored/pydevd/pydevd_attach_to_process")
    sys.path.append(folder)
    import add_code_to_python_process as inside
    sys.path.remove(folder)

    def run_python_code(pid, python_code, connect_debugger_tracing=False, show_debug_info=0):
        library = inside.get_target_filename()
        if kind == "lldb":
            # In a thread of its own: lldb 14 breaks a call off in which a process is started.
            code = "bytes([%s]).decode()" % ",".join(map(str, python_code.encode("utf-8")))
            python_code = "import _thread;_thread.start_new_thread(exec,(%s,{}))" % code
        # Neither the path nor the code has a quote or a backslash in it: both are debugpy's own.
        open_it = '(void*)dlopen("%s", 2)' % library
        call_it = '(int)DoAttach(0, "%s", %d)' % (python_code, show_debug_info)
        if kind == "gdb":
            name = os.path.splitext(os.path.basename(library))[0]
            words = [debugger, "--nw", "--nh", "--nx", "--batch", "--pid", str(pid), "-x", commands]
            lines = ["set scheduler-locking off", "call " + open_it, "call (char*)dlerror()",
                     "sharedlibrary " + name, "call " + call_it]
        else:
            words = [debugger, "--no-lldbinit", "--no-use-colors", "--batch", "-s", commands]
            # The other threads must run, too, or a lock that one of them has is waited for in vain.
            expression = "expression --all-threads true --timeout 20000000 -- "
            lines = ["process attach --pid %d" % pid, expression + open_it, expression + call_it,
                     "process detach"]
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(commands, flags, 0o600), "w") as file:
            file.write("\n".join(lines) + "\n")
        try:
            # A Python inside of the debugger is not the program's.
            names = {name: os.environ[name] for name in os.environ if not name.startswith("PYTHON")}
            done = subprocess.run(words, env=names, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, universal_newlines=True)
        finally:
            os.unlink(commands)
            if kind == "lldb":
                # The new thread may have begun with a stop of which lldb 14 did not hear any more.
                os.kill(pid, signal.SIGCONT)
        # lldb ends well whatever happened; the answer is the value of the call.
        last = [line for line in done.stdout.splitlines() if line.endswith(" = 0")]
        if done.returncode != 0 or not last:
            sys.stderr.write(done.stdout)
            raise RuntimeError("the debugger could not do it")

    inside.run_python_code = run_python_code
    attach_with_care(os.path.dirname(commands))


def attach_with_care(folder):
    """Has the other process run this in place of debugpy's own file of that name, which debugpy looks
    for beside its server."""
    import inspect
    import os
    import debugpy.server

    own = os.path.join(os.path.dirname(debugpy.server.__file__), "attach_pid_injected.py")
    parts = ["OWN = %r\n" % own]
    parts += [inspect.getsource(part) for part in (attach, follow_with_care)]
    with open(os.path.join(folder, os.path.basename(own)), "w", encoding="utf-8") as file:
        file.write("\n".join(parts))
    debugpy.server.__file__ = os.path.join(folder, "__init__.py")


def attach(setup):
    import importlib.util
    import os
    import sys

    # Otherwise pydevd 3.x writes its thoughts to the standard error of what the program starts.
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    spec = importlib.util.spec_from_file_location("debugpy_attach_pid_injected", OWN)
    own = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(own)
    # Before it connects, unless debugpy is to find out first which thread is the main one.
    if "threading" in sys.modules:
        sys.path.insert(0, own._debugpy_dir)
        try:
            import debugpy.server
        finally:
            sys.path.remove(own._debugpy_dir)
        follow_with_care()
    own.attach(setup)
    follow_with_care()


def leave_nothing_behind():
    """What the program has printed is on its way before a stop of it is told, and before a fork: while
    it prints very much, it is told to gather what it prints."""
    import os
    from pydevd import PyDB

    def flush(stream=sys.__stdout__):
        try:
            stream.flush()
        except Exception:
            pass  # There is none, it is closed, or nobody reads it: the program's own affair.

    def print_at_once(stream=sys.__stdout__):
        try:
            stream.reconfigure(write_through=True)
        except Exception:
            pass

    wait_suspended = PyDB.do_wait_suspend

    def flush_and_wait(self, *args, **names):
        flush()
        return wait_suspended(self, *args, **names)

    PyDB.do_wait_suspend = flush_and_wait
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=flush, after_in_child=print_at_once)


def lose_no_time():
    """pydevd 3.x sleeps for 100 ms when it has connected, and at the end of the program looks every 100
    or 200 ms whether its own threads have ended: three quarters of a second in all. Here nothing is
    slept away, and all that it has to say is still sent."""
    import threading
    import pydevd
    from pydevd import PyDB

    class Sleepless:
        sleep = staticmethod(lambda seconds: None)

        def __getattr__(self, name):
            return getattr(own_time, name)

    own_time, initialize_network = pydevd.time, PyDB.initialize_network

    def initialize_at_once(self, *args, **names):
        pydevd.time = Sleepless()
        try:
            return initialize_network(self, *args, **names)
        finally:
            pydevd.time = own_time

    def wait_for_writer(self, timeout):
        if self.writer is not None and self.writer is not threading.current_thread():
            self.writer.join(timeout)
        self._wait_for_threads_to_finish_called_event.set()

    class Impatient:
        """In place of an event that is never set: short pauses first, for the program has ended unless
        another thread of it goes on."""
        pause = 0.001

        def wait(self, timeout):
            own_time.sleep(min(self.pause, timeout))
            self.pause *= 2

        def set(self):
            pass

    def look_at_once():
        thread = getattr(pydevd.get_global_debugger(), "check_alive_thread", None)
        if thread is not None:
            waiting, thread._wait_event = thread._wait_event, Impatient()
            waiting.set()

    # Waited for between two looks whether the program may begin.
    pydevd.TIMEOUT_FAST = 0.002
    PyDB.initialize_network = initialize_at_once
    PyDB._PyDB__wait_for_threads_to_finish = wait_for_writer
    if hasattr(threading, "_register_atexit"):
        threading._register_atexit(look_at_once)


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

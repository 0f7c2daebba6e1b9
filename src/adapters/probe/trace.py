# Many steps in a row: where the debugger would stop and wait after each, it is told here, and the next
# step begins at once.

STEPS_INTO = (CMD_STEP_INTO, CMD_STEP_INTO_MY_CODE)
STEPS_OVER = (CMD_STEP_OVER, CMD_STEP_OVER_MY_CODE)
STEPS_OUT = (CMD_STEP_RETURN, CMD_STEP_RETURN_MY_CODE)
# Steps that are told together, when they follow close on one another.
BATCH, BATCH_BYTES, BATCH_SECONDS = 64, 16 * 1024, 0.005
DEPTH_LIMIT = 2000
# The host holds what is told until its caller reads it.
PORTION_BYTES = 4 * 1024 * 1024
# By thread.
traces = {}


class Trace:
    def __init__(self, spec, place):
        self.spec, self.id, self.steps = spec, spec["id"], 0
        self.deadline = time.time() + spec["seconds"]
        self.columns = [Expression(text) for text in spec["expressions"]]
        self.condition = spec["condition"] and Expression(spec["condition"])
        # What each function had when it was last seen, and in which call.
        self.seen, self.waiting, self.size, self.sent = {}, [], 0, 0.0
        self.told, self.lock = 0, threading.Lock()
        self._changes(place)

    def take_step(self, py_db, frame, is_plain):
        """Tells of a step; empty when another is to follow, else why this was the last."""
        self.steps += 1
        place = Place(frame, frame.f_globals, frame.f_locals)
        depth, calls = _depth(py_db, frame)
        # What is not on the stack any more has ended; another call may get its address.
        for code, (call, names) in list(self.seen.items()):
            if call not in calls:
                self.seen[code] = None, names
        step = {"number": self.steps, "depth": depth, "file": frame.f_code.co_filename,
                "line": frame.f_lineno, "function": frame.f_code.co_name,
                "values": [self._cell(column, place) for column in self.columns],
                "changes": self._changes(place)}
        end = self._end(place, step, is_plain)
        text = Answer(step).text
        if len(text) > MESSAGE_LIMIT:
            text = Answer(dict(step, values=[], changes=[])).text
        with self.lock:
            self.waiting.append(text)
            self.size += len(text)
            self.told += len(text)
            if end or len(self.waiting) >= BATCH or self.size > BATCH_BYTES \
                    or time.time() - self.sent > BATCH_SECONDS:
                self._send_waiting(end)
        return end

    def flush(self, end=""):
        with self.lock:
            if self.waiting or end:
                self._send_waiting(end)

    def _send_waiting(self, end):
        texts, self.waiting, self.size, self.sent = self.waiting, [], 0, time.time()
        _send_text('{"trace":%d,"end":"%s","steps":[%s]}' % (self.id, end, ",".join(texts)))

    def _end(self, place, step, is_plain):
        until = self.spec["until"]
        if until and step["line"] == until["line"] and until["file"] in ("", step["file"]):
            return "until"
        if self.condition and self._value(place):
            return "condition"
        if not is_plain:
            return "other"
        if self.steps >= self.spec["max"] or self.told > PORTION_BYTES:
            return "count"
        return "time" if time.time() > self.deadline else ""

    def _value(self, place):
        try:
            return bool(self.condition.value(place))
        except KeyboardInterrupt:
            raise
        except BaseException:
            return False

    def _cell(self, column, place):
        try:
            return _cell(column.value(place))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return _cell(None, _error_text(error))

    def _changes(self, place):
        now = {name: short(value) for name, value in _variables(place.locals)[:LOCALS_LIMIT]}
        call, last = self.seen.get(place.frame.f_code, (None, None))
        self.seen[place.frame.f_code] = id(place.frame), now
        if last is None:
            return []
        # What another call of the function had and this one has not yet is not gone.
        names = {**last, **now} if call == id(place.frame) else now
        return [{"name": name, "before": last.get(name), "after": now.get(name)}
                for name in names if last.get(name) != now.get(name)]


def _depth(py_db, frame):
    """How deep the stack is as callers see it, and the addresses of its frames."""
    depth, calls = 0, set()
    while frame is not None and len(calls) < DEPTH_LIMIT:
        calls.add(id(frame))
        is_hidden = py_db.get_file_type(frame) == py_db.PYDEV_FILE or (
            py_db.is_files_filter_enabled
            and py_db.apply_files_filter(frame, frame.f_code.co_filename, False))
        depth, frame = depth + (not is_hidden), frame.f_back
    return depth, calls


def trace(text):
    """Begins to trace the thread that stands in the evaluated frame: its next steps are told."""
    place, thread = _place(), threading.current_thread()
    if PyDB.do_wait_suspend is not _wait_or_go_on:
        _waits.append(PyDB.do_wait_suspend)
        PyDB.do_wait_suspend = _wait_or_go_on
    traces[thread.ident] = Trace(json.loads(text), place)
    return Answer(True)


def flush_trace(id):
    """Tells what waits to be told with others: the program may be busy with one long step."""
    for trace in [trace for trace in list(traces.values()) if trace.id == id]:
        trace.flush()


def end_trace(id):
    """From now on the step that is under way ends like any other."""
    for ident, trace in list(traces.items()):
        if trace.id == id:
            traces.pop(ident, None)
            trace.flush("asked")


# The debugger's own function, once it is replaced.
_waits = []


def _wait_or_go_on(self, thread, frame, *args, **names):
    if traces.get(thread.ident) is not None and _trace_step(self, thread, frame):
        return None
    return _waits[-1](self, thread, frame, *args, **names)


def _trace_step(py_db, thread, frame):
    """Whether the thread goes on instead of waiting."""
    trace, command = traces.get(thread.ident), thread.stop_reason
    is_plain = command in STEPS_INTO + STEPS_OVER + STEPS_OUT
    try:
        if trace is not None and not trace.take_step(py_db, frame, is_plain):
            # The debugger is asked for other things meanwhile, and does them between steps.
            py_db.process_internal_commands(("*",))
            with suspend_threads_lock:
                if not _is_wanted_elsewhere(thread, command):
                    return _step_on(py_db, thread, frame, command)
            trace.flush("other")
    except BaseException as error:
        # Also an interrupt of ours, in a value that did not come to an end: it stops here.
        trace.flush("asked")
        _send({"failed": [], "error": _error_text(error)})
    traces.pop(thread.ident, None)
    return False


def _is_wanted_elsewhere(thread, command):
    """Whether a pause has come meanwhile, or another thread stands at something of its own: then this
    one must not run on, nor let that one."""
    info = thread.additional_info
    if thread.stop_reason != command or info.pydev_step_cmd == CMD_THREAD_SUSPEND:
        return True
    others = (other for other in threading.enumerate() if other is not thread)
    return any(getattr(getattr(other, "additional_info", None), "is_in_wait_loop", False)
               and getattr(other, "stop_reason", None) not in (None, CMD_THREAD_SUSPEND)
               for other in others)


def _step_on(py_db, thread, frame, command):
    """What pydevd 3.x does when the thread was told to make another step."""
    internal_step_in_thread(py_db, get_current_thread_id(thread), command,
                            set_additional_thread_info=set_additional_thread_info)
    info = thread.additional_info
    info.hit_breakpoint_ids = info.step_in_initial_location = None
    info.trace_suspend_type = "trace"
    if command in STEPS_INTO:
        info.step_in_initial_location = (frame, frame.f_lineno)
        if frame.f_code.co_flags & inspect.CO_COROUTINE:
            info.pydev_step_cmd, info.pydev_step_stop = CMD_STEP_INTO_COROUTINE, frame
    elif command in STEPS_OVER:
        info.pydev_step_stop = frame
    else:
        is_mine = command == CMD_STEP_RETURN_MY_CODE
        outer = frame.f_back
        while outer is not None and (is_mine or py_db.is_files_filter_enabled) \
                and py_db.apply_files_filter(outer, outer.f_code.co_filename, is_mine):
            frame, outer = outer, outer.f_back
        if outer is None:
            return False
        info.pydev_step_stop = frame
    py_db.set_trace_for_frame_and_parents(thread.ident, frame)
    info.update_stepping_info()
    return True

# What is decided at a breakpoint: conditions, counts, log messages, rows.

Place = collections.namedtuple("Place", "frame globals locals")


def _debugger_frame():
    """The names of the function of pydevd that evaluates the expression which called us, and
    among them the name that the program's frame has."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name == "handle_breakpoint_condition":
            return frame.f_locals, "new_frame"
        if frame.f_code.co_name == "evaluate_expression":
            return frame.f_locals, "frame"
        frame = frame.f_back
    raise RuntimeError("not called by the debugger")


class Expression:
    def __init__(self, text):
        try:
            self.code, self.error = compile(text.strip(), "<expression>", "eval"), None
            # Code inside the code, such as a lambda, sees its globals only.
            self.nested = any(isinstance(item, types.CodeType) for item in self.code.co_consts)
        except Exception as error:
            self.code, self.error = None, error

    def value(self, place):
        if self.code is None:
            raise self.error
        if not self.nested or place.locals is place.globals:
            return eval(self.code, place.globals, place.locals)
        return eval(self.code, {**place.globals, **place.locals})


HITS = {
    "==": operator.eq, ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
    "%": lambda count, n: n > 0 and count % n == 0,
}


class Point:
    def __init__(self, spec):
        self.spec, self.id = spec, spec["id"]
        condition = (spec.get("condition") or "").strip()
        self.condition = condition and Expression(condition)
        self.hit = spec.get("hit")
        self.log = spec.get("log") and [LogPart(part) for part in spec["log"]]
        self.row = spec.get("row")
        self.columns = [Expression(text) for text in (self.row or {}).get("expressions") or ()]
        self.function = spec.get("function") and spec["function"].split(".")
        # `next` counts right when several threads pass at the same time.
        self.passes, self.rows = itertools.count(1), itertools.count(1)
        self.reached, self.problems, self.last_locals = False, set(), None

    def stops(self, place):
        """Whether the program is to stop for this point; does what else the point asks for."""
        if self.function and not _is_in(self.function, place.frame):
            return False
        if self.spec.get("watch") and not self._is_changed(place):
            return False
        if not self._counts(place):
            if not self.reached:
                self.reached = True
                _send({"reached": self.id})
            return False
        if self.log is not None:
            return self._send_log(place)
        if self.row is not None:
            return self._send_row(place)
        return True

    def _is_changed(self, place):
        watched = watches.get(self.spec["watch"])
        return watched is not None and watched.changed(place)

    def _counts(self, place):
        if self.condition and not self._value(self.condition, place, bool):
            return False
        return self.hit is None or HITS[self.hit[0]](next(self.passes), self.hit[1])

    def _value(self, expression, place, convert, failed=lambda text: None):
        try:
            return convert(expression.value(place))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            text = _error_text(error)
            self.problem(text)
            return failed(text)

    def problem(self, text):
        if text not in self.problems and len(self.problems) < PROBLEM_LIMIT:
            self.problems.add(text)
            _send({"problem": self.id, "error": text})

    def _send_log(self, place):
        text = "".join(
            part.text + (self._value(part.code, place, part.show, "<{}>".format) if part.code else "")
            for part in self.log)
        _send({"log": self.id, "text": _cut(text, MESSAGE_LIMIT // 4), **_where(place.frame)})

    def _send_row(self, place):
        number, most = next(self.rows), self.row.get("max") or 1000
        if number > most:
            return
        cells = [self._value(column, place, _cell, lambda error: _cell(error, error))
                 for column in self.columns]
        _send({"row": self.id, "number": number, "function": _qualified(place.frame),
               "values": cells, "changes": self._changes(place) if self.row.get("changes") else [],
               "frames": _frames(place.frame, self.row.get("frames") or 0),
               **_where(place.frame)})

    def _changes(self, place):
        now = {name: short(value) for name, value in _variables(place.locals)[:LOCALS_LIMIT]}
        last, self.last_locals = self.last_locals, now
        return [] if last is None else [
            {"name": name, "before": last.get(name), "after": now.get(name)}
            for name in list({**last, **now}) if last.get(name) != now.get(name)]


class LogPart:
    """A piece of a log message: text, then perhaps a value with its format."""

    def __init__(self, spec):
        self.text, self.format = spec["text"], spec.get("format") or ""
        self.code = spec.get("expression") and Expression(spec["expression"])
        self.convert = {"r": repr, "s": str, "a": ascii}.get(spec.get("conversion") or "")

    def show(self, value):
        value = self.convert(value) if self.convert else value
        return _log_text(format(value, self.format) if self.format else value)


def _cell(value, error=""):
    return {"value": "" if error else short(value), "type": "" if error else type(value).__name__,
            "error": error}


CODE_TYPES = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType,
              types.CodeType, types.FrameType, types.TracebackType, type)


def _variables(names):
    """Names with their values, without what a module is full of: modules, functions, classes."""
    return [(name, value) for name, value in list(names.items())
            if not _is(value, CODE_TYPES) and not name.startswith(("__", "(return)"))]


def _qualified(frame):
    return getattr(frame.f_code, "co_qualname", frame.f_code.co_name)


def _frames(frame, most):
    found = []
    while frame is not None and len(found) < min(most, 100):
        if not _is_debugger_file(frame.f_code.co_filename):
            found.append({"name": _qualified(frame), "file": frame.f_code.co_filename,
                          "line": frame.f_lineno})
        frame = frame.f_back
    return found


def _is_in(wanted, frame):
    """Whether the frame's function has this name, split at its dots: f, Cls.f, mod.f, mod.Cls.f."""
    code = frame.f_code
    if code.co_name != wanted[-1] or len(wanted) == 1:
        return code.co_name == wanted[-1]
    owners = [_qualified(frame).split(".")[:-1]]
    # Before 3.11 the code does not tell its class; and a class has the methods that it inherits.
    first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    kinds = (first if isinstance(first, type) else type(first)).__mro__
    kinds += (frame.f_globals.get(wanted[-2]),)
    owners += [kind.__qualname__.split(".") for kind in kinds if _has_code(kind, code)]
    # The launched script is called __main__, whatever its file is called.
    file = os.path.splitext(os.path.basename(code.co_filename))[0]
    modules = str(frame.f_globals.get("__name__", "")).split("."), [file]
    paths = [module + [part for part in owner if part != "<locals>"]
             for owner in owners for module in modules]
    return any(path[1 - len(wanted):] == wanted[:-1] for path in paths)


def _has_code(kind, code):
    if not isinstance(kind, type):
        return False
    member = next((vars(each).get(code.co_name) for each in kind.__mro__
                   if code.co_name in vars(each)), None)
    for inner in ("fget", "__func__", "__wrapped__"):
        member = getattr(member, inner, member)
    return getattr(member, "__code__", None) is code


def stop_for(text):
    """The condition of the host's breakpoints: decides for the points that the text describes."""
    ids = ()
    try:
        ids = known_points.get(text)
        if ids is None:
            ids = _take_points(text)
        # The frame of the expression has the very dictionaries that pydevd evaluates it with.
        expression, (debugger, name) = sys._getframe(1), _debugger_frame()
        place = Place(debugger[name], expression.f_globals, expression.f_locals)
        _compile_condition(debugger.get("pybreakpoint"))
        hits = [id for id in ids if id in points and _stops(points[id], place)]
        if hits:
            message = {"hit": hits, **_where(place.frame)}
            for id in hits:
                watched = watches.get(points[id].spec.get("watch"))
                if watched is not None:
                    message.update(watched.change, watch=id)
            _send(message)
        return bool(hits)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        _send({"failed": list(ids), "error": _error_text(error)})
        return False


def _stops(point, place):
    """One point that fails does not silence the others of its line."""
    try:
        return point.stops(place)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        point.problem(_error_text(error))
        return False


def forget(text, expression=""):
    """Drops points, and a value that was watched: it and its frame are kept alive no longer."""
    for id in json.loads(text):
        points.pop(id, None)
    known_points.clear()
    watches.pop(expression, None)


def _compile_condition(breakpoint):
    """pydevd evaluates the text, and so compiles it, at every pass; code does as well."""
    if breakpoint is not None and type(breakpoint.condition) is str:
        breakpoint.condition = compile(breakpoint.condition.strip(), "<condition>", "eval")


def _take_points(text):
    """Points that come again unchanged, at this or another line, keep their counters."""
    if len(known_points) > POINTS_LIMIT:
        known_points.clear()
    specs = json.loads(text)
    for spec in specs:
        known = points.get(spec["id"])
        if known is None or known.spec != spec:
            points[spec["id"]] = Point(spec)
    ids = known_points[text] = tuple(spec["id"] for spec in specs)
    return ids

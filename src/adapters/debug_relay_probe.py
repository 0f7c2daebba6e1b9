# Installed by the host into every debugged process, with an `evaluate` request, before its first
# line runs. The conditions of the host's breakpoints call `stop_at`; the host calls the rest by
# `evaluate`. What happens meanwhile is told to the host in `output` events of an own category.
# Runs inside a foreign program, in any thread: it prints nothing, takes no lock, raises nothing
# but a KeyboardInterrupt that was meant for the program, and keeps a bounded amount of memory.
import ast
import collections
import ctypes
import itertools
import json
import os
import signal
import sys
import types

from _pydev_bundle._pydev_saved_modules import threading, time
from _pydevd_bundle._debug_adapter.pydevd_schema import OutputEvent, OutputEventBody
from _pydevd_bundle._debug_adapter.pydevd_base_schema import BaseSchema
from _pydevd_bundle.pydevd_comm_constants import CMD_WRITE_TO_CONSOLE
from _pydevd_bundle.pydevd_constants import get_current_thread_id, get_global_debugger
from _pydevd_bundle.pydevd_net_command import NetCommand

NAME = "_debug_relay"
CATEGORY = "debug-relay"
MESSAGE_LIMIT = 64 * 1024
LOG_LIMIT = 8 * 1024
QUEUE_LIMIT = 2000
VISIT_LIMIT = 100000
PROBLEM_LIMIT = 5
GONE = "<gone>"

points = {}
pid = os.getpid()


class Answer:
    """A result whose repr is JSON, so that `evaluate` shows the JSON itself."""

    def __init__(self, value):
        # Valid text only: a lone surrogate in a name would make the whole answer unreadable.
        self.text = json.dumps(value, ensure_ascii=False, default=short)
        self.text = self.text.encode("utf-8", "replace").decode("utf-8")

    def __repr__(self):
        return self.text

    __str__ = __repr__


# ---- Values as short text

def _dict_text(value, limit, depth):
    pairs = itertools.islice(dict.items(value), limit // 4 + 1)
    parts = ("%s: %s" % (_text(k, limit, depth), _text(v, limit, depth)) for k, v in list(pairs))
    return "{%s}" % _joined(parts, len(value), limit)


def _sequence_text(start, end, iterate):
    def text(value, limit, depth):
        items = list(itertools.islice(iterate(value), limit // 3 + 1))
        joined = _joined((_text(item, limit, depth) for item in items), len(value), limit)
        comma = "," if start == "(" and len(value) == 1 else ""
        return start + joined + comma + end
    return text


def _set_text(value, limit, depth):
    return _sequence_text("{", "}", type(value).__iter__)(value, limit, depth) if value else "set()"


def _named(text):
    return lambda value, limit, depth: "%s(%s)" % (type(value).__name__, text(value, limit, depth))


def _string_text(value, limit, depth):
    whole = len(value) <= limit
    return repr(value) if whole and type(value) in (str, bytes) else repr(value[:limit]) + "..." * (not whole)


def _int_text(value, limit, depth):
    return int.__repr__(value) if value.bit_length() < 2000 else "<int of %d bits>" % value.bit_length()


def _joined(parts, count, limit):
    taken, length = [], 0
    for part in parts:
        taken.append(part)
        length += len(part) + 2
        if length > limit:
            break
    return ", ".join(taken) + (", ..." if len(taken) < count else "")


# By the class's __repr__, so that subclasses which have not their own are cut as well.
TEXTS = {
    str.__repr__: _string_text,
    bytes.__repr__: _string_text,
    bytearray.__repr__: _named(lambda value, limit, depth: _string_text(bytes(value[:limit + 1]), limit, depth)),
    int.__repr__: _int_text,
    dict.__repr__: _dict_text,
    list.__repr__: _sequence_text("[", "]", list.__iter__),
    tuple.__repr__: _sequence_text("(", ")", tuple.__iter__),
    set.__repr__: _set_text,
    frozenset.__repr__: _named(_set_text),
    collections.deque.__repr__: _named(_sequence_text("[", "]", collections.deque.__iter__)),
    collections.OrderedDict.__repr__: _named(_dict_text),
    collections.defaultdict.__repr__: _named(_dict_text),
    collections.Counter.__repr__: _named(_dict_text),
    type({}.keys()).__repr__: _named(_sequence_text("[", "]", iter)),
    type({}.values()).__repr__: _named(_sequence_text("[", "]", iter)),
    type({}.items()).__repr__: _named(_sequence_text("[", "]", iter)),
}


def _text(value, limit, depth):
    writer = TEXTS.get(type(value).__repr__)
    if writer is None:
        return _cut(repr(value), limit)
    if depth == 0 and writer not in (_string_text, _int_text):
        return "..."
    return writer(value, limit, depth - 1)


def _cut(text, limit):
    return text if len(text) <= limit else text[:limit - 3] + "..."


def short(value, limit=200):
    """The repr of a value, cut without building the whole of it."""
    try:
        return _cut(_text(value, limit, 5), limit)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return "<%s: its repr raised %s>" % (type(value).__name__, type(error).__name__)


def _log_text(value):
    if isinstance(value, str):
        return _cut(value, LOG_LIMIT)
    if type(value).__str__ is object.__str__:
        return short(value, LOG_LIMIT)
    return _cut(str(value), LOG_LIMIT)


def _error_text(error):
    try:
        text = str(error)
    except Exception:
        text = ""
    return _cut("%s: %s" % (type(error).__name__, text) if text else type(error).__name__, 500)


# ---- Messages

def _send(message, must=True):
    try:
        writer = get_global_debugger().writer
        # A host that reads slowly slows the program down; it does not fill the memory.
        deadline = time.time() + 2
        while writer._cmd_queue.qsize() > QUEUE_LIMIT:
            if time.time() > deadline:
                if must:
                    break
                return
            time.sleep(0.002)
        text = Answer(message).text
        if len(text) > MESSAGE_LIMIT:
            text = Answer({key: item for key, item in message.items() if not isinstance(item, (list, str))}).text
        event = OutputEvent(OutputEventBody(text, CATEGORY))
        writer.add_command(NetCommand(CMD_WRITE_TO_CONSOLE, 0, event, is_json=True))
    except Exception:
        pass  # Nobody listens any more.


def _thread():
    """The current thread's name and its DAP id."""
    thread = threading.current_thread()
    return thread.name, BaseSchema._translate_id_to_dap(get_current_thread_id(thread))


# ---- Breakpoints

class Expression:
    def __init__(self, text):
        self.text = text
        self.code = None
        try:
            # Leading blanks would be an indentation error.
            self.code = compile(text.strip(), "<debug-relay expression>", "eval")
            self.error = None
        except Exception as error:
            self.error = error
            return
        # Code inside the code (a lambda, a comprehension) sees globals only.
        self.nested = any(isinstance(item, types.CodeType) for item in self.code.co_consts)

    def value(self, place):
        if self.code is None:
            raise self.error
        if not self.nested or place.locals is place.globals:
            return eval(self.code, place.globals, place.locals)
        names = dict(place.globals)
        names.update(place.locals)
        return eval(self.code, names)


class Place:
    """The frame that a condition is evaluated for."""

    __slots__ = ("frame", "globals", "locals")

    def __init__(self, frame, global_dict, local_dict):
        self.frame, self.globals, self.locals = frame, global_dict, local_dict


HITS = {
    "==": lambda count, n: count == n,
    ">=": lambda count, n: count >= n,
    "<=": lambda count, n: count <= n,
    ">": lambda count, n: count > n,
    "<": lambda count, n: count < n,
    "%": lambda count, n: n > 0 and count % n == 0,
}


class Point:
    def __init__(self, spec):
        self.spec = spec
        self.id = spec["id"]
        self.condition = Expression(spec["condition"]) if (spec.get("condition") or "").strip() else None
        self.hit = spec.get("hit")
        self.log = [(text, Expression(code) if code else None) for text, code in spec.get("log") or ()]
        self.is_log = spec.get("log") is not None
        self.row = spec.get("row")
        self.columns = [Expression(text) for text in (self.row or {}).get("expressions", ())]
        self.function = (spec.get("function") or "").split(".") if spec.get("function") else None
        self.watch = None
        # Counting with `next` is atomic; threads pass here at the same time.
        self.passes = itertools.count(1)
        self.rows = itertools.count(1)
        self.last_locals = None
        self.was_reached = False
        self.problems = set()

    def stops(self, place):
        """Whether the program stops here for this point; does all else that the point asks for."""
        if self.function is not None and not _is_in(self.function, place.frame):
            return False
        if not self._counts(place):
            if not self.was_reached:
                self.was_reached = True
                _send({"reached": self.id})
            return False
        if self.is_log:
            self._send_log(place)
        elif self.row is not None:
            self._send_row(place)
        elif self.spec.get("watch"):
            return self.watch is not None and self.watch.changed(place)
        else:
            return True
        return False

    def _counts(self, place):
        if self.condition is not None and not self._value(self.condition, place, bool, False):
            return False
        return self.hit is None or HITS[self.hit[0]](next(self.passes), self.hit[1])

    def _value(self, expression, place, convert, otherwise):
        try:
            return convert(expression.value(place))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            text = _error_text(error)
            if text not in self.problems and len(self.problems) < PROBLEM_LIMIT:
                self.problems.add(text)
                _send({"problem": self.id, "error": text})
            return otherwise(text) if callable(otherwise) else otherwise

    def _send_log(self, place):
        pieces = []
        for text, expression in self.log:
            pieces.append(text)
            if expression is not None:
                pieces.append(self._value(expression, place, _log_text, lambda error: "<%s>" % error))
        name, thread = _thread()
        _send({"log": self.id, "text": _cut("".join(pieces), MESSAGE_LIMIT // 2),
               "file": place.frame.f_code.co_filename, "line": place.frame.f_lineno,
               "thread": name, "thread_id": thread}, must=False)

    def _send_row(self, place):
        number, most = next(self.rows), self.row.get("max") or 1000
        if number > most:
            return
        name, thread = _thread()
        frames = _frames(place.frame, self.row.get("frames") or 0)
        _send({"row": self.id, "number": number, "file": place.frame.f_code.co_filename,
               "line": place.frame.f_lineno, "function": _qualified(place.frame.f_code),
               "thread_name": name, "thread": thread,
               "values": [self._column(expression, place) for expression in self.columns],
               "changes": self._changes(place) if self.row.get("changes") else [], "frames": frames}, must=False)
        if number == most:
            self.last_locals = None
            _send({"row_end": self.id})

    def _column(self, expression, place):
        def cell(value):
            return {"value": short(value), "type": type(value).__name__, "error": ""}
        return self._value(expression, place, cell, lambda text: {"value": "", "type": "", "error": text})

    def _changes(self, place):
        now = {name: short(value) for name, value in itertools.islice(_plain_names(place.locals), 50)}
        last, self.last_locals = self.last_locals, now
        if last is None:
            return []
        names = list(now) + [name for name in last if name not in now]
        return [{"name": name, "before": last.get(name), "after": now.get(name)}
                for name in names if last.get(name) != now.get(name)]


def _plain_names(names):
    """Variables without what a module's names are full of: modules, functions, classes."""
    return [(name, value) for name, value in list(names.items())
            if not (name.startswith("__") and name.endswith("__")) and not isinstance(value, CODE_TYPES)]


CODE_TYPES = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type,
              types.CodeType, types.FrameType, types.TracebackType)


def _qualified(code):
    return getattr(code, "co_qualname", code.co_name)


def _frames(frame, most):
    found = []
    while frame is not None and len(found) < min(most, 100):
        file = frame.f_code.co_filename
        if not _is_ours(file):
            found.append({"name": _qualified(frame.f_code), "file": file, "line": frame.f_lineno})
        frame = frame.f_back
    return found


def _is_in(wanted, frame):
    """Whether the frame's function has this name: f, Cls.f, mod.f, pkg.mod.Cls.f."""
    code = frame.f_code
    if code.co_name != wanted[-1]:
        return False
    if len(wanted) == 1:
        return True
    module = str(frame.f_globals.get("__name__", "")).split(".")
    if hasattr(code, "co_qualname"):
        owners = [[part for part in code.co_qualname.split(".")[:-1] if part != "<locals>"]]
        if _first_class(frame) is not None:  # A method that a class inherits is the class's, too.
            owners += [kind.__qualname__.split(".") for kind in _first_class(frame).__mro__]
    else:
        kind = _first_class(frame)
        owners = [[]] if kind is None else [each.__qualname__.split(".") for each in kind.__mro__]
        owners += [[]]
    return any((module + owner)[-len(wanted) + 1:] == wanted[:-1] for owner in owners)


def _first_class(frame):
    """The class that a method was called on, by its first argument."""
    code = frame.f_code
    if not code.co_argcount or code.co_varnames[0] not in ("self", "cls"):
        return None
    value = frame.f_locals.get(code.co_varnames[0])
    kind = value if isinstance(value, type) else type(value)
    return kind if code.co_name in {name for each in kind.__mro__ for name in vars(each)} else None


def _debugged_frame():
    """The program's frame that pydevd evaluates the calling expression for."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_name
        if name == "handle_breakpoint_condition":
            return frame.f_locals.get("new_frame")
        if name == "evaluate_expression":
            return frame.f_locals.get("frame")
        frame = frame.f_back
    return None


def stop_at(*ids):
    """The condition of the host's breakpoints: the points that the line belongs to."""
    try:
        # The expression's own frame has the dictionaries that pydevd evaluates it with.
        expression = sys._getframe(1)
        place = Place(_debugged_frame() or expression, expression.f_globals, expression.f_locals)
        hits = [id for id in ids if id in points and points[id].stops(place)]
        if hits:
            message = {"hit": hits}
            for id in hits:
                if points[id].watch is not None:
                    message.update(points[id].watch.change, watch=id)
            _send(message)
        return bool(hits)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        _send({"failed": list(ids), "error": _error_text(error)})
        return False


def set_points(text):
    """Adds and changes points; one that comes again unchanged keeps its counters."""
    for spec in json.loads(text):
        known = points.get(spec["id"])
        if known is None or known.spec != spec:
            points[spec["id"]] = Point(spec)
            if known is not None:
                points[spec["id"]].watch = known.watch
    return len(points)


def drop_points(text):
    """Drops points by id, or all of them for `null`."""
    ids = json.loads(text)
    for id in list(points) if ids is None else ids:
        points.pop(id, None)
    return len(points)


# ---- Watched values

class Watch:
    """Reads one value again and again, from any frame where it can be read."""

    def __init__(self, expression, place):
        self.expression = Expression(expression)
        self.read = self._reader(ast.parse(expression.strip(), mode="eval").body, place)
        # Without a reader of its own, the value exists in this call of this function only.
        self.frame = place.frame if self.read is None else None
        self.thread = threading.get_ident()
        self.change = {}
        self.last, self.text = self._now(place)

    def _reader(self, node, place):
        if isinstance(node, ast.Name):
            code = place.frame.f_code
            is_local = node.id in code.co_varnames + code.co_cellvars + code.co_freevars
            if is_local and place.locals is not place.globals:
                return None
            return lambda names=place.globals, name=node.id: names.get(name, GONE)
        if isinstance(node, ast.Attribute) and _is_chain(node.value):
            return lambda owner=_ast_value(node.value, place), name=node.attr: getattr(owner, name)
        if isinstance(node, ast.Subscript) and _is_chain(node.value):
            key = getattr(node.slice, "value", None) if type(node.slice).__name__ == "Index" else node.slice
            if isinstance(key, ast.expr) and not isinstance(key, getattr(ast, "Slice")):
                return lambda owner=_ast_value(node.value, place), key=_ast_value(key, place): owner[key]
        return None

    def _now(self, place):
        try:
            value = self.expression.value(place) if self.read is None else self.read()
        except (AttributeError, LookupError, NameError):
            return GONE, GONE
        return _fingerprint(value), short(value)

    def _is_readable(self, place):
        if self.read is not None or self.frame is place.frame:
            return True
        if self.frame.f_code is not place.frame.f_code or self.thread != threading.get_ident():
            return False
        # Another call of the function: a deeper one while ours still runs, or a new one after it.
        # A generator that is suspended is in no chain of callers; its next one is not followed.
        outer = place.frame.f_back
        while outer is not None and outer is not self.frame:
            outer = outer.f_back
        if outer is None and not self.frame.f_code.co_flags & (0x20 | 0x80 | 0x200):
            self.frame = place.frame
            self.last, self.text = self._now(place)
        return False

    def changed(self, place):
        if not self._is_readable(place):
            return False
        last, text = self.last, self.text
        self.last, self.text = self._now(place)
        self.change = {"before": text, "after": self.text}
        return self.last is not last and self.last != last


def _is_chain(node):
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return isinstance(node, ast.Name)


def _ast_value(node, place):
    code = compile(ast.Expression(node), "<debug-relay watch>", "eval")
    return eval(code, place.globals, place.locals)


def _fingerprint(value):
    kind = type(value)
    if kind in (int, bool, str, bytes, type(None)):
        return kind, value
    if kind in (float, complex):
        return kind, repr(value)  # Of all values only NaN is not equal to itself.
    size = len(value) if kind in (list, dict, set, tuple, frozenset, bytearray) else 0
    return kind, id(value), size, short(value, 1000)


def _place(global_dict, local_dict):
    frame = _debugged_frame()
    if frame is not None and "f_trace" in dir(frame) and frame.f_globals is not globals():
        return Place(frame, frame.f_globals, frame.f_locals)
    return Place(frame, global_dict or {}, local_dict or {})


def watch(id, expression, global_dict=None, local_dict=None):
    """Starts to watch the value for the point with this id."""
    try:
        place = _place(global_dict, local_dict)
        found = Watch(expression, place)
        if id in points:
            points[id].watch = found
        return Answer({"value": found.text, "error": "" if id in points else "no such point"})
    except Exception as error:
        return Answer({"value": "", "error": _error_text(error)})


# ---- Search

ATOMS = (str, bytes, bytearray, int, float, complex, bool, type(None))


def find(query, max_depth=5, max_results=50, seconds=2.0, global_dict=None, local_dict=None):
    """Looks for a text in the names and the plain values that can be reached from the frame."""
    place = _place(global_dict, local_dict)
    wanted, deadline, found, seen = query.lower(), time.time() + seconds, [], set()
    queue = collections.deque()
    for names in (place.locals,) if place.locals is place.globals else (place.locals, place.globals):
        queue.extend((None, name, name, value, 1) for name, value in _plain_names(names))
    visits = 0
    while queue:
        visits += 1
        if visits > VISIT_LIMIT or len(found) >= max_results or (visits % 64 == 0 and time.time() > deadline):
            return Answer({"found": found, "incomplete": True})
        node = queue.popleft()
        parent, step, name, value, depth = node
        is_atom = isinstance(value, ATOMS)
        if not is_atom and (id(value) in seen or isinstance(value, CODE_TYPES)):
            continue
        children = [] if is_atom else _children(node, VISIT_LIMIT - visits)
        if _contains(name, wanted) or (children == [] and _contains(_searched(value), wanted)):
            found.append({"path": _path(node), "value": short(value), "type": type(value).__name__})
        if not is_atom:
            seen.add(id(value))
            if depth < max_depth and len(queue) < VISIT_LIMIT:
                queue.extend(children)
    return Answer({"found": found, "incomplete": False})


def _contains(text, wanted):
    return text is not None and wanted in text.lower()


def _searched(value):
    if isinstance(value, str):
        return str.__getitem__(value, slice(0, MESSAGE_LIMIT))
    # The repr of an object that is no plain value may do anything.
    return short(value, 1000) if type(value).__repr__ is not object.__repr__ else None


def _children(node, most):
    value, depth = node[3], node[4] + 1
    if isinstance(value, dict):
        items = enumerate(list(itertools.islice(dict.items(value), most)))
        return [(node, _key_step(key, number), key if isinstance(key, str) else short(key), item, depth)
                for number, (key, item) in items]
    if isinstance(value, (list, tuple)):
        return [(node, "{}[%d]" % n, None, item, depth) for n, item in enumerate(list(itertools.islice(value, most)))]
    if isinstance(value, (set, frozenset, collections.deque)):
        return [(node, "list({})[%d]" % n, None, item, depth) for n, item in enumerate(list(itertools.islice(value, most)))]
    return [(node, _attribute_step(value, name), name, item, depth) for name, item in _attributes(value)]

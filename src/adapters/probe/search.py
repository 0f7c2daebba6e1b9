# What the host asks for: searches, modules, interrupts, expressions.

ATOMS = (str, bytes, bytearray, int, float, complex, type(None))


def find(query, max_depth=5, max_results=50, seconds=2.0, *_):
    """Looks for a text in names and in plain values, from the frame's variables on."""
    place = _place()
    query, deadline = query.lower(), time.time() + seconds
    found, seen, is_cut = [], set(), False
    # A node: the one before it, what its path adds before and after that one's, name, value, depth.
    queue = collections.deque(
        (None, "", name, name, value, 1) for names in _scopes(place)
        for name, value in _variables(names))
    for visit in itertools.count():
        if not queue:
            return Answer({"found": found, "incomplete": is_cut})
        if visit >= VISIT_LIMIT or len(found) >= max_results or time.time() > deadline:
            return Answer({"found": found, "incomplete": True})
        node = queue.popleft()
        name, value, depth = node[3:]
        is_atom = _is(value, ATOMS)
        if _is(value, CODE_TYPES) or not is_atom and id(value) in seen:
            continue
        if query in name.lower() or query in _searched(value).lower():
            found.append({"path": _path(node), "value": short(value), "type": type(value).__name__})
        if not is_atom:
            seen.add(id(value))
            if depth < max_depth:
                children = _first(_children(value))
                # One large container must not use up the visits of all others.
                is_cut = is_cut or len(children) == CHILD_LIMIT or len(queue) > VISIT_LIMIT
                queue.extend((node, *child, depth + 1) for child in children
                             if len(queue) <= VISIT_LIMIT)


def _scopes(place):
    """Outside of functions both are the same."""
    is_module = place.frame.f_code.co_name == "<module>"
    return (place.globals,) if is_module else (place.locals, place.globals)


def _path(node):
    before, after = "", ""
    while node is not None:
        before, after, node = before + node[1], node[2] + after, node[0]
    return before + after


def _searched(value):
    """The text of a plain value. Of other objects the repr is the program's code: it is not run."""
    if _is(value, str):
        return value[:MESSAGE_LIMIT]
    form = type(value).__repr__
    is_plain = isinstance(form, types.WrapperDescriptorType) and form is not object.__repr__
    return short(value) if is_plain and form not in BRACKETS else ""


def _first(items):
    return list(itertools.islice(items, CHILD_LIMIT))


def _children(value):
    """What a value consists of: (text before its path, text after it, name, value)."""
    if _is(value, dict):
        for number, (key, item) in enumerate(_first(dict.items(value))):
            if type(key) in (str, bytes, int, bool, type(None)):
                yield "", "[%r]" % (key,), str(key), item
            else:
                yield "list(", ".values())[%d]" % number, short(key), item
    for kind in (list, tuple, set, frozenset, collections.deque):
        if _is(value, kind):
            ends = ("", "[%d]") if kind in (list, tuple, collections.deque) else ("list(", ")[%d]")
            for number, item in enumerate(_first(kind.__iter__(value))):
                yield ends[0], ends[1] % number, "", item
    try:
        own = object.__getattribute__(value, "__dict__")
    except Exception:
        own = {}
    kinds = type(value).__mro__
    for name, item in list(own.items()) if type(own) is dict else ():
        # A property of the same name would be run instead of showing what is stored.
        stored = not str(name).isidentifier() or any(name in vars(kind) for kind in kinds)
        yield "", ".__dict__[%r]" % (name,) if stored else "." + name, str(name), item
    for kind in kinds:
        for name, member in list(vars(kind).items()) if "__slots__" in vars(kind) else ():
            if isinstance(member, types.MemberDescriptorType):
                try:
                    yield "", "." + name, name, member.__get__(value)
                except AttributeError:
                    pass


# ---- Values

def texts(limit, values):
    """Values as text of at most so many characters, each with its length."""
    return Answer([(short(value, int(limit)), len(value)) for value in values])


def part(value, start, end):
    """Some members of a container, as a container."""
    if isinstance(value, collections.abc.Mapping):
        return dict(itertools.islice(value.items(), start, end))
    if hasattr(value, "iloc"):
        return value.iloc[start:end]
    if isinstance(value, (list, tuple, range)) or type(value).__name__ == "ndarray":
        return value[start:end]
    return list(itertools.islice(value, start, end))


# ---- Modules

def _is_debugger_file(path):
    root = os.path.dirname(os.path.dirname(os.path.dirname(sys.modules["pydevd"].__file__)))
    return path.startswith(root + os.sep) or path.startswith("<debug_relay")


def modules():
    """The loaded modules, without the debugger's own."""
    found = []
    for name, module in list(sys.modules.items()):
        # Asking the module itself may import it, or run whatever it has for such questions.
        is_module = _is(module, types.ModuleType)
        file = object.__getattribute__(module, "__dict__").get("__file__") if is_module else None
        file = os.path.abspath(file) if _is(file, str) else ""
        is_ours = str(name).startswith((NAME, "_pydev", "pydev_", "debugpy")) or _is_debugger_file(file)
        if is_module and not is_ours:
            found.append({"name": name, "file": file})
    return Answer(sorted(found, key=operator.itemgetter("name")))


def sources():
    """The Python files of the loaded modules."""
    files = {module["file"] for module in json.loads(modules().text)}
    return Answer(sorted(file for file in files if file.endswith(".py")))


# ---- What does not come back

def _is_evaluating(frame):
    """Whether a thread works on a request of the host, rather than waits or runs."""
    while frame is not None:
        code = frame.f_code
        if code.co_name.startswith("internal_") and code.co_filename.endswith("pydevd_comm.py"):
            return True
        if code.co_name == "_async_func" and code.co_filename.endswith("pydevd_vars.py"):
            return True
        if code.co_name == "take_step" and code.co_filename == "<debug_relay>":
            return True
        if code.co_name == "_do_wait_suspend":
            return False
        frame = frame.f_back
    return False


def interrupt():
    """Raises KeyboardInterrupt in the threads that evaluate for the host; says in how many."""
    count, main = 0, threading.main_thread().ident
    for ident, frame in list(sys._current_frames().items()):
        if ident == threading.get_ident() or not _is_evaluating(frame):
            continue
        # Only a signal ends a blocking call, and only in the main thread. Never both: the second
        # interrupt would hit the thread when it merely waits, and end its stop.
        if ident == main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.pthread_kill(ident, signal.SIGINT)
        else:
            import ctypes  # Some Pythons have none, and need it for nothing else.
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(ident), ctypes.py_object(KeyboardInterrupt))
        count += 1
    return count


# ---- Evaluation

# Values that the host was shown, by number, while the program stands.
results = {}


class DebugRelayFailure:
    """What is shown in place of a value that could not be had."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def evaluate(number, text):
    """The value of an expression in the evaluated frame, or what it raised, with its traceback. Once
    had, it is kept under its number until the program runs on: whoever looks at its members later
    looks at the same value."""
    if number not in results:
        results[number] = _evaluate(text, _place())
    return results[number]


class DebugRelayExit(Exception):
    """An attempt to end the program from a statement of the host; it would end the stop instead."""


def run(text, names):
    """Runs a statement; names go to the dictionary that the debugger writes back to the frame."""
    code = compile(text, "<statement>", "exec")
    try:
        exec(code, names)
    except SystemExit as error:
        raise DebugRelayExit("SystemExit: %s" % (error.code,)) from None


def scope_of(name):
    """Where a name of the evaluated frame is kept: "local", "global" or nowhere, ""."""
    place = _place()
    is_local = name in place.locals
    if place.frame.f_code.co_name != "<module>":
        code = place.frame.f_code
        is_local = name in code.co_varnames + code.co_cellvars + code.co_freevars or (
            is_local and name not in place.globals)
    found = "local" if is_local else "global" if name in place.globals else ""
    return Answer(found)


def target_lines():
    """The lines of the calls that the debugger last offered to step into: it offers those of other
    lines, too, and does not tell."""
    offered = threading.current_thread().additional_info.target_id_to_smart_step_into_variant
    return Answer({str(id): getattr(variant, "line", 0) for id, variant in offered.items()})


def drop_results():
    results.clear()


def _evaluate(text, place):
    try:
        return Expression(text).value(place)
    except BaseException as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__)
                  if not _is_debugger_file(frame.filename) and frame.filename != "<expression>"]
        said = "".join(traceback.format_exception_only(type(error), error)).strip()
        head = ["Traceback (most recent call last):\n"] if frames else []
        return DebugRelayFailure("".join(head + traceback.format_list(frames)) + said)


def _install():
    module = sys.modules.get(NAME)
    # After a fork the parent's points are here, too; they are not those of this process.
    if getattr(module, "pid", None) == os.getpid():
        return
    module = types.ModuleType(NAME)
    module.pid = os.getpid()
    for function in (stop_for, watch, find, modules, sources, interrupt, evaluate,
                     run, scope_of, target_lines, drop_results, texts, part, forget, judge_exceptions,
                     is_wanted, trace, flush_trace, end_trace):
        setattr(module, function.__name__, function)
    sys.modules[NAME] = module


_install()

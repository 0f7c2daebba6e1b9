# Which exceptions stop the program. It is decided when one is raised, before anything has stopped:
# a stop that is taken back would end the step that was under way.

MODES = {"raised": "break_on_caught_exceptions", "uncaught": "break_on_uncaught_exceptions",
         "userUnhandled": "break_on_user_uncaught_exceptions"}
CLASS_NAMES = re.compile(r"[^\W\d][\w.]*(\s*,\s*[^\W\d][\w.]*)*$")
# For each mode the conditions, any of which is enough; an empty one always holds.
exception_filters = {}
exception_problems = set()
# What is known of the exception that a thread is just raising. No object is kept alive by it.
raising = threading.local()


def judge_exceptions(text):
    """Puts our own conditions on the debugger's breakpoints for exceptions."""
    exception_filters.clear()
    exception_filters.update(json.loads(text))
    exception_problems.clear()
    debugger = get_global_debugger()
    _observe(debugger.get_plugin_lazy_init())
    for mode, name in MODES.items():
        # One object may stand for several modes; each needs a condition of its own.
        judged = {key: copy.copy(each) for key, each in getattr(debugger, name).items()}
        for each in judged.values():
            each.condition = compile(
                "__import__('sys').modules[%r].is_wanted(%r)" % (NAME, mode), "<condition>", "eval")
        setattr(debugger, name, judged)
    return len(exception_filters)


def _observe(plugins):
    """The conditions are not told which exception it is. The plugins are, a moment before."""
    asked = plugins.exception_break
    if getattr(asked, "is_ours", False):
        return

    def exception_break(debugger, frame, thread, raised, is_unwind=False):
        try:
            raising.verdicts = {}
            if not debugger.apply_files_filter(frame, frame.f_code.co_filename, False):
                raising.verdicts = _verdicts(frame, raised[1], raised[2])
        except Exception:
            pass
        return asked(debugger, frame, thread, raised, is_unwind)

    exception_break.is_ours = True
    plugins.exception_break = exception_break


def _verdicts(frame, value, trace):
    is_again = _is_again(value, trace)
    return {"raised": not is_again and _fits("raised", frame, value),
            "userUnhandled": _fits("userUnhandled", frame, value)}


def _is_again(value, trace):
    """Whether an exception was seen already in a frame that it has left since."""
    depth, last = 1, trace
    while last is not None and last.tb_next is not None:
        depth, last = depth + 1, last.tb_next
    # An address alone is soon used again, for another exception of another place.
    origin = (id(value), last and id(last.tb_frame.f_code), last and last.tb_lasti)
    seen, seen_depth = getattr(raising, "last", (None, 0))
    raising.last = (origin, depth)
    return seen == origin and seen_depth < depth


def is_wanted(mode):
    """The condition of the debugger's breakpoints for exceptions."""
    try:
        if mode != "uncaught":
            return getattr(raising, "verdicts", {}).get(mode, True)
        frame = _place().frame
        return _fits(mode, frame, frame.f_locals["__exception__"][1])
    except Exception:
        return True


def _fits(mode, frame, value):
    conditions = exception_filters.get(mode)
    if conditions is None:
        return False
    return any(not each or _matches(each, frame, value) for each in conditions)


def _matches(condition, frame, value):
    try:
        if CLASS_NAMES.match(condition):
            names = {name for kind in type(value).__mro__ for name in (
                kind.__name__, kind.__qualname__, "%s.%s" % (kind.__module__, kind.__qualname__))}
            return any(name.strip() in names for name in condition.split(","))
        names = {**frame.f_locals, "exception": value}
        return bool(Expression(condition).value(Place(frame, frame.f_globals, names)))
    except Exception as error:
        text = "%s raised %s" % (condition, _error_text(error))
        if text not in exception_problems and len(exception_problems) < PROBLEM_LIMIT:
            exception_problems.add(text)
            _send({"exception_problem": text})
        return False



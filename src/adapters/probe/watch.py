# Values that stop the program when they change.

GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Watch:
    """Reads one value again and again, from every frame in which it can be read."""

    def __init__(self, text, place):
        self.expression = Expression(text)
        self.read = _reader(ast.parse(text.strip(), mode="eval").body, place)
        # What has no reader is a variable of one call: it is read in that call only.
        self.frame = place.frame if self.read is None else None
        self._look(place)

    def _look(self, place):
        try:
            value = self.expression.value(place) if self.read is None else self.read()
            self.mark, self.text = _fingerprint(value), short(value)
        except KeyboardInterrupt:
            raise
        except BaseException:
            self.mark = self.text = GONE

    def changed(self, place):
        if self.frame is not None and self.frame is not place.frame:
            return False
        mark, text = self.mark, self.text
        self._look(place)
        self.change = {"before": text, "after": self.text}
        return self.mark != mark


def _reader(node, place):
    """A function that reads the last step of `a.b.c` or `a.b[c]` or a global; None for the rest."""
    def value(part):
        return eval(compile(ast.Expression(part), "<watch>", "eval"), place.globals, place.locals)

    if isinstance(node, ast.Name):
        code = place.frame.f_code
        is_local = node.id in code.co_varnames + code.co_cellvars + code.co_freevars
        return None if is_local else lambda names=place.globals: names[node.id]
    owner = getattr(node, "value", None)
    root = owner
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    if not isinstance(root, ast.Name):
        return None
    if isinstance(node, ast.Attribute):
        return lambda owner=value(owner): getattr(owner, node.attr)
    key = node.slice.value if type(node.slice).__name__ == "Index" else node.slice
    if type(key).__name__ in ("Slice", "ExtSlice"):
        return None
    return lambda owner=value(owner), key=value(key): owner[key]


def _fingerprint(value):
    kind = type(value)
    if kind in (int, bool, str, bytes, type(None)):
        return kind, value
    if kind in (float, complex):
        return kind, repr(value)  # A NaN does not equal itself.
    return kind, id(value), len(value) if kind.__repr__ in BRACKETS else 0, short(value, 1000)


def _place():
    debugger, name = _debugger_frame()
    return Place(debugger[name], debugger[name].f_globals, debugger[name].f_locals)


def watch(key, expression, root):
    """Starts to watch the value of an expression; tells on which lines it is to be compared."""
    try:
        place = _place()
        found = Watch(expression, place)
        if found.mark is GONE:
            return Answer({"value": "", "error": "it has no value here", "lines": {}})
        watches[key] = found
        lines = _lines_of_call(place.frame) if found.read is None else _lines_under(root, place)
        return Answer({"value": found.text, "error": "", "lines": lines})
    except Exception as error:
        return Answer({"value": "", "error": _error_text(error), "lines": {}})


def _lines_of_call(frame):
    return {os.path.abspath(frame.f_code.co_filename): sorted(_lines(frame.f_code))}


def _lines_under(root, place):
    """The lines with code of the program's own loaded files: any of them may change the value."""
    own = [file for file in json.loads(sources().text)
           if file.startswith(root.rstrip(os.sep) + os.sep) and "site-packages" not in file]
    files = {os.path.abspath(place.frame.f_code.co_filename), *own[:FILES_LIMIT]}
    return {file: lines for file, lines in ((file, _file_lines(file)) for file in files) if lines}


def _file_lines(file):
    try:
        with open(file, "rb") as source:
            codes, lines = [compile(source.read(), file, "exec")], set()
    except Exception:
        return []
    for code in codes:
        lines |= _lines(code)
        codes += [item for item in code.co_consts if isinstance(item, types.CodeType)]
    return sorted(lines)


def _lines(code):
    # The line of `def` is passed when a call begins, before its variables are there.
    return {line for _, line in dis.findlinestarts(code) if line} - (
        set() if code.co_name == "<module>" else {code.co_firstlineno})

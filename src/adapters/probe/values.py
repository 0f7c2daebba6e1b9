# Installed by the host into every debugged process, with an `evaluate` request, before its first
# line runs. The conditions of the host's breakpoints call `stop_for`, the host calls the rest by
# `evaluate`; what happens meanwhile is told in `output` events of a category of their own.
# This runs inside a foreign program, in any of its threads: it prints nothing, waits for no lock,
# raises nothing but a KeyboardInterrupt meant for the program, and keeps its memory bounded.
import ast
import collections
import collections.abc
import copy
import dis
import inspect
import itertools
import json
import operator
import os
import re
import signal
import sys
import traceback
import types

from _pydev_bundle._pydev_saved_modules import threading, time
from _pydevd_bundle._debug_adapter.pydevd_base_schema import BaseSchema
from _pydevd_bundle._debug_adapter.pydevd_schema import OutputEvent, OutputEventBody
from _pydevd_bundle.pydevd_additional_thread_info import set_additional_thread_info
from _pydevd_bundle.pydevd_comm import internal_step_in_thread
from _pydevd_bundle.pydevd_comm_constants import (
    CMD_STEP_INTO, CMD_STEP_INTO_COROUTINE, CMD_STEP_INTO_MY_CODE, CMD_STEP_OVER,
    CMD_STEP_OVER_MY_CODE, CMD_STEP_RETURN, CMD_STEP_RETURN_MY_CODE, CMD_THREAD_SUSPEND,
    CMD_WRITE_TO_CONSOLE)
from _pydevd_bundle.pydevd_constants import get_current_thread_id, get_global_debugger
from _pydevd_bundle.pydevd_net_command import NetCommand
from _pydevd_bundle.pydevd_thread_lifecycle import suspend_threads_lock
from pydevd import PyDB

NAME = "_debug_relay"
CATEGORY = "debug-relay"
MESSAGE_LIMIT, LOG_LIMIT, QUEUE_LIMIT = 64 * 1024, 8 * 1024, 2000
VISIT_LIMIT, CHILD_LIMIT, PROBLEM_LIMIT, LOCALS_LIMIT = 100000, 5000, 5, 50
GONE = "<gone>"
POINTS_LIMIT, FILES_LIMIT = 10000, 300
points = {}
# The ids that belong to the text of a condition.
known_points = {}
# Watched values, by their expressions.
watches = {}


class Answer:
    """A result whose repr is JSON, so that `evaluate` shows the JSON itself."""

    def __init__(self, value):
        # A lone surrogate in a name would make the whole text invalid for its reader.
        text = json.dumps(value, ensure_ascii=False, default=short)
        self.text = text.encode("utf-8", "replace").decode("utf-8")

    def __repr__(self):
        return self.text


# ---- Values as short text. The kinds are told by the __repr__ of the class, so that a subclass
# without one of its own is cut like its base.

STRINGS = (str.__repr__, bytes.__repr__, bytearray.__repr__)
DICTS = (dict.__repr__, collections.OrderedDict.__repr__, collections.defaultdict.__repr__,
         collections.Counter.__repr__)
BRACKETS = {
    **dict.fromkeys(DICTS, "{}"), list.__repr__: "[]", tuple.__repr__: "()", set.__repr__: "{}",
    frozenset.__repr__: "{}", collections.deque.__repr__: "[]",
    **{type(view).__repr__: "[]" for view in ({}.keys(), {}.values(), {}.items())},
}


def _is(value, kinds):
    """As isinstance, without asking the value: a proxy would be made to answer for another."""
    return issubclass(type(value), kinds)


def _cut(text, limit):
    return text if len(text) <= limit else text[:limit - 3] + "..."


def _text(value, limit, depth, around=()):
    form = type(value).__repr__
    if form in STRINGS:
        return form(value) if len(value) <= limit else repr(value[:limit]) + "..."
    if form is int.__repr__ and value.bit_length() > 2000:
        return "<int of %d bits>" % value.bit_length()
    brackets = BRACKETS.get(form)
    if brackets is None or not value:
        return _cut(repr(value), limit)
    if id(value) in around:
        return brackets[0] + "..." + brackets[1]
    parts, length, around = [], 0, around + (id(value),)
    for item in list(itertools.islice(value.items() if form in DICTS else value, limit)):
        if length > limit or depth == 0:
            parts.append("...")
            break
        items = item if form in DICTS else (item,)
        parts.append(": ".join(_text(each, limit, depth - 1, around) for each in items))
        length += len(parts[-1]) + 2
    comma = "," if form is tuple.__repr__ and len(parts) == 1 else ""
    text = brackets[0] + ", ".join(parts) + comma + brackets[1]
    is_plain = type(value) in (list, tuple, dict, set)
    return text if is_plain else "%s(%s)" % (type(value).__name__, text)


def short(value, limit=200):
    """The repr of a value, cut without building the whole of a large one."""
    try:
        return _cut(_text(value, limit, 5), limit)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return "<%s: repr raised %s>" % (type(value).__name__, type(error).__name__)


def _log_text(value):
    if isinstance(value, str):
        return _cut(value, LOG_LIMIT)
    is_plain = type(value).__str__ is object.__str__
    return short(value, LOG_LIMIT) if is_plain else _cut(str(value), LOG_LIMIT)


def _error_text(error):
    try:
        text = ": ".join(filter(None, (type(error).__name__, str(error))))
    except Exception:
        text = type(error).__name__
    return _cut(text, 500)


# ---- Messages to the host

def _flush():
    """What was printed before stands before what is told now."""
    try:
        sys.__stdout__.flush()
    except Exception:
        pass  # There is none, or it is closed.


def _send(message):
    try:
        if "log" in message:
            _flush()
        text = Answer(message).text
        if len(text) > MESSAGE_LIMIT:
            text = Answer({key: [] if isinstance(item, list) else item
                           for key, item in message.items()}).text
        _send_text(text)
    except Exception:
        pass  # What cannot be told must not harm the program.


def _send_text(text):
    try:
        writer, deadline = get_global_debugger().writer, time.time() + 2
        # A host that reads slowly slows the program down; it does not fill the memory.
        while writer._cmd_queue.qsize() > QUEUE_LIMIT and time.time() < deadline:
            time.sleep(0.002)
        event = OutputEvent(OutputEventBody(text, CATEGORY))
        writer.add_command(NetCommand(CMD_WRITE_TO_CONSOLE, 0, event, is_json=True))
    except Exception:
        pass  # Nobody listens any more.


def _where(frame):
    """File, line and thread; the thread also by the id that it has in DAP."""
    thread = threading.current_thread()
    return {"file": frame.f_code.co_filename, "line": frame.f_lineno, "thread_name": thread.name,
            "thread": BaseSchema._translate_id_to_dap(get_current_thread_id(thread))}

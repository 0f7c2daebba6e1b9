"""What callers write: places, filters, times and options."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta

import pytest
from support import PROGRAMS

from debug_relay import at, watch
from debug_relay.breakpoints import exception_filters, filter_texts, line_of
from debug_relay.options import attach_config, duration, launch_config, session_request


@pytest.mark.parametrize(
    ("text", "file", "line", "condition", "log"),
    [
        ("app.py:12", "app.py", 12, "", ""),
        ("/a b/app.py:3", "/a b/app.py", 3, "", ""),
        ("app.py:12 if x > 3", "app.py", 12, "x > 3", ""),
        ("app.py:12 if a if b else c", "app.py", 12, "a if b else c", ""),
        ("app.py:12 log x is {x} if any", "app.py", 12, "", "x is {x} if any"),
    ],
)
def test_a_line_is_written_with_what_belongs_to_it(
    text: str, file: str, line: int, condition: str, log: str
) -> None:
    spec = at(text)

    assert (spec.line.file, spec.line.line) == (file, line)
    assert (spec.condition, spec.log_message) == (condition, log)
    assert not spec.HasField("enabled")


def test_a_function_is_written_by_its_name() -> None:
    assert at("Class.method if self.x").function.name == "Class.method"
    assert at("naïve").function.name == "naïve"


@pytest.mark.parametrize("text", ["", "  ", "app.py:", "app.py:x", "not a function"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"place|neither"):
        at(text)


def test_a_spec_says_more_than_a_string() -> None:
    spec = at("f", condition="x", hit_condition=">=5", enabled=False, temporary=True)

    assert (spec.condition, spec.hit_condition, spec.temporary) == ("x", ">=5", True)
    assert spec.HasField("enabled")
    assert not spec.enabled
    assert watch("self.total").data.expression == "self.total"


def test_a_line_can_do_without_its_file() -> None:
    assert (line_of("12").file, line_of(":12").file, line_of("a.py:12").file) == ("", "", "a.py")
    with pytest.raises(ValueError, match="no line"):
        line_of("a.py")


def test_exception_filters_are_read_as_they_are_written() -> None:
    texts = ("uncaught", "raised if KeyError, ValueError")

    assert filter_texts(exception_filters(texts)) == texts
    assert filter_texts(exception_filters("raised")) == ("raised",)


def test_times_are_seconds_or_timedeltas() -> None:
    assert duration(1.5) == duration(timedelta(milliseconds=1500))
    assert duration(None) is None


def test_relative_paths_start_at_the_working_directory() -> None:
    request = session_request({})
    config = launch_config("loop.py", None, None, {})

    assert request.project_root == str(PROGRAMS)
    assert config.program == str(PROGRAMS / "loop.py")


def test_options_become_fields() -> None:
    options = {"on_owner_loss": "resume", "lease": 5, "labels": {"a": "b"}, "exceptions": []}
    request = session_request(options)
    launch = launch_config(
        None, "m", None, {"children": "run_free", "console": "pty", "adapter_options": {"a": 1}}
    )
    attach = attach_config(None, "5678", None, {"path_mappings": [("/here", "/there")]})

    assert request.on_owner_loss == 2
    assert request.lease.seconds == 5
    assert request.HasField("exception_breakpoints")
    assert (launch.children, launch.console) == (2, 2)
    assert launch.adapter_options["a"] == 1
    assert attach.connect.port == 5678
    assert attach.path_mappings[0].remote_root == "/there"


def test_a_wrong_word_is_refused_with_the_right_ones() -> None:
    with pytest.raises(ValueError, match="'often' is none of follow, run_free, stop_at_start"):
        launch_config("a.py", None, None, {"children": "often"})
    with pytest.raises(TypeError, match="one of program, module and code"):
        launch_config(None, None, None, {})
    with pytest.raises(TypeError, match="one of pid, connect and listen"):
        attach_config(1, "1", None, {})


def test_importing_it_does_not_take_names_of_others() -> None:
    code = "import sys, debug_relay; print([n for n in sys.modules if n.startswith('debugrelay')])"
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, timeout=20, check=True
    )

    assert done.stdout == b"[]\n"

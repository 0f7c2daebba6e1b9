"""Breakpoints and exception filters: written as strings, read as objects."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Iterable, Union

from . import proto as pb
from .enums import Restored, name_of
from .values import short_path

#: A breakpoint as callers write it: a string, or what ``at()`` and ``watch()`` make.
Place = Union[str, pb.BreakpointSpec]

PLACE = re.compile(
    r"""(?P<place>.+?)                              # app.py:12, f, Class.method
        (?:\s+(?P<word>if|log)\s+(?P<rest>.+))?     # the first of the two words counts""",
    re.VERBOSE | re.DOTALL,
)
FILE_AND_LINE = re.compile(r"(?P<file>.+):(?P<line>\d+)")
FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


def at(
    place: str,
    *,
    condition: str = "",
    hit_condition: str = "",
    log_message: str = "",
    enabled: bool = True,
    temporary: bool = False,
) -> pb.BreakpointSpec:
    """A breakpoint at ``"app.py:12"`` or at the first line of a function, ``"Class.method"``.

    Two things can be said in the string as well: ``"app.py:12 if x > 3"`` and, to write instead of
    stopping, ``"app.py:12 log x is {x}"``.
    """
    match = PLACE.fullmatch(place.strip())
    if match is None:
        raise ValueError("a breakpoint needs a place, such as 'app.py:12' or 'Class.method'")
    if match["word"] == "if":
        condition = condition or match["rest"]
    elif match["word"] == "log":
        log_message = log_message or match["rest"]
    spec = pb.BreakpointSpec(
        condition=condition,
        hit_condition=hit_condition,
        log_message=log_message,
        temporary=temporary,
    )
    if not enabled:
        spec.enabled = False
    line = FILE_AND_LINE.fullmatch(match["place"])
    if line is not None:
        spec.line.file, spec.line.line = line["file"], int(line["line"])
    elif FUNCTION.fullmatch(match["place"]):
        spec.function.name = match["place"]
    else:
        raise ValueError(f"{match['place']!r} is neither file:line nor the name of a function")
    return spec


def watch(expression: str, *, condition: str = "", hit_condition: str = "") -> pb.BreakpointSpec:
    """A breakpoint on a value that changes, such as ``self.total``. Set it at a stop."""
    return pb.BreakpointSpec(
        data=pb.DataLocation(expression=expression),
        condition=condition,
        hit_condition=hit_condition,
    )


def specs(places: Iterable[Place]) -> list[pb.BreakpointSpec]:
    if isinstance(places, (str, pb.BreakpointSpec)):
        places = [places]
    return [at(place) if isinstance(place, str) else place for place in places]


def line_of(place: str) -> pb.LineLocation:
    """``"app.py:12"``, or ``"12"`` and ``":12"`` for the line of any file."""
    match = re.fullmatch(r"(?:(?P<file>.*):)?(?P<line>\d+)", place.strip())
    if match is None:
        raise ValueError(f"{place!r} is no line: write 'app.py:12', or '12'")
    return pb.LineLocation(file=match["file"] or "", line=int(match["line"]))


def exception_filters(filters: Iterable[str]) -> pb.ExceptionBreakpoints:
    """``"uncaught"``, or with classes or an expression: ``"raised if KeyError, ValueError"``."""
    wanted = [filters] if isinstance(filters, str) else filters
    parts = [re.split(r"\s+if\s+", text.strip(), maxsplit=1) for text in wanted]
    return pb.ExceptionBreakpoints(
        filters=[pb.ExceptionFilter(filter=name, condition="".join(rest)) for name, *rest in parts]
    )


@dataclass(frozen=True)
class Breakpoint:
    """A breakpoint as it is."""

    #: For the life of the session.
    id: int
    #: The debugger has bound it to code.
    verified: bool
    #: The file, absolute; empty when it is not on a line.
    file: str
    #: The line that it is really on; before it is bound, the one that was asked for.
    line: int
    #: The function that it is on, when it is on one.
    function: str
    condition: str
    hit_count: int
    #: Why it cannot bind, or what was changed to make it bind.
    text: str
    #: What became of it since an earlier session; None when it is of this one.
    restored: Restored | None
    message: pb.Breakpoint = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.Breakpoint) -> Breakpoint:
        spec = message.spec
        return cls(
            id=message.id,
            verified=message.verified,
            file=spec.line.file,
            line=message.actual_line or spec.line.line,
            function=spec.function.name,
            condition=spec.condition,
            hit_count=message.hit_count,
            text=message.message,
            restored=name_of(Restored, message.restored) if message.restored else None,
            message=message,
        )

    def __str__(self) -> str:
        data = self.message.spec.data.expression
        place = f"{short_path(self.file)}:{self.line}" if self.file else self.function or data
        return " ".join(
            part
            for part in (
                f"{self.id}: {place}",
                f"if {self.condition}" if self.condition else "",
                "" if self.verified else "(not bound)",
                self.text,
            )
            if part
        )


@dataclass(frozen=True)
class ExceptionSettings:
    """Which exceptions stop the program, and which filters the debugger offers."""

    #: As ``set_exceptions()`` takes them.
    filters: tuple[str, ...]
    offers: tuple[str, ...]
    message: pb.GetExceptionBreakpointsResponse = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.GetExceptionBreakpointsResponse) -> ExceptionSettings:
        offers = tuple(offer.filter for offer in message.offers)
        return cls(filter_texts(message.exception_breakpoints), offers, message)


def filter_texts(message: pb.ExceptionBreakpoints) -> tuple[str, ...]:
    return tuple(
        f"{f.filter} if {f.condition}" if f.condition else f.filter for f in message.filters
    )


def breakpoints_of(messages: Any) -> list[Breakpoint]:
    return [Breakpoint.of(message) for message in messages]

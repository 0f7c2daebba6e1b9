# Made from _async/breaking.py by ./generate. Change that file, not this one.
"""Breakpoints: where and when the program stops."""

from __future__ import annotations

from .. import proto as pb
from ..breakpoints import (
    Breakpoint,
    ExceptionSettings,
    Place,
    at,
    breakpoints_of,
    exception_filters,
    filter_texts,
    specs,
)
from .part import Part


class Breaking(Part):
    """Sets, changes, lists and removes breakpoints, whatever the program is doing.

    A breakpoint is written ``"app.py:12"``, ``"app.py:12 if x > 3"``, ``"app.py:12 log x is {x}"``
    or ``"Class.method"``; ``at()`` and ``watch()`` can say more. Files are absolute or relative to
    the project root.
    """

    def break_at(self, place: Place) -> Breakpoint:
        """Sets one breakpoint."""
        return (self.set_breakpoints(at(place) if isinstance(place, str) else place))[0]

    def set_breakpoints(self, *places: Place, replace_file: bool = False) -> list[Breakpoint]:
        """Sets breakpoints. One that cannot bind is not ``verified``, and its ``text`` says why.

        ``replace_file`` removes all others in the same files.
        """
        request = pb.SetBreakpointsRequest(
            session_id=self.id, breakpoints=specs(places), replace_file=replace_file
        )
        answer = self._call(self._stubs.breakpoints.SetBreakpoints, request)
        return breakpoints_of(answer.breakpoints)

    def breakpoints(self, file: str = "") -> list[Breakpoint]:
        """The breakpoints there are; with ``file``, those in it."""
        request = pb.ListBreakpointsRequest(session_id=self.id, file=file)
        answer = self._call(self._stubs.breakpoints.ListBreakpoints, request)
        return breakpoints_of(answer.breakpoints)

    def update_breakpoint(
        self,
        breakpoint: Breakpoint | int,
        *,
        enabled: bool | None = None,
        condition: str | None = None,
        hit_condition: str | None = None,
        log_message: str | None = None,
    ) -> Breakpoint:
        """Changes a breakpoint. What is not given stays; an empty string removes."""
        request = pb.UpdateBreakpointRequest(
            session_id=self.id,
            id=id_of(breakpoint),
            condition=condition,
            hit_condition=hit_condition,
            log_message=log_message,
        )
        if enabled is not None:
            request.enabled = enabled
        answer = self._call(self._stubs.breakpoints.UpdateBreakpoint, request)
        return Breakpoint.of(answer.breakpoint)

    def remove_breakpoints(
        self, *breakpoints: Breakpoint | int, file: str = "", all: bool = False
    ) -> list[Breakpoint]:
        """Removes the given breakpoints, those in a file, or all; answers with what was removed."""
        request = pb.RemoveBreakpointsRequest(
            session_id=self.id, ids=[id_of(each) for each in breakpoints], file=file, all=all
        )
        answer = self._call(self._stubs.breakpoints.RemoveBreakpoints, request)
        return breakpoints_of(answer.breakpoints)

    def set_exceptions(self, *filters: str) -> list[str]:
        """Chooses the exceptions that stop the program, in place of those that did.

        Such as ``"uncaught"`` and ``"raised if KeyError, ValueError"``; nothing means none.
        """
        request = pb.SetExceptionBreakpointsRequest(
            session_id=self.id, exception_breakpoints=exception_filters(filters)
        )
        answer = self._call(self._stubs.breakpoints.SetExceptionBreakpoints, request)
        return list(filter_texts(answer.exception_breakpoints))

    def exceptions(self) -> ExceptionSettings:
        """Which exceptions stop the program, and which filters there are."""
        request = pb.GetExceptionBreakpointsRequest(session_id=self.id)
        answer = self._call(self._stubs.breakpoints.GetExceptionBreakpoints, request)
        return ExceptionSettings.of(answer)


def id_of(breakpoint: Breakpoint | int) -> int:
    return breakpoint if isinstance(breakpoint, int) else breakpoint.id

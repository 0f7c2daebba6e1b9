"""What is seen in a stopped program: places, frames, variables, values and exceptions.

``message`` of each is what the server sent.
"""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass, field
from typing import Any

from . import proto as pb
from .enums import ChangeKind, name_of
from .errors import ProgramRaised


@dataclass(frozen=True)
class Location:
    """A place in the program's source."""

    file: str
    line: int
    function: str
    message: pb.Location = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.Location) -> Location:
        return cls(message.file, message.line, message.function, message)

    def __str__(self) -> str:
        return f"{short_path(self.file)}:{self.line} in {self.function}"


@dataclass(frozen=True)
class Frame:
    """One frame of a stack. Its ``id`` is good for one stop; 0 is that of a running program."""

    id: int
    function: str
    file: str
    line: int
    message: pb.StackFrame = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.StackFrame) -> Frame:
        return cls(message.frame_id, message.name, message.file, message.line, message)

    def __str__(self) -> str:
        return f"{short_path(self.file)}:{self.line} in {self.function}"


@dataclass(frozen=True)
class Variable:
    """A variable, a member of a value, or what was found. ``str()`` gives its value."""

    name: str
    value: str
    type: str
    #: For ``session.variables()``; 0 means that there are no members. Good for one stop.
    reference: int
    #: The expression that leads here.
    expression: str
    children: tuple[Variable, ...]
    #: Something of the value looked like a secret and is hidden; ``reveal`` shows it.
    masked: bool
    message: pb.Variable = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.Variable, expression: str = "") -> Variable:
        return cls(
            name=message.name,
            value=message.value,
            type=message.type,
            reference=message.variables_reference,
            expression=expression or message.evaluate_name or message.name,
            children=tuple(cls.of(child) for child in message.children),
            masked=message.masked,
            message=message,
        )

    @property
    def is_cut(self) -> bool:
        """Not all of the value is here."""
        return bool(self.message.value_length or self.message.member_count)

    def as_python(self) -> Any:
        """The value itself, when it is a literal and whole; else a ValueError."""
        return literal(self.value, self.is_cut)

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Value:
    """What came of an expression: a value, or what it raised, which is ``error``."""

    expression: str
    value: str
    type: str
    #: For ``session.variables()``; 0 means that there are no members. Good for one stop.
    reference: int
    #: What the expression raised, with its traceback; empty when it did not.
    error: str
    message: pb.EvaluateResponse | pb.ExpressionResult = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.EvaluateResponse | pb.ExpressionResult, expression: str = "") -> Value:
        expression = expression or getattr(message, "expression", "")
        reference = message.variables_reference
        return cls(expression, message.value, message.type, reference, message.error, message)

    @property
    def ok(self) -> bool:
        """The expression did not raise."""
        return not self.error

    def check(self) -> Value:
        """Itself; raises ProgramRaised if the expression did."""
        if self.error:
            raise ProgramRaised(f"{self.expression} raised: {self.error.strip()}")
        return self

    def as_python(self) -> Any:
        """The value itself, when it is a literal and whole; else a ValueError."""
        return literal(self.check().value, bool(getattr(self.message, "value_length", 0)))

    def __str__(self) -> str:
        return self.value if self.ok else last_line(self.error)


@dataclass(frozen=True)
class Change:
    """One variable that changed."""

    name: str
    before: str
    after: str
    kind: ChangeKind
    message: pb.VariableChange = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.VariableChange) -> Change:
        kind = name_of(ChangeKind, message.kind)
        return cls(message.name, message.before, message.after, kind, message)

    def __str__(self) -> str:
        if self.kind is ChangeKind.NEW:
            return f"{self.name} = {self.after} (new)"
        if self.kind is ChangeKind.GONE:
            return f"{self.name} is gone"
        return f"{self.name} = {self.after} (was {self.before})"


@dataclass(frozen=True)
class Scope:
    """A group of variables of a frame, such as "Locals"."""

    name: str
    #: For ``session.variables()``. Good for one stop.
    reference: int
    variables: tuple[Variable, ...]
    message: pb.Scope = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.Scope) -> Scope:
        variables = tuple(Variable.of(variable) for variable in message.variables)
        return cls(message.name, message.variables_reference, variables, message)


@dataclass(frozen=True)
class Thread:
    """A thread of the program."""

    id: int
    name: str
    process_id: int
    stopped: bool
    is_current: bool
    message: pb.Thread = field(repr=False, compare=False)

    @classmethod
    def of(cls, message: pb.Thread) -> Thread:
        return cls(
            message.thread_id,
            message.name,
            message.process_id,
            message.stopped,
            message.is_current,
            message,
        )


@dataclass(frozen=True)
class ProgramException:
    """An exception of the program, with those that led to it, nearest first."""

    type: str
    text: str
    traceback: str
    causes: tuple[ProgramException, ...]
    message: pb.ExceptionDetails = field(repr=False, compare=False)

    @classmethod
    def of(
        cls, message: pb.ExceptionDetails, causes: tuple[ProgramException, ...] = ()
    ) -> ProgramException:
        return cls(message.type, message.message, message.traceback, causes, message)

    def __str__(self) -> str:
        return f"{self.type}: {self.text}" if self.text else self.type


def changes_of(messages: Any) -> list[Change]:
    return [Change.of(message) for message in messages]


def frames_of(messages: Any) -> list[Frame]:
    return [Frame.of(message) for message in messages]


def values_of(messages: Any) -> list[Value]:
    return [Value.of(message) for message in messages]


def literal(value: str, is_cut: bool) -> Any:
    if is_cut:
        raise ValueError(f"the value was cut: {value}")
    try:
        return ast.literal_eval(value)
    except (SyntaxError, ValueError):
        raise ValueError(f"this is no literal: {value}") from None


def last_line(text: str) -> str:
    return text.strip().splitlines()[-1]


def short_path(path: str) -> str:
    """The path as people write it: relative where the file is below the working directory."""
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):
        return path
    return path if relative.startswith(os.pardir) else relative

"""What callers may say about a start, a session, a wait and a snapshot; and the messages for it.

The keys are those of the API, whose manual is in ``proto/debugrelay/v1``.
"""

from __future__ import annotations

import os
from datetime import timedelta
from typing import (
    Any,
    Iterable,
    Literal,
    Mapping,
    Sequence,
    TypedDict,
    Union,
)

from google.protobuf import duration_pb2, struct_pb2

from . import proto as pb
from .breakpoints import Place, exception_filters, specs
from .enums import wire_name

#: A time: a number of seconds, or a timedelta.
Seconds = Union[float, timedelta]
PathLike = Union[str, "os.PathLike[str]"]

#: How long the server waits when nobody says.
DEFAULT_WAIT = 30.0


class SnapshotOptions(TypedDict, total=False):
    """What an outcome shows of a stop, and how much of it."""

    max_frames: int
    context_lines: int
    max_variables: int
    max_depth: int
    max_value_length: int
    expressions: Sequence[str]
    changes_only: bool
    names: Sequence[str]
    max_bytes: int
    skip: bool
    reveal: bool


class SessionOptions(TypedDict, total=False):
    """What a session is to be."""

    session_id: str
    #: The folder that relative files of breakpoints start from; without it, the working directory.
    project_root: PathLike
    name: str
    adapter: str
    labels: Mapping[str, str]
    #: Exceptions to stop at, such as "raised if KeyError". Without it, uncaught ones.
    exceptions: Iterable[str]
    #: Begin with the breakpoints that earlier sessions of the project left, and leave ours to later
    #: ones. Unlike in the API itself, it is off unless asked for: a script says what it wants.
    restore_breakpoints: bool
    idle_timeout: Seconds
    on_owner_loss: Literal["keep", "resume", "terminate"]
    lease: Seconds
    request_id: str


class LaunchOptions(TypedDict, total=False):
    """How a program is started."""

    args: Sequence[str]
    cwd: PathLike
    env: Mapping[str, str]
    python: PathLike
    python_args: Sequence[str]
    stop_on_entry: bool
    just_my_code: bool
    children: Literal["follow", "run_free", "stop_at_start"]
    console: Literal["pipes", "pty"]
    stdin: str | bytes
    adapter_options: Mapping[str, Any]


class AttachOptions(TypedDict, total=False):
    """How a running program is taken."""

    #: Pairs of a folder here and the same folder as the program knows it.
    path_mappings: Iterable[tuple[str, str]]
    just_my_code: bool
    adapter_options: Mapping[str, Any]


class CreateAndLaunchOptions(SessionOptions, LaunchOptions, SnapshotOptions, total=False):
    """All that ``debug()`` takes."""


class CreateAndAttachOptions(SessionOptions, AttachOptions, SnapshotOptions, total=False):
    """All that ``attach()`` takes."""


class RestartOptions(LaunchOptions, SnapshotOptions, total=False):
    """All that ``launch()`` takes."""


class JoinOptions(AttachOptions, SnapshotOptions, total=False):
    """All that ``attach()`` of a session takes."""


def seconds(time: Seconds | None, default: float = DEFAULT_WAIT) -> float:
    if time is None:
        return default
    return time.total_seconds() if isinstance(time, timedelta) else float(time)


def duration(time: Seconds | None) -> duration_pb2.Duration | None:
    if time is None:
        return None
    message = duration_pb2.Duration()
    message.FromTimedelta(timedelta(seconds=seconds(time)))
    return message


def snapshot_options(options: Mapping[str, Any]) -> pb.SnapshotOptions:
    refuse_others(options, SnapshotOptions)
    return pb.SnapshotOptions(**options)


def wait_options(wait: Seconds | None, options: Mapping[str, Any]) -> pb.WaitOptions:
    return pb.WaitOptions(timeout=duration(wait), snapshot=snapshot_options(options))


def take(options: dict[str, Any], kind: Any) -> dict[str, Any]:
    """Takes those of one kind out of ``options``."""
    return {key: options.pop(key) for key in list(options) if key in kind.__annotations__}


def refuse_others(options: Mapping[str, Any], kind: Any) -> None:
    for key in options:
        if key not in kind.__annotations__:
            known = ", ".join(kind.__annotations__)
            raise TypeError(f"there is no option {key!r}; of this kind there are {known}")


def session_request(
    options: dict[str, Any], breakpoints: Iterable[Place] = ()
) -> pb.CreateSessionRequest:
    """The request for a session without a program. Takes its options out of ``options``."""
    chosen = take(options, SessionOptions)
    request = pb.CreateSessionRequest(
        project_root=os.path.abspath(chosen.pop("project_root", os.curdir)),
        breakpoints=specs(breakpoints),
        restore_breakpoints=chosen.pop("restore_breakpoints", False),
        idle_timeout=duration(chosen.pop("idle_timeout", None)),
        lease=duration(chosen.pop("lease", None)),
    )
    filters = chosen.pop("exceptions", None)
    if filters is not None:
        request.exception_breakpoints.CopyFrom(exception_filters(filters))
    if "on_owner_loss" in chosen:
        chosen["on_owner_loss"] = wire_name(pb.OwnerLossPolicy, chosen["on_owner_loss"])
    request.MergeFrom(pb.CreateSessionRequest(**chosen))
    return request


def launch_config(
    program: PathLike | None,
    module: str | None,
    code: str | None,
    options: dict[str, Any],
) -> pb.LaunchConfig:
    """What to start, found from the working directory. Takes its options out of ``options``."""
    if [program, module, code].count(None) != 2:
        raise TypeError("give one of program, module and code")
    chosen = take(options, LaunchOptions)
    config = pb.LaunchConfig(module=module, code=code)
    if program is not None:
        config.program = os.path.abspath(program)
    for key in ("cwd", "python"):
        if key in chosen:
            setattr(config, key, os.fspath(chosen.pop(key)))
    if "stdin" in chosen:
        given = chosen.pop("stdin")
        config.stdin = given.encode() if isinstance(given, str) else given
    if "children" in chosen:
        chosen["children"] = wire_name(pb.ChildPolicy, chosen["children"])
    if "console" in chosen:
        chosen["console"] = wire_name(pb.Console, chosen["console"])
    config.MergeFrom(pb.LaunchConfig(**as_struct(chosen)))
    return config


def attach_config(
    pid: int | None,
    connect: str | None,
    listen: str | None,
    options: dict[str, Any],
) -> pb.AttachConfig:
    """What to take: a process, or ``"host:port"`` to dial or to listen on. Takes its options."""
    if [pid, connect, listen].count(None) != 2:
        raise TypeError("give one of pid, connect and listen")
    chosen = take(options, AttachOptions)
    mappings = [
        pb.PathMapping(local_root=here, remote_root=there)
        for here, there in chosen.pop("path_mappings", ())
    ]
    config = pb.AttachConfig(
        process_id=pid,
        connect=endpoint(connect) if connect is not None else None,
        listen=endpoint(listen) if listen is not None else None,
        path_mappings=mappings,
    )
    config.MergeFrom(pb.AttachConfig(**as_struct(chosen)))
    return config


def endpoint(text: str) -> pb.Endpoint:
    host, _, port = str(text).rpartition(":")
    if not port.isdigit():
        raise ValueError(f"{text!r} is no address: write 'host:port', or 'port'")
    return pb.Endpoint(host=host, port=int(port))


def as_struct(options: dict[str, Any]) -> dict[str, Any]:
    if "adapter_options" in options:
        struct = struct_pb2.Struct()
        struct.update(dict(options["adapter_options"]))
        options["adapter_options"] = struct
    return options

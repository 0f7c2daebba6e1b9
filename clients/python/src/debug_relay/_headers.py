"""A channel that puts headers to every call, of the raw stubs, too.

They are the token, and the session that the call is about: by that, a proxy finds its replica.
"""

from __future__ import annotations

from typing import Any, Mapping, Tuple

from ._ids import is_session_id

SESSION = "debug-relay-session"

Metadata = Tuple[Tuple[str, Any], ...]


class HeaderChannel:
    """As much of a channel, sync or async, as stubs use.

    An interceptor would do the same with more code, and differently for the two.
    """

    def __init__(self, channel: Any, headers: Mapping[str, str]) -> None:
        self._channel = channel
        self._headers = headers

    def unary_unary(self, *args: Any, **kwargs: Any) -> HeaderMethod:
        return HeaderMethod(self._channel.unary_unary(*args, **kwargs), self._headers)

    def unary_stream(self, *args: Any, **kwargs: Any) -> HeaderMethod:
        return HeaderMethod(self._channel.unary_stream(*args, **kwargs), self._headers)


class HeaderMethod:
    """A method of a stub. Metadata of the caller's own is sent as well, and wins."""

    def __init__(self, method: Any, headers: Mapping[str, str]) -> None:
        self._method = method
        self._headers = headers

    def __call__(self, request: Any, *, metadata: Any = None, **kwargs: Any) -> Any:
        return self._method(request, metadata=self._all(request, metadata), **kwargs)

    def with_call(self, request: Any, *, metadata: Any = None, **kwargs: Any) -> Any:
        return self._method.with_call(request, metadata=self._all(request, metadata), **kwargs)

    def future(self, request: Any, *, metadata: Any = None, **kwargs: Any) -> Any:
        return self._method.future(request, metadata=self._all(request, metadata), **kwargs)

    def _all(self, request: Any, metadata: Any) -> Metadata:
        given = tuple(metadata or ())
        ours = {**self._headers, **about(request)}
        for key, _ in given:
            ours.pop(key.lower(), None)
        return (*given, *ours.items())


def about(request: Any) -> dict[str, str]:
    """The header for the session that a request names. What is no id is left to the server."""
    session_id = getattr(request, "session_id", "")
    return {SESSION: session_id} if is_session_id(session_id) else {}

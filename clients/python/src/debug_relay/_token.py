"""A channel that shows the token in every call, of the raw stubs, too."""

from __future__ import annotations

from typing import Any, Tuple

Metadata = Tuple[Tuple[str, str], ...]


class TokenChannel:
    """As much of a channel, sync or async, as stubs use.

    An interceptor would do the same with more code, and differently for the two.
    """

    def __init__(self, channel: Any, metadata: Metadata) -> None:
        self._channel = channel
        self._metadata = metadata

    def unary_unary(self, *args: Any, **kwargs: Any) -> TokenMethod:
        return TokenMethod(self._channel.unary_unary(*args, **kwargs), self._metadata)

    def unary_stream(self, *args: Any, **kwargs: Any) -> TokenMethod:
        return TokenMethod(self._channel.unary_stream(*args, **kwargs), self._metadata)

    def stream_stream(self, *args: Any, **kwargs: Any) -> TokenMethod:
        return TokenMethod(self._channel.stream_stream(*args, **kwargs), self._metadata)


class TokenMethod:
    """A method of a stub. Metadata of the caller's own is sent as well."""

    def __init__(self, method: Any, metadata: Metadata) -> None:
        self._method = method
        self._metadata = metadata

    def __call__(self, request: Any, *, metadata: Any = None, **kwargs: Any) -> Any:
        return self._method(request, metadata=self._all(metadata), **kwargs)

    def with_call(self, request: Any, *, metadata: Any = None, **kwargs: Any) -> Any:
        return self._method.with_call(request, metadata=self._all(metadata), **kwargs)

    def future(self, request: Any, *, metadata: Any = None, **kwargs: Any) -> Any:
        return self._method.future(request, metadata=self._all(metadata), **kwargs)

    def _all(self, metadata: Any) -> Metadata:
        return (*(metadata or ()), *self._metadata)

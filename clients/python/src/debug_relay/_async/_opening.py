"""Lets what a coroutine opens be awaited, or be used in ``async with`` without ``await``."""

from __future__ import annotations

from functools import wraps
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncContextManager,
    Callable,
    Coroutine,
    Generator,
    Generic,
    TypeVar,
)

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    P = ParamSpec("P")

T = TypeVar("T", bound=AsyncContextManager[Any])


class Opening(Generic[T]):
    """``await`` it to have the thing, or enter it to have the thing closed again."""

    def __init__(self, opened: Coroutine[Any, Any, T]) -> None:
        self._opened = opened

    def __await__(self) -> Generator[Any, Any, T]:
        return self._opened.__await__()

    async def __aenter__(self) -> T:
        self._thing = await self._opened
        entered: T = await self._thing.__aenter__()
        return entered

    async def __aexit__(self, *raised: Any) -> None:
        await self._thing.__aexit__(*raised)


def opening(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Opening[T]]:
    @wraps(function)
    def open_it(*args: P.args, **kwargs: P.kwargs) -> Opening[T]:
        return Opening(function(*args, **kwargs))

    return open_it

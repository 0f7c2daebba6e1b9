# Made from _async/reading.py by ./generate. Change that file, not this one.
"""Events and output: read by number, followed across broken connections; and input."""

from __future__ import annotations

from typing import Iterable, Iterator

from .. import proto as pb
from ..enums import wire_names
from ..events import Event, EventPage, Output, OutputPage
from ..options import Seconds, duration, seconds
from .part import Part

#: How long a stream tries to go on after its connection broke.
PATIENCE = 60.0


class Reading(Part):
    """Reads what happens and what the program writes."""

    def events(
        self,
        *,
        after: int = 0,
        types: Iterable[str] = (),
        limit: int = 0,
        patience: Seconds = PATIENCE,
    ) -> Iterator[Event]:
        """Yields the events that are kept, then each as it happens, until the session is over.

        After a broken connection it goes on behind the last event, so that none is missed and none
        comes twice. It gives up when the server is gone for longer than ``patience``.
        """
        request = pb.StreamEventsRequest(
            session_id=self.id,
            after_sequence=after,
            types=wire_names(pb.EventType, types),
            limit=limit,
        )
        stream = self._channel.follow(
            self._stubs.events.StreamEvents, request, note_event, seconds(patience)
        )
        try:
            for answer in stream:
                yield Event.of(answer.event, self.id)
                # All that were asked for came before the break, and 0 would ask for all.
                if limit and not request.limit:
                    return
        finally:
            stream.close()

    def read_events(
        self,
        *,
        after: int = 0,
        types: Iterable[str] = (),
        limit: int = 0,
        wait: Seconds = 0,
    ) -> EventPage:
        """Reads the events that are there, or waits for the first."""
        request = pb.ListEventsRequest(
            session_id=self.id,
            after_sequence=after,
            types=wire_names(pb.EventType, types),
            limit=limit,
            wait=duration(wait),
        )
        answer = self._call(self._stubs.events.ListEvents, request, wait)
        events = [Event.of(event, self.id) for event in answer.events]
        return EventPage(events, answer.next_sequence)

    def output(
        self,
        *,
        after: int = 0,
        categories: Iterable[str] = (),
        patience: Seconds = PATIENCE,
    ) -> Iterator[Output]:
        """Yields the output that is kept, then more as it comes, until the session is over.

        After a broken connection it goes on behind the last byte, as ``events()`` does.
        """
        request = pb.StreamOutputRequest(
            session_id=self.id,
            after_offset=after,
            categories=wire_names(pb.OutputCategory, categories),
        )
        stream = self._channel.follow(
            self._stubs.output.StreamOutput, request, note_output, seconds(patience)
        )
        try:
            for answer in stream:
                yield output_of(answer)
        finally:
            stream.close()

    def read_output(
        self,
        *,
        after: int = 0,
        categories: Iterable[str] = (),
        max_bytes: int = 0,
        wait: Seconds = 0,
    ) -> OutputPage:
        """Reads the output that is there, or waits for some; 64 KiB unless said otherwise."""
        request = pb.GetOutputRequest(
            session_id=self.id,
            after_offset=after,
            categories=wire_names(pb.OutputCategory, categories),
            max_bytes=max_bytes,
            wait=duration(wait),
        )
        return OutputPage.of(self._call(self._stubs.output.GetOutput, request, wait))

    def write_input(self, data: str | bytes, *, close: bool = False) -> int:
        """Writes to the program's standard input; answers with how many bytes it took.

        They are fewer than given when the program stopped reading.
        """
        given = data.encode() if isinstance(data, str) else data
        taken = 0
        while True:
            request = pb.WriteInputRequest(session_id=self.id, data=given[taken:], close=close)
            answer = self._call(self._stubs.output.WriteInput, request)
            taken += answer.bytes_written
            if taken >= len(given) or not answer.bytes_written:
                return taken


def note_event(request: pb.StreamEventsRequest, answer: pb.StreamEventsResponse) -> None:
    request.after_sequence = answer.event.sequence
    if request.limit:
        request.limit -= 1


def note_output(request: pb.StreamOutputRequest, answer: pb.StreamOutputResponse) -> None:
    request.after_offset = output_of(answer).next_offset


def output_of(answer: pb.StreamOutputResponse) -> Output:
    return Output.gap(answer.gap) if answer.HasField("gap") else Output.of(answer.chunk)

"""Hunts a crash by itself: where it happened, which value was bad, and where that came from.

Start a server, then give it any script that fails, with its arguments:

    python clients/python/examples/auto_hunt.py
    python clients/python/examples/auto_hunt.py examples/stories/report.py
"""

from __future__ import annotations

import ast
import re
import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from debug_relay import DebugRelay, Frame, ProgramException, Session, Step, Value

INVOICE = Path(__file__).resolve().parent / "programs" / "invoice.py"


@dataclass
class Place:
    """Where a value is, as seen from a frame."""

    frame: Frame
    path: str


def main() -> None:
    program, *args = sys.argv[1:] or [str(INVOICE)]
    path = Path(program).resolve()
    with DebugRelay.connect() as relay, relay.debug(
        path,
        args=args,
        project_root=path.parent,
        # With the frames of libraries, so that a crash inside of one can be told from our own.
        just_my_code=False,
        stop_on_entry=True,
    ) as session:
        hunt(session, path)


def hunt(session: Session, path: Path) -> None:
    crash = session.continue_()
    if crash.exception is None:
        print(f"{path.name} does not crash: {crash.headline}")
        return
    stack = session.stack()
    ours = [frame for frame in stack if path.parent in Path(frame.file).parents]
    tell_crash(session, crash.exception, stack, ours)

    bad = bad_values(session, crash.exception, stack[0])
    if not bad:
        print("\nNo value of the failing line explains it.")
        return
    value = str(
        session.evaluate(f"repr({bad[0].expression})", frame=stack[0], check=True).as_python()
    )
    print(
        f"\nThe bad value is {value}, a {bad[0].type}: {bad[0].expression} in {stack[0].function}."
    )
    places = places_of(session, value, ours)
    for place in places:
        print(f"  {place.frame.function} has it as {place.path}")

    if places:
        tell_origin(session, value, places[-1])
        tell_passes(session, ours[0], places[0])
    else:
        print("  A search, which is for plain values, does not find it in our frames.")


def tell_crash(
    session: Session, raised: ProgramException, stack: list[Frame], ours: list[Frame]
) -> None:
    print(f"{raised}\n  raised at {stack[0]}")
    for frame in ours:
        line = session.source(frame.file, frame.line, frame.line).strip()
        print(f"\n{frame}\n  > {line}")
        for variable in session.locals_of(frame)[:12]:
            if frame.function != "<module>":
                print(f"    {variable.name} = {variable}")


def bad_values(session: Session, raised: ProgramException, frame: Frame) -> list[Value]:
    """Values of the failing line, and then of its frame, whose type or text the exception names."""
    line = session.source(frame.file, frame.line, frame.line)
    names = [variable.name for variable in session.locals_of(frame)]
    words = set(re.findall(r"\w+", raised.text))
    values = [session.evaluate(text, frame=frame) for text in [*expressions_of(line), *names]]
    return [
        value
        for value in values
        if value.ok and {value.type, value.value.strip("'")} & words and value.type != "type"
    ][::-1]


def expressions_of(line: str) -> list[str]:
    """The names, attributes and items that a line reads, such as ``item["price"]``."""
    text = line.strip()
    # The head of a block has no body here.
    for code in (text, f"{text} pass", f"if True: pass\n{text} pass"):
        try:
            nodes = ast.walk(ast.parse(code))
        except SyntaxError:
            continue
        kinds = (ast.Name, ast.Attribute, ast.Subscript)
        texts = [ast.get_source_segment(code, node) for node in nodes if isinstance(node, kinds)]
        return [text for text in texts if text]
    return []


def places_of(session: Session, value: str, frames: list[Frame]) -> list[Place]:
    """Where our frames hold such a value, innermost frame first."""
    places = []
    for frame in frames:
        found = [each for each in session.find_value(value, frame=frame) if each.value == value]
        places += [Place(frame, each.expression) for each in found[:1]]
    return places


def tell_origin(session: Session, value: str, place: Place) -> None:
    """Runs the program once more, line by line, until the value is there."""
    session.restart()
    trace = session.trace(
        step="into",
        max_steps=20_000,
        until_condition=f"repr({place.path}) == {value!r}",
    )
    last: deque[Step] = deque(trace, maxlen=8)
    if trace.outcome is None or not trace.outcome.stopped or trace.outcome.exception or not last:
        print(f"\n{place.path} has it from the beginning.")
        return
    print(f"\n{place.path} got it just before {last[-1].location}. The way there:")
    for step in last:
        line = session.source(step.location.file, step.location.line, step.location.line)
        changes = ", ".join(map(str, step.changes))
        print(
            f"  {step.location.function}:{step.location.line}  {line.strip()}  {changes}".rstrip()
        )


def tell_passes(session: Session, frame: Frame, place: Place) -> None:
    """Runs the program once more and looks at each pass of the line that failed."""
    session.restart()
    rows = list(session.collect([f"{frame.file}:{frame.line}"], expressions=[place.path]))
    print(f"\n{place.path} at each pass of line {frame.line}:")
    for row in rows[-8:]:
        print(f"  {row.number}. {row.expressions[0]}")


if __name__ == "__main__":
    main()

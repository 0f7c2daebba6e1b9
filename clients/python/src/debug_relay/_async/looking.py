"""Looking at a stopped program: stacks, variables, expressions, sources; and changing values."""

from __future__ import annotations

from typing import TYPE_CHECKING, AsyncIterator, Literal

from .. import proto as pb
from ..enums import wire_name
from ..options import Seconds, SnapshotOptions, duration, snapshot_options
from ..outcome import Snapshot
from ..values import Frame, ProgramException, Scope, Thread, Value, Variable, frames_of
from .part import AsyncPart, frame_id

if TYPE_CHECKING:
    from typing_extensions import Unpack

PAGE = 1000
EVALUATE_SECONDS = 10.0


class AsyncLooking(AsyncPart):
    """Reads a stopped program. A ``frame`` is one of ``stack()``; without it, the top one."""

    async def snapshot(
        self, *, thread_id: int = 0, **snapshot: Unpack[SnapshotOptions]
    ) -> Snapshot:
        """Stack, source, variables, changes and expressions at the present stop, within a size."""
        request = pb.GetSnapshotRequest(
            session_id=self.id, thread_id=thread_id, options=snapshot_options(snapshot)
        )
        return Snapshot.of(await self._call(self._stubs.inspection.GetSnapshot, request))

    async def threads(self) -> list[Thread]:
        """The threads of all processes. Works while the program runs, too."""
        request = pb.ListThreadsRequest(session_id=self.id)
        answer = await self._call(self._stubs.inspection.ListThreads, request)
        return [Thread.of(thread) for thread in answer.threads]

    async def stack(self, thread_id: int = 0, *, max_frames: int | None = None) -> list[Frame]:
        """The frames of a thread, innermost first. Works while the program runs, too."""
        frames: list[Frame] = []
        while max_frames is None or len(frames) < max_frames:
            wanted = PAGE if max_frames is None else min(PAGE, max_frames - len(frames))
            request = pb.GetStackTraceRequest(
                session_id=self.id, thread_id=thread_id, start=len(frames), count=wanted
            )
            answer = await self._call(self._stubs.inspection.GetStackTrace, request)
            frames += frames_of(answer.frames)
            if not answer.frames or len(frames) >= answer.total_frames:
                break
        return frames

    async def scopes(self, frame: Frame | int | None = None) -> list[Scope]:
        """The groups of variables of a frame, without their variables."""
        request = pb.GetScopesRequest(session_id=self.id, frame_id=frame_id(frame))
        answer = await self._call(self._stubs.inspection.GetScopes, request)
        return [Scope.of(scope) for scope in answer.scopes]

    async def variables(
        self,
        of: Scope | Variable | Value | int,
        *,
        start: int = 0,
        filter: Literal["all", "indexed", "named"] = "all",
        max_depth: int = 0,
        max_value_length: int = 0,
        reveal: bool = False,
    ) -> AsyncIterator[Variable]:
        """Yields the variables of a scope, or the members of a value, however many there are."""
        reference = of if isinstance(of, int) else of.reference
        # 0 is no handle, and the value has no members.
        while reference:
            request = pb.GetVariablesRequest(
                session_id=self.id,
                variables_reference=reference,
                start=start,
                count=PAGE,
                filter=wire_name(pb.VariableFilter, filter),
                max_depth=max_depth,
                max_value_length=max_value_length,
                reveal=reveal,
            )
            answer = await self._call(self._stubs.inspection.GetVariables, request)
            for variable in answer.variables:
                yield Variable.of(variable)
            start += len(answer.variables)
            if len(answer.variables) < PAGE:
                break

    async def locals_of(self, frame: Frame | int | None = None) -> list[Variable]:
        """The local variables of any frame, as far as they are the program's own."""
        scopes = await self.scopes(frame)
        found = [variable async for variable in self.variables(scopes[0])] if scopes else []
        return [variable for variable in found if not is_group(variable)]

    async def evaluate(
        self,
        expression: str,
        *,
        frame: Frame | int | None = None,
        check: bool = False,
        statement: bool = False,
        timeout: Seconds | None = None,
        max_value_length: int = 0,
    ) -> Value:
        """Evaluates an expression, or runs a ``statement``, in a frame.

        What it raises is no failure of the call: it is the value's ``error``. With ``check`` it is
        raised as ProgramRaised.
        """
        request = pb.EvaluateRequest(
            session_id=self.id,
            expression=expression,
            frame_id=frame_id(frame),
            context=wire_name(pb.EvaluateContext, "statement" if statement else "expression"),
            timeout=duration(timeout),
            max_value_length=max_value_length,
        )
        wait = EVALUATE_SECONDS if timeout is None else timeout
        answer = await self._call(self._stubs.inspection.Evaluate, request, wait)
        value = Value.of(answer, expression)
        return value.check() if check else value

    async def set(
        self, expression: str, value: str, *, frame: Frame | int | None = None
    ) -> Variable:
        """Gives what an expression names, such as ``self.total``, the value of another one."""
        request = pb.SetExpressionRequest(
            session_id=self.id, expression=expression, value=value, frame_id=frame_id(frame)
        )
        answer = await self._call(self._stubs.inspection.SetExpression, request)
        return Variable.of(answer.variable, expression)

    async def set_variable(
        self, container: Scope | Variable | Value | int, name: str, value: str
    ) -> Variable:
        """Gives the variable ``name`` of a scope or of a value the value of an expression."""
        request = pb.SetVariableRequest(
            session_id=self.id,
            variables_reference=container if isinstance(container, int) else container.reference,
            name=name,
            value=value,
        )
        answer = await self._call(self._stubs.inspection.SetVariable, request)
        return Variable.of(answer.variable)

    async def find_value(
        self,
        query: str,
        *,
        frame: Frame | int | None = None,
        max_depth: int = 0,
        max_results: int = 0,
        timeout: Seconds = 2,
    ) -> list[Variable]:
        """Searches names and values that can be reached from a frame.

        ``expression`` of each find leads there.
        """
        request = pb.FindValueRequest(
            session_id=self.id,
            frame_id=frame_id(frame),
            query=query,
            max_depth=max_depth,
            max_results=max_results,
            timeout=duration(timeout),
        )
        answer = await self._call(self._stubs.inspection.FindValue, request, timeout)
        return [Variable.of(found.variable, found.path) for found in answer.found]

    async def exception_info(self, thread_id: int = 0) -> ProgramException:
        """All about the exception that the program stopped at, with those that led to it."""
        request = pb.GetExceptionInfoRequest(session_id=self.id, thread_id=thread_id)
        answer = await self._call(self._stubs.inspection.GetExceptionInfo, request)
        causes = tuple(ProgramException.of(cause) for cause in answer.causes)
        return ProgramException.of(answer.exception, causes)

    async def source(self, file: str, start_line: int = 0, end_line: int = 0) -> str:
        """Lines of a source file, as they are; 200 unless said otherwise."""
        request = pb.GetSourceRequest(
            session_id=self.id, file=file, start_line=start_line, end_line=end_line
        )
        answer = await self._call(self._stubs.inspection.GetSource, request)
        return answer.text

    async def modules(self) -> AsyncIterator[pb.Module]:
        """Yields all loaded modules."""
        start, total = 0, 1
        while start < total:
            request = pb.ListModulesRequest(session_id=self.id, start=start, count=PAGE)
            answer = await self._call(self._stubs.inspection.ListModules, request)
            for module in answer.modules:
                yield module
            start += len(answer.modules)
            total = answer.total_modules if answer.modules else 0

    async def loaded_sources(self) -> list[str]:
        """The loaded source files, as absolute paths."""
        request = pb.ListLoadedSourcesRequest(session_id=self.id)
        answer = await self._call(self._stubs.inspection.ListLoadedSources, request)
        return list(answer.files)

    async def completions(
        self, text: str, *, column: int = 0, frame: Frame | int | None = None
    ) -> list[str]:
        """What a piece of an expression may go on with."""
        request = pb.GetCompletionsRequest(
            session_id=self.id, text=text, column=column, frame_id=frame_id(frame)
        )
        answer = await self._call(self._stubs.inspection.GetCompletions, request)
        return [completion.text for completion in answer.completions]

    async def step_in_targets(self, frame: Frame | int | None = None) -> list[tuple[int, str]]:
        """The calls of the current line that ``step_into()`` can go into, each with its number."""
        request = pb.GetStepInTargetsRequest(session_id=self.id, frame_id=frame_id(frame))
        answer = await self._call(self._stubs.inspection.GetStepInTargets, request)
        return [(target.target_id, target.label) for target in answer.targets]


def is_group(variable: Variable) -> bool:
    """It is one of debugpy's groups, such as "special variables", and no variable."""
    return variable.name.endswith(" variables") and not variable.type

"""What a request passes on its way through our code: the files that execute, and the frames on the stack.

How it is counted: a request goes to the real application in this process, over the real stores. From its arrival in the
application until `end`, a profiler (`sys.setprofile`) sees every call that belongs to the request: in its task, in the tasks
that it starts, and in the threads that compute for it (they share its context; work of jobs and of other requests does not).

* files: the modules of `engine` and `api` of which at least one function has run. Importing a module does not count.
* frames: how many frames of `engine` and `api` lie on one another when `end` is called. A task does not know who started it, so
  the frames of the starting task are kept when a task is made, and counted with its own.
"""

from __future__ import annotations

import asyncio
import contextvars
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import anyio.to_thread
import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = tuple(f"{ROOT / package}/" for package in ("engine", "api"))

_request: contextvars.ContextVar[Passage | None] = contextvars.ContextVar("request", default=None)
_below: contextvars.ContextVar[tuple[str, ...]] = contextvars.ContextVar("below", default=())
"""The frames that lay below when the running task was made."""


@dataclass
class Passage:
    """What was seen until `end` was called for the first time."""

    end: CodeType
    files: set[str] = field(default_factory=set)
    frames: tuple[str, ...] = ()
    """Module and function of each frame at the end, the first caller first."""

    def called(self, frame: FrameType, event: str, argument: object) -> None:
        """Takes down a call, unless the end was reached or it belongs to something else."""
        if event != "call" or self.frames or _request.get() is not self:
            return
        if name := _ours(frame):
            self.files.add(name.partition(":")[0])
        if frame.f_code is self.end:
            self.frames = _stack(frame)


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch, end: Callable[..., Any]) -> Iterator[Passage]:
    """The passage of the request that is made meanwhile, until it calls `end`."""
    assert isinstance(end, FunctionType)
    passage = Passage(end.__code__)
    loop = asyncio.get_running_loop()
    before = loop.get_task_factory()
    token = _request.set(passage)
    with monkeypatch.context() as patch:
        patch.setattr(asyncio, "to_thread", _profiled(asyncio.to_thread, passage))
        patch.setattr(anyio.to_thread, "run_sync", _profiled(anyio.to_thread.run_sync, passage))
        loop.set_task_factory(_task)
        sys.setprofile(passage.called)
        try:
            yield passage
        finally:
            sys.setprofile(None)
            loop.set_task_factory(before)
            _request.reset(token)
    assert passage.frames, "the request never came to the end"


def _profiled(start: Callable[..., Any], passage: Passage) -> Callable[..., Any]:
    """`start`, which runs a function in a thread; calls in that thread are seen, too."""

    def started(work: Callable[..., Any], *args: Any, **options: Any) -> Any:
        def seen(*inner: Any, **named: Any) -> Any:
            sys.setprofile(passage.called)
            try:
                return work(*inner, **named)
            finally:
                sys.setprofile(None)

        return start(seen, *args, **options)

    return started


def _task(loop: asyncio.AbstractEventLoop, coroutine: Any, context: contextvars.Context | None = None) -> Any:
    """A task that keeps the frames of who made it."""
    own = context or contextvars.copy_context()
    own.run(_below.set, _stack(sys._getframe()))
    return asyncio.Task(coroutine, loop=loop, context=own)


def _stack(frame: FrameType | None) -> tuple[str, ...]:
    own = []
    while frame is not None:
        own += [_ours(frame)]
        frame = frame.f_back
    return (*_below.get(), *(name for name in reversed(own) if name))


def _ours(frame: FrameType) -> str:
    """Module and function of a frame of ours, empty for others."""
    name = frame.f_code.co_filename
    return f"{Path(name).relative_to(ROOT)}:{frame.f_code.co_qualname}" if name.startswith(OURS) else ""

"""Programs in processes of their own that start fast: forked from a process that has imported the engine already (`tests.forked`).

They are what `python -m MODULE ARGUMENTS` would be: own process, folder, environment, standard streams and exit code. Importing the
engine costs two seconds of CPU, and the tests start hundreds of them.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from subprocess import CompletedProcess, TimeoutExpired
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
PREPARED = "tests.forked"
STREAMS = ("stdin", "stdout", "stderr")


def run_module(
    module: str,
    *arguments: str,
    folder: Path = ROOT,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    timeout: float = 120,
) -> CompletedProcess[str]:
    """Runs a module as the main program, to its end; a negative return code is the signal that ended it. Raises TimeoutExpired."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([PREPARED])
    with TemporaryDirectory() as place:
        streams = [Path(place) / name for name in STREAMS]
        for stream in streams:
            stream.touch()
        streams[0].write_text(stdin, encoding="utf-8")
        given = (module, arguments, str(folder), dict(env or os.environ), [str(one) for one in streams])
        process = context.Process(target=_main, args=given)
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise TimeoutExpired([module, *arguments], timeout, *(one.read_bytes() for one in streams[1:]))
        out, errors = (stream.read_bytes().decode() for stream in streams[1:])
        return CompletedProcess([module, *arguments], process.exitcode, out, errors)


def _main(module: str, arguments: tuple[str, ...], folder: str, env: dict[str, str], streams: list[str]) -> None:
    """In the new process."""
    for number, path in enumerate(streams):
        os.dup2(os.open(path, os.O_WRONLY | os.O_APPEND if number else os.O_RDONLY), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - multiprocessing has closed it
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    if module == "engine.cli":
        sys.argv = ["neurigraph", *arguments]
        import_module(PREPARED).COMMAND()
    else:
        sys.argv = [module, *arguments]
        sys.modules.pop(module, None)
        runpy.run_module(module, run_name="__main__", alter_sys=True)

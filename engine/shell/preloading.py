"""Commands run by a process that has the engine loaded: what the command and that process have in common, and the command's side.

Loading the engine takes a second, most commands a tenth of it. `neurigraph up` leaves a process (`engine.shell.preloaded`) that
listens on a socket in the home. A command hands over its arguments, environment, folder, input and output; the process forks,
the child runs the command, and its exit code comes back. Where none listens, or the process has older code, another Python or
other settings of the interpreter, the command runs here. This module loads little, as every command waits for it.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

from engine.shell import garbage, interruption, standard_output

SOCKET = "commands.sock"
"""In the home, which is the owner's alone."""
PACKAGE = Path(__file__).resolve().parents[1]
GO = b"g"
"""Sent by a command when it has the answer that the process is ready."""
AT_MOST = 2.0
"""Seconds until a process that listens has taken a command; after that the command runs by itself."""
_ITS_OWN = frozenset(
    {"up", "down", "init", "prepare", "demo", "serve", "worker", "mcp", "backup", "restore", "bench", "eval", "audit"}
)
"""Commands that start or stop servers, or stay: each is a process of its own."""
_READ_AT_START = ("PYTHON", "LC_", "LANG", "OPENBLAS_", "OMP_", "LD_", "DYLD_", "SSL_")
"""Variables that Python or its libraries read once: they must be those that the listening process was started with."""
_OFF = ("false", "0", "no", "off", "f", "n")
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def handed_over(arguments: Sequence[str]) -> int | None:
    """The exit code of the command, run by a process that has the engine loaded; None where it has to run here."""
    home = _home(arguments)
    streams = (sys.stdin, sys.stdout, sys.stderr)  # one that is closed cannot be handed over
    unwanted = os.environ.get("NEURIGRAPH_PRELOAD", "").lower() in _OFF
    if home is None or unwanted or None in streams or not hasattr(socket, "send_fds"):
        return None
    with socket.socket(socket.AF_UNIX) as connection, suppress(OSError, ValueError):
        if answers := _ready(connection, home, arguments):
            connection.settimeout(None)
            connection.sendall(GO)  # until here nothing runs there, from here on it does not run here
            return _waited(answers)
    return None


def listens(home: Path) -> bool:
    """Whether a process that has this code loaded is there for a home; one with older code ends when it is asked."""
    with socket.socket(socket.AF_UNIX) as connection, suppress(OSError, ValueError):
        return _ready(connection, home, ()) is not None
    return False


def _ready(connection: socket.socket, home: Path, arguments: Sequence[str]) -> BinaryIO | None:
    """Hands over everything; the answers of a process that is ready to run it. Raises OSError, ValueError."""
    connection.settimeout(AT_MOST)
    with _inside(home):
        folder_status = os.stat(".")
        # Its owner, and who may replace the socket, would get this environment and these files.
        if folder_status.st_uid != os.geteuid() or folder_status.st_mode & 0o022:
            raise PermissionError
        connection.connect(SOCKET)
    if not is_own_account(connection):
        raise PermissionError
    folder = os.open(".", os.O_RDONLY)
    try:
        socket.send_fds(connection, [b"\n"], [0, 1, 2, folder])
    finally:
        os.close(folder)
    asked = {
        "arguments": [sys.argv[0], *arguments],
        "environment": dict(os.environ),
        "umask": _umask(),
        "inherited": inherited(),
    }
    connection.sendall(json.dumps(asked).encode() + b"\n")
    answers = connection.makefile("rb")
    return answers if _line(answers).get("ready") else None


def is_own_account(connection: socket.socket) -> bool:
    """Whether the other end of a Unix socket is a process of this account; True where the system does not say."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    given = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    account: int = struct.unpack("3i", given)[1]
    return account == os.geteuid()


def run_here() -> None:
    """Runs the command of `sys.argv` in this process, which it ends. Raises SystemExit."""
    interruption.ends_at_once()
    standard_output.named()
    if sys.stdin is None:  # closed (`<&-`): nothing is to be read
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    garbage.rarely()
    with garbage.importing():
        application = import_module("engine.shell.application")
    try:
        application.command()()
    except OSError as error:
        if error.filename != standard_output.NAME:
            raise
        sys.exit(f"{error.filename}: {error.strerror}.")  # of --help: commands say it themselves


def _waited(answers: BinaryIO) -> int:
    """The exit code of the process that runs the command; it gets the signals that this one gets."""
    with suppress(OSError, ValueError, KeyError):
        process = _line(answers)["process"]

        def passed_on(number: int, frame: FrameType | None) -> None:
            with suppress(ProcessLookupError):
                os.kill(process, number)

        def stopped(number: int, frame: FrameType | None) -> None:
            passed_on(signal.SIGSTOP, None)
            os.kill(os.getpid(), signal.SIGSTOP)  # until SIGCONT
            passed_on(signal.SIGCONT, None)

        for number in (*_PASSED_ON, signal.SIGTSTP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, stopped if number == signal.SIGTSTP else passed_on)
        with suppress(OSError, ValueError, KeyError):
            return int(_line(answers)["code"])
        passed_on(signal.SIGTERM, None)  # nothing goes on after this command has ended
    with suppress(OSError):  # an error from here would run the command again
        os.write(2, b"The process that ran the command has ended; what it did is not known.\n")
    return 1


def inherited() -> str:
    """What a child has from its parent: the code and when a file of it was last changed, when a package was installed, Python and
    its settings, user, priority and limits. Both sides compare it."""
    changed = max(one.stat().st_mtime_ns for one in _files(PACKAGE))
    installed = [os.stat(one).st_mtime_ns for one in sys.path if one.endswith("-packages") and os.path.isdir(one)]
    settings = sorted(one for one in os.environ.items() if one[0].startswith(_READ_AT_START))
    process = os.geteuid(), os.getegid(), sorted(os.getgroups()), os.nice(0), _limits()
    return repr((str(PACKAGE), changed, installed, sys.prefix, sys.version, settings, process))


def _limits() -> list[tuple[int, int]]:
    """What `ulimit` shows."""
    return [resource.getrlimit(getattr(resource, name)) for name in sorted(dir(resource)) if name.startswith("RLIMIT_")]


def _files(folder: Path) -> list[os.DirEntry[str]]:
    found, waiting = [], [os.fspath(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    found.append(entry)
                elif entry.is_dir() and entry.name != "__pycache__":
                    waiting.append(entry.path)
    return found


def _home(arguments: Sequence[str]) -> Path | None:
    """The home of a command, as far as that is plain; None where it is not, and for commands that run by themselves."""
    words, home = iter(arguments), os.environ.get("NEURIGRAPH_HOME")
    for word in words:
        name, _, value = word.partition("=")
        if name in ("--home", "--cache"):
            value = value or next(words, "")
            home = value if name == "--home" else home
        elif word != "--debug":
            break
    else:
        word = ""
    # other options look at the shell that started them, or stand before a command that this does not read
    if word in _ITS_OWN or word.startswith("-") or (not home and _named_in_file()):
        return None
    return Path(home).expanduser() if home else Path.home() / ".neurigraph"


def _named_in_file() -> bool:
    """Whether a .env file says where the home is."""
    try:
        return "NEURIGRAPH_HOME" in Path(".env").read_text(encoding="utf-8", errors="replace").upper()
    except OSError:
        return False


def _line(answers: BinaryIO) -> dict[str, Any]:
    """The next answer; empty where there is none. Raises OSError, ValueError."""
    line = answers.readline()
    said: dict[str, Any] = json.loads(line) if line else {}
    return said


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


@contextmanager
def _inside(folder: Path) -> Any:
    """Within this, the working directory is that folder: the path of a socket may have 100 bytes only."""
    before = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder)
        yield
    finally:
        os.fchdir(before)
        os.close(before)

"""The entry point of the shell command `neurigraph`: sets what Ctrl-C does, then hands the command over to a process that has the
engine loaded, or imports the commands and runs it here.
"""

from __future__ import annotations

import sys
from importlib import import_module

from engine.shell import garbage, interruption, preloading


def main() -> None:
    """Exit code 0, 1 for an error reported in one sentence, 2 for bad usage, 130 after Ctrl-C."""
    interruption.ends_at_once()
    if (code := preloading.handed_over(sys.argv[1:])) is not None:
        sys.exit(code)
    run()


def run() -> None:
    """The command of `sys.argv`, in this process."""
    interruption.ends_at_once()
    garbage.rarely()
    with garbage.importing():
        application = import_module("engine.shell.application")
    application.command()()


if __name__ == "__main__":
    main()

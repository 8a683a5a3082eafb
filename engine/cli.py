"""The entry point of the shell command `neurigraph`: sets what Ctrl-C does, imports the commands and runs the given one."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from engine.shell import garbage, interruption, standard_output


def main() -> None:
    """Exit code 0, 1 for an error reported in one sentence, 2 for bad usage, 130 after Ctrl-C."""
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


if __name__ == "__main__":
    main()

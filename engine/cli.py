"""The entry point of the shell command `neurigraph`: sets what Ctrl-C does, then imports the commands, which takes a second."""

from __future__ import annotations

import gc
import sys
from importlib import import_module

from engine.shell import interruption, standard_output

COLLECTED_AFTER = 10_000
"""New objects after which unreachable ones are looked for: at Python's 700 this takes 2 % of an ingest's CPU."""


def main() -> None:
    """Exit code 0, 1 for an error reported in one sentence, 2 for bad usage, 130 after Ctrl-C."""
    interruption.ends_at_once()
    standard_output.named()
    gc.set_threshold(COLLECTED_AFTER)
    try:
        import_module("engine.shell.application").command()()
    except OSError as error:
        if error.filename != standard_output.NAME:
            raise
        sys.exit(f"{error.filename}: {error.strerror}.")  # of --help: commands say it themselves


if __name__ == "__main__":
    main()

"""The entry point of the shell command `neurigraph`: sets what Ctrl-C does, then imports the commands."""

from __future__ import annotations

from importlib import import_module

from engine.shell import garbage, interruption


def main() -> None:
    """Exit code 0, 1 for an error reported in one sentence, 2 for bad usage, 130 after Ctrl-C."""
    interruption.ends_at_once()
    garbage.rarely()
    with garbage.importing():
        application = import_module("engine.shell.application")
    application.command()()


if __name__ == "__main__":
    main()

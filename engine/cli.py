"""The entry point of the shell command `neurigraph`: sets what Ctrl-C does, then hands the command over to a process that has the
engine loaded, or imports the commands and runs it here.
"""

from __future__ import annotations

import sys

from engine.shell import interruption, preloading


def main() -> None:
    """Exit code 0, 1 for an error reported in one sentence, 2 for bad usage, 130 after Ctrl-C."""
    interruption.ends_at_once()
    if (code := preloading.handed_over(sys.argv[1:])) is not None:
        sys.exit(code)
    preloading.run_here()


if __name__ == "__main__":
    main()

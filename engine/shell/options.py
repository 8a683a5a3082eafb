"""Options that several commands take, each told in one way."""

from __future__ import annotations

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Handle = Annotated[str | None, typer.Option("--user", metavar="HANDLE", help="Whose memory.")]

"""Prints the preview of a grant."""

from __future__ import annotations

from rich.text import Text

from engine.domain.grant import GrantPreview
from engine.shell.session import Session
from engine.shell.tables import print_table

MOST_FOUND = 20


def print_preview(here: Session, preview: GrantPreview) -> None:
    """Counts and latest titles of each node, then records that may not belong there, with the command to move them."""
    rows = [
        (
            "/".join(node.path[1:]) or "(root)",
            str(node.records),
            str(node.items),
            str(node.private_records or ""),
            "; ".join(node.titles),
        )
        for node in preview.nodes
    ]
    print_table(here, ("it opens", "records", "items", "private, stay closed", "the latest"), rows, "It opens nothing.")
    unsure = [one for node in preview.nodes for one in node.unsure]
    if not unsure:
        return
    here.out.print(
        Text(f"\nPlaced there with a confidence below {preview.below:g}: check whether they belong."), soft_wrap=True
    )
    cells = [
        (
            f"{one.confidence:.2f}",
            one.title,
            str(one.entry_id),
            f"neurigraph move-record {one.record_id} {_target(one.suggested)}",
        )
        for one in unsure[:MOST_FOUND]
    ]
    print_table(here, ("sure", "record", "decision", "to move it"), cells, "")
    if len(unsure) > MOST_FOUND:
        here.line(f"… and {len(unsure) - MOST_FOUND} more; --json shows all.")


def _target(path: tuple[str, ...]) -> str:
    name = "/".join(path)
    return f"'{name}'" if name else "NODE"

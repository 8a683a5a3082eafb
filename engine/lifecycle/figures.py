"""How much there is and how much waits, for the operator: cheap at any size, of all users together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

MOST = 10_000
"""Rows that are counted of one kind; beyond it the figure stays there."""
KNOWN: Mapping[str, tuple[str, str]] = {
    "jobs": ("Runs of background jobs in the queue, by whether they wait or run.", "state"),
    "job_oldest_waiting": ("Seconds since the oldest waiting run of a job was due.", ""),
    "job_runs": ("Runs of a job that ended, of all processes since the beginning.", "name"),
    "job_failures": ("Those of them that failed or were lost.", "name"),
    "commits": ("Commits that the graph has not applied, or that were set aside.", "state"),
    "commit_oldest_pending": ("Seconds since the oldest pending commit was accepted.", ""),
    "nodes_awake": ("Nodes with files that are restored or being restored.", "state"),
    "files_awake": ("Files that are restored or being restored.", "state"),
    "nodes_pending": ("Nodes that are being created.", ""),
    "nodes_without_vectors": ("Nodes with items whose vectors are still to be made.", ""),
    "records_unread": ("Records that a language model is still to read.", ""),
    "users_estimate": ("Users, by the planner's estimate.", ""),
    "nodes_estimate": ("Nodes, by the planner's estimate.", ""),
    "records_estimate": (
        "Decisions where a record lies, by the planner's estimate: one a record, one more for each move.",
        "",
    ),
}
"""Each figure: what it is, and the name of its label, or none."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number."""

    figure: str
    label: str
    value: float


async def figures(postgres: Postgres) -> list[Figure]:
    """All of them, in one round trip. Raises StoreUnavailable."""
    return await postgres.fetch_as_service(sql_text("figures/live"), {"most": MOST}, row=Figure)

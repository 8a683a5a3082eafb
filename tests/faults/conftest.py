"""What every module here begins with."""

from __future__ import annotations

from contextlib import suppress

import pytest

from engine.errors import Conflict
from engine.neurigraph import Engine


@pytest.fixture(scope="module", autouse=True)
async def nothing_pending(engine: Engine) -> None:
    """What other tests left is settled, vectors, states of files and what a failed test left set aside: the doctor looks at all users."""
    for commit in await engine.commits.list():
        with suppress(Conflict):
            await engine.commits.discard(commit.commit_id, "operator")
    await engine.pending.run()
    await engine.dormancy.run()
    findings = await engine.doctor.examine()
    for found in findings:  # files that other tests damaged on purpose
        if found.kind == "file-lost" and found.node_id:
            await engine.remedies.accept(found.kind, found.node_id, findings)

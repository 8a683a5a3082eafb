"""What every module here begins with."""

from __future__ import annotations

import pytest

from engine.neurigraph import Engine


@pytest.fixture(scope="module", autouse=True)
async def nothing_pending(engine: Engine) -> None:
    """What other tests left is settled, vectors and states of files: the doctor looks at all users."""
    await engine.pending.run()
    await engine.dormancy.run()
    findings = await engine.doctor.examine()
    for found in findings:  # files that other tests damaged on purpose
        if found.kind == "file-lost" and found.node_id:
            await engine.remedies.accept(found.kind, found.node_id, findings)

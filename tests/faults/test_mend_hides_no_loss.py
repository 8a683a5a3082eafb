"""What only a backup brings back is still named after `mend`, whatever was lost; then it is settled as the doctor says."""

from __future__ import annotations

import pytest

from tests.faults.test_doctor_damage import DAMAGE, DEEP, Ground, ground

__all__ = ["ground"]
LOSSES = [name for name, (_, _, _, remedy) in DAMAGE.items() if remedy == "accept" and name != "changed object"]


@pytest.mark.ledger("X12")
@pytest.mark.parametrize("loss", LOSSES)
async def test_a_loss_is_named_until_it_is_accepted(ground: Ground, loss: str) -> None:
    inflict, kinds, words, _ = DAMAGE[loss]
    await inflict(ground)
    report = await ground.engine.mending.run()
    lost = kinds - {"vector-lost"}
    assert lost <= {one.kind for one in report.left if one.node_id == ground.node}, report.left
    found = [one for one in await ground.findings() if one.kind in lost]
    assert {one.kind for one in found} == lost and any(words in one.problem or words in one.remedy for one in found)
    [one] = found
    await ground.engine.remedies.accept(one.kind, one.node_id, await ground.findings(DEEP))
    assert not [one for one in await ground.findings() if one.kind in lost]
    assert (await ground.memory.nodes.shell(ground.node)).path[-1] == "Lake"

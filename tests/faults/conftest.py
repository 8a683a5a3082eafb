"""What every module here begins with."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def nothing_pending(few_nodes: None) -> None:
    """What other tests left is gone: the doctor looks at all users."""

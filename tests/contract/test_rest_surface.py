"""The REST surface does not change by accident."""

from __future__ import annotations

import pytest

from tests.contract.surface import DOCUMENT, FILE, document, surface, written


@pytest.mark.ledger("U02")
def test_the_surface_is_the_one_that_was_reviewed() -> None:
    """After a change that is meant: `python -m tests.contract.surface`, and docs/upgrade.md says what clients must know."""
    reviewed = FILE.read_text(encoding="utf-8").splitlines()
    now = surface()
    assert (sorted(set(now) - set(reviewed)), sorted(set(reviewed) - set(now))) == ([], [])


@pytest.mark.ledger("U02")
def test_the_document_is_the_one_that_was_reviewed() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == written(document()), (
        "write it anew: python -m tests.contract.surface"
    )

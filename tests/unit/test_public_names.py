"""Every name that the package gives can be taken from it."""

from __future__ import annotations

import pytest

import engine


@pytest.mark.parametrize("name", engine.__all__)
def test_a_public_name_is_there(name: str) -> None:
    assert getattr(engine, name) is not None

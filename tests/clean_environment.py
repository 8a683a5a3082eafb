"""The environment of commands that tests run: without the settings of the caller, with those of the tests."""

from __future__ import annotations

import os
from pathlib import Path

JAVA = {
    "NEURIGRAPH_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1",
    "NEURIGRAPH_NEO4J_SETTINGS": "dbms.cypher.min_replan_interval=10h",
}
"""Servers of tests live for minutes: neither the optimizing compiler nor planning anew what was planned pays there."""
ALONE = {"NEURIGRAPH_PRELOAD": "false"}
"""Commands of tests run by themselves, but those that test the other way."""
CLEAN = (
    {name: value for name, value in os.environ.items() if not name.startswith(("NEURIGRAPH_", "OPENAI_"))}
    | JAVA
    | ALONE
)
CACHE = Path(os.environ.get("NEURIGRAPH_CACHE", Path.home() / ".cache" / "neurigraph"))
"""Fetched jars and encoders, shared by all homes of this machine."""

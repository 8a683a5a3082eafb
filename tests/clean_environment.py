"""The environment of commands that tests run: without the settings of the caller, with those of the tests."""

from __future__ import annotations

import os
from pathlib import Path

JAVA = {"NEURIGRAPH_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1"}
"""Servers of tests live for seconds: the optimizing compiler does not pay there."""
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("NEURIGRAPH_", "OPENAI_"))} | JAVA
CACHE = Path(os.environ.get("NEURIGRAPH_CACHE", Path.home() / ".cache" / "neurigraph"))
"""Fetched jars and encoders, shared by all homes of this machine."""

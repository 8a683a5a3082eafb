"""The environment of commands that tests run: without settings of whoever runs the tests, with their own."""

from __future__ import annotations

import os

JAVA = {"NEURIGRAPH_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1"}
"""Servers of tests live for seconds: what the optimizing compiler costs them never comes back."""
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("NEURIGRAPH_", "OPENAI_"))} | JAVA

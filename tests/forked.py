"""What the process has ready that others are forked from: the engine's modules, its command, its usual encoder."""

from __future__ import annotations

import asyncio

import tests.faults.killing  # noqa: F401 - for the victims
from engine.embedded import encoder_folder
from engine.progress import Silent
from engine.providers import onnx
from engine.shell.application import command
from engine.wiring import open_engine  # noqa: F401 - a command imports it when it opens the engine
from tests.clean_environment import CACHE

ENCODER = "e5-small"
COMMAND = command()

# Without a pool of threads: its threads would not be there after the fork.
onnx._files(asyncio.run(encoder_folder(CACHE, ENCODER, Silent())))

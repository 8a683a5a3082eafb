"""What the process has ready that others are forked from: the engine's modules, its command, its usual encoder."""

from __future__ import annotations

import asyncio

import tests.faults.killing  # noqa: F401 - for the victims
from engine.embedded import encoder_folder
from engine.progress import Silent
from engine.providers.onnx import MODELS, OnnxEncoder
from engine.shell.application import command
from engine.wiring import open_engine  # noqa: F401 - a command imports it when it opens the engine
from tests.clean_environment import CACHE
from tests.encoders import load_once

ENCODER = "e5-small"
COMMAND = command()

load_once()
# Without a pool of threads: its threads would not be there after the fork.
OnnxEncoder._load(asyncio.run(encoder_folder(CACHE, ENCODER, Silent())), MODELS[ENCODER], 1)

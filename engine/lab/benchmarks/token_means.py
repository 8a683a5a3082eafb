"""The mean token vector of an encoder, over the turns of the bundled history.

It was computed once for each version of an encoder, and stands in `engine/providers/token_means.json`. For a new version:

    python -m engine.lab.benchmarks.token_means CACHE e5-small minilm bge-small
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.domain.utterance import embedded_text
from engine.embedded.downloads import encoder_folder
from engine.lab.benchmarks.corpus import base_history
from engine.progress import Silent
from engine.providers.embedder import Vectors
from engine.providers.onnx import MEANS, OnnxEncoder

DIGITS = 6


def mean_of(encoder: OnnxEncoder, texts: Sequence[str]) -> Vectors:
    """The mean of the unit vectors of all tokens that count."""
    mean: Vectors = encoder.token_vectors(texts).mean(axis=0)
    return mean


async def bundled_turns() -> list[str]:
    """The turns of the bundled history, as they are embedded."""
    found = []
    for conversation in (await base_history(None, 1 << 20, Silent())).conversations:
        speakers = sorted({turn.speaker for turn in conversation.turns})
        found += [embedded_text(turn.text, speakers) for turn in conversation.turns]
    return found


async def main(cache: Path, names: Sequence[str]) -> None:
    """Writes the means of these encoders beside those that are there."""
    means, texts = json.loads(MEANS.read_text("utf-8")), await bundled_turns()
    for name in names:
        encoder = OnnxEncoder(await encoder_folder(cache, name, Silent()), name)
        means[encoder.version] = [round(float(number), DIGITS) for number in mean_of(encoder, texts)]
    lines = (f"{json.dumps(version)}: {json.dumps(means[version])}" for version in sorted(means))
    MEANS.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))

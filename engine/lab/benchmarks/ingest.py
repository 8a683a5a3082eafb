"""Turns a second through the whole write path, compared with the encoder on the same texts in the same run: with the model by
onnxruntime alone, on all cores, and with the engine's encoder, which is faster since it works on several batches at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from pathlib import Path

from engine.domain.history import Conversation, History
from engine.domain.utterance import embedded_text
from engine.embedded.downloads import encoder_folder
from engine.lab.benchmarks.bare_encoder import BareEncoder
from engine.lab.benchmarks.corpus import base_history, repeated
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.meter import Reading
from engine.lab.benchmarks.report import Figure, Report, at_least, at_most
from engine.lab.benchmarks.trips import Trips, counted
from engine.memory import Memory
from engine.progress import Progress, Silent
from engine.providers.onnx import MODELS
from engine.settings import Settings

ROUNDS, WARM = 3, 5
"""Rounds that count, after others: until about 10,000 turns were written, Java still compiles what writes them."""
TURNS = 1920
"""Turns of a round, about eight batches."""
COUNTED = 640
"""Turns of the run in which round trips are counted."""

ASKED_BATCH = 32
"""Round trips are reported per so many turns; the engine's own batches are larger (`batch_turns`)."""

_TASK = "ingest beside the encoder"


async def measure(settings: Settings, data: Path | None, progress: Progress) -> Report:
    """Rounds of ingest and of both encoders alone in turn, after some of ingest alone and one of each for warm-up."""
    base = await base_history(data, settings.max_text_bytes, progress)
    async with empty_ground(settings, progress) as ground:
        folder = await encoder_folder(settings.cache, settings.encoder, progress)
        bare = BareEncoder(folder, MODELS[settings.encoder].document_prefix, settings.encoder_threads)
        progress.start(_TASK, (WARM + ROUNDS + 2 * (ROUNDS + 1)) * TURNS, "turns")
        ingests, bares, encodings = [], [], []
        for number in range(WARM + ROUNDS):
            texts = repeated(base.conversations, TURNS, first_copy=100 * number)
            ingests.append(await _ingest(ground, base, texts))
            progress.advance(_TASK, TURNS)
            if number < WARM - 1:
                continue
            embedded = _embedded(texts)
            bares.append(await _spent(ground, asyncio.to_thread(bare.encode, embedded)))
            progress.advance(_TASK, TURNS)
            encodings.append(await _spent(ground, ground.engine.embedder.embed_documents(embedded)))
            progress.advance(_TASK, TURNS)
        progress.finish(_TASK)
        texts = repeated(base.conversations, COUNTED, first_copy=1000)
        trips, records = await _trips(ground, base, texts)
    return _report(ingests, bares[1:], encodings[1:], trips, records)


async def _memory(ground: Ground, base: History) -> Memory:
    """A new user with the history's nodes, without its turns."""
    memory = await ground.memory()
    await memory.ingests.history(History("bench", "Bench", (), nodes=base.nodes))
    return memory


async def _ingest(ground: Ground, base: History, texts: tuple[Conversation, ...]) -> Reading:
    memory = await _memory(ground, base)
    before = ground.meter.read()
    report = await memory.ingests.history(History("bench", "Bench", texts))
    spent = ground.meter.read().since(before)
    assert report.turns == TURNS
    return spent


def _embedded(texts: tuple[Conversation, ...]) -> list[str]:
    """What is embedded of the turns: all texts in one call are an encoder's best case."""
    embedded = []
    for conversation in texts:
        speakers = sorted({turn.speaker for turn in conversation.turns})
        embedded += [embedded_text(turn.text, speakers) for turn in conversation.turns]
    return embedded


async def _spent(ground: Ground, work: Awaitable[object]) -> Reading:
    before = ground.meter.read()
    await work
    return ground.meter.read().since(before)


async def _trips(ground: Ground, base: History, texts: tuple[Conversation, ...]) -> tuple[Trips, int]:
    """The round trips of an ingest, and the number of its records."""
    memory = await _memory(ground, base)
    async with counted(ground.engine) as trips:
        report = await memory.ingests.history(History("bench", "Bench", texts), Silent())
    return trips, len(report.records)


def _report(
    all_ingests: list[Reading], bares: list[Reading], encodings: list[Reading], trips: Trips, records: int
) -> Report:
    """`all_ingests`: those for warm-up, too, of which the second and third are reported beside."""
    turns, ingests, early = ROUNDS * TURNS, all_ingests[WARM:], all_ingests[1:3]
    wall, bare_wall, encoder_wall = (sum(one.wall for one in some) for some in (ingests, bares, encodings))
    cpu, bare_cpu, encoder_cpu = (
        sum(one.total_cpu for one in some) / turns * 1000 for some in (ingests, bares, encodings)
    )
    batches = COUNTED / ASKED_BATCH
    by_process = {name: round(sum(one.cpu[name] for one in ingests), 2) for name in ingests[0].cpu}
    figures = (
        Figure("turns a second, ingest", round(turns / wall, 1), "turns/s"),
        Figure("turns a second, onnxruntime alone", round(turns / bare_wall, 1), "turns/s"),
        Figure("turns a second, the engine's encoder alone", round(turns / encoder_wall, 1), "turns/s"),
        at_least("ingest against onnxruntime alone", bare_wall / wall, "times", 0.7),
        Figure("ingest against the engine's encoder alone", round(encoder_wall / wall, 3), "times"),
        Figure(
            "turns a second, ingest soon after the start",
            round(len(early) * TURNS / sum(one.wall for one in early), 1),
            "turns/s",
        ),
        Figure("CPU a turn, ingest, all processes", round(cpu, 2), "ms"),
        Figure("CPU a turn, onnxruntime alone", round(bare_cpu, 2), "ms"),
        Figure("CPU a turn, the engine's encoder alone", round(encoder_cpu, 2), "ms"),
        at_most(f"Postgres trips per {ASKED_BATCH} turns", trips.postgres / batches, "trips", 3),
        at_most(f"Neo4j trips per {ASKED_BATCH} turns", trips.neo4j / batches, "trips", 3),
        Figure("trips a record, both databases", round((trips.postgres + trips.neo4j) / records, 2), "trips"),
    )
    details = {
        "turns_a_round": TURNS,
        "rounds": [
            {
                "ingest_wall_s": one.wall,
                "ingest_cpu_s": dict(one.cpu),
                "onnxruntime_wall_s": bare.wall,
                "encoder_wall_s": ours.wall,
            }
            for one, bare, ours in zip(ingests, bares, encodings, strict=True)
        ],
    }
    return Report("ingest", figures, wall, by_process, details)

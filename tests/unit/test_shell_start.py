"""What the shell loads before a command runs: no engine, which takes a second; and completion, which runs at each Tab."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules

import pytest
import typer

import engine.lab.commands
import engine.shell
from engine.shell.application import COMMANDS, EXAMPLES, command
from tests.contract.operations import commands_of

pytestmark = pytest.mark.ledger("U05")


ALL_COMMANDS = "from engine.shell.application import command; list(command().commands.values())"
ENGINE = "import engine.wiring.open_engine"


@pytest.mark.parametrize(
    ("loaded", "unwanted"),
    [
        (
            ALL_COMMANDS,
            "engine.memory engine.neurigraph engine.ingest.pipeline engine.retrieval.pipeline minio onnxruntime",
        ),
        ("import engine.shell.graph", "neo4j psycopg numpy"),
        (ENGINE, "minio onnxruntime langchain_text_splitters jgo"),
    ],
)
def test_commands_load_no_engine_and_the_engine_no_more_than_it_opens(loaded: str, unwanted: str) -> None:
    program = f"import sys; {loaded}; print([one for one in {unwanted.split()} if one in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_each_command_has_an_example_that_it_takes() -> None:
    examples, seen = EXAMPLES.read_text(encoding="utf-8").splitlines(), set()
    for name, one in commands_of("", command().commands):
        [example] = [line for line in examples if f"{line} ".startswith(f"{name} ")]
        one.make_context(name, shlex.split(example)[len(name.split()) :])
        assert one.epilog == f"Example: neurigraph {example}"
        seen.add(example)
    assert seen == {*examples}


WITHOUT_JSON = {
    "demo": "a show for people",
    "serve": "stays",
    "mcp": "stays",
    "worker": "stays",
    "dictionary": "prints a page",
    "document show": "prints the file",
    "resource show": "prints the file",
    "bloom export": "prints JSON anyway",
    "forgettings receipt": "prints JSON anyway",
}


def test_each_command_that_answers_has_its_answer_as_json() -> None:
    options = {
        name: {part for one in made.params for part in one.opts} for name, made in commands_of("", command().commands)
    }
    assert {name for name, given in options.items() if "--json" not in given} == WITHOUT_JSON.keys()


def test_the_table_of_commands_is_what_the_modules_make() -> None:
    listed = {place: set(names.split()) for place, names in COMMANDS.items()}
    made = {}
    for place in listed:
        module, _, name = place.rpartition(".")
        commands = getattr(import_module(module), name)
        made[place] = {commands.info.name} if commands.info.name else set(typer.main.get_group(commands).commands)
    assert listed == made
    folders = (engine.shell, engine.lab.commands)
    modules = {f"{folder.__name__}.{one.name}" for folder in folders for one in iter_modules(folder.__path__)}
    assert {place.rpartition(".")[0] for place in COMMANDS} >= {
        name for name in modules if hasattr(import_module(name), "commands")
    } - {"engine.shell.session"}


@pytest.mark.parametrize(
    ("words", "found"), [("neurigraph ent", ["entity"]), ("neurigraph entity re", ["relations", "review"])]
)
def test_commands_are_completed(words: str, found: list[str]) -> None:
    asked = {"_NEURIGRAPH_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    command = [sys.executable, "-c", "from engine.cli import main; import sys; sys.argv[0] = 'neurigraph'; main()"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ | asked)
    assert done.stdout.split() == found, done.stderr


def test_the_help_of_diff_says_which_times_it_compares() -> None:
    said = " ".join((command().commands["diff"].help or "").split())
    assert "when it was stored or changed, not when it happened" in said and "`neurigraph diff 2026-01-01`" in said

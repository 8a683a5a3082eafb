"""Files for measurements that are no such files: refused in words, without names of Python's."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.domain.history import Text
from engine.errors import InvalidInput
from engine.lab.evaluation import locomo, mixed, passages, placement, recorded
from engine.lifecycle.embedding_versions import labelled_queries

READERS: dict[str, Callable[[Path], object]] = {
    "queries": labelled_queries,
    "samples": locomo.questions,
    "texts": mixed.texts_of,
    "rights": placement.gold_of,
    "answers": recorded.RecordedModel.of,
    "passages": passages.corpus_of,
    "questions": lambda file: passages.questions(file, [Text("0", "Porto", "It lies at the sea.")], "ann"),
}
CONTENTS = {
    "deep": (b"[" * 100_000, "it has another form"),
    "no JSON": (b"[{", "it is not JSON (line 1, column 3)"),
    "Latin-1": (b'["caf\xe9"]', "it is not UTF-8"),
    "another form": (b"[7]", "it has another form"),
    "a field too few": (b'[{"query": "Who is Dave?", "turns": 3, "texts": [{}]}]', "is missing"),
}


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("reader", READERS)
def test_another_file_is_refused_in_words(tmp_path: Path, reader: str, content: str) -> None:
    written, why = CONTENTS[content]
    (file := tmp_path / "given.json").write_bytes(written)
    try:
        READERS[reader](file)
    except InvalidInput as error:
        others = ["it has another form"] if content == "a field too few" else []  # some readers see a list first
        others += ["a list of objects with"] if content in ("another form", "a field too few") else []
        assert str(file) in error.detail and any(one in error.detail for one in (why, *others)), error.detail
        assert not re.search(r"\w(Error|Exception)\b|Errno|\(\d", error.detail.replace("(line 1, column 3)", "")), (
            error.detail
        )
    else:
        assert (reader, content) in {("texts", "another form"), ("texts", "a field too few")}, "a list has no texts"


@pytest.mark.parametrize("reader", READERS)
def test_one_that_is_not_there_and_a_folder_say_so(tmp_path: Path, reader: str) -> None:
    for path, why in ((tmp_path / "none.json", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(InvalidInput, match=f"^{re.escape(str(path))} cannot be read: {why}.$"):
            READERS[reader](path)

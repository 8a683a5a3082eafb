"""Passages of documents: headings of every kind, code, huge paragraphs, line ends, and what an edit leaves alone."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.document import CHUNK, allotted, chunks

WORDS = "walleye harbour lease gasket thunder orchard canoe ledger winter stern basket copper".split()


def sections(text: str) -> list[tuple[str, str]]:
    return [(chunk.section, chunk.text) for chunk in chunks(text)]


@pytest.mark.ledger("F03")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_headings_are_labels_and_code_is_none(end: str) -> None:
    text = end.join(
        [
            "Before.", "", "# Boat #", "", "Hull.", "", "## Engine", "", "```sh", "# not a heading", "make all", "```", "",
            "Lease", "=====", "", "Signed.", "", "Terms", "---", "", "- one", "- two", "---", "", "Last.", "#nospace", "#", "",
            "~~~", "# neither", "~~~",
        ]
    )  # fmt: skip
    found = sections(text)
    assert [section for section, _ in found] == ["", "Boat", "Boat > Engine", "Lease", "Lease > Terms"]
    assert "# not a heading" in found[2][1]
    assert "#nospace" in found[4][1] and "# neither" in found[4][1] and "- two" in found[4][1]
    assert not any("\r" in section for section, _ in found)


@pytest.mark.ledger("F03")
def test_front_matter_and_tables_are_no_headings() -> None:
    text = "---\ntitle: Lease\nowner: Ellen\n---\n\nText.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    assert {section for section, _ in sections(text)} == {""}


@pytest.mark.ledger("F03")
@given(st.text(alphabet=st.sampled_from("ab #=-`~\n\r.!é語 \t"), max_size=400))
def test_any_text_is_cut_where_it_says(text: str) -> None:
    found = chunks(text)
    for chunk in found:
        assert len(chunk.text) <= CHUNK
        assert text[chunk.start : chunk.start + len(chunk.text)] == chunk.text
    assert [chunk.start for chunk in found] == sorted(chunk.start for chunk in found)


@pytest.mark.ledger("F03")
@pytest.mark.parametrize("kind", ["paragraphs", "one paragraph", "no spaces"])
def test_nothing_of_a_long_text_is_lost(kind: str) -> None:
    text = long_text(Random(3), kind)
    found = chunks(text)
    assert all(len(chunk.text) <= CHUNK for chunk in found)
    assert Counter("".join(chunk.text for chunk in found).replace(" ", "").replace("\n", "")) == Counter(
        text.replace(" ", "").replace("\n", "")
    )
    assert len(found) < 2.2 * len(text) / CHUNK  # passages are not crumbs


def long_text(rng: Random, kind: str) -> str:
    sentences = [" ".join(rng.choice(WORDS) for _ in range(rng.randrange(5, 25))) + "." for _ in range(1500)]
    if kind == "no spaces":
        return "".join(rng.choice("abcdefgh") for _ in range(30_000))
    if kind == "one paragraph":
        return " ".join(sentences)
    parts, rest = [], iter(sentences)
    while part := " ".join(sentence for _, sentence in zip(range(rng.randrange(1, 6)), rest, strict=False)):
        parts.append(part)
    return "\n\n".join(parts)


@pytest.mark.ledger("F03")
@pytest.mark.parametrize("kind", ["paragraphs", "one paragraph"])
@pytest.mark.parametrize("seed", range(10))
def test_one_edit_of_a_long_text_changes_a_few_passages(kind: str, seed: int) -> None:
    rng = Random(seed)
    text = long_text(rng, kind)
    place = text.index(". ", rng.randrange(len(text) - 5000)) + 2
    edited = text[:place] + "Something else happened here, and nobody knows why. " + text[place:]
    before, after = Counter(sections(text)), Counter(sections(edited))
    assert (after - before).total() <= 20 < after.total() / 5


@pytest.mark.ledger("N14")
@given(st.lists(st.none() | st.integers(0, 3), max_size=30))
def test_a_new_chunk_goes_to_the_part_of_the_chunk_before_it(owners: list[int | None]) -> None:
    homes = allotted(owners)
    stayed = [place for place, owner in enumerate(owners) if owner is not None]
    assert len(homes) == len(owners) and all(homes[place] == owners[place] for place in stayed)
    for place, (owner, home) in enumerate(zip(owners, homes, strict=True)):
        if owner is None:
            first = owners[stayed[0]] if stayed else 0
            assert home == (homes[place - 1] if place else first)

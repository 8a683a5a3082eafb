"""The domain: what is shipped, what a file may hold, and how names of types are read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import ValidationError

from engine.errors import InvalidInput, SettingsError
from engine.naming.configuration import RESERVED_TYPES, Domain, load_domain
from engine.stores.statements import CYPHER_FOLDER

pytestmark = pytest.mark.ledger("M05")

KINDS = "".join(
    f'[[kinds]]\nname = "{name}"\nlabel = "{name.title()}"\n' for name in ("person", "organization", "place", "thing")
)
MENTORS = """
[[relations]]
name = "MENTORS"
reads = "mentors"
inverse = "is mentored by"
pairs = [["person", "person"]]
"""


def file_of(folder: Path, text: str) -> Path:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_domain_covers_a_life() -> None:
    domain = load_domain()
    assert {"person", "organization", "place", "event", "work", "product", "animal", "thing"} <= domain.labels.keys()
    assert domain.labels["person"] == "Person"
    assert len(domain.types) >= 30
    married, lives, parent = (domain.types[name] for name in ("MARRIED_TO", "LIVES_IN", "PARENT_OF"))
    assert married.symmetric and married.functional and not married.lasting
    assert lives.functional and not lives.symmetric
    assert parent.lasting and not parent.functional
    for relation in domain.relations:
        assert re.fullmatch("[A-Z][A-Z0-9_]{0,62}", relation.name) and relation.name not in RESERVED_TYPES
        assert relation.symmetric == (relation.reads == relation.inverse), relation.name


def test_no_relation_may_have_a_type_of_the_engines_own() -> None:
    described = tomllib.loads((CYPHER_FOLDER.parent / "dictionary.toml").read_text(encoding="utf-8"))["relationships"]
    own = {name for name in described if name != "RELATION"}  # it stands for all types of relations
    assert own <= RESERVED_TYPES


def test_it_reads_both_ways() -> None:
    domain = load_domain()
    assert domain.reading("WORKS_AT") == "works at"
    assert domain.reading("WORKS_AT", backwards=True) == "employs"
    assert domain.reading("SINGS_WITH") == "sings with"


def test_pairs_of_kinds_are_checked_and_a_thing_may_be_anything() -> None:
    domain = load_domain()
    assert domain.allows("person", "WORKS_AT", "organization")
    assert not domain.allows("organization", "WORKS_AT", "person")
    assert domain.allows("thing", "WORKS_AT", "organization") and domain.allows("person", "WORKS_AT", "thing")
    assert not domain.allows("thing", "WORKS_AT", "animal")
    assert domain.allows("person", "OWNS", "animal"), "any"
    assert domain.allows("animal", "LIVES_WITH", "person"), "symmetric: either way"
    assert domain.allows("work", "SINGS_WITH", "place"), "free types lead anywhere"


def test_a_type_is_found_by_how_people_write_it() -> None:
    domain = load_domain()
    assert domain.type_of("works at") == domain.type_of("Works-At") == "WORKS_AT"
    assert domain.type_of("sings with") == "SINGS_WITH"
    assert (domain.stored_as("WORKS_AT"), domain.stored_as("SINGS_WITH")) == ("WORKS_AT", "RELATES_TO")
    for name in ("", "1ST", "A]->(b)", "ÄNDERT", "A" * 64, "has child", "RELATES_TO"):
        with pytest.raises(InvalidInput):
            domain.type_of(name)


def test_a_closed_domain_takes_listed_types_only(tmp_path: Path) -> None:
    domain = load_domain(file_of(tmp_path, f"free_form = false\n{KINDS}{MENTORS}"))
    assert domain.type_of("mentors") == "MENTORS"
    assert not domain.allows("person", "SINGS_WITH", "person")
    with pytest.raises(InvalidInput, match="SINGS_WITH; it has MENTORS"):
        domain.type_of("sings with")
    assert domain.kind_of("Person") == "person" and domain.kind_of("planet") == "thing"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("relations = [", "cannot be read"),
        (KINDS.replace("person", "human") + MENTORS, "kind person is missing"),
        (KINDS + MENTORS.replace("MENTORS", "mentors"), "no relation type"),
        (KINDS + MENTORS.replace("MENTORS", "A`B"), "no relation type"),
        (KINDS + MENTORS.replace("MENTORS", "M" * 64), "no relation type"),
        (KINDS + MENTORS.replace("MENTORS", "HAS_CHILD"), "engine's own"),
        (KINDS + MENTORS.replace("MENTORS", "RELATES_TO"), "engine's own"),
        (KINDS + MENTORS + MENTORS, "'MENTORS' is listed twice"),
        (KINDS + KINDS + MENTORS, "kind 'person' is listed twice"),
        (KINDS + '[[kinds]]\nname = "human"\nlabel = "Person"\n' + MENTORS, "label 'person' is listed twice"),
        (KINDS + '[[kinds]]\nname = "human"\nlabel = "Entity"\n' + MENTORS, "Entity is a label"),
        (KINDS + '[[kinds]]\nname = "human"\nlabel = "human being"\n' + MENTORS, "kinds.4.label"),
        (KINDS + '[[kinds]]\nname = "any"\nlabel = "All"\n' + MENTORS, "stands for all"),
        (KINDS + MENTORS.replace('["person", "person"]', '["person", "planet"]'), "kind 'planet'"),
        (KINDS + MENTORS.replace('[["person", "person"]]', "[]"), "relations.0.pairs"),
        (KINDS + MENTORS + 'phrases = { en = "mentors {planet}" }', "kind 'planet'"),
        (KINDS + MENTORS + 'phrases = { en = "joined {person} as" }', "relations.0.phrases"),
        (KINDS + MENTORS + 'phrases = { xx = "mentors" }', "relations.0.phrases"),
        (KINDS + MENTORS + 'symmetric = true\ninverse_nouns = { en = "mentee" }', "needs no inverse words"),
        (KINDS + MENTORS + "colour = 1", "relations.0.colour"),
    ],
)
def test_a_file_with_a_mistake_is_refused_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(complaint)) as refused:
        load_domain(file_of(tmp_path, text))
    assert str(tmp_path / "own.toml") in str(refused.value)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(SettingsError, match=r"nowhere\.toml"):
        load_domain(Path("nowhere.toml"))


def test_a_domain_does_not_change() -> None:
    domain = load_domain()
    with pytest.raises(ValidationError):
        domain.free_form = False  # type: ignore[misc]
    assert isinstance(domain, Domain)

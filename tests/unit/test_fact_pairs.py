"""Labelled pairs of statements in five languages: what rules end is right, and they find what ends."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from pathlib import Path

import pytest

from engine.facts.verdicts import relation, statement
from engine.lab.evaluation.fact_pairs import FactPair, fact_pairs_of, judged
from engine.language.tables import codes
from engine.statements.rules import attributes, rules_of

PAIRS = fact_pairs_of([Path(__file__).with_name("fact_pairs")])
UNSEEN = {path: fact_pairs_of([path]) for path in sorted(Path(__file__).with_name("fact_pairs_unseen").glob("*.jsonl"))}
"""By authors who did not know the rules; who mends these does not look at them, or they measure nothing any more."""
FOUND = {"second_author": 0.75, "third_author": 0.25, "fourth_author": 0.5}
"""Which part of the endings of each is found at least. Everyday words, as those of the third one, are mostly missed; of the fourth
author the rules have seen other pairs."""
ENDINGS = ("changes", "ends")
KINDS = set(
    "number-names number-counts negation-scope double-negation move-place move-team move-date role opposite supposition report"
    " correction cancelled-plan passed-date adjective-of-time bearer restatement attribute-changes".split()
)


def test_every_kind_and_every_language_is_there() -> None:
    assert {one.kind for one in PAIRS} == KINDS
    assert Counter(one.language for one in PAIRS).keys() == set(codes())
    assert len(PAIRS) >= 250


@pytest.mark.ledger("I10")
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_nothing_true_is_ended(pair: FactPair) -> None:
    if pair.expected not in ENDINGS:
        assert judged(pair) not in ENDINGS


@pytest.mark.ledger("I10")
@pytest.mark.parametrize("language", codes())
def test_endings_are_found(language: str) -> None:
    wanted = [one for one in PAIRS if one.language == language and one.expected in ENDINGS]
    assert sum(judged(one) in ENDINGS for one in wanted) >= 0.95 * len(wanted)


@pytest.mark.ledger("I10")
@pytest.mark.parametrize("path", UNSEEN, ids=lambda path: path.stem)
def test_on_pairs_that_the_rules_were_not_built_on_endings_are_right_and_some_are_found(path: Path) -> None:
    endings = [one for one in UNSEEN[path] if judged(one) in ENDINGS]
    wrong = [one.id for one in endings if one.expected not in ENDINGS]
    wanted = [one for one in UNSEEN[path] if one.expected in ENDINGS]
    assert len(wanted) >= 70 and len(wrong) <= 0.02 * len(endings)
    assert len(endings) - len(wrong) >= FOUND[path.stem] * len(wanted)


@pytest.mark.ledger("I10")
@pytest.mark.parametrize("pair", [one for one in PAIRS if one.kind == "opposite"], ids=lambda pair: pair.id)
def test_opposites_contradict(pair: FactPair) -> None:
    assert judged(pair) == pair.expected


@pytest.mark.ledger("I10")
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Nadia abita a Roma.", "Nadia non abita più a Roma."),
        ("Nadia woont in Utrecht.", "Nadia woont niet meer in Utrecht."),
        ("Nadia mieszka w Krakowie.", "Nadia mieszka w Gdyni."),
        ("娜迪亚住在杭州。", "娜迪亚住在苏州。"),
    ],
)
def test_a_language_without_rules_ends_nothing(older: str, newer: str) -> None:
    assert relation(statement(older, "nadia"), statement(newer, "nadia"), 0.97, 0.88) in ("maybe", "none")


def test_a_value_said_in_another_language_counts() -> None:
    older, newer = statement("Nadia works at Acme.", "nadia"), statement("Nadia arbeitet jetzt bei Globex.", "nadia")
    assert relation(older, newer, None, 0.88) == "changes"
    older, newer = statement("Nadia lives in Munich.", "nadia"), statement("Nadia wohnt in München.", "nadia")
    assert relation(older, newer, None, 0.88) == "maybe"


@pytest.mark.parametrize("code", codes())
def test_the_words_of_a_language_are_whole(code: str) -> None:
    rules = rules_of(code)
    assert len([number for number in rules.months.values() if number]) >= 12
    assert {match for match in rules.nouns.values()} >= {"address", "phone", "rent", "owner"}
    assert {one.split(".")[0] for one in rules.claims.meanings()} <= set(attributes())


@pytest.mark.parametrize("code", codes())
def test_reading_a_statement_takes_time_in_line_with_its_length(code: str) -> None:
    """Words of the rules, repeated: what is read of a text grows as the text does."""
    said = " ".join(sorted(rules_of(code).vocabulary))
    words = re.sub(r"\s+", " ", said)[:400]

    def took(count: int) -> float:
        best = 9.0
        for attempt in range(3):
            begin = time.process_time()
            statement((words * count)[: 400 * count] + str(attempt), f"nadia{count}")
            best = min(best, time.process_time() - begin)
        return best

    took(1)
    assert took(4) < 8 * max(took(2), 0.004)


@pytest.mark.parametrize("words", ["Bo's ", "my sister's ", "lives in ", "ma sœur est "])
def test_a_text_of_one_phrase_takes_time_in_line_with_its_length(words: str) -> None:
    """Each phrase gives a claim, which is compared with all that stands around it."""

    def took(length: int) -> float:
        best = 9.0
        for attempt in range(3):
            begin = time.process_time()
            statement((words * length)[:length] + str(attempt), f"nadia{length}")
            best = min(best, time.process_time() - begin)
        return best

    took(500)
    assert took(1900) < 8 * max(took(475), 0.01)  # 4 is linear, 16 the square


def test_the_lines_of_the_pairs_are_read_strictly(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps({"id": "1", "older": "a"}) + "\n", encoding="utf-8")
    with pytest.raises(Exception, match=r"one\.jsonl, line 1"):
        fact_pairs_of([path])


@pytest.mark.ledger("I10")
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Nadia bor i Lund.", "Nadia bor i Kiruna."),
        ("Nadia woont in Leiden.", "Nadia woont in Delft."),
        ("Nadia mieszka w Krakowie.", "Nadia mieszka w Gdyni."),
        ("Min chef heter Karin.", "Min chef heter Britta."),
        ("Mijn telefoonnummer is 0612345.", "Mijn telefoonnummer is 0698765."),
        ("Надя живёт в Омске.", "Надя живёт в Томске."),
    ],
)
def test_another_name_or_number_in_a_language_without_rules_is_a_doubt(older: str, newer: str) -> None:
    assert relation(statement(older, "nadia"), statement(newer, "nadia"), 0.7, 0.88) == "maybe"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Nadia bor i Lund.", "Nadia gillar Mozart."),
        ("Nadia spelar piano.", "Nadia spelar orgel."),
        ("Faktura 41 är betald.", "Faktura 42 är betald."),
        ("Nadia lives with Ann in a flat.", "Nadia lives with Eve in a flat."),
    ],
)
def test_what_differs_in_more_than_a_value_is_no_doubt(older: str, newer: str) -> None:
    assert relation(statement(older, "nadia"), statement(newer, "nadia"), 0.7, 0.88) == "none"


@pytest.mark.ledger("I10")
@pytest.mark.parametrize(
    ("denied", "stated"),
    [
        ("It isn't true that Nadia lives in Utrecht.", "Nadia lives in Utrecht."),
        ("No, it is not the case that Nadia works at Brightline.", "Nadia works at Brightline."),
        ("Es trifft nicht zu, dass Nadia in Utrecht wohnt.", "Nadia wohnt in Utrecht."),
        ("Ce n'est pas vrai que Nadia habite à Utrecht.", "Nadia habite à Utrecht."),
        ("No es verdad que Nadia vive en Utrecht.", "Nadia vive en Utrecht."),
        ("Não é verdade que Nadia mora em Utrecht.", "Nadia mora em Utrecht."),
    ],
)
def test_what_is_denied_as_a_whole_contradicts_what_states_it(denied: str, stated: str) -> None:
    one, other = statement(stated, "nadia"), statement(denied, "nadia")
    assert relation(one, other, None, 0.88) == relation(other, one, None, 0.88) == "contradicts"


@pytest.mark.ledger("I10")
def test_a_denial_of_a_denial_contradicts_nothing_that_holds() -> None:
    stays = statement("It is not true that Nadia left Brightline.", "nadia")
    assert relation(statement("Nadia works at Brightline.", "nadia"), stays, None, 0.88) == "none"

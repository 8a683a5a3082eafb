"""Names of any script are either refused with a sentence or give a valid, stable schema name."""

from __future__ import annotations

import re
import time
import unicodedata
from uuid import UUID, uuid4

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.domain.names import MOST_CHARACTERS, clean_name, name_key, schema_name, slug
from engine.errors import InvalidName

NODE = UUID("0192a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b")
ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=260)
SCHEMA = re.compile(r"[a-z][a-z0-9_]{0,62}")


def is_name(text: str) -> bool:
    try:
        clean_name(text)
    except InvalidName:
        return False
    return True


NAMES = ANY_TEXT.filter(is_name).map(clean_name)


@given(ANY_TEXT)
def test_any_text_is_refused_with_a_sentence_or_cleaned_for_good(raw):
    try:
        name = clean_name(raw)
    except InvalidName as error:
        assert error.detail.endswith(".")
        return
    assert clean_name(name) == name
    assert 1 <= len(name) <= MOST_CHARACTERS
    assert unicodedata.is_normalized("NFC", name)
    name.encode("utf-8")


@given(NAMES)
def test_key_is_stable_and_never_empty(name):
    key = name_key(name)
    assert key
    assert name_key(key) == key
    assert len(key.encode()) <= 1_700
    assert name_key(f" {name} ") == key


@given(NAMES)
def test_slug_is_ascii_and_never_empty(name):
    assert re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", slug(name))


@example("PG", [], True)
@given(NAMES, st.lists(NAMES, max_size=5), st.booleans())
def test_schema_name_is_valid_and_deterministic(user, path, distinct):
    made = schema_name(slug(user), path, NODE, distinct=distinct)
    assert SCHEMA.fullmatch(made), made
    assert not made.startswith("pg_")
    assert made not in {"engine", "template", "public", "information_schema"}
    assert made == schema_name(slug(user), path, NODE, distinct=distinct)
    child = schema_name(made, path, NODE, distinct=distinct)  # a root's schema name serves as the user's slug
    assert SCHEMA.fullmatch(child)


@given(st.lists(NAMES, min_size=1, max_size=5))
def test_distinct_tells_nodes_apart(path):
    one, other = uuid4(), uuid4()
    assert schema_name("bob", path, one, distinct=True) != schema_name("bob", path, other, distinct=True)


@pytest.mark.parametrize(
    "raw",
    ["", "   ", "\u200b", "\u200f\u200e", "\u3164", "\u2800", "\ufe0f", "a\x00b", "a\nb", "a\tb", "a\u2028b",
     "a\x7fb", "\ud800", "a\udfff", "x" * 201, "\u0301"],
)  # fmt: skip
def test_refused(raw):
    with pytest.raises(InvalidName):
        clean_name(raw)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [("  Bob ", "Bob"), ("Anna \u3000 Lena", "Anna Lena"), ("Zoe\u0308", "Zoë"), ("👩\u200d💻", "👩\u200d💻"),
     ("دانش\u200cآموز", "دانش\u200cآموز"), ("\u200fשלום", "\u200fשלום"), ("e\u0301" * 200, "é" * 200),
     ("\U0001fae8", "\U0001fae8")],
)  # fmt: skip
def test_accepted(raw, clean):
    assert clean_name(raw) == clean


def test_ten_megabytes_are_refused_at_once():
    started = time.process_time()
    with pytest.raises(InvalidName, match="10,000,000"):
        clean_name("e\u0301" * 5_000_000)
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("STRASSE", "straße"),
        ("Ａｎｎ", "ann"),
        ("Zoe\u0308", "zoë"),
        ("a  b", "A b"),
        ("שלום", "\u200fשלום"),
        ("ﬁsh", "Fish"),
    ],
)
def test_same_key(one, other):
    assert name_key(one) == name_key(other)


def test_keys_keep_apart_what_looks_apart():
    assert name_key("Zoë") != name_key("Zoe")
    england, scotland = (
        "🏴" + "".join(chr(0xE0000 + ord(c)) for c in code) + "\U000e007f" for code in ("gbeng", "gbsct")
    )
    assert name_key(england) != name_key(scotland)
    long, longer = "ﷺ" * 199, "ﷺ" * 200
    assert name_key(long) != name_key(longer)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Łódź", "lodz"), ("Straße", "strasse"), ("Ørsted & Søn", "orsted_son"), ("Œuvre", "oeuvre"), ("O'Brien", "o_brien"),
     ("Þór", "thor"), ("conv-26", "conv_26"), ("ıstanbul", "istanbul")],
)  # fmt: skip
def test_slugs(name, expected):
    assert slug(name) == expected


def test_other_scripts_have_a_stable_slug():
    assert re.fullmatch(r"n[0-9a-f]{8}", slug("Семья"))
    assert slug("Семья") == slug("СЕМЬЯ") != slug("家族")


@pytest.mark.parametrize(
    ("user", "path", "expected"),
    [
        ("bob", ["Family", "Siblings", "Sister", "Dave"], "bob_family_siblings_sister_dave"),
        ("bob", [], "bob"),
        ("bob", ["Anna-Lena"], "bob_anna_lena"),
        ("2024", ["a"], "u_2024_a"),
        ("pg", ["x"], "u_pg_x"),
        ("engine", [], "engine_2e3f4a5b"),
        ("bob", ["Zoë"], "bob_zoe_2e3f4a5b"),
        ("bob", ["a  b"], "bob_a_b_2e3f4a5b"),
    ],
)
def test_schema_names(user, path, expected):
    assert schema_name(user, path, NODE) == expected


def test_long_paths_lose_their_middle():
    made = schema_name("bob", ["Family and friends"] * 4 + ["Dave"], NODE)
    assert len(made) <= 63
    assert made.startswith("bob_family_and_friends")
    assert made.endswith("_dave_2e3f4a5b")
    assert len(schema_name("b" * 63, [], NODE)) == 63
    assert schema_name("b" * 64, [], NODE).endswith("_2e3f4a5b")

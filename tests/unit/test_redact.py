"""What is recognised, what is not, and that redaction is linear, idempotent and never fails."""

from __future__ import annotations

import sys
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.history import Conversation, Turn
from engine.domain.record import FileDraft
from engine.domain.report import Skipped
from engine.errors import InvalidName, SettingsError
from engine.ingest.cleaning import Cleaned, cleaned, fingerprint
from engine.ingest.drafts import Document
from engine.privacy import shapes as windows
from engine.privacy.redact import KINDS, Redactor, check_names, redact
from engine.privacy.shapes import luhn
from engine.settings import Settings

FOUND = {
    "email": [
        "ann@example.org", "Ann.O'Brien+lists@mail.example.co.uk", "ann@例子.广告", "用户@example.org", "a_b%c@x-y.museum",
        "ann＠example.org", "ANN@EXAMPLE.ORG", "ann@xn--fsq.xn--p1ai",
    ],
    "phone": [
        "+49 151 23456789", "+49 (0) 151 2345-6789", "+1 (415) 555-2671", "0049 30 1234567", "030 / 1234567", "0151-23456789",
        "06 12 34 56 78", "020 7946 0958", "(415) 555-2671", "415-555-2671", "415.555.2671", "1 415 555 2671", "4155552671",
        "+91\u00a098765\u00a043210", "＋４９ 151 23456789", "+44\u20117911\u2011123456",
    ],
    "card": ["4111111111111111", "4111 1111 1111 1111", "5500-0000-0000-0004", "3782 822463 10005", "6011000990139424"],
    "iban": ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "no9386011117947", "MT84MALT011000012345MTLCAST001S"],
    "ip": ["192.168.1.20", "8.8.8.8", "2001:db8::8a2e:370:7334", "fe80::1ff:fe23:4567:890a", "::ffff:192.0.2.128"],
    "ssn": ["123-45-6789", "123 45 6789"],
    "secret": [
        "AKIAIOSFODNN7EXAMPLE", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "sk-proj-abc123def456ghi789jkl", "xoxb-2048-abcdefghijk1",
        "glpat-0123456789abcdefghij", "AIzaSyA0123456789abcdefghijklmnopqrstuv", "ngt_0123456789abcdefghijkl",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\nMIIEow+/abc=\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n",
    ],
}  # fmt: skip
IN_CONTEXT = [
    ("Authorization: Bearer abcdef.1234567890-xyz", "Authorization: Bearer [secret]"),
    ('{"api_key": "a1b2c3d4e5"}', '{"api_key": "[secret]"}'),
    ("my password is hunter22, mind", "my password is [secret], mind"),
    ("the password of the old printer is maple8.", "the password of the old printer is [secret]."),
    ("Passwort für den Drucker: ahorn8", "Passwort für den Drucker: [secret]"),
    ("la contraseña del taller es arce88", "la contraseña del taller es [secret]"),
    ("postgres://bob:hunter2@db.example.org/x", "postgres://[url_credentials]@db.example.org/x"),
    ("My phone number is 555-0134.", "My phone number is [phone]."),
    ("ssn: 123456789", "ssn: [ssn]"),
    ("[ann@example.org](mailto:ann@example.org)", "[[email]](mailto:[email])"),
    ("电话4155552671邮箱", "电话[phone]邮箱"),
    ("card 4111 1111 1111 1111 123", "card [card] 123"),
    ("<ann@example.org>, bob@example.org.", "<[email]>, [email]."),
    ("Ping 10.0.0.1.", "Ping [ip]."),
]
LEFT_ALONE = [
    "We met on 2024-01-02 at 10:30, and again on 01.02.2024 12:30 or 03/04/2025 18 00 00.",
    "conversation 2025-03-01-evening, record 550e8400-e29b-41d4-a716-446655440000, epoch 1700000000, invoice 118",
    "4111111111111112 fails Luhn, GB83WEST12345698765432 fails mod 97, 300.1.2.3 is no address",
    "000-12-3456 and 666-12-3456 were never issued", "std::vector and a::b at 12:30:45", "1,234,567.89 of 1 234 567",
    "The password is required. Token budget: unlimited. sk-learn-compatible-estimators", "ssh://git@host and http://x/y@z",
    "Ann Harlan of 12 Elm Street", "ann at example dot org", "Score 3-2, rooms 0412 and 1999-2024, 3 4 5 6 7 8 9 10 items",
    "[email] [phone] [card]",
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in FOUND.items() for text in texts])
def test_each_kind_is_found_alone_and_in_a_sentence(kind: str, text: str) -> None:
    assert redact(text, [kind]).text.strip() == f"[{kind}]"
    if "\n" not in text:
        said = redact(f"Write it down: {text}, please ({text}).")
        assert said.text == f"Write it down: [{kind}], please ([{kind}])." and said.counts == {kind: 2}


@pytest.mark.parametrize(("text", "expected"), IN_CONTEXT)
def test_what_is_round_a_find_stays(text: str, expected: str) -> None:
    assert redact(text).text == expected


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert redact(text).text == text


def test_only_the_kinds_that_were_asked_for_are_replaced() -> None:
    text = "ann@example.org, 415-555-2671"
    assert redact(text, ["phone"]).text == "ann@example.org, [phone]"
    assert redact(text, []).text == text
    assert Redactor(["all"]).kinds == KINDS and not Redactor()


def test_a_kind_that_is_none_is_refused_with_those_there_are() -> None:
    with pytest.raises(SettingsError, match=r"e-mail.*email.*phone"):
        Redactor(["phone", "e-mail"])
    assert Settings(_env_file=None, redact="email, phone,").redact == ("email", "phone")  # type: ignore[arg-type]


PIECES = [text for texts in FOUND.values() for text in texts] + [text for text, _ in IN_CONTEXT]
PIECES += [text[start:] for text in PIECES for start in (1, 4)] + [text[:-1] for text in PIECES]
PIECES += (
    [f"[{kind}]" for kind in KINDS] + list(" .,:;-+@/()[]0147aé\u00a0\n") + ["password=", "tel ", "://", "00", "x"]
)


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12).map("".join))
def test_twice_is_once(text: str) -> None:
    once = redact(text)
    again = redact(once.text)
    assert (again.text, again.counts) == (once.text, {})


@given(st.text(st.characters(), max_size=200))
def test_any_text_is_taken_and_nothing_is_lost_beside_the_finds(text: str) -> None:
    redacted = redact(text)
    assert redacted.counts or redacted.text == text


@given(st.integers(min_value=10**11, max_value=10**18))
def test_a_number_with_its_check_digit_is_a_card_and_no_other_is(number: int) -> None:
    digits = [int(digit) for digit in f"4{number}"]
    right = [last for last in range(10) if luhn([*digits, last])]
    assert len(right) == 1
    for last in range(10):
        assert (redact(f"4{number}{last}", ["card"]).text == "[card]") == (last in right and len(digits) < 19)


HOSTILE = [
    "a", "1", "1 ", "-", "a@", "a.", "@", "://", "://a:", "eyJ", "password:", "password:a", "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN ", "+1", "(", "0", "00", "0 ", "4 ", "5.", "::", "a:", "1.1.", "DE89 ", "DE8", "a'", "'", "sk-", "bearer ",
    "x@a.", "tel ", "phone 1 ", "12-", "\ud800", "[email]", "4111111111111111", "a@b.co", "+1 (", "social security ",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_costs_no_more_than_it_is_long(piece: str) -> None:
    """No seconds are compared: calls are counted, and a search that backtracks would not come to an end."""
    calls = [_calls(piece, size) for size in (1_000, 2_000)]
    assert calls[1] <= 3 * calls[0] + 200
    long = piece * (50_000 // len(piece))
    assert len(redact(long).text) <= 2 * len(long)


@pytest.mark.parametrize("piece", ["~a", "a~", "a|", ".'", "#x", "é~", "a!"])
def test_what_separates_words_of_an_address_costs_no_more_than_letters(piece: str) -> None:
    long = piece * 200_000
    assert (
        redact(long, ["email"]).text == long and redact(f"{long} ann@example.org", ["email"]).text == f"{long} [email]"
    )


@pytest.mark.parametrize(
    "text", ["**ann@example.org**", "|ann@example.org|", "#~ann@example.org", "!'ann@example.org'"]
)
def test_signs_that_lead_to_an_address_stay(text: str) -> None:
    assert redact(text, ["email"]).text == text.replace("ann@example.org", "[email]")


def test_what_lies_across_two_windows_of_a_long_text_is_found_as_in_a_short_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [text for texts in FOUND.values() for text in texts] + [text for text, _ in IN_CONTEXT]
    texts = [f"{'.' * place}go on, {text}, and on{'.' * 500}" for text in found for place in range(11, 120, 37)]
    whole = [redact(text) for text in texts]
    monkeypatch.setattr(windows, "WINDOW", 80)
    monkeypatch.setattr(windows, "AHEAD", 380)
    assert [redact(text) for text in texts] == whole and any(one.counts for one in whole)
    key = "-----BEGIN PRIVATE KEY-----\n" + "QUJD\n" * 900 + "-----END PRIVATE KEY-----"
    assert redact(f"a {key} b {key} c").text == "a [secret] b [secret] c"


@pytest.mark.long
def test_a_megabyte_of_it_too() -> None:
    long = "".join(piece * 700 for piece in HOSTILE * 10)
    redacted = redact(f"{long} (4111111111111111)")
    assert len(long) > 1_000_000 and redacted.text.endswith("([card])")


def _calls(piece: str, size: int) -> int:
    calls = 0

    def count(frame: object, event: str, _: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        redact(piece * (size // len(piece)))
    finally:
        sys.setprofile(None)
    return calls


def test_ids_stay_apart_and_cannot_be_tried_out_without_the_key() -> None:
    redactor, other = Redactor(["all"], b"one key"), Redactor(["all"], b"another key")
    assert redactor.identifier("c1") == "c1"
    ann, bob = redactor.identifier("ann@example.org"), redactor.identifier("bob@example.org")
    assert ann.startswith("[email]#") and bob.startswith("[email]#") and ann != bob
    assert ann == redactor.identifier("ann@example.org") != other.identifier("ann@example.org")


def test_names_are_refused_without_being_repeated() -> None:
    with pytest.raises(InvalidName, match="email") as error:
        check_names(["Family", "ann@example.org"], Redactor(["all"]))
    assert "ann" not in str(error.value)


def document(text: str, content: bytes, content_type: str, name: str = "notes.txt") -> Document:
    return Document(
        "file:notes", "Notes", text, None, "file_upload", FileDraft(uuid4(), name, "document", content_type, content)
    )


def kept(text: str, content: bytes, content_type: str, name: str = "notes.txt") -> Document | Skipped:
    clean = cleaned(document(text, content, content_type, name), Redactor(["all"]))
    if isinstance(clean, Skipped):
        return clean
    assert isinstance(clean.content, Document)
    return clean.content


def test_the_bytes_of_a_text_are_redacted_and_those_without_a_find_stay() -> None:
    found = kept("Ask ann@example.org", "\ufeffAsk ann@example.org".encode(), "text/plain", "ann@example.org.txt")
    assert isinstance(found, Document)
    assert (found.text, found.file.content, found.file.name) == ("Ask [email]", b"Ask [email]", "[email].txt")
    plain = kept("Ask Ann", "\ufeffAsk Ann".encode(), "text/plain")
    assert isinstance(plain, Document) and plain.file.content == "\ufeffAsk Ann".encode()
    markup = kept("Ask Ann", b'<a href="mailto:ann@example.org">Ask Ann</a>', "text/html")
    assert isinstance(markup, Document) and markup.file.content == b'<a href="mailto:[email]">Ask Ann</a>'


def test_a_file_that_cannot_be_rewritten_is_kept_clean_or_not_at_all() -> None:
    pdf = b"%PDF-1.7 Ask ann@example.org"
    refused = kept("Ask ann@example.org", pdf, "application/pdf")
    assert isinstance(refused, Skipped) and "1 email" in refused.reason
    assert isinstance(kept("Ask ann@example.org", "\xff".encode("latin-1"), "text/plain"), Skipped)
    clean = kept("Ask Ann", pdf, "application/pdf")
    assert isinstance(clean, Document) and clean.file.content == pdf


def test_a_source_is_known_by_what_is_kept_of_it_and_by_what_was_stored_before() -> None:
    conversation = Conversation("c", (Turn("Ann", "I am ann@example.org"), Turn("Bob", "I see.")))
    before, now = (cleaned(conversation, Redactor(kinds)) for kinds in ((), ["all"]))
    assert isinstance(before, Cleaned) and isinstance(now, Cleaned)
    hashes = [fingerprint(before.content), fingerprint(now.content)]
    assert hashes[0] != hashes[1] and all(now.knows(known, 2) for known in hashes)
    assert not before.knows(hashes[1], 2) and not now.knows(hashes[1], 1)
    assert now.replaced() == {"email": 1} and now.replaced(1) == {}

"""Phone numbers: written internationally, as a country writes them at home, or after a word such as "phone".

Which numbers exist comes from the numbering plans of `phonenumbers` (Google's libphonenumber). A number without its
country's code is compared with the plans of the countries in REGIONS; forms that amounts, dates and ids share need a
word before them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import phonenumbers
from phonenumbers import NumberParseException, PhoneMetadata, ValidationResult

from engine.language.tables import alternatives, keys
from engine.privacy.finder import DASH, END, SPACE, START, Span, digits_of, finder

REGIONS = (
    "US", "GB", "DE", "FR", "ES", "IT", "PT", "BR", "NL", "BE", "CH", "AT", "IE", "PL", "CZ", "SK", "HU", "RO", "BG", "GR",
    "TR", "RU", "UA", "SE", "NO", "DK", "FI", "IL", "AE", "SA", "EG", "ZA", "NG", "KE", "IN", "PK", "CN", "TW", "HK", "JP", "KR",
    "SG", "MY", "TH", "VN", "PH", "ID", "AU", "NZ", "MX", "AR", "CL", "CO", "PE",
)  # fmt: skip
"""Countries whose numbers are recognised without their code."""

_GAP = rf"(?:{SPACE}?(?:[./]|{DASH}){SPACE}?|{SPACE}?\(|\){SPACE}?(?:{DASH}{SPACE}?)?|{SPACE}{{1,2}})?"
_BEFORE = r"(?<![\d.,:/#$€£¥-])(?<!\d )"
_DATE = re.compile(
    r"(?<!\d)(?:\d{4}([./-])(?:0?[1-9]|1[0-2])\1(?:[0-2]?\d|3[01])|(?:[0-2]?\d|3[01])([./-])(?:[0-2]?\d|3[01])\2\d{2}(?:\d\d)?)(?![\d./-]*[./-]?\d)"
)
"""A day in figures. `06.12.34.56.78` is none: it goes on."""
_STARTS_WITH_DATE = re.compile(r"(?:(?:19|20)\d\d([./-])\d{1,2}\1\d{1,2}|\d{1,2}([./-])\d{1,2}\2(?:19|20)\d\d)(?!\d)")
_SAID = {key: alternatives("private", key) for key in keys("private")}
_NUMBER_OF = re.compile(
    rf"(?:\b(?:{_SAID['counted']})\w{{0,12}}[ .:#]{{0,2}}(?:(?:{_SAID['counted_number']})[.:]{{0,2}})?"
    rf"(?: (?:{_SAID['counted_is']}))?[ :#]{{0,2}}|#)$",
    re.IGNORECASE,
)
"""What says before a number that it counts something else."""
_UNIT = re.compile(rf"{SPACE}?(?:[€$£¥%]|(?:{_SAID['amount']})\b)|[.,]\d", re.IGNORECASE)
_LOOK_BACK = 40


@dataclass(frozen=True, slots=True)
class _Plan:
    """Numbers of one country as they are dialled there: the trunk prefix, which may be left out, and what follows."""

    trunk: str
    numbers: re.Pattern[str]
    mobiles: re.Pattern[str]

    def has(self, digits: str, *, mobile: bool = False) -> bool:
        pattern = self.mobiles if mobile else self.numbers
        if self.trunk and digits.startswith(self.trunk) and pattern.fullmatch(digits, len(self.trunk)):
            return True
        return pattern.fullmatch(digits) is not None


def _plan(region: str) -> _Plan:
    metadata = PhoneMetadata.metadata_for_region(region)
    assert metadata is not None and metadata.general_desc is not None, region
    every = metadata.general_desc.national_number_pattern
    mobile = metadata.mobile.national_number_pattern if metadata.mobile else None
    return _Plan(metadata.national_prefix or "", re.compile(every or ""), re.compile(mobile or every or ""))


_PLANS = tuple(_plan(region) for region in REGIONS)


def _international(match: re.Match[str]) -> Span | None:
    """A country code that exists, with as many digits as its plan allows."""
    digits = digits_of(match[1].replace("(0)", ""))
    try:
        number = phonenumbers.parse(f"+{digits}")
    except NumberParseException:
        return None
    possible = phonenumbers.is_possible_number_with_reason(number) == ValidationResult.IS_POSSIBLE
    return match.span() if possible else None


def _counted(match: re.Match[str]) -> bool:
    """Whether the words around a number say that it is an amount, an id or a date."""
    start, end = match.span()
    before = match.string[max(0, start - _LOOK_BACK) : start]
    named = _NUMBER_OF.search(before) or _UNIT.match(match.string, end)
    return bool(named or _STARTS_WITH_DATE.match(match[0]) or _DATE.search(match[0]))


def _national(match: re.Match[str]) -> Span | None:
    """A number with the trunk 0 or an area code in parentheses, or in groups that amounts do not have."""
    start, end = match.span()
    if match[0].startswith("(") and ")" not in match[0]:  # the parenthesis of the sentence
        start += 1
    text = match.string[start:end]
    digits = digits_of(text)
    groups = [len(group) for group in re.findall(r"\d+", text)]
    like_others = groups in ([3, 2, 4], [5, 4]) or text.startswith("0.") or (text[0] != "0" and max(groups) < 3)
    if len(digits) < 8 or like_others or _counted(match):  # social security, ZIP+4, a decimal, a list of small numbers
        return None
    if text.startswith("0"):  # several groups, or one that is long enough
        known = len(digits) >= 9 and any(plan.has(digits) for plan in _PLANS if plan.trunk == "0" or len(groups) > 2)
    elif "(" in text:
        known = any(plan.has(digits) for plan in _PLANS)
    elif len(groups) == 1 or len(digits) < 9 or text.count("/") > 1:
        known = False
    else:
        known = any(plan.has(digits, mobile=True) for plan in _PLANS)
    return (start, end) if known else None


def _north_american(match: re.Match[str]) -> Span | None:
    return None if _counted(match) else match.span()


def _after_a_word(match: re.Match[str]) -> Span | None:
    start, end = match.span(1)
    return None if _DATE.match(match.string, start, end) else (start, end)


_AFTER_A_WORD = (
    rf"(?<![A-Za-z])(?:{_SAID['phone']})(?:{SPACE}(?:{_SAID['number']}))?[.:#]{{0,2}}"
    rf"(?:{SPACE}(?:{_SAID['number_is']}))?:?{SPACE}{{0,2}}(\(?\d(?:{_GAP}\d){{4,14}}){END}"
)
_EXTENSION = rf"(?:{SPACE}?(?:{_SAID['extension']}){SPACE}?\d{{1,6}})?"
_NORTH_AMERICAN = (
    rf"(?:\((?=[2-9]\d\d\))|{START}(?<!\d[./:-])(?:1(?:{SPACE}|[.]|{DASH})?\(?)?)"
    rf"[2-9]\d\d\)?(?:{SPACE}|[./]|{DASH}){{0,3}}[2-9]\d\d(?:{SPACE}|[.]|{DASH}){{0,3}}\d{{4}}"
    rf"{_EXTENSION}{END}"
)

PHONES = (
    finder(
        rf"(?:[+\uff0b]|{START}(?<!\d[./:-])(?:00|011{SPACE}))({_GAP}\d(?:{_GAP}\d){{6,15}}){_EXTENSION}{END}",
        _international,
    ),
    finder(rf"{_BEFORE}{START}\(?\d(?:{_GAP}\d){{7,12}}{END}", _national),
    finder(_NORTH_AMERICAN, _north_american),
    finder(_AFTER_A_WORD, _after_a_word, re.IGNORECASE),
)

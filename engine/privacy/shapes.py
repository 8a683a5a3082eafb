"""What personal data looks like, kind by kind: patterns, and check digits where the kind has some.

Recognised: e-mail addresses; phone numbers written internationally (+ or 00), with a leading 0, in the North American
form, or shorter ones after a word such as "phone"; payment cards (13 to 19 digits, Luhn); IBANs (length of the country,
mod 97); IPv4 and IPv6 addresses; US social security numbers with separators, or after their name; private-key blocks,
tokens of well-known makers, JWTs, bearer tokens, and what follows "password:", "api_key=" and the like when it holds a
digit; user and password in a URL.

Not recognised: names of people, places, dates of birth, account numbers without check digits, local phone numbers
without a word before them, and whatever is spelled out ("ann at example dot org"). Names take a language model, and a
library of the world's numbering plans is not among the dependencies. A number that only looks like one of these is
replaced too: what is lost can be asked for again, what is kept by mistake cannot be taken back.

Every pattern is bounded or starts only where a run starts, so that a search is linear in the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from ipaddress import IPv4Address, IPv6Address

Span = tuple[int, int]
Finder = Callable[[str], Iterator[Span]]
"""The places of a text that hold the kind, in order, none inside another."""
Verify = Callable[[re.Match[str]], Span | None]
"""The place that a match stands for; None where it only looks like one."""

# ASCII alone bounds a number: in scripts without spaces a letter stands right beside it.
_START = r"(?<![A-Za-z0-9_])"
_END = r"(?![A-Za-z0-9_])"
_SPACE = "[ \u00a0\u2009\u202f]"
_DASH = r"[-\u2010-\u2015\u2212\uff0d]"
_GAP = rf"(?:{_SPACE}?(?:[./]|{_DASH}){_SPACE}?|{_SPACE}?\(|\){_SPACE}?|{_SPACE})?"


def _finder(pattern: str, verify: Verify, flags: re.RegexFlag = re.NOFLAG, *, retry: bool = True) -> Finder:
    """Finds what matches and is verified. After a refusal the search goes on one character later, or behind the match
    (`retry=False`) where nothing inside it could be verified either."""
    compiled = re.compile(pattern, flags)

    def find(text: str) -> Iterator[Span]:
        position = 0
        while match := compiled.search(text, position):
            span = verify(match)
            if span is None:
                position = match.start() + 1 if retry else match.end()
                continue
            yield span
            position = span[1]

    return find


def _whole(match: re.Match[str]) -> Span:
    return match.span()


def _value(match: re.Match[str]) -> Span:
    return match.span(1)


def _value_with_digit(match: re.Match[str]) -> Span | None:
    """What is generated holds a digit; without one it is rather a word."""
    return match.span(1) if any(map(str.isdigit, match[1])) else None


def _digits(text: str) -> list[int]:
    return [int(character) for character in text if character.isdecimal()]


# cards ---------------------------------------------------------------------------------------------------------


def _card(match: re.Match[str]) -> Span | None:
    """The longest beginning of the match that ends with a group and passes the check."""
    text = match[0]
    for end in range(len(text), 12, -1):
        if not text[end - 1].isdecimal() or (end < len(text) and text[end].isdecimal()):
            continue
        digits = _digits(text[:end])
        if len(digits) >= 13 and luhn(digits):
            return match.start(), match.start() + end
    return None


def luhn(digits: list[int]) -> bool:
    """Whether the last digit is the check digit of the others."""
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


# IBAN ----------------------------------------------------------------------------------------------------------

_IBAN_LENGTHS: Mapping[str, int] = {
    entry[:2]: int(entry[2:])
    for entry in (
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29"
        " ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20"
        " LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29"
        " PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
    ).split()
}


def _iban(match: re.Match[str]) -> Span | None:
    text = match[0].upper()
    wanted = _IBAN_LENGTHS.get(text[:2])
    places = [place for place, character in enumerate(text) if character.isalnum()]
    if wanted is None or len(places) < wanted:
        return None
    end = places[wanted - 1] + 1
    plain = "".join(text[place] for place in places[:wanted])
    inside = end < len(text) and text[end].isalnum()
    number = "".join(str(int(character, 36)) for character in plain[4:] + plain[:4])
    return (match.start(), match.start() + end) if not inside and int(number) % 97 == 1 else None


# addresses of machines -----------------------------------------------------------------------------------------


def _ip4(match: re.Match[str]) -> Span | None:
    try:
        IPv4Address(".".join(str(int(part)) for part in match[0].split(".")))
    except ValueError:
        return None
    return match.span()


def _ip6(match: re.Match[str]) -> Span | None:
    """Only with a digit and some length: `a::b` is rather a line of a program."""
    text = match[0].rstrip(".") if match[0].endswith("::") else match[0].rstrip(":.")
    if len(text) < 7 or not any(map(str.isdigit, text)):
        return None
    try:
        IPv6Address(text)
    except ValueError:
        return None
    return match.start(), match.start() + len(text)


# phones --------------------------------------------------------------------------------------------------------

_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}")


def _phone(match: re.Match[str]) -> Span | None:
    start, end = match.span(match.lastindex or 0)
    return None if _DATE.match(match.string, start, end) else (start, end)


_INTERNATIONAL = rf"(?:[+\uff0b]|{_START}(?<!\d[./:-])00){_GAP}\d(?:{_GAP}\d){{6,14}}{_END}"
_TRUNK = rf"{_START}(?<!\d[./:-])0[1-9](?:{_GAP}\d){{7,10}}{_END}"
_NORTH_AMERICAN = (
    rf"(?:\((?=[2-9]\d\d\))|{_START}(?<!\d[./:-])(?:1(?:{_SPACE}|[.]|{_DASH})?\(?)?)"
    rf"[2-9]\d\d\)?(?:{_SPACE}|[.]|{_DASH}){{0,2}}[2-9]\d\d(?:{_SPACE}|[.]|{_DASH})?\d{{4}}{_END}"
)
_AFTER_A_WORD = (
    rf"(?<![A-Za-z])(?:telephone|tel|phone|mobile|cell|fax)(?: (?:number|no))?[.:#]?(?: is)?:?{_SPACE}{{0,2}}"
    rf"(\(?\d(?:{_GAP}\d){{5,11}}){_END}"
)

# secrets -------------------------------------------------------------------------------------------------------

_KEY_BODY = r"[A-Za-z0-9+/=\s:,.\\>|]"
_PRIVATE_KEY = (
    rf"-----BEGIN [^-\n]{{0,60}}PRIVATE KEY[^-\n]{{0,20}}-----{_KEY_BODY}*(?:-{{1,4}}{_KEY_BODY}+)*"
    r"(?:-----END[^-\n]{0,80}-----)?"
)
_TOKEN = (
    r"(?<![A-Za-z0-9])((?:(?:AKIA|ASIA|AIza)|(?:gh[pousr]|github_pat|npm|hf|ngt)_|(?:glpat|pypi|xox[abeoprs])-|"
    r"ya29\.|[srp]k[_-])[A-Za-z0-9_-]{16,})"
)
_JWT = r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
_BEARER = r"(?<![A-Za-z0-9])(?:bearer|basic)\s{1,3}([A-Za-z0-9._~+/-]{16,}={0,2})"
_ASSIGNED = (
    r"(?:(?:api|access|secret|private|auth|signing)[_ -]?(?:key|token)|secret|token|passwd|password|passphrase|pwd)"
    r"[\"']?(?:\s{0,3}[:=]{1,2}\s{0,3}| is )[\"']?([^\s\"'\[\]<>,;&]{6,})"
)


def _credentials(match: re.Match[str]) -> Span | None:
    """User and password, or a token alone; a short user name alone is none (`ssh://git@host`)."""
    start, end = match.start(), match.end() - 1
    return (start, end) if ":" in match[0] or end - start >= 20 else None


FINDERS: Mapping[str, tuple[Finder, ...]] = {
    "secret": (
        _finder(_PRIVATE_KEY, _whole),
        _finder(_JWT, _whole),
        _finder(_TOKEN, _value_with_digit, retry=False),
        _finder(_BEARER, _value_with_digit, re.IGNORECASE, retry=False),
        _finder(_ASSIGNED, _value_with_digit, re.IGNORECASE, retry=False),
    ),
    "url_credentials": (_finder(r"(?<=://)[^\s/?#\[\]<>\"']{1,512}@", _credentials),),
    "email": (
        _finder(
            r"(?<![\w.%+-])(?<!\w')[\w.%+-]+(?:'[\w.%+-]+)*[@\uff20](?:[\w-]{1,63}\.){1,8}"
            r"(?:xn--[a-z0-9-]{1,59}|[^\W\d_]{2,63})",
            _whole,
        ),
    ),
    "iban": (
        _finder(rf"{_START}[A-Za-z]{{2}}[0-9]{{2}}(?:(?:{_SPACE}|-)?[A-Za-z0-9]){{11,29}}", _iban),
    ),
    "card": (_finder(rf"{_START}[2-6]\d(?:(?:{_SPACE}|{_DASH})?\d){{11,17}}{_END}", _card),),
    "ssn": (
        _finder(rf"{_START}(?!000|666|9)\d{{3}}([- ])(?!00)\d\d\1(?!0000)\d{{4}}{_END}", _whole),
        _finder(rf"(?:\bssn|social security(?: number| no\.?)?)(?: is|:|#)?:? ?(\d{{9}}){_END}", _value, re.IGNORECASE),
    ),
    "ip": (
        _finder(r"(?<![A-Za-z0-9_:.])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{1,37}(?:\.\d{1,3}){0,3}(?![A-Za-z0-9_])", _ip6),
        _finder(rf"{_START}(?<!\d\.)\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?![A-Za-z0-9_]|\.\d)", _ip4),
    ),
    "phone": (
        _finder(_INTERNATIONAL, _phone),
        _finder(_TRUNK, _phone),
        _finder(_NORTH_AMERICAN, _phone),
        _finder(_AFTER_A_WORD, _phone, re.IGNORECASE),
    ),
}  # fmt: skip
"""How each kind is found, in the order in which kinds are looked for: what holds others comes first."""

"""What personal data looks like, kind by kind. Phone numbers have a module of their own: `phones`.

Recognised here: e-mail addresses; payment cards (a maker's first digits, its lengths, Luhn); IBANs (length of the
country, check digits); IPv4 and IPv6 addresses; US social security numbers with separators, or after their name; user and
password in a URL; and secrets: private-key blocks, tokens that carry their maker's prefix, and values that a name such as
"password" announces.

Not recognised: names of people, places, dates of birth, account numbers without check digits, and what is spelled out in
words ("ann at example dot org"). A number that only looks like one of these is replaced too: what is lost can be asked for
again, what is kept by mistake cannot be taken back.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address

from schwifty import IBAN, registry
from schwifty.exceptions import SchwiftyException

from engine.language.tables import alternatives, keys
from engine.privacy.finder import DASH, END, SPACE, START, Finder, Span, digits_of, finder, value, whole
from engine.privacy.phones import PHONES

_PRIVATE_KEY = (
    r"-----BEGIN [^-\n]{0,60}PRIVATE KEY[^-\n]{0,20}-----[A-Za-z0-9+/=\s:,.\\>|]*(?:-{1,4}[A-Za-z0-9+/=\s:,.\\>|]+)*"
    r"(?:-----END[^-\n]{0,80}-----)?"
)
_PREFIXES = (
    r"(?:AKIA|ASIA|AIza|GOCSPX-|AGE-SECRET-KEY-1|LTAI|ATATT3x|dckr_pat_|dapi|sbp_|rnd_|lin_api_|nfp_|PMAK-|shp(?:at|ca|pa|ss)_|"
    r"whsec_|sq0(?:atp|csp)-|SG\.|dop_v1_|doo_v1_|figd_|hvs\.|hvb\.|tfp_|glsa_|xapp-|"
    r"(?:gh[pousr]|github_pat|npm|hf|ngt|r8|gsk|xai|pplx|tvly|fw|pk|sk|rk)_|(?:glpat|glptt|gldt|pypi|xox[abceoprs])-|ya29\.|1//0|[srp]k-)"
)
_TOKEN = rf"(?<![A-Za-z0-9])({_PREFIXES}[A-Za-z0-9_.-]{{15,}}(?<![.]))"
_JWT = r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
_TELEGRAM = r"(?<![A-Za-z0-9])\d{8,10}:AA[A-Za-z0-9_-]{32,}"
_WEBHOOK = r"(?:hooks\.slack\.com/(?:services|workflows)|discord(?:app)?\.com/api/webhooks)/([A-Za-z0-9_/-]{16,})"
_BEARER = r"(?<![A-Za-z0-9])bearer\s{1,3}([A-Za-z0-9._~+/-]{12,}={0,2})"
_BASIC = r"(?<![A-Za-z0-9])basic\s{1,3}([A-Za-z0-9+/]{8,}={0,2})"
_SAID = {key: alternatives("private", key) for key in keys("private")}
_NAMES = rf"(?:(?:{_SAID['secret_key']})[_ -]?(?:access[_ -]?)?(?:key|token|secret)|{_SAID['secret']})"
_OF_WHAT = rf"(?: (?:{_SAID['secret_of']})(?: [^\s.,:;!?=]{{1,20}}){{1,3}}?)?"
""" "the password of the router"."""
_ASSIGNED = (
    rf"(?<![A-Za-z])(?:[A-Za-z0-9]{{1,20}}[_.-]){{0,4}}(?P<name>{_NAMES})(?:_[a-z]{{1,12}}|et|en)?{_OF_WHAT}"
    rf"(?:(?P<strong>[\"'`]?\s{{0,3}}(?:=>|:=|={{1,2}}|[:：])[ \t]{{0,3}})| (?:{_SAID['secret_is']}|:)[: ] ?)"
    r"(?P<quote>[\"'`“«]?)(?P<value>[^\s\"'`“”«»\[\]<>,;&]{4,256})"
)
_QUOTED = (
    rf"(?<![A-Za-z])(?:[A-Za-z0-9]{{1,20}}[_.-]){{0,4}}{_NAMES}"
    rf"(?:[\"']?\s{{0,3}}[:=]\s{{0,3}}| (?:(?:{_SAID['secret_is_quoted']}) )?)"
    r"(?P<mark>[\"'])(?P<value>[^\"'\n\[\]]{6,100})(?P=mark)"
)
_URL_KEY = (
    r"[?&#](?:(?:api|access|auth|client|x)[_-]?)?"
    r"(?:key|token|secret|sig|signature|password|pwd|code_verifier)=([^\s&#\"'<>\[\]]{6,})"
)
_PLACEHOLDER = re.compile(
    rf"\A(?:{_SAID['no_secret']}|"
    r"x+|\*+|\.+|-+|<.*|\{.*|\$.*|%.*|os\..*|process\..*|env\..*|https?:.*|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|"
    r"\d{1,2}:\d\d.*|self\..*|get\w*\(.*|\w+\(.*|[\d.,]+k?)[.,;:!?)]*",
    re.IGNORECASE,
)
# e-mail --------------------------------------------------------------------------------------------------------

_AT = r"(?:[@\uff20\ufe6b]|%40|&#64;|&#x40;|&commat;|\s?(?:\[at\]|\(at\)|\{at\})\s?)"
_DOT = r"(?:\.|\s?(?:\[dot\]|\(dot\)|\{dot\})\s?)"
_RUN = r"[\w.%+!#$*^~|-]"
_LOCAL = rf"(?<!{_RUN})(?<!\w')[!#$*^~|]*+(?P<local>(?!git@)[\w.+-]{_RUN}*(?:'[\w.+-]+){{0,8}})"
"""Begins where a run of its signs begins, so that no sign is read from more than one beginning; signs that only lead to it,
as in `**ann@example.org`, are no part of it."""
_DOMAIN = (
    rf"(?:(?:[\w-]{{1,63}}{_DOT}){{1,8}}(?:xn--[a-z0-9-]{{1,59}}|[^\W\d_]{{2,63}})|\[(?:IPv6:)?[0-9a-f.:]{{3,45}}\])"
)
_QUOTED_LOCAL = r"\"[^\"\s@][^\"@\n]{0,62}\""

_FILE = re.compile(r"@\dx\.(?:png|jpe?g|gif|webp|svg)$", re.IGNORECASE)
"""Pictures of several densities have an @ in their name."""


def _generated(match: re.Match[str]) -> Span | None:
    """What is generated holds a digit; without one it is rather a word."""
    return match.span(1) if any(map(str.isdigit, match[1])) else None


def _user_and_password(match: re.Match[str]) -> Span | None:
    """Base64 of `user:password`, as HTTP's basic authentication sends it."""
    text = match[1].rstrip("=")
    try:
        plain = base64.b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        return None
    return match.span(1) if b":" in plain and plain.isascii() else None


def _quoted(match: re.Match[str]) -> Span | None:
    """A value in quotes right behind its name, spaces and all, unless it is a placeholder."""
    return None if _PLACEHOLDER.fullmatch(match["value"]) else match.span("value")


_NOT_AFTER_IS = re.compile(_SAID["secret_in_prose"], re.IGNORECASE)
"""Names that are words of plain prose too: behind them only `:` and `=` announce a value."""


def _assigned(match: re.Match[str]) -> Span | None:
    """A value that a name announces: it holds a digit or a sign, or mixes cases, or stands in quotes behind : or =."""
    text = match["value"] if match["quote"] else match["value"].rstrip(".!?)")
    if len(text) < 4 or (_PLACEHOLDER.fullmatch(text) and not text.isdecimal()):
        return None
    digit = any(map(str.isdigit, text))
    if match["strong"]:
        mixed = any(map(str.isupper, text[1:])) and any(map(str.islower, text))
        quoted = match["quote"] != "" and len(text) > 5
        fits = digit or mixed or quoted or any(sign in text for sign in "!@#$%^&*+=?~_")
    else:
        fits = digit and len(text) > 4 and not _NOT_AFTER_IS.fullmatch(match["name"])
    start = match.start("value")
    return (start, start + len(text)) if fits else None


SECRETS = (
    finder(_PRIVATE_KEY, whole),
    finder(_JWT, whole),
    finder(_TELEGRAM, whole),
    finder(_WEBHOOK, value),
    finder(_TOKEN, _generated, retry=False),
    finder(_BEARER, _generated, re.IGNORECASE, retry=False),
    finder(_BASIC, _user_and_password, re.IGNORECASE, retry=False),
    finder(_URL_KEY, value, re.IGNORECASE),
    finder(_QUOTED, _quoted, re.IGNORECASE, retry=False),
    finder(_ASSIGNED, _assigned, re.IGNORECASE, retry=False),
)


def _address(match: re.Match[str]) -> Span | None:
    return None if _FILE.search(match[0]) else (match.start("local"), match.end())


# cards ---------------------------------------------------------------------------------------------------------

_MAKERS: tuple[tuple[str, range], ...] = (
    (r"4", range(13, 20)),  # Visa
    (r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720", range(16, 17)),  # Mastercard
    (r"3[47]", range(15, 16)),  # American Express
    (r"30[0-5]|309|3[689]", range(14, 20)),  # Diners Club
    (r"6011|64[4-9]|65", range(16, 20)),  # Discover
    (r"35(?:2[89]|[3-8])", range(16, 20)),  # JCB
    (r"62|81", range(16, 20)),  # UnionPay, RuPay
    (r"50|5[6-9]|6[0-9]", range(13, 20)),  # Maestro and what shares its numbers: RuPay, Elo, Verve, Troy's partners
    (r"220[0-4]", range(16, 20)),  # Mir
    (r"82|508|9792|1(?=\d{14}$)", range(15, 17)),  # RuPay, Troy, UATP
)
"""First digits of the makers of cards with the lengths of their numbers (ISO/IEC 7812)."""
_STARTS = tuple((re.compile(first), lengths) for first, lengths in _MAKERS)


def _card(match: re.Match[str]) -> Span | None:
    """The longest beginning of the match that ends with a group, has a maker's form and passes the check."""
    text = match[0]
    for end in range(len(text), 12, -1):
        if not text[end - 1].isdecimal() or (end < len(text) and text[end].isdecimal()):
            continue
        digits = digits_of(text[:end])
        made = any(len(digits) in lengths and first.match(digits) for first, lengths in _STARTS)
        if made and luhn([int(digit) for digit in digits]):
            return match.start(), match.start() + end
    return None


def luhn(digits: list[int]) -> bool:
    """Whether the last digit is the check digit of the others."""
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


# IBAN ----------------------------------------------------------------------------------------------------------


def _length_of_iban(country: str) -> int | None:
    try:
        return registry.get_iban_spec(country).iban_length
    except SchwiftyException:
        return None


def _iban(match: re.Match[str]) -> Span | None:
    """As many characters as the country's numbers have, if the check digits are theirs."""
    text = match[1].upper()
    wanted = _length_of_iban(text[:2])
    places = [place for place, character in enumerate(text) if character.isalnum()]
    if wanted is None or len(places) < wanted:
        return None
    end = places[wanted - 1] + 1
    plain = "".join(text[place] for place in places[:wanted])
    inside = end < len(text) and text[end].isdecimal()
    start = match.start(1)
    valid = not inside and plain.isascii() and IBAN(plain, allow_invalid=True).is_valid
    return (start, start + end) if valid else None


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


def _credentials(match: re.Match[str]) -> Span | None:
    """User and password, or a token alone; a short user name alone is none (`ssh://git@host`)."""
    start, end = match.start(), match.end() - 1
    return (start, end) if ":" in match[0] or end - start >= 20 else None


_SEPARATOR = rf"(?P<separator>{SPACE}?{DASH}{SPACE}?|{SPACE}|[._/])"
_SEPARATED_SSN = rf"(?!000|666|9)\d{{3}}{_SEPARATOR}(?!00)\d\d(?P=separator)(?!0000)\d{{4}}"
_NAMED_SSN = rf"\d{{9}}|\d{{3}}{SPACE}?[-./]?{SPACE}?\d\d{SPACE}?[-./]?{SPACE}?\d{{4}}"
_SSN_NAME = (
    rf"(?:{alternatives('private', 'social')})(?: ?\([A-Za-z]{{1,6}}\))?"
    rf"(?:{SPACE}(?:{alternatives('private', 'social_is')}))*[:#=]?{SPACE}{{0,2}}[\"'(]?"
)

FINDERS: Mapping[str, tuple[Finder, ...]] = {
    "secret": SECRETS,
    "url_credentials": (finder(r"(?<=://)[^\s/?#\[\]<>\"']{1,512}@", _credentials),),
    "email": (
        finder(_QUOTED_LOCAL + _AT + _DOMAIN, whole, re.IGNORECASE),
        finder(_LOCAL + _AT + _DOMAIN, _address, re.IGNORECASE),
    ),
    "iban": (
        finder(
            rf"{START}(?:iban(?=[A-Za-z]{{2}}\d\d))?([A-Za-z]{{2}}{SPACE}?[0-9]{SPACE}?[0-9](?:(?:{SPACE}{{1,2}}|{DASH}|[./]|\n)?[A-Za-z0-9]){{11,30}})",
            _iban,
            re.IGNORECASE,
        ),
    ),
    "card": (
        finder(
            rf"(?<![0-9.,-])(?<![0-9] )[1-9]\d(?:(?:{SPACE}{{1,2}}|{SPACE}?{DASH}{SPACE}?|[./]|\n)?\d){{11,17}}(?![0-9])",
            _card,
        ),
    ),
    "ssn": (
        finder(rf"{START}(?<!\d[-./])({_SEPARATED_SSN}){END}(?!-\d)", value),
        finder(rf"{_SSN_NAME}({_NAMED_SSN}){END}", value, re.IGNORECASE),
    ),
    "ip": (
        finder(r"(?<![A-Za-z0-9_:.])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{1,37}(?:\.\d{1,3}){0,3}(?![A-Za-z0-9_])", _ip6),
        finder(rf"{START}(?<!\d\.)\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?![A-Za-z0-9_]|\.\d)", _ip4),
    ),
    "phone": PHONES,
}  # fmt: skip
"""How each kind is found, in the order in which kinds are looked for: what holds others comes first."""

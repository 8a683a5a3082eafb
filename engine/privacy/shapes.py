"""What personal data looks like, kind by kind.

Recognised here: e-mail addresses; phone numbers; payment cards (a maker's first digits, its lengths, Luhn); IBANs (length of
the country, check digits); IPv4 and IPv6 addresses; US social security numbers with separators, or after their name; user and
password in a URL; and secrets: private-key blocks, tokens that carry their maker's prefix, and values that a name such as
"password" announces.

Not recognised: names of people, places, dates of birth, account numbers without check digits, and what is spelled out in
words ("ann at example dot org"). A number that only looks like one of these is replaced too: what is lost can be asked for
again, what is kept by mistake cannot be taken back.

Which phone numbers exist comes from the numbering plans of `phonenumbers` (Google's libphonenumber). A number without its
country's code is compared with the plans of the countries in REGIONS; forms that amounts, dates and ids share need a
word before them.

Every pattern is bounded or starts only where a run starts, so that a search is linear in the text, whatever it holds. One call
of a pattern sees a window of a long text: a call holds the interpreter's lock, so other threads run between two windows.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

import phonenumbers
from phonenumbers import NumberParseException, PhoneMetadata, ValidationResult
from schwifty import IBAN, registry
from schwifty.exceptions import SchwiftyException

from engine.language.tables import alternatives, keys

Span = tuple[int, int]
Finder = Callable[[str], Iterator[Span]]
"""The places of a text that hold the kind, in order, none inside another."""
Verify = Callable[[re.Match[str]], Span | None]
"""The place that a match stands for; None where it only looks like one."""

# ASCII alone bounds a number: in scripts without spaces a letter stands right beside it.
START = r"(?<![A-Za-z0-9_])"
END = r"(?![A-Za-z0-9_])"
SPACE = "[ \t\u00a0\u2007\u2009\u202f]"
DASH = r"[-\u2010-\u2015\u2212\uff0d]"

WINDOW, AHEAD = 16_384, 16_384
"""Characters in which a match of one call may begin, and how many it sees behind them."""
NEAR = 64
"""Characters behind a match that decide whether it is one: a match that ends nearer to the end of what was seen is looked at
again with more of the text."""

REGIONS = (
    "US", "GB", "DE", "FR", "ES", "IT", "PT", "BR", "NL", "BE", "CH", "AT", "IE", "PL", "CZ", "SK", "HU", "RO", "BG", "GR",
    "TR", "RU", "UA", "SE", "NO", "DK", "FI", "IL", "AE", "SA", "EG", "ZA", "NG", "KE", "IN", "PK", "CN", "TW", "HK", "JP", "KR",
    "SG", "MY", "TH", "VN", "PH", "ID", "AU", "NZ", "MX", "AR", "CL", "CO", "PE",
)  # fmt: skip
"""Countries whose numbers are recognised without their code."""

_GAP = rf"(?:{SPACE}?(?:[./]|{DASH}){SPACE}?|{SPACE}?\(|\){SPACE}?(?:{DASH}{SPACE}?)?|{SPACE}{{1,2}})?"
_STARTS_ALONE = r"(?<![\d.,:/#$€£¥-])(?<!\d )"
_DATE = re.compile(
    r"(?<!\d)(?:\d{4}([./-])(?:0?[1-9]|1[0-2])\1(?:[0-2]?\d|3[01])|(?:[0-2]?\d|3[01])([./-])(?:[0-2]?\d|3[01])\2\d{2}(?:\d\d)?)(?![\d./-]*[./-]?\d)"
)
"""A day in figures. `06.12.34.56.78` is none: it goes on."""
_STARTS_WITH_DATE = re.compile(r"(?:(?:19|20)\d\d([./-])\d{1,2}\1\d{1,2}|\d{1,2}([./-])\d{1,2}\2(?:19|20)\d\d)(?!\d)")
_BESIDE = {key: alternatives("private", key) for key in keys("private")}
_NUMBER_OF = re.compile(
    rf"(?:\b(?:{_BESIDE['counted']})\w{{0,12}}[ .:#]{{0,2}}(?:(?:{_BESIDE['counted_number']})[.:]{{0,2}})?"
    rf"(?: (?:{_BESIDE['counted_is']}))?[ :#]{{0,2}}|#)$",
    re.IGNORECASE,
)
"""What says before a number that it counts something else."""
_UNIT = re.compile(rf"{SPACE}?(?:[€$£¥%]|(?:{_BESIDE['amount']})\b)|[.,]\d", re.IGNORECASE)
_MOST_BEFORE = 40

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


def finder(pattern: str, verify: Verify, flags: re.RegexFlag = re.NOFLAG, *, retry: bool = True) -> Finder:
    """Finds what matches and is verified. After a refusal the search goes on one character later, or behind the match
    (`retry=False`) where nothing inside it could be verified either."""
    compiled = re.compile(pattern, flags)

    def find(text: str) -> Iterator[Span]:
        position = 0
        while match := first_match(compiled, text, position):
            span = verify(match)
            if span is None:
                position = match.start() + 1 if retry else match.end()
                continue
            yield span
            position = span[1]

    return find


def first_match(pattern: re.Pattern[str], text: str, position: int = 0) -> re.Match[str] | None:
    """The first match from a position on, window by window; as `pattern.search` finds it, up to AHEAD characters long."""
    while len(text) - position > WINDOW + AHEAD:
        match = pattern.search(text, position, position + WINDOW + AHEAD)
        if match is None or match.start() >= position + WINDOW:
            position += WINDOW
        elif match.end() <= match.endpos - NEAR:
            return match
        elif (longer := _read_on(pattern, match)) is not None:
            return longer
        else:
            position = match.start() + 1
    return pattern.search(text, position)


def _read_on(pattern: re.Pattern[str], match: re.Match[str]) -> re.Match[str] | None:
    """The match at the same place with as much of the text as it goes on, twice as much each time; None where it is none then."""
    text, start, end = match.string, match.start(), match.endpos
    while match.end() > end - NEAR and end < len(text):
        end = min(len(text), start + 2 * (end - start))
        longer = pattern.match(text, start, end)
        if longer is None:
            return None
        match = longer
    return match


def whole(match: re.Match[str]) -> Span:
    """The match as it is."""
    return match.span()


def value(match: re.Match[str]) -> Span:
    """The first group of the match."""
    return match.span(1)


def digits_of(text: str) -> str:
    """The decimal digits of a text in ASCII, without what separates them."""
    return "".join(str(int(character)) for character in text if character.isdecimal())


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
    before = match.string[max(0, start - _MOST_BEFORE) : start]
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
    rf"(?<![A-Za-z])(?:{_BESIDE['phone']})(?:{SPACE}(?:{_BESIDE['number']}))?[.:#]{{0,2}}"
    rf"(?:{SPACE}(?:{_BESIDE['number_is']}))?:?{SPACE}{{0,2}}(\(?\d(?:{_GAP}\d){{4,14}}){END}"
)
_EXTENSION = rf"(?:{SPACE}?(?:{_BESIDE['extension']}){SPACE}?\d{{1,6}})?"
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
    finder(rf"{_STARTS_ALONE}{START}\(?\d(?:{_GAP}\d){{7,12}}{END}", _national),
    finder(_NORTH_AMERICAN, _north_american),
    finder(_AFTER_A_WORD, _after_a_word, re.IGNORECASE),
)


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

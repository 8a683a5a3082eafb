"""Secrets: private-key blocks, tokens that carry their maker's prefix, and values that a name such as "password" announces."""

from __future__ import annotations

import base64
import binascii
import re

from engine.language.tables import alternatives, keys
from engine.privacy.finder import Span, finder, value, whole

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

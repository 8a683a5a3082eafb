"""Which Maven repository the locked files come from."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

CENTRAL = "central"


def repository_url(configured: str | None) -> str:
    """Base URL without a trailing slash: the configured one, else a mirror of Maven's settings, else central."""
    if configured:
        return configured.rstrip("/")
    for settings in _settings_files():
        mirror = mirror_of_central(settings)
        if mirror:
            return mirror.rstrip("/")
    return str(import_module("jgo.constants").MAVEN_CENTRAL_URL).rstrip("/")


def mirror_of_central(settings: Path) -> str | None:
    """The mirror that stands for the central repository in a settings.xml; None when there is none to use."""
    try:
        root = ElementTree.parse(settings).getroot()
    except (OSError, ElementTree.ParseError):
        return None
    for mirror in root.iterfind("{*}mirrors/{*}mirror"):
        url = (mirror.findtext("{*}url") or "").strip()
        blocked = (mirror.findtext("{*}blocked") or "").strip() == "true"
        # A URL with placeholders needs Maven itself to be understood.
        if url and not blocked and "${" not in url and _stands_for_central(mirror.findtext("{*}mirrorOf") or ""):
            return url
    return None


def _stands_for_central(mirror_of: str) -> bool:
    names = {name.strip() for name in mirror_of.split(",")}
    return f"!{CENTRAL}" not in names and not names.isdisjoint({CENTRAL, "*", "external:*"})


def _settings_files() -> Iterator[Path]:
    """The user's settings win over those of the installation, as in Maven."""
    yield Path.home() / ".m2" / "settings.xml"
    program = shutil.which("mvn")
    if program:
        yield Path(program).resolve().parent.parent / "conf" / "settings.xml"
    yield Path("/etc/maven/settings.xml")

"""Which repository is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.embedded.downloads import mirror_of_central, repository_url

SETTINGS = """\
<settings{namespace}><mirrors>
  <mirror><id>blocker</id><mirrorOf>external:http:*</mirrorOf><url>http://blocked.example/</url>
    <blocked>true</blocked></mirror>
  <mirror><id>other</id><mirrorOf>jcenter</mirrorOf><url>https://other.example/</url></mirror>
  <mirror><id>wanted</id><mirrorOf>{mirror_of}</mirrorOf><url>{url}</url></mirror>
</mirrors></settings>
"""


@pytest.mark.parametrize("namespace", ["", ' xmlns="http://maven.apache.org/SETTINGS/1.2.0"'])
@pytest.mark.parametrize(
    ("mirror_of", "stands"),
    [
        ("central", True),
        ("*", True),
        ("external:*", True),
        ("a, central", True),
        ("*,!central", False),
        ("a", False),
    ],
)
def test_mirror_of_central(tmp_path: Path, namespace: str, mirror_of: str, stands: bool) -> None:
    file = tmp_path / "settings.xml"
    file.write_text(SETTINGS.format(namespace=namespace, mirror_of=mirror_of, url="https://mirror.example/maven"))
    assert mirror_of_central(file) == ("https://mirror.example/maven" if stands else None)


def test_unusable_settings_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "settings.xml"
    assert mirror_of_central(file) is None
    file.write_text("<settings><mirrors>")
    assert mirror_of_central(file) is None
    file.write_text(SETTINGS.format(namespace="", mirror_of="central", url="https://${env.HOST}/maven"))
    assert mirror_of_central(file) is None


def test_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert repository_url("https://configured.example/maven/") == "https://configured.example/maven"
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2" / "settings.xml").write_text(
        SETTINGS.format(namespace="", mirror_of="central", url="https://mirror.example/maven/")
    )
    assert repository_url(None) == "https://mirror.example/maven"

"""docker-compose.yml fits the settings, and brings no secret of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from psycopg import conninfo

from engine.settings import Settings
from engine.stores.objects import object_store
from engine.stores.s3 import Bucket

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
SERVICES = yaml.safe_load(TEXT)["services"]
SECRET = re.compile(r"\$\{(\w+):\?[^}]+\}")


def filled(text: str) -> str:
    return SECRET.sub(lambda match: f"secret{match.group(1).replace('_', '')}", text)


@pytest.mark.ledger("U07")
def test_every_setting_of_the_engine_exists_and_its_urls_parse() -> None:
    for name in ("api", "worker"):
        given = {key: filled(value) for key, value in SERVICES[name]["environment"].items()}
        fields = {key.removeprefix("NEURIGRAPH_").lower(): value for key, value in given.items()}
        assert fields.keys() <= Settings.model_fields.keys()
        settings = Settings(_env_file=None, **fields)
        assert conninfo.conninfo_to_dict(settings.postgres_url.get_secret_value())["host"] == "postgres"
        assert isinstance(object_store(settings.objects_url.get_secret_value(), timeout=1).hot, Bucket)
        assert settings.neo4j_url == "bolt://neo4j:7687" and settings.api_token


def test_every_service_has_a_health_check_and_every_store_a_volume() -> None:
    assert SERVICES.keys() == {"neo4j", "postgres", "objects", "api", "worker"}
    for name, service in SERVICES.items():
        assert service["healthcheck"]["test"], name
        assert service["volumes"], name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name


def test_no_password_is_written_down_or_has_a_default() -> None:
    for name, service in SERVICES.items():
        for key, value in service["environment"].items():
            if re.search(r"PASSWORD|SECRET|TOKEN|AUTH|ACCESS", key):
                assert SECRET.search(str(value)), (name, key)
    assert ":-" not in TEXT
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    named = {line.partition("=")[0] for line in example.splitlines() if "=" in line}
    assert named == set(SECRET.findall(TEXT))
    assert all(line.endswith("=") for line in example.splitlines() if "=" in line)


def test_docker_accepts_it() -> None:
    if (
        shutil.which("docker") is None
        or subprocess.run(["docker", "compose", "version"], capture_output=True).returncode
    ):
        pytest.skip("no docker compose on this machine")
    if subprocess.run(["docker", "info"], capture_output=True).returncode:
        pytest.skip("no Docker engine answers")
    secrets = {name: "x" for name in SECRET.findall(TEXT)}
    told = subprocess.run(
        ["docker", "compose", "config", "-q"], cwd=ROOT, env=os.environ | secrets, capture_output=True, text=True
    )
    assert told.returncode == 0, told.stderr

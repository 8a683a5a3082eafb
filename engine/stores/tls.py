"""TLS to managed stores: an authority of the operator's own, one PEM file a store. Where one is set, the store has to
show a certificate of it that fits the host name; nothing is ever sent unencrypted."""

from __future__ import annotations

import ssl
from pathlib import Path

from engine.errors import SettingsError


def authority(file: Path | None, setting: str) -> Path | None:
    """The file, proven to hold certificates; None where there is none. `setting` names it in the SettingsError."""
    if file is None:
        return None
    try:
        ssl.create_default_context(cafile=file)
    except ssl.SSLError as error:
        raise SettingsError(f"{setting}: {file} holds no certificate in PEM form.") from error
    except OSError as error:
        raise SettingsError(f"{setting}: {file} cannot be read ({error.strerror}).") from error
    return file

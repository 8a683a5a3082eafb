"""Whether a connection failed because of a server's certificate, whichever driver tells of it."""

from __future__ import annotations

import ssl

NO_AUTHORITY = "shows a certificate that the authority in use does not vouch for"


def certificate_refused(error: BaseException | None) -> bool:
    """Whether an error, or one that it was raised from, is a refusal of a certificate."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        reason = getattr(error, "reason", None)  # urllib3's, of an attempt that was the last one
        error = reason if isinstance(reason, BaseException) else error.__cause__ or error.__context__
    return False
